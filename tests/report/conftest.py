"""A realistic report made of invented answers: thirteen settings, six runs, hostile texts.

Everything between the scores and the report is the real thing: floors, estimates, answer
summaries and comparison come from `analysis`.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from overread.analysis.answers import summarise_answers
from overread.analysis.blind_floor import blind_floors
from overread.analysis.compare import RunScores, compare
from overread.analysis.estimates import estimate
from overread.cli.report_command import judges_of
from overread.contracts import AnalysisPlan, Card, Picture, Selection
from overread.errors import ImageError
from overread.imaging.render import PictureRenderer
from overread.records import (
    Choice,
    Finding,
    Item,
    Manifest,
    Media,
    ModelIdentity,
    Option,
    PlannedItem,
    PublishedValue,
    Receipt,
    Recipe,
    Reference,
    Response,
    Score,
    Severity,
    Status,
    Vote,
)
from overread.registry import find_benchmark
from overread.report.collect import collect
from overread.report.data import GalleryAnswer, GalleryItem, ReportData, RunReport
from overread.report.fates import count_fates
from overread.report.tokens import TokenTotals, count_tokens
from overread.run.judging import JudgeRequest, judge
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.run.scoring import score_run
from overread.store.run_store import RunStore

HOSTILE = (
    "</script><script>window.pwned = 1</script>",
    '<img src="x" onerror="window.pwned = 1">',
    "{{ 7 * 7 }} {% raw %} ${7*7} `x`",
    "\u202egnp.exe\u2028line\u2029\x00 lone \ud800 surrogate",
    "--><!--<script>",
    '"><svg onload=window.pwned=1>',
)

TASKS = {
    "img2txt": "One slice: pick the description",
    "ct2txt": "Nine slices: pick the description",
    "txt2img": "A description: pick the picture",
    "txt2bbox": "A description: pick the picture with the right box",
    "img2attrib": "One slice: pick the attributes",
    "ct2attrib": "Nine slices: pick the attributes",
    "img2size": "One slice: pick the size",
}
# (task, box, questions in the test split): CT-Bench, 900 without a box and 1,000 with.
SETTINGS = tuple(
    (task, box, n)
    for task, n in {
        "img2txt": 200, "ct2txt": 200, "txt2img": 200, "txt2bbox": 100,
        "img2attrib": 100, "ct2attrib": 100, "img2size": 100,
    }.items()
    for box in (("no-box", "box") if task != "txt2bbox" else ("box",))
)  # fmt: skip
ORGANS = ("right lung", "left lung", "liver", "spleen", "left kidney", "right kidney", "pelvis")
SHAPES = ("nodule", "mass", "cyst", "lymph node", "nodular lesion")
# Model, how often right without and with a box, and how often without an answer.
RUNS = (
    ("chat", "medgemma-27b", "rev 4f1c", 0.42, 0.55, 0.03),
    ("clip", "biomedclip", None, 0.37, 0.52, 0.0),
    ("chat", "radfm", None, 0.31, 0.33, 0.38),
    ("baselines", "radiomics", None, 0.44, 0.63, 0.0),
    ("baselines", "constant:B", None, 0.25, 0.25, 0.0),
    ("baselines", "chance", None, 0.25, 0.25, 0.0),
)
LETTERS = "ABCD"
KINDS = (
    (Status.UNPARSED, "several letters", "B or D, both would fit."),
    (Status.UNPARSED, "no letter or option named", "A definitive diagnosis needs a radiologist."),
    (Status.REFUSED, "refusal", "As an AI model, I cannot interpret medical images."),
    (Status.FAILED, "server answered 500 six times", None),
)


@cache
def _phantom(seed: int, boxed: bool, side: int) -> bytes:
    """A body, two lungs, a spine and a lesion: enough to look like a slice in a gallery."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    picture = np.full((side, side), 8.0)
    picture[(x / 0.92) ** 2 + (y / 0.68) ** 2 < 1] = 92
    picture[(x / 0.86) ** 2 + (y / 0.61) ** 2 < 1] = 128
    for centre in (-0.42, 0.42):
        picture[((x - centre) / 0.27) ** 2 + ((y + 0.05) / 0.42) ** 2 < 1] = 22
    picture[(x / 0.1) ** 2 + ((y - 0.42) / 0.11) ** 2 < 1] = 225
    cx, cy = rng.uniform(-0.55, 0.55), rng.uniform(-0.3, 0.3)
    radius = rng.uniform(0.05, 0.12)
    picture[((x - cx) / radius) ** 2 + ((y - cy) / (radius * 0.8)) ** 2 < 1] = 165
    picture += rng.normal(0, 9, picture.shape)
    rgb = np.repeat(np.clip(picture, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
    if boxed:
        low = [int((v - radius * 1.25 + 1) / 2 * side) for v in (cx, cy)]
        high = [int((v + radius * 1.25 + 1) / 2 * side) for v in (cx, cy)]
        rgb[low[1], low[0] : high[0]] = rgb[high[1], low[0] : high[0]] = (0, 255, 0)
        rgb[low[1] : high[1], low[0]] = rgb[low[1] : high[1], high[0]] = (0, 255, 0)
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def render(media: Media) -> tuple[Picture, ...]:
    """Draw what a path names: ``lesion_bbox/0042_s3.png``; a path with ``gone`` is missing."""
    pictures: list[Picture] = []
    for place, path in enumerate(media.paths):
        if "gone" in path:
            raise ImageError(f"{path}: expected a picture, got no such file. {HOSTILE[1]}")
        number = int(hashlib.sha256(path.encode()).hexdigest()[:6], 16) % 48
        data = _phantom(number, "bbox/" in path, 192)
        pictures.append(Picture(data=data, receipt=_receipt(path, data, place, len(media.paths))))
    return tuple(pictures)


def _receipt(path: str, data: bytes, place: int, of: int) -> Receipt:
    return Receipt(
        sha256=hashlib.sha256(data).hexdigest(),
        width=192,
        height=192,
        size_bytes=len(data),
        media_type="image/png",
        sources=(path,),
        window="as stored",
        layout="single" if of == 1 else f"slice {place + 1} of {of}",
        orientation="as stored",
        boxes_drawn=0,
    )


def _paths(task: str, box: str, lesion: int, option: int) -> tuple[str, ...]:
    folder = "lesion_bbox" if box == "box" else "lesion_nobox"
    if lesion == 3:
        folder = "gone"
    if task.startswith("ct2"):
        return tuple(f"{folder}/{lesion:05d}_s{k}.png" for k in range(9))
    return (f"{folder}/{lesion:05d}_{option}.png",)


def make_item(number: int, task: str, box: str, rng: np.random.Generator) -> Item:
    lesion = int(rng.integers(0, 1300))
    texts = [
        f"{rng.integers(6, 61)} mm {rng.choice(SHAPES)} in the {rng.choice(ORGANS)}"
        f"{rng.choice(['', ', hypodense', ', well defined', ' with calcification'])}."
        for _ in LETTERS
    ]
    if number % 3 == 1:
        texts[number % 4] = HOSTILE[int(rng.integers(len(HOSTILE)))]
    pictures = task in {"txt2img", "txt2bbox"}
    options = tuple(
        Option(
            letter=letter,
            text=None if pictures else texts[place],
            media=Media(paths=_paths(task, box, lesion, place)) if pictures else None,
        )
        for place, letter in enumerate(LETTERS)
    )
    stack = Recipe(stack="mosaic" if number % 50 == 7 else "images")
    return Item(
        id=f"{task}/{box}/{number:04d}",
        benchmark="ct-bench",
        task=task,
        condition=box,
        question=texts[0] if pictures else f"{TASKS[task].split(': ')[1].capitalize()} that fits.",
        media=() if pictures else (Media(paths=_paths(task, box, lesion, 0), recipe=stack),),
        answer_space=Choice(options=options),
        groups={"patient": f"P{lesion % 523:04d}", "lesion": str(lesion)},
        strata={"task": task, "box": box},
    )


def _answer(
    item: Item, right: str, run: str, shape: tuple[float, float, float], rng: np.random.Generator
) -> tuple[Response, Score, Score]:
    accuracy = shape[1] if item.condition == "box" else shape[0]
    receipts = tuple(
        picture.receipt
        for media in (*item.media, *(o.media for o in item.answer_space.options if o.media))
        if not any("gone" in path for path in media.paths)
        for picture in render(media)
    )
    status, reason, text, letter = Status.OK, "JSON selected_option", None, None
    if rng.random() < shape[2]:
        status, reason, text = KINDS[int(rng.integers(len(KINDS)))]
    else:
        letter = (
            right if rng.random() < accuracy else str(rng.choice([*LETTERS.replace(right, "")]))
        )
        letter = "B" if run.startswith("constant") else letter
        text = f'{{"selected_option": "{letter}", "explanation": "The margin and side fit."}}'
        if rng.random() < 0.02:
            text = HOSTILE[int(rng.integers(len(HOSTILE)))] + text
    value = None if letter is None else float(letter == right)
    response = Response(
        run=run, item=item.id, status=Status.FAILED if text is None else Status.OK, text=text,
        reason=reason if text is None else None, finish_reason="stop", tokens_in=900,
        tokens_out=34, seconds=float(rng.uniform(0.4, 3)), receipts=receipts,
        request_hash=hashlib.sha256(f"{run}{item.id}".encode()).hexdigest(),
    )  # fmt: skip
    base = {
        "run": run,
        "item": item.id,
        "patient": item.groups["patient"],
        "metric": "accuracy",
        "metric_version": "1",
        "unit": "share",
    }
    honest = Score(
        **base, profile="honest", value=value, status=status, reason=reason, answer=letter
    )
    lost = letter is not None and rng.random() < 0.03 and "chat" in run
    published = Score(
        **base,
        profile="published",
        value=None if lost else value,
        status=Status.UNPARSED if lost else status,
        reason="fence stripping lost text" if lost else reason,
        answer=None if lost else letter,
    )
    return response, honest, published


def _published() -> tuple[PublishedValue, ...]:
    source = "arXiv 2602.14879, table 3"

    def row(who: str, kind: str, value: float, stratum: dict[str, str], counts=(None, None)):
        return PublishedValue(
            metric="accuracy", stratum=stratum, who=who, kind=kind, value=value,
            count=counts[0], n=counts[1], source=source,
        )  # fmt: skip

    return (
        row("guessing", "chance", 0.25, {}),
        row("GPT-4V", "model", 540 / 1900, {}, (540, 1900)),
        row("Gemini 1.5 Pro", "model", 0.338, {}),
        row("BiomedCLIP, trained with boxes", "model", 0.503, {}),
        row("junior doctor", "reader", 0.56, {}, (56, 100)),
        row("senior radiologist 1", "reader", 0.80, {}, (80, 100)),
        row("senior radiologist 2", "reader", 0.82, {}, (82, 100)),
        row("BiomedCLIP, trained with boxes", "model", 0.62, {"box": "box"}),
        row("senior radiologist 1", "reader", 47 / 55, {"box": "box"}, (47, 55)),
        row("senior radiologist 2", "reader", 49 / 55, {"box": "box"}, (49, 55)),
        row("BiomedCLIP, trained without boxes", "model", 0.414, {"box": "no-box"}),
        row("senior radiologist 1", "reader", 33 / 45, {"box": "no-box"}, (33, 45)),
        row("senior radiologist 2", "reader", 33 / 45, {"box": "no-box"}, (33, 45)),
        row("GPT-4V", "model", 0.275, {"task": "img2txt", "box": "no-box"}, (55, 200)),
    )


def make_report(*, size: float = 1.0, n_runs: int = len(RUNS), seed: int = 11) -> ReportData:
    """Invent a report of about 1,900 × `size` items."""
    rng = np.random.default_rng(seed)
    items = [
        make_item(number, task, box, rng)
        for task, box, n in SETTINGS
        for number in range(max(2, round(n * size)))
    ]
    references = {
        item.id: Reference(item=item.id, answer=str(rng.choice([*LETTERS]))) for item in items
    }
    broken = items[5].id
    references[broken] = Reference(item=broken, answer=None, problem=f"letter E {HOSTILE[1]}")
    planned = [
        PlannedItem(
            item=i.id, request_hash=f"h{i.id}", groups=i.groups, strata=i.strata, chance=0.25
        )
        for i in items
    ]
    plan = AnalysisPlan(
        strata=((), ("box",), ("task",), ("task", "box")), cells=("task", "box"),
        cluster="patient", bootstrap_draws=200,
    )  # fmt: skip
    floors = blind_floors(items, references, plan.strata)
    answers: dict[str, dict[str, GalleryAnswer]] = {item.id: {} for item in items}
    runs: list[RunReport] = []
    compared: list[RunScores] = []
    for kind, name, revision, *shape in RUNS[:n_runs]:
        run = f"{name}-{hashlib.sha256(name.encode()).hexdigest()[:8]}-{kind}"
        scores: list[Score] = []
        for item in items:
            right = references[item.id].answer
            response, honest, published = _answer(item, right or "A", run, tuple(shape), rng)
            if right is None:
                honest, published = (_unusable(score) for score in (honest, published))
            answers[item.id][run] = GalleryAnswer(
                response=response, honest=honest, published=published
            )
            scores += [honest, published]
        runs.append(
            RunReport(
                manifest=_manifest(run, kind, name, revision),
                estimates=estimate(scores, planned, plan, floors=floors, published=_published()),
                answers=summarise_answers(scores, planned, references, letters=LETTERS),
                fates=count_fates(
                    scores, planned, plan, answered={line.request_hash for line in planned}
                ),
                findings=_run_findings(kind),
                tokens=count_tokens(
                    answer.response
                    for one in answers.values()
                    if (answer := one[run]).response is not None
                )
                if kind == "chat"
                else TokenTotals(),
            )
        )
        label = name if kind == "baselines" else f"{kind}:{name}"
        compared.append(RunScores(label=label, scores=scores, planned=planned))
    return ReportData(
        title="CT-Bench, test split",
        card=Card(
            name="ct-bench", title="CT-Bench lesion exam", protocol_version="1",
            licence="CC BY-NC-SA 4.0", access="Open download", tasks=TASKS,
            conditions=("no-box", "box"), sources=("arXiv 2602.14879",),
        ),
        plan=plan,
        runs=tuple(runs),
        gallery=tuple(
            GalleryItem(item=i, reference=references[i.id], answers=answers[i.id]) for i in items
        ),
        floors=floors,
        comparison=compare(compared, plan) if len(compared) > 1 else None,
        findings=_findings(),
        notes=("The pictures are phantoms: the numbers test the harness, not medicine.",),
        created="2026-11-30T16:40:00+00:00",
    )  # fmt: skip


def _unusable(score: Score) -> Score:
    return Score(
        run=score.run, item=score.item, patient=score.patient, metric=score.metric,
        metric_version="1", profile=score.profile, unit="share", value=None,
        status=Status.UNDEFINED, reason="the reference cannot be used", answer=score.answer,
    )  # fmt: skip


def _manifest(run: str, kind: str, name: str, revision: str | None) -> Manifest:
    return Manifest(
        run=run, benchmark="ct-bench", protocol_version="1", release_root="releases/ct-bench",
        release_fingerprint="9f2c" * 16,
        model=ModelIdentity(
            kind=kind, name=name, revision=revision,
            settings={"temperature": 0.0, "max_tokens": 1000, "seed": 0},
        ),
        selection={"split": "test", "form": "chat", "stack": "images"}, seed=7,
        created="2026-11-30T15:02:11+00:00",
        software={"python": "3.11.7", "overread": "0.1.0", "numpy": "2.4.6", "pillow": "13.0.0"},
        command=f"overread run ct-bench releases/ct-bench --model {kind}:{name} --out runs/{name}",
    )  # fmt: skip


def _findings() -> tuple[Finding, ...]:
    return (
        Finding(
            severity=Severity.WARNING, code="missing-image", where="lesion_bbox/00003_0.png",
            evidence="the question names it, the folder does not hold it", count=14,
            effect="14 questions keep their place in the denominator and have no answer",
            remedy="Download the archive again and compare the file list.",
        ),
        Finding(
            severity=Severity.ERROR, code="letter-outside-options", where="qa_llm.json: item 5",
            evidence=f"correct_choice is 'E' {HOSTILE[0]}", effect="nobody can be right on it",
        ),
        Finding(
            severity=Severity.INFO, code="image-names", where="lesion_bbox/",
            evidence="pictures are called {lesion_idx}.png", count=1,
        ),
    )  # fmt: skip


def _run_findings(kind: str) -> tuple[Finding, ...]:
    if kind != "chat":
        return ()
    return (
        Finding(
            severity=Severity.WARNING, code="many-unread-replies", where="img2txt",
            evidence="no answer could be read in 3.1 % of the replies",
            effect="they count as not right", remedy="Read some: gallery, filter 'No answer'.",
        ),
    )  # fmt: skip


@pytest.fixture(scope="session")
def small_report() -> ReportData:
    """About 80 items, three runs."""
    return make_report(size=0.04, n_runs=3)


@pytest.fixture(scope="session")
def report_maker() -> Callable[..., ReportData]:
    return make_report


@pytest.fixture(scope="session")
def renderer() -> Callable[[Media], tuple[Picture, ...]]:
    return render


@pytest.fixture(scope="session")
def hostile_texts() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture(scope="session")
def open_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A small CT-SpatialVQA release: a run of arrays with three judges under both profiles, and
    one of slices that stopped early and that nobody judged."""
    root = tmp_path_factory.mktemp("open")
    release = root / "release"
    find_benchmark("ct-spatialvqa").synthesise(release, seed=3, size=6)
    example = Path(__file__).parents[2] / "examples" / "volume_model.py"
    asked: dict[str, dict[str, Any]] = {
        "arrays": {
            "model": f"command:{sys.executable} {example}",
            "selection": Selection(recipe="array-hu"),
        },
        "slices": {"model": "fake", "selection": Selection(recipe="slices-32", limit=12)},
    }
    paths = {name: root / f"{name}.sqlite" for name in asked}
    for name, way in asked.items():
        execute(
            RunRequest(
                benchmark="ct-spatialvqa", release=release, out=paths[name], canary=False, **way
            )
        )
    opened = find_benchmark("ct-spatialvqa").open(release)
    with RunStore.open(paths["arrays"], write=True) as store:
        for profile in ("published", "honest"):
            judges = ("fake", "fake:judge=exact", "fake:judge=yes")
            judge(
                store,
                opened,
                JudgeRequest(judges=judges, profile=profile),
                on_progress=lambda _: None,
            )
        score_run(store, opened)
    return release, paths["arrays"], paths["slices"]


@pytest.fixture(scope="session")
def open_report(open_runs: tuple[Path, Path, Path]) -> ReportData:
    """Both runs, with hostile words in the judges' mouths."""
    _, *runs = open_runs
    data, _ = collect(runs, release=None, title=None, judges_of=judges_of(None))
    gallery = [
        replace(
            entry,
            answers={
                run: replace(answer, votes=tuple(map(_hostile, answer.votes)))
                for run, answer in entry.answers.items()
            },
        )
        for entry in data.gallery
    ]
    return replace(data, gallery=tuple(gallery))


def _hostile(vote: Vote) -> Vote:
    return replace(vote, rationale=HOSTILE[len(vote.item) % len(HOSTILE)] + HOSTILE[1])


@pytest.fixture(scope="session")
def open_page(
    open_runs: tuple[Path, Path, Path],
    open_report: ReportData,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    from overread.report.html import write_html

    out = tmp_path_factory.mktemp("open-report")
    return write_html(open_report, out, PictureRenderer(open_runs[0]))


@pytest.fixture(scope="session")
def small_page(small_report: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from overread.report.html import write_html

    return write_html(small_report, tmp_path_factory.mktemp("report"), render)


@pytest.fixture(scope="session")
def caption_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path, Path]:
    """A small release; captions of two readers, and one that was asked questions too."""
    root = tmp_path_factory.mktemp("captions")
    release = root / "release"
    find_benchmark("ct-bench").synthesise(release, seed=3, size=24)
    asked = {
        "majority": ("majority", ("caption",)),
        "fake": ("fake", ("caption",)),
        "mixed": ("majority", ("caption", "img2txt")),
    }
    for name, (model, tasks) in asked.items():
        execute(
            RunRequest(
                benchmark="ct-bench", release=release, out=root / f"{name}.sqlite", model=model,
                selection=Selection(tasks=tasks), canary=False,
            )
        )  # fmt: skip
    return release, *(root / f"{name}.sqlite" for name in asked)


@pytest.fixture(scope="session")
def caption_report(caption_runs: tuple[Path, ...]) -> ReportData:
    return collect(caption_runs[1:3], release=None, title=None)[0]


@pytest.fixture(scope="session")
def caption_page(
    caption_runs: tuple[Path, Path, Path, Path],
    caption_report: ReportData,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    from overread.report.html import write_html

    out = tmp_path_factory.mktemp("caption-report")
    return write_html(caption_report, out, PictureRenderer(caption_runs[0]))

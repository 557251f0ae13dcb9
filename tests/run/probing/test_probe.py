"""A whole probe: arms as run files, resumed, and what they say about readers of known habits."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from overread.analysis.asked import asked_of
from overread.analysis.perturbed import perturb
from overread.analysis.probing import ArmEffect, Failures
from overread.contracts import ModelOptions, Neighbours, Release, Selection
from overread.errors import FatalModelError, StoreError, UsageError
from overread.imaging.render import PictureRenderer
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import Media
from overread.registry import find_benchmark
from overread.run.asking import Progress
from overread.run.probing.probe import probe
from overread.run.probing.reading import ProbeReading, read_probe
from overread.run.probing.request import ARMS, ORIGINAL, ProbeOutcome, ProbeRequest
from overread.run.request import RunRequest
from overread.run.scoring import score_run
from overread.store.run_store import RunStore


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("probed") / "release"
    find_benchmark("ct-bench").synthesise(made, seed=5, size=40)
    return made


@pytest.fixture
def release(root: Path) -> Release:
    return find_benchmark("ct-bench").open(root)


Asking = Callable[..., ProbeRequest]


@pytest.fixture
def request_of(root: Path, tmp_path: Path) -> Asking:
    def make(
        model: str,
        *arms: str,
        limit: int | None = 26,
        folder: Path | None = None,
        tasks: tuple[str, ...] | None = None,
        options: ModelOptions | None = None,
    ) -> ProbeRequest:
        run = RunRequest(
            benchmark="ct-bench",
            release=root,
            model=model,
            out=tmp_path / "unused.sqlite",
            selection=Selection(limit=limit, tasks=tasks),
            options=options or ModelOptions(timeout_s=5, max_retries=2),
            canary=False,
        )
        return ProbeRequest(run=run, folder=folder or tmp_path / "probe", arms=arms or ARMS)

    return make


def quiet(arm: str) -> Callable[[Progress], None]:
    return lambda progress: None


def done(request: ProbeRequest, release: Release) -> tuple[ProbeOutcome, ProbeReading]:
    outcome = probe(request, release=release, on_arm=quiet)
    return outcome, read_probe(outcome.files, release, not_applied=outcome.not_applied)


def arms_of(reading: ProbeReading) -> dict[str, ArmEffect]:
    return {arm.name: arm for arm in reading.probed.arms}


def test_every_arm_is_a_run_of_its_own(request_of: Asking, release: Release) -> None:
    outcome, reading = done(request_of("constant:A"), release)
    assert list(outcome.files) == [
        ORIGINAL, "no-image", "other-patient", "options-only", "shuffled-options", "mirror", "blur",
    ]  # fmt: skip
    assert outcome.not_applied == {
        "wrong-window": {"its pictures are stored as grey values, not as HU": 26}
    }
    runs = set()
    for arm, path in outcome.files.items():
        with RunStore.open(path) as store:
            runs.add(store.manifest.run)
            assert store.estimates()
            assert store.manifest.selection.get("perturbation") == (
                None if arm == ORIGINAL else arm
            )
    assert len(runs) == 7
    assert reading.model.name == "constant:A"


def test_a_reader_that_does_not_look_is_moved_by_no_picture(
    request_of: Asking, release: Release
) -> None:
    _, reading = done(request_of("constant:A", limit=None), release)
    for name, arm in arms_of(reading).items():
        assert arm.silence.changed == 0
        if name != "shuffled-options":
            assert arm.states is not None
            assert arm.states.right_wrong == arm.states.wrong_right == 0


def test_shuffling_breaks_a_habit_of_letters(release: Release, request_of: Asking) -> None:
    """A key that is always A: the habit scores 100 %, and chance once the options move."""

    class AlwaysA:
        def __getattr__(self, name: str) -> object:
            return getattr(release, name)

        def reference(self, item_id: str) -> object:
            return replace(release.reference(item_id), answer="A", problem=None)

        def reword(self, item: object) -> object:
            return release.reword(item)  # type: ignore[attr-defined]

    request = request_of("constant:A", "shuffled-options", limit=None)
    _, reading = done(request, AlwaysA())  # type: ignore[arg-type]
    arm = arms_of(reading)["shuffled-options"]
    assert arm.original == 1.0
    assert arm.changed == pytest.approx(0.25, abs=0.15)  # 38 questions: two standard errors
    assert arm.low is not None
    assert arm.low > 0.4


def test_a_reader_of_words_alone_finds_them_under_their_new_letter(
    request_of: Asking, release: Release
) -> None:
    outcome, _ = done(request_of("longest", "shuffled-options", limit=None), release)
    chosen: dict[str, dict[str, str | None]] = {}
    for arm, path in outcome.files.items():
        with RunStore.open(path) as store:
            items = asked_of(store, release).items
            answers = {score.item: score.answer for score in store.scores()}
        chosen[arm] = {
            item.id: next(o.text for o in item.options if o.letter == answers[item.id])
            for item in items.values()
            if len({len(option.text or "") for option in item.options}) == len(item.options)
        }
    assert len(chosen[ORIGINAL]) > 3
    assert chosen[ORIGINAL] == chosen["shuffled-options"]


def test_a_reader_of_pixels_falls_with_them(request_of: Asking, release: Release) -> None:
    request = request_of("radiomics", "other-patient", "no-image", limit=None, tasks=("img2txt",))
    found = arms_of(done(request, release)[1])
    assert found["other-patient"].net_effect > 0.1
    gone = found["no-image"]
    assert gone.changed == 0
    assert gone.silence.changed == gone.silence.refused == gone.n
    assert gone.silence.lost == gone.lost > 0
    assert gone.failures == Failures(original=0, changed=0, pairs=0)


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        ('{"selected_option": null, "explanation": "I cannot answer without an image."}', True),
        ("I must decline.", True),
        ("refused", True),
        ('{"selected_option": null, "explanation": "Right lung."}', False),
        ("Contrast declined in the late phase.", False),
    ],
)
def test_replies_that_decline_are_found_behind_unreadable_ones(
    text: str, is_refusal: bool, request_of: Asking, release: Release, tmp_path: Path
) -> None:
    script = tmp_path / "reader.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f"    text = 'A' if asked['pictures'] else {text!r}\n"
        "    print(json.dumps({'id': asked['id'], 'text': text}), flush=True)\n"
    )
    request = request_of(f"command:{sys.executable} {script}", "no-image", limit=8)
    gone = arms_of(done(request, release)[1])["no-image"]
    assert gone.silence.changed == gone.n
    assert gone.silence.refused == (gone.n if is_refusal else 0)
    assert gone.silence.refused_original == 0


def test_a_chat_model_is_asked_what_each_arm_says(request_of: Asking, release: Release) -> None:
    arms = ("no-image", "options-only", "shuffled-options", "mirror")
    with FakeServer(read_script("letter=hash"), keep_bodies=True) as server:
        options = ModelOptions(base_url=server.base_url, timeout_s=5, max_retries=2, concurrency=1)
        request = request_of("chat:fake", *arms, limit=8, tasks=("img2txt",), options=options)
        outcome, _ = done(request, release)
        bodies = [seen.body.decode() for seen in server.seen if b"Options:" in seen.body]
    assert len(bodies) == sum(one.n_planned for one in outcome.outcomes.values()) == 40
    by_arm = dict(
        zip((ORIGINAL, *arms), (bodies[8 * n : 8 * n + 8] for n in range(5)), strict=True)
    )
    assert all("image_url" in body for body in by_arm[ORIGINAL])
    for arm in ("no-image", "options-only"):
        assert not any("image_url" in body for body in by_arm[arm])
    assert all("Which option is right?" in body for body in by_arm["options-only"])
    asked = next(iter(release.items(Selection(limit=8, tasks=("img2txt",))))).question
    assert all(asked in body for body in by_arm["no-image"])
    assert not any(asked in body for body in by_arm["options-only"])
    assert set(by_arm["mirror"]).isdisjoint(by_arm[ORIGINAL])


def test_the_same_command_again_asks_nothing(request_of: Asking, release: Release) -> None:
    request = request_of("constant:B")
    first, before = done(request, release)
    again, after = done(request, release)
    assert sum(one.n_asked for one in first.outcomes.values()) > 0
    assert sum(one.n_asked for one in again.outcomes.values()) == 0
    assert after.probed == before.probed


def test_a_longer_probe_draws_what_the_short_one_did(request_of: Asking, release: Release) -> None:
    arms = ("other-patient", "shuffled-options")
    short, _ = done(request_of("constant:B", *arms, limit=13), release)
    drawn = {}
    for arm in arms:
        with RunStore.open(short.files[arm]) as store:
            drawn[arm] = store.parameters()
    longer, _ = done(request_of("constant:B", *arms, limit=60), release)
    for arm in arms:
        assert longer.outcomes[arm].n_asked < longer.outcomes[arm].n_planned
        with RunStore.open(longer.files[arm]) as store:
            assert store.parameters().items() >= drawn[arm].items()
            assert len(store.parameters()) > len(drawn[arm])


def test_another_seed_is_another_run(request_of: Asking, release: Release) -> None:
    request = request_of("constant:B", "shuffled-options")
    done(request, release)
    with pytest.raises(UsageError, match="perturbation_seed"):
        probe(replace(request, seed=1), release=release, on_arm=quiet)


def test_a_run_file_alone_gives_back_what_was_asked(request_of: Asking, release: Release) -> None:
    outcome, _ = done(request_of("constant:B", "shuffled-options", "other-patient"), release)
    every = list(release.items(Selection()))
    for arm in ("shuffled-options", "other-patient"):
        with RunStore.open(outcome.files[arm]) as store:
            asked = asked_of(store, release)
            planned = {line.item for line in store.plan()}
        found = perturb(
            [item for item in every if item.id in planned],
            arm,
            seed=0,
            others=Neighbours(every),
            release=release,
            unit_of=lambda media: "display",
            render=lambda media: (),
            kept={},
        )
        assert list(asked.items.values()) == list(found.items)
    # What was drawn is read, not drawn again: a record that says otherwise is followed.
    item = next(iter(asked.items))
    with RunStore.open(outcome.files["shuffled-options"], write=True) as store:
        store._connection.execute(  # a record as another version of the kind would have drawn it
            'UPDATE perturbed SET parameters = \'{"order":["D","C","B","A"]}\''
        )
        again = asked_of(store, release)
        answer = release.reference(item).answer
        assert (
            again.references[item].answer == {"A": "D", "B": "C", "C": "B", "D": "A"}[answer or ""]
        )
        score_run(store, release)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM perturbed",
        "UPDATE perturbed SET parameters = '{}'",
        'UPDATE perturbed SET parameters = \'{"order":["A"]}\'',
        'UPDATE perturbed SET parameters = \'{"order":["A","B","C","Z"]}\'',
        "UPDATE perturbed SET parameters = '{\"order\":7}'",
    ],
)
def test_a_record_that_does_not_fit_is_refused(
    damage: str, request_of: Asking, release: Release
) -> None:
    outcome, _ = done(request_of("constant:B", "shuffled-options", limit=5), release)
    with RunStore.open(outcome.files["shuffled-options"], write=True) as store:
        store._connection.execute(damage)
        with pytest.raises(StoreError, match="shuffled-options"):
            asked_of(store, release)


def test_pictures_sent_are_those_of_the_receipts(request_of: Asking, release: Release) -> None:
    outcome, _ = done(request_of("radiomics", "mirror", limit=13), release)
    render = PictureRenderer(release.media_root)
    with RunStore.open(outcome.files["mirror"]) as store:
        asked = asked_of(store, release)
        for response in store.responses():
            item = asked.items[response.item]
            media: Iterator[Media] = iter(
                [*item.media, *(option.media for option in item.options if option.media)]
            )
            sent = [picture.receipt.sha256 for one in media for picture in render(one)]
            assert [receipt.sha256 for receipt in response.receipts] == sent
            assert all("then mirror" in receipt.window for receipt in response.receipts)


def test_misspelt_and_repeated_arms_cost_nothing(
    request_of: Asking, release: Release, tmp_path: Path
) -> None:
    for arms, match in ((("mirorr",), "mirror"), (("mirror", "mirror"), "each once")):
        with pytest.raises(UsageError, match=match):
            probe(request_of("constant:A", *arms), release=release, on_arm=quiet)
    assert not (tmp_path / "probe").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a folder"):
        probe(request_of("constant:A", folder=tmp_path / "file"), release=release, on_arm=quiet)


def test_a_server_that_dies_half_way_is_gone_on_with(request_of: Asking, release: Release) -> None:
    arms = ("no-image", "mirror")
    with FakeServer(read_script("letter=hash,die-after=30")) as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
        options = ModelOptions(base_url=server.base_url, timeout_s=2, max_retries=0, concurrency=1)
        request = request_of("chat:fake", *arms, limit=20, options=options)
        with pytest.raises(FatalModelError):
            probe(request, release=release, on_arm=quiet)
    with FakeServer(read_script("letter=hash"), port=port) as server:
        outcome, reading = done(request, release)
        asked = sum("chat" in seen.path for seen in server.seen)
    planned = sum(one.n_planned for one in outcome.outcomes.values())
    assert sum(one.n_failed for one in outcome.outcomes.values()) == 0
    assert planned - 30 <= asked <= planned - 30 + 2 * 3 + 6  # preflights, and what was under way
    assert set(arms_of(reading)) == set(arms)


KILLED = """
import sys
from overread.cli import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_killed_probe_goes_on_and_comes_to_the_same_end(
    root: Path, tmp_path: Path, release: Release, request_of: Asking
) -> None:
    model, arms = "fake:letter=hash,delay=0.02", ("mirror", "shuffled-options")
    folder = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, "probe", "ct-bench", str(root), "--model", model,
         "--limit", "20", "--only", arms[0], "--only", arms[1], "--concurrency", "2",
         "--no-canary", "--out", str(folder)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (folder / "mirror.sqlite").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)  # until a batch of answers is stored
    process.kill()
    assert process.wait() == -signal.SIGKILL
    with RunStore.open(folder / "mirror.sqlite") as store:
        kept, drawn = store.answered(), store.parameters()
    assert len(drawn) == 20
    assert len(kept) < 20
    options = ModelOptions(concurrency=2)
    resumed, _ = done(request_of(model, *arms, limit=20, folder=folder, options=options), release)
    straight, _ = done(request_of(model, *arms, limit=20, options=options), release)
    assert resumed.outcomes[ORIGINAL].n_asked == 0
    assert resumed.outcomes["mirror"].n_asked == 20 - len(kept)
    for arm in (ORIGINAL, *arms):
        with RunStore.open(resumed.files[arm]) as one, RunStore.open(straight.files[arm]) as two:
            assert one.scores() == two.scores()
            assert one.plan() == two.plan()
            assert one.parameters() == two.parameters()
            assert kept <= one.answered() or arm != "mirror"

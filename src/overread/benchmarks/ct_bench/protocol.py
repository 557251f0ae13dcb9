"""How CT-Bench asks and scores: chat wording, scorers of both profiles, plan, printed numbers.

The wording follows the form of the released chat script (a system turn that casts the model as a
radiologist; a user turn with the question, lettered options and a request for a JSON object with
`selected_option` and `explanation`; temperature 0, up to 1,000 tokens); the sentences are ours.

Captions follow the form of the released caption script: one user turn, words first, then the
picture. Its two prompts differ from each other (one says that a box is drawn, the other does not)
and both end with the lesion's number, which is left out here: it says nothing about the picture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from overread.benchmarks.ct_bench import layout
from overread.contracts import AlsoMetric, AnalysisPlan, Card, ExpectedCount, Scorer
from overread.metrics.facts import BY_MODEL, BY_RULE
from overread.records import Item, Media, Option, Part, Profile, PublishedValue, Status
from overread.scoring.caption_scorer import CAPTION_MEASURES, caption_scorers
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.scorer import FactScorer
from overread.scoring.honest_choice import read_choice
from overread.scoring.published.ct_bench import read_ct_bench_script

__all__ = [
    "CAPTION",
    "CAPTION_PLAN",
    "CAPTION_QUESTION",
    "PLAN",
    "caption_prompt",
    "card",
    "chat_prompt",
    "expected_counts",
    "notes",
    "plan_for",
    "published_values",
    "reworded",
    "scorers",
    "stem",
]

_SYSTEM: Final = (
    "You are a radiologist reading a CT examination. Answer the question about the picture."
)
_REQUEST: Final = (
    "Answer with one JSON object and nothing else:\n"
    '{"selected_option": "<letter of the option>", "explanation": "<one sentence>"}'
)
CAPTION: Final = "caption"
"""Beside the exam, asked only by name: its items come from the lesion set."""
CAPTION_QUESTION: Final = "Describe the lesion in this CT image in one sentence."
_CAPTION_REQUEST: Final = (
    "Describe the lesion in one sentence, as the findings of a radiology report would: what it is, "
    "in which organ and on which side, its size in mm or cm, and how it looks. Left is the "
    "patient's left. Answer with the sentence alone."
)
_SHOWN: Final = {
    True: "In this slice of a CT examination, a radiologist has drawn a box around a lesion.",
    False: "This slice of a CT examination shows a lesion.",
}
_TASKS: Final[Mapping[str, str]] = {
    "img2txt": "one slice: which description fits?",
    "ct2txt": "nine slices: which description fits?",
    "txt2img": "a description: which picture shows it?",
    "txt2bbox": "a description: in which picture is the right place boxed?",
    "img2attrib": "one slice: which attributes fit?",
    "ct2attrib": "nine slices: which attributes fit?",
    "img2size": "one slice: which size fits?",
    CAPTION: "one slice of the lesion set: describe the lesion in a sentence (asked by name)",
}
_BOX_OF: Final[Mapping[str, str]] = {"nobox": "no-box", "bbox": "box"}

PLAN: Final = AnalysisPlan(
    strata=((), ("box",), ("task",), ("task", "box")),
    cells=("task", "box"),
    cluster="patient",
    # The chat script prints a call that raises and goes on, so that its denominator shrinks. What a
    # host refuses raises as well: as an error status, or as a message without text.
    published_drops=(Status.FAILED, Status.REFUSED),
)

_CAPTION_ALSO: Final = (
    # Of facts that a model has read, where one was asked to; as the headline is counted.
    AlsoMetric(
        metric=BY_MODEL.score.name, profiles=("honest",), drops=(Status.UNDEFINED,), is_share=True
    ),
    # An error is one of a caption that names a side or an organ where the reference does: one that
    # is silent, and a reply that failed, is none and no proof of care.
    *(
        AlsoMetric(metric=spec.name, profiles=("honest",), drops=tuple(Status)[1:], is_share=True)
        for metrics in (BY_RULE, BY_MODEL)
        for spec in (metrics.side_error, metrics.organ_error)
    ),
    *(AlsoMetric(metric=metric, profiles=("published",)) for metric in CAPTION_MEASURES),
)

CAPTION_PLAN: Final = AnalysisPlan(
    strata=((), ("box",)),
    cells=("box",),
    cluster="patient",
    headline=BY_RULE.score.name,
    also=_CAPTION_ALSO,
    # All lesions of a patient are described, and each of them with its box and without.
    cells_are_independent=False,
)
"""Captions by themselves: what of the facts is right comes first, likeness of words after it."""


def plan_for(tasks: Collection[str]) -> AnalysisPlan:
    """Give the plan of a run of these tasks.

    Questions of choice have `PLAN`, captions `CAPTION_PLAN`. Where both are asked, accuracy of the
    questions leads, and what captions score stands beside it over captions alone.
    """
    questions = tuple(sorted(set(tasks) - {CAPTION}))
    if CAPTION not in tasks:
        return PLAN
    if not questions:
        return CAPTION_PLAN
    facts = AlsoMetric(
        metric=CAPTION_PLAN.headline,
        profiles=("honest",),
        is_share=True,  # a caption that never came scores 0, as where captions lead
    )
    return replace(
        PLAN,
        headline_only={"task": questions},
        also=tuple(
            replace(also, only={"task": (CAPTION,)}) for also in (facts, *CAPTION_PLAN.also)
        ),
    )


def stem(task: str, description: str | None) -> str:
    """Word a question for an entry that has none (the image-text format holds bare texts)."""
    worded = layout.LLM_QUESTIONS.get(task, "Which option is right?")
    return worded.replace("{text}", description or "").strip()


_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "The readers answered 100 cases of the exam, models all of it: compare their intervals, "
        "not their digits.",
        "One key slice or nine around it are shown, never the whole scan.",
    ),
    "synthetic": (
        "This release is synthetic: phantoms with drawn lesions. Its numbers show that the way "
        "from release to report works, and say nothing about reading real CT.",
        "Published models and readers stand beside it for the layout only: they answered the real "
        "exam.",
    ),
    "built": (
        "This release was built from another lesion table: it asks what that table knows, and no "
        "published number of CT-Bench belongs beside it.",
        "One key slice or nine around it are shown, never the whole scan.",
    ),
}


def notes(origin: Literal["published", "synthetic", "built"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


def chat_prompt(
    question: str, options: Sequence[Option], media: Sequence[Media]
) -> tuple[Part, ...]:
    """Word an item for a chat model: words first, then the pictures, as the script does."""
    lines = [question, "Options:"]
    lines += [f"{option.letter}: {option.text or f'Image {option.letter}'}" for option in options]
    parts = [
        Part(role="system", text=_SYSTEM),
        Part(text="\n".join([*lines, _REQUEST])),
        *(Part(media=one) for one in media),
    ]
    for option in options:
        if option.media is not None:
            parts += [Part(text=f"Image {option.letter}:"), Part(media=option.media)]
    return tuple(parts)


def caption_prompt(media: Media | None, *, boxed: bool) -> tuple[Part, ...]:
    """Word a caption item for a chat model: one user turn, words first, then the picture."""
    words = Part(text=f"{_SHOWN[boxed]}\n{_CAPTION_REQUEST}")
    return (words,) if media is None else (words, Part(media=media))


def reworded(item: Item, *, described: bool) -> Item:
    """Word the prompt of an item anew from what it says and shows now.

    Parameters
    ----------
    item
        An item with something changed in it; one without its question asks about options alone.
    described
        Its question is the bare description of the image-text format.
    """
    if item.task == CAPTION:
        boxed = item.condition.partition("+")[0] == "box"
        shown = item.media[0] if item.media else None
        return replace(item, prompt=caption_prompt(shown, boxed=boxed))
    worded = stem(item.task, item.question) if described else item.question or stem("", None)
    return replace(item, prompt=chat_prompt(worded, item.options, item.media))


def scorers(profile: Profile, terms: Callable[[Item], OntologyTerms | None]) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: of questions by the script's reading or the careful one.

    Captions are likened as the released script does, or their facts are read and compared with the
    description and, where that is silent, with the tables' `terms` of the lesion.
    """
    if profile == "published":
        return (
            ChoiceScorer(profile=profile, reader=read_ct_bench_script),
            *caption_scorers(profile),
        )
    return (
        ChoiceScorer(profile=profile, reader=read_choice),
        FactScorer(profile=profile, terms=terms),
    )


@cache
def card() -> Card:
    """Give the benchmark's card."""
    return Card(
        name="ct-bench",
        title="CT-Bench: a lesion exam on CT",
        protocol_version="1",
        licence="CC BY-NC-SA 4.0 (data)",
        access="open download, about 15 GB",
        tasks=_TASKS,
        asked_by_name=(CAPTION,),
        conditions=("no-box", "box"),
        stacks=("images", "mosaic", "features"),
        splits=("test", "validation"),
        unit="lesion",
        synthetic_size=240,
        sources=("arXiv 2602.14879", "MELBA 2026:036", "DeepLesion: arXiv 1710.01766"),
    )


@cache
def expected_counts() -> tuple[ExpectedCount, ...]:
    """Count the questions of a complete release: 900 + 1,000 in test, half in validation."""
    return tuple(
        ExpectedCount(
            stratum={"task": setting.task, "box": _BOX_OF[setting.bbox_type]}, split=split, n=n
        )
        for setting in layout.SETTINGS
        for split, n in (("test", setting.test), ("validation", setting.validation))
    )


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the printed numbers of models, and the readers as counts."""
    text = (resources.files("overread.benchmarks.ct_bench") / "published.toml").read_text(
        encoding="utf-8"
    )
    published: dict[str, Any] = tomllib.loads(text)
    return tuple(
        PublishedValue(
            metric=row.get("metric", "accuracy"),
            stratum={key: cell[key] for key in ("task", "box") if key in cell},
            who=row["who"],
            kind=row["kind"],
            value=cell["value"] if "value" in cell else cell["count"] / cell["n"],
            count=cell.get("count"),
            n=cell.get("n"),
            source=published["sources"][row["source"]],
        )
        for row in published["row"]
        for cell in row["cells"]
    )

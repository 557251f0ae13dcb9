"""What is missing or odd in the questions of a CT-Bench release and in their pictures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from overread.benchmarks.ct_bench.files import ReleaseFiles
from overread.benchmarks.ct_bench.index import LesionIndex
from overread.benchmarks.ct_bench.questions import Question
from overread.contracts import Form
from overread.records import Finding, Severity

__all__ = ["id_findings", "key_slice_findings", "picture_findings", "question_findings"]

_OWN_CLUSTER: Final = "its lesion is taken as a cluster of its own"
_EFFECTS: Final[Mapping[str, str]] = {
    "unusable-answer": "it stays in the denominator and cannot be scored",
    "no-options": "it is not asked, fails, and stays in the denominator",
    "no-picture": "it is asked without a picture",
    "unknown-patient": _OWN_CLUSTER,
    "unknown-lesion": _OWN_CLUSTER,
    "odd-split": "its split is taken from its picture's path, its lesion or its picture's folder",
    "odd-box": "whether a box is drawn is taken from its task or its picture's path",
    "train-question": "neither test nor validation counts it",
}


def question_findings(questions: Iterable[Question], index: LesionIndex) -> Iterator[Finding]:
    """Report odd entries: one finding for each kind, with how many questions it stands for."""
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for question in questions:
        for oddity in question.oddities:
            code, _, evidence = oddity.partition(": ")
            places[code, evidence].append(question.place)
        if question.problem:
            places["unusable-answer", question.problem].append(question.place)
        if question.split == "train":
            places["train-question", "its split is train, and the exam has none"].append(
                question.place
            )
        if question.box == "unknown":
            places["unknown-box", "bbox_type does not say it"].append(question.place)
        lesion = index.lesions.get(question.lesion)
        if lesion is None:
            places["unknown-lesion", "lesion_idx is in no table"].append(question.place)
        elif lesion.patient is None:
            places["unknown-patient", "no table names the patient"].append(question.place)
    for (code, evidence), where in places.items():
        yield Finding(
            severity=Severity.WARNING,
            code=code,
            where=_first(where),
            evidence=evidence,
            effect=_EFFECTS.get(code, ""),
            count=len(where),
        )


def id_findings(
    questions: Mapping[Form, Sequence[Question]], by_id: Mapping[Form, Mapping[str, Question]]
) -> Iterator[Finding]:
    """Report ids that several questions share, and questions without their twin of the other form.

    Parameters
    ----------
    questions
        What each question file holds.
    by_id
        The same by item id; a form whose file is absent has the questions of the other.
    """
    for form, asked in questions.items():
        yield from _repeats(form, asked)
        ids = Counter(question.qa_id for question in asked if question.qa_id)
        repeated = [qa_id for qa_id, count in ids.items() if count > 1]
        if repeated:
            yield Finding(
                severity=Severity.WARNING,
                code="duplicate-id",
                where=f"{form} questions: qa_id {_first(repeated)}",
                evidence="several questions share a qa_id",
                effect="each is asked; files of predictions keyed by qa_id are ambiguous",
                count=len(repeated),
            )
    differing = [item_id for item_id in by_id["clip"] if item_id.endswith("@clip")]
    if differing:
        yield Finding(
            severity=Severity.WARNING,
            code="forms-differ",
            where=_first(differing),
            evidence="the right letter or the options differ between qa_llm.json and qa_clip.json",
            effect="these questions are not paired between chat models and image-text scorers",
            count=len(differing),
        )
    named = {form: {one.removesuffix("@clip") for one in ids} for form, ids in by_id.items()}
    for form, other, file in (("chat", "clip", "qa_clip.json"), ("clip", "chat", "qa_llm.json")):
        alone = sorted(named[form] - named[other])
        if alone:
            yield Finding(
                severity=Severity.WARNING,
                code="one-form-only",
                where=_first(alone),
                evidence=f"these questions are not in {file}",
                effect=f"models of the form {other} are not asked them: totals of the two forms "
                "have different denominators",
                count=len(alone),
            )


def key_slice_findings(index: LesionIndex, files: ReleaseFiles) -> Iterator[Finding]:
    """Report lesions without a key slice, and how the release spells those that are there."""
    spellings = files.lesion_spellings()
    if spellings:
        yield Finding(
            severity=Severity.INFO,
            code="key-slice-names",
            where="lesion_bbox and lesion_nobox",
            evidence=f"key slices are spelt {' and '.join(spellings)}",
        )
    lacking = [each for each in index.lesions if not files.lesion_pictures(each)]
    if lacking:
        yield Finding(
            severity=Severity.WARNING,
            code="missing-key-slice",
            where=_first([f"lesion {each}" for each in lacking]),
            evidence="neither lesion_bbox nor lesion_nobox holds a picture of it",
            effect="readers that learn from training lesions do without it",
            count=len(lacking),
        )


def _repeats(form: Form, asked: Sequence[Question]) -> Iterator[Finding]:
    """Report questions that stand in a file twice, word for word and picture for picture."""
    seen: set[tuple[object, ...]] = set()
    again: list[str] = []
    for question in asked:
        what = (
            question.split, question.name, question.text, question.option_texts,
            question.picture_paths,
        )  # fmt: skip
        if what in seen:
            again.append(question.place)
        seen.add(what)
    if again:
        yield Finding(
            severity=Severity.WARNING,
            code="repeated-question",
            where=_first(again),
            evidence=f"these {form} questions stand in the file more than once",
            effect="each is asked and counted: they are no independent questions",
            count=len(again),
        )


def picture_findings(
    questions: Iterable[Question], files: ReleaseFiles, *, thorough: bool
) -> Iterator[Finding]:
    """Report pictures that are absent, broken, too large, or outside the release."""
    asked = [
        (question.place, files.locate(question, raw))
        for question in questions
        for raw in question.picture_paths
    ]
    by_code: dict[str, dict[str, str]] = defaultdict(dict)
    for path, (code, evidence) in files.problems(
        {path for _, path in asked}, thorough=thorough
    ).items():
        by_code[code][path] = evidence
    for code, bad in by_code.items():
        places = {place for place, path in asked if path in bad}
        shown = [f"{path} ({why})" if why else path for path, why in sorted(bad.items())]
        yield Finding(
            severity=Severity.ERROR,
            code=code,
            where=_first(shown),
            evidence=f"{len(bad)} picture files of {len(places)} questions",
            effect="these questions are not asked, fail, and stay in the denominator",
            remedy="Download the release's picture archives again and unpack them in place.",
            count=len(bad),
        )


def _first(where: Sequence[str]) -> str:
    return where[0] if len(where) == 1 else f"{where[0]} and {len(where) - 1} more"

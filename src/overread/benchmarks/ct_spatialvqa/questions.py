"""The questions of a CT-SpatialVQA release, read from whichever of its files there are.

Three files hold the same pairs: by case, by case with categories, and row by row. The first that
can be read gives the questions and their order; categories are joined by case, question and
answer, never by place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.reading import (
    RepeatedKey,
    entries_of,
    read_json,
    read_json_lines,
    read_text,
    text_of,
)
from overread.errors import ReleaseError, expected
from overread.records import Finding, Severity
from overread.store.hashes import sha256_text

__all__ = ["Question", "QuestionFiles", "read_pairs", "read_question_files"]

_FILES: Final = (layout.QUESTIONS_FILE, layout.CATEGORIES_FILE, layout.ROWS_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One pair of the release."""

    id: str
    """``CASE::INDEX``, as in the released matrix; ``#2`` marks a case that stands twice."""
    case: str
    question: str
    answer: str | None
    """None where the file has no text for it (see `problem`)."""
    problem: str | None = None
    labels: tuple[str, ...] = ()
    """Categories as released, misspellings included."""
    place: str
    """Where it stands in its file, for messages."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories under their usual names, each once."""
        names = (layout.MISSPELT_CATEGORIES.get(label, label) for label in self.labels)
        return tuple(dict.fromkeys(names))

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells pairs apart in every file: stem of the case, question, answer."""
        return layout.case_stem(self.case), self.question, self.answer or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFiles:
    """What the question files hold."""

    questions: tuple[Question, ...]
    findings: tuple[Finding, ...]
    digests: dict[str, str]
    """File → SHA-256 of its text, for those that can be read."""


def read_question_files(root: Path) -> QuestionFiles:
    """Read the questions of a release and their categories.

    Raises
    ------
    ReleaseError
        None of the three files holds a question that can be asked.
    """
    problems: dict[str, str] = {}
    findings: list[Finding] = []
    digests: dict[str, str] = {}
    read: dict[str, tuple[Question, ...]] = {}
    for name in _FILES:
        try:
            odd: list[Finding] = []
            read[name] = read_pairs(root, name, odd)
            digests[name] = sha256_text(read_text(root, name))
            # Each file repeats the pairs of the first: so do their odd entries.
            findings += odd if not any(read[one] for one in list(read)[:-1]) else []
        except ReleaseError as error:
            problems[name] = str(error)
    source = next((name for name in _FILES if read.get(name)), None)
    if source is None:
        raise ReleaseError(
            expected(
                "RELEASE",
                rule=f"a CT-SpatialVQA release with {layout.QUESTIONS_FILE}",
                got=f"{root} ({'; '.join(problems.values()) or 'no question in any file'})",
                remedy="Point at the folder that holds it; 'overread synth ct-spatialvqa OUT' "
                "writes a synthetic release.",
            )
        )
    questions = read[source]
    labelled = read.get(layout.CATEGORIES_FILE, ())
    if labelled and source != layout.CATEGORIES_FILE:
        questions, unmatched = _with_labels(questions, labelled)
        findings += unmatched
    findings += _absent(root, problems, source)
    return QuestionFiles(questions=questions, findings=tuple(findings), digests=digests)


def read_pairs(root: Path, name: str, findings: list[Finding]) -> tuple[Question, ...]:
    """Read one file of pairs, in its order; what cannot be asked becomes one finding.

    Raises
    ------
    ReleaseError
        The file cannot be read, or it is not made of cases with pairs.
    """
    entries = _rows_by_case(root, name) if name.endswith(".jsonl") else _cases(root, name)
    asked: list[Question] = []
    odd: list[str] = []
    seen: Counter[str] = Counter()
    for case, pairs in entries:
        seen[case] += 1
        for index, entry in enumerate(pairs):
            place = f"{name}: {case}[{index}]"
            question = _question(case, index, seen[case], entry, place)
            if question is None:
                odd.append(place)
            else:
                asked.append(question)
    if odd:
        findings.append(
            Finding(
                severity=Severity.ERROR,
                code="unusable-question",
                where=_first(odd),
                evidence="these entries have no question in words",
                effect="they cannot be asked and are in no denominator",
                count=len(odd),
            )
        )
    return tuple(asked)


def _question(case: str, index: int, turn: int, entry: object, place: str) -> Question | None:
    fields = entries_of(entry)
    question, answer = text_of(fields.get("question")), text_of(fields.get("answer"))
    if question is None or not question.strip():
        return None
    usable = answer is not None and bool(answer.strip())
    return Question(
        id=f"{case}::{index}" + (f"#{turn}" if turn > 1 else ""),
        case=case,
        question=question,
        answer=answer if usable else None,
        problem=None if usable else "the release has no answer in words",
        labels=tuple(_labels(fields.get("category"))),
        place=place,
    )


def _labels(value: object) -> Iterator[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    for label in values:
        if isinstance(label, str) and label.strip():
            # A semicolon parts the labels of one item, and no category has one.
            yield label.strip().replace(";", ",")


def _cases(root: Path, name: str) -> Iterator[tuple[str, list[object]]]:
    """Give each case with its pairs; a case that stands twice comes twice."""
    document = read_json(root, name)
    if not isinstance(document, dict):
        raise _shapeless(name, type(document).__name__)
    for case, value in cast("dict[str, object]", document).items():
        for one in value.values if isinstance(value, RepeatedKey) else (value,):
            pairs = entries_of(one).get("qa_pairs", one)
            yield case, cast("list[object]", pairs) if isinstance(pairs, list) else [None]


def _rows_by_case(root: Path, name: str) -> Iterator[tuple[str, list[object]]]:
    cases: dict[str, list[object]] = {}
    for number, row in read_json_lines(root, name):
        case = text_of(entries_of(row).get("case_id"))
        cases.setdefault(case or f"line {number}", []).append(row if case else None)
    yield from cases.items()


def _with_labels(
    questions: Sequence[Question], labelled: Iterable[Question]
) -> tuple[tuple[Question, ...], list[Finding]]:
    """Join categories by key; pairs of one key take theirs in order."""
    waiting: dict[tuple[str, str, str], list[Question]] = defaultdict(list)
    for one in labelled:
        waiting[one.key].append(one)
    joined: list[Question] = []
    without: list[str] = []
    for question in questions:
        found = waiting[question.key]
        if found:
            joined.append(replace(question, labels=found.pop(0).labels))
        else:
            without.append(question.id)
            joined.append(question)
    extra = [one.place for rest in waiting.values() for one in rest]
    findings = [
        Finding(
            severity=Severity.WARNING,
            code="categories-not-joined",
            where=_first(where),
            evidence=evidence,
            effect="results by category leave them out",
            count=len(where),
        )
        for where, evidence in (
            (without, f"these pairs are not in {layout.CATEGORIES_FILE}"),
            (extra, f"these pairs are not in {layout.QUESTIONS_FILE}"),
        )
        if where
    ]
    return tuple(joined), findings


def _absent(root: Path, problems: dict[str, str], source: str) -> Iterator[Finding]:
    """Report question files that cannot be read; an absent twin costs less than a broken one."""
    for name, problem in problems.items():
        if (root / name).exists():
            yield Finding(
                severity=Severity.ERROR,
                code="unreadable-questions",
                where=name,
                evidence=problem,
                effect=f"its pairs are taken from {source}",
            )
        elif name == layout.CATEGORIES_FILE:
            yield Finding(
                severity=Severity.WARNING,
                code="no-categories",
                where=name,
                evidence="not in the folder",
                effect="there are no results by category",
            )


def _shapeless(name: str, kind: str) -> ReleaseError:
    return ReleaseError(
        expected(
            name,
            rule="an object of cases, each with qa_pairs",
            got=f"a JSON {kind}",
            remedy="Download the release again.",
        )
    )


def _first(where: Sequence[str]) -> str:
    return where[0] if len(where) == 1 else f"{where[0]} and {len(where) - 1} more"

"""What a CT-SpatialVQA release ships beside its questions: predictions, votes, tables, human audit.

Rows keep the order of their files and are joined with nothing: how they were joined is for
`audits` to find out. A part that is absent is empty; a row that is no object keeps its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar, cast

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.audit_labels import read_audit_labels, read_disputed
from overread.benchmarks.ct_spatialvqa.questions import Question, QuestionFiles, read_pairs
from overread.benchmarks.ct_spatialvqa.reading import (
    entries_of,
    read_csv,
    read_json,
    read_json_lines,
    text_of,
)
from overread.contracts.replay import (
    AuditLabel,
    ReleasedPrediction,
    ReleasedPredictions,
    ReleasedQuestion,
    ReleasedVote,
    ReleasedVotes,
    Replay,
)
from overread.errors import ReleaseError, expected
from overread.records import Finding, PublishedValue, Severity

__all__ = ["ReplayFiles"]

T = TypeVar("T")

_TABLES: Final = (layout.JURY_FILE, layout.TEXT_METRICS_FILE)
_VOTES_FILE = re.compile(r"(?P<model>.+)_(?P<judge>[^_]+)_eval(?:_full)?\.json")
_JUDGES: Final = {"gemini2.5": "gemini"}
_TEXT_COLUMNS: Final[Mapping[str, str]] = {
    "sbert_cosine": "cosine",
    "bleu": "bleu",
    "rouge1_f": "rouge1",
    "rouge2_f": "rouge2",
    "rougeL_f": "rougeL",
    "meteor": "meteor",
}
"""Column of the released summary → our metric."""


class ReplayFiles:
    """Reads the parts of a release one by one, and notes what cannot be read."""

    def __init__(
        self, root: Path, questions: QuestionFiles, printed: Sequence[PublishedValue]
    ) -> None:
        self._root = root
        self._questions = questions.questions
        self._printed = printed
        self._findings = list(questions.findings)

    def read(self) -> Replay:
        """Read all parts, once: what is odd in them is noted on the way."""
        replay = Replay(
            questions=tuple(_released(question) for question in self._questions),
            candidates=self._part(layout.CANDIDATES_FILE, self._candidates, ()),
            predictions=tuple(self._predictions()),
            votes=tuple(self._votes()),
            published=(
                *self._printed,
                *self._part(layout.JURY_FILE, self._jury, ()),
                *self._part(layout.CATEGORY_FILE, self._by_category, ()),
                *self._part(layout.TEXT_METRICS_FILE, self._text_metrics, ()),
            ),
            matrix=self._part(layout.MATRIX_FILE, self._matrix, {}),
            audit=self._audit(),
            title_of=layout.MODEL_TITLES,
        )
        self._note_absent_rows(replay)
        return replace(replay, findings=tuple(self._findings))

    def _note_absent_rows(self, replay: Replay) -> None:
        """Note models that have numbers in a released file and whose rows were not released."""
        named = dict.fromkeys(cell.who for cell in replay.published if cell.source in _TABLES)
        titles = {model: layout.MODEL_TITLES.get(model, model) for model in _models(replay)}
        predicted = {titles[one.model] for one in replay.predictions}
        judges = dict.fromkeys(one.judge for one in replay.votes)
        judged = {(titles[one.model], one.judge) for one in replay.votes}
        if absent := [who for who in named if who not in predicted]:
            self._note_absent("predictions", layout.PREDICTIONS_FOLDER, absent)
        if absent := [
            f"{who} by {judge}" for who in named for judge in judges if (who, judge) not in judged
        ]:
            self._note_absent("verdicts", layout.VOTES_FOLDER, absent)

    def _part(self, name: str, read: Callable[[], T], absent: T) -> T:
        if not (self._root / name).exists():
            return absent
        try:
            return read()
        except ReleaseError as error:
            self._unreadable(name, error)
            return absent

    def _unreadable(self, name: str, error: ReleaseError) -> None:
        self._findings.append(
            Finding(
                severity=Severity.ERROR,
                code="unreadable-part",
                where=name,
                evidence=str(error),
                effect="nothing of it is used: its numbers are missing or told by other files",
            )
        )

    def _note(self, code: str, where: str, evidence: str, *, effect: str, count: int) -> None:
        self._findings.append(
            Finding(
                severity=Severity.WARNING,
                code=code,
                where=where,
                evidence=evidence,
                effect=effect,
                count=count,
            )
        )

    def _note_absent(self, what: str, where: str, absent: Sequence[str]) -> None:
        self._findings.append(
            Finding(
                severity=Severity.INFO,
                code="missing-rows",
                where=where,
                evidence=f"no {what} of {', '.join(absent)}",
                effect="their numbers cannot be recomputed",
                count=len(absent),
            )
        )

    # ------------------------------------------------------------ lists

    def _candidates(self) -> tuple[tuple[str, str, str], ...]:
        pairs = read_pairs(self._root, layout.CANDIDATES_FILE, self._findings)
        return tuple((pair.case, pair.question, pair.answer or "") for pair in pairs)

    def _predictions(self) -> Iterator[ReleasedPredictions]:
        ending = layout.PREDICTIONS_ENDING
        names = self._files(layout.PREDICTIONS_FOLDER)
        models = {name.removesuffix(ending): name for name in names if name.endswith(ending)}
        self._count_strange(layout.PREDICTIONS_FOLDER, set(names) - set(models.values()))
        for model in sorted(models, key=_table_order):
            file = f"{layout.PREDICTIONS_FOLDER}/{models[model]}"
            try:
                rows = [entries_of(row) for _, row in read_json_lines(self._root, file)]
            except ReleaseError as error:
                self._unreadable(file, error)
                continue
            self._count_odd(file, rows)
            yield ReleasedPredictions(
                model=model, file=file, rows=tuple(self._prediction(row) for row in rows)
            )

    def _prediction(self, row: Mapping[str, object]) -> ReleasedPrediction:
        return ReleasedPrediction(
            case=self._case(row),
            question=text_of(row.get("question")) or "",
            answer=text_of(row.get("answer")) or "",
            prediction=text_of(row.get("prediction")),
        )

    def _votes(self) -> Iterator[ReleasedVotes]:
        names = self._files(layout.VOTES_FOLDER)
        found = [
            (_table_order(match["model"]), _JUDGES.get(match["judge"], match["judge"]), match)
            for name in names
            if (match := _VOTES_FILE.fullmatch(name))
        ]
        self._count_strange(layout.VOTES_FOLDER, set(names) - {one[2].string for one in found})
        for _, judge, match in sorted(found, key=lambda one: one[:2]):
            file = f"{layout.VOTES_FOLDER}/{match.string}"
            try:
                rows = self._list(file)
            except ReleaseError as error:
                self._unreadable(file, error)
                continue
            self._count_odd(file, rows)
            yield ReleasedVotes(
                model=match["model"],
                judge=judge,
                file=file,
                rows=tuple(self._vote(row) for row in rows),
            )

    def _vote(self, row: Mapping[str, object]) -> ReleasedVote:
        verdict = row.get("is_correct")
        return ReleasedVote(
            case=self._case(row),
            question=text_of(row.get("question")) or "",
            answer=text_of(row.get("answer")) or "",
            prediction=text_of(row.get("prediction")),
            # Nothing but true and false is a verdict: no null, no NaN, no "yes", no 1.
            verdict=verdict if isinstance(verdict, bool) else None,
            reasoning=text_of(row.get("reasoning")),
        )

    def _case(self, row: Mapping[str, object]) -> str | None:
        """Give a row's case in the spelling of the questions, where its name is one of theirs."""
        told = text_of(row.get("case_id")) or text_of(row.get("image_path"))
        stem = layout.case_stem(told) if told else ""
        return self._spelling.get(stem, stem) or None

    @cached_property
    def _spelling(self) -> Mapping[str, str]:
        return {layout.case_stem(question.case): question.case for question in self._questions}

    def _files(self, folder: str) -> list[str]:
        path = self._root / folder
        if not path.is_dir():
            return []
        return sorted(one.name for one in path.iterdir() if not one.name.startswith("."))

    def _list(self, name: str) -> list[Mapping[str, object]]:
        """Read a file that holds a list of objects. ReleaseError where it holds something else."""
        document = read_json(self._root, name)
        if not isinstance(document, list):
            raise _shapeless(name, "a JSON list of records", f"a {type(document).__name__}")
        return [entries_of(row) for row in cast("list[object]", document)]

    def _count_strange(self, folder: str, names: Collection[str]) -> None:
        if names:
            self._note(
                "unknown-file",
                folder,
                f"no names of the release's form: {', '.join(sorted(names)[:3])}",
                effect="they are not looked at",
                count=len(names),
            )

    def _count_odd(self, file: str, rows: Sequence[Mapping[str, object]]) -> None:
        odd = [n for n, row in enumerate(rows) if not text_of(row.get("question"))]
        if odd:
            self._note(
                "odd-row",
                f"{file}[{odd[0]}]",
                "these rows name no question",
                effect="they keep their place and join nothing",
                count=len(odd),
            )

    # ------------------------------------------------------------ tables

    def _jury(self) -> tuple[PublishedValue, ...]:
        rows = self._list(layout.JURY_FILE)
        return tuple(self._values(layout.JURY_FILE, rows, {"llm_jury_accuracy": "jury_accuracy"}))

    def _text_metrics(self) -> tuple[PublishedValue, ...]:
        rows = self._list(layout.TEXT_METRICS_FILE)
        return tuple(self._values(layout.TEXT_METRICS_FILE, rows, _TEXT_COLUMNS))

    def _values(
        self, file: str, rows: Sequence[Mapping[str, object]], columns: Mapping[str, str]
    ) -> Iterator[PublishedValue]:
        for row in rows:
            model = (text_of(row.get("model")) or "").removesuffix("_full")
            count = row.get("count")
            for column, metric in columns.items():
                value = _number(row.get(column))
                if model and value is not None:
                    yield PublishedValue(
                        metric=metric,
                        stratum={},
                        who=layout.MODEL_TITLES.get(model, model),
                        kind="model",
                        value=value,
                        n=count if type(count) is int else None,
                        source=file,
                    )

    def _by_category(self) -> tuple[PublishedValue, ...]:
        return tuple(
            PublishedValue(
                metric="category_performance",
                stratum={"category": row["category"]},
                who=layout.MODEL_TITLES.get(model, model),
                kind="model",
                value=round(percent / 100, 6),
                n=int(row["count"]) if row.get("count", "").isdecimal() else None,
                source=layout.CATEGORY_FILE,
            )
            for row in self._table(layout.CATEGORY_FILE, key="category")
            if row.get("category")
            for model, cell in row.items()
            if model not in ("category", "count") and (percent := _number(cell)) is not None
        )

    def _table(self, name: str, *, key: str) -> tuple[dict[str, str], ...]:
        """Read a table of rows that have a key. ReleaseError where no row has one."""
        rows = read_csv(self._root, name)
        if not any(row.get(key) for row in rows):
            raise _shapeless(
                name, f"a table with a column {key}", ", ".join(rows[0]) if rows else "no row"
            )
        return rows

    def _matrix(self) -> dict[str, Mapping[str, float | None]]:
        matrix: dict[str, Mapping[str, float | None]] = {}
        twice: list[str] = []
        odd: list[str] = []
        for row in self._table(layout.MATRIX_FILE, key="question_id"):
            item = row.pop("question_id", "")
            if not item or item in matrix:
                twice.append(item or "a row without an id")
                continue
            matrix[item] = {model: _mean(cell) for model, cell in row.items()}
            odd += [item for cell in row.values() if cell.strip() and _mean(cell) is None]
        for code, where, evidence in (
            ("matrix-row-unused", twice, "rows without an id, or with that of a row before them"),
            ("odd-mean", odd, "cells are no share from 0 to 1"),
        ):
            if where:
                place = f"{layout.MATRIX_FILE}: {where[0]}"
                self._note(code, place, evidence, effect="they are left out", count=len(where))
        return matrix

    def _audit(self) -> tuple[AuditLabel, ...]:
        nowhere: frozenset[tuple[str, str, int]] = frozenset()
        file = layout.DISAGREEMENTS_FILE
        disputed = self._part(file, lambda: read_disputed(self._root), nowhere)
        return self._part(
            layout.PROGRESS_FILE, lambda: read_audit_labels(self._root, disputed=disputed), ()
        )


def _released(question: Question) -> ReleasedQuestion:
    return ReleasedQuestion(
        item=question.id,
        case=question.case,
        patient=layout.CaseName.of(question.case).patient,
        question=question.question,
        answer=question.answer or "",
        labels=question.labels,
    )


def _models(replay: Replay) -> set[str]:
    return {one.model for one in (*replay.predictions, *replay.votes)}


def _table_order(model: str) -> tuple[int, str]:
    """Put models in the order of the paper's table, others after them by name."""
    names = list(layout.MODEL_TITLES)
    return (names.index(model) if model in names else len(names), model)


def _shapeless(name: str, rule: str, got: str) -> ReleaseError:
    return ReleaseError(expected(name, rule=rule, got=got, remedy="Download the release again."))


def _number(value: object) -> float | None:
    """Give a finite number; None for an empty cell, words, NaN or an infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _mean(cell: str) -> float | None:
    """Give a mean of votes; None for an empty cell and for what can be no such mean."""
    mean = _number(cell)
    return mean if mean is not None and 0 <= mean <= 1 else None

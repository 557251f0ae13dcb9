"""Open answers by what was read in them: reference against reply, form by form.

A form of question belongs here when few answers are possible, as with sides or yes and no; where
every second reference is another one, a table would show nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.strata import is_within
from overread.contracts import AnalysisPlan
from overread.records import Item, PlannedItem, Reference, Score, Status, Text
from overread.report.data import ReportData, run_labels
from overread.report.letters import Cell, shaded
from overread.report.wording import count, percent, stratum_label
from overread.scoring.spatial.compare import canonical_answer

__all__ = [
    "OTHER",
    "UNREAD",
    "FormReading",
    "ReadForm",
    "ReadMatrix",
    "read_forms",
    "read_references",
    "summarise_readings",
]

OTHER: Final = "other"
"""Stands for all answers without a row of their own."""
UNREAD: Final = "not read"
"""Column of replies in which no answer was read, and of questions without a reply."""
_MOST_ANSWERS: Final = 6
_SHARE_SHOWN: Final = 0.9
"""A form is shown when its commonest references, so many as `_MOST_ANSWERS`, are this share."""
_LONGEST_NAME: Final = 12
"""Characters of an answer with a row of its own; longer ones name several facts."""
_RAREST: Final = 0.01
"""Share of a form's references that an answer with a row of its own has at least."""
_FEWEST: Final = 5
"""Questions of a form, below which a table is not worth its room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormReading:
    """One form of question of one run: references (rows) against what was read (columns)."""

    key: str
    """Of the stratum: ``form``."""
    form: str
    references: tuple[str, ...]
    """The commonest first; `OTHER` last where there are others."""
    answers: tuple[str, ...]
    """The references, then `OTHER` (an answer that is no row) and `UNREAD`."""
    counts: tuple[tuple[int, ...], ...]
    n_unreadable: int
    """Questions whose reference cannot be read; they are in no row."""


def read_references(
    items: Mapping[str, Item], references: Mapping[str, Reference]
) -> dict[str, str | None]:
    """Read the reference of every open question by rule: item id → its first fact, or None."""
    return {
        item_id: _first_fact(canonical_answer(item.question, answer))
        for item_id, item in items.items()
        if isinstance(item.answer_space, Text)
        and (answer := references[item_id].answer) is not None
        and references[item_id].problem is None
    }


def summarise_readings(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    read: Mapping[str, str | None],
    plan: AnalysisPlan,
) -> tuple[FormReading, ...]:
    """Count what was read against the references, for each form with few answers.

    Parameters
    ----------
    scores
        Score rows of one run.
    planned
        The run's plan; its stratum ``plan.cells[0]`` is the form.
    read
        From `read_references`.
    plan
        Names the headline and which questions it is about.

    Returns
    -------
    tuple of FormReading
        In the order in which forms appear; empty where no question is open.
    """
    if not read or not plan.cells:
        return ()
    key = plan.cells[0]
    rows = {
        (score.item, score.draw): score
        for score in scores
        if score.metric == plan.headline and score.profile == "honest" and score.target is None
    }
    pairs: dict[str, list[tuple[str | None, str]]] = {}
    for line in planned:
        score = rows.get((line.item, line.draw))
        if (
            score is None
            or key not in line.strata
            or not is_within(line.strata, plan.headline_only)
        ):
            continue
        right = read.get(line.item) if score.status is not Status.UNDEFINED else None
        pairs.setdefault(line.strata[key], []).append((right, _said(score)))
    found = [_form(key, form, of_form) for form, of_form in pairs.items()]
    return tuple(reading for reading in found if reading is not None)


def _first_fact(answer: str | None) -> str | None:
    """Keep what a form asks for: ``yes, both sides`` is a yes."""
    return answer.split(", ")[0] if answer else None


def _said(score: Score) -> str:
    return (_first_fact(score.answer) if score.status is Status.OK else None) or UNREAD


def _form(key: str, form: str, pairs: Sequence[tuple[str | None, str]]) -> FormReading | None:
    usual = Counter(right for right, _ in pairs if right is not None)
    short = [
        name
        for name, n in usual.most_common()
        if len(name) <= _LONGEST_NAME and n >= _RAREST * usual.total()
    ]
    names = short[:_MOST_ANSWERS]
    covered = sum(usual[name] for name in names)
    if len(names) < 2 or usual.total() < _FEWEST or covered < _SHARE_SHOWN * usual.total():
        return None
    counts = Counter(
        (right if right in names else OTHER, said if said in (*names, UNREAD) else OTHER)
        for right, said in pairs
        if right is not None
    )
    references = (*names, *((OTHER,) if covered < usual.total() else ()))
    answers = (*names, OTHER, UNREAD)
    return FormReading(
        key=key,
        form=form,
        references=references,
        answers=answers,
        counts=tuple(tuple(counts[row, column] for column in answers) for row in references),
        n_unreadable=len(pairs) - usual.total(),
    )


# ---------------------------------------------------------------- as shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMatrix:
    """One form of one run."""

    label: str
    colour: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], str], ...]
    """Reference, cells, how many questions."""
    n: str
    unreadable: str
    """How many references could not be read; empty when all could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadForm:
    """One form over all runs."""

    label: str
    matrices: tuple[ReadMatrix, ...]


def read_forms(data: ReportData) -> tuple[ReadForm, ...]:
    """Lay out the tables, form by form, the runs of each beside one another."""
    found: dict[tuple[str, str], list[ReadMatrix]] = {}
    for number, (run, label) in enumerate(
        zip(data.runs, run_labels(data.runs).values(), strict=True)
    ):
        for reading in run.readings:
            found.setdefault((reading.key, reading.form), []).append(
                _matrix(reading, label, number % 8)
            )
    return tuple(
        ReadForm(label=stratum_label({key: form}), matrices=tuple(matrices))
        for (key, form), matrices in found.items()
    )


def _matrix(reading: FormReading, label: str, colour: int) -> ReadMatrix:
    total = sum(map(sum, reading.counts))
    n_unreadable = reading.n_unreadable
    return ReadMatrix(
        label=label,
        colour=colour,
        columns=reading.answers,
        rows=tuple(
            (
                name,
                tuple(
                    Cell(
                        n=count(n),
                        shade=shaded(n, sum(counts)),
                        is_diagonal=answer == name != OTHER,
                        share=percent(n / sum(counts) if sum(counts) else None),
                    )
                    for answer, n in zip(reading.answers, counts, strict=True)
                ),
                count(sum(counts)),
            )
            for name, counts in zip(reading.references, reading.counts, strict=True)
        ),
        n=count(total),
        unreadable=count(n_unreadable) if n_unreadable else "",
    )

"""Finds the row of an item by its keys, and refuses what fits more than once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from overread.errors import listed
from overread.models.predictions.rows import Row, case_stem
from overread.records import Finding, Item, Severity

__all__ = ["Join", "Joined"]

_SHOWN_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The row of an item, or why there is none."""

    row: Row | None
    reason: str | None


@dataclass(slots=True)
class Join:
    """The rows of a file by key.

    Which items there are decides whether a row without a box type fits one of them or two, so
    `announce` should be told of all of them first. Without it a row goes to the first item that
    asks for it, and every other item is refused it.
    """

    rows: Sequence[Row]
    _by_id: dict[str, list[Row]] = field(init=False)
    _by_qa_id: dict[str, list[Row]] = field(init=False)
    _by_lesion: dict[tuple[str, str], list[Row]] = field(init=False)
    _by_case: dict[tuple[str, str], list[Row]] = field(init=False)
    _by_case_task: dict[tuple[str, str], list[Row]] = field(init=False)
    _claims: dict[str, dict[str, None]] = field(init=False)
    _refused: dict[str, str] = field(init=False)
    _knows_items: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._by_id, self._by_qa_id = defaultdict(list), defaultdict(list)
        self._by_lesion, self._by_case = defaultdict(list), defaultdict(list)
        self._by_case_task = defaultdict(list)
        self._claims = defaultdict(dict)
        self._refused = {}
        for row in self.rows:
            if row.id:
                self._by_id[row.id].append(row)
            elif row.qa_id:
                self._by_qa_id[row.qa_id].append(row)
            elif row.lesion and row.task:
                self._by_lesion[row.lesion, row.task].append(row)
            elif row.case and row.question:
                self._by_case[row.case, _words(row.question)].append(row)
            elif row.case and row.task:
                self._by_case_task[row.case, row.task].append(row)

    def announce(self, items: Iterable[Item]) -> None:
        """Hear of every item that will be asked for."""
        self._knows_items = True
        for item in items:
            for row in self._fitting(item):
                self._claims[row.place][item.id] = None

    def find(self, item: Item, *, draw: int) -> Joined:
        """Find the one row of an item."""
        rows = [row for row in self._fitting(item) if row.draw == draw]
        if not rows:
            reason = "not in the file" if draw == 0 else f"not in the file (draw {draw})"
            return Joined(row=None, reason=reason)
        for row in rows:
            self._claims[row.place][item.id] = None
        if len({row.answer for row in rows}) > 1:
            return self._refuse(item, _several_rows(rows))
        others = [other for other in self._claims[rows[0].place] if other != item.id]
        # Rows that all say the same may serve as many items as they are.
        if len(others) >= len(rows):
            return self._refuse(item, _several_items(rows[0], [item.id, *others]))
        return Joined(row=rows[0], reason=None)

    def findings(self) -> Iterator[Finding]:
        """Report what was odd in the file, as far as items have been announced or asked for."""
        yield from _summed(
            "prediction-without-key",
            [row.place for row in self.rows if not row.is_keyed],
            effect="these rows answer nothing",
            remedy="Give each row item, qa_id, lesion_idx with q_type, or case_id with question.",
        )
        repeated = [
            f"{rows[0].place} and {rows[1].place}"
            for table in (
                self._by_id.values(),
                self._by_qa_id.values(),
                self._by_case.values(),
                self._by_case_task.values(),
            )
            for rows in table
            if len({row.draw for row in rows}) < len(rows)
        ]
        yield from _summed(
            "duplicate-prediction",
            repeated,
            effect="where two rows of a key differ, their question counts as failed",
            remedy="Keep one row a question.",
        )
        yield from _summed(
            "ambiguous-prediction",
            [f"{item}: {reason}" for item, reason in self._refused.items()],
            effect="these questions count as failed",
            remedy="Add bbox_type, split or the item's id to the rows.",
        )
        if self._knows_items or self._claims:
            yield from _summed(
                "unknown-prediction",
                [
                    row.place
                    for row in self.rows
                    if row.is_keyed and not self._claims.get(row.place)
                ],
                effect="these rows name no question that was asked",
                remedy="Compare their keys with the ids of 'overread check'.",
            )

    def _fitting(self, item: Item) -> list[Row]:
        if rows := self._by_id.get(item.id):
            return rows
        groups = item.groups
        lesion = groups.get("lesion") or groups.get("lesion_idx") or ""
        numbered = self._by_qa_id.get(groups.get("qa_id", ""), ())
        # A release may number two questions alike, each split from 1 for instance.
        if rows := [row for row in numbered if _agrees(row, item, lesion) and _fits(row, item)]:
            return rows
        if case := groups.get("case"):
            asked = self._by_case.get((case_stem(case), _words(item.question)), ())
            asked = (*asked, *self._by_case_task.get((case_stem(case), item.task), ()))
            if rows := [row for row in asked if _fits(row, item)]:
                return rows
        return [row for row in self._by_lesion.get((lesion, item.task), ()) if _fits(row, item)]

    def _refuse(self, item: Item, reason: str) -> Joined:
        self._refused[item.id] = reason
        return Joined(row=None, reason=reason)


def _agrees(row: Row, item: Item, lesion: str) -> bool:
    """Whether the lesion and the task that a row names beside its number are the item's."""
    return row.lesion in (None, lesion) and row.task in (None, item.task)


def _fits(row: Row, item: Item) -> bool:
    box = item.strata.get("box") or item.condition.partition("+")[0]
    if row.box is not None and row.box != box:
        return False
    if row.split is not None and row.split != item.strata.get("split", row.split):
        return False
    if row.question is not None and _words(row.question) != _words(item.question):
        return False
    return row.choices is None or row.choices == _choices_of(item)


def _choices_of(item: Item) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((option.letter, (option.text or "").strip()) for option in item.options))


def _words(text: str) -> str:
    return " ".join(text.split())


def _several_rows(rows: Sequence[Row]) -> str:
    places = ", ".join(row.place for row in rows[:_SHOWN_PLACES])
    return f"{len(rows)} rows of the file fit it and differ ({places})"


def _several_items(row: Row, items: Sequence[str]) -> str:
    names = ", ".join(items[:_SHOWN_PLACES])
    return f"{row.place} of the file fits {len(items)} questions ({names}): nothing says which"


def _summed(code: str, places: Sequence[str], *, effect: str, remedy: str) -> Iterator[Finding]:
    if not places:
        return
    yield Finding(
        severity=Severity.WARNING,
        code=code,
        where="predictions",
        evidence=listed(places, most=_SHOWN_PLACES, between="; "),
        effect=effect,
        remedy=remedy,
        count=len(places),
    )

"""The best blind score of a new exam, and which questions give themselves away."""

from __future__ import annotations

from overread.analysis.blind_floor import BlindFloor, blind_floors, find_floor
from overread.builders.retrieved_exam.checks import BlindCheck, Leak, is_beyond_luck
from overread.contracts import Release, Selection

__all__ = ["check_blind"]

_SPLITS = ("test", "validation")
_STRATA = ((), ("task",))
_EXCESS = 1e-9


def check_blind(release: Release) -> tuple[BlindCheck, ...]:
    """Score what can be scored without looking, split by split.

    A split leaks when a rule passes over all its questions the mark that luck does not pass on 39
    of 40 fair exams (see `analysis.blind_floor`); and when a rule does so in one task, by more than
    luck explains for any rule in any task (the binomial band, by Bonferroni). Less in one task
    alone is a doubt: of a dozen tasks one may pass its mark by luck.
    """
    found: list[BlindCheck] = []
    for split in _SPLITS:
        items = tuple(release.items(Selection(split=split)))
        references = {item.id: release.reference(item.id) for item in items}
        floors = blind_floors(items, references, _STRATA, cluster=release.plan().cluster)
        best = find_floor(floors, {})
        if best is None:
            continue
        by_task = [floor for floor in floors if floor.stratum]
        leaks: list[Leak] = []
        doubts: list[Leak] = []
        for floor in (floor for floor in floors if floor.is_leak):
            is_certain = not floor.stratum or is_beyond_luck(
                floor.value, floor.n, chance=floor.chance, n_looked_at=len(by_task)
            )
            (leaks if is_certain else doubts).append(_leak(split, floor))
        found.append(
            BlindCheck(
                split=split,
                policy=best.policy,
                value=best.value,
                low=best.low,
                high=best.high,
                n=best.n,
                chance=best.chance,
                mark=best.chance_best_high,
                leaks=tuple(leaks),
                doubts=tuple(doubts),
            )
        )
    return tuple(found)


def _leak(split: str, floor: BlindFloor) -> Leak:
    return Leak(
        split=split,
        where=floor.stratum.get("task", "all questions"),
        policy=floor.policy,
        value=floor.value,
        n=floor.n,
        mark=floor.chance_best_high,
        questions=_given_away(floor),
    )


def _given_away(floor: BlindFloor) -> tuple[str, ...]:
    return tuple(item for item, credit in floor.credit.items() if credit > floor.chance + _EXCESS)

"""What answers given to one edition of a benchmark score by the key of the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.plans import plan_of
from overread.analysis.verdicts import join_verdicts
from overread.audits.editions import AskedItem, changed_items, read_edition
from overread.contracts import Release, Selective
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Response, Score

__all__ = ["CarriedAnswers", "carry_over"]

_ASKED_OTHERWISE: Final = frozenset(
    ("options", "order of options", "question", "picture", "prompt")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedAnswers:
    """Scores of one run's answers, by what became of their questions. A missing answer is wrong."""

    metric: str
    profile: Profile
    n_old: int
    old: float
    """Over the questions that were asked, by the old edition."""
    n_shared: int
    old_on_shared: float | None
    """Over those that the new edition still has, by the old edition; None where it has none."""
    new_on_shared: float | None
    """Over the same, by the new edition's answers and scorers."""
    n_asked_otherwise: int
    """How many of the shared ones the new edition asks in other words, options or pictures: their
    answers were given to another question."""
    n_new: int
    """Questions of the new edition in the splits that were asked: what old answers do not fill."""


def carry_over(
    planned: Sequence[PlannedItem],
    responses: Sequence[Response],
    old: Release,
    new: Release,
    *,
    profile: Profile = "honest",
) -> CarriedAnswers:
    """Score the answers of a run on the old edition by the new one's key.

    Parameters
    ----------
    planned, responses
        The plan of the run, and the responses that count for it.
    old, new
        The two editions.
    profile
        Whose scorers.

    Raises
    ------
    UsageError
        Nothing of the plan stands in the old edition.
    """
    before, after = read_edition(old), read_edition(new)
    asked = [line for line in planned if line.item in before]
    if not asked:
        raise UsageError(
            expected(
                "--run",
                rule="a run over the old edition",
                got=f"{len(planned)} questions, none of them in it",
                remedy="Name first the edition that the run was made on.",
            )
        )
    given = {(one.item, one.draw): one for one in responses}
    shared = [line for line in asked if line.item in after]
    splits = {before[line.item].split for line in asked}
    otherwise = {
        change.item
        for change in changed_items(before, after)
        if not _ASKED_OTHERWISE.isdisjoint(change.changed)
    }
    score = _mean(asked, given, before, old, profile)
    assert score is not None  # something was asked
    return CarriedAnswers(
        metric=plan_of(old, asked).headline,
        profile=profile,
        n_old=len(asked),
        old=score,
        n_shared=len(shared),
        old_on_shared=_mean(shared, given, before, old, profile),
        new_on_shared=_mean(shared, given, after, new, profile),
        n_asked_otherwise=sum(line.item in otherwise for line in shared),
        n_new=sum(one.split in splits for one in after.values()),
    )


def _mean(
    lines: Sequence[PlannedItem],
    given: Mapping[tuple[str, int], Response],
    edition: Mapping[str, AskedItem],
    release: Release,
    profile: Profile,
) -> float | None:
    if not lines:
        return None
    plan = plan_of(release, lines)
    scorers = [one for one in release.scorers(profile) if one.metric == plan.headline]
    rows: list[Score] = []
    for line in lines:
        asked, response = edition[line.item], given.get((line.item, line.draw))
        if response is None:
            continue
        for scorer in scorers:
            if not isinstance(scorer, Selective) or scorer.takes(asked.item):
                rows += scorer.score(asked.item, asked.reference, response)
    verdicts = join_verdicts(rows, lines, plan, profile=profile)
    return float(verdicts.value.mean())

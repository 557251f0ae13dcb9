"""What there is to judge in a run, and what the judges of its jury have said of it so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from overread.analysis.asked import Asked
from overread.contracts import Graded, JudgeForm, Judging, VoteReading
from overread.records import Part, PlannedItem, Profile, Response, Score, Vote
from overread.scoring.judging.batches import fixed_batches
from overread.scoring.jury import Ballot, JuryScorer, graded_of
from overread.store.hashes import vote_hash
from overread.store.run_store import RunStore
from overread.store.votes import Juror

__all__ = [
    "Ballots",
    "Coverage",
    "Sheet",
    "Votes",
    "asks_again",
    "ballots_of",
    "coverage_of",
    "jury_scores",
    "sheets",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One request to a judge, whichever judge it is."""

    graded: tuple[Graded, ...]
    prompt: tuple[Part, ...]

    def hash_for(self, judge_hash: str) -> str:
        """Give the request's hash for one judge."""
        return vote_hash(judge_hash, self.prompt)

    def alone(self, place: int, form: JudgeForm) -> Sheet:
        """Ask about one response by itself."""
        graded = (self.graded[place],)
        return Sheet(graded=graded, prompt=form.prompt(graded))


def asks_again(sheet: Sheet, profile: Profile) -> bool:
    """Tell whether responses whose votes cannot be read in a batch are asked about one by one.

    The released scripts do not, so the `published` profile does not either.
    """
    return profile == "honest" and len(sheet.graded) > 1


def sheets(
    plan: Sequence[PlannedItem],
    asked: Asked,
    responses: Mapping[str, Response],
    judging: Judging,
) -> list[Sheet]:
    """Make the requests that cover every response with something to judge.

    Parameters
    ----------
    plan
        The run's plan. Batches are cut from it draw by draw, whatever has been answered so far.
    asked
        Its items and references.
    responses
        By request hash.
    judging
        The form, and whether empty answers are judged.
    """
    by_draw: dict[int, list[Graded | None]] = {}
    for line in plan:
        item, reference = asked.items[line.item], asked.references[line.item]
        response = responses.get(line.request_hash)
        graded = graded_of(item, reference, response, judging)
        by_draw.setdefault(line.draw, []).append(graded)
    return [
        Sheet(graded=batch, prompt=judging.form.prompt(batch))
        for planned in by_draw.values()
        for batch in fixed_batches(planned, size=judging.form.batch_size)
    ]


class Votes:
    """The votes of a run under one profile, found by what was asked."""

    def __init__(self, store: RunStore, profile: Profile) -> None:
        self._profile: Profile = profile
        self._votes: dict[tuple[str, int], Vote] = {}
        for vote in store.votes(profile, texts=False):
            key = (vote.request_hash, vote.position)
            held = self._votes.get(key)
            # Items that a judge sees as the same words share their request.
            if held is None or held.verdict is None:
                self._votes[key] = vote

    def reading(
        self, sheet: Sheet, place: int, *, judge_hash: str, form: JudgeForm
    ) -> VoteReading | None:
        """Give what one judge said of one response of a sheet; None where it was not asked."""
        vote = self._votes.get((sheet.hash_for(judge_hash), place))
        if (vote is None or vote.verdict is None) and asks_again(sheet, self._profile):
            alone = sheet.alone(place, form)
            vote = self._votes.get((alone.hash_for(judge_hash), 0), vote)
        if vote is None:
            return None
        return VoteReading(
            verdict=vote.verdict,
            status=vote.status,
            reason=vote.reason,
            rationale=vote.rationale,
        )


Ballots: TypeAlias = "Mapping[tuple[str, int], tuple[Ballot, ...]]"
"""Item and draw → one ballot a judge."""


def ballots_of(
    store: RunStore,
    all_sheets: Sequence[Sheet],
    judging: Judging,
    profile: Profile,
    jury: Sequence[Juror],
) -> dict[tuple[str, int], tuple[Ballot, ...]]:
    """Give what every judge of a jury said of every response that there was to judge."""
    votes = Votes(store, profile)
    return {
        (graded.item, graded.draw): tuple(
            Ballot(
                judge=juror.judge,
                reading=votes.reading(sheet, place, judge_hash=juror.judge_hash, form=judging.form),
            )
            for juror in jury
        )
        for sheet in all_sheets
        for place, graded in enumerate(sheet.graded)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How far one judge's votes reach."""

    judge: str
    n: int
    """Responses with something to judge."""
    n_asked: int
    n_read: int
    """Votes with a verdict."""
    n_yes: int
    most_common_reason: str
    """Why votes have no verdict; empty where all have one."""


def coverage_of(jury: Sequence[Juror], ballots: Ballots) -> tuple[Coverage, ...]:
    """Count each judge's votes."""
    found: list[Coverage] = []
    for place, juror in enumerate(jury):
        readings = [each[place].reading for each in ballots.values()]
        asked = [reading for reading in readings if reading is not None]
        verdicts = [reading.verdict for reading in asked if reading.verdict is not None]
        reasons = Counter(reading.reason or "" for reading in asked if reading.verdict is None)
        found.append(
            Coverage(
                judge=juror.judge,
                n=len(readings),
                n_asked=len(asked),
                n_read=len(verdicts),
                n_yes=sum(verdicts),
                most_common_reason=reasons.most_common(1)[0][0] if reasons else "",
            )
        )
    return tuple(found)


def jury_scores(
    store: RunStore,
    plan: Sequence[PlannedItem],
    asked: Asked,
    responses: Mapping[str, Response],
    judging: Judging,
    profile: Profile,
) -> Iterator[Score]:
    """Give the rows of the jury and of its judges; none where nobody was asked to judge."""
    jury = store.jury(profile)
    if not jury:
        return
    scorer = JuryScorer(
        judging=judging, profile=profile, judge_hashes=tuple(each.judge_hash for each in jury)
    )
    all_sheets = sheets(plan, asked, responses, judging)
    ballots = ballots_of(store, all_sheets, judging, profile, jury)
    blank = tuple(Ballot(judge=juror.judge, reading=None) for juror in jury)
    for line in plan:
        if (response := responses.get(line.request_hash)) is not None:
            item, reference = asked.items[line.item], asked.references[line.item]
            yield from scorer.score(
                item, reference, response, ballots.get((line.item, line.draw), blank)
            )

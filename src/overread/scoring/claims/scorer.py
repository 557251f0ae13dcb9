"""Scores free reports claim by claim: nothing made up, nothing left out, sides right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from overread.metrics.claims import CLAIM_CELLS, CLEAN, NO_FABRICATION, NO_OMISSION, RIGHT_SIDE
from overread.metrics.spec import MetricSpec
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.claims.claim import ClaimReading, State
from overread.scoring.claims.compare import ClaimComparison, ClaimPolicy, compare_claims
from overread.scoring.claims.reader import read_claims
from overread.scoring.claims.truth import FindingTruth
from overread.scoring.reading import Rule
from overread.scoring.refusals import declines
from overread.scoring.rows import check_records
from overread.scoring.spatial.polarity import polarity

__all__ = ["ASKED_FINDING", "ClaimScorer", "claimed_states"]

ASKED_FINDING: Final = "finding"
"""The key of `Item.strata` that names the finding a yes/no question asks about."""
_ALL: Final = "all"
_CUT: Final = frozenset({"length", "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimScorer:
    """Turns a report into rows of what it claims.

    ``clean`` is 1.0 where no finding is made up, left out or put on the wrong side;
    ``no_fabrication``, ``no_omission`` and ``right_side`` tell which. Each has a row only where it
    has a meaning: a normal picture leaves nothing to be left out. Another row of ``clean`` names
    whether the picture is normal, since only fabrications are possible there. Rows ``claim_tp``,
    ``claim_fp``, ``claim_fn`` and ``claim_tn`` are 1.0 for each finding in that cell, so that rates
    per claim can be made of their sums.

    A refusal, an empty reply, one that names no finding and, under the honest profile, one that was
    cut off are neither clean nor hallucinated: they have no value.

    Parameters
    ----------
    findings
        That a free description is held against.
    policy
        What uncertain labels, silence and hedges count as.
    reader
        Text → claims: by rule, or what another classifier read.
    """

    profile: Profile
    findings: tuple[str, ...]
    policy: ClaimPolicy = field(default_factory=ClaimPolicy)
    reader: Callable[[str], ClaimReading] = read_claims

    @property
    def metric(self) -> str:
        """The headline."""
        return CLEAN.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for text."""
        return isinstance(item.answer_space, Text)

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one response. UsageError where the records do not belong together."""
        check_records(item, reference, response, space=Text)
        stated = "" if reference.problem is not None else reference.answer or ""
        truth = FindingTruth.of_words(stated)
        asked = item.strata.get(ASKED_FINDING, _ALL)
        findings = self.findings if asked == _ALL else (asked,)
        if truth is None:
            reason = reference.problem or "the release states no labels"
            yield from self._without(item, response, Status.UNDEFINED, reason)
            return
        reading, trouble = self._reading(response, asked)
        if trouble is not None:
            yield from self._without(item, response, *trouble)
            return
        found = compare_claims(
            claimed_states(reading, response.text, asked),
            truth,
            findings=findings,
            policy=self.policy,
            sides={finding: reading.sides(finding) for finding in findings},
        )
        if not found.cells:
            yield from self._without(
                item, response, Status.UNDEFINED, "no finding has a label that counts"
            )
            return
        yield from self._rows(item, response, found, is_normal=truth.is_normal)

    def _rows(
        self, item: Item, response: Response, found: ClaimComparison, *, is_normal: bool
    ) -> Iterator[Score]:
        made_up, left_out = found.named("fp"), found.named("fn")
        clean = float(not (made_up or left_out or found.wrong_sides))
        said = "; ".join(
            f"{what}: {', '.join(names)}"
            for what, names in (
                ("made up", made_up),
                ("left out", left_out),
                ("wrong side", found.wrong_sides),
            )
            if names
        )
        reason = said or "every claim agrees with the labels"
        yield self._row(item, response, CLEAN, clean, reason)
        kind = "normal picture" if is_normal else "abnormal picture"
        yield self._row(item, response, CLEAN, clean, reason, target=kind)
        if made_up or found.named("tn"):
            yield self._row(item, response, NO_FABRICATION, float(not made_up), reason)
        if left_out or found.named("tp"):
            yield self._row(item, response, NO_OMISSION, float(not left_out), reason)
        if found.told_sides:
            value = float(not found.wrong_sides)
            yield self._row(item, response, RIGHT_SIDE, value, reason)
        for finding, cell in found.cells.items():
            yield self._row(item, response, CLAIM_CELLS[cell], 1.0, reason, target=finding)

    def _reading(
        self, response: Response, asked: str
    ) -> tuple[ClaimReading, tuple[Status, str] | None]:
        """Read a reply; give what it claims and what makes it no answer."""
        text = response.text or ""
        nothing = ClaimReading(text="")
        if response.status is not Status.OK:
            return nothing, (response.status, response.reason or "no reply")
        missing = Status.UNPARSED if self.profile == "honest" else Status.UNDEFINED
        reading = self.reader(text)
        if reading.unreadable == "empty":
            return nothing, (missing, Rule.EMPTY)
        if self.profile == "honest" and response.finish_reason in _CUT:
            return nothing, (Status.UNPARSED, "cut off: its limit of tokens was reached")
        if reading.unreadable is None or (asked != _ALL and polarity(reading.text, "")):
            return reading, None
        if self.profile == "published" and reading.unreadable == "names no finding":
            return reading, None
        if declined := declines(text):
            return nothing, (Status.REFUSED, declined)
        return nothing, (missing, reading.unreadable)

    def _without(
        self, item: Item, response: Response, status: Status, reason: str
    ) -> Iterator[Score]:
        for spec in (CLEAN, NO_FABRICATION, NO_OMISSION):
            yield self._row(item, response, spec, None, reason, status=status)

    def _row(
        self,
        item: Item,
        response: Response,
        spec: MetricSpec,
        value: float | None,
        reason: str,
        *,
        target: str | None = None,
        status: Status = Status.OK,
    ) -> Score:
        return Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups.get("patient"),
            metric=spec.name,
            metric_version=spec.version,
            profile=self.profile,
            target=target,
            unit=spec.unit,
            value=value,
            status=status,
            reason=reason,
        )


def claimed_states(
    reading: ClaimReading, text: str | None, asked: str = _ALL
) -> Mapping[str, State]:
    """Give what a reply says of each finding; of the one asked about a bare yes or no counts.

    Parameters
    ----------
    reading, text
        A reply as read and as it came.
    asked
        The finding that a yes/no question names; ``all`` for a free description.

    Examples
    --------
    >>> claimed_states(read_claims("No."), "No.", "Pneumothorax")
    {'Pneumothorax': 'denied'}
    """
    if asked == _ALL or asked in reading.states:
        return reading.states
    said = polarity(reading.text or (text or "").lower(), "")
    states: dict[str, State] = dict(reading.states)
    if said is not None:
        states[asked] = "asserted" if said == "yes" else "denied"
    return states

"""Votes of judges become verdicts: one of the jury, and one of each judge.

An answer that is empty, refused or never came needs no judge: its rows carry the response's own
status, and `analysis` counts it as not right. An answer on which there is no verdict (no vote could
be read, a vote is missing that the rule needs, a tie) is `UNDEFINED`. A vote that never came is
neither yes nor no; a reply without a verdict is a no only under a released rule that says so
(`JuryRule.null_is_no`), and the row's reason then tells of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from overread.contracts import Graded, Judging, JuryRule, VoteReading
from overread.metrics.jury import JUDGE_ACCURACY, JURY_ACCURACY
from overread.records import Item, JsonValue, Profile, Reference, Response, Score, Status
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["Ballot", "JuryScorer", "decide", "graded_of"]

_HASH_CHARACTERS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What one judge of the jury said of one response."""

    judge: str
    reading: VoteReading | None
    """None when this judge was not asked about it yet."""


def graded_of(
    item: Item, reference: Reference, response: Response | None, judging: Judging
) -> Graded | None:
    """Give what judges are shown of a response; None where there is nothing to judge.

    Nothing is judged without a usable reference, without a reply, and of an empty reply only where
    the benchmark's own way asks for it (`Judging.judges_empty`).
    """
    if response is None or _without_judges(reference, response, judging)[0] is not None:
        return None
    return Graded(
        item=item.id,
        draw=response.draw,
        question=item.question,
        reference=reference.answer or "",
        prediction=response.text or "",
    )


def decide(verdicts: Sequence[bool | None], rule: JuryRule) -> tuple[bool | None, str]:
    """Count votes by a rule.

    Parameters
    ----------
    verdicts
        One a judge; None for a missing vote.
    rule
        Whether all must be there, and the share of yes that must be exceeded.

    Returns
    -------
    verdict, reason
        None where there is no verdict; the reason says what was counted or what is missing.

    Examples
    --------
    >>> decide([True, None, True], JuryRule())
    (True, 'jury: 2 of 2 votes say yes, 1 missing')
    >>> decide([True, None, True], JuryRule(needs_all=True))
    (None, '1 of 3 votes is missing, and the rule needs all')
    >>> decide([True, None, False], JuryRule())
    (None, 'a tie: 1 of 2 votes say yes, 1 missing')
    """
    counted = [verdict for verdict in verdicts if verdict is not None]
    n_missing = len(verdicts) - len(counted)
    if n_missing and rule.needs_all:
        verb = "is" if n_missing == 1 else "are"
        return None, f"{n_missing} of {len(verdicts)} votes {verb} missing, and the rule needs all"
    if not counted:
        return None, "no judge's vote could be read"
    yes = sum(counted)
    told = f"{yes} of {len(counted)} votes say yes"
    if n_missing:
        told += f", {n_missing} missing"
    if 2 * yes == len(counted) and rule.threshold == 0.5:
        return None, f"a tie: {told}"
    return yes > rule.threshold * len(counted), f"jury: {told}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryScorer:
    """Turns the votes on one response into Score rows.

    The version of the rows names the form and holds a hash of judges, settings and rule: scores of
    another jury or another prompt are another metric.
    """

    judging: Judging
    profile: Profile
    judge_hashes: Sequence[str]
    """Of the judges, in the order of their ballots."""

    @property
    def metric_version(self) -> str:
        """``1 fenced-2 0123456789``: of the metric, the form, and a hash of judges and rule."""
        rule = self.judging.rule
        about: JsonValue = [
            sorted(self.judge_hashes), rule.needs_all, rule.null_is_no, rule.threshold,
        ]  # fmt: skip
        digest = sha256_text(canonical_json(about))[:_HASH_CHARACTERS]
        return f"{JURY_ACCURACY.version} {self.judging.form.name} {digest}"

    def judge_version(self, judge_hash: str) -> str:
        """Give the version of one judge's rows: its hash covers the form and its settings."""
        digest = judge_hash[:_HASH_CHARACTERS]
        return f"{JUDGE_ACCURACY.version} {self.judging.form.name} {digest}"

    def score(
        self, item: Item, reference: Reference, response: Response, ballots: Sequence[Ballot]
    ) -> tuple[Score, ...]:
        """Give the jury's row, then a row a judge.

        Parameters
        ----------
        item, reference, response
            Of one line of the plan.
        ballots
            One a judge, in the order of `judge_hashes`; not looked at where nothing was judged.
        """
        status, reason = _without_judges(reference, response, self.judging)
        if status is None:
            of_jury = _of_jury(ballots, self.judging.rule)
            of_judges = [_of_judge(ballot) for ballot in ballots]
        else:
            of_jury = _Outcome(value=None, status=status, reason=reason)
            of_judges = [of_jury] * len(ballots)
        judges = zip(ballots, self.judge_hashes, of_judges, strict=True)
        jury = self._row(
            item, response, of_jury, metric=self.judging.metric, version=self.metric_version
        )
        return (
            jury,
            *(
                replace(
                    self._row(
                        item,
                        response,
                        outcome,
                        metric=JUDGE_ACCURACY.name,
                        version=self.judge_version(judge_hash),
                    ),
                    target=ballot.judge,
                )
                for ballot, judge_hash, outcome in judges
            ),
        )

    def _row(
        self, item: Item, response: Response, outcome: _Outcome, *, metric: str, version: str
    ) -> Score:
        return Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups.get("patient"),
            metric=metric,
            metric_version=version,
            profile=self.profile,
            unit=JURY_ACCURACY.unit,
            value=outcome.value,
            status=outcome.status,
            reason=outcome.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    value: float | None
    status: Status
    reason: str


def _without_judges(
    reference: Reference, response: Response, judging: Judging
) -> tuple[Status | None, str]:
    """Say what becomes of a response that no judge is shown; None where judges decide."""
    if reference.answer is None or reference.problem is not None:
        return Status.UNDEFINED, reference.problem or "the release has no reference answer"
    if response.status is not Status.OK:
        return response.status, response.reason or "no reply"
    if response.text is None or not (response.text.strip() or judging.judges_empty):
        return Status.UNPARSED, "the answer is empty"
    return None, ""


def _of_judge(ballot: Ballot) -> _Outcome:
    reading = ballot.reading
    if reading is None or reading.verdict is None:
        reason = "this judge was not asked yet" if reading is None else reading.reason
        return _Outcome(value=None, status=Status.UNDEFINED, reason=reason or "no verdict")
    word = "yes" if reading.verdict else "no"
    return _Outcome(value=float(reading.verdict), status=Status.OK, reason=f"judge: {word}")


def _is_null(ballot: Ballot) -> bool:
    """Tell whether a judge replied and gave no verdict."""
    reading = ballot.reading
    return reading is not None and reading.status in (Status.UNPARSED, Status.REFUSED)


def _of_jury(ballots: Sequence[Ballot], rule: JuryRule) -> _Outcome:
    if ballots and all(ballot.reading is None for ballot in ballots):
        return _Outcome(value=None, status=Status.UNDEFINED, reason="no judge was asked yet")
    verdicts = [ballot.reading.verdict if ballot.reading else None for ballot in ballots]
    nulls = [_is_null(ballot) for ballot in ballots] if rule.null_is_no else [False] * len(verdicts)
    counted = [False if null else said for said, null in zip(verdicts, nulls, strict=True)]
    verdict, reason = decide(counted, rule)
    if any(nulls):
        reason += f", {sum(nulls)} without a verdict counted as no"
    if verdict is None:
        return _Outcome(value=None, status=Status.UNDEFINED, reason=reason)
    return _Outcome(value=float(verdict), status=Status.OK, reason=reason)

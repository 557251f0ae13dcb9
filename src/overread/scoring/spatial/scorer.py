"""Scores closed questions by rule: no judge, the same verdict every time."""

from __future__ import annotations

from dataclasses import dataclass

from overread.metrics.spatial import RULE_ACCURACY
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.reading import Rule
from overread.scoring.refusals import declines
from overread.scoring.rows import check_records
from overread.scoring.spatial.compare import Verdict, compare
from overread.scoring.spatial.forms import CLOSED_FORMS, question_form

__all__ = ["SpatialScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpatialScorer:
    """Turns the reply to a `Text` item with a closed question into one ``rule_accuracy`` row.

    The row's value is 1.0 or 0.0 exactly when the facts asked for were read on both sides. A
    reference that cannot be read is `UNDEFINED`, whatever the reply; a reply that cannot be read is
    `UNPARSED`, or `REFUSED` where it declines. A question that is not closed gets no row.
    """

    profile: Profile = "honest"
    metric: str = RULE_ACCURACY.name
    metric_version: str = RULE_ACCURACY.version

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response; no row for a question whose form is ``where`` or ``open``.

        Raises
        ------
        UsageError
            The three records do not belong together, or the item does not ask for text.
        """
        check_records(item, reference, response, space=Text)
        if question_form(item.question) not in CLOSED_FORMS:
            return ()
        verdict = _judge(item.question, reference, response)
        return (
            Score(
                run=response.run,
                item=item.id,
                draw=response.draw,
                patient=item.groups.get("patient"),
                metric=self.metric,
                metric_version=self.metric_version,
                profile=self.profile,
                unit=RULE_ACCURACY.unit,
                value=verdict.value,
                status=verdict.status,
                reason=verdict.reason,
                answer=verdict.answer,
            ),
        )


def _judge(question: str, reference: Reference, response: Response) -> Verdict:
    """Compare, after what makes a comparison impossible: first on the reference's side."""
    if reference.problem is not None or reference.answer is None:
        reason = reference.problem or "the release states no answer"
        return Verdict(value=None, status=Status.UNDEFINED, reason=reason)
    verdict = compare(question, reference.answer, response.text)
    if verdict.status is Status.UNDEFINED:
        return verdict
    if response.status is not Status.OK:
        reason = response.reason or "no reply"
        return Verdict(value=None, status=response.status, reason=reason)
    if verdict.status is not Status.UNPARSED:
        return verdict
    if response.text is None or not response.text.strip():
        return Verdict(value=None, status=Status.UNPARSED, reason=Rule.EMPTY)
    declined = declines(response.text)
    if declined is not None and declined is not Rule.NONE_OF_THE_OPTIONS:
        return Verdict(value=None, status=Status.REFUSED, reason=declined, answer=verdict.answer)
    return verdict

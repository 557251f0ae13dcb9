"""Scores descriptions of lesions fact by fact: no judge, the same verdict every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from overread.metrics.facts import FACT_SCORE, ORGAN_ERROR, SIDE_ERROR, FactName
from overread.metrics.spec import MetricSpec
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.facts.compare import FactComparison, compare_facts
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts
from overread.scoring.reading import Rule
from overread.scoring.refusals import declines
from overread.scoring.rows import Outcome, check_records, score_row

__all__ = ["FactScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactScorer:
    """Turns the reply to a `Text` item into a ``fact_score`` row, and one row for each error.

    The errors are ``side_error`` and ``organ_error``.

    `fact_score` has a value where both sides could be read; its reason tells the verdict on every
    fact. A reference that cannot be read, or states no side (no organ), is `UNDEFINED` in that
    metric, whatever the reply. A reply in which no fact is found is `UNPARSED`, or `REFUSED` where
    it declines. The two errors are 1.0 exactly where the reply contradicts the reference: to say
    nothing of the side is none.

    Parameters
    ----------
    reader
        How a text is read: by rule, or what a model read (`model_reader.read_by_model`).
    terms
        What the release's tables say of an item's lesion beside its sentence; read by rule.
    """

    profile: Profile = "honest"
    metric: str = FACT_SCORE.name
    metric_version: str = FACT_SCORE.version
    reader: Callable[[str], LesionFacts] = read_facts
    terms: Callable[[Item], OntologyTerms | None] | None = None

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for free text."""
        return isinstance(item.answer_space, Text)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response: three rows.

        Raises
        ------
        UsageError
            The three records do not belong together, or the item does not ask for text.
        """
        check_records(item, reference, response, space=Text)
        right = self._reference(item, reference)
        said, trouble = self._reply(response)
        found = None if right.unreadable else compare_facts(right, said)
        unread = reference.problem or right.unreadable or "the reference states no fact"

        def row(spec: MetricSpec, value: float | None, missing: str) -> Score:
            status, reason = Status.OK, None
            if value is None:
                status, reason = Status.UNDEFINED, missing
            elif trouble is not None:
                value, (status, reason) = None, trouble
            else:
                reason = found.summary if found else None
            return _row(self, spec, (item, response), value=value, status=status, reason=reason)

        side = _error(found, "side")
        organ = _error(found, "organ", "body part")
        return (
            row(FACT_SCORE, found.score if found else None, unread),
            row(SIDE_ERROR, side, "the reference states no side" if found else unread),
            row(ORGAN_ERROR, organ, "the reference states no organ" if found else unread),
        )

    def _reference(self, item: Item, reference: Reference) -> LesionFacts:
        if reference.problem is not None or reference.answer is None:
            reason = reference.problem or "the release states no answer"
            return LesionFacts(unreadable=reason)
        terms = self.terms(item) if self.terms is not None else None
        if terms is not None:
            return read_facts(reference.answer, ontology=terms)
        return self.reader(reference.answer)

    def _reply(self, response: Response) -> tuple[LesionFacts, tuple[Status, str] | None]:
        """Read a reply; give what it says, and what makes that no answer."""
        nothing = LesionFacts()
        if response.status is not Status.OK:
            return nothing, (response.status, response.reason or "no reply")
        if response.text is None or not response.text.strip():
            return nothing, (Status.UNPARSED, Rule.EMPTY)
        facts = self.reader(response.text)
        if facts.unreadable is None and not _is_thin(facts):
            return facts, None
        declined = declines(response.text)
        if declined is not None and declined is not Rule.NONE_OF_THE_OPTIONS:
            return nothing, (Status.REFUSED, declined)
        if facts.unreadable is None:
            return facts, None
        return nothing, (Status.UNPARSED, facts.unreadable)


def _is_thin(facts: LesionFacts) -> bool:
    """Whether no more is said than that there is, or is not, some lesion."""
    return all(
        not (each.types - {"lesion"} or each.organs or each.regions or each.size or each.attributes)
        for each in facts.lesions
    )


def _error(found: FactComparison | None, *facts: FactName) -> float | None:
    """Give 1.0 where one of the facts is contradicted; None where the reference states none."""
    if found is None or not found.states(*facts):
        return None
    return float(found.is_wrong(*facts))


def _row(
    scorer: FactScorer,
    spec: MetricSpec,
    of: tuple[Item, Response],
    *,
    value: float | None,
    status: Status,
    reason: str | None,
) -> Score:
    item, response = of
    outcome = Outcome(value=value, status=status, reason=reason)
    return score_row(item, response, outcome, spec=spec, profile=scorer.profile)

"""Scores descriptions of lesions fact by fact: no judge, the same verdict every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from overread.metrics.facts import BY_RULE, FactMetrics, FactName
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.facts.compare import FactComparison, compare_facts
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import completed, read_facts
from overread.scoring.reading import Rule
from overread.scoring.refusals import declines
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["SILENT", "UNSTATED", "FactScorer"]

SILENT: Final = "the description states no "
"""Begins the reason of an error that has no value because the reply does not name the fact."""
UNSTATED: Final = "the reference states no "
"""Begins the reason where the reference does not name it."""


_Trouble: TypeAlias = "tuple[Status, str] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactScorer:
    """Turns the reply to a `Text` item into three rows: a score of facts, and one for each error.

    By rule they are called ``fact_score``, ``side_error`` and ``organ_error``; what a model has
    read goes by names of its own (`metrics.facts.BY_MODEL`).

    The score has a value where both sides could be read; its reason tells the verdict on every
    fact. A reference that cannot be read, or states no side (no organ), is `UNDEFINED` in that
    metric, whatever the reply. A reply in which no fact is found is `UNPARSED`, or `REFUSED` where
    it declines. The two errors are 1.0 where the reply contradicts the reference and 0.0 where it
    states the fact and does not; a reply that states none is `UNPARSED` there, and no proof of
    care. Where the model that was to read a text failed, all is `UNDEFINED`: that is no fault of
    the reply.

    Parameters
    ----------
    reader
        How a text is read: by rule, or what a model read (`model_reader.read_by_model`).
    metrics
        Under which names.
    terms
        What the release's tables say of an item's lesion beside its sentence; read by rule.
    """

    profile: Profile = "honest"
    reader: Callable[[str], LesionFacts] = read_facts
    metrics: FactMetrics = BY_RULE
    terms: Callable[[Item], OntologyTerms | None] | None = None

    @property
    def metric(self) -> str:
        """The score's name."""
        return self.metrics.score.name

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
        metrics = self.metrics
        if right.unreadable:
            all_three = (undefined(reference.problem or right.unreadable),) * 3
        else:
            found = compare_facts(right, said)
            all_three = (
                _score(found, trouble),
                _error(found, trouble, "side", ("side",)),
                _error(found, trouble, "organ", ("organ", "body part")),
            )
        specs = (metrics.score, metrics.side_error, metrics.organ_error)
        return tuple(
            score_row(item, response, outcome, spec=spec, profile=self.profile)
            for spec, outcome in zip(specs, all_three, strict=True)
        )

    def _reference(self, item: Item, reference: Reference) -> LesionFacts:
        if reference.problem is not None or reference.answer is None:
            reason = reference.problem or "the release states no answer"
            return LesionFacts(unreadable=reason)
        terms = self.terms(item) if self.terms is not None else None
        facts = self.reader(reference.answer)
        return facts if terms is None else completed(facts, terms)

    def _reply(self, response: Response) -> tuple[LesionFacts, _Trouble]:
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
        status = Status.UNDEFINED if facts.reader_failed else Status.UNPARSED
        return nothing, (status, facts.unreadable)


def _is_thin(facts: LesionFacts) -> bool:
    """Whether no more is said than that there is, or is not, some lesion."""
    return all(
        not (each.types - {"lesion"} or each.organs or each.regions or each.size or each.attributes)
        for each in facts.lesions
    )


def _score(found: FactComparison, trouble: _Trouble) -> Outcome:
    if found.score is None:
        return undefined(f"{UNSTATED}fact")
    if trouble is not None:
        return Outcome(value=None, status=trouble[0], reason=trouble[1])
    return Outcome(value=found.score, status=Status.OK, reason=found.summary)


def _error(
    found: FactComparison, trouble: _Trouble, name: str, facts: tuple[FactName, ...]
) -> Outcome:
    """Give 1.0 where one of the facts is contradicted, 0.0 where it is stated and not."""
    if not found.states(*facts):
        return undefined(f"{UNSTATED}{name}")
    if trouble is not None:
        return Outcome(value=None, status=trouble[0], reason=trouble[1])
    if not found.is_answered(*facts):
        reason = f"{SILENT}{name}"
        return Outcome(value=None, status=Status.UNPARSED, reason=reason)
    value = float(found.is_wrong(*facts))
    return Outcome(value=value, status=Status.OK, reason=found.summary)

"""What changed between two editions of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from overread.audits.exam_parts import split_parts
from overread.audits.wording import counted
from overread.contracts import AnalysisPlan, Card, Release
from overread.errors import UsageError, expected, listed
from overread.records import Choice, Finding, Item, Profile, Reference, Severity

__all__ = ["AskedItem", "ItemChange", "changed_items", "compare_editions", "read_edition"]

_MOST_NAMED: Final = 3
_PROFILES: Final[tuple[Profile, ...]] = ("published", "honest")
_WHAT_CHANGED: Final[Mapping[str, tuple[Severity, str]]] = {
    "answer": (
        Severity.ERROR,
        "an answer that was right is wrong now: old scores do not carry over",
    ),
    "options": (Severity.WARNING, "another choice is asked, and chance may be another"),
    "order of options": (Severity.WARNING, "a habit of letters scores differently"),
    "question": (Severity.WARNING, "other words are asked"),
    "picture": (Severity.WARNING, "another picture is shown"),
    "prompt": (Severity.WARNING, "the same question is put in other words"),
    "strata": (Severity.INFO, "it counts in another cell"),
    "groups": (Severity.INFO, "intervals cluster it with others"),
    "split": (Severity.ERROR, "what one edition lets a model learn from, the other tests"),
}
"""What may change in a question that both editions have, the gravest first: severity and effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """One question that both editions have, under the same id, and what of it differs."""

    item: str
    changed: tuple[str, ...]
    """Of ``answer``, ``options``, ``order of options``, ``question``, ``picture``, ``prompt``,
    ``strata``, ``groups``, ``split``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedItem:
    """A question with its answer and the split it stands in."""

    item: Item
    reference: Reference
    split: str


def read_edition(release: Release) -> dict[str, AskedItem]:
    """Read all questions of a release by id, split after split."""
    return {
        item.id: AskedItem(item=item, reference=part.references[item.id], split=part.split)
        for part in split_parts(release)
        for item in part.items
    }


def compare_editions(old: Release, new: Release) -> tuple[Finding, ...]:
    """Report what differs between two editions, the gravest first.

    Parameters
    ----------
    old, new
        Two releases of one benchmark.

    Returns
    -------
    tuple of Finding
        Protocol, plan, metrics, questions gone and come, questions changed, published numbers.

    Raises
    ------
    UsageError
        The two are releases of different benchmarks.
    """
    if old.card.name != new.card.name:
        raise UsageError(
            expected(
                "OLD and NEW",
                rule="two releases of one benchmark",
                got=f"{old.card.name} and {new.card.name}",
                remedy="Compare models on them instead.",
            )
        )
    before, after = read_edition(old), read_edition(new)
    found = [
        *_of_card(old.card, new.card),
        *_of_plan(old.plan(), new.plan()),
        *_of_metrics(old, new),
        *_of_presence(before, after),
        *_of_changes(changed_items(before, after), n_shared=len(before.keys() & after.keys())),
        *_of_published(old, new),
    ]
    order = list(reversed(Severity))
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def changed_items(
    before: Mapping[str, AskedItem], after: Mapping[str, AskedItem]
) -> tuple[ItemChange, ...]:
    """List the questions that both editions have and that differ, in the order of the new one."""
    found = (
        ItemChange(item=item_id, changed=tuple(_differences(before[item_id], now)))
        for item_id, now in after.items()
        if item_id in before
    )
    return tuple(change for change in found if change.changed)


def _differences(was: AskedItem, now: AskedItem) -> Iterator[str]:
    if _meaning(was) != _meaning(now):
        yield "answer"
    before, after = _options(was.item), _options(now.item)
    if sorted(before) != sorted(after):
        yield "options"
    elif before != after:
        yield "order of options"
    if was.item.question != now.item.question:
        yield "question"
    if was.item.media != now.item.media:
        yield "picture"
    same_words = was.item.question == now.item.question and before == after
    if same_words and was.item.media == now.item.media and was.item.prompt != now.item.prompt:
        yield "prompt"
    ours = ("split",)
    if _without(was.item.strata, ours) != _without(now.item.strata, ours):
        yield "strata"
    if dict(was.item.groups) != dict(now.item.groups):
        yield "groups"
    if was.split != now.split:
        yield "split"


def _options(item: Item) -> list[str]:
    return [option.text or repr(option.media) for option in item.options]


def _meaning(asked: AskedItem) -> str | None:
    """Give what the right answer says: a letter moves with its option, an answer does not."""
    answer = asked.reference.answer if asked.reference.problem is None else None
    if isinstance(asked.item.answer_space, Choice):
        texts = dict(zip(asked.item.answer_space.letters, _options(asked.item), strict=True))
        return texts.get(answer or "")
    return answer


def _without(strata: Mapping[str, str], keys: Iterable[str]) -> dict[str, str]:
    return {key: value for key, value in strata.items() if key not in keys}


# ---------------------------------------------------------------- findings


def _of_card(old: Card, new: Card) -> Iterator[Finding]:
    for each in fields(Card):
        was, now = getattr(old, each.name), getattr(new, each.name)
        if was != now:
            yield Finding(
                severity=Severity.WARNING if each.name == "protocol_version" else Severity.INFO,
                code="changed-card",
                where=each.name,
                evidence=f"{was!r} before, {now!r} now",
                effect="runs of the two editions never share an answer"
                if each.name == "protocol_version"
                else "",
            )


def _of_plan(old: AnalysisPlan, new: AnalysisPlan) -> Iterator[Finding]:
    for each in fields(AnalysisPlan):
        was, now = getattr(old, each.name), getattr(new, each.name)
        if was != now:
            yield Finding(
                severity=Severity.WARNING,
                code="changed-plan",
                where=each.name,
                evidence=f"{was!r} before, {now!r} now",
                effect="the same answers give other estimates",
            )


def _of_metrics(old: Release, new: Release) -> Iterator[Finding]:
    for profile in _PROFILES:
        before, after = (
            {
                (scorer.metric, str(getattr(scorer, "metric_version", "")))
                for scorer in release.scorers(profile)
            }
            for release in (old, new)
        )
        if before != after:
            yield Finding(
                severity=Severity.ERROR,
                code="changed-metric",
                where=f"{profile} profile",
                evidence=f"gone: {_metrics(before - after)}; come: {_metrics(after - before)}",
                effect="numbers of the two editions are of different metrics",
            )


def _metrics(named: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {version}".rstrip() for name, version in sorted(named)) or "none"


def _of_presence(
    before: Mapping[str, AskedItem], after: Mapping[str, AskedItem]
) -> Iterator[Finding]:
    for code, ids, gone in (
        ("question-gone", [each for each in before if each not in after], True),
        ("question-come", [each for each in after if each not in before], False),
    ):
        if ids:
            yield Finding(
                severity=Severity.WARNING,
                code=code,
                where="questions",
                evidence=f"{counted(len(ids), 'question')} of {len(before if gone else after):,}: "
                f"{listed(ids, most=_MOST_NAMED)}",
                effect="the denominator is another one: old answers cover "
                f"{len(before.keys() & after.keys()):,} of {len(after):,} questions",
                count=len(ids),
            )


def _of_changes(changes: Iterable[ItemChange], *, n_shared: int) -> Iterator[Finding]:
    by_kind: dict[str, list[str]] = {}
    for change in changes:
        for kind in change.changed:
            by_kind.setdefault(kind, []).append(change.item)
    for kind, (severity, effect) in _WHAT_CHANGED.items():
        ids = by_kind.get(kind, [])
        if ids:
            yield Finding(
                severity=severity,
                code="changed-" + kind.replace(" ", "-"),
                where="questions",
                evidence=f"{len(ids):,} of {n_shared:,} questions that both editions have: "
                f"{listed(ids, most=_MOST_NAMED)}",
                effect=effect,
                count=len(ids),
            )


def _of_published(old: Release, new: Release) -> Iterator[Finding]:
    before, after = (
        {
            (one.metric, one.who, tuple(sorted(one.stratum.items()))): one.value
            for one in release.published()
        }
        for release in (old, new)
    )
    moved = [key for key in before if key in after and before[key] != after[key]]
    if moved:
        named = [f"{key[1]} {100 * before[key]:.1f} → {100 * after[key]:.1f}" for key in moved]
        yield Finding(
            severity=Severity.INFO,
            code="changed-published",
            where="published numbers",
            evidence=f"{counted(len(moved), 'number')} of the same model, metric and stratum: "
            f"{listed(named, most=_MOST_NAMED)}",
            effect="see whether questions, answers or metrics moved them",
            count=len(moved),
        )

"""What a run's replies give away: too many without an answer, and why the two profiles differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from overread.analysis.reasons import NOT_SHOWN, is_not_shown, plain_reason, reason_name
from overread.analysis.strata import is_within
from overread.contracts import AnalysisPlan
from overread.records import Finding, PlannedItem, Response, Score, Severity, Status
from overread.scoring.rows import WHOLE_REJECTED

__all__ = ["reply_findings"]

_BEARABLE_SHARE: Final = 0.01
"""Above one per cent without an answer a table is about formats as well: a peer lost 254 of 792
answers to a wrapper and printed 58.7 % for 87.5 %."""
_MOST_REASONS: Final = 3
_LOOK: Final = "Look at them in the gallery: filter for no answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A way to be without an answer, and what is said of it."""

    code: str
    words: str
    remedy: str
    bearable_share: float


_NOT_SHOWN: Final = _Kind(
    code="not-shown",
    words="could not be shown, so the model was not asked",
    remedy="Mend the files, or get them again; then the same command asks these questions.",
    bearable_share=0.0,
)
_KINDS: Final = {
    Status.UNPARSED: _Kind(
        code="unread-replies",
        words="a reply came and no answer was read in it",
        remedy=_LOOK,
        bearable_share=_BEARABLE_SHARE,
    ),
    Status.REFUSED: _Kind(
        code="refusals",
        words="the reply declines to answer",
        remedy=_LOOK,
        bearable_share=_BEARABLE_SHARE,
    ),
    Status.FAILED: _Kind(
        code="failed-requests",
        words="no reply came",
        remedy="The same command asks them again.",
        bearable_share=_BEARABLE_SHARE,
    ),
}


def reply_findings(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    responses: Iterable[Response] = (),
) -> tuple[Finding, ...]:
    """Look through the scores of one run.

    Parameters
    ----------
    scores
        Score rows of both profiles.
    planned
        The run's plan.
    plan
        Names the headline metric and what the benchmark's own code drops.
    responses
        All responses: a failed one counts as such also where the headline has no value whoever
        answers, and so no row that says it failed.

    Returns
    -------
    tuple of Finding
        One where the benchmark's own code rejects all answers at once, one for each kind of reply
        without an answer above 1 % of the questions that the headline is about, one where any of
        them could not be shown to the model, and one where the profiles read replies differently.
    """
    rows = [s for s in scores if s.metric == plan.headline and s.target is None]
    honest = {(s.item, s.draw): s for s in rows if s.profile == "honest"}
    published = {(s.item, s.draw): s for s in rows if s.profile == "published"}
    asked = [line for line in planned if is_within(line.strata, plan.headline_only)]
    failed = {each.request_hash: each.reason for each in responses if each.status is Status.FAILED}
    hidden = [
        replace(row, status=Status.FAILED, reason=failed[line.request_hash])
        for line in asked
        if line.request_hash in failed
        and (row := honest.get((line.item, line.draw))) is not None
        and row.status is Status.UNDEFINED
    ]
    return (
        *_rejected(published, asked),
        *_without_answer(honest.values(), hidden, len(asked)),
        *_profile_gap(honest, published, plan),
    )


def _without_answer(honest: Iterable[Score], hidden: Sequence[Score], n: int) -> Iterator[Finding]:
    """Report each kind of missing answer; `hidden` are those that move no value of the headline."""
    rows: dict[str, list[Score]] = {kind.code: [] for kind in (_NOT_SHOWN, *_KINDS.values())}
    unmoved = {(score.item, score.draw) for score in hidden}
    for score in (*honest, *hidden):
        if score.status in _KINDS:
            is_unseen = score.status is Status.FAILED and is_not_shown(score.reason)
            rows[(_NOT_SHOWN if is_unseen else _KINDS[score.status]).code].append(score)
    for kind in (_NOT_SHOWN, *_KINDS.values()):
        of_kind = rows[kind.code]
        if len(of_kind) > kind.bearable_share * n:
            n_hidden = sum((score.item, score.draw) in unmoved for score in of_kind)
            but = f"; {n_hidden} have no value whoever answers" if n_hidden else ""
            yield Finding(
                severity=Severity.WARNING,
                code=kind.code,
                where=f"{len(of_kind)} of {n} questions",
                evidence=f"{kind.words}: {_reasons(of_kind)}",
                effect=f"they count as 0, and are left out of 'answered'{but}",
                remedy=kind.remedy,
                count=len(of_kind),
            )


def _reasons(scores: Iterable[Score]) -> str:
    """Count equal reasons, the most frequent first: the reason, then the files it is about."""
    files: dict[str, dict[str, None]] = {}
    counts: Counter[str] = Counter()
    for score in scores:
        reason = plain_reason(score.reason).removeprefix(NOT_SHOWN)
        counts[reason] += 1
        if (name := reason_name(score.reason)) is not None:
            files.setdefault(reason, {})[name] = None
    return _most(counts, {reason: list(names) for reason, names in files.items()})


_Key = tuple[str, int]


def _rejected(published: Mapping[_Key, Score], asked: Sequence[PlannedItem]) -> Iterator[Finding]:
    """Say why the benchmark's own code scores all answers or none, and here none."""
    counts: Counter[str] = Counter()
    for line in asked:
        score = published.get((line.item, line.draw))
        reason = "" if score is None else score.reason or ""
        if reason.startswith(WHOLE_REJECTED):
            task = line.strata.get("task")
            why = reason.removeprefix(WHOLE_REJECTED)
            counts[f"{task}: {why}" if task else why] += 1
    if counts:
        yield Finding(
            severity=Severity.ERROR,
            code="rejected-submission",
            where=f"{counts.total()} of {len(asked)} questions",
            evidence="; ".join(counts),
            effect="the benchmark's own code rejects all of it: nothing has a published score",
            remedy="Mend what it names; the honest profile scores each answer by itself.",
            count=counts.total(),
        )


def _profile_gap(
    honest: dict[_Key, Score], published: dict[_Key, Score], plan: AnalysisPlan
) -> Iterator[Finding]:
    """Say which fault of the published reading moves the number, and for how many replies."""
    faults: Counter[str] = Counter()
    for key, careful in honest.items():
        script = published.get(key)
        if script is None:
            continue
        if script.status in plan.published_drops:
            faults[f"the script drops what it calls {script.status}"] += 1
        elif script.answer is None and careful.answer is not None:
            faults[f"the script reads no answer ({script.reason})"] += 1
        elif script.answer is not None and careful.answer is None:
            faults[f"the script reads an answer where there is none ({careful.reason})"] += 1
        elif script.answer != careful.answer:
            faults["the script reads another answer"] += 1
    if faults:
        yield Finding(
            severity=Severity.WARNING,
            code="profile-gap",
            where=f"{faults.total()} of {len(honest)} replies",
            evidence=_most(faults, {}),
            effect="this is why the published and the honest score differ",
            count=faults.total(),
        )


def _most(reasons: Counter[str], files: Mapping[str, Sequence[str]]) -> str:
    shown = [
        f"{count} × {reason}{_named(files.get(reason, ()))}"
        for reason, count in reasons.most_common(_MOST_REASONS)
    ]
    left = len(reasons) - len(shown)
    return "; ".join(shown) + (f"; and {left} other reasons" if left > 0 else "")


def _named(files: Sequence[str]) -> str:
    if not files:
        return ""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f" ({files[0]}{more})"

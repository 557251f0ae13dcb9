"""What a build holds, what was dropped on the way and why: for people and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.builders.report_qa.audit import Audit, Rate
from overread.builders.report_qa.candidates import Candidate
from overread.builders.report_qa.forms import NO_LABEL
from overread.builders.report_qa.pairs import MOST_PAIRS
from overread.builders.report_qa.pipeline import Generated, Validated
from overread.builders.report_qa.reports import ReportTable
from overread.records import Finding, Profile, Severity, Status

__all__ = ["BuildReport", "make_report", "markdown", "reason_words"]

_MOST_EXAMPLES = 3
_LONGEST_EXAMPLE = 240
_WORDS: Final[Mapping[str, str]] = {
    # What was refused in replies: pairs.py.
    "no-pair": "no object with a question and an answer",
    "question-is-no-text": "the question is no text",
    "answer-is-no-text": "the answer is no text",
    "key-given-twice": "a key stands twice, so it can be read in two ways",
    "empty": "question or answer is empty",
    "too-long": "question or answer is far too long",
    "without-evidence": "no words of the report are quoted as evidence",
    "evidence-not-in-report": "the evidence quoted is not in the report",
    "two-answers-to-one-question": "the same question has another answer",
    "twice-in-the-report": "the same question was asked before",
    "beyond-the-number-asked-for": f"beyond the {MOST_PAIRS} pairs that a report may have",
    # What was dropped of the candidates: forms.py and the audit.
    NO_LABEL: "the validator said nothing of it",
    "not-spatial": "the validator sees no question of place",
    "not-relevant": "the validator sees no use in it",
    "not-supported": "the validator does not find it in the report",
    "audit": "people would drop it",
}
_FROM_A_REPLY = frozenset(
    {"without-evidence", "evidence-not-in-report", "beyond-the-number-asked-for"}
)
"""Reasons that only pairs of a reply can have: those of a file bring no evidence."""


def reason_words(code: str) -> str:
    """Say what a code of `BuildReport.refused` or `BuildReport.dropped` means.

    Examples
    --------
    >>> reason_words("without-evidence")
    'no words of the report are quoted as evidence'
    """
    return _WORDS.get(code, code)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """The counts of a build."""

    profile: Profile
    form: str
    """Version of what was asked and of how replies were read."""
    generator: str
    """Label of the model, or the file that the pairs came from."""
    validator: str
    rows: int
    """Of the table of reports."""
    reports: int
    """Those that were asked about."""
    reports_without_pairs: int
    candidates: int
    kept: int
    """Pairs of the release."""
    put_back: int
    """Of them, those that the validator dropped and people kept."""
    cases: int
    """Volumes that have a pair in the release."""
    patients: int
    refused: Mapping[str, int]
    """Reason → pieces of the generator's replies that became no candidate."""
    dropped: Mapping[str, int]
    """Reason → candidates that are not in the release."""
    examples: Mapping[str, tuple[str, ...]]
    """Reason → the first few pairs behind it."""
    unanswered_requests: int
    """Requests that got no reply; the same command asks them again."""
    begins_with_yes: int
    begins_with_no: int
    """Pairs of the release by the first word of their answer: what a guesser would use."""
    audit: Audit | None
    findings: tuple[Finding, ...]


def make_report(
    *,
    profile: Profile,
    form: str,
    generator: str,
    validator: str,
    table: ReportTable,
    candidates: Sequence[Candidate],
    fates: Mapping[str, str],
    generated: Mapping[str, Generated],
    validated: Mapping[str, Validated],
    audit: Audit | None,
    findings: Sequence[Finding],
) -> BuildReport:
    """Count a build.

    Parameters
    ----------
    fates
        Id of a candidate → ``kept``, or why it is not in the release.
    table
        The reports that were asked about.
    findings
        What was odd before and beside them; those of replies are added here.
    """
    kept = [each for each in candidates if fates[each.id] == "kept"]
    refused = [
        (each.reason, f"{case}: {each.text}")
        for case, one in generated.items()
        for each in one.read.refused
    ]
    dropped = [
        (fates[each.id], f"{each.id}: {each.pair.question} → {each.pair.answer}")
        for each in candidates
        if fates[each.id] != "kept"
    ]
    return BuildReport(
        profile=profile,
        form=form,
        generator=generator,
        validator=validator,
        rows=table.n_rows,
        reports=len(table.reports),
        reports_without_pairs=sum(not one.read.pairs for one in generated.values()),
        candidates=len(candidates),
        kept=len(kept),
        put_back=sum(not each.is_kept for each in kept),
        cases=len({each.case for each in kept}),
        patients=len({each.patient for each in kept}),
        refused=dict(Counter(reason for reason, _ in refused).most_common()),
        dropped=dict(Counter(reason for reason, _ in dropped).most_common()),
        examples=_examples([*refused, *dropped]),
        unanswered_requests=_unanswered_requests(generated, validated),
        begins_with_yes=_beginning("yes", kept),
        begins_with_no=_beginning("no", kept),
        audit=audit,
        findings=(
            # First: the message about a build without any pair quotes the first few.
            *([] if kept else _nothing_usable([*refused, *dropped])),
            *_overfull(generated),
            *findings,
            *_reply_findings(generated, validated),
            *(audit.findings if audit else ()),
        ),
    )


def _unanswered_requests(
    generated: Mapping[str, Generated], validated: Mapping[str, Validated]
) -> int:
    n_failed = sum(one.status is Status.FAILED for one in generated.values())
    return n_failed + sum(one.n_failed for one in validated.values())


def _beginning(word: str, kept: Sequence[Candidate]) -> int:
    """Count the answers whose first word it is."""
    firsts = (each.pair.answer.split(maxsplit=1) for each in kept)
    return sum(bool(first) and first[0].casefold().strip(".,;:!") == word for first in firsts)


def _examples(pieces: Sequence[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for reason, text in pieces:
        if len(found[reason]) < _MOST_EXAMPLES:
            long = len(text) > _LONGEST_EXAMPLE
            found[reason].append(f"{text[:_LONGEST_EXAMPLE]}…" if long else text)
    return {reason: tuple(texts) for reason, texts in found.items()}


def _reply_findings(
    generated: Mapping[str, Generated], validated: Mapping[str, Validated]
) -> Iterator[Finding]:
    unread: dict[str, list[str]] = defaultdict(list)
    failed: dict[str, list[str]] = defaultdict(list)
    for case, one in generated.items():
        if one.status is Status.FAILED:
            # Messages name their item first; one finding stands for all with the same trouble.
            reason = one.reason or "no reply"
            failed[reason.removeprefix(f"item {case}/generate/0: ")].append(case)
        elif one.read.problem:
            unread[one.read.problem].append(case)
    for problem, cases in unread.items():
        yield Finding(
            severity=Severity.WARNING,
            code="generator-reply-unread",
            where=cases[0],
            evidence=problem,
            effect="what of the reply was not whole is not in the exam",
            count=len(cases),
        )
    for reason, cases in failed.items():
        yield _unanswered(cases, f"the generator gave no reply: {reason}", len(cases))
    unlabelled = [case for case, one in validated.items() if one.n_failed]
    if unlabelled:
        n_failed = sum(one.n_failed for one in validated.values())
        yield _unanswered(unlabelled, "the validator gave no reply", n_failed)


def _nothing_usable(pieces: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """Say in words why no pair at all may stay."""
    counts = Counter(reason for reason, _ in pieces)
    if counts:
        yield Finding(
            severity=Severity.ERROR,
            code="no-usable-pair",
            where="replies",
            evidence=", ".join(f"{reason_words(code)}: {n}" for code, n in counts.most_common()),
            effect="nothing is left for an exam",
            remedy="Look at the replies; a stronger model may do.",
            count=counts.total(),
        )


def _overfull(generated: Mapping[str, Generated]) -> Iterator[Finding]:
    """Say that replies held more pairs than the form allows: the model ran on or ran wild."""
    sizes = {
        case: len(one.read.pairs) + len(one.read.refused)
        for case, one in generated.items()
        if any(each.reason in _FROM_A_REPLY for each in one.read.refused)
    }
    overfull = {case: size for case, size in sizes.items() if size > MOST_PAIRS}
    if overfull:
        first, (least, most) = (
            next(iter(overfull)),
            (min(overfull.values()), max(overfull.values())),
        )
        held = f"{most}" if least == most else f"{least} to {most}"
        yield Finding(
            severity=Severity.WARNING,
            code="reply-overfull",
            where=first,
            evidence=f"the reply about a report held {held} pairs, more than the {MOST_PAIRS} that "
            "the form allows",
            effect=f"of one report at most {MOST_PAIRS} pairs are taken, in the reply's order",
            count=len(overfull),
        )


def _unanswered(cases: Sequence[str], evidence: str, count: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="request-unanswered",
        where=cases[0],
        evidence=evidence[:300],
        effect="their pairs are not in the exam",
        remedy="The same command asks them again.",
        count=count,
    )


def markdown(report: BuildReport) -> str:
    """Write a report for people."""
    generator, validator = _plain(report.generator), _plain(report.validator)
    lines = [
        "# Exam built from reports",
        "",
        f"{report.kept} questions on {report.cases} cases of {report.patients} patients, "
        f"{report.profile} profile ({report.form}).",
        "",
        f"Generator: {generator}. Validator: {validator}.",
        "",
        "| step | count |",
        "| --- | ---: |",
        f"| rows of the table | {report.rows} |",
        f"| reports asked about | {report.reports} |",
        f"| reports without a pair | {report.reports_without_pairs} |",
        f"| candidates | {report.candidates} |",
        f"| kept | {report.kept} |",
        *([f"| put back by people | {report.put_back} |"] if report.put_back else []),
        *(f"| dropped: {_said(reason)} | {n} |" for reason, n in report.dropped.items()),
        *(f"| refused in replies: {_said(reason)} | {n} |" for reason, n in report.refused.items()),
        f"| requests without a reply | {report.unanswered_requests} |",
        f"| answers that begin with yes | {report.begins_with_yes} |",
        f"| answers that begin with no | {report.begins_with_no} |",
        "",
        *_audit_lines(report.audit),
        *_example_lines(report.examples),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _audit_lines(audit: Audit | None) -> Iterator[str]:
    if audit is None:
        yield "No person has looked at these questions (`--sheet` writes a sheet for that)."
        yield ""
        return
    yield "## What people said"
    yield ""
    yield (
        f"{audit.n_pairs} pairs judged, {audit.n_open} left open, "
        f"{audit.n_contested} judged differently by two people."
    )
    yield ""
    yield "| share | value | 95 % interval | pairs |"
    yield "| --- | ---: | --- | ---: |"
    yield _rate_line("kept, and people would drop it", audit.wrongly_kept)
    yield _rate_line("dropped, and people would keep it", audit.wrongly_dropped)
    for label, rate in audit.agreement.items():
        yield _rate_line(f"agreement on {label}", rate)
    yield ""


def _rate_line(name: str, rate: Rate) -> str:
    value = "–" if rate.value is None else f"{100 * rate.value:.1f} %"
    between = (
        f"– ({rate.reason})"
        if rate.low is None or rate.high is None
        else f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %"
    )
    return f"| {name} | {value} | {between} | {rate.n} |"


def _example_lines(examples: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if not examples:
        return
    yield "## Examples of what was left out"
    for reason, texts in examples.items():
        yield ""
        yield f"{_said(reason)}:"
        yield ""
        # As code: whatever a reply holds, it is text.
        yield from (f"    {_plain(text)}" for text in texts)


def _said(code: str) -> str:
    return f"{code} ({words})" if (words := reason_words(code)) != code else code


def _plain(text: str) -> str:
    return " ".join(text.split())

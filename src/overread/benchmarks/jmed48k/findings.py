"""What is not asked and why, and what is odd about the rest: one finding a reason, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.jmed48k.layout import N_PAPERS, PROFESSIONS, Paper
from overread.benchmarks.jmed48k.questions import EXCLUSIONS, FLAGS, ExamQuestion
from overread.errors import ImageError, UnsafePathError
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["Exclusion", "exclusions", "look"]

_ASKED_ANYWAY: Final = "the question is asked, fails, and stays in the denominator"
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A question of the release that is not asked."""

    item: str
    profession: str
    year: str
    reason: str
    """One of `questions.EXCLUSIONS`."""
    key: str
    """As released."""


def exclusions(questions: Mapping[str, tuple[Paper, ExamQuestion]]) -> tuple[Exclusion, ...]:
    """List the questions that are not asked, in the release's order."""
    return tuple(
        Exclusion(
            item=name,
            profession=paper.profession,
            year=paper.year,
            reason=asked.exclusion,
            key=asked.answer,
        )
        for name, (paper, asked) in questions.items()
        if asked.exclusion is not None
    )


def look(
    root: Path,
    papers: Sequence[Paper],
    questions: Mapping[str, tuple[Paper, ExamQuestion]],
    *,
    figures: Mapping[str, tuple[str, ...]],
    thorough: bool,
) -> Iterator[Finding]:
    """Look at every question and its figures.

    Parameters
    ----------
    root, papers
        The release, and the question files in it.
    questions
        Item id → paper and question, those that are not asked among them.
    figures
        Item id → paths of what is shown, relative to the release.
    thorough
        Whether figures are decoded too.
    """
    left_out = exclusions(questions)
    for reason, words in EXCLUSIONS.items():
        names = [each.item for each in left_out if each.reason == reason]
        yield from _counted(f"excluded-{reason}", names, questions, f"{words}: not asked")
    for flag, words in FLAGS.items():
        names = [
            name
            for name, (_, asked) in questions.items()
            if flag in asked.flags and asked.exclusion is None
        ]
        effect = f"{words}; asked, and marked in the stratum 'quality'"
        yield from _counted(flag, names, questions, effect)
    repeated = [name for name in questions if "#" in name]
    yield from _counted("repeated-id", repeated, questions, "asked under a name of its own")
    found = {(paper.profession, paper.year) for paper in papers}
    wanted = {paper.year for paper in papers}
    lacking = [
        f"{profession.name} {year}"
        for profession in PROFESSIONS
        for year in sorted(wanted)
        if (profession.name, year) not in found
    ]
    if lacking and len(papers) < N_PAPERS:
        yield Finding(
            severity=Severity.INFO,
            code="missing-papers",
            where=lacking[0],
            evidence=f"{len(papers)} of {N_PAPERS} papers are here",
            effect="macro averages are over the professions that are here",
            count=N_PAPERS - len(papers),
        )
    yield from _pictures(root, figures, thorough=thorough)


def _counted(
    code: str,
    names: Sequence[str],
    questions: Mapping[str, tuple[Paper, ExamQuestion]],
    effect: str,
) -> Iterator[Finding]:
    if not names:
        return
    by_exam = Counter(questions[name][0].profession for name in names)
    counts = ", ".join(f"{profession} {n}" for profession, n in by_exam.items())
    more = ", …" if len(names) > _MOST_NAMED else ""
    yield Finding(
        severity=Severity.INFO if code == "excluded-deleted" else Severity.WARNING,
        code=code,
        where=names[0],
        evidence=f"{len(names)} ({counts}): {', '.join(names[:_MOST_NAMED])}{more}",
        effect=effect,
        count=len(names),
    )


def _pictures(
    root: Path, figures: Mapping[str, tuple[str, ...]], *, thorough: bool
) -> Iterator[Finding]:
    missing: dict[str, str] = {}
    seen: set[str] = set()
    for name, paths in figures.items():
        for path in paths:
            if path in seen:
                continue
            seen.add(path)
            try:
                file = resolve_inside(root, path)
                if not file.is_file():
                    missing[path] = name
                elif thorough:
                    read_slice(file)
            except UnsafePathError as error:
                yield _error("unsafe-path", name, str(error), 1)
            except ImageError as error:
                yield _error("unreadable-image", name, str(error), 1)
    if missing:
        named = ", ".join(list(missing)[:_MOST_NAMED])
        first = next(iter(missing.values()))
        yield _error("missing-image", first, f"{len(missing)}: {named}", len(missing))


def _error(code: str, where: str, evidence: str, count: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code=code,
        where=where,
        evidence=evidence,
        effect=_ASKED_ANYWAY,
        count=count,
    )

"""What is missing or odd in a release of the exam, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from overread.benchmarks.igakuqa119.questions import Question
from overread.errors import ImageError, UnsafePathError, listed
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["look"]

_MOST_NAMED: Final = 8
_ASKED_ANYWAY: Final = "the question is asked, fails, and stays in the denominator"


def look(
    root: Path,
    questions: Mapping[str, Question],
    *,
    keys: Mapping[str, str],
    problems: Mapping[str, str | None],
    figures: Mapping[str, tuple[str, ...]],
    drawn: Mapping[str, tuple[str, ...]],
    thorough: bool,
) -> Iterator[Finding]:
    """Look at every question and its figures.

    Parameters
    ----------
    root
        The release.
    questions
        By item id.
    keys
        The key as released, by number.
    problems
        Item id → why its answer cannot be used.
    figures
        Item id → the figures it is asked with.
    drawn
        Number → all figures that lie in the release.
    thorough
        Whether figures are decoded too.
    """
    for name, asked in questions.items():
        if (problem := problems[name]) is not None:
            yield _finding(Severity.ERROR, "unusable-answer", name, problem, "undefined: no score")
        if "#" in name:
            effect = "asked under a name of its own"
            yield _finding(Severity.WARNING, "repeated-id", name, asked.number, effect)
        for each in asked.problems:
            effect = "letters go by place"
            yield _finding(Severity.WARNING, "odd-options", name, each, effect)
        for path in figures[name]:
            yield from _figure(root, name, path, thorough=thorough)
    yield from _listed(
        Severity.ERROR,
        "missing-image",
        [path for name in questions for path in figures[name] if _is_missing(root, path)],
        _ASKED_ANYWAY,
    )
    yield from _together(questions, keys, drawn)


def _figure(root: Path, name: str, path: str, *, thorough: bool) -> Iterator[Finding]:
    try:
        file = resolve_inside(root, path)
        if thorough and file.is_file():
            read_slice(file)
    except UnsafePathError as error:
        yield _finding(Severity.ERROR, "unsafe-path", name, str(error), _ASKED_ANYWAY)
    except ImageError as error:
        yield _finding(Severity.ERROR, "unreadable-image", name, str(error), _ASKED_ANYWAY)


def _is_missing(root: Path, path: str) -> bool:
    try:
        return not resolve_inside(root, path).is_file()
    except UnsafePathError:
        return False  # told by itself


def _together(
    questions: Mapping[str, Question],
    keys: Mapping[str, str],
    drawn: Mapping[str, tuple[str, ...]],
) -> Iterator[Finding]:
    """Report what many questions may share, once each."""
    asked = {one.number for one in questions.values()}
    yield from _listed(
        Severity.WARNING,
        "unasked-key",
        [number for number in keys if number not in asked],
        "the key answers what is not asked",
    )
    yield from _listed(
        Severity.INFO,
        "options-in-text",
        [name for name, one in questions.items() if one.inline],
        "the list of options is empty; the options are read from the question's text",
    )
    yield from _listed(
        Severity.WARNING,
        "empty-question",
        [name for name, one in questions.items() if not one.text],
        "only the options are shown: nobody can know what is asked",
    )
    lost = [name for name, one in questions.items() if any(not o.text for o in one.options)]
    yield from _listed(
        Severity.WARNING,
        "lost-option",
        lost,
        "an option is not shown, and may be the right one (in "
        f"{sum(_is_lost(questions[name], keys) for name in lost)} of them it is)",
    )
    yield from _listed(
        Severity.WARNING,
        "unflagged-figure",
        [name for name, one in questions.items() if not one.has_image and one.number in drawn],
        "figures lie in the release, and the question says that it has none: they are not shown",
    )
    yield from _listed(
        Severity.INFO,
        "figure-named",
        [n for n, one in questions.items() if not one.has_image and one.names_a_figure],
        "the text says that something is shown, and the release has nothing to show",
    )


def _is_lost(one: Question, keys: Mapping[str, str]) -> bool:
    """Whether the key names an option without a text."""
    lost = {option.letter for option in one.options if not option.text}
    return bool(lost & set(keys.get(one.number, "").lower()))


def _listed(severity: Severity, code: str, names: list[str], effect: str) -> Iterator[Finding]:
    if names:
        evidence = f"{len(names)}: {listed(names, most=_MOST_NAMED)}"
        yield Finding(
            severity=severity,
            code=code,
            where=names[0],
            evidence=evidence,
            effect=effect,
            count=len(names),
        )


def _finding(severity: Severity, code: str, where: str, evidence: str, effect: str) -> Finding:
    return Finding(severity=severity, code=code, where=where, evidence=evidence, effect=effect)

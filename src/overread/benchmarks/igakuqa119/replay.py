"""What a release ships for replay: the stored answers of its models, and its leaderboard.

The solver stores a reply in parts: answer, confidence, explanation, in small letters. They are put
together again in the form that was asked for, so that a parser meets what it would have met. What
is lost cannot be put back: lines outside the three fields, and replies that were sent back to the
model until they had the form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

from overread.benchmarks.igakuqa119 import layout
from overread.benchmarks.igakuqa119.protocol import WITHOUT_FIGURE
from overread.benchmarks.igakuqa119.questions import Question
from overread.contracts.replay import (
    ReleasedPrediction,
    ReleasedPredictions,
    ReleasedQuestion,
    Replay,
)
from overread.records import Finding, PublishedValue, Severity

__all__ = ["build_replay"]

_COUNTS: Final = (
    ("overall_correct", "overall_total", {}),
    ("no_image_correct", "no_image_total", {"image": WITHOUT_FIGURE}),
)
_LONGEST_FIELD: Final = 100_000


def build_replay(
    root: Path,
    questions: Mapping[str, Question],
    *,
    answers: Mapping[str, str],
    patients: Mapping[str, str],
) -> Replay:
    """Read the answer files and the leaderboard.

    Parameters
    ----------
    root
        The release.
    questions, answers, patients
        By item id: the question, its key, its case.
    """
    findings: list[Finding] = []
    predictions: list[ReleasedPredictions] = []
    for model, files in layout.answer_files(root).items():
        rows: list[ReleasedPrediction] = []
        for path in files:
            content, problem = layout.read_json(path, root)
            if problem is not None:
                findings.append(problem)
                continue
            found = list(_rows(content, questions, answers))
            if not found:
                findings.append(_without_rows(path, root))
            rows += found
        if rows:
            file = files[0].relative_to(root).as_posix()
            predictions.append(ReleasedPredictions(model=model, file=file, rows=tuple(rows)))
    published, problems = _leaderboard(root)
    return Replay(
        questions=tuple(
            ReleasedQuestion(
                item=name,
                case=asked.number,
                patient=patients[name],
                question=asked.text,
                answer=answers[name],
            )
            for name, asked in questions.items()
        ),
        predictions=tuple(predictions),
        published=published,
        title_of=layout.MODEL_TITLES,
        findings=(*findings, *problems),
    )


def _rows(
    content: object, questions: Mapping[str, Question], answers: Mapping[str, str]
) -> Iterator[ReleasedPrediction]:
    for row in layout.rows_of(content, "results"):
        number = row.get("question_number")
        asked = questions.get(number) if isinstance(number, str) else None
        text = row.get("question_text")
        yield ReleasedPrediction(
            # A number that is not asked joins nothing.
            case=asked.number if asked else None,
            question=asked.text if asked else str(text)[:_LONGEST_FIELD],
            answer=answers[asked.number] if asked else "",
            prediction=_reply(row.get("answers")),
        )


def _reply(answers: object) -> str | None:
    """Put the first stored answer together again; None where there is an error in its place."""
    if not isinstance(answers, list) or not answers:
        return None
    first = cast("list[object]", answers)[0]
    if not isinstance(first, dict):
        return None
    fields = cast("dict[str, object]", first)
    if fields.get("answer") is None:
        return None
    named = ("answer", "confidence", "explanation")
    lines = (
        f"{name}: {str(fields[name])[:_LONGEST_FIELD]}"
        for name in named
        if fields.get(name) is not None
    )
    return "\n".join(lines)


def _leaderboard(root: Path) -> tuple[tuple[PublishedValue, ...], tuple[Finding, ...]]:
    path = root / layout.LEADERBOARD_FILE
    if not path.is_file():
        return (), ()
    content, problem = layout.read_json(path, root)
    if problem is not None:
        return (), (problem,)
    entries = cast("dict[str, object]", content) if isinstance(content, dict) else {}
    return tuple(
        value
        for who, entry in entries.items()
        if isinstance(entry, dict)
        for value in _values(who, cast("dict[str, object]", entry))
    ), ()


def _values(who: str, entry: Mapping[str, object]) -> Iterator[PublishedValue]:
    for right, total, stratum in _COUNTS:
        count, n = entry.get(right), entry.get(total)
        if isinstance(count, int) and isinstance(n, int) and 0 <= count <= n and n > 0:
            yield PublishedValue(
                metric="accuracy",
                stratum=stratum,
                who=who,
                kind="model",
                value=count / n,
                count=count,
                n=n,
                source=layout.LEADERBOARD_FILE,
            )


def _without_rows(path: Path, root: Path) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unreadable-file",
        where=path.relative_to(root).as_posix(),
        evidence="no list of results",
        effect="its answers are not in any number here",
    )

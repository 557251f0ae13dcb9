"""What is missing or odd in a CT-SpatialVQA release and in the volumes it is asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.questions import Question
from overread.benchmarks.ct_spatialvqa.volumes import VolumeFolder
from overread.errors import ImageError, UnsafePathError
from overread.imaging.read_volume import read_volume, volume_files
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = [
    "case_findings",
    "category_findings",
    "missing_parts",
    "question_findings",
    "volume_findings",
]

_REMEDIES: Final = {
    "missing-volume": "Download these volumes too.",
    "unreadable-volume": "Download these volumes again.",
    "unsafe-path": "Put the files themselves there, or point --media at a folder that holds both "
    "the links and what they lead to.",
}
_MOST_BYTES_READ: Final = 2 * 2**30
_PARTS: Final = (
    (layout.CANDIDATES_FILE, "what the filter dropped cannot be shown"),
    (layout.REPORTS_FILE, "no report can be shown beside its questions"),
    # Up to here a built release has them, too.
    (layout.PREDICTIONS_FOLDER, "no text metric can be recomputed"),
    (layout.VOTES_FOLDER, "no verdict of a judge can be recomputed"),
    (layout.MATRIX_FILE, "recomputed votes are not compared with the released mean"),
    (layout.JURY_FILE, "jury accuracies are compared with the printed table alone"),
    (layout.CATEGORY_FILE, "nothing is compared by category"),
    (layout.TEXT_METRICS_FILE, "text metrics are compared with the printed table alone"),
    (layout.PROGRESS_FILE, "the human audit cannot be recounted"),
)
_N_BUILT: Final = 2


def question_findings(questions: Sequence[Question]) -> Iterator[Finding]:
    """Report questions without an answer, and questions that stand in a case more than once."""
    without = [question.place for question in questions if question.problem]
    if without:
        yield _warning(
            "unusable-answer",
            without,
            "the release has no answer in words",
            "they are asked, stay in the denominator and cannot be scored",
        )
    seen: Counter[tuple[str, str]] = Counter()
    again: list[str] = []
    for question in questions:
        key = (question.case, " ".join(question.question.split()))
        seen[key] += 1
        if seen[key] > 1:
            again.append(question.id)
    if again:
        yield _warning(
            "duplicate-question",
            again,
            "the case has a question of the same words before them",
            "each is asked and counted; rows of predictions are told apart by their answers or, "
            "where those agree too, by their order",
        )


def case_findings(questions: Sequence[Question]) -> Iterator[Finding]:
    """Report cases that stand twice and cases whose name does not tell their patient."""
    twice = [question.id for question in questions if "#" in question.id.rpartition("::")[2]]
    if twice:
        yield _warning(
            "duplicate-case",
            twice,
            "their case stands in the file more than once; most readers keep the last one only",
            "all its questions are asked, the later ones under ids with #2",
        )
    cases = dict.fromkeys(question.case for question in questions)
    unknown = [case for case in cases if not layout.CaseName.of(case).told]
    if unknown:
        yield _warning(
            "unknown-patient",
            unknown,
            "names of cases are not of the form valid_1_a_1.nii.gz",
            "each case is taken as a patient of its own",
        )


def category_findings(questions: Sequence[Question], *, thorough: bool) -> Iterator[Finding]:
    """Report misspelt and unknown labels, pairs without any and, if `thorough`, all counts."""
    counts = Counter(label for question in questions for label in question.labels)
    if not counts:
        return
    usual = Counter(label for question in questions for label in question.categories)
    if thorough:
        yield Finding(
            severity=Severity.INFO,
            code="category-counts",
            where=layout.CATEGORIES_FILE,
            evidence="; ".join(f"{label}: {n}" for label, n in usual.most_common()),
            effect="a pair counts in each of its categories: their results are not independent",
        )
    for label, meant in layout.MISSPELT_CATEGORIES.items():
        if counts[label]:
            yield Finding(
                severity=Severity.WARNING,
                code="misspelt-category",
                where=layout.CATEGORIES_FILE,
                evidence=f"'{label}' stands for '{meant}'",
                effect="counted under the usual name",
                count=counts[label],
            )
    unknown = {label: n for label, n in usual.items() if label not in layout.CATEGORIES}
    if unknown:
        yield Finding(
            severity=Severity.WARNING,
            code="unknown-category",
            where=layout.CATEGORIES_FILE,
            evidence=", ".join(sorted(unknown)[:3]),
            effect="counted as categories of their own",
            count=sum(unknown.values()),
        )
    without = [question.id for question in questions if not question.labels]
    if without:
        yield _warning(
            "no-category", without, "these pairs have no label", "no category counts them"
        )


def missing_parts(root: Path, *, is_built: bool) -> Iterator[Finding]:
    """Report parts of a complete release that are not in the folder.

    One built from other reports was never answered or judged: it has the first parts alone.
    """
    for name, effect in _PARTS[:_N_BUILT] if is_built else _PARTS:
        if not (root / name).exists():
            yield Finding(
                severity=Severity.INFO,
                code="missing-part",
                where=name,
                evidence="not in the folder",
                effect=effect,
            )


def volume_findings(
    questions: Sequence[Question], volumes: VolumeFolder, media: Path, *, thorough: bool
) -> Iterator[Finding]:
    """Report volumes that are absent or cannot be used; one line where there are none at all.

    `thorough` reads volumes too, the first two gigabytes of files: a complete download has hundreds
    of them, and a volume that cannot be read also fails, with its reason, when it is asked about.
    """
    cases = list(dict.fromkeys(question.case for question in questions))
    if not volumes.holds_any:
        yield Finding(
            severity=Severity.INFO,
            code="no-volumes",
            where=media.name,
            evidence=f"none of {len(cases)} volumes is in this folder",
            effect="models that look at volumes cannot be run; scores of predictions can",
            remedy="Download CT-RATE's validation volumes and point --media at their folder.",
        )
        return
    yield from _volume_errors(
        "missing-volume",
        {case: volumes.path_of(case) for case in cases if not volumes.has(case)},
        questions,
    )
    present = {case: volumes.path_of(case) for case in cases if volumes.has(case)}
    files = _Files(media, budget_bytes=_MOST_BYTES_READ if thorough else 0)
    problems = {case: files.problem(path) for case, path in present.items()}
    for code in ("unsafe-path", "unreadable-volume"):
        yield from _volume_errors(
            code,
            {
                case: f"{present[case]} ({problem[1]})"
                for case, problem in problems.items()
                if problem and problem[0] == code
            },
            questions,
        )
    if thorough and files.unread:
        yield Finding(
            severity=Severity.INFO,
            code="volumes-not-read",
            where=_first(files.unread),
            evidence=f"reading stopped after {_MOST_BYTES_READ // 2**30} GB",
            effect="a damaged one among them fails when its questions are asked",
            count=len(files.unread),
        )


def _volume_errors(
    code: str, bad: dict[str, str], questions: Sequence[Question]
) -> Iterator[Finding]:
    if bad:
        asked = sum(question.case in bad for question in questions)
        yield Finding(
            severity=Severity.ERROR,
            code=code,
            where=_first(list(bad.values())),
            evidence=f"{len(bad)} volumes of {asked} questions",
            effect="these questions are not asked, fail, and stay in the denominator",
            remedy=_REMEDIES[code],
            count=len(bad),
        )


class _Files:
    """Reads volumes, one at a time since each may be large, until a budget is spent."""

    def __init__(self, media: Path, *, budget_bytes: int) -> None:
        self._media = media
        self._budget_bytes = budget_bytes
        self.unread: list[str] = []

    def problem(self, path: str) -> tuple[str, str] | None:
        """Give (code, evidence) for a volume that cannot be used."""
        try:
            file = resolve_inside(self._media, path)
            if self._budget_bytes <= 0:
                self.unread.append(path)
                return None
            self._budget_bytes -= sum(part.stat().st_size for part in volume_files(file))
            read_volume(file)
        except UnsafePathError as error:
            return "unsafe-path", str(error)
        except (ImageError, OSError) as error:
            return "unreadable-volume", str(error)
        return None


def _warning(code: str, where: Sequence[str], evidence: str, effect: str) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        code=code,
        where=_first(where),
        evidence=evidence,
        effect=effect,
        count=len(where),
    )


def _first(where: Sequence[str]) -> str:
    return where[0] if len(where) == 1 else f"{where[0]} and {len(where) - 1} more"

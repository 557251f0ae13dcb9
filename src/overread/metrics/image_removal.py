"""What becomes of answers when a question's figures are taken away, and of rates over exams.

Of all pairs of one question with its figures and without, p11 are right twice, p10 with figures
alone, p01 without alone, p00 never. With figures p11 + p10 are right, without p11 + p01; the net
effect is p10 - p01 and persistence p11 / (p11 + p10). Source of the names: arXiv 2605.22080.
"""

from __future__ import annotations

from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = [
    "ACCURACY_WITHOUT_FIGURES",
    "ACCURACY_WITH_FIGURES",
    "ANSWERED",
    "IMAGE_EFFECT",
    "LAST_YEAR_GAP",
    "MACRO_ACCURACY",
    "PERSISTENCE",
    "RIGHT_WITHOUT_ALONE",
    "TEXT_ONLY_ACCURACY",
]


def _share(name: str, title: str, undefined: str) -> MetricSpec:
    return _spec(name, title, undefined, low=0.0)


def _spec(name: str, title: str, undefined: str, *, low: float) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="up",
        low=low,
        high=1.0,
        unit="share",
        properties=frozenset({"order invariant"}),
        undefined=undefined,
    )


MACRO_ACCURACY: Final = _share(
    "macro_accuracy", "Accuracy, mean over professions", "no question is asked"
)
ACCURACY_WITH_FIGURES: Final = _share(
    "accuracy_with_figures", "Right with figures (p11 + p10)", "no question has a figure"
)
ACCURACY_WITHOUT_FIGURES: Final = _share(
    "accuracy_without_figures", "Right with its figures removed (p11 + p01)", "none was removed"
)
IMAGE_EFFECT: Final = _spec(
    "image_effect",
    "Net effect of figures (p10 - p01)",
    "no pair is asked",
    low=-1.0,
)
PERSISTENCE: Final = _share(
    "persistence", "Right answers that persist, p11 / (p11 + p10)", "none is right with figures"
)
RIGHT_WITHOUT_ALONE: Final = _share(
    "right_without_alone",
    "Wrong with figures, right without, p01 / (p01 + p00)",
    "all are right with figures",
)
ANSWERED: Final = _share("answered", "Answered at all, right or wrong", "no reply came")
TEXT_ONLY_ACCURACY: Final = _share(
    "text_only_accuracy", "Right of questions without a figure", "every question has a figure"
)
LAST_YEAR_GAP: Final = _spec(
    "last_year_gap",
    "Last year's accuracy less that of earlier years",
    "there is one year",
    low=-1.0,
)

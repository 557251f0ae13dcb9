"""What a heading says of its column: how many, how many right, an end of an interval, a share."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

__all__ = [
    "IntervalHeading",
    "interval_heading",
    "is_accuracy",
    "is_count",
    "is_how_many",
    "is_right",
    "is_share_name",
    "is_total_row",
    "says_interval",
    "share_word",
]

_SHARE: Final = re.compile(
    r"%|acc|dice|\bdsc\b|\bauc|auroc|\bf1\b|f-score|sens|spec|recall|precision|\bppv\b|\bnpv\b|"
    r"iou|jaccard|kappa|share|rate|overall|correct",
    re.IGNORECASE,
)
_HOW_MANY: Final = re.compile(
    r"(?:n|#\s?\w+|(?:n|num|number|no\.?)[ _]?(?:of[ _])?\w*|counts?|support|total n|test size|"
    r"(?:cases|questions|items|patients|images|samples|volumes|studies|subjects|scans|exams)"
    r"(?:[ _]n)?)",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(
    r"(?:k|hits?|correct|right|solved|(?:n|#|num|number|no\.?)[ _]?(?:of[ _])?"
    r"(?:correct|right|hits?)(?: answers)?|(?:correct|right)[ _](?:n|answers|count))",
    re.IGNORECASE,
)
_THINGS: Final = re.compile(
    r"\b(?:"
    r"n|k|tp|tn|fp|fn|hits|correct|right|wrong|errors|mistakes|failures|failed|cases|"
    r"questions|items|patients|images|samples|volumes|studies|subjects|scans|exams|slices|"
    r"lesions|nodules|events|positives|negatives|people|participants|readers|sites|"
    r"hospitals|centres|centers|count|counts|support|answered|unanswered|refused|unparsed"
    r")\b"
)
_ACCURACY: Final = re.compile(
    r"acc(?:uracy)?|exact[ _-]?match|em|(?:share|percent(?:age)?|%|rate)(?: (?:of )?)?"
    r"(?:correct|right)|(?:correct|right)[ ,]*\(?%\)?|success rate",
    re.IGNORECASE,
)
_NOT_PLAIN: Final = re.compile(r"balanced|macro|weighted|mean|avg|average", re.IGNORECASE)
_LOW: Final = re.compile(
    r"\b(?:low(?:er)?|lo|lcl|ll|l95|lb|2\.5\s?%|5\s?%(?!\d))(?:\s(?:bound|limit|end))?\b",
    re.IGNORECASE,
)
_HIGH: Final = re.compile(
    r"\b(?:high(?:er)?|hi|up(?:per)?|ucl|ul|u95|ub|97\.5\s?%)(?:\s(?:bound|limit|end))?\b",
    re.IGNORECASE,
)
_INTERVAL: Final = re.compile(r"\bci\b|\bcis\b|confidence|credible|interval", re.IGNORECASE)
_LEVEL: Final = re.compile(r"\b(80|90|95|99)\s?%?")
_TOTAL_ROW: Final = re.compile(
    r"\b(?:mean|averages?|avg|overall|total|all|sum|pooled|macro|micro|median)\b", re.IGNORECASE
)


class IntervalHeading(NamedTuple):
    """What the heading of an end of an interval, or of both ends, says."""

    stem: str
    """What is left without the words of an interval; empty where nothing is."""
    end: Literal["low", "high", "both"]
    level: float | None
    """None where the heading names none."""
    says_interval: bool
    """Whether it says that it is a confidence interval: a lowest site has a low end too."""


def is_share_name(name: str) -> bool:
    """Tell whether a heading names a share.

    Examples
    --------
    >>> is_share_name("accuracy"), is_share_name("FPV")
    (True, False)
    """
    return bool(_SHARE.search(name))


def share_word(name: str) -> str:
    """Give the word by which a heading names a share, such as ``acc``; empty where it has none.

    Several measures of one table may have ``rate`` or a percent sign: these tell nothing.
    """
    words = [found.group().casefold() for found in _SHARE.finditer(name)]
    return next((word for word in words if word not in ("%", "rate", "share", "overall")), "")


def is_how_many(name: str) -> bool:
    """Tell whether a heading may say how many items there are in all."""
    return bool(_HOW_MANY.fullmatch(name.strip())) and not is_right(name)


def is_right(name: str) -> bool:
    """Tell whether a heading may say how many items are right.

    Examples
    --------
    >>> is_right("n correct"), is_right("correct (%)")
    (True, False)
    """
    return bool(_RIGHT.fullmatch(name.strip()))


def is_count(name: str) -> bool:
    """Tell whether whole numbers below a heading are counts.

    Examples
    --------
    >>> is_count("TP (test)"), is_count("patients"), is_count("per-case recall")
    (True, True, False)
    """
    if is_how_many(name) or is_right(name):
        return True
    words = " ".join(re.findall(r"[a-z]+", name.casefold()))
    return not is_share_name(name) and bool(_THINGS.search(words))


def is_accuracy(name: str) -> bool:
    """Tell whether a heading names a share of items, each of them right or wrong.

    Dice, AUC, sensitivity and their like are none: they have other denominators.
    """
    bare = re.sub(r"[(\[]\s*%\s*[)\]]|,?\s*%$|[↑↓]", "", name).strip()
    words = _ACCURACY.search(bare)
    return (
        words is not None
        and (words.span() == (0, len(bare)) or bool(re.search(r"\bacc(?:uracy)?\b", bare, re.I)))
        and not _NOT_PLAIN.search(name)
    )


def says_interval(name: str) -> bool:
    """Tell whether a heading names a confidence interval."""
    return bool(_INTERVAL.search(name))


def interval_heading(name: str) -> IntervalHeading | None:
    """Read the heading of an interval; None where it names none.

    Examples
    --------
    >>> interval_heading("accuracy 95% CI low")
    IntervalHeading(stem='accuracy', end='low', level=0.95, says_interval=True)
    >>> interval_heading("accuracy") is None
    True
    """
    plain = name.replace("_", " ").strip()
    low, high = _LOW.search(plain), _HIGH.search(plain)
    named = says_interval(plain)
    end: Literal["low", "high", "both"]
    if low and not high:
        end = "low"
    elif high and not low:
        end = "high"
    elif named:
        end = "both"
    else:
        return None
    level = _LEVEL.search(plain)
    stem = plain
    for pattern in (_LOW, _HIGH, _INTERVAL, _LEVEL):
        stem = pattern.sub(" ", stem)
    stem = " ".join(re.sub(r"[^\w]+", " ", stem).split())
    return IntervalHeading(
        stem=stem,
        end=end,
        level=int(level[1]) / 100 if level else None,
        says_interval=named or level is not None,
    )


def is_total_row(name: str) -> bool:
    """Tell whether a row is named as a mean or a total of others."""
    return bool(_TOTAL_ROW.search(name))

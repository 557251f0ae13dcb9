"""Reads one number as people print it: bold, with ±, with a rank, with a percent sign.

A printed number is kept as printed: how many digits stand after the decimal mark decides which
values it can be the rounding of, so ``0.50`` and ``0.5`` are two readings. A cell that holds no
number, or one that can be read in two ways, has no value; it never becomes 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Final, Literal

__all__ = ["LONGEST_NUMBER", "DecimalMark", "PrintedNumber", "read_number", "without_markup"]

DecimalMark = Literal[".", ","]

LONGEST_NUMBER: Final = 200
"""Characters; a longer cell is prose and is not searched for a number."""

_MISSING: Final = frozenset(
    (
        *("", "-", "--", "---", "–", "—", "−", "‒", "/", "?", "…", "...", ".", "∅"),
        *("n/a", "n.a.", "na", "nan", "none", "null", "nil", "missing", "not reported", "n.r."),
    )
)
_MARKUP: Final = (
    ("bold", re.compile(r"\\textbf\s*\{([^{}]*)\}")),
    ("bold", re.compile(r"\\mathbf\s*\{([^{}]*)\}")),
    ("underline", re.compile(r"\\underline\s*\{([^{}]*)\}")),
    ("italic", re.compile(r"\\(?:textit|emph)\s*\{([^{}]*)\}")),
    ("bold", re.compile(r"<(?:b|strong)>([^<]*)</(?:b|strong)>", re.IGNORECASE)),
    ("underline", re.compile(r"<u>([^<]*)</u>", re.IGNORECASE)),
    ("italic", re.compile(r"<(?:i|em)>([^<]*)</(?:i|em)>", re.IGNORECASE)),
    ("bold", re.compile(r"\*\*([^*]*)\*\*")),
    ("bold", re.compile(r"__([^_]*)__")),
    ("italic", re.compile(r"(?<!\w)\*([^*\s][^*]*)\*")),
    ("italic", re.compile(r"(?<!\w)_([^_]*)_(?!\w)")),
    ("code", re.compile(r"`([^`]*)`")),
)
_FOOTNOTE: Final = (
    re.compile(r"<sup>\s*([^<]*?)\s*</sup>", re.IGNORECASE),
    re.compile(r"\$?\^\s*\{?\s*([^{}$]*?)\s*\}?\$"),
    re.compile(r"\\textsuperscript\s*\{([^{}]*)\}"),
    re.compile(r"\^\{([^{}]*)\}"),
    re.compile(r"([*†‡§¶#¹²³⁰⁴-⁹ᵃ-ᵛ]+)$"),
)
_UNIT: Final = r"(?:ml|mL|ML|mm|cm|HU|Gy|ms|s|pp|pts|points|point|years|min|GB|MB|kB)[²³]?"
_SPACES: Final = re.compile(r"[\s\u00a0\u2007\u2009\u202f~]+")
_WIDE: Final = str.maketrans("０１２３４５６７８９．，％（）［］＋－±", "0123456789.,%()[]+-±")
_ARROWS: Final = re.compile(r"[↑↓⬆⬇▲▼△▽]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedNumber:
    """What a cell says."""

    text: str
    """The cell as it stands."""
    value: float | None
    """The number as printed: ``24.5`` for ``24.5 %`` and for ``24.5``. None where the cell holds
    none."""
    decimals: int = 0
    """Digits after the decimal mark: the last one is worth ``10**-decimals`` (negative where an
    exponent says so: ``3.2e2`` has -1). A fraction (``47/55``) is exact, and has 28."""
    is_percent: bool = False
    """Whether a percent sign stands behind it."""
    spread: float | None = None
    """What follows ±, or stands in brackets with digits after the decimal mark."""
    low: float | None = None
    """Lower end of a printed interval."""
    high: float | None = None
    marks: tuple[str, ...] = ()
    """What else the cell holds: ``bold``, ``underline``, ``rank 3``, ``footnote *``, ``unit ml``,
    ``≈``."""
    digits: str | None = None
    """The number in plain digits with a decimal point, for exact arithmetic: ``-1234.50``."""
    spread_digits: str | None = None
    interval_digits: tuple[str, str] | None = None
    count: int | None = None
    """The upper number of a printed fraction: 47 of ``47/55`` or ``85.5 (47/55)``."""
    n: int | None = None
    """The lower one."""

    @property
    def is_missing(self) -> bool:
        """Whether the cell is empty or says that there is nothing: a dash, ``n/a``."""
        return self.value is None and _plain(self.text).casefold() in _MISSING

    @property
    def exact(self) -> Decimal | None:
        """The number without binary rounding; None where there is none."""
        return None if self.digits is None else Decimal(self.digits)

    @property
    def rank(self) -> int | None:
        """The rank printed in brackets behind the number; None where there is none."""
        found = [mark for mark in self.marks if mark.startswith("rank ")]
        return int(found[0].removeprefix("rank ")) if found else None


def read_number(text: str, *, decimal: DecimalMark = ".") -> PrintedNumber:
    r"""Read a cell of a table.

    Understood are: markup (``**x**``, ``\textbf{x}``, ``<b>x</b>``, ``$x$``), a percent sign,
    ``x ± y``, ``x (0.03)`` (a spread: it has decimals), ``x (3)`` (a rank: it has none),
    ``x [low, high]``, ``x (low–high)``, ``47/55``, ``47/55 (85.5 %)``, footnote signs, Unicode
    minus, thousands set off by the other mark, by a space or by an apostrophe, a leading decimal
    mark, exponents.

    Parameters
    ----------
    text
        The cell. Never raises, whatever it holds; time grows linearly, and a cell of more than
        `LONGEST_NUMBER` characters has no value.
    decimal
        What parts whole digits from the rest. The other one can only set off thousands:
        ``0,5`` has no value where the mark is a point, for 5 and 0.5 are two numbers.

    Returns
    -------
    PrintedNumber
        With `value` None where the cell is empty, a dash, prose, a mere bound (``<0.001``), a mere
        interval (whose ends are given), or not readable under this decimal mark.

    Examples
    --------
    >>> read_number("**61.3 ± 1.2**").spread
    1.2
    >>> read_number("1.234,50 %", decimal=",").digits
    '1234.50'
    >>> read_number("0.6619 (3)").marks
    ('rank 3',)
    """
    if len(text) > LONGEST_NUMBER:
        return PrintedNumber(text=text, value=None)
    body, marks = _without_marks(text)
    number = _reading(decimal).read(body)
    if number is None:
        return PrintedNumber(text=text, value=None, marks=tuple(marks))
    return replace(number, text=text, marks=tuple(dict.fromkeys((*marks, *number.marks))))


def without_markup(text: str) -> str:
    """Take bold, italic and underline off a text, and join its spaces: for names and headings.

    Examples
    --------
    >>> without_markup(r"**Best**  model")
    'Best model'
    """
    if len(text) > LONGEST_NUMBER:
        return " ".join(text.split())
    body, _ = _peel(text)
    return " ".join(body.split())


def _plain(text: str) -> str:
    return _without_marks(text)[0] if len(text) <= LONGEST_NUMBER else text


def _peel(text: str) -> tuple[str, list[str]]:
    """Take the markup of emphasis off; nested markup needs a pass for each level."""
    marks: list[str] = []
    for _ in range(3):
        before = text
        for mark, pattern in _MARKUP:
            text, n = pattern.subn(r"\1", text)
            if n:
                marks.append(mark)
        if text == before:
            break
    return text, marks


def _without_marks(text: str) -> tuple[str, list[str]]:
    """Give the bare number and what was taken off it."""
    text = text.translate(_WIDE)
    body, marks = _peel(text.replace("\\%", "%").replace("\\pm", "±").replace("\\,", " "))
    body = _ARROWS.sub("", body)
    for pattern in _FOOTNOTE:
        found = pattern.search(body.rstrip())
        if found and found.group(1) and found.group(0) != body.strip():
            marks.append(f"footnote {found.group(1)}")
            body = body[: found.start()] + body[found.end() :]
    body = body.replace("$", "").replace("{", "").replace("}", "")
    for dash in "−‒﹣":
        body = body.replace(dash, "-")
    body = body.replace("+/-", "±").replace("+-", "±")
    body = _SPACES.sub(" ", body).strip()
    if body[:1] in ("≈", "∼") and len(body) > 1:
        marks.append("≈")
        body = body[1:].lstrip()
    return body, marks


class _Reading:
    """The grammar under one decimal mark."""

    def __init__(self, decimal: DecimalMark) -> None:
        point, group = (r"\.", ",") if decimal == "." else (",", r"\.")
        parted = rf"[1-9][0-9]{{0,2}}(?:(?:{group}[0-9]{{3}})+|(?:[ '’][0-9]{{3}})+)"
        whole = rf"(?:{parted}|[0-9]+)"
        number = rf"[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?"
        self._point = "." if decimal == "." else ","
        self._number = re.compile(number)
        self._cell = re.compile(
            rf"(?P<value>{number})\s?(?P<percent>%)?"
            rf"(?:\s?±\s?(?P<spread>{number})\s?(?P<percent_of_spread>%)?)?"
            rf"(?:\s?(?P<unit>{_UNIT}))?"
            r"(?P<rest>(?:\s?[(\[][^()\[\]]*[)\]]){0,3})"
        )
        self._whole_interval = re.compile(
            rf"[\[(]\s?(?P<low>{number})\s?%?\s?(?:,|;|–|—|to|\.\.|-)\s?"
            rf"(?P<high>{number})\s?%?\s?[)\]]"
        )
        self._fraction = re.compile(r"(?P<count>[0-9]{1,9})\s?(?:/|of)\s?(?P<n>[0-9]{1,9})")
        self._fraction_and_share = re.compile(
            rf"{self._fraction.pattern}\s?(?:[=:,;]\s?(?P<after>[^()\[\]]*)|"
            r"(?P<open>[(\[])(?P<inner>[^()\[\]]*)[)\]](?P<rest>(?:\s?[(\[][^()\[\]]*[)\]]){0,2}))"
        )
        self._alone = re.compile(rf"(?P<value>{number})\s?%?")

    def read(self, body: str) -> PrintedNumber | None:
        fraction = self._fraction.fullmatch(body)
        if fraction:
            return _of_fraction(int(fraction["count"]), int(fraction["n"]))
        shared = self._fraction_and_share.fullmatch(body)
        if shared:
            return self._with_share(shared)
        ends = self._whole_interval.fullmatch(body)
        if ends:
            return self._only_interval(ends)
        found = self._cell.fullmatch(body)
        if found is None:
            ends = self._whole_interval.fullmatch(f"[{body}]")
            return self._only_interval(ends) if ends else None
        digits, decimals = self._digits(found["value"])
        number = PrintedNumber(
            text=body,
            value=float(digits),
            decimals=decimals,
            is_percent=bool(found["percent"] or found["percent_of_spread"]),
            digits=digits,
            marks=(f"unit {found['unit']}",) if found["unit"] else (),
        )
        if found["spread"]:
            number = self._with_spread(number, found["spread"])
        for inner in re.findall(r"[(\[][^()\[\]]*[)\]]", found["rest"]):
            number = self._with_bracket(number, inner)
        return number

    def _with_share(self, found: re.Match[str]) -> PrintedNumber | None:
        """Read ``45/60 (75.0 %)``: the share is the number, and the counts stand beside it."""
        count, n = int(found["count"]), int(found["n"])
        after = found["after"] if found["inner"] is None else found["inner"]
        share = self._alone.fullmatch(after.strip())
        if share is None:
            interval = self._whole_interval.fullmatch(f"[{after.strip()}]")
            pair = _of_fraction(count, n)
            if interval is None or pair is None:
                return None
            low, high = (self._digits(interval[name])[0] for name in ("low", "high"))
            # Ends beyond 1 are percentages: the share stands on their scale.
            if float(high) > 1 and pair.value is not None:
                share_digits = format(Decimal(100 * count) / Decimal(n), "f")
                pair = replace(pair, value=100 * pair.value, digits=share_digits, is_percent=True)
            return replace(pair, low=float(low), high=float(high), interval_digits=(low, high))
        number = self.read(after.strip() + (found["rest"] or ""))
        if number is None or not n or count > n:
            return None
        return replace(number, count=count, n=n)

    def _only_interval(self, found: re.Match[str]) -> PrintedNumber:
        """Read ``[62.8, 84.2]``: an interval whose value stands elsewhere."""
        low, high = (self._digits(found[name])[0] for name in ("low", "high"))
        return PrintedNumber(
            text=found.string,
            value=None,
            low=float(low),
            high=float(high),
            interval_digits=(low, high),
        )

    def _with_spread(self, number: PrintedNumber, text: str) -> PrintedNumber:
        digits, _ = self._digits(text)
        if digits.startswith("-"):
            return number
        return replace(number, spread=float(digits), spread_digits=digits)

    def _with_bracket(self, number: PrintedNumber, bracket: str) -> PrintedNumber:
        inner = bracket[1:-1].strip()
        inner = re.sub(r"^(?:95\s?%\s?)?CI[:\s]\s?", "", inner)
        fraction = self._fraction.fullmatch(inner)
        if fraction:
            return replace(number, count=int(fraction["count"]), n=int(fraction["n"]))
        interval = self._whole_interval.fullmatch(f"[{inner}]")
        if interval and number.low is None:
            low, high = (self._digits(interval[name])[0] for name in ("low", "high"))
            return replace(number, low=float(low), high=float(high), interval_digits=(low, high))
        counted = re.fullmatch(r"[nN] ?= ?([0-9]{1,9})", inner)
        if counted:
            return replace(number, n=int(counted[1]))
        ranked = re.fullmatch(r"#?([0-9]{1,4})(?:st|nd|rd|th|\.)?", inner)
        if ranked and number.rank is None:
            return replace(number, marks=(*number.marks, f"rank {int(ranked[1])}"))
        if inner.startswith("±"):
            inner = inner[1:].lstrip()
        alone = self._alone.fullmatch(inner)
        if alone and number.spread is None and alone["value"][0] not in "+-":
            return self._with_spread(number, alone["value"])
        return replace(number, marks=(*number.marks, bracket))

    def _digits(self, text: str) -> tuple[str, int]:
        """Write a number in plain digits, and say how many of them follow the point."""
        kept = text.replace("’", "'").replace("'", "").replace(" ", "").removeprefix("+")
        kept = kept.replace("," if self._point == "." else ".", "").replace(self._point, ".")
        mantissa, _, exponent = kept.lower().partition("e")
        decimals = len(mantissa.partition(".")[2]) - (int(exponent) if exponent else 0)
        if mantissa.endswith("."):
            mantissa = mantissa[:-1]
        sign = "-" if mantissa.startswith("-") else ""
        bare = mantissa.removeprefix("-")
        bare = f"0{bare}" if bare.startswith(".") else bare
        if not exponent:
            return sign + bare, decimals
        return format(Decimal(f"{sign}{bare}e{exponent}"), "f"), decimals


@cache
def _reading(decimal: DecimalMark) -> _Reading:
    return _Reading(decimal)


def _of_fraction(count: int, n: int) -> PrintedNumber | None:
    if n == 0 or count > n:
        return None
    share = Decimal(count) / Decimal(n)
    return PrintedNumber(
        text="",
        value=count / n,
        decimals=28,
        digits=format(share, "f"),
        count=count,
        n=n,
    )

"""How numbers and names are written on every page: one place, so that no two pages differ.

A number that is not there is a dash with its reason beside it, never a zero.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath

from overread.records import Estimate, JsonValue, Manifest

__all__ = [
    "MISSING",
    "Shown",
    "command_text",
    "count",
    "folder_name",
    "gain",
    "independent_units",
    "metric_number",
    "moment",
    "p_value",
    "percent",
    "sentence",
    "settings_text",
    "show_estimate",
    "size",
    "stratum_label",
]

MISSING = "–"
"""Stands for a number that does not exist."""

_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
"""A name made for machines, whose dashes stand for spaces."""
_MINUS = "\N{MINUS SIGN}"
_THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An estimate in words: its value, its interval and, when undefined, why."""

    value: str
    interval: str
    """``35.9 to 40.3``; empty when there is none."""
    reason: str = ""
    counts: str = ""
    """``0 of 304``: stands for the interval of a share of none or all, which has none when items
    of one patient hang together (resampled patients all say the same)."""


def percent(share: float | None, *, digits: int = 1) -> str:
    """Write a share as per cent without the sign: 0.3814 → ``38.1``; None or NaN → a dash."""
    if share is None or not math.isfinite(share):
        return MISSING
    return _signed(f"{100 * share:.{digits}f}")


def gain(share: float | None) -> str:
    """Write a difference of shares in percentage points with its sign: 0.12 → ``+12.0``."""
    if share is None or not math.isfinite(share):
        return MISSING
    return _signed(f"{100 * share:+.1f}")


def count(number: int | None) -> str:
    """Write a count with thin spaces between thousands, as in 20 335; None → a dash."""
    return MISSING if number is None else f"{number:,}".replace(",", _THIN_SPACE)


def size(number: int) -> str:
    """Write a number of bytes for people: 180000 → ``180 kB``."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= scale:
            return f"{number / scale:.3g}{_THIN_SPACE}{unit}"
    return f"{number}{_THIN_SPACE}B"


def p_value(p: float | None) -> str:
    """Write a p value: three digits, ``< 0.001`` below; None → a dash."""
    if p is None or not math.isfinite(p):
        return MISSING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def show_estimate(estimate: Estimate | None, *, signed: bool = False) -> Shown:
    """Put an estimate of a share (or, `signed`, of a difference of shares) into words."""
    if estimate is None:
        return Shown(value=MISSING, interval="", reason="not estimated")
    write = gain if signed else percent
    if estimate.value is None:
        return Shown(value=MISSING, interval="", reason=estimate.reason or str(estimate.status))
    if estimate.low is None or estimate.high is None:
        return Shown(
            value=write(estimate.value),
            interval="",
            reason=estimate.reason or "",
            counts="" if signed else _none_or_all(estimate.value, estimate.n),
        )
    return Shown(
        value=write(estimate.value),
        interval=f"{write(estimate.low)} to {write(estimate.high)}",
        reason=estimate.reason or "",
    )


def _none_or_all(share: float, n: int) -> str:
    if share not in (0.0, 1.0) or n == 0:
        return ""
    return f"{count(n if share else 0)} of {count(n)}"


def moment(iso: str) -> str:
    """Write a time for people, to the minute: ``2026-11-30 16:40 UTC``; other text as it is."""
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    if time.tzinfo is not None:
        time = time.astimezone(UTC)
    return f"{time:%Y-%m-%d %H:%M}{' UTC' if time.tzinfo else ''}"


def folder_name(path: str) -> str:
    r"""Name a folder without saying where it lies: ``/home/me/ct-bench/`` → ``ct-bench``.

    A report is passed on; the paths of the machine it was made on are nobody's business. Both
    slashes count, for a run file may come from another system.
    """
    return next((part for part in reversed(re.split(r"[\\/]", path)) if part), path)


def command_text(manifest: Manifest) -> str:
    """Write a run's command, a release that it names by its whole path by its name alone."""
    root = manifest.release_root
    is_whole = PurePosixPath(root).is_absolute() or PureWindowsPath(root).is_absolute()
    return manifest.command.replace(root, folder_name(root)) if is_whole else manifest.command


def sentence(text: str) -> str:
    """Begin with a capital and end with a stop: ``one slice: which size?`` stays a question."""
    text = text.strip()
    if not text:
        return ""
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}"


def settings_text(settings: Mapping[str, JsonValue]) -> str:
    """Write a mapping of settings on one line, sorted: ``seed: 0, temperature: 0.0``."""
    if not settings:
        return "none"
    return ", ".join(
        f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in sorted(settings.items())
    )


def stratum_label(stratum: Mapping[str, str]) -> str:
    """Name a stratum: ``All questions``, ``with box`` or ``img2txt · no box``."""
    if not stratum:
        return "All questions"
    return " · ".join(_value_label(key, value) for key, value in stratum.items())


def metric_number(value: float | None) -> str:
    """Write the value of a metric that is no share: ``0.372``, ``16.45``; None → a dash."""
    if value is None or not math.isfinite(value):
        return MISSING
    return _signed(f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}")


def _value_label(key: str, value: str) -> str:
    if value == "yes-no":
        return "yes or no"
    is_slug = key != "task" and _SLUG.fullmatch(value)
    shown = value.replace("-", " ").replace("_", " ") if is_slug else value
    if shown == key:
        return f"with {shown}"
    return f"{key} {shown}" if shown.isdigit() else shown


def _signed(text: str) -> str:
    """Use a real minus sign, and none at all before a number that rounds to zero."""
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", _MINUS)


def independent_units(estimate: Estimate) -> str:
    """Count the independent units behind an estimate, by the name its interval gives them.

    Examples
    --------
    ``3,099 images`` of a release that names no patient; empty where no unit is named.
    """
    if estimate.n_clusters is None:
        return ""
    told = re.search(r"\((\w+)\)$", estimate.method)
    unit = told[1].replace("_", " ") if told else "patient"
    plural = f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"
    return f"{count(estimate.n_clusters)} {unit if estimate.n_clusters == 1 else plural}"

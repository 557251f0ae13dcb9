"""The page of a probe: what the score rests on, arm by arm, and one question as each arm saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from overread.analysis.probe_words import arm_sentence, rests_on, silence_sentence
from overread.analysis.probing import ArmEffect, ArmExample
from overread.contracts import Renderer
from overread.errors import UsageError
from overread.records import Media, Recipe
from overread.registry import find_perturbation
from overread.report.marks import Axis, Mark, symmetric_axis
from overread.report.page import asset, content_policy, environment, write_whole
from overread.report.previews import PREVIEW
from overread.report.probe_data import ProbeReport
from overread.report.thumbnails import Role, Shelf, Thumbnail, make_shelf
from overread.report.wording import count, gain, moment, p_value, percent, stratum_label

__all__ = ["write_probe_page"]

_MOST_OPTIONS = 8
_LONGEST_REPLY = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One stretch of the bar of four states."""

    kind: str
    x: str
    width: str
    label: str
    """The count, where there is room for it."""
    middle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One arm of the profile."""

    name: str
    summary: str
    n: str
    n_clusters: str
    values: str
    effect: str
    interval: str
    p: str
    pieces: tuple[_Piece, ...]
    counts: str
    mark: Mark | None
    verdict: str
    sentence: str
    silence: str
    left_out: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _StratumRow:
    """One arm in one stratum."""

    name: str
    stratum: str
    n: str
    values: str
    effect: str
    interval: str
    states: str
    p: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    letter: str
    text: str
    thumbnails: tuple[Thumbnail, ...]
    is_right: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """The example question as one arm asked it."""

    arm: str
    summary: str
    question: str
    thumbnails: tuple[Thumbnail, ...]
    missing: str
    """Why no picture is shown."""
    options: tuple[_Option, ...]
    n_more: int
    outcome: str
    """``right``, ``wrong`` or ``none``."""
    said: str
    reference: str


def write_probe_page(report: ProbeReport, path: Path, render: Renderer) -> Path:
    """Write the page of a probe as one HTML file that opens offline.

    Parameters
    ----------
    report
        The probe.
    path
        The file; replaced once the new one is whole.
    render
        Turns the example's media into pictures; one that cannot be shown is told as such.
    """
    probed = report.probed
    bounds = [bound for arm in probed.arms for bound in (arm.low, arm.high, arm.net_effect)]
    axis = symmetric_axis([bound for bound in bounds if bound is not None])
    style = asset("report.css") + asset("probe.css")
    page = (
        environment()
        .get_template("probe.html.j2")
        .render(
            report=report,
            rests_on=rests_on(probed),
            axis=axis,
            rows=[_row(arm, axis) for arm in probed.arms],
            has_states=any(arm.states is not None for arm in probed.arms),
            not_applied=[
                (name, _summary(name), _reasons(reasons))
                for name, reasons in probed.not_applied.items()
            ],
            strata=[_stratum_row(arm) for arm in probed.by_stratum],
            cards=_cards(report.examples, render),
            original=probed.original,
            metric=probed.metric.replace("_", " "),
            count=count,
            percent=percent,
            moment=moment,
            style=style,
            policy=content_policy(script=None, style=style),
        )
    )
    return write_whole(path, page)


def _row(arm: ArmEffect, axis: Axis) -> _Row:
    return _Row(
        name=arm.name,
        summary=_summary(arm.name),
        n=count(arm.n),
        n_clusters="" if arm.n_clusters is None else f"{count(arm.n_clusters)} {arm.unit}s",
        values=f"{percent(arm.original)} → {percent(arm.changed)} %",
        effect=gain(-arm.net_effect) if arm.net_effect else "0.0",
        interval=_interval(arm),
        p=p_value(arm.p_holm),
        pieces=tuple(_pieces(arm)),
        counts=_counts(arm),
        mark=axis.mark(-arm.net_effect, *_bounds(arm)),
        verdict="worse" if arm.falls else "better" if arm.rises else "level",
        sentence=arm_sentence(arm),
        silence=silence_sentence(arm),
        left_out=_reasons(arm.left_out),
        reason=arm.reason or "",
    )


def _bounds(arm: ArmEffect) -> tuple[float | None, float | None]:
    """Give the interval of the change of the score: the effect is what the change costs."""
    if arm.low is None or arm.high is None:
        return None, None
    return -arm.high, -arm.low


def _interval(arm: ArmEffect) -> str:
    low, high = _bounds(arm)
    return "" if low is None or high is None else f"{gain(low)} to {gain(high)}"


def _pieces(arm: ArmEffect) -> Iterable[_Piece]:
    states = arm.states
    if states is None or not states.n:
        return
    start = 0.0
    for kind, n in (
        ("kept", states.right_right),
        ("lost", states.right_wrong),
        ("won", states.wrong_right),
        ("never", states.wrong_wrong),
    ):
        width = 100 * n / states.n
        if n:
            yield _Piece(
                kind=kind,
                x=f"{start:.3f}%",
                width=f"{width:.3f}%",
                label=str(n) if width >= 7 else "",
                middle=f"{start + width / 2:.3f}%",
            )
        start += width


def _counts(arm: ArmEffect) -> str:
    states = arm.states
    if states is None:
        return ""
    return (
        f"right and right {states.right_right}, right and wrong {states.right_wrong}, "
        f"wrong and right {states.wrong_right}, wrong and wrong {states.wrong_wrong}"
    )


def _stratum_row(arm: ArmEffect) -> _StratumRow:
    states = arm.states
    return _StratumRow(
        name=arm.name,
        stratum=stratum_label(arm.stratum),
        n=count(arm.n),
        values=f"{percent(arm.original)} → {percent(arm.changed)}",
        effect=gain(-arm.net_effect) if arm.net_effect else "0.0",
        interval=_interval(arm),
        states=""
        if states is None
        else f"{states.right_right} / {states.right_wrong} / {states.wrong_right} / "
        f"{states.wrong_wrong}",
        p=p_value(arm.p_holm),
    )


def _summary(name: str) -> str:
    if name == "original":
        return "as released"
    try:
        return find_perturbation(name).summary
    except UsageError:
        return "of a package that is not installed here"


def _reasons(reasons: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(f"{count(n)} left out: {reason}" for reason, n in reasons.items())


# ---------------------------------------------------------------- the example


def _cards(examples: Iterable[ArmExample], render: Renderer) -> list[_Card]:
    shown = list(examples)
    wanted = [_entry(media) for example in shown for media in _media_of(example)]
    shelf = make_shelf(wanted, render)
    return [_card(example, shelf) for example in shown]


def _media_of(example: ArmExample) -> Iterable[Media]:
    yield from example.item.media
    for option in example.item.options[:_MOST_OPTIONS]:
        if option.media is not None:
            yield option.media


def _entry(media: Media) -> tuple[Media, Role]:
    """Give what is shown of a medium: a volume's preview, the middle slice of a stack."""
    recipe = media.recipe
    if media.kind == "volume":
        windows = recipe.volume.windows[:1] if recipe.volume is not None else ()
        preview = replace(PREVIEW, windows=windows or PREVIEW.windows)
        shown = Recipe(volume=preview, effects=recipe.effects)
        return replace(media, recipe=shown, boxes=(), spacing_mm=None), "preview"
    if recipe.stack == "mosaic" and len(media.paths) > 1:
        return media, "mosaic"
    middle = media.paths[len(media.paths) // 2 : len(media.paths) // 2 + 1]
    return replace(media, paths=middle, recipe=replace(recipe, stack="images")), "single"


def _thumbnails(media: Media, shelf: Shelf) -> tuple[Thumbnail, ...]:
    return tuple(shelf.thumbnails[place] for place in shelf.places.get(_entry(media), ()))


def _card(example: ArmExample, shelf: Shelf) -> _Card:
    item, score, response = example.item, example.score, example.response
    chosen = score.answer if score is not None else None
    value = score.value if score is not None else None
    problems = [shelf.problems[entry] for m in item.media if (entry := _entry(m)) in shelf.problems]
    options = tuple(
        _Option(
            letter=option.letter,
            text=option.text or "",
            thumbnails=() if option.media is None else _thumbnails(option.media, shelf),
            is_right=option.letter == example.reference.answer,
            is_chosen=option.letter == chosen,
        )
        for option in item.options[:_MOST_OPTIONS]
    )
    reply = (response.text or response.reason or "") if response is not None else ""
    return _Card(
        arm=example.arm,
        summary=_summary(example.arm),
        question=item.question or "no question",
        thumbnails=tuple(t for media in item.media for t in _thumbnails(media, shelf)),
        missing=problems[0] if problems else ("" if item.media else "no picture"),
        options=options,
        n_more=len(item.options) - len(options),
        outcome="none" if value is None else "right" if value == 1 else "wrong",
        said=chosen or (reply[:_LONGEST_REPLY] if reply else "no reply"),
        reference=example.reference.answer or "",
    )

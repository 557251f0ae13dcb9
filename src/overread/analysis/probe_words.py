"""A probe in plain sentences: of each arm, and what the score rests on in all."""

from __future__ import annotations

from collections.abc import Iterator

from overread.analysis.probing import ArmEffect, Probed
from overread.errors import UsageError
from overread.registry import find_perturbation

__all__ = ["arm_sentence", "rests_on", "silence_sentence"]

_PICTURE_GONE = "no-image"
_PICTURE_SWAPPED = "other-patient"
_MOSTLY = 0.5
"""From this share of lost answers on, silence explains most of a fall."""


def arm_sentence(arm: ArmEffect) -> str:
    """Say what one arm does to the score, and what that says.

    A rise or a fall is one only where it is more than luck after adjustment for all arms.
    """
    falls, stays = _meaning(arm.name)
    if arm.falls:
        return f"{_cost(arm)}: {falls}."
    if arm.rises:
        return (
            f"The score rises by {_points(-arm.net_effect)} points{_interval(arm, -1)}: what was "
            "changed leads astray."
        )
    if arm.low is None or arm.high is None:
        return f"The score stays at {_percent(arm.changed)} %: {stays}."
    moved = f"The score moves from {_percent(arm.original)} to {_percent(arm.changed)} %"
    span = f"({_signed(-arm.high)} to {_signed(-arm.low)} points)"
    if _is_open(arm):
        return (
            f"{moved}; taken alone the interval {span} leaves out 0, yet it is "
            f"{_adjusted_away(arm)}, which decides: this is too little to tell."
        )
    return f"{moved}, which is within luck {span}: {stays}."


def _is_open(arm: ArmEffect) -> bool:
    """Whether the interval by itself leaves out 0, and the adjusted test does not follow it."""
    if arm.falls or arm.rises or arm.low is None or arm.high is None:
        return False
    return arm.low > 0 or arm.high < 0


def _adjusted_away(arm: ArmEffect) -> str:
    units = (
        "" if arm.n_clusters is None else f", {_count(arm.n_clusters, arm.unit, arm.unit + 's')}"
    )
    p_value = "" if arm.p_holm is None else f" (p {arm.p_holm:.2f}{units})"
    return f"not beyond luck once adjusted for all arms after Holm{p_value}"


def silence_sentence(arm: ArmEffect) -> str:
    """Say what has no answer: how much of a fall is silence, and which pairs failures cost.

    Empty where every question has an answer, as released and changed.
    """
    return " ".join(filter(None, (_silence(arm), _failures(arm))))


def _silence(arm: ArmEffect) -> str:
    silence = arm.silence
    if not silence.changed and not silence.original:
        return ""
    said = f"{_none(silence.changed, silence.refused)} here; as released "
    said += f"{_none(silence.original, silence.refused_original)}."
    if silence.lost and arm.lost:
        said += f" Of {arm.lost} right answers lost, {silence.lost} became no answer"
        said += (
            ": this fall may be refusal, not loss of evidence."
            if arm.falls and _is_silence(arm)
            else "."
        )
    return said


def _none(n: int, declined: int) -> str:
    if not n:
        return "none has no answer"
    parts = f"{declined} declined, {max(0, n - declined)} unreadable"
    return f"{_count(n, 'question has', 'questions have')} no answer ({parts})"


def _failures(arm: ArmEffect) -> str:
    failures = arm.failures
    if failures is None or not failures.pairs:
        return ""
    pairs = _count(failures.pairs, "question takes", "questions take")
    return (
        f"{pairs} no part, because no reply came ({failures.original} as released, "
        f"{failures.changed} when changed): failing is no answer."
    )


def rests_on(probed: Probed) -> str:
    """Say in a few plain sentences what the score rests on, as far as these arms tell."""
    return " ".join(_sentences(probed))


def _sentences(probed: Probed) -> Iterator[str]:
    arms = {arm.name: arm for arm in probed.arms}
    original = probed.original
    chance = (
        "" if original.chance is None else f" (a blind guess gets {_percent(original.chance)} %)"
    )
    yield f"As released the score is {_percent(original.value)} % of {original.n}{chance}."
    if original.failed:
        got = _count(original.failed, "question", "questions")
        yield f"To {got} of these no reply came, which counts as not right."
    if original.chance is not None and original.value <= original.chance:
        yield "That is no better than a guess, so there is little that could rest on anything."
    yield from _of_pictures(arms)
    if (arm := arms.get("options-only")) is not None:
        guess = "" if arm.chance is None else f", where a guess gets {_percent(arm.chance)} %"
        yield f"The options alone give {_percent(arm.changed)} %{guess}."
    if (arm := arms.get("shuffled-options")) is not None and arm.falls:
        yield (
            f"{_points(arm.net_effect)} points go with the order of the options: they rest on "
            "places or letters."
        )
    quiet = [arm.name for arm in probed.arms if arm.falls and _is_silence(arm)]
    if quiet:
        yield (
            f"Under {_listed(quiet)} most lost answers became no answer: that may be refusal, not "
            "loss of evidence."
        )


def _of_pictures(arms: dict[str, ArmEffect]) -> Iterator[str]:
    told = [arms[name] for name in (_PICTURE_GONE, _PICTURE_SWAPPED) if name in arms]
    if not told:
        return
    words = {_PICTURE_GONE: "without its picture", _PICTURE_SWAPPED: "with another patient's"}
    yield (
        "The model gets "
        + " and ".join(
            f"{_percent(arm.changed)} % {words[arm.name]} ({_percent(arm.original)} % as released)"
            for arm in told
        )
        + _verdict(told)
    )
    falling = [arm for arm in told if arm.falls]
    if len(told) == 2 and len(falling) == 1 and not _is_silence(falling[0]):
        yield (
            "A picture of some kind is needed, and nothing shows that it matters whose."
            if falling[0].name == _PICTURE_GONE
            else "A wrong picture misleads, yet without any the score holds: words carry it."
        )


def _verdict(told: list[ArmEffect]) -> str:
    """End the sentence: what part of the score rests on the picture, as far as can be seen."""
    falling = [arm for arm in told if arm.falls]
    if not falling and (undecided := [arm for arm in told if _is_open(arm)]):
        return f": {_adjusted_away(undecided[0])}, so this exam is too small to tell."
    if not falling:
        n = max(arm.n for arm in told)
        return (
            ": nothing here shows that the score rests on the pictures, though of "
            f"{n} questions a few may."
        )
    spoken = [arm for arm in falling if not _is_silence(arm)]
    if not spoken:
        return ", mostly for want of answers: that says little of what the rest stands on."
    part = max(spoken, key=lambda arm: arm.net_effect)
    if part.chance is None:
        return f": {_points(part.net_effect)} points rest on the picture."
    if part.changed <= part.chance:
        return ": all that is above a blind guess rests on the picture."
    return (
        f": of {_points(part.original - part.chance)} points above a blind guess "
        f"{_points(part.net_effect)} rest on the picture."
    )


def _is_silence(arm: ArmEffect) -> bool:
    return arm.lost > 0 and arm.silence.lost >= _MOSTLY * arm.lost


def _meaning(name: str) -> tuple[str, str]:
    try:
        kind = find_perturbation(name)
    except UsageError:  # of a package that is not installed where the probe is read
        return "what was changed counts", "nothing here shows that what was changed counts"
    return kind.if_it_falls, kind.if_it_stays


def _cost(arm: ArmEffect) -> str:
    said = (
        f"The score falls from {_percent(arm.original)} to {_percent(arm.changed)} %, by "
        f"{_points(arm.net_effect)} points{_interval(arm, 1)}"
    )
    if arm.persistence is not None and arm.persistence.value is not None:
        said += f"; {_percent(arm.persistence.value)} % of the right answers stay right"
    return said


def _interval(arm: ArmEffect, sign: int) -> str:
    if arm.low is None or arm.high is None:
        return ""
    low, high = sorted((sign * arm.low, sign * arm.high))
    return f" ({_points(low)} to {_points(high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _points(share: float) -> str:
    text = f"{100 * share:.1f}"
    return text.replace("-", "\N{MINUS SIGN}") if text != "-0.0" else "0.0"


def _signed(share: float) -> str:
    text = _points(share)
    return text if share <= 0 or text == "0.0" else f"+{text}"


def _count(n: int, one: str, several: str) -> str:
    return f"{n} {one if n == 1 else several}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]

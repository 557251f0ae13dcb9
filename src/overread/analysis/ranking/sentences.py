"""What a ranking shows, in sentences: who is first and how surely, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from overread.analysis.ranking.pairs import MethodPair
from overread.analysis.ranking.ranking import TaskRanking

__all__ = ["KIND_WORDS", "number_text", "pair_sentences", "plural", "summary"]

KIND_WORDS: Mapping[str, str] = {
    "rule": "the rule",
    "missing": "the policy for missing values",
    "ties": "the rank of equals",
    "weights": "the weights of metrics",
    "strata": "the strata",
    "entrants": "who takes part",
}
_CLOSE_TO_SURE = 0.999


def summary(ranking: TaskRanking) -> tuple[str, ...]:
    """Say in a few sentences what the ranking shows.

    Returns
    -------
    tuple of str
        Who is first under the rule; how often it stays first; how many pairs are told apart; which
        other choices make somebody else first. Equal rankings give equal sentences.
    """
    winners = [row.method for row in ranking.rows if row.rank == 1]
    if not winners:
        return ("No method has a value, so there is no ranking.",)
    return tuple(
        sentence
        for sentence in (
            _winner(ranking, winners),
            _stability(ranking, winners),
            _apart(ranking),
            _dependence(ranking, winners),
        )
        if sentence
    )


def pair_sentences(ranking: TaskRanking) -> tuple[str, ...]:
    """Write one sentence for each pair that cannot be told apart, the better ranked ones first."""
    place = {row.method: number for number, row in enumerate(ranking.rows)}
    untold = [_turned(pair, place) for pair in ranking.pairs if pair.better is None]
    untold.sort(key=lambda pair: (place[pair.first], place[pair.second]))
    return tuple(_sentence(pair, ranking) for pair in untold)


def number_text(value: float | None) -> str:
    """Write a number with four digits, a dash where there is none.

    Examples
    --------
    >>> number_text(0.81234567), number_text(-12345.6), number_text(None)
    ('0.8123', '\u221212346', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.0f}" if abs(value) >= 9999.5 else f"{value:.4g}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else text.lstrip("-")


def plural(n: int, unit: str) -> str:
    """Count units: ``1 case``, ``50 patients``."""
    return f"{n:,} {unit}{'' if n == 1 else 's'}"


def _has_units(ranking: TaskRanking) -> bool:
    """Tell whether cases belong to something that is drawn whole, such as a patient."""
    return ranking.unit not in ("case", "value")


def _winner(ranking: TaskRanking, winners: Sequence[str]) -> str:
    score = next(row.score for row in ranking.rows if row.rank == 1)
    over = f"{ranking.score} over {plural(ranking.n_cases, 'case')}"
    if _has_units(ranking):
        over += f" of {plural(ranking.n_units, ranking.unit)}"
    if ranking.unit == "value":
        over = ranking.score
    verb = "comes" if len(winners) == 1 else "share"
    place = "first" if len(winners) == 1 else "the first place"
    return f"{_listed(winners)} {verb} {place} by {over} ({number_text(score)})."


def _stability(ranking: TaskRanking, winners: Sequence[str]) -> str:
    stable = ranking.stability
    if stable is None:
        return f"How sure this is cannot be said: {ranking.unstable_reason}."
    of = "all possible resamples" if stable.is_exact else f"{stable.draws:,} resamples"
    shares = [row.first or 0.0 for row in ranking.rows if row.method in winners]
    told = f"When the {ranking.unit}s are drawn again, "
    if len(shares) == 1:
        told += f"{winners[0]} stays first in {_share(shares[0])} of {of}"
    else:
        least, most = _share(min(shares)), _share(max(shares))
        told += (
            f"each of them is first in {least if least == most else f'{least} to {most}'} of {of}"
        )
    if stable.tau.median is None:
        return told + "; all methods are tied, so the order itself has no stability."
    told += f"; the whole order agrees with itself by a median tau-b of {stable.tau.median:.2f}"
    if stable.tau.undefined > 0:
        told += f" ({_share(stable.tau.undefined)} of resamples tie all methods and have none)"
    return told + "."


def _apart(ranking: TaskRanking) -> str:
    if not ranking.pairs:
        return ""
    told = sum(pair.better is not None for pair in ranking.pairs)
    n = len(ranking.pairs)
    if n == 1:
        return (
            "The two are told apart beyond chance."
            if told
            else "The two cannot be told apart beyond chance."
        )
    if told == n:
        return f"All {n} pairs are told apart beyond chance, corrected for their number."
    return (
        f"{told} of {n} pairs are told apart beyond chance, corrected for their number; "
        f"{n - told} cannot be."
    )


def _dependence(ranking: TaskRanking, winners: Sequence[str]) -> str:
    moved: dict[str, list[str]] = {}
    left_out = {f"without {winner}" for winner in winners}
    for other in ranking.others:
        if (
            not other.is_chosen
            and other.winners
            and not set(winners) <= set(other.winners)
            and not (other.kind == "entrants" and other.name in left_out)
        ):
            moved.setdefault(other.kind, []).append(f"{other.name}: {_listed(other.winners[:3])}")
    if not moved:
        return "No other rule or choice tried here makes somebody else first."
    shown = "; ".join(
        f"{KIND_WORDS[kind]} ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
        for kind, names in moved.items()
    )
    return f"Who is first depends on {shown}."


def _turned(pair: MethodPair, place: Mapping[str, int]) -> MethodPair:
    """Put the better ranked of the two first."""
    if place[pair.first] <= place[pair.second]:
        return pair
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=None if pair.difference is None else -pair.difference + 0.0,
        low=None if pair.high is None else -pair.high,
        high=None if pair.low is None else -pair.low,
        p_first=pair.p_second,
        p_second=pair.p_first,
        p_first_holm=pair.p_second_holm,
        p_second_holm=pair.p_first_holm,
        won=pair.lost,
        lost=pair.won,
        ahead=pair.behind,
        behind=pair.ahead,
    )


def _sentence(pair: MethodPair, ranking: TaskRanking) -> str:
    parts: list[str] = []
    decides = ""
    if pair.difference is None:
        parts.append("they share no case with a value")
    else:
        what = "in score" if pair.what == "score" else f"in {pair.what}"
        parts.append(f"their mean difference {what} is {number_text(pair.difference)}")
        if pair.low is not None:
            level = f"{100 * ranking.options.level:g} %"
            parts[-1] += f" ({level} {number_text(pair.low)} to {number_text(pair.high)})"
            decides = _decides(pair, ranking)
    if pair.won is not None and pair.lost is not None:
        tied = max(0.0, 1 - pair.won - pair.lost)
        parts.append(
            f"{pair.first} is better in {_share(pair.won)} of {plural(pair.n, 'case')} and worse "
            f"in {_share(pair.lost)}" + (f", equal in {_share(tied)}" if tied > 5e-4 else "")
        )
    if pair.ahead is not None:
        parts.append(
            f"{pair.first} ranks before {pair.second} in {_share(pair.ahead)} of resamples"
        )
    return f"{pair.first} and {pair.second} cannot be told apart: {'; '.join(parts)}. " + " ".join(
        filter(None, (decides, _needed(pair, ranking)))
    )


def _decides(pair: MethodPair, ranking: TaskRanking) -> str:
    """Say why two are not told apart whose interval leaves out 0; empty where it does not."""
    if pair.low is None or pair.high is None or pair.low <= 0 <= pair.high:
        return ""
    known = [p for p in (pair.p_first_holm, pair.p_second_holm) if p is not None]
    p_value = f" (p {min(known):.2g})" if known else ""
    return (
        f"Taken alone this interval leaves out 0, but the test corrected for all "
        f"{plural(len(ranking.pairs), 'pair')} after Holm{p_value} decides, and it does not tell "
        "the two apart."
    )


def _needed(pair: MethodPair, ranking: TaskRanking) -> str:
    if pair.difference is not None and abs(pair.difference) < 1e-12:
        return f"Seen so far they do not differ, and no number of {ranking.unit}s would part them."
    if pair.units_needed is None:
        return f"How many {ranking.unit}s would part them cannot be said."
    power = f"{100 * ranking.options.power:g} %"
    if pair.units_needed <= pair.n_units:
        return (
            f"As a mean, a difference of this size needs about {pair.units_needed:,} of the "
            f"{plural(pair.n_units, ranking.unit)} that there are; the corrected test of ranks, "
            "which outliers move less, does not find it."
        )
    return (
        f"If the difference is as seen, about {plural(pair.units_needed, ranking.unit)} would show "
        f"it with {power} power; there are {pair.n_units:,}."
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _share(share: float) -> str:
    """Write a share in per cent, never as 100 or 0 where it is not."""
    if share <= 0 or share >= 1:
        return "0 %" if share <= 0 else "100 %"
    if share > _CLOSE_TO_SURE:
        return "over 99.9 %"
    if share < 1 - _CLOSE_TO_SURE:
        return "under 0.1 %"
    return f"{100 * share:.0f} %" if 0.0995 <= share <= 0.9005 else f"{100 * share:.1f} %"

"""A ranking as one HTML page that opens offline, with a figure and tables beside it.

Every text is escaped by the template; the page's content policy allows its own style by its hash
and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from overread.analysis.ranking.pairs import MethodPair
from overread.analysis.ranking.ranking import Consensus, TaskRanking
from overread.analysis.ranking.sentences import (
    KIND_WORDS,
    number_text,
    pair_sentences,
    plural,
    summary,
)
from overread.records import Finding, Severity
from overread.report.page import asset, content_policy, environment, write_whole
from overread.report.rank_figures import (
    MOST_METHODS,
    heat_map,
    podium,
    rank_plot,
    rank_x,
    rule_lines,
)
from overread.report.rank_svg import ranking_svg
from overread.report.rank_tables import write_rank_tables

__all__ = ["write_ranking"]

_MOST_SENTENCES = 400
_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def write_ranking(
    rankings: Sequence[TaskRanking],
    together: Consensus | None,
    findings: Sequence[Finding],
    source: str,
    out: Path,
) -> Path:
    """Write ``index.html``, a figure for each task and CSV tables into a folder.

    Parameters
    ----------
    rankings
        One a task.
    together
        The tasks brought together, where there are several.
    findings
        What to mind.
    source
        The table's name, for the title.
    out
        The folder; it is made if it is not there.

    Returns
    -------
    Path
        The page.
    """
    out.mkdir(parents=True, exist_ok=True)
    tables = [path.name for path in write_rank_tables(rankings, out)]
    figures: list[str] = []
    for number, ranking in enumerate(rankings):
        name = "ranking.svg" if len(rankings) == 1 else f"ranking-{number + 1}{_slug(ranking)}.svg"
        title = f"{ranking.task or source}: {ranking.options.rule}"
        write_whole(out / name, ranking_svg(ranking, title=title))
        figures.append(name)
    style = asset("report.css") + asset("rank.css")
    page = (
        environment()
        .get_template("rank.html.j2")
        .render(
            title=f"Ranking of {source}",
            sections=[_section(number, ranking) for number, ranking in enumerate(rankings)],
            together=together,
            findings=sorted(findings, key=lambda each: _SEVERITIES.index(each.severity)),
            files=[*figures, *tables],
            style=style,
            policy=content_policy(script=None, style=style),
            number=number_text,
            plural=plural,
            most=MOST_METHODS,
            kind_words=KIND_WORDS,
        )
    )
    return write_whole(out / "index.html", page)


def _section(number: int, ranking: TaskRanking) -> dict[str, Any]:
    """Gather what the page shows of one task."""
    k = len(ranking.methods)
    sentences = pair_sentences(ranking)
    rules, lines = rule_lines(ranking)
    every = max(1, -(-k // 24))
    quiet = [each for each in ranking.others if each.kind == "entrants" and not each.swapped]
    shown = [other for other in ranking.others if other not in quiet]
    return {
        "key": f"task-{number}",
        "ranking": ranking,
        "summary": summary(ranking),
        "plot": rank_plot(ranking),
        "ticks": [(rank_x(r, k), r) for r in range(1, k + 1) if r == 1 or r % every == 0],
        "wide": k > 12,
        "maps": [
            (name, heat_map(ranking, pairs)) for name, pairs in _maps(ranking) if len(pairs) > 0
        ],
        "podium": podium(ranking),
        "rules": rules,
        "lines": lines,
        "height": 26 * min(k, MOST_METHODS),
        "others": shown,
        "n_quiet": len([each for each in quiet if each.name != "without the lower half"]),
        "sentences": sentences[:_MOST_SENTENCES],
        "n_more": max(0, len(sentences) - _MOST_SENTENCES),
        "settings": _settings(ranking),
    }


def _maps(ranking: TaskRanking) -> list[tuple[str, Sequence[MethodPair]]]:
    if len(ranking.metrics) == 1:
        return [(ranking.metrics[0].name, ranking.pairs)]
    return [("the score", ranking.pairs), *ranking.metric_pairs.items()]


def _settings(ranking: TaskRanking) -> list[tuple[str, str]]:
    options, stable = ranking.options, ranking.stability
    rows = [
        ("Rule", options.rule),
        (
            "Metrics",
            "; ".join(
                f"{m.name} ({'larger' if m.larger_is_better else 'smaller'} is better"
                + (f", weight {m.weight:g})" if len(ranking.metrics) > 1 else ")")
                for m in ranking.metrics
            ),
        ),
        ("Missing values", _missing(ranking)),
        ("Ranks of equals", f"{options.ties} where averaged afterwards; final places 1 1 3"),
        ("Test", f"{options.test}, one-sided, Holm over all ordered pairs"),
        (
            "Resamples",
            ranking.unstable_reason or ""
            if stable is None
            else f"all {stable.draws:,} there are, of whole {ranking.unit}s"
            if stable.is_exact
            else f"{stable.draws:,} of whole {ranking.unit}s, seed {options.seed}",
        ),
    ]
    if ranking.strata:
        rows.insert(2, ("Strata", f"mean of {options.combine} over {', '.join(ranking.strata)}"))
    for name, test in ranking.friedman.items():
        told = (
            f"p {number_text(test.p_value)} (chi-square {number_text(test.statistic)}, "
            f"{plural(test.n, ranking.unit)})"
            if test.p_value is not None
            else f"undefined: {test.reason}"
        )
        rows.append((f"Any difference in {name} (Friedman)", told))
    return rows


def _missing(ranking: TaskRanking) -> str:
    counts = [f"{n} of {name}" for name, n in ranking.n_missing.items() if n]
    return f"{', '.join(counts)}; policy {ranking.options.missing}" if counts else "none"


def _slug(ranking: TaskRanking) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", ranking.task.casefold()).strip("-")[:40]
    return f"-{slug}" if slug else ""

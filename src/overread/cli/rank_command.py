"""`overread rank`: methods ranked from a table of cases or from runs, with how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from cyclopts import Parameter
from rich.table import Table

from overread.analysis.ranking.findings import ranking_findings, unshared_pairs
from overread.analysis.ranking.options import Combine, Missing, PairTest, RankingOptions, Rule
from overread.analysis.ranking.ranking import Consensus, TaskRanking, consensus, rank_methods
from overread.analysis.ranking.reading import Columns
from overread.analysis.ranking.sentences import KIND_WORDS, number_text, pair_sentences, summary
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.cli.out_folder import check_out_folder
from overread.cli.output import findings_table, notice, number_table, print_json, safe, show
from overread.cli.rank_runs import are_runs, refuse_columns, source_of_runs
from overread.cli.rank_table import numbers_of, source_of_table
from overread.errors import UsageError, expected, listed
from overread.records import Finding
from overread.report.rank_page import write_ranking

__all__ = ["rank_command"]

_MOST_SENTENCES = 15


def rank_command(
    tables: tuple[Path, ...],
    /,
    *,
    rule: Rule | None = None,
    smaller_is_better: Annotated[
        bool | None, Parameter(negative="--larger-is-better", show_default=False)
    ] = None,
    better: tuple[str, ...] = (),
    weight: tuple[str, ...] = (),
    missing: Missing | None = None,
    worst: tuple[str, ...] = (),
    ties: Literal["min", "average", "max"] | None = None,
    over_strata: Combine = "ranks",
    tie_break: str | None = None,
    test: PairTest = "wilcoxon",
    quantile: float = 0.05,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    method: str | None = None,
    case: str | None = None,
    value: tuple[str, ...] = (),
    metric: str | None = None,
    task: str | None = None,
    patient: str | None = None,
    stratum: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    wide: bool = False,
    decimal: Literal[".", ","] | None = None,
    release: Path | None = None,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Rank methods from a table of cases or from runs, and say how sure the order is.

    Runs are ranked by the rule of their benchmark, unless options say otherwise. A table is long
    (one row for each method and case) or wide (one row a case, one column a method): CSV, TSV,
    Markdown or JSON.

    Parameters
    ----------
    tables
        One table, or two or more run files of one release.
    rule
        How values become ranks: the mean, median or a quantile over cases and then ranks; ranks
        within each case and then their mean or median; or the share of the other methods that a
        method is significantly better than. Without it the mean, or what the benchmark says.
    smaller_is_better
        The direction of every metric that --better does not name.
    better
        The direction of one metric: --better HD95=smaller --better DSC=larger.
    weight
        What the ranks of one metric weigh: --weight DSC=0.5 --weight FNV=0.25.
    missing
        What a value that one method lacks and another has means: nothing (drop), the worst value,
        or the last rank. The result shows the order under the others too. Without it a table that
        lacks one is refused, and a run that lacks one has the worst.
    worst
        The worst value of a metric: --worst DSC=0. Without it, the worst that any method has.
    ties
        The rank of equals, where ranks are averaged afterwards: min in tables and average in runs
        without it. Final places are 1 1 3.
    over_strata
        Average the ranks of the strata, or their values before ranking.
    tie_break
        The metric whose mean decides between equal scores.
    test
        The paired test of two methods: Wilcoxon (exact up to 25 units), Wilcoxon by the normal
        approximation alone, or swapping patient by patient.
    quantile
        Of quantile-then-rank.
    level
        Of intervals and tests.
    draws
        Resamples of whole patients; where few patients have fewer resamples all are listed.
    seed
        Of the resamples.
    method
        The column of methods (usually found: algorithm, method, model, team).
    case
        The column of cases.
    value
        The column of values; several are several metrics.
    metric
        The column that names the metric.
    task
        The column of tasks; each gets a ranking, and all of them a common one.
    patient
        The column of patients: whoever has several cases is drawn whole.
    stratum
        The columns of strata, such as tracer and centre.
    ignore
        Columns to leave out.
    wide
        Every column that is not named otherwise is a method.
    decimal
        The decimal mark, where the cells do not tell.
    release
        The release of the runs, where it is not where they were made.
    out
        A folder for a page (index.html), a figure (ranking.svg) and tables (CSV).
    json
        Print JSON for machines.
    """
    check_out_folder(out)
    columns = Columns(
        method=method,
        case=case,
        value=value,
        metric=metric,
        task=task,
        patient=patient,
        stratum=stratum,
        ignore=ignore,
        wide=wide,
    )
    if are_runs(tables):
        refuse_columns(columns, better=better, decimal=decimal, smaller=smaller_is_better)
        source = source_of_runs(tables, release=release)
    else:
        source = source_of_table(tables[0], columns, decimal, better, smaller_is_better)
    read = source.read
    weights = {**source.weights, **numbers_of("--weight", weight, read.metrics)}
    options = RankingOptions(
        rule=rule or source.rule,
        quantile=quantile,
        ties=ties or source.ties,
        missing=missing or source.missing,
        worst={**source.worst, **numbers_of("--worst", worst, read.metrics)},
        combine=over_strata,
        tie_break=tie_break or source.tie_break,
        test=test,
        level=level,
        draws=draws,
        seed=seed,
    )
    metrics = [
        RankedMetric(
            name=name,
            larger_is_better=source.larger_is_better[name],
            weight=weights.get(name, 1.0),
        )
        for name in read.metrics
    ]
    rankings: list[TaskRanking] = []
    findings: list[Finding] = list(read.findings)
    for cases in read.tables:
        mine = [each for each in metrics if each.name in cases.values]
        if options.missing == "error":
            _check_shared(cases, source.name)
        found = rank_methods(cases, mine, options)
        rankings.append(found)
        findings += ranking_findings(cases, found)
    together = consensus(rankings)
    page = None if out is None else write_ranking(rankings, together, findings, source.name, out)
    if json:
        print_json(_as_json(rankings, together, findings))
        return 0
    for found in rankings:
        _show(found)
    if together is not None:
        show(_consensus_table(together))
    if findings:
        show(findings_table(findings, title="What to mind"))
    if page is not None:
        notice(f"Wrote {page}")
    return 0


def _check_shared(cases: CaseTable, name: str) -> None:
    """Refuse methods of which no two have a value in one case: nothing compares them."""
    if unshared_pairs(cases) < math.comb(len(cases.methods), 2):
        return
    first = {
        method: cases.cases[int(rows[0])]
        for place, method in enumerate(cases.methods)
        for values in list(cases.values.values())[:1]
        if (rows := np.flatnonzero(~np.isnan(values[:, place]))).size
    }
    shown = ", ".join(f"{method} begins with case {case!r}" for method, case in first.items())
    raise UsageError(
        expected(
            cases.task or name,
            rule="methods with values in the same cases",
            got=f"no case that two methods share: {shown}",
            remedy="Name the column of cases with --case, and call each case the same for every "
            "method; --missing drop ranks them over cases of their own, which compares cases as "
            "much as methods.",
        )
    )


# ---------------------------------------------------------------- output


def _as_json(
    rankings: Sequence[TaskRanking], together: Consensus | None, findings: Sequence[Finding]
) -> dict[str, object]:
    return {
        "rankings": [
            {**asdict(each), "summary": summary(each), "not_told_apart": pair_sentences(each)}
            for each in rankings
        ],
        "consensus": None if together is None else asdict(together),
        "findings": [asdict(each) for each in findings],
    }


def _show(found: TaskRanking) -> None:
    show(_ranks_table(found))
    for sentence in summary(found):
        show(safe(sentence))
    sentences = pair_sentences(found)
    for sentence in sentences[:_MOST_SENTENCES]:
        show(safe(f"• {sentence}"))
    if len(sentences) > _MOST_SENTENCES:
        show(f"• {len(sentences) - _MOST_SENTENCES} more pairs: see --json or --out.")
    show(_others_table(found))


def _ranks_table(found: TaskRanking) -> Table:
    title = f"{found.task}: {found.options.rule}" if found.task else found.options.rule
    table = number_table(f"{title} ({found.score})")
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("method", overflow="fold", min_width=8)
    level = f"{100 * found.options.level:g} %"
    for name in ("score", f"rank {level}", "possible", "best in"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.rows:
        drawn = "–" if row.rank_low is None else _span(row.rank_low, row.rank_high)
        possible = _span(row.set_low, row.set_high) if found.pairs else "–"
        table.add_row(
            "–" if row.rank is None else str(row.rank),
            safe(row.method),
            number_text(row.score),
            drawn,
            possible,
            "–" if row.best is None else f"{100 * row.best:.1f} %",
        )
    return table


def _span(low: int, high: int | None) -> str:
    return str(low) if high in (low, None) else f"{low} to {high}"


def _others_table(found: TaskRanking) -> Table:
    table = number_table("Under other choices")
    table.add_column("choice", overflow="fold", min_width=10)
    table.add_column("", overflow="fold")
    table.add_column("first", overflow="fold")
    table.add_column("tau-b", justify="right", no_wrap=True)
    table.add_column("pairs swapped", justify="right", no_wrap=True)
    before = ""
    for other in found.others:
        if other.kind == "entrants" and not other.swapped:
            continue
        table.add_row(
            KIND_WORDS[other.kind] if other.kind != before else "",
            safe(other.name) + (" (chosen)" if other.is_chosen else ""),
            safe(listed(other.winners, most=3)),
            "–" if other.tau is None else f"{other.tau:.2f}",
            str(other.swapped),
        )
        before = other.kind
    return table


def _consensus_table(together: Consensus) -> Table:
    table = number_table("All tasks: mean of ranks")
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("method", overflow="fold", min_width=8)
    table.add_column("mean rank", justify="right", no_wrap=True)
    table.add_column("best to worst", justify="right", no_wrap=True)
    for name, rank, mean, spread in zip(
        together.methods, together.ranks, together.mean_ranks, together.spread, strict=True
    ):
        table.add_row(f"{rank:g}", safe(name), f"{mean:.2f}", _span(*spread))
    return table

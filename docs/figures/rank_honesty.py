"""Draws the ranking of five methods that are one and the same, by luck of fifty cases."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from overread.analysis.ranking.examples import no_order
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.ranking import rank_methods
from overread.analysis.ranking.table import RankedMetric
from overread.report.rank_svg import ranking_svg


def figure() -> str:
    """Rank five draws from one distribution, and draw how sure the order is."""
    ranking = rank_methods(
        no_order(50, 5, np.random.default_rng(6)),
        [RankedMetric(name="value", larger_is_better=True)],
        RankingOptions(),
    )
    return ranking_svg(ranking, title="Five methods without a difference, 50 cases")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images"
    (folder / "rank_honesty.svg").write_text(figure(), "utf-8")

"""How a ranking is made: the rule and every choice that could move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from overread.errors import UsageError, expected
from overread.stats.ranking import Ties

__all__ = ["FIVE_RULES", "Combine", "Missing", "PairTest", "RankingOptions", "Rule"]

Rule: TypeAlias = Literal[
    "mean-then-rank",
    "median-then-rank",
    "quantile-then-rank",
    "rank-then-mean",
    "rank-then-median",
    "test-then-rank",
]
"""``mean-then-rank``: the mean over cases, then ranks. ``rank-then-mean``: ranks within each case,
their mean, then ranks. ``test-then-rank``: the share of the others that a method is significantly
better than (one-sided paired test, no correction), then ranks."""

FIVE_RULES: tuple[Rule, ...] = (
    "test-then-rank",
    "mean-then-rank",
    "median-then-rank",
    "rank-then-mean",
    "rank-then-median",
)

Missing: TypeAlias = Literal["error", "drop", "worst-value", "worst-rank"]
"""What becomes of a value that one method lacks and another has. ``drop``: each method is judged
by the cases it has. ``worst-value``: a stated value, or the worst that any method has.
``worst-rank``: last in that case; under a rule that aggregates values first, last altogether."""

Combine: TypeAlias = Literal["ranks", "values"]
"""Over strata: the mean of the ranks in each, or ranks of the mean of the values of each."""

PairTest: TypeAlias = Literal["wilcoxon", "wilcoxon-normal", "sign-flip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """The choices, with defaults that are stated in every result.

    Raises
    ------
    UsageError
        A number is out of range.
    """

    rule: Rule = "mean-then-rank"
    quantile: float = 0.05
    """Of ``quantile-then-rank``: 0.05 judges a method by its bad cases (1 less this where a
    smaller value is better)."""
    ties: Ties = "min"
    """Of ranks that are averaged afterwards; final places are always 1 1 3."""
    missing: Missing = "error"
    worst: Mapping[str, float] = field(default_factory=dict[str, float])
    """Metric → the value that stands for a missing one."""
    combine: Combine = "ranks"
    tie_break: str | None = None
    """The metric whose mean decides between equal scores."""
    test: PairTest = "wilcoxon"
    level: float = 0.95
    power: float = 0.8
    draws: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        checks = (
            ("--quantile", 0 < self.quantile < 1, "a number between 0 and 1", self.quantile),
            ("--level", 0 < self.level < 1, "a coverage between 0 and 1", self.level),
            (
                "--power",
                1 - self.level < self.power < 1,
                "less than 1, above 1 - level",
                self.power,
            ),
            ("--draws", self.draws >= 1, "a count of 1 or more", self.draws),
            ("--seed", self.seed >= 0, "0 or more", self.seed),
            ("--rule", self.rule in get_args(Rule), ", ".join(get_args(Rule)), self.rule),
        )
        for argument, holds, rule, got in checks:
            if not holds:
                raise UsageError(
                    expected(argument, rule=rule, got=got, remedy="Leave it out for the default.")
                )

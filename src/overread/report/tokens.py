"""How many tokens a run took, as the servers counted them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overread.records import Response

__all__ = ["TokenTotals", "count_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTotals:
    """Sums over the responses of one run, every draw included.

    A response that states no count is left out of the sum and told by its absence from `n_in` or
    `n_out`: it is not taken as 0 tokens.
    """

    n: int = 0
    """Responses."""
    n_in: int = 0
    """Of them, those that state their input tokens."""
    n_out: int = 0
    """Of them, those that state their output tokens."""
    tokens_in: int | None = None
    """None where no response states it."""
    tokens_out: int | None = None

    @property
    def known(self) -> bool:
        """Whether any response states a count."""
        return self.n_in > 0 or self.n_out > 0


def count_tokens(responses: Iterable[Response]) -> TokenTotals:
    """Sum the tokens of one run's responses, the latest of each request."""
    n = n_in = n_out = tokens_in = tokens_out = 0
    for response in responses:
        n += 1
        if response.tokens_in is not None:
            n_in, tokens_in = n_in + 1, tokens_in + response.tokens_in
        if response.tokens_out is not None:
            n_out, tokens_out = n_out + 1, tokens_out + response.tokens_out
    return TokenTotals(
        n=n,
        n_in=n_in,
        n_out=n_out,
        tokens_in=tokens_in if n_in else None,
        tokens_out=tokens_out if n_out else None,
    )

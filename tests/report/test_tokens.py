from __future__ import annotations

from overread.records import Response, Status
from overread.report.tokens import TokenTotals, count_tokens


def reply(number: int, tokens_in: int | None, tokens_out: int | None) -> Response:
    return Response(
        run="r", item=str(number), status=Status.OK, text="A", tokens_in=tokens_in,
        tokens_out=tokens_out, request_hash=str(number),
    )  # fmt: skip


def test_tokens_are_summed_over_the_responses_that_state_them() -> None:
    counts = [(900, 12), (1100, None), (None, 8), (None, None), (0, 0)]
    found = count_tokens(reply(number, *pair) for number, pair in enumerate(counts))
    assert found == TokenTotals(n=5, n_in=3, n_out=3, tokens_in=2000, tokens_out=20)
    assert found.known


def test_without_any_count_there_is_no_sum() -> None:
    found = count_tokens([reply(0, None, None)])
    assert found == TokenTotals(n=1)
    assert (found.tokens_in, found.tokens_out, found.known) == (None, None, False)

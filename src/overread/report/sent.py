"""What went over the wire, counted from the receipts of the items in the report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from overread.records import Receipt, Response
from overread.report.data import ReportData, run_labels
from overread.report.tokens import TokenTotals
from overread.report.wording import count, size

__all__ = ["Sent", "is_array", "sent"]

_SLICE = re.compile(r"^slice \d+ of (\d+)$")
_MOST_FORMS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What one run sent."""

    label: str
    colour: int
    requests: str
    without_picture: str
    pictures: str
    """Pictures and arrays."""
    distinct: str
    size: str
    layouts: tuple[str, ...]
    """Each with its count, the commonest first."""
    forms: tuple[str, ...]
    windows: tuple[str, ...]
    orientations: tuple[str, ...]
    boxes_drawn: str
    tokens_in: str
    tokens_out: str


def sent(data: ReportData) -> tuple[Sent, ...]:
    """Count receipts, one row a run."""
    rows: list[Sent] = []
    for number, (run, label) in enumerate(run_labels(data.runs).items()):
        answers = [entry.answers[run] for entry in data.gallery if run in entry.answers]
        responses = [a.response for a in answers if a.response is not None]
        rows.append(_count(responses, label, number % 8, data.runs[number].tokens))
    return tuple(rows)


def _count(responses: list[Response], label: str, colour: int, tokens: TokenTotals) -> Sent:
    receipts = [receipt for response in responses for receipt in response.receipts]
    distinct = {receipt.sha256: receipt for receipt in receipts}
    return Sent(
        label=label,
        colour=colour,
        requests=count(len(responses)),
        without_picture=count(sum(not response.receipts for response in responses)),
        pictures=count(len(receipts)),
        distinct=count(len(distinct)),
        size=size(sum(receipt.size_bytes for receipt in receipts)),
        layouts=_commonest(_layout(receipt) for receipt in receipts),
        forms=_commonest(_form(receipt) for receipt in receipts),
        windows=_commonest(f"window {receipt.window}" for receipt in receipts),
        orientations=_commonest(_orientation(receipt) for receipt in receipts),
        boxes_drawn=count(sum(receipt.boxes_drawn for receipt in receipts)),
        tokens_in=_tokens(tokens.tokens_in, tokens.n_in, tokens.n),
        tokens_out=_tokens(tokens.tokens_out, tokens.n_out, tokens.n),
    )


def _tokens(total: int | None, counted: int, n: int) -> str:
    """Write a sum; where some responses state no count, of how many it is."""
    if total is None or counted == n:
        return count(total)
    return f"{count(total)} ({count(counted)} of {count(n)} responses)"


def is_array(receipt: Receipt) -> bool:
    """Tell an array file from a picture."""
    return not receipt.media_type.startswith("image/")


def _form(receipt: Receipt) -> str:
    if is_array(receipt):
        return "array file (NumPy)"
    kind = receipt.media_type.removeprefix("image/").upper()
    return f"{receipt.width}×{receipt.height} {kind}"


def _orientation(receipt: Receipt) -> str:
    # Axes of an array grow towards these sides of the patient, the first axis first.
    return f"{'axes' if is_array(receipt) else 'orientation'} {receipt.orientation}"


def _layout(receipt: Receipt) -> str:
    match = _SLICE.match(receipt.layout)
    return f"slices of stacks of {match[1]}" if match else receipt.layout


def _commonest(values: Iterable[str]) -> tuple[str, ...]:
    counted = Counter(values).most_common()
    shown = [f"{value} ({count(n)})" for value, n in counted[:_MOST_FORMS]]
    if len(counted) > _MOST_FORMS:
        shown.append(f"{len(counted) - _MOST_FORMS} more")
    return tuple(shown)

from __future__ import annotations

import pytest

from overread.records import Receipt, Response, Status
from overread.scoring.published.ct_bench_captions import script_caption

RECEIPT = Receipt(
    sha256="0", width=1, height=1, size_bytes=1, media_type="image/png", sources=("a.png",),
    window="as stored", layout="single", orientation="as stored", boxes_drawn=0,
)  # fmt: skip


def response(**more) -> Response:
    return Response(run="r", item="i", request_hash="h", **more)


@pytest.mark.parametrize(
    ("given", "caption"),
    [
        ({"status": Status.OK, "text": " A cyst.\n"}, "A cyst."),
        ({"status": Status.OK, "text": "  "}, ""),
        # Not shown its picture: passed over.
        ({"status": Status.FAILED, "reason": "no such file"}, None),
        ({"status": Status.REFUSED, "reason": "no reply"}, None),
        # A call that raised: its message is the caption.
        (
            {"status": Status.FAILED, "reason": "HTTP 500", "receipts": (RECEIPT,)},
            "[GPT-4V error: HTTP 500]",
        ),
        (
            {"status": Status.REFUSED, "reason": "filtered", "receipts": (RECEIPT,)},
            "[GPT-4V error: filtered]",
        ),
        # A message without content raises at `strip`.
        ({"status": Status.OK, "text": None}, "[GPT-4V error: the message is empty]"),
        # Text that the host's filter cut is the message's content.
        ({"status": Status.REFUSED, "text": "A cyst", "receipts": (RECEIPT,)}, "A cyst"),
        # Half a reply of a call that failed is no content.
        (
            {"status": Status.FAILED, "text": "A cy", "reason": "cut", "receipts": (RECEIPT,)},
            "[GPT-4V error: cut]",
        ),
    ],
)
def test_the_caption_is_what_the_script_writes_down(given, caption) -> None:
    assert script_caption(response(**given)) == caption

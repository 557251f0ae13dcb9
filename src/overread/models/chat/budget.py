"""What one request may carry in pictures. Over it a question is refused, never cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from overread.contracts import Picture
from overread.errors import ModelError, expected

__all__ = ["ImageBudget", "read_image_limit"]

# Wordings of servers, each from a public issue: "At most 1 image(s) may be provided in one
# request." (vllm-project/vllm#9739), "Too many images in request. Max is 10."
# (the-open-agent/openagent#874), "Image count 5 exceeds limit 4 per request."
# (AgnesAI-Labs/AgnesCode#50), "request contains 52 images, exceeding the maximum of 50"
# (anomalyco/opencode#48647), "too many images in the message, max allowed is 16"
# (QuantumNous/new-api#1233), "You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`"
# (xorbitsai/inference#3054).
_LIMITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"at most (\d{1,5}) images?\b",
        r"at most (\d{1,5}) image\(s\)",
        r"set image=(\d{1,5})\b",
        r"image count \d{1,5} exceeds (?:the )?limit (?:of )?(\d{1,5})",
        r"images?\b.{0,60}?\bmax(?:imum)?\b(?: allowed)?(?: is| of|:)? ?(\d{1,5})\b",
        r"\b(?:up to|maximum of|limit of) (\d{1,5}) images?\b",
    )
)
_LONGEST_MESSAGE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageBudget:
    """The most that one request may carry.

    The defaults of pixels and bytes are ours: above what CT exams need (nine slices of 512×512
    are 2.4 million pixels), below what hosts are known to take (50 MB a request).
    """

    max_images: int | None = None
    """None: no known limit."""
    max_pixels: int = 100_000_000
    max_bytes: int = 36_000_000
    """Of encoded pictures, before base64 makes a third more of them."""

    def check(self, pictures: Sequence[Picture], *, where: str) -> None:
        """Refuse a request that carries too much.

        Raises
        ------
        ModelError
            Naming the limit that is broken and how to get below it.
        """
        pixels = sum(p.receipt.width * p.receipt.height for p in pictures)
        size = sum(len(p.data) for p in pictures)
        broken: tuple[str, str] | None = None
        if self.max_images is not None and len(pictures) > self.max_images:
            broken = (f"at most {self.max_images} pictures a request", f"{len(pictures)}")
        elif pixels > self.max_pixels:
            broken = (f"at most {self.max_pixels:,} pixels a request", f"{pixels:,}")
        elif size > self.max_bytes:
            broken = (f"at most {self.max_bytes:,} bytes of pictures a request", f"{size:,}")
        if broken is not None:
            raise ModelError(
                expected(
                    where,
                    rule=broken[0],
                    got=broken[1],
                    remedy="Nothing was sent or cut. Show stacks as a mosaic (--stack mosaic), "
                    "shrink pictures (--max-side-px), or let the server take more.",
                )
            )


def read_image_limit(message: str) -> int | None:
    """Read how many pictures a server takes out of its complaint.

    Returns
    -------
    int or None
        None when the message says nothing about a number of pictures.

    Examples
    --------
    >>> read_image_limit("At most 1 image(s) may be provided in one request.")
    1
    """
    message = message[:_LONGEST_MESSAGE]
    for pattern in _LIMITS:
        if found := pattern.search(message):
            return int(found.group(1))
    return None

"""Image-text scorers (CLIP and its kin) through open_clip; needs the extra ``torch``."""

from __future__ import annotations

from overread.models.clip.adapter import ADAPTER

__all__ = ["ADAPTER"]

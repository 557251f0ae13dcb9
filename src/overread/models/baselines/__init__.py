"""Readers built into the package: five that see no picture, one that sees little else, two masks.

``chance``, ``constant`` (``constant:B``), ``majority``, ``longest`` and ``text-only`` measure what
an exam gives away without its pictures; ``radiomics`` looks at the pictures and nothing else. Where
a mask is asked for, ``empty-mask`` marks nothing and ``threshold`` (``threshold:150``) all that is
bright. All are deterministic, need no network and no training data but the release's own.
"""

from __future__ import annotations

from overread.models.baselines.adapter import ADAPTER

__all__ = ["ADAPTER"]

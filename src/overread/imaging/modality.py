"""How a picture was taken, in one word each, read from the many ways that releases write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["MODALITIES", "named_modality"]

MODALITIES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "xray": ("xray", "x ray", "radiograph", "radiography", "cxr", "dx", "cr", "mammography"),
        "ct": ("ct", "computed tomography"),
        "mri": ("mri", "mr", "magnetic resonance"),
        "ultrasound": ("ultrasound", "us", "sonography", "echo", "echocardiography"),
        "endoscopy": ("endoscopy", "colonoscopy", "gastroscopy"),
        "dermoscopy": ("dermoscopy", "dermatoscopy", "dermatology", "skin"),
        "oct": ("oct", "optical coherence tomography"),
        "fundus": ("fundus", "retinal photograph", "retinal photography"),
        "pathology": ("pathology", "histopathology", "histology", "microscopy", "cytology"),
        "pet": ("pet", "positron emission"),
        "angiography": ("angiography", "angiogram", "dsa"),
    }
)
"""Name → the words by which it is known."""


def named_modality(text: str) -> str | None:
    """Give the one modality that a text names in whole words; None for none or several.

    Examples
    --------
    >>> named_modality("CT(Computed Tomography)")
    'ct'
    >>> named_modality("OCT (Optical Coherence Tomography)"), named_modality("doctor's report")
    ('oct', None)
    """
    words = f" {' '.join(re.findall(r'[a-z]+', text.lower()))} "
    found = {
        name for name, known in MODALITIES.items() if any(f" {each} " in words for each in known)
    }
    return found.pop() if len(found) == 1 else None

from __future__ import annotations

import pytest

from overread.imaging.modality import MODALITIES, named_modality


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CT(Computed Tomography)", "ct"),
        ("MR (Mag-netic Resonance Imaging)", "mri"),
        ("X-Ray", "xray"),
        ("OCT (Optical Coherence Tomography", "oct"),
        ("Fundus Photography", "fundus"),
        ("Microscopy Images", "pathology"),
        ("ultrasound", "ultrasound"),
        ("Dermoscopy", "dermoscopy"),
        ("", None),
        ("doctor", None),
        ("digital", None),
        ("PET/CT", None),
    ],
)
def test_modalities_are_read_in_whole_words(text: str, name: str | None) -> None:
    assert named_modality(text) == name


def test_every_name_reads_as_itself() -> None:
    assert {name: named_modality(name) for name in MODALITIES} == {x: x for x in MODALITIES}

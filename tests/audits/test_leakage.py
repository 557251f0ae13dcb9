"""What two splits share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from overread.audits.leakage import AUDIT
from overread.records import Media


def found(release: Any) -> dict[str, Any]:
    return {one.code: one for one in AUDIT.look(release)}


def picture(root: Path, name: str, seed: int) -> Image.Image:
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 200, (9, 9), dtype=np.uint8)
    grey = np.array(Image.fromarray(coarse).resize((480, 480), 3))
    made = Image.fromarray(np.clip(grey + rng.integers(0, 50, grey.shape), 0, 255).astype(np.uint8))
    made.save(root / name)
    return made


def shown(name: str) -> tuple[Media, ...]:
    return (Media(paths=(name,)),)


def test_splits_that_share_nothing(exam: Any, ask: Any, tmp_path: Path) -> None:
    rows = []
    for n in range(6):
        picture(tmp_path, f"{n}.png", n)
        rows.append(ask(n, n % 4, split="test" if n < 3 else "val", media=shown(f"{n}.png")))
    assert found(exam(rows, root=tmp_path)) == {}


def test_a_patient_in_two_splits(exam: Any, ask: Any) -> None:
    rows = [ask(0, 0, patient="p"), ask(1, 0, patient="q"), ask(2, 0, patient="p", split="val")]
    one = found(exam(rows))["shared-patient"]
    assert (one.count, one.where) == (1, "test and val")
    assert "1 patient in both, for instance p" in one.evidence


def test_a_study_under_two_patients(exam: Any, ask: Any) -> None:
    rows = [ask(0, 0, patient="p"), ask(1, 0, patient="q", split="val")]
    for item, _ in rows:
        item.groups["study"] = "s"
    assert set(found(exam(rows))) == {"shared-group"}
    for item, _ in rows:
        item.groups["patient"] = "p"
    assert set(found(exam(rows))) == {"shared-patient"}  # told once, by patient


def test_no_patient_is_said(exam: Any, ask: Any) -> None:
    rows = [ask(0, 0), ask(1, 0, split="val")]
    for item, _ in rows:
        item.groups.pop("patient")
    one = found(exam(rows))["no-patient-id"]
    assert "intervals that take questions as independent are too narrow" in one.effect


def test_the_same_bytes_and_the_same_picture(exam: Any, ask: Any, tmp_path: Path) -> None:
    whole = picture(tmp_path, "a.png", 1)
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    whole.resize((360, 360)).save(tmp_path / "c.jpg", quality=80)
    whole.crop((40, 50, 440, 430)).save(tmp_path / "d.png")
    names = {"a.png": "test", "b.png": "val", "c.jpg": "val", "d.png": "val"}
    rows = [
        ask(n, 0, split=split, media=shown(name)) for n, (name, split) in enumerate(names.items())
    ]
    codes = found(exam(rows, root=tmp_path))
    assert "a.png = b.png" in codes["same-picture"].evidence
    assert "1 of them under different patients" in codes["same-picture"].evidence
    assert "a.png = c.jpg" in codes["picture-copy"].evidence
    assert "a.png = d.png" in codes["picture-crop"].evidence
    assert [codes[c].count for c in ("same-picture", "picture-copy", "picture-crop")] == [1, 1, 1]


@pytest.mark.parametrize("same", [True, False])
def test_a_text_with_its_answer(exam: Any, ask: Any, same: bool) -> None:
    other = ("liver", "spleen", "bowel", "colon")
    rows = [
        ask(0, 2, question="Where is the finding?"),
        ask(1, 0 if same else 2, question="where  is the finding?", split="val",
            options=("kidney", *other[1:]) if same else other),
    ]  # fmt: skip
    assert ("shared-text" in found(exam(rows))) is same

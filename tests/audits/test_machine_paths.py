from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.machine_paths import AUDIT
from overread.contracts.replay import Replay


def test_paths_that_lead_nowhere_here_are_counted(slipped: Replay, shipped: Any):
    release = shipped(slipped)
    file = release.root / slipped.predictions[0].file
    file.parent.mkdir()
    (release.root / "volumes").mkdir()
    (release.root / "volumes" / "a.nii.gz").touch()
    lines = [
        r'{"image_path": "/home/me/npy/a.npy", "question": "\"image_path\": \"/no/path\""}',
        r'{"case_id": "b", "image_path": "/home/me/npy/b.npy"}',
        r'{"image_path": "C:\\Users\\me\\c.npy"}',
        r'{"image_path": "volumes/a.nii.gz"}',
        r'{"image_path": "../../outside.npy"}',
        r'{"image_path": null}',
        r"no JSON at all",
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    (found,) = AUDIT.look(release)
    assert (found.code, found.count) == ("machine-paths", 4)
    assert "/home/me/npy/…" in found.evidence


def test_a_file_that_is_gone_gives_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []


def test_predictions_without_paths_give_nothing(slipped: Replay, shipped: Any):
    release = shipped(replace(slipped))
    file = release.root / slipped.predictions[0].file
    file.parent.mkdir()
    file.write_text('{"case_id": "valid_1_a_1.nii.gz"}\n', encoding="utf-8")
    assert list(AUDIT.look(release)) == []

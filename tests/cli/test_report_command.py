"""`overread report` in its three forms: what one says, the others say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from overread.cli import main
from overread.store.run_store import RunStore


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def test_changed_pictures_are_told_in_every_form(tmp_path: Path) -> None:
    release, run, out = tmp_path / "release", tmp_path / "run.sqlite", tmp_path / "report"
    assert call("synth", "ct-bench", str(release), "--lesions", "24", "--seed", "3") == 0
    asked = ("run", "ct-bench", str(release), "--model", "fake", "--limit", "13")
    assert call(*asked, "--out", str(run)) == 0
    with RunStore.open(run) as store:
        receipts = [r for response in store.responses() for r in response.receipts]
    sent = receipts[0]
    (path,) = sent.sources
    with Image.open(release / path) as picture:
        picture.rotate(180).save(release / path)
    assert call("report", str(run), str(out)) == 0
    forms = ("index.html", "report.md", "report.json")
    assert all("pictures-changed" in (out / name).read_text("utf-8") for name in forms)
    findings = json.loads((out / "report.json").read_text("utf-8"))["findings"]
    (told,) = [finding for finding in findings if finding["code"] == "pictures-changed"]
    assert told["severity"] == "warning"
    assert told["count"] == sum(receipt.sources == sent.sources for receipt in receipts)

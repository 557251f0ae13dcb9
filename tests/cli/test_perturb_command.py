from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.cli import main
from overread.imaging.encode import encode_png


@pytest.fixture
def image(tmp_path: Path) -> Path:
    pixels = np.random.default_rng(3).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    path = tmp_path / "one.png"
    path.write_bytes(encode_png(pixels))
    return path


def status(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    return int(stopped.value.code or 0)


def test_a_sheet_of_every_kind(image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = image.parent / "sheet.png"
    box = ("--box", "5,5,30,30")
    assert status("perturb", "sheet", image, out, *box, "--side", 32, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    kinds = {row["kind"]: row for row in told["kinds"]}
    assert len(kinds) >= 52
    assert {"mirror", "blur", "grey", "blur-px", "roi-decay", "rotation"} <= set(kinds)
    assert [dose["level"] for dose in kinds["rotation"]["doses"]] == ["1", "2", "3", "4", "5"]
    assert kinds["rotation"]["doses"][0]["effects"][0]["angle_degrees"] == 5
    assert told["left_out"] == []
    with Image.open(out) as sheet:
        assert sheet.format == "PNG"
        assert sheet.height > len(kinds) * 32


def test_a_table_for_people(image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = image.parent / "sheet.png"
    asked = ("--only", "gaussian-noise", "--only", "path-stain", "--modality", "ct")
    assert status("perturb", "sheet", image, out, *asked, "--mode", "ssim") == 0
    told = capsys.readouterr()
    assert "gaussian-noise" in told.out
    assert "not shown, it is made for pathology: path-stain" in told.err
    assert out.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--box", "1,2,3"], "--box: expected four numbers"),
        (["--side", "3"], "--side: expected 16 to 1024"),
        (["--modality", "x"], "--modality: expected one of"),
        (["--only", "nothing"], "perturbation: expected one of"),
    ],
)
def test_wrong_use(
    options: list[str], said: str, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("perturb", "sheet", image, image.parent / "out.png", *options) == 2
    assert said in capsys.readouterr().err
    assert not (image.parent / "out.png").exists()


def test_the_picture_itself_is_not_written_over(
    image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = image.read_bytes()
    assert status("perturb", "sheet", image, image) == 2
    assert status("perturb", "sheet", image, image.with_suffix(".jpg")) == 2
    assert image.read_bytes() == before


def test_the_list_tells_doses(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("list", "perturbations", "--json") == 0
    doses = {row["name"]: row["doses"] for row in json.loads(capsys.readouterr().out)}
    assert doses["rotation"] == "1 2 3 4 5, also -published -ssim -published-ssim"
    assert doses["ct-beam"] == "1 2 3 4 5, also -published -ssim"
    assert doses["blur-px"] == "0 2 4 8 16 32 64"
    assert doses["mirror"] == ""

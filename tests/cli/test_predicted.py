from __future__ import annotations

from pathlib import Path

import pytest

from overread.cli.predicted import prediction_model, prediction_place
from overread.errors import UsageError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("masks.v2/a.nii.gz", "script/output_data.json", "answers.jsonl", "odd{x}.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("predictions", "model", "place"),
    [
        ("answers.jsonl", "predictions:answers.jsonl", "answers.b.sqlite"),
        ("absent.json", "predictions:absent.json", "absent.b.sqlite"),
        ("odd{x}.json", "predictions:odd{x}.json", "odd{x}.b.sqlite"),
        ("script", "predictions:script", "script.b.sqlite"),
        ("masks.v2", "masks:masks.v2", "masks.v2.b.sqlite"),
        ("masks.v2/", "masks:masks.v2", "masks.v2.b.sqlite"),
        ("masks.v2/{case}.nii.gz", "masks:masks.v2/{case}.nii.gz", "masks.v2.b.sqlite"),
        ("masks.v2/{a}/{b}", "masks:masks.v2/{a}/{b}", "masks.v2.b.sqlite"),
    ],
)
def test_what_is_given_says_who_reads_it(
    here: Path, predictions: str, model: str, place: str
) -> None:
    assert prediction_model(Path(predictions)) == model
    assert prediction_place(Path(predictions), "b", release=Path("rel")) == Path(place)


def test_the_folder_one_stands_in_has_a_name(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here / "masks.v2")
    assert prediction_place(Path(), "b", release=here / "rel") == here / "masks.v2.b.sqlite"
    assert (
        prediction_place(Path("{case}.nii"), "b", release=here / "rel")
        == here / "masks.v2.b.sqlite"
    )


@pytest.mark.parametrize("predictions", ["rel/team-a/curves", "rel/team-a/curves/*/{id}.nii.gz"])
def test_nothing_is_written_into_a_release(here: Path, predictions: str) -> None:
    (here / "rel/team-a/curves").mkdir(parents=True)
    place = prediction_place(Path(predictions), "b", release=here / "rel")
    assert place == Path("runs/team-a-curves.b.sqlite")


def test_a_release_beside_the_predictions_takes_no_run_file_either(here: Path) -> None:
    place = prediction_place(Path("masks.v2"), "b", release=here / "masks.v2")
    assert place == Path("masks.v2.b.sqlite")
    assert prediction_place(Path("answers.jsonl"), "b", release=here) == Path(
        "runs/answers.b.sqlite"
    )


def test_one_mask_is_refused_with_its_folder(here: Path) -> None:
    with pytest.raises(UsageError, match=r"Name its folder: --predictions masks\.v2\."):
        prediction_model(Path("masks.v2/a.nii.gz"))

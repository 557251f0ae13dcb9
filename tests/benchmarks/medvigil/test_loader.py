"""From rows of the release to items and references."""

from __future__ import annotations

import csv
import io
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.benchmarks.medvigil import BENCHMARK, layout
from overread.contracts import Neighbours, NotApplicable, Scene, Selection
from overread.errors import ReleaseError
from overread.imaging.render import PictureRenderer
from overread.imaging.stored_unit import UnitLooker
from overread.records import Choice
from overread.registry import find_perturbation

# Probes by kind in the real release; together 2,556.
COUNTS = {
    "original": 300, "halluc_trap": 600, "tcf": 300, "negation": 225, "specificity_drop": 164,
    "knowledge_only": 283, "roi_only": 192, "roi_masked": 192, "lr_flip": 300,
}  # fmt: skip


def items_of(root: Path, **selection):
    release = BENCHMARK.open(root)
    return release, list(release.items(Selection(**selection)))


def test_300_cases_have_the_published_counts(whole: Path) -> None:
    _, items = items_of(whole)
    assert len(items) == 2556
    assert Counter(item.strata["probe_kind"] for item in items) == COUNTS
    traps = Counter(i.strata["tier"] for i in items if i.strata["probe_kind"] == "halluc_trap")
    assert traps == {"L1": 142, "L2": 62, "L3": 236, "L4": 86, "L5": 74}
    cases = {item.groups["case"]: item.strata["source"] for item in items}
    assert Counter(cases.values()) == {"vqa-rad": 120, "slake": 60, "roco": 60, "cxr": 60}


def test_letters_lie_as_the_validator_demands(whole: Path) -> None:
    release, items = items_of(whole)
    letters: dict[str, set[str | None]] = {}
    for item in items:
        letters.setdefault(item.strata["probe_kind"], set()).add(release.reference(item.id).answer)
    assert letters.pop("lr_flip") == {"A", "B"}  # the other side is B where sides matter
    assert {kind for kind, found in letters.items() if found == {"E"}} == {
        "halluc_trap", "roi_masked",
    }  # fmt: skip
    assert all(found in ({"A"}, {"E"}) for found in letters.values())


def test_one_probe_from_file_to_item(drawn: Path) -> None:
    with (drawn / "probes_mcq.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    release, items = items_of(drawn)
    item = items[0]
    assert item.id == row["probe_id"] == "MVB-0001__orig"
    assert item.question == row["question"]
    assert [option.text for option in item.options] == [row[f"choice_{x}"] for x in "ABCDE"]
    assert item.media[0].paths == ("images/MVB-0001.png",)
    assert item.condition == "original"
    assert release.reference(item.id).answer == "A"
    words = item.prompt[-1].text or ""
    assert "A) " in words
    assert "E) " in words
    assert item.prompt[0].media == item.media[0]


def test_questions_that_need_no_picture_have_none(drawn: Path) -> None:
    _, items = items_of(drawn, conditions=("knowledge-only",))
    assert items
    assert all(item.media == () for item in items)


def test_an_original_carries_its_box_undrawn(drawn: Path) -> None:
    release, items = items_of(drawn, conditions=("original",))
    boxed = [item.media[0] for item in items if item.media[0].boxes]
    asked = {i.groups["case"] for i in release.items(Selection(conditions=("roi-masked",)))}
    assert len(boxed) == len(asked) > 0  # a box that covers the picture is none
    assert not any(media.recipe.draw_boxes for media in boxed)
    assert all(media.boxes[0].x_max < 96 for media in boxed)


def test_absent_pictures_are_made_from_their_originals(drawn: Path, release: Path) -> None:
    shutil.rmtree(release / "images_perturbed")
    kinds = ("roi-masked", "roi-only", "lr-flip")
    opened, items = items_of(release, conditions=kinds)
    codes = {found.code: found for found in opened.findings()}
    assert "missing-image" not in codes
    assert codes["picture-made-here"].count == len(items)
    render = PictureRenderer(release)
    for item in items:
        (shown,) = render(item.media[0])
        made = np.asarray(Image.open(io.BytesIO(shown.data)).convert("RGB"))
        name = f"{item.groups['case']}_{item.strata['probe_kind']}.png"
        stored = np.asarray(Image.open(drawn / "images_perturbed" / name).convert("RGB"))
        assert np.array_equal(made, stored)
        assert "then" in shown.receipt.window


def changed(root: Path, name: str) -> dict[str, np.ndarray]:
    """Give originals changed by a perturbation in their boxes, by case."""
    release, items = items_of(root, conditions=("original",))
    kind, render = find_perturbation(name), PictureRenderer(root)
    scene = Scene(others=Neighbours(items), unit_of=UnitLooker(root), render=render)
    found: dict[str, np.ndarray] = {}
    for item in items:
        drawn = kind.draw(item, scene, 1)
        if not isinstance(drawn, NotApplicable):
            (shown,) = render(kind.apply(item, drawn, scene.others).media[0])
            picture = Image.open(io.BytesIO(shown.data)).convert("RGB")
            found[item.groups["case"]] = np.asarray(picture)
    assert release.media_root == root
    return found


@pytest.mark.parametrize("name", ["roi-mask", "roi-decay@3"])
def test_hiding_the_region_gives_the_released_picture(drawn: Path, name: str) -> None:
    found = changed(drawn, name)
    assert len(found) == len(list((drawn / "images_perturbed").glob("*_roi_masked.png"))) > 0
    for case, pixels in found.items():
        stored = Image.open(drawn / "images_perturbed" / f"{case}_roi_masked.png").convert("RGB")
        assert np.array_equal(pixels, np.asarray(stored))


def test_the_region_alone_shows_one_row_and_column_more_than_the_released_one(
    drawn: Path,
) -> None:
    for case, pixels in changed(drawn, "roi-only").items():
        stored = Image.open(drawn / "images_perturbed" / f"{case}_roi_only.png").convert("RGB")
        rows, columns = np.nonzero((pixels != np.asarray(stored)).any(axis=-1))
        last_row, last_column = rows.max(), columns.max()
        assert ((rows == last_row) | (columns == last_column)).all()


def test_pictures_may_lie_elsewhere(release: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "pictures"
    elsewhere.mkdir()
    for name in ("images", "images_perturbed"):
        shutil.move(release / name, elsewhere / name)
    assert any(f.code == "missing-image" for f in BENCHMARK.open(release).findings())
    opened = BENCHMARK.open(release, media=elsewhere)
    assert opened.media_root == elsewhere
    assert not any(f.code == "missing-image" for f in opened.findings())


def test_the_data_may_lie_in_a_clone(release: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.joinpath("data").mkdir(parents=True)
    shutil.move(release, clone / "data" / "medvigil_v1")
    assert len(items_of(clone)[1]) > 200


def test_a_limit_takes_all_kinds_in_turn(drawn: Path) -> None:
    _, items = items_of(drawn, limit=9)
    assert {item.strata["probe_kind"] for item in items} == set(COUNTS)


def test_options_of_unequal_number_are_asked_as_they_are(release: Path, rewrite) -> None:
    rewrite(release / "probes_mcq.csv", lambda rows: rows[0].update(choice_D="", choice_C=""))
    opened, items = items_of(release)
    assert [option.letter for option in items[0].options] == ["A", "B", "E"]
    assert isinstance(items[0].answer_space, Choice)
    (found,) = [f for f in opened.findings() if f.code == "unequal-options"]
    assert "1 with 3" in found.evidence


def test_a_letter_without_an_option_is_undefined(release: Path, rewrite) -> None:
    rewrite(release / "probes_mcq.csv", lambda rows: rows[0].update(correct_letter="F"))
    opened, items = items_of(release)
    assert "'F'" in (opened.reference(items[0].id).problem or "")
    assert any(f.code == "unusable-answer" for f in opened.findings())


def test_case_ids_that_differ_in_letter_case_are_joined_and_told(release: Path, rewrite) -> None:
    before = [item.strata["tier"] for item in items_of(release)[1]]
    rewrite(
        release / "manifest.csv",
        lambda rows: [row.update(case_id=row["case_id"].lower()) for row in rows[:5]],
    )
    opened, items = items_of(release)
    assert [item.strata["tier"] for item in items] == before
    codes = {found.code: found for found in opened.findings()}
    told = {item.groups["case"] for item in items if item.groups["case"].islower()}
    assert len(told) == 5
    assert codes["case-id-spelling"].count == sum(item.groups["case"] in told for item in items)


@pytest.mark.parametrize("content", ["", "probe_id,case_id\n", "a\0b", "probe_id\nx\n"])
def test_a_probe_file_without_probes_is_no_release(tmp_path: Path, content: str) -> None:
    (tmp_path / layout.MCQ_FILE).write_text(content)
    with pytest.raises(ReleaseError, match="expected a folder with"):
        BENCHMARK.open(tmp_path)


def test_probes_alone_can_be_opened(release: Path) -> None:
    for path in release.iterdir():
        if path.is_file() and path.name != layout.MCQ_FILE:
            path.unlink()
    opened, items = items_of(release)
    assert {item.strata["tier"] for item in items} == {"unknown"}
    assert {f.where for f in opened.findings() if f.code == "missing-file"} >= {
        "manifest.csv", "grounding.csv", "triplets.csv",
    }  # fmt: skip

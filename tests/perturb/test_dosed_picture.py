"""Doses of changes of pixels: levels, the released code's way, doses by likeness, moved answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread import registry
from overread.contracts import Dosed, Neighbours, NotApplicable, Parameters, Scene
from overread.errors import UsageError
from overread.imaging.calibration import BANDS
from overread.imaging.encode import encode_png
from overread.imaging.picture_effect import change_pixels, find_effect
from overread.imaging.recipes import recipe_named
from overread.imaging.render import PictureRenderer
from overread.perturb._dosed_picture import DosedPicture
from overread.records import Box, Boxes, Item, Mask, Media, Points, Recipe, Reference

KINDS = {
    name: kind
    for name in registry.perturbation_names()
    if isinstance(kind := registry.find_perturbation(name), DosedPicture)
}
BASE = {
    "gaussian-noise", "salt-pepper-noise", "speckle-noise", "gaussian-blur", "motion-blur",
    "brightness", "contrast", "compression-artifacts", "pixelate", "rotation", "scale",
    "translation",
}  # fmt: skip
SEGMENTATION = {
    "dermoscopy-artifacts", "light-reflection", "hair-artifacts", "motion-artifacts", "bias-field",
    "ghosting", "acoustic-shadowing", "reverberation-artifacts", "specular-reflection", "bubbles",
    "blood", "saturation", "shadow-artifacts", "blink-artifacts", "motion-artifacts-oct",
    "defocus-artifacts", "speckle-artifacts", "stain-variation", "bubble-artifacts",
    "metal-artifacts", "beam-hardening", "photon-starvation",
}  # fmt: skip
WORDS = {
    "xray-scatter", "xray-underexposure", "xray-overexposure", "xray-grid-artifact", "window-level",
    "ct-metal", "ct-beam", "mri-bias", "mri-ghost", "path-stain",
}  # fmt: skip
OTHERS = {"brightness-contrast", "blur-px", "roi-mask", "roi-only", "roi-decay"}


@pytest.fixture
def shown(tmp_path: Path, item_of: Callable[..., Item]) -> Callable[..., tuple[Item, Scene]]:
    """Give an item whose picture lies on the disk, and what may be seen of it."""

    def make(pixels: np.ndarray, **changes: Any) -> tuple[Item, Scene]:
        (tmp_path / "1.png").write_bytes(encode_png(pixels))
        item = item_of(1, **changes)
        return item, Scene(
            others=Neighbours([item]),
            unit_of=lambda media: "display",
            render=PictureRenderer(tmp_path),
        )

    return make


def textured(*shape: int) -> np.ndarray:
    y, x = np.mgrid[: shape[0], : shape[1]]
    grey = 120 + 50 * np.sin(x / 9) + 40 * np.cos(y / 5)
    noise = np.random.default_rng(2).normal(0, 6, shape)
    return ((grey if len(shape) == 2 else grey[..., None]) + noise).clip(0, 255).astype(np.uint8)


def drawn(kind: Any, item: Item, scene: Scene, seed: int = 1) -> Parameters:
    found = kind.draw(item, scene, seed)
    assert not isinstance(found, NotApplicable), found
    return found


def test_all_released_kinds_are_there() -> None:
    assert (len(BASE), len(SEGMENTATION), len(WORDS)) == (12, 22, 10)
    assert set(KINDS) == BASE | SEGMENTATION | WORDS | OTHERS
    # 22 and the five of X-ray: the page counts 28, its angiography haze is in no code.
    x_ray = {name for name in WORDS if "xray" in KINDS[name].modalities}
    assert len(SEGMENTATION | x_ray) == 27
    assert "angiography-haze" not in registry.perturbation_names()


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_table_names_the_same_parameters_at_each_level(name: str) -> None:
    kind = KINDS[name]
    rows = [set(values) for values in kind.table.values()]
    assert all(row == rows[0] for row in rows)
    assert kind.level in kind.table
    if kind.search is not None:
        assert kind.search.parameter in rows[0]
    if kind.slips is not None:
        assert {*kind.slips.values, *kind.slips.values_of_words} <= rows[0]
    assert "seed" not in rows[0]
    assert find_effect(kind.effect).name == kind.effect


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_dose_gives_effects_that_can_be_carried_out(name: str) -> None:
    kind, pixels = KINDS[name], textured(40, 48, 3)
    for level in kind.levels:
        dose = kind.at(level)
        assert isinstance(dose, DosedPicture)
        for is_mask in (True, False):
            values = {"seed": 1} | dose.values(is_mask=is_mask, modality="ct")
            effects = dose.effects(values, is_mask=is_mask)
            assert len(effects) == (2 if "published" in level else 1)
        if level in kind.table:
            change_pixels(pixels, effects, slices=False)


def test_levels_come_in_four_ways() -> None:
    numbers = list(BANDS)
    assert KINDS["gaussian-noise"].levels == (
        *numbers,
        *(f"{x}-published" for x in numbers),
        *(f"{x}-ssim" for x in numbers),
        *(f"{x}-published-ssim" for x in numbers),
    )
    # The program for words has no calibration.
    assert not [x for x in KINDS["ct-beam"].levels if x.endswith("published-ssim")]
    assert KINDS["blur-px"].levels == ("0", "2", "4", "8", "16", "32", "64")
    assert KINDS["roi-decay"].levels == ("0", "1", "2", "3")
    assert isinstance(KINDS["roi-mask"], Dosed)
    with pytest.raises(UsageError, match="Write for instance roi-mask@whole"):
        KINDS["roi-mask"].at("3")


def test_a_name_tells_its_dose_only_where_one_was_asked_for() -> None:
    assert registry.find_perturbation("rotation").name == "rotation"
    assert registry.find_perturbation("rotation@5-published").name == "rotation@5-published"
    with pytest.raises(UsageError, match="rotation: expected @ and one of 1, 2, 3"):
        registry.find_perturbation("rotation@6")


def test_kinds_are_made_for_modalities(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    kind = KINDS["shadow-artifacts"]
    for said, applies in (("OCT", True), ("Fundus Photography", False), ("X-Ray", False)):
        item = item_of(1, strata={"modality": said})
        assert isinstance(kind.draw(item, scene_of(item), 1), NotApplicable) != applies
    unsaid, photograph = item_of(1), item_of(1, strata={"modality": "Fundus Photography"})
    assert not isinstance(kind.draw(unsaid, scene_of(unsaid), 1), NotApplicable)
    # The released code puts OCT artefacts on photographs of the fundus.
    published = kind.at("3-published")
    drawn(published, photograph, scene_of(photograph))


def test_the_released_seeds_are_the_same_for_all_pictures(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    one, two = item_of(1), item_of(2)
    honest, published = KINDS["blood"].at("4"), KINDS["blood"].at("4-published")
    assert drawn(honest, one, scene_of(one), 1) != drawn(honest, two, scene_of(two), 2)
    assert drawn(published, one, scene_of(one), 1) == drawn(published, two, scene_of(two), 2)
    assert drawn(published, one, scene_of(one))["seed"] == 42 + 4 * 700


def test_the_released_noise_depends_on_the_modality_where_masks_are_asked_for(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    asked: dict[str, Any] = {"strata": {"modality": "ultrasound"}}
    words, mask = item_of(1, **asked), item_of(1, **asked, answer_space=Mask(labels={1: "x"}))
    published = KINDS["gaussian-noise"].at("3-published")
    assert drawn(published, words, scene_of(words))["sigma_of_range"] == 0.03
    assert drawn(published, mask, scene_of(mask))["sigma_of_range"] == pytest.approx(0.045)
    honest = KINDS["gaussian-noise"].at("3")
    assert drawn(honest, mask, scene_of(mask))["sigma_of_range"] == 0.03


def test_pictures_are_saved_by_colour_where_masks_are_asked_for(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    kind = KINDS["brightness-contrast"].at("1-published")
    for space, by_colour, form in ((None, False, "offset"), (Mask(labels={}), True, "factor")):
        item = item_of(1, **({} if space is None else {"answer_space": space}))
        parameters = drawn(kind, item, scene_of(item))
        change, save = kind.apply(item, parameters, scene_of(item).others).media[0].recipe.effects
        assert dict(change.parameters)["form"] == form
        assert (save.name, save.parameters) == ("minmax", (("by_colour", by_colour),))


def test_a_dose_by_likeness_is_kept_with_what_it_reached(
    shown: Callable[..., tuple[Item, Scene]],
) -> None:
    item, scene = shown(textured(60, 80))
    kind = KINDS["gaussian-noise"].at("2-ssim")
    parameters = drawn(kind, item, scene)
    low, high = BANDS["2"]
    assert low <= float(str(parameters["ssim"])) <= high
    assert parameters["in_band"] is True
    (effect,) = kind.apply(item, parameters, scene.others).media[0].recipe.effects
    assert [name for name, _ in effect.parameters] == ["seed", "sigma_of_range"]


def test_likeness_is_sought_on_the_picture_in_full_size_without_boxes(
    shown: Callable[..., tuple[Item, Scene]],
) -> None:
    media = Media(paths=("1.png",))
    small = replace(
        media,
        recipe=Recipe(max_side_px=20),
        boxes=(Box(x_min=2, y_min=2, x_max=50, y_max=50),),
    )
    item, scene = shown(textured(60, 80), media=(media,))
    kind = KINDS["gaussian-blur"].at("3-ssim")
    assert drawn(kind, item, scene) == drawn(kind, replace(item, media=(small,)), scene)


SIX = sorted(name for name, kind in KINDS.items() if kind.slips and kind.slips.calibrates is False)


def test_six_kinds_do_not_differ_by_level_where_the_released_code_calibrates(
    shown: Callable[..., tuple[Item, Scene]],
) -> None:
    item, scene = shown(textured(60, 80, 3), answer_space=Mask(labels={1: "x"}))
    assert SIX == [
        "beam-hardening", "dermoscopy-artifacts", "hair-artifacts", "light-reflection",
        "metal-artifacts", "photon-starvation",
    ]  # fmt: skip
    for name in SIX:
        kind = KINDS[name]
        found = [drawn(kind.at(f"{level}-published-ssim"), item, scene, 9) for level in BANDS]
        assert all(one == found[0] for one in found)
        third = drawn(kind.at("3-published"), item, scene, 9)
        assert found[0] == third
        honest = [drawn(kind.at(f"{level}-ssim"), item, scene, 9) for level in ("1", "5")]
        assert honest[0] != honest[1]


def test_a_grey_picture_has_no_stain(shown: Callable[..., tuple[Item, Scene]]) -> None:
    kind = KINDS["path-stain"]
    item, scene = shown(textured(20, 20))
    found = kind.draw(item, scene, 1)
    assert isinstance(found, NotApplicable)
    assert "no colour" in found.reason
    grey_rgb, scene = shown(np.repeat(textured(20, 20)[..., None], 3, axis=-1))
    assert isinstance(kind.draw(grey_rgb, scene, 1), NotApplicable)
    item, scene = shown(textured(20, 20, 3))
    assert not isinstance(kind.draw(item, scene, 1), NotApplicable)


def test_a_mask_is_moved_by_the_effects_of_its_picture(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1, answer_space=Mask(labels={1: "x"}))
    for level, count in (("4", 1), ("4-published", 2)):
        kind = KINDS["rotation"].at(level)
        parameters = drawn(kind, item, scene_of(item))
        reference = Reference(item=item.id, answer=None, path="mask.png")
        moved = kind.move(reference, item, parameters)
        changed = kind.apply(item, parameters, scene_of(item).others)
        assert moved.effects == changed.media[0].recipe.effects
        assert len(moved.effects) == count


@pytest.mark.parametrize(
    ("space", "answer", "moved"),
    [
        # 80 × 60 at 0.75: 60 × 45 from (10, 7) on.
        (Boxes(), "0, 0, 79, 59", "9.88, 6.88, 69.12, 51.12"),
        (Points(), "39.5, 29.5", "39.5, 29"),
        (Points(frame="mm"), "39.5, 29.5", "39.5, 29.5"),
    ],
)
def test_boxes_and_points_in_words_move_along(
    space: Any, answer: str, moved: str, shown: Callable[..., tuple[Item, Scene]]
) -> None:
    item, scene = shown(textured(60, 80), answer_space=space)
    kind = KINDS["scale"].at("5")
    parameters = drawn(kind, item, scene)
    assert (parameters["width_px"], parameters["height_px"]) == (80, 60)
    found = kind.move(Reference(item=item.id, answer=answer), item, parameters)
    assert (found.answer, found.problem) == (moved, None)
    still = KINDS["gaussian-noise"]
    noise = drawn(still, item, scene)
    assert still.move(Reference(item=item.id, answer=answer), item, noise).answer == answer


def test_a_box_that_leaves_the_picture_is_a_problem_of_the_reference(
    shown: Callable[..., tuple[Item, Scene]],
) -> None:
    item, scene = shown(textured(60, 80), answer_space=Boxes())
    kind = KINDS["translation"].at("5")
    reference = Reference(item=item.id, answer="0, 0, 1, 1")
    moved = [kind.move(reference, item, drawn(kind, item, scene, seed)) for seed in range(8)]
    left = [one for one in moved if one.answer is None]
    assert left
    assert all(one.problem and "left" in one.problem for one in left)
    assert len(left) < len(moved)


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ((), "it has no box"),
        ((Box(x_min=90, y_min=2, x_max=95, y_max=9),), "outside the picture"),
        ((Box(x_min=-9, y_min=2, x_max=-1, y_max=9),), "outside the picture"),
        ((Box(x_min=5, y_min=9, x_max=5, y_max=20),), "no area"),
        ((Box(x_min=9, y_min=9, x_max=5, y_max=5),), "no area"),
        ((Box(x_min=0, y_min=0, x_max=79, y_max=59),), "covers the whole picture"),
        ((Box(x_min=-5, y_min=-5, x_max=99, y_max=99),), "covers the whole picture"),
    ],
)
@pytest.mark.parametrize("name", ["roi-mask", "roi-only", "roi-decay"])
def test_boxes_that_are_no_region(
    name: str, boxes: tuple[Box, ...], reason: str, shown: Callable[..., tuple[Item, Scene]]
) -> None:
    item, scene = shown(textured(60, 80), media=(Media(paths=("1.png",), boxes=boxes),))
    found = KINDS[name].draw(item, scene, 1)
    assert isinstance(found, NotApplicable)
    assert reason in found.reason


def test_one_good_box_is_enough(shown: Callable[..., tuple[Item, Scene]]) -> None:
    boxes = (
        Box(x_min=90, y_min=2, x_max=95, y_max=9),
        Box(x_min=0, y_min=0, x_max=79, y_max=40),
    )
    item, scene = shown(textured(60, 80), media=(Media(paths=("1.png",), boxes=boxes),))
    found = drawn(KINDS["roi-decay"].at("2"), item, scene)
    assert found == {"grey": 128, "share": 2 / 3}
    volume = replace(item, media=(replace(item.media[0], kind="volume", boxes=boxes[1:]),))
    assert isinstance(KINDS["roi-mask"].draw(volume, scene, 1), NotApplicable)


def test_numbers_of_a_volume_are_changed_but_not_saved_or_likened(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    media = Media(
        paths=("a.nii.gz",), kind="volume", recipe=Recipe(volume=recipe_named("array-hu"))
    )
    item = item_of(1, media=(media,))
    drawn(KINDS["gaussian-noise"].at("3"), item, scene_of(item))
    for level in ("3-published", "3-ssim", "3-published-ssim"):
        found = KINDS["gaussian-noise"].at(level).draw(item, scene_of(item), 1)
        assert isinstance(found, NotApplicable)
        assert "gives numbers" in found.reason


def test_grey_leaves_a_picture_that_shows_nothing(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    kind, item = registry.find_perturbation("grey"), item_of(1)
    parameters = drawn(kind, item, scene_of(item))
    changed = kind.apply(item, parameters, scene_of(item).others)
    effects = changed.media[0].recipe.effects
    pixels = change_pixels(textured(9, 9, 3), effects, slices=False)
    assert (pixels == 128).all()
    assert changed.question == item.question
    assert isinstance(kind.draw(item_of(1, media=()), scene_of(item), 1), NotApplicable)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from overread.contracts import Neighbours, NotApplicable, Scene
from overread.errors import ImageError
from overread.imaging.recipes import recipe_named
from overread.perturb.wrong_window import PERTURBATION
from overread.records import Item, Media, Recipe, Window

LUNG = Window(low_hu=-1350, high_hu=150)


def windows(item: Item, scene: Scene) -> set[tuple[object, object]]:
    drawn = [PERTURBATION.draw(item, scene, seed) for seed in range(60)]
    return {(d["low_hu"], d["high_hu"]) for d in drawn if not isinstance(d, NotApplicable)}


def test_abdomen_is_shown_in_any_of_the_others(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    found = windows(item, scene_of(item, unit="hu"))
    assert found == {(0.0, 80.0), (-1350.0, 150.0), (-500.0, 1300.0)}


def test_its_own_window_and_those_alike_are_not_drawn(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    lung = (Media(paths=("1.dcm",), recipe=Recipe(window=LUNG)),)
    item = item_of(1, media=lung)
    assert (-1350.0, 150.0) not in windows(item, scene_of(item, unit="hu"))


def test_the_window_goes_into_recipes_of_slices_and_of_volumes(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    drawn = {"low_hu": 0.0, "high_hu": 80.0}
    item = item_of(1)
    changed = PERTURBATION.apply(item, drawn, scene_of(item).others)
    assert changed.media[0].recipe.window == Window(low_hu=0.0, high_hu=80.0)
    volume = recipe_named("lingshu")  # three windows: red, green, blue
    media = Media(paths=("v.nii.gz",), kind="volume", recipe=Recipe(volume=volume))
    item = item_of(1, media=(media,))
    found = PERTURBATION.apply(item, drawn, scene_of(item).others).media[0].recipe.volume
    assert found == replace(volume, windows=(Window(low_hu=0.0, high_hu=80.0),) * 3)


@pytest.mark.parametrize(("unit", "reason"), [("display", "grey values"), ("raw", "not in HU")])
def test_only_where_hu_are_stored(
    unit: str, reason: str, item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    drawn = PERTURBATION.draw(item, scene_of(item, unit=unit), 0)
    assert isinstance(drawn, NotApplicable)
    assert reason in drawn.reason


def test_numbers_without_a_window_are_left_alone(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    volume = Recipe(volume=recipe_named("array-hu"))
    item = item_of(1, media=(Media(paths=("v",), kind="volume", recipe=volume),))
    drawn = PERTURBATION.draw(item, scene_of(item, unit="hu"), 0)
    assert isinstance(drawn, NotApplicable)
    assert "no window" in drawn.reason


def test_a_file_that_cannot_be_read_is_said(item_of: Callable[..., Item]) -> None:
    def broken(media: Media) -> str:
        raise ImageError("gone")

    item = item_of(1)
    scene = Scene(others=Neighbours([item]), unit_of=broken, render=lambda media: ())  # type: ignore[arg-type]
    assert PERTURBATION.draw(item, scene, 0) == NotApplicable(
        reason="a picture of it cannot be read"
    )

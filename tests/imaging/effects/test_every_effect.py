"""What holds of every effect, each with the parameters that its perturbations give it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from overread import registry
from overread.imaging.picture_effect import change_pixels, effect_names, find_effect
from overread.perturb._dosed_picture import DosedPicture, Values
from overread.records import Box, Effect

BOXES = (Box(x_min=3, y_min=2, x_max=8, y_max=6),)


def examples() -> dict[str, dict[str, Any]]:
    """Give parameters for every effect: those of the strongest dose of a kind that uses it."""
    found: dict[str, dict[str, Any]] = {
        "blur": {"sigma_of_side": 1 / 16},
        "mirror": {},
        "grey": {"grey": 128},
        "minmax": {"by_colour": True},
    }
    for kind in map(registry.find_perturbation, registry.perturbation_names()):
        if isinstance(kind, DosedPicture):
            strongest: Values = list(kind.table.values())[-1]
            found[kind.effect] = {**strongest, "seed": 5}
    return found


EXAMPLES = examples()


def scene(shape: tuple[int, ...]) -> np.ndarray:
    """Make a smooth picture with edges and noise, from 20 to 235."""
    y, x = np.mgrid[0 : 1 : shape[0] * 1j, 0 : 1 : shape[1] * 1j]
    grey = 20 + 120 * x * y + 60 * (np.hypot(x - 0.5, y - 0.4) < 0.25)
    noise = np.random.default_rng(1).uniform(0, 35, shape)
    return ((grey if len(shape) == 2 else grey[..., None]) + noise).astype(np.uint8)


def test_every_effect_has_an_example() -> None:
    assert set(EXAMPLES) == set(effect_names())


@pytest.mark.parametrize("name", effect_names())
@pytest.mark.parametrize("shape", [(64, 96), (64, 96, 3), (9, 14), (9, 14, 3), (1, 1), (2, 7, 3)])
def test_shape_type_and_input_stay(name: str, shape: tuple[int, ...]) -> None:
    effect = Effect(name=name, parameters=tuple(sorted(EXAMPLES[name].items())))
    for pixels in (scene(shape), scene(shape).astype(np.float32) * 8 - 1000):
        before = pixels.copy()
        changed = change_pixels(pixels, [effect], slices=False, boxes=BOXES)
        again = change_pixels(pixels, [effect], slices=False, boxes=BOXES)
        assert (changed.shape, changed.dtype) == (pixels.shape, pixels.dtype)
        assert np.isfinite(changed).all()
        assert (changed == again).all()
        assert (pixels == before).all()


@pytest.mark.parametrize("name", effect_names())
@pytest.mark.parametrize("shape", [(96, 128), (96, 128, 3)])
def test_it_changes_a_picture_and_keeps_grey_values_in_range(
    name: str, shape: tuple[int, ...]
) -> None:
    pixels = scene(shape)
    effect = Effect(name=name, parameters=tuple(sorted(EXAMPLES[name].items())))
    changed = change_pixels(pixels, [effect], slices=False, boxes=BOXES)
    if name == "path-stain" and len(shape) == 2:
        assert (changed == pixels).all()  # a grey picture has no stain
        return
    assert (changed != pixels).mean() > 0.0005
    # What is held to the picture's own range does not reach beyond it.
    if name not in {"minmax", "path-stain", "stain-variation", "compression-artifacts", "scale"}:
        assert changed.max() <= pixels.max()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if find_effect(name).mask])
def test_labels_keep_their_values_where_they_move(name: str) -> None:
    move = find_effect(name).mask
    assert move is not None
    labels = np.zeros((60, 80), dtype=np.uint16)
    labels[20:40, 20:40], labels[25:30, 25:35] = 7, 300
    before = labels.copy()
    moved = move(labels, EXAMPLES[name])
    assert (moved.shape, moved.dtype) == (labels.shape, labels.dtype)
    assert set(np.unique(moved)) <= {0, 7, 300}
    assert (labels == before).all()
    assert (moved != labels).any()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if "seed" in EXAMPLES[name]])
def test_what_is_random_hangs_on_its_seed_only(name: str) -> None:
    kinds = [
        kind
        for kind in map(registry.find_perturbation, registry.perturbation_names())
        if isinstance(kind, DosedPicture) and kind.effect == name
    ]
    pixels, pixels_of = scene((96, 128)), find_effect(name).pixels
    one, two = (pixels_of(pixels, {**EXAMPLES[name], "seed": seed}) for seed in (1, 4))
    if name == "path-stain":
        return
    assert bool((one != two).any()) == kinds[0].is_random

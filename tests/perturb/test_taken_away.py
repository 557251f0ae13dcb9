"""No picture, options alone, mirrored, blurred: changes without a draw."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.contracts import NotApplicable, Perturbation, Scene
from overread.perturb import blur, mirror, no_image, options_only
from overread.records import Choice, Effect, Item, Media, Option, Text

PICTURES = Choice(options=tuple(Option(letter=a, media=Media(paths=(f"{a}.png",))) for a in "AB"))


def test_no_image_leaves_every_word(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    changed = no_image.PERTURBATION.apply(item, {}, scene_of(item).others)
    assert changed.media == ()
    assert [part.text for part in changed.prompt] == ["Which?"]
    assert (changed.question, changed.options) == (item.question, item.options)


def test_options_only_leaves_options_and_their_pictures(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1, answer_space=PICTURES)
    changed = options_only.PERTURBATION.apply(item, {}, scene_of(item).others)
    assert (changed.question, changed.media) == ("", ())
    assert changed.options == item.options


@pytest.mark.parametrize(
    ("kind", "name"), [(mirror.PERTURBATION, "mirror"), (blur.PERTURBATION, "blur")]
)
def test_pixels_change_by_an_effect_in_the_recipe(
    kind: Perturbation, name: str, item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1, answer_space=PICTURES)
    drawn = kind.draw(item, scene_of(item), 0)
    assert not isinstance(drawn, NotApplicable)
    changed = kind.apply(item, drawn, scene_of(item).others)
    shown = [*changed.media, *(option.media for option in changed.options if option.media)]
    assert len(shown) == 3
    assert all([effect.name for effect in media.recipe.effects] == [name] for media in shown)
    assert changed.question == item.question


def test_effects_come_after_those_there_are(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    once = mirror.PERTURBATION.apply(item, {}, scene_of(item).others)
    twice = blur.PERTURBATION.apply(once, {"sigma_of_side": 0.5}, scene_of(item).others)
    assert twice.media[0].recipe.effects == (
        Effect(name="mirror"),
        Effect(name="blur", parameters=(("sigma_of_side", 0.5),)),
    )


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        (no_image.PERTURBATION, {"answer_space": PICTURES}, "options are pictures"),
        (no_image.PERTURBATION, {"media": ()}, "no picture"),
        (options_only.PERTURBATION, {"answer_space": Text()}, "no options"),
        (mirror.PERTURBATION, {"media": ()}, "no picture"),
        (blur.PERTURBATION, {"media": ()}, "no picture"),
    ],
)
def test_where_a_change_means_nothing_it_says_why(
    kind: Perturbation,
    changes: dict[str, object],
    reason: str,
    item_of: Callable[..., Item],
    scene_of: Callable[..., Scene],
) -> None:
    item = item_of(1, **changes)
    drawn = kind.draw(item, scene_of(item), 0)
    assert isinstance(drawn, NotApplicable)
    assert reason in drawn.reason

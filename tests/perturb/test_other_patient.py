from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from overread.contracts import NotApplicable, Scene
from overread.perturb.other_patient import PERTURBATION
from overread.records import Box, Choice, Item, Media, Option, Recipe


def donors(item: Item, scene: Scene, n: int) -> Counter[str]:
    drawn = [PERTURBATION.draw(item, scene, seed) for seed in range(n)]
    return Counter(str(one["item"]) for one in drawn if not isinstance(one, NotApplicable))


def test_another_patient_of_the_same_task_and_condition(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(0, patient="one")
    others = [
        item_of(1, patient="one"),
        item_of(2, patient="two"),
        item_of(3, patient="three"),
        item_of(4, patient="four", task="other"),
        item_of(5, patient="five", condition="no-box"),
    ]
    found = donors(item, scene_of(item, *others), 400)
    assert found.keys() == {"item-2", "item-3"}
    assert 140 < found["item-2"] < 260  # equally likely


def test_a_single_other_one_among_many_is_found(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    many = [item_of(n, patient="one") for n in range(3000)]
    scene = scene_of(*many, item_of(9999, patient="two"))
    assert donors(many[0], scene, 3) == {"item-9999": 3}


def test_files_are_the_others_and_the_recipe_its_own(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    recipe = Recipe(max_side_px=128)
    item, other = item_of(0), item_of(1)
    item = replace(item, media=(replace(item.media[0], recipe=recipe),))
    box = Box(x_min=1, y_min=1, x_max=2, y_max=2)
    other = replace(other, media=(replace(other.media[0], boxes=(box,)),))
    changed = PERTURBATION.apply(item, {"item": other.id}, scene_of(item, other).others)
    assert changed.media == (Media(paths=("1.png",), recipe=recipe, boxes=(box,)),)
    assert (changed.question, changed.options) == (item.question, item.options)


def test_the_prompt_shows_the_other_picture_too(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item, other = item_of(0), item_of(1)
    changed = PERTURBATION.apply(item, {"item": other.id}, scene_of(item, other).others)
    assert [part.media for part in changed.prompt if part.media] == list(changed.media)


def test_what_has_no_other_patient_says_so(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    same = item_of(1, patient="p0", media=(Media(paths=("0.png",)),))
    for item, others, reason in (
        (item_of(0), [same], "another patient"),
        (item_of(0, media=()), [item_of(1)], "no picture"),
        (
            item_of(0, answer_space=Choice(options=(Option(letter="A", media=Media(paths=())),))),
            [item_of(1)],
            "options are pictures",
        ),
        (item_of(0), [item_of(2, media=(Media(paths=("v",), kind="volume"),))], "another patient"),
    ):
        drawn = PERTURBATION.draw(item, scene_of(item, *others), 0)
        assert isinstance(drawn, NotApplicable)
        assert reason in drawn.reason


def test_without_patients_the_next_best_id_decides(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(0, groups={"study": "s1"})
    others = [item_of(1, groups={"study": "s1"}), item_of(2, groups={"study": "s2"})]
    assert donors(item, scene_of(item, *others), 20).keys() == {"item-2"}
    nameless = item_of(0, groups={})
    found = donors(nameless, scene_of(nameless, item_of(1, groups={})), 5)
    assert found.keys() == {"item-1"}  # another file at least

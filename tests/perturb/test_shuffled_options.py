from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from overread.contracts import NotApplicable, Scene
from overread.perturb.shuffled_options import PERTURBATION
from overread.records import Choice, Item, Media, MultiChoice, Option, Reference, Text


def texts(item: Item) -> dict[str, str | None]:
    return {option.letter: option.text for option in item.options}


def test_letters_stay_contents_move_and_the_answer_with_them(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    changed = PERTURBATION.apply(item, {"order": ["C", "A", "D", "B"]}, scene_of(item).others)
    assert texts(changed) == {"A": "mass", "B": "cyst", "C": "nodule", "D": "node"}
    for letter, moved in zip("ABCD", "BDAC", strict=True):
        reference = PERTURBATION.move(
            Reference(item=item.id, answer=letter), item, {"order": ["C", "A", "D", "B"]}
        )
        assert reference.answer == moved
        assert texts(changed)[moved] == texts(item)[letter]


def test_pictures_to_choose_from_move_too(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    options = tuple(Option(letter=a, media=Media(paths=(f"{a}.png",))) for a in "AB")
    item = item_of(1, answer_space=Choice(options=options), media=())
    changed = PERTURBATION.apply(item, {"order": ["B", "A"]}, scene_of(item).others)
    assert [option.media and option.media.paths for option in changed.options] == [
        ("B.png",),
        ("A.png",),
    ]


def test_every_order_comes_equally_often(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1)
    n = 4800
    drawn = [PERTURBATION.draw(item, scene_of(item), seed) for seed in range(n)]
    orders = Counter("".join(one["order"]) for one in drawn if not isinstance(one, NotApplicable))
    assert len(orders) == 24  # the old order among them
    # 200 of each expected; 24 binomials of sd 14: beyond 5 sd is no luck.
    assert all(130 < count < 270 for count in orders.values())


def test_a_habit_of_letters_comes_down_to_chance(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item, right = item_of(1), 0
    n = 2000
    for seed in range(n):
        drawn = PERTURBATION.draw(item, scene_of(item), seed)
        assert not isinstance(drawn, NotApplicable)
        right += PERTURBATION.move(Reference(item=item.id, answer="A"), item, drawn).answer == "A"
    assert right / n == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(
    ("words", "free"),
    [
        (("a", "b", "c", "None of the above"), 3),
        (("a", "b", "All of the above", "None of the above"), 2),
        (("a", "b", "c", "all the above"), 3),
        (("above the diaphragm", "below it", "a", "b"), 4),
    ],
)
def test_what_means_those_above_stays_last(
    words: tuple[str, ...],
    free: int,
    item_of: Callable[..., Item],
    scene_of: Callable[..., Scene],
) -> None:
    options = tuple(Option(letter=a, text=t) for a, t in zip("ABCD", words, strict=True))
    item = item_of(1, answer_space=Choice(options=options))
    seen = set()
    for seed in range(60):
        drawn = PERTURBATION.draw(item, scene_of(item), seed)
        assert not isinstance(drawn, NotApplicable)
        order = drawn["order"]
        assert isinstance(order, list)
        assert order[free:] == list("ABCD")[free:]
        seen.add(tuple(order))
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("a", "Both A and C", "c"), "letter"),
        (("option A is right", "b", "c"), "letter"),
        (("all of the above", "b", "c"), "not the last"),
        (("a",), "one option"),
    ],
)
def test_options_that_speak_of_others_are_left_alone(
    words: tuple[str, ...],
    reason: str,
    item_of: Callable[..., Item],
    scene_of: Callable[..., Scene],
) -> None:
    options = tuple(Option(letter=a, text=t) for a, t in zip("ABC", words, strict=False))
    item = item_of(1, answer_space=Choice(options=options))
    drawn = PERTURBATION.draw(item, scene_of(item), 0)
    assert isinstance(drawn, NotApplicable)
    assert reason in drawn.reason


def test_open_questions_have_no_order(
    item_of: Callable[..., Item], scene_of: Callable[..., Scene]
) -> None:
    item = item_of(1, answer_space=Text())
    assert PERTURBATION.draw(item, scene_of(item), 0) == NotApplicable(
        reason="it offers no options"
    )


def test_a_set_of_answers_moves_as_a_set(item_of: Callable[..., Item]) -> None:
    options = tuple(Option(letter=a, text=a * 2) for a in "abcde")
    item = item_of(1, answer_space=MultiChoice(options=options, count=2))
    moved = PERTURBATION.move(
        Reference(item=item.id, answer="ce"), item, {"order": ["c", "e", "a", "b", "d"]}
    )
    assert moved.answer == "ab"


def test_an_answer_that_is_no_option_stays_what_it_is(item_of: Callable[..., Item]) -> None:
    item, order = item_of(1), {"order": ["B", "A", "C", "D"]}
    for answer, problem in ((None, "the release states none"), ("Z", "none of the options")):
        reference = Reference(item=item.id, answer=answer, problem=problem)
        assert PERTURBATION.move(reference, item, order) == reference

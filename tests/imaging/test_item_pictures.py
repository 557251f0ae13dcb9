from __future__ import annotations

from dataclasses import replace

from overread.imaging.item_pictures import with_effect, with_media, with_options
from overread.records import Choice, Effect, Item, Media, Number, Option, Part, Text, Trace

ONE, TWO = Media(paths=("one.png",)), Media(paths=("two.png",))
A, B = Option(letter="A", media=TWO), Option(letter="B", text="a cyst")
ITEM = Item(
    id="1",
    benchmark="b",
    task="t",
    condition="c",
    question="Which?",
    media=(ONE,),
    prompt=(Part(text="Look:"), Part(media=ONE), Part(text="A:"), Part(media=TWO)),
    answer_space=Choice(options=(A, B)),
)


def test_a_medium_is_changed_wherever_it_stands() -> None:
    effect = Effect(name="mirror")
    changed = with_media(ITEM, lambda media: with_effect(media, effect), options=True)
    assert changed.media[0].recipe.effects == (effect,)
    assert changed.options[0].media is not None
    assert changed.options[0].media.recipe.effects == (effect,)
    assert [part.media.recipe.effects for part in changed.prompt if part.media] == [(effect,)] * 2
    assert [part.text for part in changed.prompt] == [part.text for part in ITEM.prompt]


def test_pictures_to_choose_from_stay_unless_they_are_meant() -> None:
    changed = with_media(ITEM, lambda media: None, options=False)
    assert changed.media == ()
    assert changed.options == ITEM.options
    assert changed.prompt == (Part(text="Look:"), Part(text="A:"), Part(media=TWO))


def test_nothing_changed_is_equal() -> None:
    assert with_media(ITEM, lambda media: media, options=True) == ITEM


def test_options_of_a_trace_are_those_of_its_answer() -> None:
    trace = Trace(answer=Choice(options=(A,)), tools=(), max_steps=1)
    assert with_options(trace, (B,)) == replace(trace, answer=Choice(options=(B,)))
    assert with_options(Text(), (B,)) == Text()
    numeric = Trace(answer=Number(unit="mm"), tools=(), max_steps=1)
    assert with_options(numeric, (B,)) == numeric

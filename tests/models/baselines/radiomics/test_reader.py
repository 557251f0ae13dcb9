from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest

from overread.contracts import Query, Training
from overread.records import Choice, Recipe, Status, Text


def _answer(model, query):
    return json.loads(asyncio.run(model.ask(query)).text)["selected_option"]


def _share_right(model, questions):
    return np.mean([_answer(model, query) == letter for query, letter in questions])


# By chance 24 questions give a quarter right; 14 of 24 (58 %) has probability 0.0003.
@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize("kind", ["text_question", "size_question", "picture_question"])
def test_it_answers_every_kind_of_question_better_than_chance(world, learned, kind, boxed):
    questions = [getattr(world, kind)(one, boxed=boxed) for one in world.test]
    assert _share_right(learned, questions) >= 14 / 24


def test_the_same_training_gives_the_same_answers_in_any_order(world, learned, reader):
    again = reader("radiomics")
    again.learn(world.training, world.render)
    questions = [world.text_question(one, boxed=False)[0] for one in world.test]
    expected = [_answer(learned, query) for query in questions]
    assert [_answer(again, query) for query in questions[::-1]][::-1] == expected


def test_a_picture_is_measured_once(world, learned, monkeypatch):
    query, _ = world.text_question(world.test[0], boxed=True)
    first = _answer(learned, query)
    monkeypatch.setattr(
        "overread.models.baselines.radiomics.reader.views_of",
        lambda *_: pytest.fail("measured again"),
    )
    assert _answer(learned, query) == first


@pytest.mark.parametrize("as_mosaic", [False, True])
def test_a_stack_counts_by_its_middle_slices(world, learned, make_picture, as_mosaic):
    # Slices 4 to 6 of nine show one lesion; the others show one with the opposite facts.
    from_middle = []
    for one in world.test[:12]:
        other = next(t for t in world.test if t.side != one.side and t.density != one.density)
        query, letter = world.text_question(one, boxed=True)
        single = query.item.media[0]
        own, odd = (world.render(world.media(t, boxed=True))[0] for t in (one, other))
        pictures = (odd,) * 3 + (own,) * 3 + (odd,) * 3
        media = replace(
            single,
            paths=tuple(f"{n}.png" for n in range(9)),
            kind="stack",
            recipe=Recipe(stack="mosaic" if as_mosaic else "images"),
        )
        if as_mosaic:
            tiles = [_pixels(picture) for picture in pictures]
            whole = np.concatenate([np.concatenate(tiles[n : n + 3], axis=1) for n in (0, 3, 6)])
            pictures = (make_picture(whole, layout="mosaic 3×3", sources=9),)
        item = replace(query.item, media=(media,))
        from_middle.append(_answer(learned, Query(item=item, pictures={media: pictures})) == letter)
    assert np.mean(from_middle) >= 0.75


def _pixels(picture):
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB"))


def test_training_pictures_that_cannot_be_shown_are_left_out(world, reader):
    cases = list(world.training.cases)
    lost = replace(cases[0], media=tuple(replace(m, paths=("box/-1.png",)) for m in cases[0].media))
    letters = []
    for some in ((lost, *cases[1:30]), cases[1:30]):
        model = reader("radiomics")
        model.learn(Training(cases=tuple(some)), world.render)
        questions = [world.text_question(one, boxed=True)[0] for one in world.test[:8]]
        letters.append([_answer(model, query) for query in questions])
    assert letters[0] == letters[1]


def test_without_training_pictures_it_says_that_nothing_can_be_said(world, reader):
    model = reader("radiomics")
    model.learn(Training(), world.render)
    query, _ = world.text_question(world.test[0], boxed=True)
    reply = asyncio.run(model.ask(query))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "training pictures" in str(reply.reason)


def test_a_question_whose_picture_was_not_shown_is_no_answer(world, learned):
    query, _ = world.text_question(world.test[0], boxed=True)
    reply = asyncio.run(learned.ask(replace(query, pictures={})))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "not shown" in str(reply.reason)


def test_a_question_without_media_is_no_answer(world, learned):
    query, _ = world.text_question(world.test[0], boxed=True)
    reply = asyncio.run(learned.ask(replace(query, item=replace(query.item, media=()))))
    assert (reply.status, reply.text) == (Status.REFUSED, None)
    assert "without a picture" in str(reply.reason)


def test_training_without_boxes_falls_back_to_the_whole_slice(world, reader):
    plain = tuple(replace(case, media=case.media[1:]) for case in world.training.cases)
    model = reader("radiomics")
    model.learn(Training(cases=plain), world.render)
    letters = [_answer(model, world.text_question(one, boxed=False)[0]) for one in world.test]
    assert set(letters) <= set("ABCD")
    # The region (chest or abdomen) fills the slice: a question on it alone is easy.
    right = 0
    for one in world.test:
        query, _ = world.text_question(one, boxed=False)
        options = query.item.answer_space.options[:2]
        texts = [one.text.replace(one.region, region) for region in ("chest", "abdomen")]
        named = tuple(replace(o, text=t) for o, t in zip(options, texts, strict=True))
        item = replace(query.item, answer_space=Choice(options=named))
        right += _answer(model, replace(query, item=item)) == "AB"[one.region == "abdomen"]
    assert right >= 20


@pytest.mark.parametrize("grey", [0, 255])
def test_an_empty_picture_still_gets_a_letter(world, learned, make_picture, grey):
    query, _ = world.text_question(world.test[0], boxed=False)
    empty = make_picture(np.full((40, 50), grey, dtype=np.uint8))
    shown = {query.item.media[0]: (empty,)}
    assert _answer(learned, replace(query, pictures=shown)) in set("ABCD")


def test_options_with_unknown_words_still_get_a_letter(world, learned):
    query, _ = world.text_question(world.test[0], boxed=True)
    options = tuple(replace(o, text="Lorem ipsum") for o in query.item.answer_space.options)
    item = replace(query.item, answer_space=Choice(options=options))
    assert _answer(learned, replace(query, item=item)) == "A"


def _described(model, world, lesion, *, boxed):
    media = world.media(lesion, boxed=boxed)
    query, _ = world.text_question(lesion, boxed=boxed)
    item = replace(query.item, answer_space=Text())
    return asyncio.run(model.ask(Query(item=item, pictures={media: world.render(media)})))


# By chance a sentence of eight kinds has side, density and region right once in eight times: of 24
# three; 12 or more has probability 1e-5.
@pytest.mark.parametrize(("boxed", "least"), [(True, 18), (False, 12)])
def test_a_description_is_that_of_a_lesion_like_it(world, learned, boxed, least):
    replies = [_described(learned, world, one, boxed=boxed).text for one in world.test]
    assert set(replies) <= {one.text for one in world.train}
    assert sum(text == one.text for text, one in zip(replies, world.test, strict=True)) >= least


def test_a_description_without_a_picture_or_training_says_why(world, learned, reader):
    query, _ = world.text_question(world.test[0], boxed=True)
    asked = Query(item=replace(query.item, answer_space=Text()))
    blind = asyncio.run(learned.ask(asked))
    assert (blind.status, blind.reason) == (
        Status.REFUSED, "radiomics: the question comes without a picture",
    )  # fmt: skip
    assert "descriptions" in str(asyncio.run(reader("radiomics").ask(asked)).reason)

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import StoreError
from overread.records import (
    Box,
    Choice,
    Item,
    Mask,
    Media,
    ModelIdentity,
    Option,
    Part,
    Recipe,
    Text,
    Trace,
    Window,
)
from overread.store.hashes import (
    canonical_json,
    file_sha256,
    item_media,
    request_hash,
    sha256_bytes,
    sha256_text,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_canonical_json_sorts_keys_and_keeps_characters() -> None:
    assert canonical_json({"ß": 1, "a": [1.0, None, True]}) == '{"a":[1.0,null,true],"ß":1}'


def test_canonical_json_takes_mappings_that_are_no_dict() -> None:
    assert canonical_json(MappingProxyType({"b": 1, "a": ()})) == '{"a":[],"b":1}'


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [-math.inf]}, {1: "a"}, {"a": {2: 1}}])
def test_canonical_json_refuses(value: object) -> None:
    with pytest.raises(StoreError, match="value: expected JSON without NaN"):
        canonical_json(value)  # type: ignore[arg-type]


def test_canonical_json_refuses_what_is_no_json() -> None:
    with pytest.raises(StoreError, match="bytes is no JSON"):
        canonical_json([b"x"])  # type: ignore[list-item]


@given(JSON)
def test_canonical_json_is_json_and_the_same_for_equal_values(value: object) -> None:
    text = canonical_json(value)  # type: ignore[arg-type]
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


def test_sha256_of_the_empty_text_and_of_abc() -> None:
    # FIPS 180-2, appendix B.1, for "abc"; the empty one is the digest's well-known value.
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_text("abc") == sha256_bytes(b"abc") == abc
    assert sha256_text("").startswith("e3b0c44298fc1c149afbf4c8996fb924")


def test_a_lone_surrogate_has_a_hash() -> None:
    assert sha256_text("\ud800") != sha256_text("\ud801")


def test_file_hash_equals_the_hash_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000  # more than one piece
    path = tmp_path / "file"
    path.write_bytes(data)
    assert file_sha256(path) == hashlib.sha256(data).hexdigest()
    with pytest.raises(FileNotFoundError):
        file_sha256(tmp_path / "absent")


PICTURE = Media(paths=("lesion_bbox/1.png",))
OPTIONS = tuple(Option(letter=letter, text=f"text {letter}") for letter in "ABCD")
ITEM = Item(
    id="img2txt/box/1",
    benchmark="ct-bench",
    task="img2txt",
    condition="box",
    question="Which description fits?",
    media=(PICTURE,),
    prompt=(Part(role="system", text="You read CT."), Part(media=PICTURE), Part(text="Which?")),
    answer_space=Choice(options=OPTIONS),
    groups={"patient": "1"},
    strata={"task": "img2txt"},
)
IDENTITY = ModelIdentity(kind="chat", name="m", revision="1", settings={"temperature": 0.0})
HASHES = {"lesion_bbox/1.png": "a" * 64}


def hash_of(
    item: Item = ITEM,
    *,
    identity: ModelIdentity = IDENTITY,
    hashes: dict[str, str] | None = None,
    draw: int = 0,
    version: str = "1",
) -> str:
    return request_hash(
        identity=identity,
        item=item,
        media_hashes=HASHES if hashes is None else hashes,
        draw=draw,
        protocol_version=version,
    )


def test_this_very_request_keeps_its_hash() -> None:
    # The form written out by hand: a change of it makes every older run ask, and pay, again.
    identity = r'["chat","m","1",{"temperature":0.0}]'
    picture = '["Media",{"paths":["lesion_bbox/1.png"]}]'
    options = ",".join(f'["Option",{{"letter":"{x}","text":"text {x}"}}]' for x in "ABCD")
    form = (
        f'["overread request 1",{json.dumps(identity)},"1",0,'
        '"img2txt/box/1","ct-bench","img2txt","box","Which description fits?",'
        f"[{picture}],"
        '[["Part",{"role":"system","text":"You read CT."}],'
        f'["Part",{{"media":{picture}}}],["Part",{{"text":"Which?"}}]],'
        f'["Choice",{{"options":[{options}]}}],'
        f'[["{"a" * 64}"],["{"a" * 64}"]]]'
    )
    assert hash_of() == hashlib.sha256(form.encode()).hexdigest()


def test_each_thing_that_shapes_an_answer_changes_the_hash() -> None:
    boxed = replace(PICTURE, boxes=(Box(x_min=1, y_min=2, x_max=3, y_max=4),))
    windowed = replace(PICTURE, recipe=Recipe(window=Window.centred(40, 400)))
    other_options = (replace(OPTIONS[0], text="other"), *OPTIONS[1:])
    variants = [
        hash_of(),
        hash_of(identity=replace(IDENTITY, kind="clip")),
        hash_of(identity=replace(IDENTITY, name="n")),
        hash_of(identity=replace(IDENTITY, revision=None)),
        hash_of(identity=replace(IDENTITY, settings={"temperature": 0.1})),
        hash_of(hashes={"lesion_bbox/1.png": "b" * 64}),
        hash_of(hashes={}),
        hash_of(draw=1),
        hash_of(version="2"),
        *(
            hash_of(replace(ITEM, **change))
            for change in (
                {"id": "img2txt/box/2"},
                {"benchmark": "other"},
                {"task": "ct2txt"},
                {"condition": "no-box"},
                {"question": "Which one?"},
                {"media": (boxed,)},
                {"media": (windowed,)},
                {"media": (replace(PICTURE, recipe=Recipe(stack="mosaic")),)},
                {"media": (replace(PICTURE, recipe=Recipe(max_side_px=256)),)},
                {"media": ()},
                {"prompt": ITEM.prompt[:2]},
                {"prompt": (Part(role="user", text="You read CT."), *ITEM.prompt[1:])},
                {"prompt": (*ITEM.prompt[:2], Part(text="Which? "))},
                {"answer_space": Choice(options=other_options)},
                {"answer_space": Choice(options=OPTIONS[::-1])},
                {"answer_space": Text()},
            )
        ),
    ]
    assert len(set(variants)) == len(variants)


def test_what_does_not_shape_an_answer_leaves_the_hash() -> None:
    assert hash_of(replace(ITEM, groups={}, strata={"x": "y"})) == hash_of()
    equal = replace(IDENTITY, settings=MappingProxyType(dict(IDENTITY.settings)))
    assert hash_of(identity=equal) == hash_of()


def test_the_order_of_settings_does_not_matter() -> None:
    one = replace(IDENTITY, settings={"a": 1, "b": 2})
    two = replace(IDENTITY, settings={"b": 2, "a": 1})
    assert hash_of(identity=one) == hash_of(identity=two)


def test_a_picture_among_the_options_counts_by_its_bytes() -> None:
    options = tuple(Option(letter=x, media=Media(paths=(f"{x}.png",))) for x in "AB")
    item = replace(ITEM, media=(), prompt=(), answer_space=Choice(options=options))
    assert [media.paths for media in item_media(item)] == [("A.png",), ("B.png",)]
    swapped = hash_of(item, hashes={"A.png": "2", "B.png": "1"})
    assert hash_of(item, hashes={"A.png": "1", "B.png": "2"}) != swapped


def test_item_media_looks_into_prompt_and_traces() -> None:
    trace = Trace(
        answer=Choice(options=(Option(letter="A", media=PICTURE),)), tools=(), max_steps=1
    )
    assert list(item_media(replace(ITEM, answer_space=trace))) == [PICTURE] * 3


def test_labels_that_are_numbers_are_told_from_texts() -> None:
    one = replace(ITEM, answer_space=Mask(labels={1: "liver", 2: "spleen"}))
    two = replace(ITEM, answer_space=Mask(labels={"1": "liver", "2": "spleen"}))  # type: ignore[dict-item]
    turned = replace(ITEM, answer_space=Mask(labels={2: "spleen", 1: "liver"}))
    assert hash_of(one) != hash_of(two)
    assert hash_of(one) == hash_of(turned)

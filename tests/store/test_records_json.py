from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import StoreError
from overread.records import (
    Estimate,
    Finding,
    Item,
    Manifest,
    ModelIdentity,
    PlannedItem,
    PublishedValue,
    Receipt,
    Response,
    Score,
    Severity,
    Status,
    Text,
)
from overread.store.records_json import STORED, from_json, to_json

TEXTS = st.text(st.characters(), max_size=20)  # lone surrogates too
INTS = st.integers(-(2**63) + 1, 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | INTS | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
MAPS = st.dictionaries(TEXTS, TEXTS, max_size=3)
JSON_MAPS = st.dictionaries(TEXTS, JSON, max_size=3)
PROFILES = st.sampled_from(["published", "honest"])
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int": INTS,
    "float": FLOATS,
    "str": TEXTS,
    "Profile": PROFILES,
    "Status": st.sampled_from(list(Status)),
    "Severity": st.sampled_from(list(Severity)),
    "Mapping[str, str]": MAPS,
    "Mapping[str, JsonValue]": JSON_MAPS,
    "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
    "Literal['model', 'reader', 'chance']": st.sampled_from(["model", "reader", "chance"]),
}


def records(cls: type[Any]) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{each.name: values(str(each.type)) for each in fields(cls)})


def values(kind: str) -> st.SearchStrategy[Any]:
    if kind.endswith(" | None"):
        return st.none() | values(kind.removesuffix(" | None"))
    if kind in BY_NAME:
        return BY_NAME[kind]
    inner = {"ModelIdentity": ModelIdentity}
    many = {"tuple[Receipt, ...]": Receipt, "tuple[PublishedValue, ...]": PublishedValue}
    return (
        records(inner[kind])
        if kind in inner
        else st.lists(records(many[kind]), max_size=2).map(tuple)
    )


@pytest.mark.parametrize("cls", STORED, ids=lambda cls: cls.__name__)
def test_every_record_comes_back_equal_through_json_text(cls: type[Any]) -> None:
    @given(records(cls))
    def round_trip(record: Any) -> None:
        text = json.dumps(to_json(record), allow_nan=False)
        assert from_json(cls, json.loads(text)) == record

    round_trip()


SCORE = Score(
    run="r",
    item="i",
    patient=None,
    metric="accuracy",
    metric_version="1",
    profile="honest",
    unit="share",
    value=1.0,
    status=Status.OK,
)


def test_the_form_is_plain() -> None:
    assert to_json(replace(SCORE, value=0.5, answer="B")) == {
        "run": "r",
        "item": "i",
        "draw": 0,
        "patient": None,
        "metric": "accuracy",
        "metric_version": "1",
        "profile": "honest",
        "target": None,
        "unit": "share",
        "value": 0.5,
        "status": "ok",
        "reason": None,
        "answer": "B",
    }


def test_a_whole_number_is_a_number() -> None:
    value = from_json(Score, to_json(SCORE) | {"value": 1}).value
    assert value == 1.0
    assert isinstance(value, float)


def test_an_absent_key_takes_the_default() -> None:
    stored = dict(to_json(replace(SCORE, reason="rule")))
    del stored["reason"], stored["draw"]
    assert from_json(Score, stored) == SCORE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": math.nan}, r"Score.value: expected a finite number, got nan"),
        ({"value": math.inf}, "finite"),
        ({"value": "1"}, "finite number, got '1'"),
        ({"value": True}, "finite number, got True"),
        ({"draw": 1.0}, "Score.draw: expected a whole number"),
        ({"draw": True}, "whole number"),
        ({"draw": 2**63}, "at most 63 bits"),
        ({"run": None}, "Score.run: expected a text, got None"),
        ({"profile": "fair"}, "one of published, honest, got 'fair'"),
        ({"status": "fine"}, "one of ok, undefined"),
        ({"status": None}, "one of ok"),
        ({"valeu": 1.0}, "only the keys .* got \\['valeu'\\]"),
    ],
)
def test_reading_refuses(change: dict[str, Any], message: str) -> None:
    with pytest.raises(StoreError, match=message):
        from_json(Score, to_json(SCORE) | change)


def test_reading_refuses_a_missing_key_and_what_is_no_object() -> None:
    stored = dict(to_json(SCORE))
    del stored["value"]
    with pytest.raises(StoreError, match=r"Score\.value: expected a value, got 'nothing'"):
        from_json(Score, stored)
    with pytest.raises(StoreError, match="Score: expected a JSON object"):
        from_json(Score, [])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (replace(SCORE, value=math.nan), "Score.value"),
        (replace(SCORE, status="ok"), "Score.status"),  # type: ignore[arg-type]
        (replace(SCORE, item=3), "Score.item: expected a text, got 3"),  # type: ignore[arg-type]
        (
            PlannedItem(item="i", request_hash="h", groups={"a": 1}, strata={}, chance=None),  # type: ignore[dict-item]
            "PlannedItem.groups.a: expected a text",
        ),
        (
            ModelIdentity(kind="k", name="n", settings={"a": [b"x"]}),  # type: ignore[list-item]
            "ModelIdentity.settings.a: expected JSON",
        ),
        (
            Response(run="r", item="i", status=Status.OK, request_hash="h", receipts=[]),  # type: ignore[arg-type]
            "Response.receipts: expected a list",
        ),
    ],
)
def test_writing_refuses(record: object, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        to_json(record)


def test_other_records_have_no_form_here() -> None:
    item = Item(id="1", benchmark="b", task="t", condition="c", question="q", answer_space=Text())
    with pytest.raises(StoreError, match=r"expected one of Estimate, .+ got Item"):
        to_json(item)
    with pytest.raises(StoreError, match="got Item"):
        from_json(Item, {})


def test_mappings_of_any_class_are_taken(manifest: Manifest) -> None:
    shown = replace(manifest, selection=MappingProxyType({"tasks": ("a", "b")}))
    assert to_json(shown)["selection"] == {"tasks": ["a", "b"]}


def test_nested_records_say_where_they_break() -> None:
    estimate = Estimate(
        metric="accuracy", profile="honest", stratum={}, n=1, n_answered=1, n_clusters=None,
        value=1.0, low=None, high=None, method="none",
    )  # fmt: skip
    stored = to_json(estimate) | {"published": [{"metric": 1}]}
    with pytest.raises(StoreError, match=r"Estimate\.published\[0\]\.metric: expected a text"):
        from_json(Estimate, stored)


def test_findings_keep_their_severity() -> None:
    finding = Finding(
        severity=Severity.ERROR, code="missing-image", where="x.png", evidence="absent"
    )
    assert to_json(finding)["severity"] == "error"
    assert from_json(Finding, to_json(finding)) == finding

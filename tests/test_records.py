import dataclasses

import pytest

from overread import records
from overread.records import (
    Box,
    Choice,
    Item,
    ModelIdentity,
    MultiChoice,
    Option,
    Ranking,
    Text,
    Trace,
    Window,
)


def record_types():
    return [
        value
        for name in records.__all__
        if dataclasses.is_dataclass(value := getattr(records, name))
    ]


@pytest.mark.parametrize("record", record_types(), ids=lambda record: record.__name__)
def test_records_are_frozen_slotted_and_keyword_only(record):
    parameters = record.__dataclass_params__
    assert parameters.frozen
    assert "__slots__" in vars(record)
    assert all(field.kw_only for field in dataclasses.fields(record))


def test_no_field_of_an_item_can_hold_the_answer():
    words = {field.name for field in dataclasses.fields(Item)}
    assert not words & {"answer", "reference", "correct", "correct_choice", "label", "target"}
    assert {field.name for field in dataclasses.fields(Option)} == {"letter", "text", "media"}


def test_a_window_by_centre_and_width():
    assert Window.centred(40, 400) == Window(low_hu=-160, high_hu=240)


def test_letters_come_in_order():
    assert Choice(options=(Option(letter="B"), Option(letter="A"))).letters == ("B", "A")


def test_the_options_of_an_item_are_those_of_its_answer_space():
    options = (Option(letter="A"), Option(letter="B"))
    spaces = {
        Choice(options=options): options,
        MultiChoice(options=options): options,
        Ranking(options=options): options,
        Trace(answer=Choice(options=options), tools=(), max_steps=1): options,
        Trace(answer=Text(), tools=(), max_steps=1): (),
        Text(): (),
    }
    for space, offered in spaces.items():
        item = Item(
            id="q", benchmark="b", task="t", condition="c", question="?", answer_space=space
        )
        assert item.options == offered


def test_identities_are_labelled_by_adapter_and_name():
    assert ModelIdentity(kind="chat", name="m").label == "chat:m"


def test_public_names_are_listed():
    defined = {
        name
        for name, value in vars(records).items()
        if getattr(value, "__module__", None) == records.__name__ and not name.startswith("_")
    }
    assert defined <= set(records.__all__)
    assert Box(x_min=0, y_min=0, x_max=1, y_max=1).x_max == 1

from __future__ import annotations

import subprocess
import sys

import pytest

from overread.contracts import Learner, ModelOptions
from overread.errors import UsageError
from overread.models.baselines import ADAPTER
from overread.records import Item, Number, Status
from overread.registry import open_model


@pytest.mark.parametrize("word", ADAPTER.examples)
def test_every_example_opens_by_its_bare_word(word):
    model = open_model(word, ModelOptions())
    assert model.identity.kind == "baselines"
    assert model.identity.name.startswith(word)
    assert model.sees == (word in {"radiomics", "empty-mask", "threshold"})


def test_the_seed_is_part_of_the_identity_of_chance():
    one = ADAPTER.open("chance", ModelOptions(seed=1)).identity
    other = ADAPTER.open("chance", ModelOptions(seed=2)).identity
    assert one != other


@pytest.mark.parametrize("word", ["majority", "text-only", "radiomics"])
def test_those_that_learn_say_so(word):
    assert isinstance(ADAPTER.open(word, ModelOptions()), Learner)


@pytest.mark.parametrize("word", ["chance", "constant", "longest"])
def test_those_that_do_not_learn_say_so(word):
    assert not isinstance(ADAPTER.open(word, ModelOptions()), Learner)


@pytest.mark.parametrize(
    "target",
    [
        "",
        "nobody",
        "constant:" + 201 * "x",
        "constant:a\nb",
        "chance:3",
        "radiomics:x",
        "empty-mask:1",
        "threshold:x",
        "threshold:nan",
        "threshold:1:0",
        "threshold:1:",
    ],
)
def test_wrong_targets_are_refused_with_the_remedy(target):
    with pytest.raises(UsageError, match=r"expected .*, got .*\. "):
        ADAPTER.open(target, ModelOptions())


@pytest.mark.parametrize("word", ADAPTER.examples)
def test_a_question_without_options_fails_with_a_reason(word, reader, ask):
    item = Item(
        id="n",
        benchmark="b",
        task="size",
        condition="box",
        question="How long?",
        answer_space=Number(unit="mm"),
    )
    reply = ask(reader(word), item)
    assert reply.status is Status.FAILED
    assert reply.text is None
    assert "Number" in str(reply.reason)


@pytest.mark.parametrize("word", ADAPTER.examples)
def test_a_question_with_an_empty_list_of_options_fails_with_a_reason(word, reader, ask, question):
    reply = ask(reader(word), question(1, []))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    wanted = "it writes masks" if word in {"empty-mask", "threshold"} else "no option"
    assert wanted in str(reply.reason)


def test_listing_the_readers_imports_no_numeric_library():
    code = (
        "import sys; from overread.models.baselines import ADAPTER; ADAPTER.examples; "
        "print([m for m in ('numpy', 'scipy', 'skimage', 'PIL', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"

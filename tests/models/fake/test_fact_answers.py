from __future__ import annotations

import pytest

from overread.errors import UsageError
from overread.models.fake.fact_answers import FACTS, facts_reply
from overread.models.fake.script import read_script
from overread.scoring.facts.model_form import FactForm

FORM = FactForm()
SENTENCE = "A 1.2 cm solid nodule in the left upper lobe."


def said(facts: str, sentence: str = SENTENCE) -> str:
    words = "\n\n".join(part.text or "" for part in FORM.prompt(sentence))
    reply = facts_reply(facts, words)
    assert reply is not None
    return reply


def test_the_form_reads_what_the_server_says() -> None:
    (lesion,) = FORM.read(said("text"), SENTENCE).lesions
    assert (lesion.sides, lesion.organs, lesion.types) == ({"left"}, {"lung"}, {"nodule"})
    assert lesion.size is not None
    assert lesion.size.axes_mm == (12.0,)
    (lesion,) = FORM.read(said("swap"), SENTENCE).lesions
    assert lesion.sides == {"right"}


@pytest.mark.parametrize("facts", [each for each in FACTS if each not in ("text", "swap")])
def test_the_other_ways_give_no_fact(facts: str) -> None:
    facts_read = FORM.read(said(facts), SENTENCE)
    assert facts_read.lesions == ()
    assert facts_read.reader_failed == (facts != "nothing")


def test_other_prompts_are_not_answered_so() -> None:
    assert facts_reply("text", "Which option is right?\nA: x") is None


def test_an_unknown_way_is_refused() -> None:
    with pytest.raises(UsageError, match="facts=well"):
        read_script("facts=well")

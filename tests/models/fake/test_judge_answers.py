from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from overread.contracts import Graded, JudgeForm, ModelOptions, Query
from overread.errors import UsageError
from overread.models.fake.judge_answers import JUDGES, judge_reply
from overread.models.fake.script import read_script
from overread.records import Item, Text
from overread.registry import open_model
from overread.scoring.judging.fenced import FencedForm
from overread.scoring.published.ct_spatialvqa import BatchForm

TEXTS = [
    Graded(item=f"i{n}", draw=0, question="Where?", reference=reference, prediction=prediction)
    for n, (reference, prediction) in enumerate(
        (
            ("In the left lung.", "in the LEFT lung"),
            ("Left", "Right"),
            ("Two\nlines", "two lines"),
            ("Yes", '"yes" \\ {"a": 1}\n2. Question: no'),
        )
    )
]
FORMS: Sequence[JudgeForm] = (FencedForm(batch_size=4), BatchForm())


def words(form: JudgeForm, graded: Sequence[Graded]) -> str:
    return "\n\n".join(part.text or "" for part in form.prompt(graded))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_what_the_fake_judge_says_is_what_the_form_reads(form: JudgeForm) -> None:
    def verdicts(judge: str) -> list[bool | None]:
        graded = TEXTS[:3]
        readings = form.read(judge_reply(judge, words(form, graded)), graded)
        return [reading.verdict for reading in readings]

    assert verdicts("exact") == [True, False, True]
    assert verdicts("yes") == [True] * 3
    assert verdicts("no") == [False] * 3
    assert verdicts("short") == [True, False, None]
    assert set(verdicts("hash")) <= {True, False}
    for judge in ("null", "echo", "prose"):
        assert verdicts(judge) == [None] * 3
    assert verdicts("half")[-1] is None


def test_a_single_fenced_answer_is_judged_with_one_object() -> None:
    form, graded = FencedForm(), TEXTS[3:]
    reply = judge_reply("exact", words(form, graded)) or ""
    assert set(json.loads(reply)) == {"id", "reason", "verdict"}
    assert [each.verdict for each in form.read(reply, graded)] == [False]


def test_other_prompts_are_not_judged() -> None:
    for prompt in ("", "Where is the lesion?\nA: liver", "1. Question: a\n   Answer: b"):
        assert all(judge_reply(judge, prompt) is None for judge in JUDGES)


def test_an_unknown_judge_is_refused() -> None:
    assert read_script("judge=echo").judge == "echo"
    with pytest.raises(UsageError, match="judge=fair"):
        read_script("judge=fair")


def test_judges_have_names_of_their_own_and_see_nothing(tmp_path: Path) -> None:
    options = ModelOptions(text_only=True)
    models = [open_model(f"fake:judge={judge}", options) for judge in JUDGES]
    assert len({model.identity.label for model in models}) == len(JUDGES)
    assert not any(model.sees for model in models)
    assert open_model("fake", ModelOptions()).identity.label == "fake:hash"
    assert open_model("fake", ModelOptions()).sees


def test_open_questions_get_short_answers_by_hash() -> None:
    async def main() -> list[str | None]:
        model = open_model("fake:form=words", ModelOptions())
        try:
            items = (
                Item(
                    id=str(n),
                    benchmark="b",
                    task="t",
                    condition="c",
                    question=f"Where is finding {n}?",
                    answer_space=Text(),
                )
                for n in range(40)
            )
            return [(await model.ask(Query(item=item))).text for item in items]
        finally:
            await model.close()

    answers = asyncio.run(main())
    assert answers == asyncio.run(main())
    assert len(set(answers)) == 5

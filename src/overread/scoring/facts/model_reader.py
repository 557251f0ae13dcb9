"""Reads the facts of sentences by a language model instead of by rule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

from overread.contracts.models import Model, Query
from overread.errors import FatalModelError, ModelError
from overread.records import Item, Status, Text
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.model_form import FactForm

__all__ = ["ask_for_facts", "read_by_model"]

_CUT = "the model's reply was cut off by the limit of tokens"


async def ask_for_facts(
    model: Model, sentences: Iterable[str], *, form: FactForm | None = None
) -> Mapping[str, LesionFacts]:
    """Ask a model for the facts of each distinct sentence, several at a time.

    Parameters
    ----------
    model
        Any chat model, opened with `ModelOptions.text_only`; it is not closed here.
    sentences
        References and replies, raw; empty ones are not asked about.

    Returns
    -------
    mapping
        Sentence → what the model read in it. Where a request failed or the reply is not of the
        form, the facts are unreadable and say why: nothing is guessed.

    Raises
    ------
    FatalModelError
        No request can succeed.
    """
    form = form or FactForm()
    known: dict[str, LesionFacts] = {}
    waiting = [each for each in dict.fromkeys(sentences) if each.strip()]
    await model.preflight()

    async def work() -> None:
        while waiting:
            sentence = waiting.pop(0)
            known[sentence] = await _ask(model, form, sentence)

    workers = [asyncio.create_task(work()) for _ in range(min(model.max_concurrency, len(waiting)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return known


async def _ask(model: Model, form: FactForm, sentence: str) -> LesionFacts:
    item = Item(
        id=sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest(),
        benchmark="facts",
        task="facts",
        condition=form.name,
        question=sentence,
        prompt=form.prompt(sentence),
        answer_space=Text(),
    )
    try:
        reply = await model.ask(Query(item=item))
    except FatalModelError:
        raise
    except ModelError as problem:
        return LesionFacts(unreadable=f"the model gave no reply: {problem}")
    if reply.status is not Status.OK:
        return LesionFacts(unreadable=f"the model gave no reply: {reply.reason or reply.status}")
    if reply.finish_reason == "length":
        return LesionFacts(unreadable=_CUT)
    return form.read(reply.text, sentence)


def read_by_model(readings: Mapping[str, LesionFacts]) -> Callable[[str], LesionFacts]:
    """Make a reader for `scorer.FactScorer` of what a model has read.

    Examples
    --------
    >>> reader = read_by_model({})
    >>> reader("Left lung nodule").unreadable
    'the model was not asked about this text'
    """

    def read(sentence: str) -> LesionFacts:
        known = readings.get(sentence)
        return known or LesionFacts(unreadable="the model was not asked about this text")

    return read

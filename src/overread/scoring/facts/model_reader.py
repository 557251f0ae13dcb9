"""Reads the facts of sentences by a language model instead of by rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final

from overread.contracts import Joiner, Model, Query, Reply
from overread.errors import FatalModelError, ModelError
from overread.records import Item, Status, Text
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.model_form import FactForm

__all__ = ["ask_for_facts", "facts_of_reply", "read_by_model"]

_CUT: Final = "the model's reply was cut off by the limit of tokens"


async def _forget(sentence: str, reply: Reply) -> None:
    """Keep nothing."""
    del sentence, reply


async def ask_for_facts(
    model: Model,
    sentences: Iterable[str],
    *,
    form: FactForm | None = None,
    keep: Callable[[str, Reply], Awaitable[None]] = _forget,
) -> Mapping[str, LesionFacts]:
    """Ask a model for the facts of each distinct sentence, several at a time.

    Parameters
    ----------
    model
        Any chat model, opened with `ModelOptions.text_only`; whoever opened it calls its
        `preflight` before and closes it after.
    sentences
        References and replies, raw; empty ones are not asked about.
    form
        The way of asking; `FactForm` as it is now when left out.
    keep
        Is given each sentence with the raw reply as it comes, before another is asked in its place.

    Returns
    -------
    mapping
        Sentence → what the model read in it. Where a request failed or the reply is not of the
        form, the facts are unreadable and say why: nothing is guessed.

    Raises
    ------
    FatalModelError
        No request can succeed. Replies that were on their way have been waited for and kept.
    """
    form = form or FactForm()
    known: dict[str, LesionFacts] = {}
    items = {each: _item(each, form) for each in dict.fromkeys(sentences) if each.strip()}
    waiting = list(items)
    trouble: list[FatalModelError] = []
    if isinstance(model, Joiner):
        model.announce(items.values())

    async def work() -> None:
        while waiting:
            sentence = waiting.pop(0)
            try:
                reply = await model.ask(Query(item=items[sentence]))
            except FatalModelError as error:
                trouble.append(error)
                waiting.clear()
                return
            except ModelError as error:
                reply = Reply(status=Status.FAILED, reason=str(error))
            await keep(sentence, reply)
            known[sentence] = facts_of_reply(reply, sentence, form)

    workers = [asyncio.create_task(work()) for _ in range(min(model.max_concurrency, len(waiting)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if trouble:
        raise trouble[0]
    return known


def _item(sentence: str, form: FactForm) -> Item:
    return Item(
        id=sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest(),
        benchmark="facts",
        task="facts",
        condition=form.name,
        question=sentence,
        prompt=form.prompt(sentence),
        answer_space=Text(),
    )


def facts_of_reply(reply: Reply, sentence: str, form: FactForm) -> LesionFacts:
    """Read a model's reply about a sentence; unreadable, with the reason, where there is none."""
    if reply.status is not Status.OK:
        reason = f"the model gave no reply: {reply.reason or reply.status}"
        return LesionFacts(unreadable=reason, reader_failed=True)
    if reply.finish_reason == "length":
        return LesionFacts(unreadable=_CUT, reader_failed=True)
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
        reason = "the model was not asked about this text"
        return known or LesionFacts(unreadable=reason, reader_failed=True)

    return read

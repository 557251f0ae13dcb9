"""Asks a scorer in training the exam's own validation questions.

Same question format, same pictures, same reading of replies and same estimates as `overread run
--split validation`: only nothing is stored, for what is asked is a model that is gone a minute
later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from overread.analysis.estimates import estimate
from overread.contracts import BatchScorer, Model, Query, Release, Renderer, Selection
from overread.errors import ImageError, ModelError, ReleaseError, UnsafePathError, expected
from overread.imaging.picture import Picture
from overread.records import (
    Choice,
    Estimate,
    Item,
    Media,
    PlannedItem,
    Reference,
    Response,
    Score,
    Status,
)
from overread.run.finetuning.curve import ExamShare
from overread.store.hashes import item_media

__all__ = ["TOTAL", "ValidationExam"]

TOTAL: Final = "all"
"""Name of the share over all questions."""

_STRATUM: Final = "box"
_PROFILE: Final = "honest"


class ValidationExam:
    """The validation questions of a release, ready to be asked again and again.

    Parameters
    ----------
    release
        With solved questions of the split ``validation``.
    render
        Gives the pictures.

    Raises
    ------
    ReleaseError
        It has no such question.
    """

    def __init__(self, release: Release, render: Renderer) -> None:
        selection = Selection(split="validation", form="clip", stack="features")
        self._items = tuple(release.items(selection))
        if not self._items:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="questions of the split validation, to choose an epoch by",
                    got=f"{release.root}, which has none",
                    remedy="'overread check ct-bench RELEASE' counts what there is.",
                )
            )
        self._references = {item.id: release.reference(item.id) for item in self._items}
        self._plan = replace(release.plan(), strata=((), (_STRATUM,)), also=())
        self._scorers = [
            scorer
            for scorer in release.scorers(_PROFILE)
            if scorer.metric == self._plan.headline and not isinstance(scorer, BatchScorer)
        ]
        self._render = render
        self._lines = [_line(item) for item in self._items]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that it asks under, such as ``box``."""
        return tuple(dict.fromkeys(item.strata.get(_STRATUM, "") for item in self._items))

    @property
    def n(self) -> int:
        """How many questions it has."""
        return len(self._items)

    def ask(
        self, model: Model, *, on_question: Callable[[int], None] = lambda _: None
    ) -> dict[str, ExamShare]:
        """Ask every question and give the shares by condition, and over all (`TOTAL`)."""
        responses = asyncio.run(self._ask_all(model, on_question))
        scores = list(self._scores(responses))
        found: dict[str, ExamShare] = {}
        for each in estimate(scores, self._lines, self._plan):
            is_share = each.metric == self._plan.headline and each.profile == _PROFILE
            if is_share and each.stratum.keys() <= {_STRATUM}:  # the plan's cells come as well
                found[each.stratum.get(_STRATUM, TOTAL)] = _share(each)
        return dict(sorted(found.items()))

    async def _ask_all(
        self, model: Model, on_question: Callable[[int], None]
    ) -> Sequence[Response]:
        responses: list[Response] = []
        for item in self._items:
            responses.append(await self._ask(model, item))
            on_question(len(responses))
        return responses

    async def _ask(self, model: Model, item: Item) -> Response:
        try:
            pictures: dict[Media, tuple[Picture, ...]] = {
                media: self._render(media) for media in item_media(item)
            }
            reply = await model.ask(Query(item=item, pictures=pictures))
        except (ImageError, UnsafePathError, ModelError) as problem:
            return _response(item, status=Status.FAILED, text=None, reason=str(problem))
        return _response(item, status=Status.OK, text=reply.text, reason=None)

    def _scores(self, responses: Sequence[Response]) -> Iterator[Score]:
        for item, response in zip(self._items, responses, strict=True):
            reference: Reference = self._references[item.id]
            for scorer in self._scorers:
                yield from scorer.score(item, reference, response)


def _line(item: Item) -> PlannedItem:
    space = item.answer_space
    known = isinstance(space, Choice) and bool(space.options)
    return PlannedItem(
        item=item.id,
        request_hash=item.id,
        groups=item.groups,
        strata=item.strata,
        chance=1 / len(space.options) if known and isinstance(space, Choice) else None,
    )


def _response(item: Item, *, status: Status, text: str | None, reason: str | None) -> Response:
    return Response(
        run="validation",
        item=item.id,
        status=status,
        text=text,
        reason=reason,
        request_hash=item.id,
    )


def _share(found: Estimate) -> ExamShare:
    return ExamShare(
        n=found.n,
        n_answered=found.n_answered,
        accuracy=found.value,
        low=found.low,
        high=found.high,
        chance=found.chance,
    )

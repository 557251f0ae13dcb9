"""Answers a query by cosine between pictures and texts, as CT-Bench does for such models."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.contracts import Form, Picture, Query, Reply
from overread.errors import ImageError, ModelError, expected
from overread.models.clip.loading import Scorer
from overread.models.clip.protocol import combine_slices, probabilities
from overread.models.clip.tensors import KeptTensors, picture_tensor
from overread.records import Choice, Media, ModelIdentity, Option

__all__ = ["ClipModel"]

_MOST_CACHED = 20_000
"""Features kept (512 numbers each: about 80 MB); a picture often serves several questions."""

_Feature = NDArray[np.float64]


class ClipModel:
    """An image-text scorer as a model.

    Where texts are the options it compares the item's picture with each; where pictures are the
    options, each with the question. Several slices count as their Gaussian-weighted sum. The reply
    is JSON: the letter and the probability of every option.

    Every picture and text is encoded by itself, so that no answer depends on what else is asked.

    Parameters
    ----------
    scorer
        The loaded model.
    tensors
        Pictures as tensors, kept for the next model with the same preprocessing: a model in
        training is asked the same questions every epoch.
    """

    sees = True
    form: Form = "clip"
    max_concurrency = 1

    def __init__(self, scorer: Scorer, *, tensors: KeptTensors | None = None) -> None:
        self._scorer = scorer
        self._tensors = tensors or KeptTensors(most_bytes=0)
        self._cache: OrderedDict[Hashable, _Feature] = OrderedDict()
        self._identity = ModelIdentity(
            kind="clip",
            name=scorer.name,
            revision=scorer.weights_sha256[:12],
            settings={**scorer.settings, "weights_sha256": scorer.weights_sha256},
        )
        self._scale = float(scorer.network.logit_scale.detach().exp())

    @property
    def identity(self) -> ModelIdentity:
        """The model with the hash of its weights, its preprocessing and its context length."""
        return self._identity

    async def preflight(self) -> None:
        """Do nothing more: the weights are loaded."""

    async def ask(self, query: Query) -> Reply:
        """Answer one query; ModelError when it cannot be put to an image-text scorer."""
        return await asyncio.to_thread(self._answer, query)

    async def close(self) -> None:
        """Forget the features."""
        self._cache.clear()

    def _answer(self, query: Query) -> Reply:
        options = _options(query)
        if all(option.media for option in options):
            pictures = [self._media(query, [option.media]) for option in options if option.media]
            texts = [query.item.question]
        else:
            pictures = [self._media(query, query.item.media)]
            texts = [option.text or "" for option in options]
        shares = probabilities(
            np.stack(pictures), np.stack([self._text(text) for text in texts]), scale=self._scale
        )
        if not np.isfinite(shares).all():
            raise _cannot(query, rule="finite features", got="NaN or infinity")
        answer = {
            "selected_option": options[int(np.argmax(np.round(shares, 9)))].letter,
            "probabilities": {
                option.letter: round(float(share), 6)
                for option, share in zip(options, shares, strict=True)
            },
        }
        cut = sum(self._is_cut(text) for text in texts)
        if cut:
            answer["texts_cut"] = cut
        return Reply(text=json.dumps(answer, ensure_ascii=False), finish_reason="stop")

    def _media(self, query: Query, media: Sequence[Media]) -> _Feature:
        """Encode all slices of media and combine them: shape (width,)."""
        pictures = [picture for one in media for picture in query.pictures.get(one, ())]
        if not pictures:
            raise _cannot(query, rule="a rendered picture", got="none")
        return combine_slices(np.stack([self._picture(query, picture) for picture in pictures]))

    def _picture(self, query: Query, picture: Picture) -> _Feature:
        key = "picture", picture.receipt.sha256
        if (known := self._cached(key)) is not None:
            return known
        tensor = self._tensors.get(picture.receipt.sha256, lambda: self._tensor(query, picture))
        batch = tensor[None].to(self._scorer.device)
        with self._scorer.torch.inference_mode():
            return self._keep(key, self._scorer.network.encode_image(batch, normalize=True)[0])

    def _tensor(self, query: Query, picture: Picture) -> Any:
        try:
            return picture_tensor(picture, self._scorer.preprocess)
        except ImageError as problem:
            raise _cannot(query, rule="a PNG or JPEG picture", got=problem) from problem

    def _text(self, text: str) -> _Feature:
        key = "text", text
        if (known := self._cached(key)) is not None:
            return known
        tokens = self._scorer.tokenize([text], context_length=self._scorer.context_length)
        batch = tokens.to(self._scorer.device)
        with self._scorer.torch.inference_mode():
            return self._keep(key, self._scorer.network.encode_text(batch, normalize=True)[0])

    def _is_cut(self, text: str) -> bool:
        """Whether a text has more tokens than the context holds."""
        length = self._scorer.context_length
        # With one place more, only a longer text puts its end mark (no padding) into that place.
        longer = self._scorer.tokenize([text], context_length=length + 1)[0]
        padding = self._scorer.tokenize([""], context_length=length + 1)[0][-1]
        return bool(longer[-1] != padding)

    def _cached(self, key: Hashable) -> _Feature | None:
        known = self._cache.get(key)
        if known is not None:
            self._cache.move_to_end(key)
        return known

    def _keep(self, key: Hashable, tensor: object) -> _Feature:
        feature = np.asarray(tensor.float().cpu().numpy(), dtype=np.float64)  # type: ignore[attr-defined]
        self._cache[key] = feature
        if len(self._cache) > _MOST_CACHED:
            self._cache.popitem(last=False)
        return feature


def _options(query: Query) -> tuple[Option, ...]:
    space = query.item.answer_space
    if not isinstance(space, Choice) or not space.options:
        raise _cannot(query, rule="a question with options", got=type(space).__name__)
    return space.options


def _cannot(query: Query, *, rule: str, got: object) -> ModelError:
    return ModelError(
        expected(
            query.item.id,
            rule=f"{rule} for an image-text scorer",
            got=got,
            remedy="Ask such items of a chat model.",
        )
    )

"""Trains a scorer, epoch by epoch, so that it can be stopped at any step and gone on with."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from overread.contracts import Renderer
from overread.errors import ImageError, UnsafePathError, UsageError, expected
from overread.models.clip.finetune.loss import contrastive_loss
from overread.models.clip.finetune.settings import TrainingSettings
from overread.models.clip.loading import Scorer, are_finite
from overread.models.clip.tensors import KeptTensors, picture_tensor
from overread.records import Media

__all__ = ["EpochLoss", "Pair", "Trainer", "Where"]

_LARGEST_SCALE: Final = math.log(100)
"""Bound of the logit scale's logarithm (arXiv 2103.00020, section 2.5)."""
_LOADERS: Final = 2
_Batch = tuple[list[Any], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One lesion to learn from."""

    id: str
    media: Media
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """How far a training is, and what the epoch under way has summed up."""

    epoch: int = 0
    """Whole epochs behind it."""
    step: int = 0
    """Batches of the next epoch behind it."""
    loss_sum: float = 0.0
    """Over the pairs of that epoch so far."""
    n_pairs: int = 0
    n_unreadable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochLoss:
    """What an epoch came to."""

    loss: float
    """Mean over its pairs."""
    n_pairs: int
    n_unreadable: int
    """Pairs left out because their picture could not be read."""


class Trainer:
    """Adam at a constant rate over shuffled batches of pairs.

    Everything random follows from the seed and the epoch's number: the order of the pairs, and
    what the network drops. On one CPU with one number of threads a training that was stopped and
    gone on with gives the very weights of one that was not; a GPU's sums may differ in their last
    digits.

    Pictures are prepared as for questions, without augmentation: a flip would make left right.

    Parameters
    ----------
    scorer
        The network, which is trained in place.
    pairs
        What to learn from, two or more.
    settings
        How.
    render
        Gives a pair's picture as a question would show it.
    tensors
        Keeps prepared pictures from epoch to epoch.
    """

    def __init__(
        self,
        scorer: Scorer,
        pairs: Sequence[Pair],
        settings: TrainingSettings,
        render: Renderer,
        *,
        tensors: KeptTensors,
    ) -> None:
        if len(pairs) < 2:
            raise UsageError(
                expected(
                    "RELEASE",
                    rule="two or more training lesions with a description and such a picture",
                    got=len(pairs),
                    remedy="Take a release with a training split, or the other kind of --boxes.",
                )
            )
        self._scorer = scorer
        self._torch = scorer.torch
        self._pairs = tuple(pairs)
        self._settings = settings
        self._render = render
        self._tensors = tensors
        named = [each for each in scorer.network.named_parameters() if each[1].requires_grad]
        self._names = [name for name, _ in named]
        self._optimiser = self._torch.optim.Adam(
            [parameter for _, parameter in named], lr=settings.learning_rate
        )
        self._resumed_at: dict[str, Any] | None = None
        """Random state of a stop within an epoch."""
        self.where = Where()

    @property
    def steps_per_epoch(self) -> int:
        """How many batches an epoch has."""
        return len(self._batches(0))

    def run_epoch(self, on_step: Callable[[float], None]) -> EpochLoss:
        """Go on to the end of the epoch; `on_step` hears each batch's loss after its step.

        Raises
        ------
        UsageError
            Loss or weights are no numbers any more, or not one picture could be read.
        """
        batches = self._batches(self.where.epoch)[self.where.step :]
        network = self._scorer.network
        network.train()
        with self._random_numbers(), ThreadPoolExecutor(_LOADERS) as pool:
            for pairs, images in _ahead(pool, batches, self._load):
                self._step(pairs, images, on_step)
        network.eval()
        ended = self.where
        if not ended.n_pairs:
            raise self._nothing_readable()
        if not are_finite(self._torch, network):  # no later batch's loss shows the last step's
            raise self._astray("weights that are not finite")
        self.where = Where(epoch=ended.epoch + 1)
        return EpochLoss(
            loss=ended.loss_sum / ended.n_pairs,
            n_pairs=ended.n_pairs,
            n_unreadable=ended.n_unreadable,
        )

    # ------------------------------------------------------------ one step

    def _step(
        self, pairs: Sequence[Pair], images: Sequence[Any], on_step: Callable[[float], None]
    ) -> None:
        shown = [
            (pair, image) for pair, image in zip(pairs, images, strict=True) if image is not None
        ]
        loss = self._learn(shown) if len(shown) > 1 else None
        before = self.where
        self.where = Where(
            epoch=before.epoch,
            step=before.step + 1,
            loss_sum=before.loss_sum + (loss or 0.0) * len(shown),
            n_pairs=before.n_pairs + (len(shown) if loss is not None else 0),
            n_unreadable=before.n_unreadable + len(pairs) - len(shown),
        )
        if loss is not None:
            on_step(loss)

    def _learn(self, shown: Sequence[tuple[Pair, Any]]) -> float:
        scorer, network = self._scorer, self._scorer.network
        texts = [pair.text for pair, _ in shown]
        images = self._torch.stack([image for _, image in shown]).to(scorer.device)
        tokens = scorer.tokenize(texts, context_length=scorer.context_length).to(scorer.device)
        loss = contrastive_loss(
            network.encode_image(images, normalize=True),
            network.encode_text(tokens, normalize=True),
            network.logit_scale.exp(),
            texts,
        )
        value = float(loss.detach())
        if not math.isfinite(value):
            raise self._astray(f"a loss of {value}")
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        with self._torch.no_grad():
            network.logit_scale.clamp_(0, _LARGEST_SCALE)
        return value

    def _batches(self, epoch: int) -> list[list[Pair]]:
        """Shuffle the pairs for an epoch and cut them; a last single pair joins those before it."""
        size = self._settings.batch_size
        order = np.random.default_rng([self._settings.seed, epoch]).permutation(len(self._pairs))
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        if len(batches) > 1 and len(batches[-1]) == 1:
            batches[-2:] = [np.concatenate(batches[-2:])]
        return [[self._pairs[place] for place in batch] for batch in batches]

    def _load(self, pair: Pair) -> Any | None:
        """Give a pair's picture as a tensor, None where it cannot be read."""

        def make() -> Any:
            (picture,) = self._render(pair.media)
            return picture_tensor(picture, self._scorer.preprocess)

        try:
            return self._tensors.get(pair.media, make)
        except (ImageError, UnsafePathError):
            return None

    def _astray(self, what: str) -> UsageError:
        return UsageError(
            expected(
                "--learning-rate",
                rule="one at which loss and weights stay numbers",
                got=f"{self._settings.learning_rate:g}, and {what} in epoch {self.where.epoch + 1}",
                remedy="Take a lower one, into another --out.",
            )
        )

    def _nothing_readable(self) -> UsageError:
        return UsageError(
            expected(
                "RELEASE",
                rule="pictures of its training lesions",
                got=f"not one of {len(self._pairs)} that can be read, for instance "
                f"{self._pairs[0].media.paths[0]}",
                remedy="Unpack the release's picture archives in place.",
            )
        )

    # ------------------------------------------------------------ random numbers

    @contextlib.contextmanager
    def _random_numbers(self) -> Iterator[None]:
        """Set the stream of the epoch, or the place in it, and leave the caller's as it was."""
        with self._torch.random.fork_rng():
            if self._resumed_at is not None:
                self._set_random_state(self._resumed_at)
                self._resumed_at = None
            else:
                seed = np.random.SeedSequence([self._settings.seed, self.where.epoch])
                self._torch.manual_seed(int(seed.generate_state(1, np.uint64)[0] >> 1))
            yield

    def _random_state(self) -> dict[str, Any]:
        state = {"cpu": self._torch.get_rng_state()}
        if self._scorer.device == "cuda":
            state["cuda"] = self._torch.cuda.get_rng_state()
        return state

    def _set_random_state(self, state: dict[str, Any]) -> None:
        self._torch.set_rng_state(state["cpu"])
        if "cuda" in state and self._scorer.device == "cuda":
            self._torch.cuda.set_rng_state(state["cuda"])

    # ------------------------------------------------------------ state

    def tensors(self) -> dict[str, Any]:
        """Give all that the next step depends on beside `where`, by name.

        Within an epoch it must be called from `on_step`: there the epoch's random numbers are.
        ``network.NAME``, ``adam.QUANTITY.NAME`` and ``random.DEVICE``.
        """
        state = {
            f"network.{name}": tensor for name, tensor in self._scorer.network.state_dict().items()
        }
        moments = self._optimiser.state_dict()["state"]
        for place, of_parameter in moments.items():
            for quantity, tensor in of_parameter.items():
                state[f"adam.{quantity}.{self._names[place]}"] = tensor
        state |= {f"random.{device}": value for device, value in self._random_state().items()}
        return state

    def restore(self, tensors: dict[str, Any], where: Where) -> None:
        """Go back to what `tensors` gave.

        Raises
        ------
        ValueError
            The tensors are of another network.
        """
        parts: dict[str, dict[str, Any]] = {"network": {}, "adam": {}, "random": {}}
        for name, tensor in tensors.items():
            part, _, rest = name.partition(".")
            if part not in parts:
                raise ValueError(f"no part of a training: {name}")
            parts[part][rest] = tensor
        try:
            self._scorer.network.load_state_dict(parts["network"], strict=True)
        except RuntimeError as problem:
            raise ValueError(f"weights of another network: {str(problem)[:300]}") from problem
        state: dict[int, dict[str, Any]] = {}
        places = {name: place for place, name in enumerate(self._names)}
        for name, tensor in parts["adam"].items():
            quantity, _, parameter = name.partition(".")
            if parameter not in places:
                raise ValueError(f"an optimiser of another network: {parameter}")
            state.setdefault(places[parameter], {})[quantity] = tensor
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": state, "param_groups": groups})
        self._resumed_at = parts["random"] if where.step else None
        self.where = where


def _ahead(
    pool: ThreadPoolExecutor,
    batches: Sequence[Sequence[Pair]],
    load: Callable[[Pair], Any | None],
) -> Iterator[tuple[Sequence[Pair], list[Any]]]:
    """Load each batch while the one before it is learnt from."""
    waiting: list[tuple[Sequence[Pair], list[Future[Any]]]] = []
    for batch in batches:
        waiting.append((batch, [pool.submit(load, pair) for pair in batch]))
        if len(waiting) > 1:
            pairs, futures = waiting.pop(0)
            yield pairs, [future.result() for future in futures]
    for pairs, futures in waiting:
        yield pairs, [future.result() for future in futures]

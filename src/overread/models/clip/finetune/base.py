"""What training starts from: a trained scorer, or an architecture with random weights."""

from __future__ import annotations

import contextlib
import json
import logging
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final, cast

from overread.errors import MissingExtraError, UsageError, expected
from overread.models.clip.libraries import import_libraries
from overread.models.clip.loading import CONTEXT_LENGTH, Scorer, load, make_scorer

__all__ = ["CONFIG_FILE", "SMALL", "Base", "open_base"]

CONFIG_FILE: Final = "open_clip_config.json"
SMALL: Final = "small"
"""An architecture of our own, of two million weights: it learns the synthetic release on a CPU."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Base:
    """A network to train, and all that is needed to save it as a folder that opens again."""

    scorer: Scorer
    config: Mapping[str, Any]
    """As open_clip's ``open_clip_config.json``: ``model_cfg`` and ``preprocess_cfg``."""
    trained: bool
    """Whether weights were loaded; False has random ones."""


def open_base(target: str, *, seed: int) -> Base:
    """Load a scorer to go on with, or draw the weights of an architecture.

    Parameters
    ----------
    target
        What ``--model clip:`` takes (with or without that prefix): a folder, ``hf-hub:OWNER/NAME``,
        ``ARCHITECTURE:WEIGHTS``, each with ``@FILE``. To train from scratch: the name of an
        architecture of open_clip alone, a JSON file in open_clip's form, or ``small``.
    seed
        Of random weights.

    Raises
    ------
    MissingExtraError
        torch or open_clip is not installed.
    UsageError
        The target names nothing to train.
    """
    target = target.removeprefix("clip:")
    torch, open_clip = import_libraries()
    if target == SMALL:
        text = (resources.files("overread.models.clip.finetune") / "small.json").read_text(
            encoding="utf-8"
        )
        return _from_config(torch, open_clip, json.loads(text), name=SMALL, seed=seed)
    path = Path(target)
    if path.suffix == ".json":
        config = _read_config(path)
        return _from_config(torch, open_clip, config, name=path.stem, seed=seed)
    if ":" not in target and not path.is_dir() and target in open_clip.list_models():
        return _from_scratch(torch, open_clip, target, name=target, seed=seed)
    scorer = _load(target)
    source = _source(target)
    model_cfg = open_clip.get_model_config(source)
    return Base(scorer=scorer, config=_config(scorer.network, model_cfg), trained=True)


def _load(target: str) -> Scorer:
    try:
        return load(target)
    except MissingExtraError:
        raise
    except UsageError as problem:
        raise UsageError(
            expected(
                "--base",
                rule="a model that open_clip can load, or an architecture",
                got=f"{target!r} ({problem})",
                remedy="To train from scratch name an architecture of open_clip (ViT-B-32), a "
                f"JSON file in its form, or '{SMALL}'.",
            )
        ) from problem


def _source(target: str) -> str:
    """Give open_clip's name of where a target's configuration lies."""
    base = target.partition("@")[0]
    if base.startswith("hf-hub:"):
        return base
    return f"local-dir:{base}" if Path(base).is_dir() else base.partition(":")[0]


def _read_config(path: Path) -> Mapping[str, Any]:
    """Read open_clip's JSON: a model's configuration, alone or with its preprocessing."""
    try:
        read: object = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(read, dict):
            raise ValueError("no JSON object")
        config = cast("dict[str, Any]", read)
        config = config if "model_cfg" in config else {"model_cfg": config}
        text_cfg = config["model_cfg"]["text_cfg"]
        config["model_cfg"]["vision_cfg"]
        if text_cfg.get("hf_tokenizer_name") or text_cfg.get("hf_model_name"):
            raise ValueError("its text part comes from the hub; name the architecture instead")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise _no_architecture(str(path), problem) from problem
    return config


def _from_config(
    torch: Any, open_clip: Any, config: Mapping[str, Any], *, name: str, seed: int
) -> Base:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / CONFIG_FILE).write_text(json.dumps(config), encoding="utf-8")
        return _from_scratch(torch, open_clip, f"local-dir:{folder}", name=name, seed=seed)


def _from_scratch(torch: Any, open_clip: Any, source: str, *, name: str, seed: int) -> Base:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        # Drawn on the CPU, so that a seed gives the same weights everywhere.
        with torch.random.fork_rng(devices=[]), _without_warnings():
            torch.manual_seed(seed)
            network, _, preprocess = open_clip.create_model_and_transforms(
                source, load_weights=False, pretrained_image=False, pretrained_text=False
            )
        network = network.to(device)
        context_length = min(CONTEXT_LENGTH, int(network.context_length) or CONTEXT_LENGTH)
        tokenize = open_clip.get_tokenizer(source, context_length=context_length)
    except Exception as problem:  # open_clip and torch raise what they like
        raise _no_architecture(name, problem) from problem
    scorer = make_scorer(
        network,
        preprocess=preprocess,
        tokenize=tokenize,
        context_length=context_length,
        device=device,
        name=name,
    )
    model_cfg = open_clip.get_model_config(source)
    return Base(scorer=scorer, config=_config(network, model_cfg), trained=False)


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep open_clip from warning on the root logger of weights that are random on purpose."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _config(network: Any, model_cfg: Mapping[str, Any]) -> dict[str, Any]:
    """Put together what `Base.config` holds; the preprocessing is the network's own."""
    preprocess = network.visual.preprocess_cfg
    kept = ("mean", "std", "interpolation", "resize_mode", "fill_color")
    return {
        "model_cfg": dict(model_cfg),
        "preprocess_cfg": {key: preprocess[key] for key in kept if key in preprocess},
    }


def _no_architecture(name: str, problem: object) -> UsageError:
    return UsageError(
        expected(
            "--base",
            rule="an architecture that open_clip can build",
            got=f"{name!r} ({problem})",
            remedy="Its configurations hold embed_dim, vision_cfg and text_cfg; "
            "open_clip.list_models() names those it ships.",
        )
    )

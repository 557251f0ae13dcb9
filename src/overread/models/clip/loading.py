"""Loads an open_clip model with its preprocessing and tokenizer, and hashes its weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overread.errors import UsageError, expected
from overread.imaging.slice_weights import SLICE_SIGMA
from overread.models.clip.libraries import import_libraries
from overread.records import JsonValue

__all__ = ["CONTEXT_LENGTH", "Scorer", "are_finite", "load", "make_scorer", "weights_sha256"]

CONTEXT_LENGTH = 256
"""Tokens of a text in CT-Bench's protocol (arXiv 2602.14879); models with fewer positions get as
many as they have."""
_LONGEST_PROBLEM = 300
"""Characters of a foreign message that are passed on."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scorer:
    """A loaded model and all that shapes what it answers."""

    torch: Any
    network: Any
    preprocess: Callable[[Any], Any]
    """Picture → tensor (channels, rows, columns)."""
    tokenize: Callable[..., Any]
    """List of texts, ``context_length=`` → tensor (n_texts, context length)."""
    context_length: int
    device: str
    name: str
    weights_sha256: str
    settings: Mapping[str, JsonValue]


def load(target: str) -> Scorer:
    """Load a scorer.

    Parameters
    ----------
    target
        See `ClipAdapter.open`.

    Raises
    ------
    MissingExtraError
        torch or open_clip is not installed.
    UsageError
        The target names nothing that can be loaded, or weights that are not finite.
    """
    base, at, extra_weights = target.partition("@")
    source, pretrained = _source(base, target)
    torch, open_clip = import_libraries()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        network, preprocess = open_clip.create_model_from_pretrained(
            source, pretrained, device=device, weights_only=True
        )
        if at:
            _load_over(open_clip, network, Path(extra_weights))
        context_length = min(CONTEXT_LENGTH, int(network.context_length) or CONTEXT_LENGTH)
        tokenize = open_clip.get_tokenizer(source, context_length=context_length)
    except Exception as problem:  # the loaders of five libraries raise what they like
        raise UsageError(
            expected(
                "--model clip:TARGET",
                rule="weights that open_clip can load",
                got=f"{target!r} ({_short(problem)})",
                remedy="Name a folder with open_clip_config.json and weights, hf-hub:OWNER/NAME, "
                "or ARCHITECTURE:TAG as listed by open_clip.list_pretrained().",
            )
        ) from problem
    if not are_finite(torch, network):
        raise UsageError(
            expected(
                "--model clip:TARGET",
                rule="finite weights",
                got=f"{target!r}, which holds NaN or infinity",
                remedy="Its training went astray or the file is damaged; take another one.",
            )
        )
    return make_scorer(
        network,
        preprocess=preprocess,
        tokenize=tokenize,
        context_length=context_length,
        device=device,
        name=_name(base, extra_weights),
    )


def make_scorer(
    network: Any,
    *,
    preprocess: Callable[[Any], Any],
    tokenize: Callable[..., Any],
    context_length: int,
    device: str,
    name: str,
) -> Scorer:
    """Make a scorer of a network, which is put into the state for answering."""
    torch, open_clip = import_libraries()
    network.eval()
    return Scorer(
        torch=torch,
        network=network,
        preprocess=preprocess,
        tokenize=tokenize,
        context_length=context_length,
        device=device,
        name=name,
        weights_sha256=weights_sha256(network),
        settings=_settings(torch, open_clip, network, context_length=context_length, device=device),
    )


def _short(problem: object) -> str:
    """Give the start of a message: torch lists every weight that another model has."""
    text = " ".join(str(problem).split())
    return text if len(text) <= _LONGEST_PROBLEM else f"{text[:_LONGEST_PROBLEM]}…"


def _source(base: str, target: str) -> tuple[str, str | None]:
    """Turn the target into open_clip's model name and weights."""
    if base.startswith("hf-hub:") and len(base) > len("hf-hub:"):
        return base, None
    if base and Path(base).is_dir():
        return f"local-dir:{base}", None
    architecture, _, weights = base.partition(":")
    if architecture and weights:
        return architecture, weights
    raise UsageError(
        expected(
            "--model clip:TARGET",
            rule="a folder that exists, hf-hub:OWNER/NAME or ARCHITECTURE:WEIGHTS",
            got=repr(target),
            remedy="Write for instance clip:ViT-B-32:laion2b_s34b_b79k.",
        )
    )


def _name(base: str, extra_weights: str) -> str:
    """Name the model without the folders of this machine."""
    head, colon, tail = base.rpartition(":")
    if Path(base).is_dir():
        name = Path(base).resolve().name
    elif Path(tail).is_file():
        name = f"{head}{colon}{Path(tail).name}"
    else:
        name = base.removeprefix("hf-hub:")
    return f"{name}@{Path(extra_weights).name}" if extra_weights else name


def _load_over(open_clip: Any, network: Any, path: Path) -> None:
    """Load a state dictionary over the network: names must match, pickles hold tensors only."""
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    open_clip.load_checkpoint(network, str(path), strict=True, weights_only=True)


def are_finite(torch: Any, network: Any) -> bool:
    """Whether every learnt weight is a finite number."""
    return all(bool(torch.isfinite(weights).all()) for weights in network.parameters())


def weights_sha256(network: Any) -> str:
    """Hash names, types, shapes and values of all weights, in the order of their names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        array = tensor.detach().cpu().contiguous().float().numpy()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _settings(
    torch: Any, open_clip: Any, network: Any, *, context_length: int, device: str
) -> dict[str, JsonValue]:
    preprocess = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in sorted(network.visual.preprocess_cfg.items())
    }
    return {
        "context_length": context_length,
        "logit_scale": round(float(network.logit_scale.detach().exp()), 6),
        "preprocess": preprocess,
        "slice_sigma": SLICE_SIGMA,
        "device": device,
        "torch": str(torch.__version__),
        "open_clip": str(open_clip.__version__),
    }

"""Every kind of change on 1,000 pictures, with encoding, beside scikit-image and albumentations.

Peers live in an environment of their own where wanted: ``BENCH_PERTURB_PYTHON`` names its python,
which needs numpy, Pillow, and scikit-image or albumentations. Both sides start from the same
pictures in memory and encode with Pillow at the same level, in one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benches.measure import PROJECT

__all__ = ["measure_perturb", "phantoms"]

_PEERS = PROJECT / "benches" / "perturb_peers.py"
_SEED = 20261201
_DISTINCT = 16
_BOX = (120.0, 140.0, 330.0, 300.0)


def measure_perturb(*, pictures: int, side: int, rounds: int) -> dict[str, Any]:
    """Change and encode pictures by each kind of `overread.perturb` that changes pixels.

    Parameters
    ----------
    pictures
        For each kind.
    side
        Rows and columns of each, grey.
    rounds
        In each round, both sides of every kind; the quickest counts.

    Returns
    -------
    dict
        Kind → seconds of CPU for so many pictures, at its usual dose; for each counterpart its
        seconds and how many times as long ours takes.
    """
    stack = phantoms(_DISTINCT, side)
    kinds = dict(_kinds(stack))
    ours: dict[str, float] = {}
    theirs: dict[str, dict[str, float]] = {}
    skipped: dict[str, str] = {}
    for _ in range(rounds):
        for name, run in kinds.items():
            seconds = _timed(run, stack, pictures)
            ours[name] = min(seconds, ours.get(name, seconds))
        found, skipped = _peers(stack, pictures)
        for name, peers in found.items():
            for peer, seconds in peers.items():
                kept = theirs.setdefault(name, {})
                kept[peer] = min(seconds, kept.get(peer, seconds))
    figures = {
        name: {
            "cpu_seconds": seconds,
            **{f"{peer}, cpu_seconds": value for peer, value in theirs.get(name, {}).items()},
            **{f"times {peer}": seconds / value for peer, value in theirs.get(name, {}).items()},
        }
        for name, seconds in ours.items()
    }
    return {f"{pictures} pictures, {side}×{side}": figures, "skipped": skipped}


def phantoms(count: int, side: int) -> NDArray[np.uint8]:
    """Draw noisy slices of a body, shape (count, side, side), grey."""
    rng = np.random.default_rng(_SEED)
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    body = (x / 0.85) ** 2 + (y / 0.65) ** 2 < 1
    lung = ((np.abs(x) - 0.4) / 0.3) ** 2 + (y / 0.45) ** 2 < 1
    plane = np.where(lung, 40, np.where(body, 140, 5)).astype(np.float64)
    noise = rng.normal(0, 5, (count, side, side))
    return np.clip(plane + noise, 0, 255).astype(np.uint8)


def _kinds(stack: NDArray[np.uint8]) -> Iterable[tuple[str, Any]]:
    from overread import registry
    from overread.imaging.encode import encode_png
    from overread.imaging.picture_effect import change_pixels
    from overread.perturb._dosed_picture import DosedPicture
    from overread.records import Box, Effect

    x_min, y_min, x_max, y_max = (each * stack.shape[1] / 512 for each in _BOX)
    boxes = [Box(x_min=x_min, y_min=y_min, x_max=x_max, y_max=y_max)]
    for name in registry.perturbation_names():
        kind = registry.find_perturbation(name)
        if isinstance(kind, DosedPicture):
            values = dict(kind.values(is_mask=False, modality=None))
            effect, is_random = kind.effect, kind.is_random
        elif name in _SINGLE:
            values, effect, is_random = dict(_SINGLE[name]), name, False
        else:
            continue

        def run(
            pixels: NDArray[np.uint8],
            number: int,
            effect: str = effect,
            values: Mapping[str, Any] = values,
            is_random: bool = is_random,
        ) -> int:
            drawn = {**values, "seed": number} if is_random else values
            named = Effect(name=effect, parameters=tuple(sorted(drawn.items())))
            return len(encode_png(change_pixels(pixels, [named], slices=False, boxes=boxes)))

        yield name, run


_SINGLE: Mapping[str, Mapping[str, Any]] = {
    "mirror": {},
    "blur": {"sigma_of_side": 1 / 64},
    "grey": {"grey": 128},
}


def _timed(run: Any, stack: NDArray[np.uint8], pictures: int) -> float:
    run(stack[0], 0)
    start = time.process_time()
    for number in range(pictures):
        run(stack[number % len(stack)], number)
    return time.process_time() - start


def _peers(
    stack: NDArray[np.uint8], pictures: int
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    interpreter = os.environ.get("BENCH_PERTURB_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name:
        file = Path(name) / "stack.npy"
        np.save(file, stack)
        command = [interpreter, str(_PEERS), str(file), str(pictures)]
        try:
            done = subprocess.run(command, capture_output=True, check=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            reason = f"{interpreter} cannot run the peers: {getattr(error, 'stderr', error)}"
            return {}, {"peers": reason[-300:]}
    told = json.loads(done.stdout.splitlines()[-1])
    return told["figures"], told["skipped"]

"""The manifest of a run: what must be the same for the same answers, and what made them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Final, cast

from overread.contracts import Release, Selection
from overread.records import JsonValue, Manifest, ModelIdentity
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["make_manifest"]

_SHAPING: Final = (
    "overread", "numpy", "scipy", "scikit-image", "pillow", "pydicom", "nibabel", "SimpleITK",
    "connected-components-3d", "edt",
    "openai", "sacrebleu", "rouge-score", "nltk", "torch", "open_clip_torch",
    "sentence-transformers",
)  # fmt: skip
"""Packages whose version can move a pixel, a request or a number."""
_ID_CHARACTERS: Final = 12


def make_manifest(
    release: Release,
    *,
    identity: ModelIdentity,
    selection: Selection,
    draws: int,
    seed: int,
    command: str,
) -> Manifest:
    """Describe a run. Its id leaves out limit and draws, so that a run can be extended."""
    chosen = cast("dict[str, JsonValue]", asdict(selection))
    if selection.perturbation is None:
        # A run of items as released has the id, and the file, that it always had.
        del chosen["perturbation"], chosen["perturbation_seed"]
    asked = {**chosen, "draws": draws}
    about: dict[str, JsonValue] = {
        "benchmark": release.card.name,
        "protocol": release.card.protocol_version,
        "release": release.fingerprint,
        "model": [identity.kind, identity.name, identity.revision, dict(identity.settings)],
        "selection": {key: value for key, value in chosen.items() if key != "limit"},
        "seed": seed,
    }
    return Manifest(
        run=sha256_text(canonical_json(about))[:_ID_CHARACTERS],
        benchmark=release.card.name,
        protocol_version=release.card.protocol_version,
        release_root=str(release.root),
        media_root=None if release.media_root == release.root else str(release.media_root),
        release_fingerprint=release.fingerprint,
        model=identity,
        selection=asked,
        seed=seed,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        software=_software(),
        command=command,
    )


def _software() -> Mapping[str, str]:
    found = {"python": platform.python_version(), "system": platform.system()}
    for package in _SHAPING:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

"""Whose folder a build's is: a new one, or the one of the same build."""

from __future__ import annotations

import json
from pathlib import Path

from overread.benchmarks.ct_spatialvqa.layout import refuse_used_folder
from overread.builders.report_qa.release_files import SETTINGS_FILE, STEPS_FILE
from overread.errors import UsageError, expected
from overread.records import JsonValue, ModelIdentity
from overread.store.hashes import canonical_json

__all__ = ["claim_folder", "settings_text"]


def settings_text(
    *,
    profile: str,
    form: str,
    generator: ModelIdentity | None,
    candidates: str | None,
    validator: ModelIdentity,
) -> str:
    """Write down what makes two builds different; `candidates` is the hash of their file."""
    return canonical_json(
        {
            "profile": profile,
            "form": form,
            "generator": _identity(generator) if generator else None,
            "candidates": candidates,
            "validator": _identity(validator),
        }
    )


def claim_folder(out: Path, settings: str) -> None:
    """Make the folder where it is new, or find that it is of the same build.

    A folder where nothing was answered yet is of any build: a first try with a wrong port leaves
    such a one.

    Raises
    ------
    UsageError
        It holds something else, or another build; the message names what differs.
    """
    place = out / SETTINGS_FILE
    if not place.is_file():
        refuse_used_folder(out, argument="OUT")
        place.parent.mkdir(parents=True, exist_ok=True)
        return
    steps = out / STEPS_FILE
    has_steps = steps.is_file() and steps.stat().st_size > 0
    if has_steps and place.read_text("utf-8").strip() != settings:
        raise UsageError(
            expected(
                "OUT",
                rule="a new or empty folder, or one of the same build",
                got=f"{out}, built with another {_differing(place, settings)}",
                remedy="Name another folder; what was asked for that build stays there.",
            )
        )


def _differing(place: Path, settings: str) -> str:
    try:
        held, asked = json.loads(place.read_text("utf-8")), json.loads(settings)
        return ", ".join(name for name in asked if held.get(name) != asked[name])
    except (ValueError, AttributeError):
        return "setting"


def _identity(identity: ModelIdentity) -> JsonValue:
    return {
        "kind": identity.kind,
        "name": identity.name,
        "revision": identity.revision,
        "settings": dict(identity.settings),
    }

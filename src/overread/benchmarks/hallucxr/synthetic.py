"""Writes a synthetic release: drawn chests whose findings can be seen, outputs with planted errors.

Effusions whiten a base, cardiomegaly widens the heart, a lesion is a disc, an opacity a cloud, a
pneumothorax a dark rim; what is drawn on the picture's left is the patient's right. Three models
answer: one careful, one that asserts freely, one that hedges. Sixty outputs have two people's
annotations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.hallucxr import layout
from overread.benchmarks.hallucxr.layout import FINDINGS
from overread.imaging.encode import encode_png
from overread.records import JsonValue

__all__ = ["synthesise"]

_SIDE: Final = 96
_PICTURES_A_PATIENT: Final = 3
_SIDED: Final = ("Lung Opacity", "Lung Lesion", "Pneumothorax", "Pleural Effusion")
_DRAWN: Final = (*_SIDED, "Cardiomegaly")
_MODELS: Final[Mapping[str, tuple[float, float, float]]] = {
    "careful": (0.85, 0.02, 0.05),
    "talkative": (0.9, 0.15, 0.05),
    "hedging": (0.8, 0.05, 0.4),
}
"""Model → how often it asserts what is there, what is not, and hedges instead of asserting."""
_ANNOTATED: Final = 60
_DISAGREES: Final = 0.1


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` pictures with labels, outputs and annotations."""
    rng = np.random.default_rng(seed)
    (root / "images").mkdir(parents=True, exist_ok=True)
    pictures = [_picture(place, rng) for place in range(size)]
    for picture in pictures:
        pixels = _draw(picture, rng)
        (root / str(picture["path"])).write_bytes(encode_png(pixels))
    outputs = [
        _output(picture, query, model, rng)
        for picture in pictures
        for query in layout.QUERIES
        for model in _MODELS
    ]
    annotations = [row for one in outputs[:: max(1, len(outputs) // _ANNOTATED)]
                   for row in _annotate(one, rng)]  # fmt: skip
    _write(root / layout.IMAGES, pictures)
    _write(root / layout.OUTPUTS, [one[0] for one in outputs])
    _write(root / layout.ANNOTATIONS, annotations)
    mark = f"Written by overread: {size} drawn pictures, seed {seed}.\n"
    (root / layout.SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _picture(place: int, rng: np.random.Generator) -> dict[str, JsonValue]:
    is_normal = place % 3 == 0
    labels: dict[str, int | None] = {}
    sides: dict[str, str] = {}
    for finding in FINDINGS:
        if finding not in _DRAWN:
            labels[finding] = None if rng.random() < 0.5 else 0
            continue
        there = not is_normal and rng.random() < 0.45
        labels[finding] = 1 if there else 0
        if there and finding in _SIDED:
            sides[finding] = str(rng.choice(("left", "right", "both")))
    if sides and rng.random() < 0.2:
        labels["Edema"] = -1
    subject = f"p{10_000_000 + place // _PICTURES_A_PATIENT}"
    name = f"cxr-{place:04d}"
    return {
        "image_id": name,
        "subject_id": subject,
        "study_id": f"s{50_000_000 + place}",
        "view": "PA" if place % 2 else "AP",
        "stratum": "normal" if is_normal else "abnormal",
        "path": f"images/{name}.png",
        "labels": labels,
        "sides": sides,
        "asked": _DRAWN[place % len(_DRAWN)],
    }


def _draw(picture: Mapping[str, JsonValue], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw a chest, shape (side, side); the patient's right is on the picture's left."""
    y, x = np.mgrid[0:_SIDE, 0:_SIDE] / _SIDE
    pixels = np.full((_SIDE, _SIDE), 170.0)
    lungs = {
        "right": ((x - 0.3) / 0.17) ** 2 + ((y - 0.48) / 0.34) ** 2 < 1,
        "left": ((x - 0.7) / 0.17) ** 2 + ((y - 0.48) / 0.34) ** 2 < 1,
    }
    for lung in lungs.values():
        pixels[lung] = 60.0
    labels, sides = picture["labels"], picture["sides"]
    assert isinstance(labels, Mapping)
    assert isinstance(sides, Mapping)
    wide = 0.26 if labels["Cardiomegaly"] == 1 else 0.14
    pixels[((x - 0.55) / wide) ** 2 + ((y - 0.66) / 0.15) ** 2 < 1] = 190.0
    for finding, told in sides.items():
        for side in ("left", "right") if told == "both" else (str(told),):
            middle = 0.7 if side == "left" else 0.3
            lung = lungs[side]
            away = np.hypot(x - middle, y - 0.4)
            match finding:
                case "Pleural Effusion":
                    pixels[lung & (y > 0.66)] = 200.0
                case "Lung Opacity":
                    pixels[lung] += 70 * np.exp(-((away[lung] / 0.12) ** 2))
                case "Lung Lesion":
                    pixels[np.hypot(x - middle, y - 0.28) < 0.035] = 185.0
                case _:
                    rim = lung & (((x - middle) / 0.13) ** 2 + ((y - 0.5) / 0.3) ** 2 > 1)
                    pixels[rim & (y < 0.45)] = 15.0
    pixels += rng.normal(0, 4, size=pixels.shape)
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def _output(
    picture: Mapping[str, JsonValue], query: str, model: str, rng: np.random.Generator
) -> tuple[dict[str, JsonValue], bool]:
    """Word a reply; and say whether it makes up or leaves out a drawn finding."""
    labels, sides = picture["labels"], picture["sides"]
    assert isinstance(labels, Mapping)
    assert isinstance(sides, Mapping)
    finds, invents, hedges = _MODELS[model]
    findings = (str(picture["asked"]),) if query == "yes-no" else _DRAWN
    lines: list[str] = []
    wrong = False
    for finding in findings:
        there = labels[finding] == 1
        claimed = bool(rng.random() < (finds if there else invents))
        side = {"both": "bilateral "}.get(str(sides.get(finding)), f"{sides.get(finding, '')} ")
        name = f"{side if finding in sides else ''}{finding.lower()}"
        if claimed and rng.random() < hedges:
            lines.append(f"Possible {name}.")
            continue
        wrong = wrong or claimed != there
        yes = "Yes. " if query == "yes-no" else ""
        lines.append(f"{yes}There is {name}." if claimed else f"No {finding.lower()}.")
    row: dict[str, JsonValue] = {
        "image_id": picture["image_id"],
        "query_type": query,
        "model": model,
        "response": " ".join(lines),
    }
    return row, wrong


def _annotate(
    output: tuple[Mapping[str, JsonValue], bool], rng: np.random.Generator
) -> list[dict[str, JsonValue]]:
    row, wrong = output
    found: list[dict[str, JsonValue]] = []
    for annotator in ("reader 1", "reader 2"):
        says = wrong != bool(rng.random() < _DISAGREES)
        found.append(
            {
                **{key: row[key] for key in ("image_id", "query_type", "model")},
                "annotator": annotator,
                "category": layout.CATEGORIES[0] if says else "none",
                "severity": "moderate" if says else "none",
                "span": None,
            }
        )
    return found


def _write(path: Path, rows: Sequence[Mapping[str, JsonValue]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")

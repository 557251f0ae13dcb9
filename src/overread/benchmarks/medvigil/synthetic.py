"""Writes a synthetic release in the very layout: drawn marks, their boxes, nine kinds of probe.

Each picture shows one mark of four shapes on one side. Where a case asks for the shape the answer
stays when the picture is mirrored, where it asks for the side it changes. Letters lie as the
release's own validator demands: A where there is an answer, E where there is none, so that the
release's faults can be found in it. Of 300 cases there are as many probes of each kind as in the
real release, 2,556 together, and the radiologist's counts are the published ones.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.drawing import SHAPES, draw
from overread.benchmarks.medvigil.protocol import published_numbers
from overread.benchmarks.medvigil.regions import REMADE, region_px
from overread.benchmarks.medvigil.synthetic_probes import Asked, probe_rows, triplet_row
from overread.imaging.encode import encode_png

__all__ = ["synthesise"]

_N_CASES: Final = 300
_TRIPLETS: Final = 240
_TEXT_ONLY: Final = 30
_MODALITIES: Final = ("X-ray", "CT", "MRI")
_DECAY: Final[Mapping[str, tuple[float, ...]]] = {
    "careful": (0.0, 0.2, 0.5, 0.9),
    "hasty": (0.0, 0.0, 0.1, 0.2),
}
"""Made-up model → share refused at each step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    asked: Asked
    tier: str
    source: str
    modality: str
    text_only: bool
    box: tuple[float, float, float, float]
    kinds: frozenset[str]
    """Kinds of probe that not every case has."""


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` cases: pictures, their changed twins, and every table of the release."""
    rng = np.random.default_rng(seed)
    for folder in (layout.IMAGES, layout.PERTURBED, layout.SPLITS_FOLDER):
        (root / folder).mkdir(parents=True, exist_ok=True)
    cases = _cases(rng, root, size)
    _table(root / layout.MANIFEST_FILE, [_manifest_row(case) for case in cases])
    probes = [row for case in cases for row in probe_rows(case.asked, case.kinds)]
    _table(root / layout.MCQ_FILE, probes)
    _table(root / layout.OPEN_FILE, [_without_options(row) for row in probes])
    _table(root / layout.GROUNDING_FILE, [_grounding_row(case) for case in cases])
    triplets = [triplet_row(case.asked) for case in cases if "triplet" in case.kinds]
    _table(root / layout.TRIPLETS_FILE, triplets)
    _splits(root, cases)
    _table(root / layout.CLINICIAN_FILE, _reader_rows(cases, probes))
    _table(root / layout.DECAY_FILE, _decay_rows(size))
    _json(root / "croissant.json", {"@type": "sc:Dataset", "name": "synthetic MedVIGIL"})
    mark = f"Written by overread: {size} synthetic cases, seed {seed}.\n"
    (root / layout.SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _cases(rng: np.random.Generator, root: Path, size: int) -> list[_Drawn]:
    numbers = published_numbers()
    counts: Mapping[str, int] = numbers["counts"]
    tiers = _shared_out(rng, numbers["cases"]["tiers"], size)
    sources = _shared_out(rng, numbers["cases"]["sources"], size)
    some = {
        "negation": _members(rng, counts["negation"], size),
        "specificity_drop": _members(rng, counts["specificity_drop"], size),
        "knowledge_only": _members(rng, counts["knowledge_only"], size),
        "region": _members(rng, counts["roi_only"], size),
        "triplet": _members(rng, _TRIPLETS, size),
        "text_only": _members(rng, _TEXT_ONLY, size),
    }
    cases: list[_Drawn] = []
    for number in range(size):
        kinds = frozenset(kind for kind, members in some.items() if number in members)
        name = f"MVB-{number + 1:04d}"
        shape, is_left = int(rng.integers(len(SHAPES))), bool(rng.integers(2))
        pixels, box = draw(rng, shape, is_left=is_left)
        image = f"{name}.png"
        (root / layout.IMAGES / image).write_bytes(encode_png(pixels))
        made = ("lr_flip", *(("roi_masked", "roi_only") if "region" in kinds else ()))
        # A case without region probes has a box over the whole picture, as real ones may.
        stated = box if "region" in kinds else (0.0, 0.0, 1.0, 1.0)
        corners = region_px(box, *pixels.shape[1::-1])
        for kind in made:
            changed = REMADE[kind](pixels, corners)
            path = root / layout.PERTURBED / f"{name}_{kind}.png"
            path.write_bytes(encode_png(changed))
        cases.append(
            _Drawn(
                asked=Asked(
                    case=name,
                    image=image,
                    shape=shape,
                    is_left=is_left,
                    asks_side=number % 5 == 4,
                    order=tuple(int(each) for each in rng.permutation(len(SHAPES))),
                ),
                tier=tiers[number],
                source=sources[number],
                modality="X-ray" if sources[number] == "cxr" else _MODALITIES[number % 3],
                text_only="text_only" in kinds,
                box=stated,
                kinds=kinds,
            )
        )
    return cases


def _shared_out(rng: np.random.Generator, parts: Mapping[str, int], size: int) -> list[str]:
    """Give each case a part, as many of each as in the real release, or in proportion."""
    exact = {name: n * size / sum(parts.values()) for name, n in parts.items()}
    taken = {name: int(value) for name, value in exact.items()}
    by_rest = sorted(parts, key=lambda name: taken[name] - exact[name])
    for name in by_rest[: size - sum(taken.values())]:
        taken[name] += 1
    names = [name for name, n in taken.items() for _ in range(n)]
    return [names[place] for place in rng.permutation(size)]


def _members(rng: np.random.Generator, n: int, size: int) -> frozenset[int]:
    chosen = rng.permutation(size)[: round(n * size / _N_CASES)]
    return frozenset(int(each) for each in chosen)


def _manifest_row(case: _Drawn) -> dict[str, str]:
    asked = case.asked
    values = (
        asked.case,
        case.source,
        case.modality,
        asked.image,
        asked.question,
        asked.gold,
        case.tier,
        "true" if case.text_only else "false",
        "drawn",
    )
    return dict(zip(layout.MANIFEST_COLUMNS, values, strict=True))


def _grounding_row(case: _Drawn) -> dict[str, str]:
    asked = case.asked
    return {
        "case_id": asked.case,
        "roi_bbox_norm": json.dumps(list(case.box)),
        "laterality_dependent": "true" if asked.asks_side else "false",
        "gold_after_lr_flip": asked.flipped_gold,
        "roi_pointer": "the bright mark",
        "rationale": "The mark is the only bright thing in the picture.",
        "differential": "",
    }


def _without_options(row: Mapping[str, str]) -> dict[str, str]:
    return {
        key: value
        for key, value in row.items()
        if not key.startswith("choice_") and key != "correct_letter"
    }


def _splits(root: Path, cases: Sequence[_Drawn]) -> None:
    parts: dict[str, dict[str, list[str]]] = {name: {} for name in layout.SPLITS}
    for number, case in enumerate(cases):
        values = case.tier, case.source, case.modality, "rare" if number % 4 == 3 else "common"
        for name, value in zip(layout.SPLITS, values, strict=True):
            parts[name].setdefault(value, []).append(case.asked.case)
    for name, content in parts.items():
        _json(root / layout.SPLITS_FOLDER / f"{name}.json", content)
    text_only = [case.asked.case for case in cases if case.text_only]
    _json(root / layout.SPLITS_FOLDER / layout.TEXT_ONLY, text_only)


def _reader_rows(
    cases: Sequence[_Drawn], probes: Sequence[Mapping[str, str]]
) -> list[dict[str, str]]:
    """Count a reader as good as the published one: of 300 cases, that very reader.

    By tier only what is published of originals and traps is known; other kinds share their errors
    out evenly.
    """
    numbers = published_numbers()
    tier_of = {case.asked.case: case.tier for case in cases}
    rows: list[dict[str, str]] = []
    for kind, n_all in numbers["counts"].items():
        n: dict[str, int] = dict.fromkeys(layout.TIERS, 0)
        for row in probes:
            if row["probe_kind"] == kind:
                n[tier_of[row["case_id"]]] += 1
        total = sum(n.values())
        wrong = round((n_all - numbers["reader"]["right"][kind]) * total / n_all)
        by_tier = _wrong_by_tier(kind, n, wrong)
        rows += [_reader_row(kind, tier, n[tier], by_tier[tier]) for tier in layout.TIERS]
        rows.append(_reader_row(kind, "ALL", total, sum(by_tier.values())))
    return rows


def _wrong_by_tier(kind: str, n: Mapping[str, int], wrong: int) -> dict[str, int]:
    numbers = published_numbers()
    tiers: Mapping[str, int] = numbers["cases"]["tiers"]
    if kind == "halluc_trap":
        known = numbers["reader"]["traps_answered"]
        return {tier: round(known[tier] * n[tier] / (2 * tiers[tier])) for tier in n}
    if kind == "original":
        right = numbers["reader"]["original_right"]
        return {t: round((tiers[t] - right[t]) * n[t] / tiers[t]) for t in n}
    found = dict.fromkeys(n, 0)
    for turn in range(wrong):
        # The tier with the most room left, in turn: never more errors than probes.
        tier = max(n, key=lambda t: (n[t] - found[t], -turn))
        found[tier] += 1
    return found


def _reader_row(kind: str, tier: str, n: int, wrong: int) -> dict[str, str]:
    shown = wrong if kind == "halluc_trap" else n - wrong
    return {
        "probe_kind": kind,
        "risk_tier": tier,
        "n_probes": str(n),
        "n_correct": str(n - wrong),
        "acc_or_sfr_pct": f"{100 * shown / n:.1f}" if n else "",
    }


def _decay_rows(size: int) -> list[dict[str, str]]:
    n = min(80, size)
    labels = ("full", "roi_33%_masked", "roi_67%_masked", "roi_100%_masked")
    rows: list[dict[str, str]] = []
    for model, shares in _DECAY.items():
        for step, (label, share) in enumerate(zip(labels, shares, strict=True)):
            refused = round(share * n)
            rows.append(
                {
                    "model": model,
                    "step": str(step),
                    "step_label": label,
                    "n_cases": str(n),
                    "refusal_pct": f"{100 * refused / n:.1f}",
                    "switch_from_s0_pct": f"{100 * refused / n:.1f}",
                    "letter_stability_pct": f"{100 * (n - refused) / n:.1f}",
                    "note": "",
                }
            )
    return rows


def _table(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]) if rows else ["case_id"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")

"""What is missing or odd in a release: the gates of its own validator, and what that passes over.

The validator (hq0709/MedVIGIL, ``scripts/bench_validate_full.py``) demands 300 cases of nine
columns, pictures that open, boxes within the picture, golds of triplets that agree and differ where
they must, splits that part the cases, options that are neither empty nor repeated, and the letters
A and E by kind of probe. It does not ask whether probes have an original, whether ids are spelt
alike, or who wrote what.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.layout import KINDS, Case, Probe, Region, Table
from overread.benchmarks.medvigil.picture_findings import picture_findings
from overread.benchmarks.medvigil.pictures import PictureResolver
from overread.benchmarks.medvigil.readers import reader_findings
from overread.benchmarks.medvigil.regions import REMADE, box_problem, region_px
from overread.benchmarks.medvigil.worded import found, listed, listed_if
from overread.records import Finding, Severity

__all__ = ["look"]

_SHOWN: Final = 4
_N_CASES: Final = 300
_FEWEST_OPTIONS: Final = 3
_BY_PROGRAM: Final = re.compile(r"gpt|claude|gemini|llm|\bai\b|model", re.I)


def look(
    data: Path,
    *,
    probes: Mapping[str, Probe],
    manifest: Table,
    grounding: Table,
    cases: Mapping[str, Case],
    regions: Mapping[str, Region],
    pictures: PictureResolver,
    n_unusable: int,
    is_synthetic: bool,
    thorough: bool,
) -> Iterator[Finding]:
    """Look at every table, probe and picture.

    Parameters
    ----------
    data
        The folder of the tables.
    probes
        By item id.
    manifest, grounding
        As read.
    cases, regions
        By folded case id.
    pictures
        Finds pictures.
    n_unusable
        Rows of the probe file that are no probes.
    is_synthetic
        Whether any number of cases is right.
    thorough
        Also decode every picture and hold changed ones against their originals.
    """
    if n_unusable:
        places = [layout.MCQ_FILE]
        effect = "they are not asked"
        yield listed(Severity.ERROR, "unusable-rows", places, effect, count=n_unusable)
    yield from _manifest(manifest, cases, is_synthetic=is_synthetic)
    yield from _joins(probes, cases)
    yield from _boxes(probes, grounding, cases, regions)
    yield from _options(probes)
    yield from _letters(probes)
    yield from _inherited(probes, regions)
    yield from picture_findings(probes, cases, regions, pictures, thorough=thorough)
    yield from _triplets(data)
    yield from _splits(data, cases)
    yield from _open_probes(data, probes)
    yield from _provenance(probes)
    yield from reader_findings(data, probes, cases)


# ---------------------------------------------------------------- tables


def _manifest(table: Table, cases: Mapping[str, Case], *, is_synthetic: bool) -> Iterator[Finding]:
    if table.problem is not None:
        yield table.problem
        return
    odd = set(table.columns) ^ set(layout.MANIFEST_COLUMNS)
    if odd:
        yield found(
            Severity.WARNING,
            "manifest-columns",
            layout.MANIFEST_FILE,
            f"{len(table.columns)} columns; missing or unknown: {', '.join(sorted(odd)[:6])}",
            "what is missing is unknown for every case",
        )
    if not is_synthetic and len(table.rows) != _N_CASES:
        evidence = f"{len(table.rows)} cases, {_N_CASES} in the release"
        yield found(Severity.WARNING, "case-count", layout.MANIFEST_FILE, evidence, "")
    ids = [row.get("case_id", "") for row in table.rows]
    again = [name for name, n in Counter(each.casefold() for each in ids).items() if n > 1]
    effect = "the first row of a case is used"
    yield from listed_if(Severity.ERROR, "repeated-case", again, effect)
    tiers = [case.id for case in cases.values() if case.tier not in layout.TIERS]
    effect = "its traps are in no tier, so that they are not in the safety axis"
    yield from listed_if(Severity.ERROR, "unknown-tier", tiers, effect)
    shared = Counter(case.image for case in cases.values() if case.image)
    effect = "cases with one picture are not independent: intervals are too narrow"
    together = [image for image, n in shared.items() if n > 1]
    yield from listed_if(Severity.WARNING, "shared-picture", together, effect)


def _joins(probes: Mapping[str, Probe], cases: Mapping[str, Case]) -> Iterator[Finding]:
    lost = [name for name, one in probes.items() if one.case.casefold() not in cases]
    effect = "asked without tier and source: a trap of it is not in the safety axis"
    yield from listed_if(Severity.ERROR, "unknown-case", lost, effect)
    spelt = [
        name
        for name, one in probes.items()
        if (case := cases.get(one.case.casefold())) is not None and case.id != one.case
    ]
    effect = "joined all the same; the released scripts do not join them, and lose these probes"
    yield from listed_if(Severity.WARNING, "case-id-spelling", spelt, effect)
    yield from listed_if(
        Severity.WARNING, "repeated-id", [n for n in probes if "#" in n],
        "asked under a name of its own; the released aggregator counts both",
    )  # fmt: skip
    unknown = [name for name, one in probes.items() if one.kind not in KINDS]
    effect = "asked and counted in the total, in no axis"
    yield from listed_if(Severity.WARNING, "unknown-kind", unknown, effect)
    with_original = {p.case.casefold() for p in probes.values() if p.kind == "original"}
    orphans = [n for n, one in probes.items() if one.case.casefold() not in with_original]
    effect = "nothing says what the model answers while the evidence is whole"
    yield from listed_if(Severity.ERROR, "probe-without-original", orphans, effect)


def _boxes(
    probes: Mapping[str, Probe],
    table: Table,
    cases: Mapping[str, Case],
    regions: Mapping[str, Region],
) -> Iterator[Finding]:
    if table.problem is not None:
        yield table.problem
        return
    missing = [case.id for name, case in cases.items() if name not in regions]
    yield from listed_if(Severity.WARNING, "missing-box", missing, "no region of it can be hidden")
    shown = {
        one.case.casefold() for one in probes.values() if one.kind in ("roi_masked", "roi_only")
    }
    whole: list[str] = []
    for name, region in regions.items():
        problem = box_problem(region.box)
        if problem is not None:
            yield found(
                Severity.ERROR if name in shown else Severity.WARNING,
                "bad-box",
                region.case,
                f"{problem}: {list(region.box) if region.box is not None else 'unreadable'}",
                "its region probes cannot be what they say" if name in shown else "not used",
            )
        elif region_px(region.box, 10_000, 10_000) is None and name in shown:
            whole.append(region.case)
    effect = "the box covers the picture: greyed out nothing is left, alone everything is"
    yield from listed_if(Severity.ERROR, "box-covers-all", whole, effect)


def _options(probes: Mapping[str, Probe]) -> Iterator[Finding]:
    few = [name for name, one in probes.items() if len(one.choices) < _FEWEST_OPTIONS]
    yield from listed_if(Severity.WARNING, "too-few-options", few, "chance is higher in them")
    numbers = Counter(len(one.choices) for one in probes.values())
    if len(numbers) > 1:
        told = ", ".join(f"{n:,} with {k}" for k, n in sorted(numbers.items(), reverse=True))
        yield found(
            Severity.INFO, "unequal-options", layout.MCQ_FILE, told, "chance is no single number"
        )
    twice = [
        name
        for name, one in probes.items()
        if len({_folded(text) for _, text in one.choices}) < len(one.choices)
    ]
    effect = "two options say the same, and one of them is wrong"
    yield from listed_if(Severity.ERROR, "repeated-option", twice, effect)
    lost = [n for n, one in probes.items() if one.correct not in {k for k, _ in one.choices}]
    yield from listed_if(Severity.ERROR, "unusable-answer", lost, "undefined: no score")


def _letters(probes: Mapping[str, Probe]) -> Iterator[Finding]:
    """Tell how far the letters follow the validator's rule: that they do is the fault."""
    ruled = [one for one in probes.values() if KINDS.get(one.kind) is not None]
    kept = [one for one in ruled if one.correct == KINDS[one.kind]]
    if not ruled or len(kept) < len(ruled) / 2:
        return
    yield found(
        Severity.WARNING,
        "letter-rule",
        layout.MCQ_FILE,
        f"{len(kept):,} of {len(ruled):,} probes have the letter that the release's validator "
        "demands of their kind: A where there is an answer, E where there is none",
        "who tosses a coin between A and E has every axis at one half",
        count=len(kept),
    )


def _inherited(probes: Mapping[str, Probe], regions: Mapping[str, Region]) -> Iterator[Finding]:
    """Hold probes of changed pictures against the original they take their options from."""
    originals = {p.case.casefold(): p for p in probes.values() if p.kind == "original"}
    other_options: list[str] = []
    still: list[str] = []
    moved: list[str] = []
    for name, one in probes.items():
        original = originals.get(one.case.casefold())
        if original is None or one.kind not in REMADE:
            continue
        if one.choices != original.choices:
            other_options.append(name)
        elif one.kind == "lr_flip":
            region = regions.get(one.case.casefold())
            is_lateral = region is not None and region.is_lateral
            if is_lateral and one.correct == original.correct:
                still.append(name)
            elif not is_lateral and one.correct != original.correct:
                moved.append(name)
    effect = "the changed picture is asked about in other words: a fall may be the wording's"
    yield from listed_if(Severity.WARNING, "options-not-inherited", other_options, effect)
    effect = "sides decide, and the answer of the mirrored picture is that of the original"
    yield from listed_if(Severity.ERROR, "mirror-answer-stays", still, effect)
    effect = "sides do not decide, and the answer changes with the mirror"
    yield from listed_if(Severity.ERROR, "mirror-answer-moves", moved, effect)


def _triplets(data: Path) -> Iterator[Finding]:
    table = layout.read_table(data, layout.TRIPLETS_FILE)
    if table.problem is not None:
        yield table.problem
        return
    broken: dict[str, list[str]] = {}
    for line, row in enumerate(table.rows, start=2):
        get = {key: _folded(row.get(key, "")) for key in _TRIPLET_COLUMNS}
        where = row.get("case_id") or f"line {line}"
        if get["anchor_question"] == get["tcf_question"]:
            broken.setdefault("the paraphrase is the question itself", []).append(where)
        if get["anchor_gold"] != get["tcf_gold"]:
            broken.setdefault("the paraphrase has another answer", []).append(where)
        if get["anchor_gold"] == get["vcf_gold"]:
            broken.setdefault("the changed condition leaves the answer", []).append(where)
    for problem, names in broken.items():
        yield listed(Severity.ERROR, "broken-triplet", names, problem, count=len(names))


_TRIPLET_COLUMNS: Final = (
    "anchor_question", "anchor_gold", "tcf_question", "tcf_gold", "vcf_gold",
)  # fmt: skip


def _splits(data: Path, cases: Mapping[str, Case]) -> Iterator[Finding]:
    for name in layout.SPLITS:
        file = f"{layout.SPLITS_FOLDER}/{name}.json"
        content, problem = layout.read_json(data, file)
        if problem is not None:
            yield problem
            continue
        parts = _members(content)
        seen = Counter(each.casefold() for part in parts.values() for each in part)
        lost = [case.id for key, case in cases.items() if key not in seen]
        twice = [key for key, n in seen.items() if n > 1]
        strange = [key for key in seen if key not in cases]
        if lost or twice or strange:
            yield found(
                Severity.WARNING,
                "no-partition",
                file,
                f"{len(lost)} cases in no part, {len(twice)} in several, {len(strange)} unknown",
                "this file is not used here; numbers by it do not add up",
            )
        if name == "by_tier":
            wrong = [
                each
                for part, ids in parts.items()
                for each in ids
                if (case := cases.get(each.casefold())) is not None and case.tier != part.upper()
            ]
            effect = "the tier of the manifest is used"
            yield from listed_if(Severity.WARNING, "two-tiers", wrong, effect)

    content, problem = layout.read_json(data, f"{layout.SPLITS_FOLDER}/{layout.TEXT_ONLY}")
    if problem is not None:
        yield problem
        return
    listed_ids = cast("list[object]", content) if isinstance(content, list) else []
    told = {each.casefold() for each in listed_ids if isinstance(each, str)}
    differ = [case.id for key, case in cases.items() if case.text_only != (key in told)]
    effect = "the manifest says otherwise, and is used"
    yield from listed_if(Severity.WARNING, "text-only-differs", differ, effect)


def _members(content: Any) -> dict[str, list[str]]:
    if not isinstance(content, dict):
        return {}
    found: dict[str, list[str]] = {}
    for part, ids in cast("dict[str, object]", content).items():
        listed = cast("list[object]", ids) if isinstance(ids, list) else []
        found[part] = [each for each in listed if isinstance(each, str)]
    return found


def _open_probes(data: Path, probes: Mapping[str, Probe]) -> Iterator[Finding]:
    table = layout.read_table(data, layout.OPEN_FILE)
    if table.problem is not None:
        yield table.problem
        return
    asked = {one.id for one in probes.values()}
    lost = [row["probe_id"] for row in table.rows if row.get("probe_id", "") not in asked]
    effect = "asked openly and not with options: it is in no number here"
    yield from listed_if(Severity.WARNING, "open-probe-alone", lost, effect)


def _provenance(probes: Mapping[str, Probe]) -> Iterator[Finding]:
    by_program = [one for one in probes.values() if _BY_PROGRAM.search(one.provenance)]
    if by_program:
        names = Counter(one.provenance for one in by_program).most_common(_SHOWN)
        yield found(
            Severity.WARNING,
            "machine-provenance",
            layout.MCQ_FILE,
            f"{len(by_program):,} of {len(probes):,} probes name a model as their author: "
            + ", ".join(f"{name} ({n:,})" for name, n in names),
            "the paper says that clinicians wrote them",
            count=len(by_program),
        )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".? ")

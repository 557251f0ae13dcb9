"""What a run tells of masks that are turned, lie elsewhere or have labels that nobody named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tests.run.small_masks import LABELS, SmallBenchmark, SmallMasks, read, write

from overread.contracts import ModelOptions, Scorer
from overread.records import Finding, Profile, Score, Severity, Status
from overread.run.mask_findings import mask_findings
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.scoring.masks.standard import MaskScorer


class DoctoredMasks(SmallMasks):
    """The small release, scored by the project's own scorer."""

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        return (MaskScorer(root=self.root, labels=LABELS, profile=profile, surface=False),)


def told(tmp_path: Path, masks: Path) -> dict[str, Finding]:
    outcome = execute(
        RunRequest(
            benchmark="small-masks",
            release=tmp_path / "release",
            model=f"masks:{masks}",
            out=tmp_path / "run.sqlite",
            options=ModelOptions(timeout_s=20),
            workers=0,
        ),
        release=DoctoredMasks(tmp_path / "release"),
    )
    return {each.code: each for each in outcome.findings}


def test_turned_and_misplaced_masks_are_findings_of_a_run(tmp_path: Path) -> None:
    SmallBenchmark().synthesise(tmp_path / "release", seed=1, size=6)
    masks = tmp_path / "method"
    for path in sorted((tmp_path / "release" / "masks").iterdir()):
        array = read(path).astype(np.uint8)
        number = int(path.name[1:3])
        if number in (0, 1):
            array[:] = 0
            array[:3, 2:9, 1:4] = 1
            write(path, array)
            array = np.ascontiguousarray(array[::-1])
        elif number == 2:
            array[0, 0, 0] = 9
        elif number == 3:
            array = array[:, 1:]
        write(masks / path.name, array)
    found = told(tmp_path, masks)
    turned = found["turned-mask"]
    assert (turned.severity, turned.count, turned.where) == (
        Severity.WARNING,
        2,
        "2 of 6 questions",
    )
    assert turned.evidence.startswith("segment/c00")
    assert "With axis 1 reversed the prediction would reach a Dice of 1.000" in turned.evidence
    grid = found["grid"]
    assert (grid.severity, grid.count) == (Severity.ERROR, 1)
    assert grid.evidence.startswith("segment/c03: size: 10 × 12 × 6 in the reference, 10 × 11 × 6")
    unnamed = found["unnamed-labels"]
    assert unnamed.evidence == "segment/c02: labels that nobody named: 9"


def row(item: str, reason: str | None, **changes: object) -> Score:
    given: dict[str, object] = {
        "run": "r",
        "item": item,
        "patient": None,
        "metric": "dice",
        "metric_version": "1",
        "profile": "honest",
        "unit": "1",
        "value": 0.1,
        "status": Status.OK,
        "reason": reason,
    }
    return Score(**(given | changes))  # type: ignore[arg-type]


def test_equal_words_are_said_once_and_every_mask_is_counted_once() -> None:
    words = "With axis 1 reversed the prediction would reach a Dice of 0.912 (as stored: 0.034)"
    rows = [row(f"c{n}", words) for n in range(5)]
    rows += [row("c0", words, metric="iou"), row("c9", words, profile="published")]
    rows += [row("c8", words, target="lesion"), row("c7", "With care"), row("c6", None)]
    (found,) = mask_findings(rows, 12)
    assert (found.code, found.count) == ("turned-mask", 5)
    assert found.evidence == f"c0 and 4 more: {words}"


def test_many_differing_words_are_cut_short() -> None:
    rows = [row(f"c{n}", f"labels that nobody named: {n}; another remark") for n in range(1, 6)]
    (found,) = mask_findings(rows, 5)
    assert found.evidence.endswith("c3: labels that nobody named: 3; and 2 more")

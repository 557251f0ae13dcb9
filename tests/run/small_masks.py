"""A small benchmark of masks, written here: four bright cubes to segment in noisy volumes.

`SmallMaskScorer` can be told to break on a case, each time in another way. What it reads it reads
itself: the engine is tested here, not the project's metrics.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType

import nibabel
import numpy as np
from numpy.typing import NDArray

from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ExpectedCount,
    Scorer,
    Selection,
    Training,
)
from overread.records import (
    Finding,
    Item,
    Mask,
    Media,
    Part,
    Profile,
    PublishedValue,
    Reference,
    Response,
    Score,
    Status,
)
from overread.registry import _finders
from overread.store.hashes import file_sha256

SHAPE = (10, 12, 6)
LABELS = {1: "cube"}

CARD = Card(
    name="small-masks",
    title="Bright cubes",
    protocol_version="1",
    licence="Apache-2.0",
    access="made by the tests",
    tasks={"segment": "which voxels are of the cube?"},
    conditions=("plain",),
    synthetic_size=6,
)


@dataclass(frozen=True, kw_only=True)
class SmallMaskScorer:
    """Dice of one label and the size of the reference."""

    root: Path
    profile: Profile
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    metric: str = "dice"

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        _break(self.faults.get(item.groups["case"]))
        assert reference.path is not None
        wanted = read(self.root / reference.path)
        yield self._row(item, response, "reference_voxels", float(wanted.sum()))
        if response.status is not Status.OK:
            yield self._row(
                item, response, "dice", None, status=response.status, reason=response.reason
            )
            return
        path = Path(response.path or "")
        assert response.text == f"sha256:{file_sha256(path)}"  # the engine has looked
        found = read(path)
        if found.shape != wanted.shape:
            reason = f"size {found.shape}, expected {wanted.shape}"
            yield self._row(item, response, "dice", None, status=Status.UNPARSED, reason=reason)
            return
        total = int(wanted.sum() + found.sum())
        both = int((wanted & found).sum())
        value = None if not total else 2 * both / total
        status = Status.UNDEFINED if value is None else Status.OK
        reason = "both empty" if value is None else None
        yield self._row(item, response, "dice", value, status=status, reason=reason)

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        for metric in ("reference_voxels", "dice"):
            yield self._row(item, response, metric, None, status=Status.FAILED, reason=reason)

    def _row(
        self,
        item: Item,
        response: Response,
        metric: str,
        value: float | None,
        *,
        status: Status = Status.OK,
        reason: str | None = None,
    ) -> Score:
        return Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups["patient"],
            metric=metric,
            metric_version="1",
            profile=self.profile,
            unit="1",
            value=value,
            status=status,
            reason=reason,
        )


def _break(fault: str | None) -> None:
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "crash":
        os.abort()
    if fault == "leave":
        os._exit(7)
    if fault == "memory":
        raise MemoryError
    if fault == "raise":
        raise ValueError("a fault of the scorer")
    if fault == "sleep":
        time.sleep(120)
    if fault == "print":
        print("a library's chatter")
        os.write(1, b"and that of one in C\n")


class SmallMasks:
    """One release folder: ``cases.json`` with images and masks beside it."""

    card = CARD

    def __init__(self, root: Path, *, faults: Mapping[str, str] | None = None) -> None:
        self.root = self.media_root = root
        self.faults = faults or {}
        text = (root / "cases.json").read_text("utf-8")
        self.cases: list[dict[str, str]] = json.loads(text)
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        return ()

    def items(self, selection: Selection) -> Iterator[Item]:
        return islice(map(self._item, self.cases), selection.limit)

    def _item(self, case: dict[str, str]) -> Item:
        media = Media(paths=(case["image"],), kind="volume", spacing_mm=(1.0, 1.0, 2.0))
        return Item(
            id=f"segment/{case['case']}",
            benchmark=CARD.name,
            task="segment",
            condition="plain",
            question="Which voxels are of the cube?",
            media=(media,),
            prompt=(Part(text="The volume:"), Part(media=media)),
            answer_space=Mask(labels=LABELS),
            groups={"patient": case["patient"], "case": case["case"]},
            strata={"task": "segment"},
        )

    def reference(self, item_id: str) -> Reference:
        case = next(each for each in self.cases if f"segment/{each['case']}" == item_id)
        return Reference(item=item_id, answer=None, path=case["mask"])

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        return (SmallMaskScorer(root=self.root, profile=profile, faults=self.faults),)

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(
            strata=((), ("task",)),
            cells=("task",),
            cluster="patient",
            headline="dice",
            headline_drops=(Status.UNDEFINED,),
            also=(AlsoMetric(metric="reference_voxels"),),
        )

    def notes(self) -> Sequence[str]:
        return ()

    def published(self) -> Sequence[PublishedValue]:
        return ()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        return ()

    def training(self, selection: Selection) -> Training:
        return Training()


class SmallBenchmark:
    """Opens and writes such releases."""

    card = CARD

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}

    def open(self, root: Path, *, media: Path | None = None) -> SmallMasks:
        return SmallMasks(root, faults=self.faults)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write `size` cases, two a patient; the last one shows no cube."""
        rng = np.random.default_rng(seed)
        cases: list[dict[str, str]] = []
        (root / "images").mkdir(parents=True)
        (root / "masks").mkdir()
        for number in range(size):
            name, mask = f"c{number:02}", np.zeros(SHAPE, dtype=np.uint8)
            if number < size - 1:
                x, y, z = (int(rng.integers(0, side - 3)) for side in SHAPE)
                mask[x : x + 3, y : y + 3, z : z + 3] = 1
            image = rng.normal(0, 5, SHAPE) + 200 * mask - 100
            write(root / f"images/{name}.nii.gz", image.astype(np.int16))
            write(root / f"masks/{name}.nii.gz", mask)
            cases.append(
                {
                    "case": name,
                    "patient": f"p{number // 2}",
                    "image": f"images/{name}.nii.gz",
                    "mask": f"masks/{name}.nii.gz",
                }
            )
        (root / "cases.json").write_text(json.dumps(cases), "utf-8")


def registered(benchmark: SmallBenchmark) -> None:
    """Put the benchmark among the registered ones, until their cache is cleared."""
    module = ModuleType("small_masks")
    module.BENCHMARK = benchmark  # type: ignore[attr-defined]
    _finders("overread.benchmarks")[CARD.name] = lambda: module


def write(path: Path, array: NDArray[np.generic]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, np.diag([-1.0, -1.0, 2.0, 1.0])), path)  # type: ignore[attr-defined]


def read(path: Path) -> NDArray[np.bool_]:
    return np.asarray(nibabel.load(path).dataobj) > 0  # type: ignore[attr-defined]

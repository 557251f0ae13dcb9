"""How TriALS asks and scores: card, wording, scorers of both profiles, plans, printed numbers.

Read: the scorers of both tasks and the entry points of the containers in xmed-lab/TriALS (commit
de701ea), and the abstract of arXiv 2605.16572. Not seen: the paper's body and tables, how the
challenges ranked, the gated files. The containers get files and no words; the wording for models
that take any is ours.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from overread.benchmarks.trials.click_scorer import ENDS, ClickScorer
from overread.benchmarks.trials.clicks import Clicks
from overread.benchmarks.trials.lits_scorer import LitsScorer
from overread.benchmarks.trials.measures import SIZES
from overread.benchmarks.trials.missed_volume import LesionMaskScorer
from overread.benchmarks.trials.opening import LABEL
from overread.contracts import AlsoMetric, AnalysisPlan, Card, PooledRatio, RankPlan, Scorer
from overread.metrics.click_curve import CLICKS
from overread.metrics.lits_outlines import NO_DISTANCE
from overread.records import Mask, Media, Part, Profile, PublishedValue, Status

__all__ = [
    "CARD",
    "CLICK_PLAN",
    "INTERACTIVE",
    "LABELS",
    "PLAN",
    "SEGMENTATION",
    "SPACE",
    "chat_prompt",
    "click_condition",
    "notes",
    "plan_for",
    "published_values",
    "question",
    "scorers",
]

SEGMENTATION: Final = "segmentation"
INTERACTIVE: Final = "interactive"
LABELS: Final = {LABEL: "lesion"}
SPACE: Final = Mask(labels=LABELS)

_ASK: Final = (
    "Segment every lesion of the liver in this CT volume. Write a mask on the grid of the volume: "
    "1 in lesions, 0 elsewhere."
)
_BOTH: Final[tuple[Profile, ...]] = ("published", "honest")


def click_condition(clicks: int) -> str:
    """Name the condition of so many clicks.

    Examples
    --------
    >>> click_condition(3)
    'clicks-3'
    """
    return f"clicks-{clicks}"


CARD: Final = Card(
    name="trials",
    title="TriALS: liver lesions in non-contrast and multi-phase CT",
    protocol_version="1",
    licence="Apache-2.0 (code), CC BY-NC 4.0 (data)",
    access="gated request: Hugging Face marwankefah/TriALS; two reference masks are in the code",
    tasks={
        SEGMENTATION: "a mask of all lesions from one phase of a liver CT",
        INTERACTIVE: "the same after 0 to 10 clicks on lesions and background",
    },
    asked_by_name=(INTERACTIVE,),
    conditions=("ct", *(click_condition(clicks) for clicks in range(CLICKS))),
    unit="volume",
    synthetic_size=24,
    sources=(
        "arXiv 2605.16572",
        "code: xmed-lab/TriALS (commit de701ea)",
        "challenges: Synapse syn53285416 (2024), syn65878273 (2025)",
        "matching of lesions: LiTS, doi 10.1016/j.media.2022.102680",
    ),
)


def _share(
    metric: str,
    over: str | Mapping[str, float],
    under: str | Sequence[str],
    *,
    profiles: tuple[Profile, ...] = _BOTH,
    task: str = SEGMENTATION,
    clicks: tuple[int, ...] = (),
    only_targets: tuple[str, ...] = (),
    scale: float = 1.0,
    high: float = 1.0,
) -> AlsoMetric:
    """Give a ratio of sums over the masks of one task."""
    parts = (under,) if isinstance(under, str) else under
    return AlsoMetric(
        metric=metric,
        profiles=profiles,
        only={"task": (task,)}
        | ({"clicks": tuple(str(each) for each in clicks)} if clicks else {}),
        pooled=PooledRatio(
            numerator={over: 1.0} if isinstance(over, str) else over,
            denominator=dict.fromkeys(parts, 1.0),
            only_targets=only_targets,
            scale=scale,
            high=high,
        ),
    )


_MOST: Final = NO_DISTANCE
"""No distance in mm and no volume difference is larger; intervals of few patients need an end."""
_SEGMENTATION_ALSO: Final = (
    _share("pooled_dice", {"overlap_voxels": 2.0}, ("reference_voxels", "prediction_voxels")),
    _share("lits_precision", "lits_found", ("lits_found", "lits_invented")),
    _share("lits_recall", "lits_found", ("lits_found", "lits_missed")),
    _share("lits_precision_any", "lits_found_any", ("lits_found_any", "lits_invented_any")),
    _share("lits_recall_any", "lits_found_any", ("lits_found_any", "lits_missed_any")),
    *(_share(f"lits_{name}", f"lits_{name}_sum", "lits_scored") for name in ("dice", "jaccard")),
    _share("lits_voe", "lits_voe_sum", "lits_scored"),
    _share("lits_rvd", "lits_rvd_sum", "lits_scored", profiles=("published",), high=_MOST),
    _share("lits_ravd", "lits_ravd_sum", "lits_scored", profiles=("honest",), high=_MOST),
    *(
        _share(f"lits_{name}_mm", f"lits_{name}_mm_sum", "lits_scored", high=_MOST)
        for name in ("assd", "rmsd", "msd")
    ),
    _share("lits_dice_all", "lits_lesion_dice_sum", "lits_lesions", profiles=("honest",)),
    _share(
        "lits_dice_missed_0", "lits_found_lesion_dice_sum", "lits_lesions", profiles=("honest",)
    ),
    *(
        _share(
            f"lits_recall_{name}",
            "lits_size_found",
            "lits_size_lesions",
            profiles=("honest",),
            only_targets=(size,),
        )
        for name, size in zip(("small", "middle", "large"), SIZES, strict=True)
    ),
)


def _of_curve(name: str, ending: str, over: str, under: str, **more: Any) -> AlsoMetric:
    return _share(f"{name}_{ending}", over, under, task=INTERACTIVE, **more)


_MOST_AREA: Final = float(CLICKS - 1)
_INTERACTIVE_ALSO: Final = (
    _of_curve("dice", "auc", "dice_curve", "curve_cases", high=_MOST_AREA),
    _of_curve("dice", "auc_per_click", "dice_curve", "curve_cases", scale=1.0 / _MOST_AREA),
    _of_curve("dice", "final", "dice_last", "last_cases", clicks=ENDS),
    *(
        _of_curve(
            name,
            "auc",
            f"{name}_curve_mm",
            "curve_cases",
            profiles=("published",),
            high=_MOST * _MOST_AREA,
        )
        for name in ("assd", "msd")
    ),
    *(
        _of_curve(
            name,
            "final",
            f"{name}_last_mm",
            "last_cases",
            profiles=("published",),
            clicks=ENDS,
            high=_MOST,
        )
        for name in ("assd", "msd")
    ),
    *(
        _of_curve(
            "dice", f"after_{clicks}", f"dice_at_{clicks}", f"case_at_{clicks}", clicks=(clicks,)
        )
        for clicks in range(CLICKS)
    ),
)

PLAN: Final = AnalysisPlan(
    strata=((), ("phase",), ("centre",)),
    cells=("phase",),
    cluster="patient",
    headline="dice",
    headline_drops=(Status.UNDEFINED,),
    also=_SEGMENTATION_ALSO,
    ranking=RankPlan(
        weights={"dice": 1.0},
        strata=("phase",),
        profile="honest",
        source="ours: mean Dice of each phase; how the challenges ranked was not seen",
    ),
    published_drops=(Status.FAILED,),
    cells_are_independent=False,
)
_BOTH_PLAN: Final = replace(
    PLAN,
    headline_only={"task": (SEGMENTATION,)},
    also=(*_SEGMENTATION_ALSO, *_INTERACTIVE_ALSO),
)
CLICK_PLAN: Final = AnalysisPlan(
    strata=((), ("phase",), ("centre",)),
    cells=("phase",),
    cluster="patient",
    headline="dice",
    headline_drops=(Status.UNDEFINED,),
    also=_INTERACTIVE_ALSO,
    ranking=RankPlan(
        weights={"dice": 1.0},
        profile="honest",
        source="ours: mean Dice over all clicks; how the challenge ranked was not seen",
    ),
    cells_are_independent=False,
)


def plan_for(tasks: Collection[str]) -> AnalysisPlan:
    """Give the plan of a run of these tasks: clicks alone have their own headline."""
    if INTERACTIVE not in tasks:
        return PLAN
    return _BOTH_PLAN if SEGMENTATION in tasks else CLICK_PLAN


def scorers(profile: Profile, root: Path) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: the released rules, or the general ones and LiTS mended."""
    own = (LitsScorer(root=root, profile=profile), ClickScorer(root=root, profile=profile))
    if profile == "published":
        return own
    return (LesionMaskScorer(root=root, labels=LABELS, lesions="any overlap"), *own)


def question(clicks: Clicks | None) -> str:
    """Word the question, with the clicks so far in voxel indices i, j, k of the file."""
    if clicks is None:
        return _ASK
    shown = json.dumps(clicks.as_json())
    return f"{_ASK} Clicks so far, as voxel indices i, j, k of the volume's file: {shown}"


def chat_prompt(question: str, media: Sequence[Media]) -> tuple[Part, ...]:
    """Word an item for a model that reads words: the volume, then the question."""
    return (*(Part(media=one) for one in media), Part(text=question))


_NOTES: Final[Mapping[bool, tuple[str, ...]]] = {
    False: (
        "Means over found lesions leave out what was missed: missing hard lesions raises them; "
        "'lits_dice_all' counts every lesion.",
        "The published profile leaves missing masks out, as the released script does; the honest "
        "one counts them as 0.",
        "The published precision and recall at an overlap of 0.5 carry the released mix-up of "
        "lesion numbers.",
        "Phases of one patient hang together: intervals are over patients.",
        "The paper's best venous and non-contrast Dice come without an interval; its tables and "
        "its human reader's value were not seen.",
    ),
    True: (
        "This release is synthetic: ellipsoids in a phantom. Its numbers show that the way from "
        "release to report works, and say nothing about reading real CT.",
        "Published models stand beside it for the layout only: they saw other volumes.",
    ),
}


def notes(*, is_synthetic: bool) -> tuple[str, ...]:
    """Say what numbers on a release do not show."""
    return _NOTES[is_synthetic]


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the abstract's numbers and the repository's table of baselines on LiTS."""
    file = resources.files("overread.benchmarks.trials") / "published.toml"
    held: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [
        PublishedValue(
            metric="dice",
            stratum={"phase": each["phase"]},
            who=each["who"],
            kind="model",
            value=each["dice"],
            n=each["n"],
            source=held["abstract"]["source"],
        )
        for each in held["abstract"]["row"]
    ]
    table = held["baselines"]
    found += [
        PublishedValue(
            metric=metric,
            stratum={},
            who=f"{each['who']} on LiTS, 5 folds",
            kind="model",
            value=value,
            source=table["source"],
        )
        for each in table["row"]
        for metric, value in zip(table["metrics"], each["values"], strict=True)
    ]
    return tuple(found)

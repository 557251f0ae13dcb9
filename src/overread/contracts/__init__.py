"""What a benchmark, a model, a scorer must be able to do: Protocols and their small messages.

A benchmark is a thing that opens a folder. A model is a thing that answers a query. They never
meet but in `run.pipeline`. Anything that fits a Protocol here can be registered (see `registry`)
and is then held to the same contract suite as the built-in ones (`tests/contracts`).
"""

from __future__ import annotations

from overread.contracts.audits import Audit, PrintsTables, Rebuildable, Replayable
from overread.contracts.benchmarks import (
    LABEL_SEPARATOR,
    AlsoMetric,
    AnalysisPlan,
    Benchmark,
    Card,
    ClassAgreement,
    ExpectedCount,
    Form,
    PairedItems,
    PlansByTask,
    PooledRatio,
    RankPlan,
    RateFormula,
    Release,
    Selection,
    Training,
    TrainingCase,
)
from overread.contracts.judges import Graded, Judged, JudgeForm, Judging, JuryRule, VoteReading
from overread.contracts.models import (
    ArrayReader,
    ArrayRenderer,
    Joiner,
    Learner,
    MaskWriter,
    Model,
    ModelAdapter,
    ModelOptions,
    Query,
    Renderer,
    Reply,
    Reporter,
    Watched,
)
from overread.contracts.perturbations import (
    Dosed,
    Neighbours,
    NotApplicable,
    Parameters,
    Perturbation,
    Rewording,
    Scene,
    StoredUnit,
)
from overread.contracts.scoring import BatchScorer, CaseScorer, Scorer, Selective
from overread.imaging.picture import ArrayFile, Picture

__all__ = [
    "LABEL_SEPARATOR",
    "AlsoMetric",
    "AnalysisPlan",
    "ArrayFile",
    "ArrayReader",
    "ArrayRenderer",
    "Audit",
    "BatchScorer",
    "Benchmark",
    "Card",
    "CaseScorer",
    "ClassAgreement",
    "Dosed",
    "ExpectedCount",
    "Form",
    "Graded",
    "Joiner",
    "JudgeForm",
    "Judged",
    "Judging",
    "JuryRule",
    "Learner",
    "MaskWriter",
    "Model",
    "ModelAdapter",
    "ModelOptions",
    "Neighbours",
    "NotApplicable",
    "PairedItems",
    "Parameters",
    "Perturbation",
    "Picture",
    "PlansByTask",
    "PooledRatio",
    "PrintsTables",
    "Query",
    "RankPlan",
    "RateFormula",
    "Rebuildable",
    "Release",
    "Renderer",
    "Replayable",
    "Reply",
    "Reporter",
    "Rewording",
    "Scene",
    "Scorer",
    "Selection",
    "Selective",
    "StoredUnit",
    "Training",
    "TrainingCase",
    "VoteReading",
    "Watched",
]

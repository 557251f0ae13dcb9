"""The named preparations of volumes: eight published ones and three of our own.

A published preparation was written for the files of its benchmark as they lie on the disk. Ours
are named frames, so that a volume stored another way comes out the same; the frames assume
CT-RATE's files to grow to the left, posterior and superior (LPS, not seen). What could not be seen
in code, and where we differ, is said in `source`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from overread.errors import UsageError, expected
from overread.records import VolumeRecipe, Window

__all__ = ["PUBLISHED_RECIPES", "RECIPES", "RECIPE_SUMMARIES", "recipe_named"]

_SCRIPTS: Final = "Mashrafi27/CT-SpatialVQA at e25374c, benchmarking/"
_WIDE: Final = Window(low_hu=-1024, high_hu=1024)
_SOFT: Final = Window(low_hu=-135, high_hu=215)
_BRAIN: Final = Window(low_hu=0, high_hu=80)
_LUNG_AND_SOFT: Final = Window(low_hu=-1000, high_hu=400)
_THOUSAND: Final = Window(low_hu=-1000, high_hu=1000)


_ALL: Final[tuple[tuple[VolumeRecipe, str], ...]] = (
    (
        VolumeRecipe(
            name="slices-32",
            source="overread",
            windows=(_LUNG_AND_SOFT,),
            slices=32,
        ),
        "32 even axial slices, grey from -1000 to 400 HU",
    ),
    (
        VolumeRecipe(
            name="mosaic-25",
            source="overread",
            spacing_mm=(3.0, 1.5, 1.5),
            windows=(_LUNG_AND_SOFT,),
            slices=25,
            output="mosaic",
        ),
        "25 even axial slices of 1.5 mm pixels in one picture, grey from -1000 to 400 HU",
    ),
    (
        VolumeRecipe(name="array-hu", source="overread", output="array", dtype="int16"),
        "the whole volume in HU, its own grid, 16-bit numbers",
    ),
    (
        VolumeRecipe(
            name="merlin",
            source=f"{_SCRIPTS}preprocess/preprocess_merlin.py: reoriented to RAS, ITK's linear "
            "resampling that keeps the first voxel, array in order z, y, x. Where its grid ends "
            "beyond the volume the script writes a pixel type's number, we go on with the "
            "outermost value.",
            axes="SAR",
            spacing_mm=(3.0, 1.5, 1.5),
            windows=(_THOUSAND,),
            shape=(160, 224, 224),
            output="array",
            grid="first-voxel",
        ),
        "Merlin: 1.5 × 1.5 × 3 mm, -1000 to 1000 HU to 0..1, 160 × 224 × 224",
    ),
    (
        VolumeRecipe(
            name="ct-chat",
            source=f"{_SCRIPTS}preprocess/preprocess_ctchat.py: array in order z, x, y of the "
            "file, torch's linear interpolation that keeps the edges. The script cuts HU before "
            "it interpolates, we cut after; beside metal the two differ.",
            axes="SLP",
            spacing_mm=(1.5, 0.75, 0.75),
            windows=(_THOUSAND,),
            scale=(-1.0, 1.0),
            shape=(240, 480, 480),
            pad=-1.0,
            output="array",
            grid="edges",
        ),
        "CT-CHAT (CT-CLIP): 0.75 × 0.75 × 1.5 mm, -1000 to 1000 HU to -1..1, 240 × 480 × 480",
    ),
    (
        VolumeRecipe(
            name="med3dvlm",
            source=f"{_SCRIPTS}preprocess/preprocess_med3dvlm.py: least and greatest value of the "
            "volume to 0..1, stretched to 128 × 256 × 256. An older script beside it "
            "(inference/med3dvlm/preprocess_ctrate.py) takes -1200 to 600 HU to -1..1; which made "
            "the published answers was not seen.",
            stretch=(128, 256, 256),
            intensity_range="volume",
            output="array",
            grid="first-voxel",
        ),
        "Med3DVLM: whole volume to 128 × 256 × 256, its own range to 0..1",
    ),
    (
        VolumeRecipe(
            name="m3d",
            source=f"{_SCRIPTS}preprocess/preprocess_m3d.py: stretched to 32 × 256 × 256, then "
            "least and greatest value to 0..1. The script adds a first axis of one, the file here "
            "has none.",
            stretch=(32, 256, 256),
            intensity_range="resampled",
            output="array",
            grid="first-voxel",
        ),
        "M3D-LaMed: whole volume to 32 × 256 × 256, its own range to 0..1",
    ),
    (
        VolumeRecipe(
            name="radfm",
            source=f"{_SCRIPTS}preprocess/preprocess_radfm.py: stretched to 512 × 512 × 128 in "
            "order y, x, z, three equal channels; the run converts to 16 bits, so does the file "
            "here. An older script beside it (inference/radfm/preprocess_radfm.py) takes "
            "256 × 256 × 64 and the volume's own range; which made the published answers was not "
            "seen.",
            axes="PLS",
            stretch=(512, 512, 128),
            windows=(_WIDE, _WIDE, _WIDE),
            output="array",
            dtype="float16",
            grid="first-voxel",
        ),
        "RadFM: whole volume to 512 × 512 × 128, -1024 to 1024 HU to 0..1, three channels",
    ),
    (
        VolumeRecipe(
            name="vila-m3",
            source="Project-MONAI/VLM at 14e457f, m3/demo/experts/utils.py: middle axial slice, "
            "centre 50 HU, width 400 HU, head-on view; it cuts grey values down where we round. "
            f"{_SCRIPTS}inference/vila-m3/run_vista3d_eval.py sends the organ map of VISTA3D "
            "beside it, which is not made here.",
            windows=(Window.centred(50, 400),),
            slices=1,
        ),
        "VILA-M3: the middle axial slice, -150 to 250 HU",
    ),
    (
        VolumeRecipe(
            name="lingshu",
            source=f"{_SCRIPTS}preprocess/preprocess_medevalkit.py: slices as they lie in the "
            "file, order z, y, x.",
            windows=(_WIDE, _SOFT, _BRAIN),
            slices=32,
        ),
        "Lingshu (MedEvalKit): 32 even axial slices, three windows as red, green, blue",
    ),
    (
        VolumeRecipe(
            name="medgemma",
            source=f"{_SCRIPTS}reports/analysis/preprocessing_summary.md and the paper; "
            "preprocess/preprocess_medgemma.py has -1225 to 1025 HU for red. The script enlarges "
            "to 896 × 896 pixels, which is left to the model's own processor here, and sends "
            "fewer slices when the model's context is full.",
            windows=(_WIDE, _SOFT, _BRAIN),
            slices=85,
        ),
        "MedGemma 1.5: 85 even axial slices, three windows as red, green, blue",
    ),
)

RECIPES: Final[Mapping[str, VolumeRecipe]] = MappingProxyType(
    {recipe.name: recipe for recipe, _ in _ALL}
)
"""Name → recipe, ours first."""

RECIPE_SUMMARIES: Final[Mapping[str, str]] = MappingProxyType(
    {recipe.name: summary for recipe, summary in _ALL}
)
"""Name → a line for people."""

PUBLISHED_RECIPES: Final = tuple(recipe.name for recipe, _ in _ALL if recipe.source != "overread")
"""Names of the eight published preparations."""


def recipe_named(name: str) -> VolumeRecipe:
    """Give a recipe by its name.

    Raises
    ------
    UsageError
        There is none; the message holds all names.

    Examples
    --------
    >>> recipe_named("merlin").shape
    (160, 224, 224)
    """
    if name not in RECIPES:
        raise UsageError(
            expected(
                "recipe",
                rule="a named preparation",
                got=repr(name),
                remedy=f"Choose one of {', '.join(RECIPES)}.",
            )
        )
    return RECIPES[name]

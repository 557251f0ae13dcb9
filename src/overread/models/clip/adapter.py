"""Opens an image-text scorer by ``ARCHITECTURE:WEIGHTS``, folder or hub name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.contracts import Model, ModelOptions

__all__ = ["ADAPTER", "ClipAdapter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipAdapter:
    """Image-text scorers: the option whose text (or picture) lies closest wins."""

    name: str = "clip"
    summary: str = "image-text scorers of open_clip: cosine, softmax, weighted slices (extra torch)"
    examples: tuple[str, ...] = (
        "clip:hf-hub:microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224",
        "clip:ViT-B-32:laion2b_s34b_b79k",
        "clip:ViT-B-32:weights.safetensors",
        "clip:path/to/folder",
        "clip:path/to/folder@fine-tuned.pth",
    )

    def open(self, target: str, options: ModelOptions) -> Model:
        """Load a scorer, which may download its weights.

        Parameters
        ----------
        target
            A folder with ``open_clip_config.json`` and weights, ``hf-hub:OWNER/NAME``, or
            ``ARCHITECTURE:WEIGHTS`` with a tag that open_clip knows or a file of weights. After
            an ``@``, a file of weights to load over it, such as a fine-tuned copy.
        options
            Nothing of it bears on a scorer.

        Raises
        ------
        MissingExtraError
            torch or open_clip is not installed.
        UsageError
            The target names nothing that can be loaded.
        """
        from overread.models.clip.loading import load
        from overread.models.clip.model import ClipModel

        return ClipModel(load(target))


ADAPTER = ClipAdapter()

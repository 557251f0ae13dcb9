"""The caption task: one item for each described lesion of a split, with its key slice.

The items come from the lesion set (Metadata.csv and the key slices), not from the question files,
so a release whose exam asks about few lesions has captions of all. Every lesion of the list is
asked for: one without a picture fails and stays in the denominator, one without a description, or
with two, cannot be scored and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from overread.benchmarks.ct_bench import layout, protocol
from overread.benchmarks.ct_bench.files import ReleaseFiles
from overread.benchmarks.ct_bench.index import Lesion, LesionIndex
from overread.contracts import Selection
from overread.records import Item, Media, Recipe, Reference, Text
from overread.scoring.facts.ontology import OntologyTerms

__all__ = ["Captions"]

_FOLDERS: Final = {"no-box": layout.LESION_NOBOX_FOLDER, "box": layout.LESION_BBOX_FOLDER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Captions:
    """The caption items of one release.

    Ids are ``split/caption/box/lesion``, as those of questions are ``split/task/box/lesion``.
    """

    index: LesionIndex
    files: ReleaseFiles

    def cells(self, selection: Selection) -> Iterator[tuple[str, str]]:
        """Give the box and the lesion of each selected item: all without a box, then all with."""
        if selection.tasks is None or protocol.CAPTION not in selection.tasks:
            return
        for box in _FOLDERS:
            if selection.conditions is not None and box not in selection.conditions:
                continue
            for lesion in self.index.lesions.values():
                if lesion.split == selection.split:
                    yield box, lesion.id

    def item(self, box: str, lesion_id: str, selection: Selection) -> Item:
        """Make the item of a lesion."""
        lesion = self.index.lesions[lesion_id]
        media = Media(
            paths=(self.files.lesion_picture(lesion_id, folder=_FOLDERS[box]),),
            recipe=Recipe(max_side_px=selection.max_side_px),
            spacing_mm=lesion.spacing_mm,
        )
        return Item(
            id=_id(lesion, box),
            benchmark=protocol.card().name,
            task=protocol.CAPTION,
            condition=box,
            question=protocol.CAPTION_QUESTION,
            media=(media,),
            prompt=protocol.caption_prompt(media, boxed=box == "box"),
            answer_space=Text(),
            groups=_groups(lesion),
            strata={
                "task": protocol.CAPTION,
                "box": box,
                "stack": "single",
                "split": selection.split,
            },
        )

    def reference(self, item_id: str) -> Reference:
        """Give a lesion's description, or why it has none. KeyError for an unknown id."""
        split, task, box, lesion_id = item_id.split("/", 3) if item_id.count("/") > 2 else [""] * 4
        lesion = self.index.lesions.get(lesion_id)
        if lesion is None or lesion.split != split or task != protocol.CAPTION:
            raise KeyError(item_id)
        if box not in _FOLDERS:
            raise KeyError(item_id)
        problem = None if lesion.description else "the release has no description of this lesion"
        if lesion_id in self.index.contested:
            problem = "the release has two descriptions of this lesion"
        return Reference(item=item_id, answer=lesion.description, problem=problem)

    def terms(self, item: Item) -> OntologyTerms | None:
        """Give what the tables say of an item's lesion beside its description."""
        lesion = self.index.lesions.get(item.groups["lesion"])
        if lesion is None:
            return None
        return OntologyTerms(
            lesion_type=lesion.lesion_type,
            body_part=lesion.body_part,
            imaging_property=lesion.attributes,
            size=lesion.size,
        )


def _id(lesion: Lesion, box: str) -> str:
    return f"{lesion.split}/{protocol.CAPTION}/{box}/{lesion.id}"


def _groups(lesion: Lesion) -> dict[str, str]:
    # A lesion of an unknown patient counts as a patient of its own.
    groups = {"lesion": lesion.id, "patient": lesion.patient or f"lesion-{lesion.id}"}
    return groups | ({"study": lesion.study} if lesion.study else {})

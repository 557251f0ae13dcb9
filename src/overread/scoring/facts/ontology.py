"""What a release's own tables say about one lesion beside its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["OntologyTerms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyTerms:
    """The terms of one row of the ontology mapping, and the size; None where there is none."""

    lesion_type: str | None = None
    body_part: str | None = None
    imaging_property: str | None = None
    size: str | None = None
    """As the release tells it: ``23.1 x 17.4 mm``."""

    @classmethod
    def of_row(cls, row: Mapping[str, str | None]) -> OntologyTerms:
        """Take the terms of a row, by the words in its column names, in any case.

        Examples
        --------
        >>> OntologyTerms.of_row({"Lesion Type": "nodule", "body_part": "lung"}).body_part
        'lung'
        """
        named = {
            "".join(letter for letter in name.lower() if letter.isalpha()): value or None
            for name, value in row.items()
        }

        def first(*words: str) -> str | None:
            return next((v for name, v in named.items() if any(w in name for w in words)), None)

        return cls(
            lesion_type=first("lesiontype", "type"),
            body_part=first("bodypart", "organ", "location"),
            imaging_property=first("property", "imaging", "attribute"),
            size=first("size"),
        )

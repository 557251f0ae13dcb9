"""What is known of the findings of a picture, as labels; and in words, as a reference states it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from overread.scoring.claims.lexicon import lexicon

__all__ = ["FindingTruth", "Label"]

Label: TypeAlias = Literal["present", "absent", "uncertain"]
"""Of a finding that the report speaks of; one that it leaves out has no label."""

_LINE: Final = re.compile(
    r"(?P<side>left|right|bilateral)? ?(?P<finding>[a-z ]+): (?P<label>present|absent|uncertain)"
)
_SIDES: Final[Mapping[str, frozenset[str]]] = {
    "left": frozenset(("left",)),
    "right": frozenset(("right",)),
    "bilateral": frozenset(("left", "right")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTruth:
    """Labels of one picture; what has no label was not told, which is not absent."""

    labels: Mapping[str, Label]
    sides: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @property
    def is_normal(self) -> bool:
        """Whether no finding is present or uncertain."""
        return not {"present", "uncertain"} & set(self.labels.values())

    def in_words(self) -> str:
        """Write finding after finding, as a reader of claims reads it back.

        Examples
        --------
        >>> FindingTruth(labels={"Edema": "absent"}).in_words()
        'Edema: absent'
        """
        lines: list[str] = []
        for finding, label in self.labels.items():
            sides = self.sides.get(finding, frozenset())
            side = next((name for name, both in _SIDES.items() if both == sides), "")
            lines.append(f"{side} {finding.lower()}: {label}".strip().capitalize())
        return "; ".join(lines)

    @classmethod
    def of_words(cls, text: str) -> FindingTruth | None:
        """Read what `in_words` wrote; None where a part is none of its."""
        names = {finding.lower(): finding for finding in lexicon().findings}
        labels: dict[str, Label] = {}
        sides: dict[str, frozenset[str]] = {}
        states: dict[str, Label] = {
            "present": "present", "absent": "absent", "uncertain": "uncertain"
        }  # fmt: skip
        for line in text.lower().split(";"):
            found = _LINE.fullmatch(line.strip())
            if found is None or found["finding"] not in names:
                return None
            finding = names[found["finding"]]
            labels[finding] = states[found["label"]]
            if found["side"]:
                sides[finding] = _SIDES[found["side"]]
        return cls(labels=labels, sides=sides) if labels else None

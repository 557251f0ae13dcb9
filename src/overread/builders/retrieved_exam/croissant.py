"""Croissant metadata of a built exam: JSON-LD that data-set search and loaders read.

Written after the specification, version 1.0 (mlcommons.org/croissant/1.0), not by its library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from overread.benchmarks.ct_bench import layout
from overread.store.hashes import file_sha256

__all__ = ["CROISSANT_FILE", "write_croissant"]

CROISSANT_FILE: Final = "croissant.json"

_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_FILES: Final = (
    (layout.METADATA_FILE, "text/csv"),
    (layout.MERGED_FILE, "text/csv"),
    (layout.ONTOLOGY_FILE, "text/csv"),
    (layout.QA_CLIP_FILE, "application/json"),
    (layout.QA_LLM_FILE, "application/json"),
)
_TABLES: Final = (
    ("lesions", layout.METADATA_FILE, layout.METADATA_COLUMNS),
    ("ontology", layout.ONTOLOGY_FILE, layout.ONTOLOGY_COLUMNS),
)
_QUESTION_FIELDS: Final = (
    "lesion_idx",
    "q_type",
    "question",
    "correct_choice",
    "split",
    "bbox_type",
)
_NO_WORD: Final = re.compile(r"[^A-Za-z0-9_.]+")
_WHOLE_NUMBERS: Final = frozenset({"lesion_idx"})


def write_croissant(
    root: Path, *, name: str, description: str, licence: str, status: str, date: str | None
) -> None:
    """Write the metadata of the files that lie in a release.

    Parameters
    ----------
    root
        The release; its tables and question files are hashed.
    name, description, licence
        For people and search.
    status
        ``Published`` or ``Draft``.
    date
        Year, month and day, or None where none shall be stated (so that equal builds are equal).
    """
    value: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": licence,
        "creativeWorkStatus": status,
        "version": "1.0.0",
        "distribution": [*_objects(root), *_sets(root)],
        "recordSet": [*_tables(), _questions()],
    }
    if date is not None:
        value["datePublished"] = date
    text = json.dumps(value, ensure_ascii=False, indent=1)
    (root / CROISSANT_FILE).write_text(text + "\n", encoding="utf-8", newline="\n")


def _id(name: str) -> str:
    """Make an id of a name: loaders take none with blanks."""
    return "-".join(_NO_WORD.sub(" ", name).split())


def _objects(root: Path) -> Sequence[dict[str, Any]]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": _id(name),
            "name": _id(name),
            "contentUrl": name,
            "contentSize": f"{(root / name).stat().st_size} B",
            "encodingFormat": encoding,
            "sha256": file_sha256(root / name),
        }
        for name, encoding in _FILES
        if (root / name).is_file()
    ]


def _sets(root: Path) -> Sequence[dict[str, Any]]:
    folders = [layout.LESION_NOBOX_FOLDER, layout.LESION_BBOX_FOLDER]
    folders += [
        f"{form}/{split}"
        for form in (layout.CLIP_FOLDER, layout.LLM_FOLDER)
        for split in layout.QUESTION_SPLITS
    ]
    return [
        {
            "@type": "cr:FileSet",
            "@id": _id(f"pictures/{folder}"),
            "name": _id(f"pictures/{folder}"),
            "encodingFormat": "image/png",
            "includes": f"{folder}/*.png",
        }
        for folder in folders
        if (root / folder).is_dir()
    ]


def _tables() -> Sequence[dict[str, Any]]:
    return [
        {
            "@type": "cr:RecordSet",
            "@id": name,
            "name": name,
            "key": {"@id": f"{name}/lesion_idx"},
            "field": [
                _field(
                    name, column, {"fileObject": {"@id": _id(file)}, "extract": {"column": column}}
                )
                for column in columns
            ],
        }
        for name, file, columns in _TABLES
    ]


def _questions() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "questions",
        "name": "questions",
        "description": "The exam as worded for chat models.",
        "field": [
            _field(
                "questions",
                name,
                {
                    "fileObject": {"@id": _id(layout.QA_LLM_FILE)},
                    "extract": {"jsonPath": f"$[*].{name}"},
                },
            )
            for name in _QUESTION_FIELDS
        ],
    }


def _field(record_set: str, name: str, source: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": "sc:Integer" if name in _WHOLE_NUMBERS else "sc:Text",
        "source": source,
    }

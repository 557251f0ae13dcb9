"""The exam that the harnesses are timed on: a CT-Bench release with pictures of a known size."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from overread.benchmarks.ct_bench import layout

__all__ = ["PICTURE_SIDE_PX", "write_single", "write_stacks"]

PICTURE_SIDE_PX = 512
_LEVELS = 48
"""Grey levels of the noise: log2 of it is 5.6 bits a pixel, which makes about 180 kB."""
_OPTIONS = (
    "A round lesion of low attenuation in the right lobe of the liver, 21 mm across.",
    "A lobulated lesion of soft tissue attenuation in the left kidney, 34 mm across.",
    "A spiculated nodule in the upper lobe of the left lung, 12 mm across.",
    "An enlarged lymph node beside the aorta, 15 mm across.",
)


def write_single(root: Path, *, questions: int, seed: int) -> None:
    """Write a release of one-picture questions, each with a picture of its own.

    8-bit grey PNG, 512×512, about 180 kB each: the size of a real CT slice's PNG.
    """
    _write_pictures(root, questions, seed)
    entries = [_entry(number, "img2txt", f"{number}.png") for number in range(questions)]
    _write_tables(root, entries)


def write_stacks(root: Path, pictures: Path, *, questions: int, slices: int) -> None:
    """Write a release of questions with `slices` pictures each, linked from another release."""
    folder = root / layout.LLM_FOLDER / "test"
    # Links, not copies: each question still reads, encodes and sends all its slices.
    source = pictures / layout.LLM_FOLDER / "test"
    names = sorted(path.name for path in source.iterdir())
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).hardlink_to(source / name)
    entries = [
        _entry(
            number, "ct2txt", [names[(number * slices + at) % len(names)] for at in range(slices)]
        )
        for number in range(questions)
    ]
    _write_tables(root, entries)


def _write_tables(root: Path, entries: list[dict[str, Any]]) -> None:
    lesions = [
        {"lesion_idx": str(entry["lesion_idx"]), "description": "", "size": "", "dataset": "test"}
        for entry in entries
    ]
    header = ",".join(layout.METADATA_COLUMNS)
    rows = [",".join(row[column] for column in layout.METADATA_COLUMNS) for row in lesions]
    (root / layout.METADATA_FILE).write_text("\n".join([header, *rows]) + "\n", "utf-8")
    (root / layout.QA_LLM_FILE).write_text(json.dumps(entries), "utf-8")


def _entry(number: int, task: str, image_path: str | list[str]) -> dict[str, Any]:
    return {
        "lesion_idx": number,
        "q_type": task,
        "question": layout.LLM_QUESTIONS[task],
        "choices": dict(zip(layout.LETTERS, _OPTIONS, strict=True)),
        "correct_choice": layout.LETTERS[number % 4],
        "image_path": image_path,
        "split": "test",
        "bbox_type": "bbox",
    }


def _write_pictures(root: Path, count: int, seed: int) -> None:
    folder = root / layout.LLM_FOLDER / "test"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    for number in range(count):
        shape = (PICTURE_SIDE_PX, PICTURE_SIDE_PX)
        grey = rng.integers(100, 100 + _LEVELS, shape, dtype=np.uint8)
        (folder / f"{number}.png").write_bytes(_png(grey))


def _png(grey: np.ndarray) -> bytes:
    rows, columns = grey.shape
    lines = np.zeros((rows, columns + 1), dtype=np.uint8)  # a filter byte of 0 before each line
    lines[:, 1:] = grey
    packer = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    body = packer.compress(lines.tobytes()) + packer.flush()
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )

"""A hand-made CT-Bench release of six questions: small enough to break in every way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.benchmarks.ct_bench import layout
from overread.imaging.encode import encode_png

Entry = dict[str, Any]


class SmallRelease:
    """Files of a release, with handles to break them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        pixels = np.zeros((16, 16), dtype=np.uint8)
        for folder in ("llm/test", "clip/test", "llm/validation"):
            for name in ("one.png", "a.png", "b.png", "c.png", "d.png"):
                path = root / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(encode_png(pixels))
        for folder in ("lesion_bbox", "lesion_nobox"):
            (root / folder).mkdir()
            (root / folder / "30.png").write_bytes(encode_png(pixels))
        (root / layout.METADATA_FILE).write_text(
            "lesion_idx,description,size,dataset\n"
            '10,"A nodule,\nin the left lung",12 mm,test\n'
            "11,A cyst in the right kidney,8 mm,test\n"
            "20,A mass in the liver,30 mm,val\n"
            "30,A node in the pelvis,9 mm,train\n",
            encoding="utf-8",
        )
        (root / layout.MERGED_FILE).write_text(
            "lesion_idx,File_name,Patient_index,Study_index,Series_ID,Spacing_mm_px_\n"
            '10,000007_01_02_033.png,7,1,2,"0.75, 0.75, 5"\n'
            '11,000007_01_02_040.png,7,1,2,"0.75, 0.75, 5"\n'
            '20,000008_01_01_001.png,8,1,1,"0.8, 0.8, 1"\n'
            '30,000009_01_01_001.png,9,1,1,"0.8, 0.8, 1"\n',
            encoding="utf-8",
        )
        (root / layout.ONTOLOGY_FILE).write_text(
            "lesion_idx,lesion_type,body_part,imaging_property\n30,node,pelvis,calcified\n",
            encoding="utf-8",
        )
        self.llm = [
            llm(10, "img2txt", "B", "one.png"),
            llm(10, "img2txt", "B", "one.png", bbox_type="nobox"),
            llm(11, "ct2txt", "C", ["a.png", "b.png", "c.png"]),
            llm(11, "txt2img", "D", ["a.png", "b.png", "c.png", "d.png"]),
            llm(11, "img2size", "A", "one.png"),
            llm(20, "img2txt", "A", "one.png", split="validation"),
        ]
        self.clip = [
            clip(1, 10, "img2txt", "B", "one.png"),
            clip(2, 11, "txt2img", "D", ["a.png", "b.png", "c.png", "d.png"]),
        ]
        self.write()

    def write(self) -> None:
        for name, entries in ((layout.QA_LLM_FILE, self.llm), (layout.QA_CLIP_FILE, self.clip)):
            (self.root / name).write_text(json.dumps(entries), encoding="utf-8")


def llm(lesion: int, task: str, right: str, image: str | list[str], **more: str) -> Entry:
    return {
        "lesion_idx": lesion,
        "q_type": task,
        "question": "Which one?",
        "choices": {"A": "alpha", "B": "beta", "C": "gamma", "D": "delta"},
        "correct_choice": right,
        "image_path": image,
        "split": "test",
        "bbox_type": "bbox",
    } | more


def clip(qa_id: int, lesion: int, task: str, right: str, image: str | list[str]) -> Entry:
    texts = "a description" if isinstance(image, list) else ["alpha", "beta", "gamma", "delta"]
    return {
        "qa_id": qa_id,
        "q_type": task,
        "lesion_idx": lesion,
        "split": "test",
        "bbox_type": "bbox",
        "correct_choice": right,
        "image_paths" if isinstance(image, list) else "image_path": image,
        "text": texts,
    }


@pytest.fixture
def small_release(tmp_path: Path) -> SmallRelease:
    return SmallRelease(tmp_path / "release")


@pytest.fixture
def entry() -> Callable[..., Entry]:
    return llm

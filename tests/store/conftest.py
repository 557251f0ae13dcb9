from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.records import Manifest, ModelIdentity, PlannedItem, Receipt, Response, Status
from overread.store.hashes import sha256_text


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        run="run-1",
        benchmark="ct-bench",
        protocol_version="2026.1",
        release_root="/data/ct-bench",
        release_fingerprint=sha256_text("questions"),
        model=ModelIdentity(
            kind="chat",
            name="medgemma",
            revision="4b",
            settings={"temperature": 0.0, "stop": ["\n", None], "nested": {"ß": True}},
        ),
        selection={"split": "test", "limit": None, "tasks": ["img2txt"]},
        seed=7,
        created="2026-11-30T12:00:00Z",
        software={"python": "3.11.7"},
        command="overread run ct-bench …",
    )


@pytest.fixture
def planned() -> Callable[[int], list[PlannedItem]]:
    def make(count: int) -> list[PlannedItem]:
        return [
            PlannedItem(
                item=f"img2txt/box/{number}",
                request_hash=sha256_text(f"request {number}"),
                groups={"patient": f"p{number // 3}", "lesion": str(number)},
                strata={"task": "img2txt", "box": "box"},
                chance=0.25,
            )
            for number in range(count)
        ]

    return make


@pytest.fixture
def answer() -> Callable[..., Response]:
    def make(planned: PlannedItem, **changes: object) -> Response:
        number = planned.item.rsplit("/", 1)[-1]
        fields: dict[str, object] = {
            "run": "run-1",
            "item": planned.item,
            "draw": planned.draw,
            "status": Status.OK,
            "text": f'{{"selected_option": "B", "explanation": "lesion {number}"}}',
            "finish_reason": "stop",
            "tokens_in": 812,
            "tokens_out": 41,
            "seconds": 0.25,
            "request_hash": planned.request_hash,
            "receipts": (
                Receipt(
                    sha256=sha256_text(f"picture {number}"),
                    width=512,
                    height=512,
                    size_bytes=180_000,
                    media_type="image/png",
                    sources=(f"lesion_bbox/{number}.png",),
                    window="as stored",
                    layout="single",
                    orientation="as stored",
                    boxes_drawn=0,
                ),
            ),
        }
        return Response(**(fields | changes))  # type: ignore[arg-type]

    return make

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from overread.analysis.probing import ArmExample, ArmRun, Probed, probe_effects
from overread.contracts import AnalysisPlan
from overread.imaging.encode import encode_png
from overread.imaging.render import PictureRenderer
from overread.records import (
    Choice,
    Effect,
    Item,
    Media,
    Option,
    PlannedItem,
    Recipe,
    Reference,
    Response,
    Score,
    Status,
)
from overread.report.probe_data import ProbeReport, probe_json
from overread.report.probe_page import write_probe_page

PLAN = AnalysisPlan(strata=((), ("task",)), cells=("task",), cluster="patient", bootstrap_draws=200)
HOSTILE = "</style><script>window.pwned = 1</script>\ud800{{ 7 * 7 }}"


def score(item: str, value: float) -> Score:
    return Score(
        run="r", item=item, patient=None, metric="accuracy", metric_version="1", profile="honest",
        unit="share", value=value, status=Status.OK, answer="A",
    )  # fmt: skip


def arm(name: str, values: Sequence[float], left_out: dict[str, int] | None = None) -> ArmRun:
    planned = [
        PlannedItem(
            item=f"q{n}", request_hash=f"{name}{n}", groups={"patient": f"p{n}"},
            strata={"task": HOSTILE}, chance=0.25,
        )
        for n in range(len(values))
    ]  # fmt: skip
    return ArmRun(
        name=name,
        planned=planned,
        scores=[score(line.item, value) for line, value in zip(planned, values, strict=True)],
        left_out=left_out or {},
    )


def example(name: str, *effects: Effect) -> ArmExample:
    media = Media(paths=("a.png",), recipe=Recipe(effects=effects))
    item = Item(
        id="q0",
        benchmark="b",
        task="t",
        condition="c",
        question=HOSTILE,
        media=(media,),
        answer_space=Choice(options=(Option(letter="A", text=HOSTILE), Option(letter="B"))),
    )
    return ArmExample(
        arm=name,
        item=item,
        reference=Reference(item="q0", answer="B"),
        response=Response(run="r", item="q0", status=Status.OK, text=HOSTILE, request_hash="h"),
        score=score("q0", 0.0),
    )


@pytest.fixture
def report(tmp_path: Path) -> ProbeReport:
    (tmp_path / "a.png").write_bytes(encode_png(np.full((32, 32), 90, dtype=np.uint8)))
    probed: Probed = probe_effects(
        arm("original", [1.0] * 65 + [0.0] * 35),
        [
            arm("no-image", [1.0] * 40 + [0.0] * 25 + [1.0] * 10 + [0.0] * 25, {HOSTILE: 3}),
            arm("of-another-package", [1.0] * 65 + [0.0] * 35),
        ],
        PLAN,
        not_applied={"wrong-window": {"stored as grey values": 100}},
    )
    return ProbeReport(
        model=HOSTILE,
        benchmark="An exam",
        probed=probed,
        examples=(example("original"), example("blur", Effect(name="mirror"))),
        notes=("A note.",),
        files={"original": "original.sqlite"},
        created="2026-11-30T10:00:00+00:00",
    )


class Outline(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href") and not (value or "").startswith(("data:", "#")):
                self.outside.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(report: ProbeReport, root: Path) -> Outline:
    path = write_probe_page(report, root / "probe.html", PictureRenderer(root))
    return Outline(path.read_text(encoding="utf-8"))


def test_the_page_says_what_each_arm_did(report: ProbeReport, tmp_path: Path) -> None:
    page = page_of(report, tmp_path)
    words = re.sub(r"\s+", " ", page.text)
    assert "The score falls from 65.0 to 50.0 %, by 15.0 points" in words
    assert "65.0 → 50.0 % of 100 questions of 100 patients" in words
    assert "of a package that is not installed here" in words
    assert "100 left out: stored as grey values" in words
    assert page.tags.count("img") == 2
    assert "A note." in words


def test_hostile_words_stay_words_and_nothing_comes_from_outside(
    report: ProbeReport, tmp_path: Path
) -> None:
    page = page_of(report, tmp_path)
    assert "script" not in page.tags
    assert page.outside == []
    assert "{{ 7 * 7 }}" in page.text


def test_the_bar_of_states_adds_up(report: ProbeReport, tmp_path: Path) -> None:
    path = write_probe_page(report, tmp_path / "probe.html", PictureRenderer(tmp_path))
    bar = path.read_text(encoding="utf-8").split('<svg class="states"')[1].split("</svg>")[0]
    widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)%"', bar)]
    assert widths == [40, 25, 10, 25]


def test_a_picture_that_is_gone_is_told(report: ProbeReport, tmp_path: Path) -> None:
    (tmp_path / "a.png").unlink()
    page = page_of(report, tmp_path)
    assert page.tags.count("img") == 0
    assert "a.png" in page.text


def test_json_holds_every_number(report: ProbeReport) -> None:
    value = json.loads(json.dumps(probe_json(report), allow_nan=False))
    first, second = value["arms"]
    assert first["arm"] == "no-image"
    assert first["states"] == {
        "right_right": 40, "right_wrong": 25, "wrong_right": 10, "wrong_wrong": 25,
    }  # fmt: skip
    assert first["net_effect"] == pytest.approx(0.15)
    assert first["persistence"] == pytest.approx(0.6154, abs=5e-5)
    assert first["p_mcnemar"] == pytest.approx(0.016674, abs=5e-7)
    assert first["p_holm"] == pytest.approx(2 * 0.016674, abs=2e-6)
    assert first["left_out"] == [{"reason": HOSTILE, "n": 3}]
    assert (second["low"], second["reason"]) == (None, "no answer became right or wrong")
    assert value["not_applied"] == {"wrong-window": [{"reason": "stored as grey values", "n": 100}]}
    assert len(value["by_stratum"]) == 2
    assert value["original"]["n"] == 100

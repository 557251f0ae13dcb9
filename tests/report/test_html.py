from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from overread.contracts import Picture, Renderer
from overread.records import Media
from overread.report.data import ReportData
from overread.report.html import environment, write_html
from overread.report.json_report import report_json
from overread.report.markdown import markdown


class Outline(HTMLParser):
    """Elements with their attributes, and the text inside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[int, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is not None:
            place = len(self.elements) - 1
            self.inside[place] = self.inside.get(place, "") + data

    def texts(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [
            (attributes, self.inside.get(place, ""))
            for place, (name, attributes) in enumerate(self.elements)
            if name == tag
        ]


@pytest.fixture(scope="module")
def outline(small_page: Path) -> Outline:
    parsed = Outline()
    parsed.feed(small_page.read_text(encoding="utf-8"))
    return parsed


def test_hostile_texts_add_no_element_and_no_handler(outline: Outline) -> None:
    scripts = outline.texts("script")
    assert [a.get("type") for a, _ in scripts].count(None) == 1
    assert all(a.get("type") == "application/json" for a, _ in scripts[:-1])
    for tag, attributes in outline.elements:
        assert tag not in {"iframe", "object", "embed", "base", "img"}
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert "style" not in attributes, (tag, attributes)


def test_nothing_comes_from_elsewhere(outline: Outline) -> None:
    for tag, attributes in outline.elements:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, value)
    style = outline.texts("style")[0][1]
    assert "url(" not in style
    assert "@import" not in style


def test_the_content_policy_allows_exactly_this_script_and_style(outline: Outline) -> None:
    policy = next(
        attributes["content"] or ""
        for tag, attributes in outline.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    script = outline.texts("script")[-1][1]
    style = outline.texts("style")[0][1]
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_hostile_texts_arrive_as_they_are(outline: Outline, hostile_texts: tuple[str, ...]) -> None:
    data = next(text for a, text in outline.texts("script") if a.get("id") == "gallery-data")
    texts = json.loads(data)["texts"]
    for hostile in hostile_texts:
        # Half a surrogate pair cannot be written in UTF-8 and becomes a question mark.
        assert any(hostile.replace("\ud800", "?") in text for text in texts)


def test_every_section_is_there(small_page: Path, small_report: ReportData) -> None:
    page = small_page.read_text(encoding="utf-8")
    for name in (
        "card", "settings", "contrast", "answers", "letters", "blind", "pairs", "gallery",
        "sent", "findings", "manifest", "sources",
    ):  # fmt: skip
        assert f'<section class="part" id="{name}">' in page
        if name != "sources":
            assert f'href="#{name}"' in page
    assert (
        page.index('id="card"') < page.index("What the result shows") < page.index('id="settings')
    )
    for run in small_report.runs:
        assert run.manifest.command.replace("'", "&#39;") in page


def test_a_report_without_gallery_floors_and_pairs_is_whole(
    report_maker: Callable[..., ReportData],
    renderer: Callable[[Media], tuple[Picture, ...]],
    tmp_path: Path,
) -> None:
    full = report_maker(size=0.01, n_runs=1)
    bare = ReportData(
        title="One & <only>",
        card=full.card,
        plan=full.plan,
        runs=(replace(full.runs[0], findings=()),),
        created=full.created,
    )
    page = write_html(bare, tmp_path / "deep" / "er", renderer).read_text(encoding="utf-8")
    assert "<title>One &amp; &lt;only&gt;</title>" in page
    assert "gallery-data" not in page.replace('$("#gallery-data")', "")
    assert 'id="pairs"' not in page
    assert "The checks found nothing to report." in page


def test_a_failed_write_leaves_the_old_page(
    small_report: ReportData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("old")

    def refuse(self: Path, target: Path) -> None:
        raise OSError("no space left")

    bare = ReportData(
        title="t", card=small_report.card, plan=small_report.plan, runs=small_report.runs,
        created=small_report.created,
    )  # fmt: skip
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="no space"):
        write_html(bare, tmp_path, lambda media: ())
    assert (tmp_path / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_templates_escape_and_refuse_unknown_names() -> None:
    template = environment().from_string("{{ text }}")
    assert template.render(text="<b>") == "&lt;b&gt;"
    assert environment().undefined.__name__ == "StrictUndefined"


def test_same_report_same_bytes(
    small_report: ReportData,
    small_page: Path,
    renderer: Callable[[Media], tuple[Picture, ...]],
    tmp_path: Path,
) -> None:
    again = write_html(small_report, tmp_path, renderer)
    assert again.read_bytes() == small_page.read_bytes()


def test_the_plots_are_drawn_where_the_numbers_say(small_page: Path) -> None:
    page = small_page.read_text(encoding="utf-8")
    # GPT-4V: 540 of 1,900 is 28.42 %, Wilson 26.44 to 30.49
    row = re.search(r'data-row="model".*?GPT-4V.*?</tr>', page, re.DOTALL)
    assert row is not None
    assert 'x="28.42%"' in row[0]
    assert 'x1="26.44%" x2="30.49%"' in row[0]


def test_no_form_of_the_report_says_where_the_release_lies(
    small_report: ReportData, tmp_path: Path, renderer: Renderer
) -> None:
    root = "/home/somebody/projects/ct-bench-release"
    run = small_report.runs[0]
    command = f"overread run ct-bench {root} --model chat:m --out runs/m.sqlite"
    moved = replace(run, manifest=replace(run.manifest, release_root=root, command=command))
    report = replace(small_report, runs=(moved,), comparison=None)
    page = write_html(report, tmp_path, renderer).read_text(encoding="utf-8")
    for text in (page, markdown(report), json.dumps(report_json(report))):
        assert "somebody" not in text
    for text in (page, markdown(report)):
        assert "overread run ct-bench ct-bench-release --model" in text


def test_tokens_have_columns_only_where_a_server_counted_them(
    small_report: ReportData, small_page: Path, tmp_path: Path, renderer: Renderer
) -> None:
    assert ">Tokens in</th>" in small_page.read_text(encoding="utf-8")
    clip = replace(small_report, runs=small_report.runs[1:2], comparison=None)
    page = write_html(clip, tmp_path, renderer).read_text(encoding="utf-8")
    assert ">Tokens in</th>" not in page


def test_a_pair_says_on_a_phone_what_each_number_is(small_page: Path) -> None:
    page = small_page.read_text(encoding="utf-8")
    body = page[page.index('<table class="plain stacked pairs">') :]
    row = body[body.index("<tbody>") : body.index("</tr>", body.index("<tbody>"))]
    assert re.findall(r'data-label="([^"]*)"', row) == [
        "questions", "right by both", "only first", "only second", "neither", "difference",
        "p, McNemar", "p by patient", "adjusted p (Holm)",
    ]  # fmt: skip

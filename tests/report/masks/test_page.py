"""The page about scored masks: what it tells, that it is safe, and that it stays small."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean, median

import pytest

from overread.analysis.mask_results import MaskCase, MaskResults, mask_results
from overread.records import Score
from overread.report.mask_page import write_mask_page


class Words(HTMLParser):
    """Gathers the text and the tags of a page, section by section."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text: dict[str, str] = {"": ""}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._section = ""
        self._quiet = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        self.tags.append((tag, own))
        self._quiet = tag == "style"
        if tag == "section":
            self._section = own.get("id") or ""
            self.text[self._section] = ""

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.text[self._section] += f"{data} "

    def said(self, section: str) -> str:
        return " ".join(self.text[section].split())


@pytest.fixture(scope="module")
def page(phantoms: MaskResults, tmp_path_factory: pytest.TempPathFactory) -> Words:
    path = write_mask_page(phantoms, tmp_path_factory.mktemp("page"))
    assert path.name == "index.html"
    return Words(path.read_text(encoding="utf-8"))


def test_it_says_first_what_came_out_and_what_is_missing(
    page: Words, phantoms: MaskResults
) -> None:
    said = page.said("")
    found = [row.values["dice"] for row in phantoms.label_rows]
    known = [value for value in found if value is not None]
    # 6 labels have no mask, and two cases no lesion in the reference.
    assert (len(found), len(known)) == (24, 16)
    assert f"Dice has a median of {median(known):.3f} and a mean of {mean(known):.3f} (" in said
    assert "over 16 of 24 labels in 8 cases." in said
    # Missing masks stay in the denominator of what is told first.
    assert said.index("without a usable mask counted 0.") < said.index("Over what has a value")
    assert "2 cases of 8 have no usable mask: the ledger counts them." in said
    assert "A label of a case was missed altogether once." in said
    assert "Something was drawn once where the reference has nothing." in said
    assert "The worst is case 003, lesion with 0.000." in said


def test_grids_and_missing_predictions_stand_before_the_scores(page: Words) -> None:
    said = page.said("before")
    assert "case 006 not scored" in said
    assert "9 mm apart" in said
    assert "case 007 no prediction no mask: expected case 007.nii.gz." in said
    assert "Only references have 1 label: spleen" in said
    assert "Only predictions have 1 label: label 9" in said
    assert "extra-file" in said
    sections = list(page.text)
    assert sections.index("before") < sections.index("labels") < sections.index("worst")


def test_every_label_has_a_row_with_median_mean_and_what_was_lost(page: Words) -> None:
    said = page.said("labels")
    for name in ("All labels", "liver", "lesion"):
        assert name in said
    assert "Missed" in said
    assert "No mask" in said
    rows = re.findall(r"lesion (\d+) of (\d+) ", said)
    assert rows == [("4", "8")]


def test_a_point_for_every_value(page: Words, phantoms: MaskResults) -> None:
    paths = [
        own["d"] or "" for tag, own in page.tags if tag == "path" and "h0" in (own.get("d") or "")
    ]
    values = [row for row in phantoms.label_rows if row.values["dice"] is not None]
    assert paths[0].count("h0") == len(values)


def test_the_ledger_shows_the_mean_under_three_policies(page: Words) -> None:
    said = page.said("ledger")
    assert "Where defined" in said
    assert "Reference present" in said
    assert "Empty agreement is perfect" in said
    assert "every label" in said
    assert "4 of 4 means depend on the rule" in said  # of three labels and of all together


def test_strata_and_sizes_have_their_strips(page: Words) -> None:
    said = page.said("classes")
    assert "Dice by volume of the reference" in said
    assert "empty in the reference" in said
    assert "Dice by centre" in said
    assert "North" in said


def test_the_worst_have_outlines_over_a_picture(page: Words) -> None:
    images = [own for tag, own in page.tags if tag == "image"]
    assert len(images) == 36
    assert all((own["href"] or "").startswith("data:image/webp;base64,") for own in images)
    lines = [own for tag, own in page.tags if tag == "path" and "line" in (own.get("class") or "")]
    assert len(lines) >= 36


def test_hostile_names_are_text(page: Words, phantoms: MaskResults) -> None:
    tags = [tag for tag, _ in page.tags]
    assert "script" not in tags
    assert tags.count("style") == 1
    assert "</style><script>alert(1)</script>" in page.said("labels")
    assert not any("style" in own for _, own in page.tags)  # the policy would not apply it


def test_nothing_can_be_fetched(page: Words) -> None:
    policy = next(
        own["content"] for tag, own in page.tags if own.get("http-equiv") and own["content"]
    )
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    for _, own in page.tags:
        for name in ("src", "href"):
            assert (own.get(name) or "#")[:1] == "#" or (own[name] or "").startswith("data:")


def test_whatever_is_not_there_has_no_section(tmp_path: Path) -> None:
    results = mask_results(
        [], title="Nothing", labels={1: "liver"}, cases=[MaskCase(id="a"), MaskCase(id="b")]
    )
    words = Words(write_mask_page(results, tmp_path).read_text(encoding="utf-8"))
    assert "Dice has no value in any of 2 cases: no row has a value." in words.said("")
    assert not {"labels", "worst", "classes", "ledger", "more"} & set(words.text)


def test_no_pictures_where_none_are_wanted(phantoms: MaskResults, tmp_path: Path) -> None:
    page = write_mask_page(phantoms, tmp_path, most_pictures=0).read_text(encoding="utf-8")
    assert "<image" not in page
    assert 'id="worst"' not in page


def test_all_in_order_is_said(phantoms: MaskResults, tmp_path: Path) -> None:
    fine = {case.id for case in phantoms.cases[:6]}
    results = replace(
        phantoms,
        cases=phantoms.cases[:6],
        rows=tuple(row for row in phantoms.rows if row.case in fine),
        scores=tuple(score for score in phantoms.scores if score.item in fine),
        findings=(),
        only_reference=(),
        only_prediction=(),
    )
    words = Words(write_mask_page(results, tmp_path, most_pictures=0).read_text(encoding="utf-8"))
    assert "Every case has a prediction" in words.said("before")


def test_a_page_of_two_hundred_cases_is_below_five_megabytes(
    make_phantoms: Callable[[Path, int], tuple[list[Score], list[MaskCase]]],
    phantoms: MaskResults,
    tmp_path: Path,
) -> None:
    scores, cases = make_phantoms(tmp_path / "data", 4)
    many_cases: list[MaskCase] = []
    many_scores: list[Score] = []
    for copy in range(50):
        names = {case.id: f"{case.id} of copy {copy}" for case in cases}
        many_cases += [replace(case, id=names[case.id]) for case in cases]
        many_scores += [replace(score, item=names[score.item]) for score in scores]
    results = mask_results(many_scores, title="t", labels=phantoms.labels, cases=many_cases)
    path = write_mask_page(results, tmp_path)
    assert len(results.label_rows) == 600
    assert path.stat().st_size < 2_000_000

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from overread.builders.retrieved_exam.draw import Option, Unit
from overread.builders.retrieved_exam.review import read_reviews
from overread.builders.retrieved_exam.review_sheet import write_sheet
from overread.errors import UsageError

TEXTS = (
    "A nodule in the left lung.",
    "A nodule in the right lung.",
    "=cyst in the liver",
    "A renal cyst.",
)


@pytest.fixture
def lesions(make_lesion):
    return {i: make_lesion(i, TEXTS[i % 4], patient=f"p{i}") for i in range(8)}


@pytest.fixture
def units() -> tuple[Unit, ...]:
    return tuple(
        Unit(
            number=number,
            split="test",
            task="img2txt",
            letter="ABCD"[number % 4],
            options=tuple(
                Option(
                    lesion_idx=i,
                    why_wrong=None if i == number % 4 else "side: left against right",
                    likeness=None if i == number % 4 else 0.5,
                )
                for i in range(4)
            ),
        )
        for number in range(1, 7)
    )


def _fill(path: Path, out: Path, said: dict[int, dict[str, str]]) -> Path:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update(said.get(int(row["question"]), {}))
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return out


@pytest.fixture
def sheet(tmp_path: Path, units, lesions) -> Path:
    path = tmp_path / "sheet.csv"
    write_sheet(path, units, lesions)
    return path


def test_the_sheet_hides_the_key_and_runs_no_formula(sheet: Path) -> None:
    text = sheet.read_text("utf-8-sig")
    assert "side: left against right" not in text
    assert "'=cyst in the liver" in text
    assert text.splitlines()[0].endswith("answer,also_right,keep,reviewer,note")


def test_people_strike_what_has_two_right_choices_or_shall_not_stay(
    sheet: Path, tmp_path: Path, units, lesions
) -> None:
    filled = _fill(
        sheet,
        tmp_path / "in.csv",
        {
            1: {"answer": "B", "keep": "yes"},  # the key's
            2: {"answer": "c", "also_right": "A"},  # the key's, with a second right one
            3: {"answer": "A"},  # not the key's: strikes nothing
            4: {"keep": "no", "answer": "A"},  # the key's
            5: {"answer": "B", "also_right": "B"},  # "also" names the key itself: nothing new
        },
    )
    review = read_reviews([filled], units, lesions)
    assert review.struck == {2: "A may be right too", 4: "not to be kept"}
    assert (review.n_reviewed, review.reviewers) == (5, ("in.csv",))
    assert (review.answered_as_key.count, review.answered_as_key.n) == (4, 5)
    assert (review.error_rate.count, review.error_rate.n) == (2, 5)
    assert review.error_rate.value == pytest.approx(0.4)
    assert review.error_rate.low is not None
    assert review.kappa is None


def test_two_people_agree_beyond_chance(sheet: Path, tmp_path: Path, units, lesions) -> None:
    keep = [("yes", "yes"), ("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "no"), ("yes",) * 2]
    files = [
        _fill(
            sheet,
            tmp_path / f"{who}.csv",
            {n: {"keep": keep[n - 1][who], "reviewer": f"r{who}"} for n in range(1, 7)},
        )
        for who in (0, 1)
    ]
    review = read_reviews(files, units, lesions)
    # agreed 5 of 6; by chance 4/6·3/6 + 2/6·3/6 = 1/2: kappa (5/6 - 1/2) / (1/2) = 2/3
    assert review.kappa == pytest.approx(2 / 3)
    assert review.n_by_two == 6
    assert set(review.struck) == {3, 4, 5}


def test_two_copies_of_one_name_are_of_two_people_and_one_given_twice_is_one(
    sheet: Path, tmp_path: Path, units, lesions
) -> None:
    copies = []
    for who, keep in (("anna", "yes"), ("ben", "no")):
        (tmp_path / who).mkdir()
        said = {n: {"keep": keep} for n in range(1, 7)}
        copies.append(_fill(sheet, tmp_path / who / "sheet.csv", said))
    review = read_reviews(copies, units, lesions)
    assert review.reviewers == ("sheet.csv (1)", "sheet.csv (2)")
    assert review.n_by_two == 6
    again = read_reviews(
        [copies[0], tmp_path / "ben" / ".." / "anna" / "sheet.csv"], units, lesions
    )
    assert (again.reviewers, again.n_by_two) == (("sheet.csv",), 0)


def test_rows_that_are_not_of_their_question_strike_nothing(
    sheet: Path, tmp_path: Path, units, lesions
) -> None:
    filled = _fill(
        sheet,
        tmp_path / "in.csv",
        {
            1: {"keep": "no", "A": "Another text."},
            2: {"keep": "perhaps"},
            3: {"answer": "E"},
            4: {"also_right": "X"},
            5: {"keep": "no", "question": "77"},
            6: {"keep": "yes"},
        },
    )
    review = read_reviews([filled], units, lesions)
    assert review.struck == {}
    assert sorted(one.evidence for one in review.findings) == [
        "also_right holds something else than letters from A to D",
        "its answer is no letter from A to D",
        "its question is none of this exam",
        "its texts are not those of its question",
        "keep is neither yes nor no",
    ]


def test_an_empty_sheet_and_no_sheet_are_refused(
    sheet: Path, tmp_path: Path, units, lesions
) -> None:
    with pytest.raises(UsageError, match=r"--reviewed: expected a filled-in sheet.*empty rows"):
        read_reviews([sheet], units, lesions)
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="no column question"):
        read_reviews([other], units, lesions)
    with pytest.raises(UsageError, match="something else"):
        read_reviews([tmp_path / "absent.csv"], units, lesions)

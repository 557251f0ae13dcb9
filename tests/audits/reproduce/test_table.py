"""The table of a release of eight questions; its votes are written out in the conftest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overread.audits.reproduce import text_cells
from overread.audits.reproduce.cells import Cell, Reproduction
from overread.audits.reproduce.table import reproduce
from overread.contracts.replay import Replay
from overread.errors import MissingExtraError, UsageError


@pytest.fixture
def rebuilt(shipped: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rebuild a replay's table; neither WordNet nor weights are needed for it."""
    monkeypatch.setattr(text_cells, "open_wordnet", _absent)
    monkeypatch.setattr(text_cells, "open_sentence_model", _absent)
    return lambda held: reproduce(shipped(held))


def _absent() -> None:
    raise MissingExtraError("this column", extra="torch")


def cell(found: Reproduction, column: str, row: str = "Model M") -> Cell:
    (one,) = (c for c in found.cells if c.column == column and c.row == row)
    return one


def test_the_jury_by_row_number_and_by_key(slipped: Replay, rebuilt: Any):
    jury = cell(rebuilt(slipped), "jury")
    assert jury.published == 2 / 7  # the file, which has more digits than the table's 0.29
    assert jury.source == "metrics/jury.json"
    assert jury.recomputed == 2 / 7
    assert jury.corrected == pytest.approx(3 / 7, abs=1e-15)
    assert (jury.n_published, jury.n_corrected) == (7, 7)
    assert not jury.differs
    assert jury.moved
    assert jury.fault == ("joined by row number: 5 of 7 rows mix questions; 1 question left out")
    assert jury.low is not None
    assert jury.low < jury.corrected < jury.high  # type: ignore[operator]


def test_a_judge_is_judged_by_its_own_file(slipped: Replay, rebuilt: Any):
    found = rebuilt(slipped)
    assert cell(found, "Gemini").recomputed == 3 / 7
    assert cell(found, "Gemini").published == 0.43  # 0.4286, rounded
    assert not cell(found, "Gemini").differs
    assert cell(found, "GPT").recomputed == 3 / 8  # 0.375, of which 0.38 is a rounding
    assert not cell(found, "GPT").differs
    assert cell(found, "Qwen").recomputed == cell(found, "Qwen").corrected == 0.5
    assert cell(found, "Qwen").fault is None


def test_a_number_that_the_files_do_not_give_is_said_to_be_off(
    slipped: Replay, rebuilt: Any, make: Any
):
    wrong = make.published("judge_accuracy", "Model M", 0.44, stratum={"judge": "gemini"})
    gemini = cell(rebuilt(replace(slipped, published=(wrong, *slipped.published[1:]))), "Gemini")
    assert gemini.differs
    assert gemini.fault == "not what the files give; 1 question without a record left out"


def test_kappa_by_row_number_and_by_key(slipped: Replay, rebuilt: Any):
    # By row: 5 of 7 agree; each says yes to 3: (35 - 25) / (49 - 25).
    # By key: 6 of 7 agree; 3 and 2 yes: (42 - 26) / (49 - 26).
    kappa = cell(rebuilt(slipped), "kappa Gemini-GPT")
    assert kappa.published is None
    assert kappa.recomputed == pytest.approx(10 / 24)
    assert kappa.corrected == pytest.approx(16 / 23)
    assert (kappa.n_published, kappa.n_corrected) == (7, 7)
    assert kappa.fault == "joined by row number"
    aligned = cell(rebuilt(slipped), "kappa GPT-Qwen")
    assert aligned.recomputed == pytest.approx(aligned.corrected)
    assert aligned.fault is None


def test_a_category_counts_what_the_matrix_lacks_as_wrong(slipped: Replay, rebuilt: Any):
    side = cell(rebuilt(slipped), "Side")
    assert side.recomputed == 2 / 8
    assert side.published == 0.25
    assert side.corrected == pytest.approx(3 / 7)
    assert (side.n_published, side.n_corrected) == (8, 7)
    assert side.fault == "joined by row number; 1 without a mean count as wrong"


def test_a_vote_that_is_null_is_missing_for_its_judge_and_no_yes_for_the_jury(
    slipped: Replay, rebuilt: Any
):
    gemini, gpt, qwen = slipped.votes
    torn = replace(gpt, rows=(replace(gpt.rows[0], verdict=None), *gpt.rows[1:]))
    found = rebuilt(replace(slipped, votes=(gemini, torn, qwen)))
    assert cell(found, "GPT").recomputed == 2 / 7
    assert cell(found, "GPT").n_corrected == 7
    assert cell(found, "GPT").fault == (
        "not what the files give; 1 record without a verdict left out"
    )
    assert cell(found, "jury").recomputed == 2 / 7  # gemini and qwen still make two yes
    assert cell(found, "kappa Gemini-GPT").n_corrected == 6


def test_votes_recovered_from_the_matrix_correct_the_jury(slipped: Replay, rebuilt: Any):
    found = rebuilt(replace(slipped, votes=slipped.votes[1:]))
    assert cell(found, "jury").corrected == pytest.approx(3 / 7)
    assert (cell(found, "Gemini").fault or "").startswith("no readable file: votes told by the")
    # Whatever else rests on them says so.
    for column in ("jury", "kappa Gemini-GPT", "Side"):
        assert "votes of Gemini told by the matrix" in (cell(found, column).fault or "")
    assert cell(found, "GPT").fault is cell(found, "kappa GPT-Qwen").fault is None


def test_a_judge_file_that_was_cut_says_over_how_many_questions_it_is(
    slipped: Replay, rebuilt: Any
):
    gemini, gpt, qwen = slipped.votes
    found = rebuilt(replace(slipped, votes=(gemini, replace(gpt, rows=gpt.rows[:4]), qwen)))
    cut = cell(found, "GPT")
    assert (cut.recomputed, cut.corrected, cut.n_corrected, cut.differs) == (0.5, 0.5, 4, True)
    assert cut.fault == "not what the files give; 4 questions without a record left out"
    jury = cell(found, "jury")
    assert jury.differs
    assert "4 questions left out" in (jury.fault or "")


def test_votes_outlast_predictions_that_were_cut(slipped: Replay, rebuilt: Any, make: Any):
    (file,) = slipped.predictions
    cut = replace(file, rows=(*file.rows[:3], replace(file.rows[3], question="", answer="")))
    found = rebuilt(replace(slipped, predictions=(cut,)))
    assert cell(found, "jury").corrected == pytest.approx(3 / 7)
    assert cell(found, "GPT").corrected == 3 / 8
    rouge = cell(found, "ROUGE-1")
    assert rouge.n_corrected == 3
    assert "5 questions without a prediction left out" in (rouge.fault or "")


def test_a_record_on_no_question_is_said_to_be_counted(slipped: Replay, rebuilt: Any):
    gemini, gpt, qwen = slipped.votes
    strange = replace(gpt.rows[0], question="Where is nothing?")
    found = rebuilt(replace(slipped, votes=(gemini, replace(gpt, rows=(*gpt.rows, strange)), qwen)))
    cut = cell(found, "GPT")
    assert (cut.recomputed, cut.corrected) == (4 / 9, 3 / 8)
    assert cut.fault == "not what the files give; 1 record on no question counted"


def test_a_model_of_which_only_the_matrix_is_released_is_not_corrected(
    slipped: Replay, rebuilt: Any
):
    jury = cell(rebuilt(replace(slipped, votes=(), predictions=())), "jury")
    assert jury.recomputed == 2 / 7
    assert jury.corrected is jury.n_corrected is jury.low is None
    assert jury.fault == "no readable votes: from the matrix; 1 question left out"


def test_a_model_of_the_table_without_any_file_has_no_row(slipped: Replay, rebuilt: Any, make: Any):
    more = make.published("jury_accuracy", "Paper only", 0.4)
    found = rebuilt(replace(slipped, published=(*slipped.published, more)))
    assert {one.row for one in found.cells} == {"Model M"}


def test_texts_leave_empty_answers_out_and_count_them_when_corrected(
    slipped: Replay, rebuilt: Any, make: Any
):
    # Seven answers repeat their reference, one is empty.
    texts = [one.answer for one in slipped.questions[:7]] + ["  "]
    held = replace(slipped, predictions=(make.predictions("m", slipped.questions, texts),))
    found = rebuilt(held)
    rouge = cell(found, "ROUGE-L")
    assert (rouge.recomputed, rouge.n_published) == (1.0, 7)
    assert rouge.corrected == pytest.approx(7 / 8)
    assert rouge.n_corrected == 8
    assert rouge.fault == "1 empty answer left out"
    # References of 4 words ("In place 7 ."): 28 predicted words against 32, and all of them right.
    bleu = cell(found, "BLEU")
    assert bleu.recomputed == pytest.approx(100.0)
    assert bleu.corrected == pytest.approx(100 * 2.718281828459045 ** (1 - 32 / 28))


def test_a_column_without_its_tools_says_what_to_install(slipped: Replay, rebuilt: Any, make: Any):
    more = make.published("cosine", "Model M", 0.5)
    found = rebuilt(replace(slipped, published=(*slipped.published, more)))
    cosine = cell(found, "SBERT cosine")
    assert cosine.published == 0.5
    assert cosine.recomputed is cosine.corrected is None
    assert "pip install 'overread[torch]'" in (cosine.fault or "")
    # Neither published nor computed: no cell at all.
    assert not [one for one in found.cells if one.column == "METEOR"]


def test_predictions_in_another_order_change_nothing_but_the_order(
    slipped: Replay, rebuilt: Any, make: Any
):
    texts = [f"In place {9 - place}." for place in range(8)]
    straight = make.predictions("m", slipped.questions, texts)
    turned = replace(straight, rows=straight.rows[::-1])
    one, other = (
        cell(rebuilt(replace(slipped, predictions=(each,), votes=())), "ROUGE-1")
        for each in (straight, turned)
    )
    assert one.recomputed == pytest.approx(other.recomputed)
    assert one.corrected == pytest.approx(other.corrected)


def test_rows_follow_the_table_and_columns_stand_together(slipped: Replay, rebuilt: Any, make: Any):
    first = make.published("jury_accuracy", "First", 0.4)
    matrix = {item: {**row, "f": 1.0} for item, row in slipped.matrix.items()}
    held = replace(
        slipped,
        published=(first, *slipped.published),
        matrix=matrix,
        title_of={"m": "Model M", "f": "First"},
    )
    found = rebuilt(held)
    columns = [one.column for one in found.cells]
    assert list(dict.fromkeys(columns))[:4] == ["jury", "Gemini", "GPT", "Qwen"]
    assert columns == sorted(columns, key=list(dict.fromkeys(columns)).index)
    assert [one.row for one in found.cells if one.column == "jury"] == ["First", "Model M"]


def test_a_release_without_anything_to_replay_is_refused(shipped: Any, slipped: Replay):
    empty = replace(slipped, votes=(), predictions=(), matrix={})
    with pytest.raises(UsageError, match="ships predictions, votes or tables, got one of made-up"):
        reproduce(shipped(empty))


def test_equal_releases_give_equal_tables(slipped: Replay, rebuilt: Any, tmp_path: Path):
    assert rebuilt(slipped) == rebuilt(slipped)

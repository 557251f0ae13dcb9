"""A run of the CT-Bench script, replayed from its own output, is read as the script read it."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overread.models.predictions.rows import read_rows
from overread.models.predictions.script_output import unread_reply
from overread.records import Option
from overread.scoring.honest_choice import read_choice
from overread.scoring.published.ct_bench import read_ct_bench_script

OPTIONS = tuple(
    Option(letter=letter, text=text)
    for letter, text in zip("ABCD", ("Left lung", "Liver", "Spleen", "Rib"), strict=True)
)
ANSWER = '{"selected_option": "B", "explanation": "…"}'
NULL = '{"selected_option": null}'
PIECES = ["```", "`", "json", "j", "\n", " ", "no", ANSWER, NULL, "B", "null"]


def stored(reply):
    """Give what CelestialShine/CT-Bench, qa_llm/run_llm.py, writes as the answer."""
    text = reply.strip().lstrip("```json").rstrip("```").strip()  # noqa: B005 (the script's own)
    try:
        return json.loads(text)
    except ValueError:
        return {"selected_option": None, "explanation": text}


def replayed(tmp_path, answer):
    path = tmp_path / "output_data.json"
    path.write_text(json.dumps([{"lesion_idx": 1, "q_type": "img2txt", "answer": answer}]))
    (row,) = read_rows(path)
    return row.text


@pytest.mark.parametrize(
    "reply", [f"```\njson\n{ANSWER}\n```", f"json json {ANSWER}", f"{ANSWER}``\n`", f"`\n`{ANSWER}"]
)
def test_what_the_script_could_not_read_is_not_read_in_its_output(tmp_path, reply):
    assert read_ct_bench_script(reply, OPTIONS).answer is None
    kept = stored(reply)["explanation"]
    assert read_ct_bench_script(kept, OPTIONS).answer == "B"  # stripped twice it would parse
    text = replayed(tmp_path, stored(reply))
    assert read_ct_bench_script(text, OPTIONS).answer is None
    # The honest reader reads the reply and its replay alike.
    assert read_choice(text, OPTIONS).answer == read_choice(reply, OPTIONS).answer == "B"


def test_a_reply_that_itself_says_null_comes_back_whole(tmp_path):
    answer = {"selected_option": None, "explanation": ANSWER}
    assert json.loads(replayed(tmp_path, answer)) == answer
    assert read_ct_bench_script(replayed(tmp_path, answer), OPTIONS).answer is None
    for odd in ({"selected_option": None}, {"selected_option": None, "explanation": 5}):
        assert json.loads(replayed(tmp_path, odd)) == odd


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join) | st.text(max_size=30))
@example(f"```\njson\n{ANSWER}\n```")
def test_a_replay_is_read_as_the_reply_was(reply):
    answer = stored(reply)
    if not isinstance(answer, dict):  # a bare JSON value is no reply with a field
        assert read_ct_bench_script(reply, OPTIONS).answer is None
        return
    kept = unread_reply(answer)
    text = json.dumps(answer) if kept is None else kept
    assert read_ct_bench_script(text, OPTIONS).answer == read_ct_bench_script(reply, OPTIONS).answer

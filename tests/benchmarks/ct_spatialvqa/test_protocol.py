from __future__ import annotations

import pytest

from overread.benchmarks.ct_spatialvqa import protocol
from overread.records import Media, Status
from overread.scoring.spatial.forms import CLOSED_FORMS


def printed(metric, who, judge=None):
    (value,) = [
        row.value
        for row in protocol.published_values()
        if (row.metric, row.who, row.stratum.get("judge")) == (metric, who, judge)
    ]
    return value


def test_printed_numbers_are_those_of_the_table():
    # "Lost in Volume", results table: corners and a cell of every row.
    assert printed("judge_accuracy", "CT-CHAT", "gemini") == 0.4468
    assert printed("judge_accuracy", "MedEvalKit", "gemini") == 0.3996
    assert printed("judge_accuracy", "Merlin", "gpt") == 0.2945
    assert printed("judge_accuracy", "VILA-M3", "qwen") == 0.2781
    assert printed("jury_accuracy", "Med3DVLM") == 0.3144
    assert printed("cosine", "RadFM") == 0.585
    assert printed("bleu", "RadFM") == 16.45
    assert printed("rougeL", "M3D") == 0.204
    assert printed("meteor", "CT-CHAT") == 0.230
    assert printed("meteor", "MedEvalKit") == 0.252


def test_the_table_is_whole():
    rows = protocol.published_values()
    assert len(rows) == 8 * 8
    assert len({(row.who, row.metric, row.stratum.get("judge")) for row in rows}) == 64
    assert list(dict.fromkeys(row.who for row in rows))[:3] == ["CT-CHAT", "Merlin", "Med3DVLM"]


def test_the_paper_claims_an_audit_and_no_model_has_that_number():
    claims = {one.metric: (one.value, one.kind) for one in protocol.audit_claims()}
    assert claims == {"audited_share": (0.12, "reader"), "audit_agreement": (0.95, "reader")}


def test_a_complete_release_has_9077_questions():
    (total,) = protocol.expected_counts()
    assert (total.n, dict(total.stratum)) == (9077, {})


def test_the_headline_needs_no_judge():
    (scorer,) = protocol.scorers("honest")
    assert scorer.metric == protocol.PLAN.headline == "rule_accuracy"
    assert protocol.PLAN.headline_only == {"form": CLOSED_FORMS}


def test_likeness_of_words_stands_in_the_published_profile_alone():
    metrics = {one.metric: one for one in protocol.PLAN.also}
    assert metrics["jury_accuracy"].profiles == ("published", "honest")
    assert metrics["jury_accuracy"].drops == (Status.UNDEFINED,)
    for metric in ("bleu", "rouge1", "rouge2", "rougeL", "meteor", "cosine"):
        assert metrics[metric].profiles == ("published",)
        assert Status.UNDEFINED in metrics[metric].drops


def test_the_published_jury_needs_all_votes_and_the_honest_one_those_there_are():
    published, honest = protocol.judging("published"), protocol.judging("honest")
    assert published.rule.needs_all
    assert published.form.batch_size == 5
    assert published.judges_empty
    assert not honest.rule.needs_all
    assert not honest.judges_empty
    assert published.form.name != honest.form.name


def test_the_wording_ends_with_the_question():
    media = (Media(paths=("a",)),)
    first, shown, last = protocol.chat_prompt("Where is it?", media)
    assert first.text
    assert shown.media == media[0]
    assert last.text is not None
    assert last.text.endswith("Question: Where is it?")
    assert "patient's left" in last.text


@pytest.mark.parametrize("origin", ["published", "synthetic", "built"])
def test_every_origin_has_its_notes(origin):
    assert all(note.endswith(".") for note in protocol.notes(origin))
    assert len(set(protocol.notes(origin))) == len(protocol.notes(origin)) > 0

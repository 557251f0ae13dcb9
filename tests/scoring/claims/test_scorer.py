"""What a reply is worth: clean, made up, left out, wrong side, or no value at all."""

from __future__ import annotations

import pytest

from overread.records import Item, Reference, Response, Status, Text
from overread.scoring.claims.compare import ClaimPolicy
from overread.scoring.claims.scorer import ClaimScorer

FINDINGS = ("Lung Opacity", "Consolidation", "Edema", "Pneumothorax", "Pleural Effusion")
RIGHT_EFFUSION = "Right pleural effusion: present; Pneumothorax: absent"


def rows(text, reference=RIGHT_EFFUSION, *, finding="all", profile="honest", **response):
    item = Item(
        id="i",
        benchmark="b",
        task="t",
        condition="c",
        question="?",
        answer_space=Text(),
        groups={"patient": "p"},
        strata={"finding": finding},
    )
    policy = ClaimPolicy() if profile == "honest" else ClaimPolicy(
        unmentioned="absent", wider_counts=False
    )  # fmt: skip
    scorer = ClaimScorer(profile=profile, findings=FINDINGS, policy=policy)
    reply = Response(
        run="r", item="i", text=text, request_hash="h", **{"status": Status.OK, **response}
    )
    found = scorer.score(item, Reference(item="i", answer=reference), reply)
    return {(row.metric, row.target): row for row in found}


def values(text, *args, **options):
    return {key[0]: row.value for key, row in rows(text, *args, **options).items() if not key[1]}


def test_the_wrong_side_is_an_error_of_its_own():
    assert values("Left effusion.") == {
        "clean": 0.0,
        "no_fabrication": 1.0,
        "no_omission": 1.0,
        "right_side": 0.0,
    }
    assert values("Right effusion.")["clean"] == 1.0
    assert "right_side" not in values("There is an effusion.")


def test_what_is_made_up_and_left_out_is_named():
    found = rows("Small pneumothorax. No effusion.")
    assert found["clean", None].reason == "made up: Pneumothorax; left out: Pleural Effusion"
    assert {key for key in found if key[1] in FINDINGS} == {
        ("claim_fp", "Pneumothorax"),
        ("claim_fn", "Pleural Effusion"),
    }


def test_a_normal_picture_leaves_nothing_to_be_left_out():
    found = rows("Lungs are clear, no pneumothorax.", "Pneumothorax: absent")
    assert ("clean", "normal picture") in found
    assert ("no_omission", None) not in found
    assert found["no_fabrication", None].value == 1.0


def test_what_the_report_is_silent_about_is_made_up_for_one_profile_only():
    text = "Right effusion. Pulmonary edema."
    assert values(text)["clean"] == 1.0
    assert values(text, profile="published")["clean"] == 0.0


def test_an_opacity_is_not_made_up_where_a_consolidation_is():
    stated = "Consolidation: present; Lung opacity: absent"
    assert values("Opacity and consolidation.", stated)["clean"] == 1.0
    assert (
        values("Opacity and consolidation.", stated, profile="published")["no_fabrication"] == 0.0
    )


def test_a_hedge_is_neither_claim_nor_denial():
    found = rows("Possible right effusion. Possible pneumothorax. No edema.")
    assert found["clean", None].status is Status.UNDEFINED


@pytest.mark.parametrize(("text", "value"), [("Yes.", 0.0), ("No.", 1.0), ("No, none.", 1.0),
                                              ("There is a pneumothorax.", 0.0)])  # fmt: skip
def test_a_bare_yes_is_a_claim(text: str, value: float):
    assert values(text, "Pneumothorax: absent", finding="Pneumothorax")["clean"] == value


@pytest.mark.parametrize(
    ("text", "response", "status"),
    [
        ("", {}, Status.UNPARSED),
        ("A nice picture.", {}, Status.UNPARSED),
        ("I cannot interpret the image.", {}, Status.REFUSED),
        ("Kein Pneumothorax, das Herz ist nicht groß und die Lunge ist frei", {}, Status.UNPARSED),
        ("Right effusion and", {"finish_reason": "length"}, Status.UNPARSED),
        (None, {"status": Status.FAILED, "reason": "the server died"}, Status.FAILED),
    ],
)
def test_what_is_no_answer_is_neither_clean_nor_hallucinated(text, response, status):
    found = rows(text, **response)
    assert {row.status for row in found.values()} == {status}
    assert {row.value for row in found.values()} == {None}

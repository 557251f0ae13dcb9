from dataclasses import replace

from overread.analysis.wire_findings import wire_findings
from overread.records import Receipt, Response, Status

RECEIPT = Receipt(
    sha256="0" * 64, width=8, height=8, size_bytes=9, media_type="image/png", sources=("a.png",),
    window="as stored", layout="single", orientation="as stored", boxes_drawn=0,
)  # fmt: skip


def reply(k, *, text=None, tokens_in=None, pictures=1, finish_reason="stop"):
    return Response(
        run="r", item=f"i{k}", status=Status.OK, text=text or f"text {k}", request_hash=f"h{k}",
        tokens_in=tokens_in, receipts=(RECEIPT,) * pictures, finish_reason=finish_reason,
    )  # fmt: skip


def codes(responses):
    return [finding.code for finding in wire_findings(responses)]


def test_an_ordinary_run_says_nothing():
    assert codes([reply(k, tokens_in=300 + k) for k in range(30)]) == []


def test_few_replies_say_nothing():
    assert codes([reply(k, text="x" * 50, tokens_in=34) for k in range(9)]) == []


def test_one_text_for_all_is_told_but_a_letter_is_not():
    assert codes([reply(k, text="I am sorry, I can only help with text." * 2) for k in range(10)])
    assert codes([reply(k, text="A") for k in range(10)]) == []


def test_equal_input_counts_mean_lost_words():
    assert codes([reply(k, tokens_in=34) for k in range(10)]) == ["same-input"]
    # ten draws of one question rightly cost the same
    assert codes([reply(0, tokens_in=34, text=f"t{k}") for k in range(10)]) == []


def test_nine_pictures_must_cost_more_than_one():
    # seen: a text-only server counted 161 to 166 tokens with one and 162 to 168 with nine pictures
    lost = [reply(k, tokens_in=163 + k % 3, pictures=1 if k < 8 else 9) for k in range(12)]
    assert codes(lost) == ["pictures-not-counted"]
    kept = [reply(k, tokens_in=400 if k < 8 else 2500, pictures=1 if k < 8 else 9)
            for k in range(12)]  # fmt: skip
    assert codes(kept) == []


def test_cut_replies_are_counted():
    cut = [reply(k, finish_reason="length" if k < 3 else "stop") for k in range(20)]
    (finding,) = wire_findings(cut)
    assert (finding.code, finding.count) == ("cut-replies", 3)


def test_a_volume_without_hu_is_told_even_of_one_question():
    mr = replace(RECEIPT, window="-2 to 658 stored", sources=("valid_1/mr.nii.gz",))
    asked = [replace(reply(k), receipts=(mr, mr)) for k in range(3)]
    (finding,) = wire_findings([*asked, reply(9)])
    assert (finding.code, finding.count) == ("no-hu", 1)
    assert "3 questions" in finding.effect
    assert "-2 to 658 stored" in finding.evidence
    ct = replace(RECEIPT, window="-1000 to 400 HU")
    assert codes([replace(reply(0), receipts=(ct,))]) == []

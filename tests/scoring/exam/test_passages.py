"""Questions on one case are found by what they repeat."""

from __future__ import annotations

import time

from overread.scoring.exam.passages import linked

CASE = (
    "48歳の男性。健康診断で脂質異常を指摘され来院した。現病歴：特に自覚症状はない。"
    "既往歴：特記すべきことはない。生活歴：喫煙は20本/日を25年間。飲酒はビール350mL/日。"
    "現症：身長170cm、体重80kg。脈拍72/分、整。血圧138/88mmHg。心音と呼吸音とに異常を認めない。"
)


def test_questions_on_one_case_are_linked():
    assert linked(f"{CASE}診断はどれか。", f"{CASE}治療で適切なのはどれか。")
    slip = CASE.replace("健康診断", "健康诊断").replace("①", "1")
    assert linked(f"{CASE}診断はどれか。", f"{slip}その後の経過を示す。次に行うのはどれか。" * 1)
    grown = f"{CASE}その後の経過：" + "発熱と咳嗽が出現し、" * 8 + "対応はどれか。"
    assert linked(f"{CASE}診断はどれか。", grown)


def test_others_are_not():
    assert not linked("診断はどれか。", "診断はどれか。")  # too short to be a case
    other = CASE[::-1]
    assert not linked(f"{CASE}診断はどれか。", f"{other}診断はどれか。")


def test_long_texts_take_no_time():
    start = time.perf_counter()
    linked("あいうえおかきくけこ" * 2000, "かきくけこあいうえお" * 2000)
    assert time.perf_counter() - start < 1

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest

from overread.analysis.blind_floor import blind_floors, find_floor
from overread.records import Item, Reference, Text

_FOUR = ["one", "two", "six", "ten"]


def _references(letters: str) -> dict[str, Reference]:
    return {str(n): Reference(item=str(n), answer=letter) for n, letter in enumerate(letters)}


def _by_policy(floors, stratum=None) -> dict[str, float]:
    wanted = stratum or {}
    return {floor.policy: floor.value for floor in floors if floor.stratum == wanted}


def test_letters_by_hand(make_item) -> None:
    # Task x: A A B, task y: C C C D. Always C: 3 of 7. By task with hindsight: 2 + 3 of 7.
    items = [make_item(str(n), _FOUR, task="x" if n < 3 else "y") for n in range(7)]
    values = _by_policy(blind_floors(items, _references("AABCCCD"), [()]))
    assert values["always A"] == pytest.approx(2 / 7)
    assert values["always B"] == pytest.approx(1 / 7)
    assert values["always C"] == pytest.approx(3 / 7)
    assert values["always D"] == pytest.approx(1 / 7)
    assert values["commonest letter of the task"] == pytest.approx(5 / 7)
    assert values["coin between two letters"] == pytest.approx((3 + 2) / 2 / 7)
    assert values["always refuse"] == 0.0
    assert max(values, key=values.get) == "commonest letter of the task"


def test_wordings_by_hand(make_item) -> None:
    # Longest is A in both (right once); shortest is D, or B and C tied (half right).
    items = [
        make_item("0", ["four words are here", "now two", "now six", "now"]),
        make_item("1", ["four words are here", "aa b", "cc d", "e fg h"]),
    ]
    values = _by_policy(blind_floors(items, _references("AB"), [()]))
    assert values["longest option"] == pytest.approx(1 / 2)
    assert values["shortest option"] == pytest.approx((0 + 1 / 2) / 2)


def test_likeness_by_hand(make_item) -> None:
    # A, B, C share words with each other, most of all B; D shares none.
    texts = ["liver cyst", "liver cyst left", "liver left", "bone"]
    like = _by_policy(blind_floors([make_item("0", texts)] * 2, _references("B"), [()]))
    assert like["option most like the others"] == 1.0
    odd = _by_policy(blind_floors([make_item("0", texts)] * 2, _references("D"), [()]))
    assert odd["odd one out"] == 1.0


@pytest.mark.parametrize("policy", ["longest option", "odd one out"])
def test_wording_that_gives_the_answer_away_is_a_leak(make_item, policy: str) -> None:
    rng = np.random.default_rng(0)
    items, letters = [], ""
    for n in range(60):
        right = int(rng.integers(4))
        texts = ["cyst left", "cyst right", "node left", "node right"]
        texts[right] = "a much longer sentence than all" if policy == "longest option" else "fat"
        items.append(make_item(str(n), texts, patient=f"p{n}"))
        letters += "ABCD"[right]
    floors = blind_floors(items, _references(letters), [()])
    best = find_floor(floors, {})
    assert _by_policy(floors)[policy] == 1.0
    assert best.value == 1.0
    assert best.is_leak


def test_a_text_that_is_always_right_is_learned_from_other_patients(make_item) -> None:
    rng = np.random.default_rng(1)
    items, letters = [], ""
    for n in range(80):
        texts = [["bone", "fat", "skin", "lung"][place] for place in rng.permutation(4)]
        items.append(make_item(str(n), texts, patient=f"p{n}"))
        letters += "ABCD"[texts.index("skin")]
    floors = blind_floors(items, _references(letters), [()])
    values = _by_policy(floors)
    assert values["option text most often right, learned"] == 1.0
    assert find_floor(floors, {}).is_leak


def test_a_letter_that_belongs_to_a_question_is_learned_from_other_patients(make_item) -> None:
    stems = ["Which organ?", "How large?", "Which side?", "What type?"]
    items = [make_item(str(n), _FOUR, question=stems[n % 4], patient=f"p{n}") for n in range(80)]
    floors = blind_floors(items, _references("ABCD" * 20), [()])
    values = _by_policy(floors)
    assert values["commonest letter of the question, learned"] == 1.0
    assert values["commonest letter of the task"] == pytest.approx(0.25)
    assert find_floor(floors, {}).is_leak


def test_nothing_is_learned_from_the_same_patient(make_item) -> None:
    # Each lesion is asked with and without its box, with the same words and the same answer: a
    # reader who learns from other patients gains nothing from the twin.
    rng = np.random.default_rng(2)
    items, references = [], {}
    for n in range(100):
        answer = "ABCD"[int(rng.integers(4))]
        for box in ("box", "nobox"):
            name = f"{n}/{box}"
            texts = [f"finding {n} {letter}" for letter in "abcd"]
            items.append(make_item(name, texts, box=box, patient=f"p{n}", question=f"Lesion {n}?"))
            references[name] = Reference(item=name, answer=answer)
    values = _by_policy(blind_floors(items, references, [()]))
    assert "option text most often right, learned" not in values  # no text outside its patient
    assert values["commonest letter of the question, learned"] == pytest.approx(0.25)
    by_item = _by_policy(blind_floors(items, references, [()], cluster=None))
    assert by_item["option text most often right, learned"] > 0.6


def test_no_finding_is_a_policy_where_it_is_on_offer(make_item) -> None:
    items = [make_item(str(n), ["cyst", "No finding.", "node", "abnormal"]) for n in range(4)]
    items.append(make_item("4", _FOUR))
    values = _by_policy(blind_floors(items, _references("BBBAA"), [()]))
    assert values["always no finding"] == pytest.approx((3 + 1 / 4) / 5)
    without = _by_policy(blind_floors(items[4:], _references("BBBAA"), [()]))
    assert "always no finding" not in without


def test_pictures_as_options_are_guessed(make_item) -> None:
    items = [make_item(str(n), [None] * 4) for n in range(40)]
    values = _by_policy(blind_floors(items, _references("ABCD" * 10), [()]))
    assert values["longest option"] == pytest.approx(0.25)
    assert values["odd one out"] == pytest.approx(0.25)
    assert "option text most often right, learned" not in values


def test_unusable_references_stay_in_the_denominator(make_item) -> None:
    items = [make_item(str(n), _FOUR) for n in range(5)]
    references = {
        "0": Reference(item="0", answer="A"),
        "1": Reference(item="1", answer=None, problem="no correct_choice"),
        "2": Reference(item="2", answer="A", problem="two answers"),
        "3": Reference(item="3", answer="Q"),
    }
    floors = blind_floors(items, references, [()])
    assert _by_policy(floors)["always A"] == pytest.approx(1 / 5)
    assert {floor.n for floor in floors} == {5}


def test_chance_follows_the_options_on_offer(make_item) -> None:
    items = [make_item("0", _FOUR), make_item("1", [*_FOUR, "two words"])]
    floors = blind_floors(items, _references("AE"), [()])
    assert floors[0].chance == pytest.approx((1 / 4 + 1 / 5) / 2)
    assert _by_policy(floors)["always E"] == pytest.approx(1 / 2)


def test_strata_are_scored_apart_and_best_comes_first(make_item) -> None:
    items = [make_item(str(n), _FOUR, box="box" if n < 4 else "nobox") for n in range(8)]
    floors = blind_floors(items, _references("AAABDDDD"), [(), ("box",)])
    strata = [dict(stratum) for stratum in ({}, {"box": "box"}, {"box": "nobox"})]
    for stratum, value in zip(strata, (4 / 8, 3 / 4, 1.0), strict=True):
        rows = [floor for floor in floors if floor.stratum == stratum]
        assert rows[0].value == max(row.value for row in rows) == pytest.approx(value)
        assert find_floor(floors, stratum) == rows[0]
    assert find_floor(floors, {"box": "other"}) is None


def test_credit_is_the_value_item_by_item(ct_bench, plan) -> None:
    items, references, _ = ct_bench(3)
    for floor in blind_floors(items[::7], references, [(), ("box",)]):
        assert np.mean(list(floor.credit.values())) == pytest.approx(floor.value, abs=1e-12)
        assert len(floor.credit) == floor.n
        assert 0 <= floor.low <= floor.value <= floor.high <= 1


def test_other_answer_spaces_have_no_floor(make_item) -> None:
    item = make_item("0", _FOUR)
    free: Item = dataclasses.replace(item, answer_space=Text())
    assert blind_floors([free], _references("A"), [()]) == ()
    assert {f.n for f in blind_floors([free, item], _references("A"), [()])} == {1}
    assert blind_floors([], {}, [()]) == ()


def test_a_question_without_options_stays_in_the_denominator(make_item) -> None:
    assert blind_floors([make_item("0", [])], {}, [()]) == ()
    items = [make_item("0", []), make_item("1", _FOUR)]
    floors = blind_floors(items, _references("AA"), [()])
    assert _by_policy(floors)["always A"] == 0.5
    assert {floor.chance for floor in floors} == {0.125}


def test_one_item_has_no_interval(make_item) -> None:
    floor = blind_floors([make_item("0", _FOUR)], _references("A"), [()])[0]
    assert (floor.value, floor.low, floor.high) == (1.0, None, None)


def test_equal_items_give_equal_floors(ct_bench) -> None:
    items, references, _ = ct_bench(3)
    one = blind_floors(items[::9], references, [()])
    assert one == blind_floors(items[::9], references, [()])
    other = blind_floors(items[::9], references, [()], rng=np.random.default_rng(1))
    assert [floor.value for floor in other] == [floor.value for floor in one]


def test_a_fair_exam_is_called_a_leak_one_time_in_forty(make_item) -> None:
    rng = np.random.default_rng(5)
    alarms = []
    for _ in range(150):
        items = [
            make_item(str(n), [f"w{w}" for w in rng.integers(0, 30, 4)], patient=f"p{n}")
            for n in range(40)
        ]
        references = _references("".join(rng.choice(list("ABCD"), 40)))
        floors = blind_floors(items, references, [()], rng=rng)
        alarms.append(any(floor.is_leak for floor in floors))
        assert find_floor(floors, {}).chance_best_high > floors[0].chance
    # 150 exams at 2.5 %: more than ten alarms have a probability of one in four hundred.
    assert sum(alarms) <= 10


def test_a_small_leak_shows_although_hindsight_scores_more(make_item) -> None:
    # The longest option is right on 35 % of 400 items over twenty tasks. A letter chosen with
    # hindsight for each task gets as far by luck alone: its mark is higher, so it hides nothing.
    rng = np.random.default_rng(7)
    items, letters = [], ""
    for n in range(400):
        right, longest = (int(place) for place in rng.permutation(4)[:2])
        longest = right if n % 20 < 7 else longest
        texts = ["cyst", "node", "mass", "bone"]
        texts[longest] = "cavity"
        items.append(make_item(str(n), texts, task=f"t{n // 20}", patient=f"p{n}"))
        letters += "ABCD"[right]
    floors = {floor.policy: floor for floor in blind_floors(items, _references(letters), [()])}
    longest, hindsight = floors["longest option"], floors["commonest letter of the task"]
    assert longest.value == pytest.approx(0.35)
    assert longest.is_leak
    assert hindsight.value > longest.value
    assert not hindsight.is_leak
    assert hindsight.chance_best_high > longest.chance_best_high


def test_marks_of_luck_by_hand(make_item) -> None:
    # One item of four like options: picks without words are 1/4 whatever is right; refusing is 0.
    floors = {f.policy: f for f in blind_floors([make_item("0", _FOUR)], _references("A"), [()])}
    assert floors["always refuse"].chance_best_high == 0.0
    assert floors["longest option"].chance_best_high == pytest.approx(0.25)
    assert floors["always A"].chance_best_high == 1.0
    assert floors["commonest letter of the task"].chance_best_high == 1.0
    assert not any(floor.is_leak for floor in floors.values())


def test_ct_bench_drawn_by_lot_has_no_leak_in_its_total(ct_bench, plan) -> None:
    items, references, _ = ct_bench(3)
    start = time.perf_counter()
    floors = blind_floors(items, references, plan.strata)
    assert time.perf_counter() - start < 5
    total = find_floor(floors, {})
    assert not any(floor.is_leak for floor in floors if floor.stratum == {})
    assert 0.25 <= total.value < 0.29
    assert len({tuple(floor.stratum.items()) for floor in floors}) == 1 + 7 + 2 + 13


def test_a_question_asked_twice_of_one_patient_is_one_draw_of_luck(make_item) -> None:
    # Twins double n without adding luck to average over: the band must stay that of one copy.
    once, twice = [], []
    references = {}
    for number in range(60):
        for copy in "ab":
            texts = [f"{number} {'word ' * (k + 1)}" for k in range(4)]
            item = make_item(f"{number}{copy}", texts, patient=f"p{number}")
            references[item.id] = Reference(item=item.id, answer="ABCD"[number % 4])
            twice.append(item)
        once.append(twice[-1])
    marks = [
        {floor.policy: floor.chance_best_high for floor in blind_floors(items, references, [()])}
        for items in (once, twice)
    ]
    assert marks[1]["longest option"] == pytest.approx(marks[0]["longest option"], abs=0.03)
    assert marks[0]["longest option"] > 0.38  # of 60 questions; of 120 it would be 0.35

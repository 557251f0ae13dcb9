from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from overread.analysis.blind_descriptions import DRAWN, ONE_FOR_ALL, TAUGHT, description_floors
from overread.records import Item, Profile, Reference, Response, Score, Status, Text


@dataclass(frozen=True)
class SharedWords:
    """Scores the share of the reference's words that a reply has; nothing to a word "silent"."""

    metric: str = "fact_score"
    profile: Profile = "honest"

    def score(self, item: Item, reference: Reference, response: Response) -> list[Score]:
        words, said = set(str(reference.answer).split()), set(str(response.text).split())
        value = None if "silent" in words else len(words & said) / len(words)
        status = Status.UNDEFINED if value is None else Status.OK
        return [
            Score(
                run="", item=item.id, patient=None, metric=name, metric_version="1",
                profile="honest", unit="score", value=value, status=status,
            )
            for name in ("other", self.metric)
        ]  # fmt: skip


def items_of(*patients: str, box: tuple[str, ...] = ("no-box", "box")) -> list[Item]:
    return [
        Item(
            id=f"{condition}/{n}", benchmark="b", task="caption", condition=condition,
            question="Describe it.", answer_space=Text(),
            groups={"patient": patient, "lesion": str(n)}, strata={"box": condition},
        )
        for condition in box
        for n, patient in enumerate(patients)
    ]  # fmt: skip


def floors(items: list[Item], answers: Sequence[str | None], taught: tuple[str, ...] = ()):
    references = {
        item.id: Reference(item=item.id, answer=answers[int(item.groups["lesion"])])
        for item in items
    }
    found = description_floors(
        items, references, SharedWords(), ((), ("box",)),
        cluster="patient", multi_label=(), taught=taught,
    )  # fmt: skip
    return {(*floor.stratum.values(), floor.policy): floor for floor in found}


def test_one_sentence_earns_what_it_shares_with_other_patients_lesions() -> None:
    # Nine of ten patients have a cyst in the liver, the tenth a node in the lung.
    answers = ["liver cyst"] * 9 + ["lung node"]
    found = floors(items_of(*(f"p{n}" for n in range(10))), answers)
    one = found[(ONE_FOR_ALL,)]
    assert one.value == pytest.approx(9 / 10)
    assert (one.n, one.low, one.is_leak) == (20, None, False)
    assert one.credit["box/9"] == one.credit["no-box/9"] == 0.0
    # With its box and without, a lesion is given the same.
    assert found["box", ONE_FOR_ALL].value == found["no-box", ONE_FOR_ALL].value
    assert found["box", DRAWN].value == found["no-box", DRAWN].value == one.chance
    assert 0.6 < one.chance < 0.9
    assert found[("always refuse",)].value == 0.0
    assert next(iter(found.values())).value == max(floor.value for floor in found.values())


def test_nothing_is_learned_from_an_items_own_patient() -> None:
    # Every patient has a word of its own and several lesions: what others have written is no help.
    patients = [f"p{n // 3}" for n in range(30)]
    found = floors(items_of(*patients), [f"word{patient}" for patient in patients])
    assert found[(ONE_FOR_ALL,)].value == found[(DRAWN,)].value == 0.0


def test_an_unusable_reference_earns_nobody_anything() -> None:
    answers = ["liver cyst"] * 8 + ["silent", None]
    found = floors(items_of(*(f"p{n}" for n in range(10))), answers)
    assert found[(ONE_FOR_ALL,)].value == pytest.approx(8 / 10)


def test_it_is_the_same_each_time_and_absent_without_other_patients() -> None:
    items = items_of(*"abcdef")
    answers = ["a b", "b c", "c d", "a d", "b d", "a c"]
    assert floors(items, answers) == floors(items, answers)
    assert floors(items_of(*"aaaa"), ["x"] * 4) == {}
    assert floors(items, [None] * 6) == {}
    assert floors([], []) == {}


def test_the_training_part_may_teach_more_than_the_other_patients_do() -> None:
    # The exam: each patient has words of its own, and "lung" besides. In training all is "lung".
    answers = [f"lung w{n}" for n in range(10)]
    items = items_of(*(f"p{n}" for n in range(10)))
    found = floors(items, answers, taught=("lung", "lung", "node"))
    assert found[(TAUGHT,)].value == found[(ONE_FOR_ALL,)].value == 0.5
    one = floors(items_of("a", "b"), ["lung cyst", "liver mass"], taught=("lung cyst",) * 3)
    assert one[(TAUGHT,)].value == 0.5
    assert one[(ONE_FOR_ALL,)].value == 0.0
    assert next(iter(one)) == (TAUGHT,)


def test_one_patient_has_the_floor_of_the_training_part_alone() -> None:
    found = floors(items_of("a", "a"), ["lung cyst", "liver mass"], taught=("lung mass",))
    assert set(found) == {
        (*stratum, policy)
        for stratum in ((), ("box",), ("no-box",))
        for policy in (TAUGHT, "always refuse")
    }
    assert (found[(TAUGHT,)].value, found[(TAUGHT,)].chance) == (0.5, 0.0)
    assert floors([], [], taught=("lung mass",)) == {}

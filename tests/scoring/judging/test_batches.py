from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overread.contracts import Graded
from overread.scoring.judging.batches import fixed_batches

LINES = [
    Graded(item=f"item {n}", draw=0, question="", reference="", prediction="") for n in range(40)
]


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 7), st.data())
def test_a_line_answered_later_changes_its_own_batch_only(
    answered: list[bool], size: int, data: st.DataObject
) -> None:
    now = [line if is_there else None for line, is_there in zip(LINES, answered, strict=False)]
    before = fixed_batches(now, size=size)
    assert [each for batch in before for each in batch] == [line for line in now if line]
    assert all(1 <= len(batch) <= size for batch in before)
    missing = [place for place, line in enumerate(now) if line is None]
    if missing:
        place = data.draw(st.sampled_from(missing))
        later = [*now[:place], LINES[place], *now[place + 1 :]]
        changed = [batch for batch in fixed_batches(later, size=size) if batch not in before]
        assert len(changed) == 1
        assert LINES[place] in changed[0]

"""A scorer for each kind of exam question."""

from __future__ import annotations

from collections.abc import Mapping

from overread.contracts import Scorer
from overread.records import Profile
from overread.scoring.accepted_answers import AcceptedAnswers
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.multi_choice import read_exam_choice, read_letters
from overread.scoring.multi_choice_scorer import MultiChoiceScorer, SetReader
from overread.scoring.number_answer import NumberReader, read_number_answer
from overread.scoring.number_scorer import NumberScorer
from overread.scoring.reading import Reader

__all__ = ["careful_scorers", "exam_scorers"]


def careful_scorers(
    profile: Profile, accepted: Mapping[str, tuple[str, ...]]
) -> tuple[Scorer, ...]:
    """Give the scorers that read answers in many spellings and tell what is none apart.

    Parameters
    ----------
    profile
        Whose rows they write.
    accepted
        Item id → the texts of all options accepted, where the exam office takes several.
    """
    return exam_scorers(
        profile, accepted, one=read_exam_choice, several=read_letters, number=read_number_answer
    )


def exam_scorers(
    profile: Profile,
    accepted: Mapping[str, tuple[str, ...]],
    *,
    one: Reader,
    several: SetReader,
    number: NumberReader,
) -> tuple[Scorer, ...]:
    """Give a scorer for one option, one for sets and one for numbers, each with its reader."""
    return (
        AcceptedAnswers(scorer=ChoiceScorer(profile=profile, reader=one), accepted=accepted),
        MultiChoiceScorer(profile=profile, reader=several),
        NumberScorer(profile=profile, reader=number),
    )

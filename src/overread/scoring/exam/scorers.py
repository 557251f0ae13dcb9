"""One careful reader for each kind of exam question."""

from __future__ import annotations

from collections.abc import Mapping

from overread.contracts import Scorer
from overread.records import Profile
from overread.scoring.accepted_answers import AcceptedAnswers
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.multi_choice import read_exam_choice
from overread.scoring.multi_choice_scorer import MultiChoiceScorer
from overread.scoring.number_scorer import NumberScorer

__all__ = ["careful_scorers"]


def careful_scorers(
    profile: Profile, accepted: Mapping[str, tuple[str, ...]]
) -> tuple[Scorer, ...]:
    """Give a scorer for one option, one for sets and one for numbers.

    Parameters
    ----------
    profile
        Whose rows they write.
    accepted
        Item id → the texts of all options accepted, where the exam office takes several.
    """
    one = ChoiceScorer(profile=profile, reader=read_exam_choice)
    return (
        AcceptedAnswers(scorer=one, accepted=accepted),
        MultiChoiceScorer(profile=profile),
        NumberScorer(profile=profile),
    )

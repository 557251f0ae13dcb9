"""Holds an exam's key against the question that it is the key of."""

from __future__ import annotations

from collections.abc import Sequence

from overread.records import AnswerSpace, Choice, MultiChoice
from overread.scoring.multi_choice import join_letters
from overread.scoring.number_answer import as_decimal

__all__ = ["fit_key"]


def fit_key(answer: str, letters: Sequence[str], space: AnswerSpace) -> tuple[str, str | None]:
    """Write a key the one way, and say why it cannot be used where it cannot.

    Parameters
    ----------
    answer
        The key as released, for a number and for the words of a problem.
    letters
        The labels that it names.
    space
        What the question asks for. A set whose size is not stated takes any number of labels.

    Returns
    -------
    answer, problem
        Labels as `join_letters` writes them; where there is a problem, the key as released.

    Examples
    --------
    >>> from overread.records import Option
    >>> two = MultiChoice(options=tuple(Option(letter=each) for each in "abcde"), count=2)
    >>> fit_key("ec", "ec", two)
    ('ce', None)
    >>> fit_key("c", "c", two)
    ('c', "the question asks for 2, and the key 'c' has 1")
    """
    if not isinstance(space, Choice | MultiChoice):
        if as_decimal(answer) is None:
            return answer, f"the question offers no options, and the key {answer!r} is no number"
        return answer, None
    if not letters or not set(letters) <= set(space.letters):
        return answer, f"the key {answer!r} names no options of the question"
    wanted = 1 if isinstance(space, Choice) else space.count
    if wanted is not None and len(set(letters)) != wanted:
        return answer, f"the question asks for {wanted}, and the key {answer!r} has {len(letters)}"
    return join_letters(letters, space.options), None

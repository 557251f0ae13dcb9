"""All published ways of reading replies that the package knows, and the careful one beside them."""

from __future__ import annotations

from typing import Final

from overread.records import Option, Status
from overread.scoring.honest_choice import read_choice
from overread.scoring.multi_choice import read_exam_choice, read_letters
from overread.scoring.number_answer import read_number_answer
from overread.scoring.published.ct_bench import read_ct_bench_script
from overread.scoring.published.deeptumorvqa import DEEPTUMORVQA
from overread.scoring.published.igakuqa119 import IGAKUQA119
from overread.scoring.published.inspect_ai import INSPECT_AI
from overread.scoring.published.lmms_eval import LMMS_EVAL, LMMS_EVAL_MCQ
from overread.scoring.published.medevalkit import MEDEVALKIT
from overread.scoring.published.medvigil import MEDVIGIL
from overread.scoring.published.parser import Parser
from overread.scoring.published.vlmevalkit import VLMEVALKIT, VLMEVALKIT_RANDOM
from overread.scoring.reading import Reading

__all__ = ["CT_BENCH", "HONEST", "PARSERS", "read_yes_or_no"]

# Letters that no reply holds: "B" must not be read as no.
_YES, _NO = "\ue000", "\ue001"
_YES_NO: Final = (Option(letter=_YES, text="Yes"), Option(letter=_NO, text="No"))


def read_yes_or_no(text: str | None) -> Reading:
    """Read yes or no in a raw reply, as `read_choice` reads two options of these words.

    Examples
    --------
    >>> read_yes_or_no("Yes, a nodule is noted").answer
    'yes'
    >>> [read_yes_or_no(each).answer for each in ("not sure", "Both A and B", "normal")]
    [None, None, None]
    """
    reading = read_choice(text, _YES_NO)
    if reading.answer is None:
        return reading
    answer = "yes" if reading.answer == _YES else "no"
    return Reading(answer=answer, status=Status.OK, rule=reading.rule)


HONEST: Final = Parser(
    name="honest",
    summary="what the reply states as its answer; nothing is guessed",
    source="overread",
    silence="wrong",
    choice=read_exam_choice,
    several=read_letters,
    number=read_number_answer,
    binary=read_yes_or_no,
)
"""Reads as the honest profile does; the other readings are measured against it."""

CT_BENCH: Final = Parser(
    name="ct-bench",
    summary="the field selected_option of a reply that is JSON and nothing else",
    source="CelestialShine/CT-Bench, qa_llm/run_llm.py",
    silence="wrong",
    choice=read_ct_bench_script,
)

PARSERS: Final[tuple[Parser, ...]] = (
    HONEST,
    CT_BENCH,
    DEEPTUMORVQA,
    IGAKUQA119,
    INSPECT_AI,
    LMMS_EVAL,
    LMMS_EVAL_MCQ,
    MEDEVALKIT,
    MEDVIGIL,
    VLMEVALKIT,
    VLMEVALKIT_RANDOM,
)
"""Every parser once, the honest one first; a new one is added here and nowhere else."""

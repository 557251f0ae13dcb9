r"""How CT-SpatialVQA's released scripts ask their judges, read them and count, faults included.

Source: public code Mashrafi27/CT-SpatialVQA (and BioMedIA-MBZUAI/CT-SpatialVQA, the same files),
``benchmarking/eval_scripts/scripts``: ``evaluate_with_gemini.py``, ``evaluate_with_gpt.py``,
``evaluate_with_qwen.py``, ``build_correctness_matrix.py``, ``compute_llm_jury_accuracy.py``.

Seen there: five rows of a predictions file a request, in file order, empty predictions included;
one user turn with the task, the rule on synonyms, the form of the reply (a JSON list of objects
with ``index`` and ``is_correct``) and the rows numbered from 1 as question, answer, prediction; the
scripts for GPT and Qwen set a system turn of one sentence before it, the one for Gemini none;
temperature 0 and a limit of tokens from the command line. A reply is stripped of its code fence and
of commas before a closing bracket, then parsed as JSON. Verdicts go to rows by their place in the
list: ``index`` is asked for and never read, so that a list that leaves one out shifts all after it,
and one that is short drops rows from the file. A reply that does not parse, an empty one and a
failed request leave null. The jury then counts whatever is not ``true`` as no.

Followed here: batches, numbering, reading by place, and the jury's counting. A record that holds no
verdict (a null, ``"true"`` as a word, any record of a reply that does not parse or was refused) is
no vote of that judge, and a no for the jury. A row that a short list leaves out has no record: the
jury, which needs one of every judge, has no verdict there, and the item leaves the denominator. Our
own: the sentences, and a system turn for every judge. Where the script would stop with an exception
(a list's element that is no object, an object instead of a list) there is a record without a
verdict; and a request that failed is asked again instead of becoming a null.

Not seen: which version of each judge model was asked, and how its requests were repeated; whether
``fix_gemini_parse_errors.py``, which gives all rows of an unreadable batch the first verdict found
in its first 200 characters, was run.

Nothing here keeps a prediction from planting a verdict: it stands in the prompt as it is. That is
what the fenced form of the honest profile is for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from overread.contracts import Graded, Judging, JuryRule, VoteReading
from overread.records import Part, Status

__all__ = ["JUDGING", "BatchForm"]

_BATCH: Final = 5
_SYSTEM: Final = "You grade answers to medical questions, strictly."
_TASK: Final = (
    "Decide for every numbered item whether the prediction means the same as the answer.\n"
    "Synonyms and other medical wordings of the same thing count as correct, but the clinical fact "
    "has to be the same.\n"
    "Reply with nothing but a JSON list with one element for each item:\n"
    '{"index": <number of the item>, "is_correct": true or false}\n'
    "\n"
    "Items:\n"
)
_COMMAS: Final = ((",\n]", "\n]"), (", ]", "]"), (",]", "]"))
_JOINS: Final = (('"}  {', '"}, {'), ("}\n  {", "},\n  {"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchForm:
    """Five numbered responses a request; verdicts by their place in a JSON list."""

    name: str = "ct-spatialvqa-batch-1"
    batch_size: int = _BATCH

    def prompt(self, graded: Sequence[Graded]) -> tuple[Part, ...]:
        """Word one request, texts as they are."""
        items = (
            f"{number}. Question: {each.question}\n"
            f"   Answer: {each.reference}\n"
            f"   Prediction: {each.prediction}"
            for number, each in enumerate(graded, start=1)
        )
        return (Part(role="system", text=_SYSTEM), Part(text=_TASK + "\n".join(items)))

    def read(self, text: str | None, graded: Sequence[Graded]) -> tuple[VoteReading, ...]:
        r"""Read one reply as the released scripts do.

        Examples
        --------
        >>> one = Graded(item="a", draw=0, question="Side?", reference="Left", prediction="Right")
        >>> reply = '```json\n[{"index": 7, "is_correct": false},]\n```'
        >>> [vote.verdict for vote in BatchForm().read(reply, [one])]
        [False]
        """
        stripped = _without_fence(text or "")
        if not stripped.strip():
            return (_missing("the judge's reply is empty"),) * len(graded)
        for wrong, right in (*_COMMAS, *_JOINS):
            stripped = stripped.replace(wrong, right)
        try:
            parsed: object = json.loads(stripped)
        except (ValueError, RecursionError):
            return (_missing("the judge's reply is no JSON"),) * len(graded)
        if not isinstance(parsed, list):
            return (_missing("the judge's reply is no JSON list"),) * len(graded)
        elements = cast("list[object]", parsed)
        return tuple(
            _reading(elements[place])
            if place < len(elements)
            else _no_record(f"the judge's list ends after {len(elements)} of {len(graded)} items")
            for place in range(len(graded))
        )


def _without_fence(text: str) -> str:
    text = text.strip()
    if text.startswith("```"):
        text = text.strip("`\n")
        if text.startswith("json\n"):
            text = text[5:]
    return text


def _reading(element: object) -> VoteReading:
    if not isinstance(element, dict):
        return _missing("an element of the judge's list is no object")
    fields = cast("Mapping[str, object]", element)
    verdict = fields.get("is_correct")
    if not isinstance(verdict, bool):
        return _missing(f"is_correct is neither true nor false: {str(verdict)[:60]!r}")
    reasoning = fields.get("reasoning")
    return VoteReading(
        verdict=verdict,
        status=Status.OK,
        rationale=reasoning if isinstance(reasoning, str) else None,
    )


def _missing(reason: str) -> VoteReading:
    return VoteReading(verdict=None, status=Status.UNPARSED, reason=reason)


def _no_record(reason: str) -> VoteReading:
    """Give a vote that the released files have no record of: it is missing, where null is a no."""
    return VoteReading(verdict=None, status=Status.FAILED, reason=reason)


JUDGING = Judging(
    form=BatchForm(), rule=JuryRule(needs_all=True, null_is_no=True), judges_empty=True
)
"""How the release judges: batches of five, empty answers too; a record of every judge is needed, a
record without a verdict counts as no (`val is True`), and more than half must say yes."""

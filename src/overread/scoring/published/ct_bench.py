"""What CT-Bench's released chat script reads in a reply, faults included.

Source: public code CelestialShine/CT-Bench, ``qa_llm/run_llm.py``.

Seen there: the reply is stripped of blanks, then of any leading characters of the *set* ``{`, j, s,
o, n}`` (meant was the prefix of a code fence) and of trailing back-ticks, and parsed as JSON; what
does not parse has no selected option. Only the raw ``selected_option`` is stored. Of a chat reply
the script looks at the message's content alone: why the reply ended is not asked, so that text cut
off by the host's content filter is read like any other. A call that raises is printed and left out,
and the denominator shrinks: a missing picture, an error status of the host (its filter's included),
a message without content.

Not seen: how the stored value is compared with the right letter. Our choice: the option's letter,
``B: text`` as the prompt writes it, or the option's text, exactly as written once blanks around it
are gone. Our choice as well: a message without content has *failed*, an error of the filter is
*refused*, and the benchmark's plan drops both; whether text beside a refusal was the message's
content is told in `overread.scoring.choice_scorer`.
"""

from __future__ import annotations

import json
from typing import cast

from overread.records import Option, Status
from overread.scoring.reading import Reading, Rule, no_answer

__all__ = ["read_ct_bench_script"]

_FENCE_CHARACTERS = "`json"


def read_ct_bench_script(text: str | None, options: tuple[Option, ...]) -> Reading:
    r"""Read a reply as the released script does.

    Parameters
    ----------
    text
        The raw reply. An empty one does not parse; at None the script raises and drops the item.
    options
        The options on offer.

    Examples
    --------
    >>> options = (Option(letter="A", text="Liver"), Option(letter="B", text="Left kidney"))
    >>> fenced = '```json {"selected_option": "B: Left kidney", "explanation": "…"}```'
    >>> read_ct_bench_script(fenced, options).answer
    'B'
    >>> read_ct_bench_script("The correct answer is **B**.", options).rule
    <Rule.SCRIPT_NOT_JSON: 'script:not-json'>
    """
    if text is None:
        return Reading(answer=None, status=Status.FAILED, rule=Rule.SCRIPT_NO_TEXT)
    stripped = text.strip().lstrip(_FENCE_CHARACTERS).rstrip("`").strip()
    try:
        parsed: object = json.loads(stripped)
    except (ValueError, RecursionError):
        return no_answer(Rule.SCRIPT_NOT_JSON)
    if not isinstance(parsed, dict) or "selected_option" not in parsed:
        return no_answer(Rule.SCRIPT_NO_FIELD)
    letter = _letter_of(cast("dict[str, object]", parsed)["selected_option"], options)
    if letter is None:
        return no_answer(Rule.SCRIPT_OFF_LIST)
    return Reading(answer=letter, status=Status.OK, rule=Rule.SCRIPT_FIELD)


def _letter_of(selected: object, options: tuple[Option, ...]) -> str | None:
    if not isinstance(selected, str):
        return None
    value = selected.strip()
    head = value.partition(":")[0].rstrip()
    letters = {option.letter for option in options}
    if head in letters:
        return head
    named = [option.letter for option in options if option.text and option.text.strip() == value]
    return named[0] if named else None

"""Reading the chosen letter in a reply, as a careful person would.

Explicit answers come first, and the last of them wins: a field of a JSON object, an answer tag, a
box, "the answer is …", "B is correct". Then a letter that stands apart at the start or the end.
Then, where the reply does not decline, the only letter mentioned as an option, and the only
option named by its own words and not denied. Everything else is *no answer*, with its kind; so is
a reply that only recites the options, as names or as answers one after the other (`recital`).

A letter counts as a whole token and from the options on offer only; words hold no letters. The
readers of other harnesses that guess, take the nearest text or draw a letter for an unreadable
reply give points for silence: this one never does.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from overread.records import Option, Status
from overread.scoring.answer_phrases import statements
from overread.scoring.denial import is_conditional, is_denied, is_hypothetical, is_negated_before
from overread.scoring.json_fields import json_answers
from overread.scoring.letters import Letters, letters_of
from overread.scoring.option_text import JOINS
from overread.scoring.reading import Reading, Rule, no_answer
from overread.scoring.recital import FEWEST_WALKED, is_recital, is_wordless
from overread.scoring.refusals import declines
from overread.scoring.reply_text import normalise, plain, strip_thinking

__all__ = ["read_choice"]

_HEAD, _TAIL = 50_000, 100_000
"""Characters read at the ends of a reply, thinking aside: a middle beyond them holds no answer."""
_LONGEST_FOR_WEAK_RULES = 20_000
"""Characters: a mention somewhere in a longer text is no answer."""
_SHORT_REPLY_WORDS = 15
_MOST_VERDICTS = 64
"""The last so many are kept, as with stated answers: a hostile reply may hold thousands."""
_PLACEHOLDER = re.compile(
    r"\s*(?:<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|\.{2,}|…|_+|n/?a|null|none|)\s*", re.I
)
_LINE_LEAD = re.compile(
    r"[\s\-•>#+\"'(\[]*(?:(?:option|choice|answer|image|picture) )?[\"'(\[]*", re.I
)
_SET_APART = re.compile(
    r"[\"')\]]*(?:$|\n|[.:,;!?)](?:\s|$)| ?[\-–—]+ | ?\(| (?:because|since|as)\b| [^\x00-\u2E7F])"
)
_SEPARATORS = re.compile(r"[\s,;/&+、・]+(?:(?:and|or)[\s,;/&+、・]+)?")
_SMALL_APART = re.compile(r"[.):]| ?\(\d| [^\x00-\u2E7F]")
_BARE_END = re.compile(r"[\"')\].:!?]*$")


def read_choice(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read the chosen letter in a raw reply.

    Parameters
    ----------
    text
        The reply as it came; any length, any content.
    options
        The options on offer.

    Returns
    -------
    Reading
        A letter spelt as in `options`, or no answer; and the `Rule` that fired. Never raises. Takes
        time in proportion to the length of the reply; of one beyond 150,000 characters the middle
        is left out.

    Examples
    --------
    >>> options = tuple(Option(letter=a, text=t) for a, t in zip("AB", ("Liver", "Left kidney")))
    >>> read_choice("It is not in the liver; it is in the left kidney.", options).answer
    'B'
    >>> read_choice("Both A and B are possible", options).rule
    <Rule.SEVERAL_LETTERS: 'several-letters'>
    """
    letters = letters_of(options)
    if text is None or not text.strip():
        return no_answer(Rule.EMPTY)
    if letters is None:
        return no_answer(Rule.NOTHING_NAMED)
    told, unfinished = strip_thinking(normalise(text))
    if unfinished is not None:
        return no_answer(unfinished)
    if not told.strip():
        return no_answer(Rule.ONLY_THINKING)
    if len(told) > _HEAD + _TAIL:
        told = f"{told[:_HEAD]}\n{told[-_TAIL:]}"
    prose, stated, form_only = _take_json(told, letters)
    explicit = _last_explicit(prose, stated, letters)
    if explicit is not None:
        return explicit
    apart = _letter_apart(prose, letters)
    if (apart is None or apart.answer is not None) and is_recital(prose, letters):
        return no_answer(Rule.SEVERAL_LETTERS)
    if apart is not None:
        return apart
    declined = declines(prose)
    if declined is not None:
        return no_answer(declined)
    return _weak_reading(prose, letters, form_only=form_only)


# ---------------------------------------------------------------- explicit answers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stated:
    """A reading and where in the prose it stands."""

    reading: Reading
    position: int


def _take_json(told: str, letters: Letters) -> tuple[str, list[_Stated], bool]:
    """Read the JSON objects that state an answer, and take them out of the prose.

    What an object says beside its answer is explanation, and must not be read as an answer. The
    third value tells whether an object held only the form's placeholder.
    """
    prose = ""
    stated: list[_Stated] = []
    position = 0
    form_only = False
    for found in json_answers(told):
        prose = f"{prose}\n{plain(told[position : found.start])}\n"
        position = found.end
        reading = _read_json(found.value, letters)
        form_only = form_only or reading.rule == Rule.PLACEHOLDER
        if reading.rule != Rule.PLACEHOLDER:
            stated.append(_Stated(reading=reading, position=len(prose)))
    rest = plain(told[position:])
    return (f"{prose}\n{rest}" if stated or form_only else rest), stated, form_only


def _read_json(value: object, letters: Letters) -> Reading:
    if isinstance(value, list):
        parts = cast("list[object]", value)
        value = ", ".join(str(part) for part in parts[:20])
    elif isinstance(value, dict):
        keys = list(cast("dict[str, object]", value))
        value = keys[0] if len(keys) == 1 else ""
    words = "" if value is None or isinstance(value, bool) else plain(str(value)[:5000])
    reading = letters.read(words, Rule.JSON_FIELD)
    if reading is not None:
        return reading
    if _PLACEHOLDER.fullmatch(words):
        return no_answer(Rule.PLACEHOLDER)
    return no_answer(declines(words) or Rule.OFF_LIST)


def _last_explicit(prose: str, stated: list[_Stated], letters: Letters) -> Reading | None:
    """Give the last explicit answer, which may be an explicit "B or D"."""
    found = [*stated, *_phrases(prose, letters), *_verdicts(prose, letters)]
    if not found:
        return None
    last = max(found, key=lambda each: each.position).reading
    answered = {each.reading.answer for each in found} | {_opening_letter(prose, letters)}
    if len(answered - {None}) >= FEWEST_WALKED and is_wordless(prose, letters):
        return no_answer(Rule.SEVERAL_LETTERS)
    return last


def _opening_letter(prose: str, letters: Letters) -> str | None:
    """Give the letter that makes up the first line."""
    line = prose.lstrip().partition("\n")[0]
    return _line_letter(line, letters) if _is_whole_line(line, letters) else None


def _phrases(prose: str, letters: Letters) -> Iterator[_Stated]:
    for statement in statements(prose):
        reading = letters.read(statement.value, statement.rule)
        if reading is not None:
            yield _Stated(reading=reading, position=statement.position)


def _verdicts(prose: str, letters: Letters) -> Iterator[_Stated]:
    """Find "option B is the correct one", undenied, not asked and not bound to a condition."""
    patterns = _letter_patterns(tuple(letters.spelt))
    for verdict in deque(patterns.verdict.finditer(prose), maxlen=_MOST_VERDICTS):
        start = verdict.start("letter")
        if verdict["joined"] or is_negated_before(prose, start):
            continue
        if is_conditional(prose, verdict.end()):
            continue
        reading = Reading(
            answer=letters.letter(verdict["letter"]), status=Status.OK, rule=Rule.VERDICT
        )
        yield _Stated(reading=reading, position=start)


# ---------------------------------------------------------------- a letter that stands apart


def _letter_apart(prose: str, letters: Letters) -> Reading | None:
    """Read a letter that opens the reply, or makes up its last line."""
    lines = [line for line in prose[:_LONGEST_FOR_WEAK_RULES].split("\n") if line.strip()]
    if not lines:
        return None
    ends = len(lines) > 1 and len(prose) <= _LONGEST_FOR_WEAK_RULES
    ends = ends and _is_whole_line(lines[-1], letters) and not _line_letter(lines[-2], letters)
    if _line_letter(lines[0], letters) is not None and not _lists_options(prose, lines, letters):
        first = letters.read(lines[0], Rule.FIRST_LETTER)
        # A letter alone at the end was said last, and is an answer as explicit as the first.
        return (letters.read(lines[-1], Rule.LAST_LINE) if ends else None) or first
    if ends:
        return letters.read(lines[-1], Rule.LAST_LINE)
    return _stranger_alone(lines[0], letters) if len(lines) == 1 else None


def _line_token(line: str, letters: Letters) -> re.Match[str] | None:
    """Find the letter that opens a line and is set apart from its words."""
    lead = _LINE_LEAD.match(line)
    token = letters.patterns.token.match(line, lead.end() if lead else 0)
    if token is None:
        return None
    rest = line[token.end() :]
    own_text = letters.texts.at_start(rest) == letters.letter(token[1])
    small_word = token[1].islower() and not (_BARE_END.match(rest) or _SMALL_APART.match(rest))
    apart = _SET_APART.match(rest) is not None and not small_word
    return token if apart or own_text else None


def _line_letter(line: str, letters: Letters) -> str | None:
    token = _line_token(line, letters)
    return letters.letter(token[1]) if token else None


def _is_whole_line(line: str, letters: Letters) -> bool:
    """Whether a line is a letter alone, or a letter with its own option's text."""
    token = _line_token(line, letters)
    if token is None:
        return False
    rest = line[token.end() :]
    return bool(_BARE_END.match(rest)) or letters.texts.equal(rest) == letters.letter(token[1])


def _lists_options(prose: str, lines: list[str], letters: Letters) -> bool:
    r"""Whether a reply that opens with a letter goes through the options instead of choosing.

    "A. Liver\nB. Left kidney …" repeats the list; "B. Left kidney\n\nA. Liver: no …" answers
    first, and explains after a blank line.
    """
    first = _line_letter(lines[0], letters)
    if _lists_inline(lines[0], letters, first):
        return True
    others = [line for line in lines[1:] if _line_letter(line, letters) not in (None, first)]
    if not others:
        return False
    if not _is_whole_line(lines[0], letters):
        return True
    if _line_letter(lines[1], letters) is None:
        return False
    explained = any(not _is_whole_line(line, letters) for line in others)
    return not (explained and prose.startswith(lines[0] + "\n\n"))


def _lists_inline(line: str, letters: Letters, first: str | None) -> bool:
    """Whether one line names another letter with its text, or all letters in their order."""
    marked = [
        token
        for token in letters.patterns.token.finditer(line)
        if line[token.end() : token.end() + 1] in (".", ")", ":")
    ]
    named = [letters.letter(token[1]) for token in marked]
    if len(named) > 1 and named == [*reversed(letters.spelt.values())]:
        return True
    return any(
        letter != first and letters.texts.at_start(line[token.end() :]) == letter
        for token, letter in zip(marked, named, strict=True)
    )


def _stranger_alone(line: str, letters: Letters) -> Reading | None:
    """Name a reply that is nothing but a letter not on offer, or several letters."""
    bare = line.strip(" .,:;!?\"'()[]{}<>")
    if letters.patterns.stranger.fullmatch(bare):
        return no_answer(Rule.OFF_LIST)
    if letters.patterns.run.match("".join(_SEPARATORS.split(bare))):
        return no_answer(Rule.SEVERAL_LETTERS)
    return None


# ---------------------------------------------------------------- weaker evidence


def _weak_reading(prose: str, letters: Letters, *, form_only: bool) -> Reading:
    if len(prose) > _LONGEST_FOR_WEAK_RULES:
        return no_answer(Rule.NOTHING_NAMED)
    opening = letters.texts.at_start(prose) if letters.texts.yes_or_no else None
    if opening is not None:  # "Yes, there is no doubt": the first word answers
        return Reading(answer=opening, status=Status.OK, rule=Rule.OPTION_TEXT)
    mentioned = _mentioned(letters.texts.without(prose), letters)
    if len(mentioned) > 1:
        return no_answer(Rule.SEVERAL_LETTERS)
    named = letters.texts.named(prose)
    if mentioned and not named.affirmed - mentioned:
        return Reading(answer=mentioned.pop(), status=Status.OK, rule=Rule.LETTER_MENTION)
    if mentioned or len(named.affirmed) > 1:
        return no_answer(Rule.SEVERAL_OPTIONS)
    if named.affirmed:
        return Reading(answer=next(iter(named.affirmed)), status=Status.OK, rule=Rule.OPTION_TEXT)
    if named.denied:
        return no_answer(Rule.DENIED)
    echoed = form_only or _PLACEHOLDER.fullmatch(prose)
    return no_answer(Rule.PLACEHOLDER if echoed else Rule.NOTHING_NAMED)


def _mentioned(prose: str, letters: Letters) -> set[str]:
    """Give the letters mentioned as options and not denied; in a short reply any letter."""
    patterns = _letter_patterns(tuple(letters.spelt))
    # "(A) anterior, (P) posterior": letters in parentheses mean something else there.
    other_use = patterns.parenthesised_stranger.search(prose) is not None
    found = {
        letters.letter(mention["letter"])
        for mention in patterns.mention.finditer(prose)
        if not (other_use and mention["open"])
        and not is_denied(prose, *mention.span())
        and not is_hypothetical(prose, *mention.span())
    }
    if len(prose.split()) <= _SHORT_REPLY_WORDS:
        found |= letters.tokens(prose)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _LetterPatterns:
    verdict: re.Pattern[str]
    mention: re.Pattern[str]
    parenthesised_stranger: re.Pattern[str]


@lru_cache(maxsize=512)
def _letter_patterns(folded_letters: tuple[str, ...]) -> _LetterPatterns:
    """Compile the patterns that hold letters in capitals: small ones in prose are words."""
    capitals = sorted((letter.upper() for letter in folded_letters), key=len, reverse=True)
    one = rf"(?P<letter>{'|'.join(map(re.escape, capitals))})"
    return _LetterPatterns(
        verdict=re.compile(
            rf"(?P<joined>\b(?:and|or|nor|both|neither) (?:[Oo]ption )?\(?|, ?)?"
            rf"(?<![{JOINS}\-']){one}(?![{JOINS}])\)? (?:is|seems|appears to be|would be|looks)"
            r"(?: (?:therefore|thus|clearly|the|most|likely|probably|also|indeed|a)){0,4} "
            r"(?:correct|right|best|accurate|answer|appropriate|true|likely|match)\b"
            r"(?![^.\n]{0,80}\?)"
        ),
        mention=re.compile(
            rf"(?:\b[Oo]ption |\b[Cc]hoice |\b[Ii]mage |\b[Pp]icture |(?P<open>\()){one}"
            rf"(?![{JOINS}])(?(open)\))"
        ),
        parenthesised_stranger=re.compile(
            rf"\((?!(?:{'|'.join(map(re.escape, capitals))})\))[A-Z]\)"
        ),
    )

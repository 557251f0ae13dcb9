"""Reading the chosen letters in a reply to a question with several right options.

``ec``, ``c, e``, ``[c, e]``, ``ｃとｅ``, ``ウ・オ``, ``③⑤`` and ``c. …  e. …`` are one answer. What
is no answer is told apart by kind; a set of another size than the question asks for is one of them
(`SetRule.WRONG_SIZE`), and not the same thing as a wrong set of the right size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

from overread.records import Option, Status
from overread.scoring.answer_field import find_field, form_value, is_placeholder, tell
from overread.scoring.denial import is_denied, is_negated_before
from overread.scoring.honest_choice import read_choice
from overread.scoring.option_text import option_texts
from overread.scoring.reading import Reading, Rule, no_answer
from overread.scoring.refusals import declines
from overread.scoring.reply_text import normalise, plain

__all__ = ["SetRule", "join_letters", "read_exam_choice", "read_letters"]


class SetRule(StrEnum):
    """Rules of this reader beside those of `reading.Rule`."""

    WRONG_SIZE = "wrong-size"
    """Letters were read, and they are more or fewer than the question asks for."""


_SHORT: Final = 80
"""Characters of a reply that is taken for the answer as a whole."""
_LONGEST_LOOKED_AT: Final = 20_000
_CIRCLED = re.compile(r"[\u2460-\u2468]")
_UNREAD: Final = frozenset({Rule.NOTHING_NAMED, Rule.OFF_LIST, Rule.SEVERAL_LETTERS})
"""What a label in another script may look like to `read_choice`."""
_KANA: Final = "アイウエオカキクケコ"
_DIGITS: Final = "1234567890"
_APART = re.compile(
    r"[\s,、，・･;/&+。.．()（）\[\]「」『』【】〔〕〈〉\"'{}<>:：~〜\-–—]+"
    r"|\\[a-z]{2,8}|(?:and|および|及び|ならびに|と(?![^\s,、]{2})|です|である|選択肢|番)",
    re.I,
)
_WORDS: Final = frozenset({"a", "i"})
"""Letters that are English words too."""
_AFTER_LETTER: Final = r"(?:because|since|as|and|or|is|with|for)\b"
_PLURAL = re.compile(
    r"\b(?:answers|options|choices)\s(?:are|must\sbe|would\sbe)\s?:?\s?(?P<value>[^\n.]{1,80}?)"
    r"(?=\s(?:because|since|as)\b|[.\n]|$)"
    r"|^(?P<verdict>[^\n.]{1,40}?)(?:\sare\s(?:both\s)?(?:correct|right)|が(?:正解|正しい))",
    re.I | re.M,
)
_ENUMERATOR = re.compile(r"^[ \t]{0,4}\d{1,2}[.)][ \t]{1,4}(?=\S)", re.M)
_UNDECIDED = re.compile(r"\bor\b|または|又は|あるいは|或いは|もしくは", re.I)
_REMARK = re.compile(r"\((?!\s?[^\s()]\s?\))[^()\n]{0,200}\)")
_DENIED = re.compile(r"[)\]」』]?\s?(?:では|じゃ|は)(?:な[いく]|あり?ません|誤り|間違い)")
_JAPANESE_REFUSAL = re.compile(
    r"(?:回答|解答|選択|判断|特定)(?:を|は|が)?(?:選べ|でき|出来|致しかね|いたしかね)(?:ません|ない|ます)"
    r"|(?:お答え|答え)(?:は|を|が)?(?:でき|出来|いたしかね|致しかね)"
)
_JAPANESE_ABSTENTION = re.compile(r"(?:わか|分か|判)(?:らない|りません)|不明(?:です|である|$)")
_JAPANESE_NONE = re.compile(
    r"(?:該当|正解|正しいもの)(?:する(?:選択肢|もの))?(?:は|が)?(?:な[いし]|ありません)"
)


def join_letters(letters: Iterable[str], options: Sequence[Option]) -> str:
    """Write a set of letters the one way: each once, in the order of the options.

    Letters of more than one character are parted by commas.

    Examples
    --------
    >>> join_letters("ec", [Option(letter=each) for each in "abcde"])
    'ce'
    """
    wanted = set(letters)
    kept = [option.letter for option in options if option.letter in wanted]
    return ("" if all(len(each) == 1 for each in kept) else ",").join(kept)


def read_letters(text: str | None, options: tuple[Option, ...], count: int | None) -> Reading:
    """Read the chosen letters in a raw reply.

    Parameters
    ----------
    text
        The reply as it came; any length, any content.
    options
        The options on offer.
    count
        How many the question asks for; None leaves it open.

    Returns
    -------
    Reading
        The letters as `join_letters` writes them, or no answer; and the rule that fired. Never
        raises, and takes time in proportion to the length of the reply.

    Examples
    --------
    >>> options = tuple(Option(letter=letter) for letter in "abcde")
    >>> read_letters("answer: e, c", options, 2).answer
    'ce'
    >>> read_letters("answer: c", options, 2).rule
    <SetRule.WRONG_SIZE: 'wrong-size'>
    >>> read_letters("answer: [選んだ回答(単数/複数/数値)]", options, 2).rule
    <Rule.PLACEHOLDER: 'placeholder'>
    """
    told = tell(text)
    if told.problem is not None:
        return no_answer(told.problem)
    field = find_field(told.prose)
    if field is not None:
        if is_placeholder(field.value):
            return no_answer(Rule.PLACEHOLDER)
        return _sized(_read_value(field.value, options, field.rule), options, count)
    return _without_field(plain(told.prose), options, count)


def read_exam_choice(text: str | None, options: tuple[Option, ...]) -> Reading:
    r"""Read one letter as `read_choice` does, where the reply may be an exam's form.

    Where it is (an answer's field with others beside it), the field alone is read: what an
    explanation says after it does not replace it. A label in another script (``ウ``, ``③``) names
    an option where nothing else does.

    Examples
    --------
    >>> options = tuple(Option(letter=letter) for letter in "abcde")
    >>> read_exam_choice("answer: a\nconfidence: 1.0\nexplanation: 正解は d", options).answer
    'a'
    >>> read_exam_choice("答え：ウ", options).answer
    'c'
    """
    told = tell(text)
    value = form_value(told.prose) if told.problem is None else None
    if value is not None and is_placeholder(value):
        return no_answer(Rule.PLACEHOLDER)
    reading = read_choice(text if value is None else value, options)
    if reading.answer is not None or reading.rule not in _UNREAD:
        return reading
    if value is None:
        field = find_field(told.prose) if told.problem is None else None
        value = plain(told.prose) if field is None else field.value
        if field is not None and is_placeholder(value):
            return no_answer(Rule.PLACEHOLDER)
    labels = _labels_of_other_scripts(value, text or "", options)
    if len(labels) == 1:
        return _read(labels, options, Rule.FIRST_LETTER)
    return no_answer(Rule.SEVERAL_LETTERS) if labels else reading


def _labels_of_other_scripts(value: str, text: str, options: tuple[Option, ...]) -> set[str]:
    """Give the letters of a value that is kana, or circled digits: a plain digit names nothing."""
    if _CIRCLED.search(text) is None and not any(each in _KANA for each in value):
        return set()
    spelt = {option.letter.lower() for option in options}
    labels = _labels(value, options)
    return labels if not any(each in spelt for each in value.lower()) else set()


def _sized(reading: Reading, options: tuple[Option, ...], count: int | None) -> Reading:
    if reading.answer is None or count is None:
        return reading
    if len(_split(reading.answer, options)) == count:
        return reading
    return Reading(answer=None, status=Status.UNPARSED, rule=SetRule.WRONG_SIZE)


def _split(answer: str, options: tuple[Option, ...]) -> list[str]:
    joined = {option.letter for option in options if len(option.letter) > 1}
    return (
        answer.split(",")
        if joined and "," in answer
        else [answer]
        if answer in joined
        else list(answer)
    )


def _without_field(prose: str, options: tuple[Option, ...], count: int | None) -> Reading:
    """Read a reply that has no answer's field: as a whole, by its last line, by its first."""
    if len(prose) <= _SHORT and "\n" not in prose:
        if is_placeholder(prose):
            return no_answer(Rule.PLACEHOLDER)
        return _sized(_read_value(prose, options, Rule.FIRST_LETTER), options, count)
    head = prose[:_LONGEST_LOOKED_AT]
    stated = [
        each["value"] or each["verdict"]
        for each in _PLURAL.finditer(head)
        if not is_negated_before(head, each.start())
    ]
    if stated:
        return _sized(_read_value(stated[-1], options, Rule.ANSWER_PHRASE), options, count)
    if len(prose) <= _SHORT:
        listed = _labels(_ENUMERATOR.sub("", prose), options)
        if listed:
            return _sized(_read(listed, options, Rule.FIRST_LETTER), options, count)
    lines = (head.partition("\n")[0], prose[-2000:].rpartition("\n")[2])
    for line, rule in zip(reversed(lines), (Rule.LAST_LINE, Rule.FIRST_LETTER), strict=True):
        pure = _labels(line, options)
        if pure:
            return _sized(_read(pure, options, rule), options, count)
    declined = _declines(head)
    if declined is not None:
        return no_answer(declined)
    named = _named(head, options)
    if count is not None and len(named) == count:
        return _read(named, options, Rule.OPTION_TEXT)
    return no_answer(Rule.SEVERAL_OPTIONS if len(named) > 1 else Rule.NOTHING_NAMED)


def _read_value(value: str, options: tuple[Option, ...], rule: Rule) -> Reading:
    """Read what stands in the place of an answer."""
    remarked = _REMARK.sub(" ", value)
    value = remarked if remarked.strip() else value
    if _UNDECIDED.search(value) and not _named(value, options):
        return no_answer(Rule.SEVERAL_LETTERS)
    pure = _labels(value, options)
    if pure:
        return _read(pure, options, rule)
    texts = option_texts(options)
    alone = texts.equal(value)
    if alone is not None:
        return _read({alone}, options, rule)
    if _is_stranger(value):
        return no_answer(Rule.OFF_LIST)
    bare = texts.without(value)
    patterns = _token(tuple(option.letter for option in options))
    tokens = [
        found
        for found in patterns.finditer(bare)
        if not _DENIED.match(bare, found.end()) and not is_denied(bare, *found.span())
    ]
    spelt = {option.letter.lower(): option.letter for option in options}
    if tokens:
        return _read({spelt[found[1].lower()] for found in tokens}, options, rule)
    named = _named(value, options)
    if named:
        return _read(named, options, Rule.OPTION_TEXT)
    declined = _declines(value)
    if declined is not None:
        return no_answer(declined)
    denied = texts.named(value).denied or patterns.search(bare)
    return no_answer(Rule.DENIED if denied else Rule.NOTHING_NAMED)


def _named(text: str, options: tuple[Option, ...]) -> set[str]:
    """Give the letters of all options named in a text and not denied.

    Each option is looked for by itself, beside those whose text holds its own: `OptionTexts.named`
    stops at the second one, which is enough to know that one choice is none.
    """
    return {
        option.letter
        for option in options
        if option.text
        and option.letter in option_texts(_holding(option.text, options)).named(text).affirmed
    }


def _holding(text: str, options: tuple[Option, ...]) -> tuple[Option, ...]:
    return tuple(each for each in options if each.text and text in each.text)


def _read(letters: Iterable[str], options: tuple[Option, ...], rule: Rule) -> Reading:
    return Reading(answer=join_letters(letters, options), status=Status.OK, rule=rule)


def _labels(value: str, options: tuple[Option, ...]) -> set[str]:
    """Give the letters of a value that holds labels and what parts them, and nothing else.

    Kana and digits name options by their place where the options' own letters are neither.
    """
    core = _APART.sub("", value)
    if not core or len(core) > 3 * len(options):
        return set()
    spelt = {option.letter.lower(): option.letter for option in options if len(option.letter) == 1}
    folded = core.lower()
    if all(each in spelt for each in folded):
        return {spelt[each] for each in folded}
    # "10" may be a tenth option or a number: digits past the ninth name nothing.
    for labels in (_KANA, _DIGITS[:9]):
        places = _places(labels, options)
        if all(each in places for each in core) and (labels is _KANA or _are_apart(value)):
            return {places[each] for each in core}
    return set()


def _places(labels: str, options: tuple[Option, ...]) -> dict[str, str]:
    """Map labels to letters: by what options say where that is such labels, else by place."""
    said = {plain(normalise(option.text or "")): option.letter for option in options}
    if any(each in labels for each in said if len(each) == 1):
        return {each: letter for each, letter in said.items() if each in labels}
    return {label: option.letter for label, option in zip(labels, options, strict=False)}


def _are_apart(value: str) -> bool:
    """Whether digits stand one by one: ``1, 3`` names two options, ``13`` is a number."""
    return re.search(r"\d\d|\d[.,]\d", value) is None


def _is_stranger(value: str) -> bool:
    """Whether a value holds letters that look like labels, and not all are on offer: ``af``."""
    return (
        re.fullmatch(r"[\s\"'(\[]*[a-z](?:[\s,、・;/]*[a-z]){0,3}[\s\"')\].]*", value, re.I)
        is not None
    )


@lru_cache(maxsize=512)
def _token(letters: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a letter that stands for an option: no word carries it on, no article is it."""
    one = "|".join(map(_whole, sorted(letters, key=len, reverse=True))) or r"(?!)"
    return re.compile(rf"(?<![0-9A-Za-z\u00C0-\u024F_.\-])({one})", re.I)


def _whole(letter: str) -> str:
    article = rf"(?! (?!{_AFTER_LETTER})[a-z])" if letter.lower() in _WORDS else ""
    return rf"{re.escape(letter)}(?![0-9A-Za-z\u00C0-\u024F_'])(?!-[A-Za-z]){article}"


def _declines(text: str) -> Rule | None:
    if _JAPANESE_NONE.search(text):
        return Rule.NONE_OF_THE_OPTIONS
    if _JAPANESE_ABSTENTION.search(text):
        return Rule.ABSTENTION
    return declines(text) or (Rule.REFUSAL if _JAPANESE_REFUSAL.search(text) else None)

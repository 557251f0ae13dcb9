"""Reading a letter where a reply states its answer: "B", "(b)", "B: Left kidney", "B or D"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from overread.records import Option, Status
from overread.scoring.denial import is_denied, is_hypothetical
from overread.scoring.option_text import JOINS, OptionTexts, option_texts
from overread.scoring.reading import Reading, Rule, no_answer

__all__ = ["Letters", "letters_of"]

_LEAD = re.compile(
    r"(?:[\s\"'()\[\]{}<>:=,.#\-–—]|\\[a-z]{1,8}|</?[a-z]{1,12}>|"
    r"(?:option|choice|letter|answer|image|picture|most\slikely|probably|likely|definitely|"
    r"clearly|certainly|therefore|the|number|either|both|between|following|選択肢|选项|選項)"
    rf"(?![{JOINS}]))*",
    re.I,
)
_DENIAL = re.compile(r"(?:definitely |clearly |certainly )?(?:not|isn't|neither)\b", re.I)
_NO_OPTION = re.compile(
    r"(?:none|neither (?:option|of)|nothing|n/?a|no (?:option|choice|answer)|"
    r"not (?:listed|among))\b",
    re.I,
)
# After a letter that is also a word ("a", "I") or a number, only these let it stand as a letter.
# The end of a line parts it from the words below, unless the sentence goes on there.
_WORD_AFTER = (
    r"(?! \w)(?!\n(?-i:[a-z]))(?!\s?%)(?!\s?(?:mm|cm)\b)"
    r"|(?=\s(?:because|since|as|due|given|for|based|which|is|with|over|rather|instead|and|or|"
    r"but|if|option|choice|not)\b)"
)
_CONNECTOR = (
    r"['\")\]]?\s?(?:(?P<comma>[,;])\s?(?:or|and)?|[/&+]|or|and|und|oder|ou|et|o|y|と|、|・|和|或)"
    r"\s?(?:possibly|maybe|perhaps|also|even)?\s?(?:option|choice)?\s?['\"(\[]?"
)
_ARTICLE = re.compile(r"^[\s:.,)\]\-–—]{0,6}(?:it is |in )?(?:the |an? )?", re.I)
_WORD_LETTERS = frozenset("ai")
_PART_OF_NAME = re.compile(
    r"\b(?:\d|vitamin|hepatitis|type|grade|class|stage|segment|zone|group|level|category|factor|"
    r"influenza|protein|panel|figure|phase|area|region|point|label(?:l?ed)?|dr\.?|prof\.?|"
    r"mrs?\.?|ms\.?)\s(?:of\s)?$",
    re.I,
)
_FIRST_SENTENCE = re.compile(r"[^\n]{0,600}?(?=[.;!?](?:\s|$)|\n|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    """What letters on offer look like; the same for every question with the same letters."""

    token: re.Pattern[str]
    """A letter on offer as a whole token."""
    stranger: re.Pattern[str]
    """A token that looks like a letter and is not on offer."""
    several: re.Pattern[str]
    """What joins a further letter to the one before it."""
    run: re.Pattern[str]
    """Letters written together: ``AB``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """The letters of a question's options, ready to be read."""

    spelt: dict[str, str]
    """Folded letter → the letter as the options spell it."""
    texts: OptionTexts
    patterns: _Patterns

    def letter(self, token: str) -> str:
        """Spell a token as the options do."""
        return self.spelt[token.lower()]

    def read(self, value: str, rule: Rule) -> Reading | None:
        """Read the answer that `value` states; None when it states nothing recognisable.

        Parameters
        ----------
        value
            What stands in the place of an answer: the words after "the answer is", the content
            of a field. Only its beginning counts, not what is said further on.
        rule
            The rule to report when there is an answer.
        """
        start = _lead_end(value)
        bare = value[start:].strip(" \n.,:;!?\"'()[]{}<>")
        if bare.lower() in self.spelt:
            return _answer(self.letter(bare), rule)
        by_text = self.texts.at_start(value) or self.texts.at_start(value[start:])
        if by_text is not None:
            return _answer(by_text, rule)
        token = self.patterns.token.match(value, start)
        if token is not None:
            return self._read_token(value, token, rule)
        if self.patterns.run.match(bare):
            return no_answer(Rule.SEVERAL_LETTERS)
        if _NO_OPTION.match(value[start:]):
            return no_answer(Rule.NONE_OF_THE_OPTIONS)
        if self.patterns.stranger.match(value, start):
            return no_answer(Rule.OFF_LIST)
        if _DENIAL.match(value[start:]):
            return None
        return self._read_sentence(value[start:], rule)

    def tokens(self, text: str) -> set[str]:
        """Give the letters that stand in `text` as whole tokens, capitals only.

        Left out are letters denied, supposed, or part of a name ("hepatitis B").
        """
        return {
            self.letter(token[1])
            for token in self.patterns.token.finditer(text)
            if (token[1].isupper() or not token[1].isalpha())
            and not _PART_OF_NAME.search(text[max(0, token.start() - 20) : token.start()])
            and not is_denied(text, *token.span(1))
            and not is_hypothetical(text, *token.span(1))
        }

    def _read_token(self, value: str, token: re.Match[str], rule: Rule) -> Reading:
        letter = self.letter(token[1])
        end = token.end()
        while further := self.patterns.several.match(value, end):
            if self.letter(further["letter"]) != letter:
                return no_answer(Rule.SEVERAL_LETTERS)
            end = further.end()
        line = value[token.end() :].partition("\n")[0]
        by_text = self.texts.equal(_ARTICLE.sub("", line))
        if by_text is not None and by_text != letter:
            return no_answer(Rule.CONTRADICTION)
        return _answer(letter, rule)

    def _read_sentence(self, value: str, rule: Rule) -> Reading | None:
        sentence = _FIRST_SENTENCE.match(value)
        named = self.texts.named(sentence[0] if sentence else value)
        if len(named.affirmed) > 1:
            return no_answer(Rule.SEVERAL_OPTIONS)
        return _answer(next(iter(named.affirmed)), rule) if named.affirmed else None


@lru_cache(maxsize=512)
def letters_of(options: tuple[Option, ...]) -> Letters | None:
    """Prepare the letters of options; None when there is none."""
    spelt = {option.letter.lower(): option.letter for option in reversed(options) if option.letter}
    if not spelt:
        return None
    return Letters(spelt=spelt, texts=option_texts(options), patterns=_patterns(tuple(spelt)))


@lru_cache(maxsize=512)
def _patterns(letters: tuple[str, ...]) -> _Patterns:
    one = _alternatives(letters)
    numbers = all(letter.isdigit() for letter in letters)
    shape = r"\d{1,2}" if numbers else "[A-Za-z]"
    any_letter = "|".join(map(re.escape, letters))
    return _Patterns(
        token=re.compile(rf"(?<![{JOINS}])({one})", re.I),
        stranger=re.compile(rf"(?<![{JOINS}]){_token(shape, wordlike=True)}"),
        several=re.compile(
            rf"{_CONNECTOR}(?P<letter>{one})(?(comma)(?!\s(?:is|was|would)\b))", re.I
        ),
        run=re.compile(rf"(?=\w*?(\w)(?!\1)\w)(?:{any_letter}){{2,}}$", re.I),
    )


def _alternatives(letters: tuple[str, ...]) -> str:
    """Write the pattern of any of the letters as a whole token, the longest first."""
    longest_first = sorted(letters, key=len, reverse=True)
    return "|".join(
        _token(re.escape(letter), wordlike=letter in _WORD_LETTERS or letter.isdigit())
        for letter in longest_first
    )


def _token(letter: str, *, wordlike: bool) -> str:
    """Write the pattern of a letter that no word, hyphen or apostrophe carries on."""
    whole = rf"{letter}(?![{JOINS}])(?![\-'][{JOINS}])(?!\.\d)"
    return rf"(?:{whole}(?:{_WORD_AFTER}))" if wordlike else whole


def _lead_end(value: str) -> int:
    lead = _LEAD.match(value)
    return lead.end() if lead else 0


def _answer(letter: str, rule: Rule) -> Reading:
    return Reading(answer=letter, status=Status.OK, rule=rule)

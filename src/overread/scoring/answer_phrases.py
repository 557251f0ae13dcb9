"""Where a reply states its answer: tags, boxes and the phrases people and models use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from overread.scoring.denial import is_hypothetical, is_negated_before
from overread.scoring.reading import Rule

__all__ = ["Statement", "statements"]

_LONGEST_VALUE = 700
_MOST_STATEMENTS = 64
"""The last so many are kept: the last one wins, and a hostile reply may hold a million."""

_BE = (
    r"(?:\b(?:is|was|would\sbe|should\sbe|must\sbe|will\sbe|could\sbe|may\sbe|might\sbe|"
    r"appears\sto\sbe|seems\sto\sbe)\b(?:\s(?:therefore|thus|clearly|that|as\sfollows))?\s?:?"
    r"|[:=]|[-=]>|→)"
)
_BETWEEN = (
    r"(?:\s(?:here|therefore|thus|to\s(?:this|the)\s\w{1,12}|for\s(?:this|the)\s\w{1,12}|"
    r"\(?letter\)?|from\sthe\s\w{1,12}|based\son\sthe\s\w{1,12}))?\s?"
)
_PHRASES = "|".join(
    (
        # The answer is …, Answer: …, selected_option: …
        rf"\b(?:answer|selection|selected[ _]option|selected[ _]choice)\b{_BETWEEN}{_BE}",
        # The correct option is …, the best match is …
        r"\b(?:correct|right|best|final|my|selected|chosen|closest|matching|appropriate|accurate|"
        r"likely|suitable|fitting)\s(?:answer\s)?(?:option|choice|one|match|image|picture|"
        rf"description|diagnosis|letter|candidate|statement|location|size)\b{_BETWEEN}{_BE}",
        r"\b(?:option|choice|conclusion|diagnosis|impression)\s?[:=]",
        # I would choose …
        r"\bI(?:'d|'ll|'m|\sam|\swould|\swill|\shave\sto)?\s(?:choose|select|pick|opt\sfor|chose|"
        r"selected|answer|say|go(?:ing)?\s(?:with|for)|lean(?:ing)?\stowards?|favou?r)\b",
        # … Actually no, B.
        r"\b(?:actually|wait|correction|rather|no)[,.:;\-–—!]{0,3}\s(?:no[,.]?\s)?"
        r"(?=(?:option\s|choice\s)?\(?[A-Z1-9]\)?\s?(?:$|\n|[.,;!](?:\s|$)))",
        # The description matches option …
        r"\b(?:matches|corresponds\sto|fits|matched\sby|consistent\swith)\s(?:best\s)?(?:with\s)?"
        r"(?=(?:option|choice|image|picture)\b)",
        # It is B.
        r"\b(?:it|this|that|lesion)(?:'s|\sis|\smust\sbe|\sshould\sbe)\s"
        r"(?=(?:option\s|choice\s|image\s)?\(?[A-Z1-9]\)?\s?(?:$|\n|[.,;!](?:\s|$)))",
        # A heading, and the answer below it or behind it.
        r"^[^\w\n]{0,12}(?:final\s|correct\s|the\s)?answer[^\w\n]{0,6}$",
        r"^[^\w\n]{0,12}(?:final\s|correct\s)?answer\s(?=\(?[A-Za-z0-9]{1,2}\)?\s?(?:[.:)]|$))",
        r"^####\s",
        # Japanese, Chinese, German, Spanish, French, Italian, Portuguese.
        r"(?:答え|正解|正答|解答|回答|答案|正确选项|正確選項)(?:は|为|為|是|应为|應為|[:=＝]|\s){1,4}",
        r"(?:应选|應選|故选|故選|选择|選擇|选|選)\s?(?=[A-Za-z])",
        r"\b(?:Antwort|respuesta|réponse|risposta|resposta)\b(?:\scorrecta|\scorrecte|\scorretta)?"
        r"\s?(?:\b(?:ist|lautet|es|est)\b|è|é|[:=])",
    )
)
_MARKER = re.compile(
    r"(?P<tag></?(?:answer|final_answer|final|selected_option|choice)>)"
    r"|(?P<box>\\(?:boxed|fbox)\s?\{|\[\[)"
    rf"|(?P<phrase>{_PHRASES})",
    re.I | re.M,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A place where an answer is stated, and the words that stand for it."""

    value: str
    position: int
    rule: Rule


def statements(text: str) -> tuple[Statement, ...]:
    """Find the places where `text` states an answer, in its order; the last ones of very many.

    Left out are denied ones ("I doubt that the answer is not …", "the answer is not A") and
    supposed ones ("if it were larger, the answer would be C").
    """
    markers = [marker for marker in _MARKER.finditer(text) if not marker[0].startswith("</")]
    return tuple(_stated(text, markers[-_MOST_STATEMENTS:]))


def _stated(text: str, markers: list[re.Match[str]]) -> Iterator[Statement]:
    for marker in markers:
        value = text[marker.end() : marker.end() + _LONGEST_VALUE]
        if marker["tag"]:
            value, rule = value.partition("<")[0], Rule.ANSWER_TAG
        elif marker["box"]:
            rule = Rule.BOXED
        else:
            rule = Rule.ANSWER_PHRASE
            if is_negated_before(text, marker.start()) or is_hypothetical(text, *marker.span()):
                continue
        yield Statement(value=value.lstrip(), position=marker.start(), rule=rule)

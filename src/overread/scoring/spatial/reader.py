"""Facts in a short answer about a chest CT: side, height, depth, lobes, segments, number.

The reader knows a closed list of words (`lexicon`), what denies or stresses them (`mentions`), and
how sides and lobes belong together (`lobes`). It never guesses from the likeness of texts: what it
cannot read is absent from the facts. Time grows in proportion to the length of the answer, of which
the first 4,000 characters count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from overread.scoring.reply_text import normalise, plain, strip_thinking
from overread.scoring.spatial.forms import Asked, asked
from overread.scoring.spatial.lexicon import (
    NUMBERED_SEGMENT,
    ONE_NUMBER,
    SEGMENTS_LEFT,
    SEGMENTS_RIGHT,
    STRUCTURES,
)
from overread.scoring.spatial.lobes import lobes_named
from overread.scoring.spatial.mentions import Mention, mentions, without_choices
from overread.scoring.spatial.polarity import Polarity, polarity

__all__ = ["Facts", "answer_words", "read_facts"]

_LONGEST = 4000
_CLEANED = 20_000
"""Characters cleaned of thinking and markup before the first 4,000 are taken."""
_ABBREVIATED: Final = re.compile(r"\b([rl])([uml])l\b")
_TWO_SIDED: Final = re.compile(r"\bbi-?(?=bas(?:al|ilar)|apical)")
_LETTER_ALONE: Final = re.compile(r"\W*\b(?:([rl])t?)\b\W*")
"""A reply that is "R" or "Lt." and nothing else; inside a sentence a letter may mean anything."""
_SIDE_LETTER: Final = {"r": "right", "l": "left"}
_HEIGHT_LETTER: Final = {"u": "upper", "m": "middle", "l": "lower"}
_NEGATIVE: Final = re.compile(r"\b(?:not|no|cannot|absent|absence|without|missing|lacks?)\b")
"""In a question: it asks where something is absent."""
_END_OF_ANSWER: Final = re.compile(
    r"#{2,}|</?s>|<\|[^|>]*\|?>?|<(?:eos|pad|end_of_turn|unk)>|\[/?inst\]|"
    r"\b(?:question|user|human) ?: |\b(?:this )?(?:is )?a? ?ct image(?:,| and| it|\. it|$)"
)
"""Where a model goes on after its answer: end marks, a new question, its own prompt."""
_NO_PICTURE: Final = re.compile(r"\W*no ct (?:image|scan)\b(?!,? it contains| scan does)")
_NUMBER_WORDS: Final = (
    ("zero", "none", "no"),
    ("one", "single", "a single", "solitary"),
    ("two", "couple", "pair"),
    *((word,) for word in ("three", "four", "five", "six", "seven", "eight", "nine", "ten")),
    ("eleven",),
    ("twelve",),
)
_NUMBERS: Final = {word: n for n, words in enumerate(_NUMBER_WORDS) for word in words}
_COUNT: Final = re.compile(
    r"\b(?P<digits>\d{1,3})\b(?! ?(?:mm|cm|x|×|%|\.\d|/|th\b|st\b|nd\b|rd\b|-))|"
    rf"\b(?P<word>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b"
)
_LENGTH: Final = r"(\d{1,4}(?:[.,]\d{1,2})?)"
_SIZE: Final = re.compile(
    rf"(?<![\d.]){_LENGTH}(?: ?[x×] ?{_LENGTH})?(?: ?[x×] ?{_LENGTH})? ?(mm|cm)\b"
)
_ABSENT: Final = re.compile(
    r"^(?:no|none|neither)\b(?! (?:specified|mentioned|sure|known|"
    r"applicable|possible|clear|only))|"
    r"\b(?:no|without|absence of) (?:\w+[ -]){0,5}?(?:effusion|thickening|nodules?|lesions?|mass|"
    r"masses|lymph|nodes?|adenopathy|lymphadenopathy|patholog\w+|abnormalit\w+|findings?|"
    r"consolidations?|atelectasis|emphysema\w*|infiltrat\w+|opacit\w+|evidence|changes|"
    r"pneumothorax|enlarge\w+|fluid|bronchiectasis)\b|"
    r"\bnot? (?:\w+ )?(?:detected|observed|seen|identified|found|noted|present|visible)\b|"
    r"\bneither\b"
)
_BOTH_ALONE: Final = re.compile(
    r"\bboth\b(?=$|[.,;!?)]| of (?:them|these)\b| (?:the )?(?:areas|regions|zones|parts|levels)\b)"
)
_NEXT_WORD: Final = re.compile(r" \w{5,}")
_BASAL: Final = {
    "posterior": "posterobasal",
    "anterior": "anterobasal",
    "lateral": "laterobasal",
    "medial": "mediobasal",
}
_LOBE_OF_SEGMENT: Final = {
    "anterior": "upper",
    "posterior": "upper",
    "lateral": "middle",
    "medial": "middle",
    "superior": "lower",
}
"""Where a segment lies that is named without its lobe: S2 and S3, S4 and S5, S6."""
_DEPTH_OF_SEGMENT: Final = {
    "posterobasal": "posterior",
    "apicoposterior": "posterior",
    "anterobasal": "anterior",
    "anteromediobasal": "anterior",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an answer says, as far as it was read. Empty sets say nothing was read."""

    polarity: Polarity = None
    sides: frozenset[str] = frozenset()
    """left, right, midline; both sides are left and right."""
    one_side: bool = False
    """"Unilateral", whichever side it is."""
    heights: frozenset[str] = frozenset()
    depths: frozenset[str] = frozenset()
    centralities: frozenset[str] = frozenset()
    lobes: frozenset[str] = frozenset()
    """``right upper``; ``upper`` where the side is not told."""
    segments: frozenset[str] = frozenset()
    structures: frozenset[str] = frozenset()
    count: int | None = None
    sizes_mm: tuple[float, ...] = ()
    absent: bool = False
    """Whether it says that there is nothing to place."""
    wrong_side: bool = False
    """Whether it places the thing in the lung that the question does not ask about."""
    elsewhere: bool = False
    """Whether it names a structure beside the lung that the question does not: a place that lobes
    and sides do not describe."""
    both: bool = False
    """"Both", of whatever the question offers."""


def answer_words(text: str | None) -> str:
    """Prepare an answer: no thinking, no markup, no end marks; lower case, single blanks."""
    if text is None:
        return ""
    told, _ = strip_thinking(normalise(text[: _CLEANED * 10]))
    told = _ABBREVIATED.sub(_in_full, plain(told[:_CLEANED]).lower())
    told = _TWO_SIDED.sub("bilateral ", told)  # "bibasilar" is at both bases
    if letter := _LETTER_ALONE.fullmatch(told):
        return _SIDE_LETTER[letter[1]]
    told = re.sub(r"[‐-―−]", "-", " ".join(told.replace("\n", " \n ").split(" ")))
    if _NO_PICTURE.match(told):
        return "no ct image"  # a picture that is missing, not a "no"
    end = _END_OF_ANSWER.search(told, 1)
    told = told[: end.start()] if end else told
    return re.sub(r"[ \t]+", " ", told[:_LONGEST].replace(" \n ", "\n")).strip(" \n\t\"'*-")


def _in_full(match: re.Match[str]) -> str:
    """Spell ``RML`` out."""
    return f"{_SIDE_LETTER[match[1]]} {_HEIGHT_LETTER[match[2]]} lobe"


def read_facts(text: str | None, *, question: str = "") -> Facts:
    """Read the facts in an answer.

    Parameters
    ----------
    text
        The answer as it came; any length, any content.
    question
        What was asked: it tells which side a bare "lower lobe" lies on, and what a bare "both"
        stands for.

    Returns
    -------
    Facts
        Never raises.

    Examples
    --------
    >>> sorted(read_facts("Left lower lobe, not in the right.").lobes)
    ['left lower']
    >>> sorted(read_facts("Both lungs, more on the right").sides)
    ['left', 'right']
    """
    return _read(answer_words(text), question[:_LONGEST])


@lru_cache(maxsize=8192)
def _read(words: str, question: str) -> Facts:
    """Read prepared words; kept, because a reference is read anew for every model and policy."""
    if not words:
        return Facts()
    wanted = asked(question)
    negative = "polarity" not in wanted.facts and _NEGATIVE.search(question.lower()) is not None
    found = mentions(words, negative=negative)
    said = without_choices([each for each in found if not each.denied], words)
    said = _without_echo(said, words, question.lower())
    both = _BOTH_ALONE.search(words) is not None
    context = _NONE if "side" in wanted.facts else _question_sides(question)
    main = {kind: _main(said, kind, wanted) for kind in _KINDS}
    kept = [each for each in said if each in main[_KIND_OF.get(each.kind, each.kind)]]
    lobes = lobes_named(words, kept, context=context)
    segments = _segments(words, kept, lobes, superior="segment" in wanted.facts)
    if not lobes:
        lobes = _lobes_implied(words, kept, segments, context, wanted)
    sides = _sides(kept, lobes, both=both and "side" in wanted.facts)
    structures = _structures(words)
    return Facts(
        polarity=polarity(words, question),
        sides=sides,
        one_side=any(each.kind == "one" for each in said),
        heights=_heights(kept, lobes, both=both and "height" in wanted.facts),
        depths=_depths(kept, both=both and "depth" in wanted.facts),
        centralities=_centralities(kept, both=both and "centrality" in wanted.facts),
        lobes=lobes,
        segments=segments,
        structures=structures,
        count=_count(words),
        sizes_mm=_sizes(words),
        absent=not negative and _ABSENT.search(words) is not None,
        wrong_side=bool(context and sides and not context & sides),
        elsewhere=bool(structures - _structures_of(question) - {"lung"}),
        both=both,
    )


_NONE: Final[frozenset[str]] = frozenset()
_KINDS: Final = ("side", "height", "depth", "centrality", "segment", "lobes", "one")
_KIND_OF: Final = {"height-word": "height"}


def _main(said: Sequence[Mention], kind: str, wanted: Asked) -> list[Mention]:
    """Choose the mentions of a kind that answer: what is stressed only where more is asked for."""
    own = [each for each in said if _KIND_OF.get(each.kind, each.kind) == kind]
    if not wanted.comparative:
        if any(each.compared for each in own):
            return own  # "larger than on the left" is on both sides
        return [each for each in own if not each.stressed] or own
    plain_ones = [each for each in own if not each.compared] or own
    stressed = [each for each in plain_ones if each.stressed]
    if kind != "side" or "side" not in wanted.facts:
        return stressed or plain_ones
    named = [each for each in plain_ones if each.value != "both"]
    single = [each for each in stressed if each in named] or named or stressed or plain_ones
    # "The right is larger: 2 cm, and 1 cm on the left": the first one named is the larger one.
    return single[:1] if len({each.value for each in single}) > 1 else single


def _without_echo(said: list[Mention], words: str, question: str) -> list[Mention]:
    """Drop sides that only repeat the question: "leads to the right ventricle are on the left"."""
    if "both" in question or ("left" in question) == ("right" in question):
        return said
    own = [
        each
        for each in said
        if each.kind != "side"
        or not (next_word := _NEXT_WORD.match(words, each.end))
        or f"{words[each.start : each.end]}{next_word[0]}" not in question
    ]
    return own if any(each.kind == "side" for each in own) else said


def _structures(words: str) -> frozenset[str]:
    return frozenset(name for name, word in STRUCTURES.items() if word.search(words))


def _values(kept: Sequence[Mention], kind: str) -> frozenset[str]:
    return frozenset(each.value for each in kept if each.kind == kind)


@lru_cache(maxsize=8192)
def _question_sides(question: str) -> frozenset[str]:
    """Give the sides that a question names."""
    named = _values(mentions(answer_words(question)), "side") - {"midline"}
    if named == frozenset({"both"}):
        return frozenset({"left", "right"})
    return named if len(named) == 1 else _NONE


@lru_cache(maxsize=8192)
def _structures_of(question: str) -> frozenset[str]:
    return _structures(question.lower())


def _sides(kept: Sequence[Mention], lobes: frozenset[str], *, both: bool) -> frozenset[str]:
    sides = set(_values(kept, "side"))
    if not sides:
        sides |= {lobe.split()[0] for lobe in lobes if " " in lobe}
    if "both" in sides or both:
        sides = (sides - {"both"}) | {"left", "right"}
    return frozenset(sides)


def _heights(kept: Sequence[Mention], lobes: frozenset[str], *, both: bool) -> frozenset[str]:
    if both:
        return frozenset({"upper", "lower"})
    if lobes:
        return frozenset(lobe.split()[-1] for lobe in lobes)
    return _values(kept, "height-word")


def _depths(kept: Sequence[Mention], *, both: bool) -> frozenset[str]:
    if both:
        return frozenset({"anterior", "posterior"})
    told = _values(kept, "depth")
    of_segments = (_DEPTH_OF_SEGMENT.get(value) for value in _values(kept, "segment"))
    return told | frozenset(depth for depth in of_segments if depth)


def _centralities(kept: Sequence[Mention], *, both: bool) -> frozenset[str]:
    return frozenset({"central", "peripheral"}) if both else _values(kept, "centrality")


def _segments(
    words: str, kept: Sequence[Mention], lobes: frozenset[str], *, superior: bool
) -> frozenset[str]:
    """Name the segments, the narrowest names, in the spelling of the lexicon.

    `superior` takes a bare "superior" for the segment and not for a height.
    """
    named = set(_values(kept, "segment") | _values(kept, "depth"))
    if superior and any(words.startswith("superior", each.start) for each in kept):
        named.add("superior")
    left = "left" in _values(kept, "side") and "right" not in _values(kept, "side")
    named |= {(SEGMENTS_LEFT if left else SEGMENTS_RIGHT)[n][1] for n in _numbers(words)}
    if lobes and all(lobe.endswith("lower") for lobe in lobes):
        # In the lower lobe the posterior segment is the posterior basal one.
        named = {_BASAL.get(name, name) for name in named}
    if "basal" in named and any(name.endswith("basal") for name in named - {"basal"}):
        named.discard("basal")
    if "lingular" in named and named & {"superior lingular", "inferior lingular"}:
        named.discard("lingular")
    if "superior lingular" in named and words.count("superior") < 2:
        named.discard("superior")
    return frozenset(named)


def _lobes_implied(
    words: str,
    kept: Sequence[Mention],
    segments: frozenset[str],
    context: frozenset[str],
    wanted: Asked,
) -> frozenset[str]:
    """Name the lobes of segments whose names tell them, and of a bare "inferior"."""
    if "lobe" not in wanted.facts:
        return _NONE
    told = _values(kept, "side") - {"midline"}
    sides = ({"left", "right"} if "both" in told else set(told)) or set(context)
    heights = {_LOBE_OF_SEGMENT[name] for name in segments if name in _LOBE_OF_SEGMENT}
    table = SEGMENTS_LEFT if sides == {"left"} else SEGMENTS_RIGHT
    heights |= {table[number][0] for number in _numbers(words)}
    if not segments:
        heights |= _values(kept, "height-word")
    if heights == {"middle"} and not sides:
        sides = {"right"}
    return frozenset(f"{side} {height}".strip() for height in heights for side in (sides or {""}))


def _numbers(words: str) -> set[int]:
    """List the segments named by number: "S6", "segments 8/9"."""
    return {
        _roman(number[0])
        for match in NUMBERED_SEGMENT.finditer(words)
        for number in ONE_NUMBER.finditer(match[0])
    }


def _roman(number: str) -> int:
    numerals = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
    return numerals.index(number) + 1 if number in numerals else int(number)


def _count(words: str) -> int | None:
    match = _COUNT.search(words)
    if match is None:
        return None
    return int(match["digits"]) if match["digits"] else _NUMBERS[match["word"]]


def _sizes(words: str) -> tuple[float, ...]:
    """Give the first size stated, in mm."""
    match = _SIZE.search(words)
    if match is None:
        return ()
    times = 10.0 if match[4] == "cm" else 1.0
    return tuple(float(part.replace(",", ".")) * times for part in match.groups()[:3] if part)

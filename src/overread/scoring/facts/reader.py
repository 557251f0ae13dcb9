"""Reads the facts of a sentence about a lesion: terms from tables, belonging by a small grammar.

Time grows in proportion to the length, of which the first 4,000 characters count. Whatever the
text holds, reading ends without an exception: what cannot be read is empty, and where nothing can
be read the reason is given.

What a "no" reaches follows the idea of NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029):
forward to the end of its clause or list, with words of our own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from overread.scoring.facts.facts import Lesion, LesionFacts, Size
from overread.scoring.facts.grouping import Group, groups_of
from overread.scoring.facts.lexicon import Lexicon, lexicon
from overread.scoring.facts.mention import Mention
from overread.scoring.facts.mentions import mentions_in
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.sizes import size_mentions, unread_sizes
from overread.scoring.facts.words import Word, prepared, words_of

__all__ = ["completed", "read_facts", "size_of"]

_ENGLISH: Final = frozenset(
    """
    the of in with and is are there a an on at to for no not without within measuring measures
    was were its seen noted which left right or by from this that has shows upper lower mm cm
    lesion nodule mass lung liver kidney node lymph
    """.split()  # noqa: SIM905  words read better as words
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_LATIN: Final = re.compile(r"[a-zß-öø-ÿāăąćčďđēęěğħıīłńňőœřśşšťūůűźżž]")


def read_facts(sentence: str | None, *, ontology: OntologyTerms | None = None) -> LesionFacts:
    """Read what a sentence, or a few, says about lesions.

    Parameters
    ----------
    sentence
        A description as people or models write it; any length, any content.
    ontology
        The release's own terms for the lesion, where it has them: they give what the sentence
        leaves out (type, place, property, size) when it speaks of one lesion.

    Returns
    -------
    LesionFacts
        Never raises.

    Examples
    --------
    >>> nodule = read_facts("A 1.2 cm solid nodule in the RUL, without calcification.").lesions[0]
    >>> sorted(nodule.organs), sorted(nodule.sites), sorted(nodule.sides), nodule.size.axes_mm
    (['lung'], ['upper lobe'], ['right'], (12.0,))
    >>> read_facts("Rundherd im rechten Oberlappen der Lunge").unreadable
    'not in English (German?)'
    """
    text = prepared(sentence)
    facts = _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)
    return facts if ontology is None else completed(facts, ontology)


_LONGEST_KEPT: Final = 500


@lru_cache(maxsize=32768)
def _kept(text: str) -> LesionFacts:
    """Read and keep: a reference is read anew for every model, a choice for every question."""
    return _read(text)


def _read(text: str) -> LesionFacts:
    """Read a prepared text."""
    if not text.strip():
        return LesionFacts(unreadable="empty")
    words = words_of(text)
    foreign = _foreign(text, words)
    if foreign is not None:
        return LesionFacts(unreadable=foreign)
    sizes = size_mentions(text)
    mentions = mentions_in(words, [(each.start, each.end) for each in sizes])
    known = lexicon()
    lesions = [_lesion(group, known) for group in groups_of(words, mentions, sizes)]
    lesions = _inherited([lesion for lesion in lesions if not lesion.is_empty])
    unread = tuple(unread_sizes(text))
    if not lesions:
        return LesionFacts(unreadable="names no fact of a lesion", unread_sizes=unread)
    return LesionFacts(lesions=tuple(lesions), unread_sizes=unread)


def _foreign(text: str, words: Sequence[Word]) -> str | None:
    """Say what language a text seems to be in where that is not English."""
    letters = _LETTER.findall(text[:1000])
    if letters and sum(_LATIN.match(letter) is not None for letter in letters) < len(letters) / 2:
        return "not in English (other letters)"
    said = [text[word.start : word.end] for word in words[:200]]
    english = sum(word in _ENGLISH for word in said)
    counts = {name: sum(word in own for word in said) for name, own in lexicon().languages.items()}
    name = max(counts, key=lambda each: counts[each])
    return f"not in English ({name}?)" if counts[name] >= 2 and counts[name] > english else None


def _lesion(group: Group, known: Lexicon) -> Lesion:
    """Put the mentions of one lesion together."""
    typed = [each for each in group.mentions if each.term.type]
    present = not any(each.denied for each in typed)
    places = [each for each in group.mentions if each.term.place or each.site]
    own = [each for each in places if not each.landmark]
    organs, sites, sides = _places(own, known)
    if not places:
        usual = {known.usual_organ.get(name) for name in _types(typed, known)} - {None}
        organs = frozenset(name for name in usual if name)
    spoken_of = own if organs else places  # a landmark tells the body part all the same
    named = [each.term.place for each in spoken_of if each.term.place and not each.bare]
    regions = {region for organ in organs if (region := known.region_of(organ))} or {
        region for name in named if (region := known.region_of(name))
    }
    told = _sides(group.mentions, landmarks=not own)
    attributes, denied = _attributes(group.mentions, present=present, known=known)
    return Lesion(
        present=present,
        types=_types(typed, known),
        regions=frozenset(regions),
        organs=organs,
        sites=sites,
        sides=told or sides,
        size=group.size,
        attributes=attributes,
        denied=denied,
    )


def _places(
    own: Sequence[Mention], known: Lexicon
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Give the narrowest organs, the sites, and the sides that sites imply."""
    named = {each.term.place for each in own if each.term.place}
    bare = {name for each in own if each.bare and (name := each.term.place or "") in _BARE}
    sites = {name for name in named if known.places[name].level == "site"}
    direct = {name for name in named if known.places[name].level == "organ"}
    around = direct | {organ for site in sites - bare if (organ := known.organ_of(site))}
    sites -= {name for name in bare if not _belongs(name, around)}  # the base of some other organ
    organs = direct | {organ for site in sites if (organ := known.organ_of(site))}
    wider = {up for organ in organs for up in known.place_chain(organ)[1:]}
    sites |= {
        up for site in set(sites) for up in known.place_chain(site)[1:] if _is_site(up, known)
    }
    implied = {side for site in sites if (side := known.places[site].side)}
    numbered = {each.site for each in own if each.site}
    return frozenset(organs - wider), frozenset(sites | numbered), frozenset(implied)


_BARE: Final[Mapping[str, frozenset[str]]] = {
    "lung apex": frozenset(("lung", "pleura")),
    "lung base": frozenset(("lung", "pleura")),
    "pancreatic head": frozenset(("pancreas",)),
    "pancreatic body": frozenset(("pancreas",)),
    "pancreatic tail": frozenset(("pancreas",)),
}
"""Sites that a single word names, where one of these organs is spoken of."""


def _belongs(site: str, organs: set[str]) -> bool:
    return bool(organs & _BARE[site]) or (not organs and site.startswith("lung"))


def _is_site(name: str, known: Lexicon) -> bool:
    return known.places[name].level == "site"


def _sides(mentions: Sequence[Mention], *, landmarks: bool) -> frozenset[str]:
    """Give the sides said of the lesion; those of landmarks only where it has no place itself."""
    said = [each for each in mentions if each.term.side]
    kept = [each for each in said if not each.landmark] or (said if landmarks else [])
    sides = {each.term.side for each in kept if each.term.side}
    if "both" in sides:
        sides = (sides - {"both"}) | {"left", "right"}
    if len(sides) > 1:
        sides.discard("midline")  # "left of the midline"
    return frozenset(sides)


def _types(typed: Sequence[Mention], known: Lexicon) -> frozenset[str]:
    """Give the narrowest types."""
    types = {each.term.type for each in typed if each.term.type}
    wider = {up for name in types for up in known.type_chain(name)[1:]}
    return frozenset(types - wider)


def _attributes(
    mentions: Sequence[Mention], *, present: bool, known: Lexicon
) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """Give the attributes said, and those said to be absent; of one kind the narrowest."""
    said = [(each.term.attribute, each.denied) for each in mentions if each.term.attribute]
    affirmed = {value for value, denied in said if value and (not denied or not present)}
    denied = {value for value, is_denied in said if value and is_denied and present}
    wider = {
        (kind, known.kinds[kind].narrower[value])
        for kind, value in affirmed
        if value in known.kinds[kind].narrower
    }
    if ("texture", "part-solid") in affirmed:
        wider.add(("texture", "solid"))  # of its component
    return frozenset(affirmed - wider), frozenset(denied - affirmed)


def _inherited(lesions: list[Lesion]) -> list[Lesion]:
    """Give a lesion without any place the place of the one before it: "with a satellite"."""
    told: list[Lesion] = []
    for lesion in lesions:
        last = told[-1] if told else None
        if last is not None and lesion.present and last.present and not _has_place(lesion):
            lesion = _placed(lesion, last)
        told.append(lesion)
    for place in range(len(told) - 2, -1, -1):
        lesion, following = told[place], told[place + 1]
        if not (lesion.present or following.present or _has_place(lesion)):
            told[place] = _placed(lesion, following)  # "no mass or effusion in the left lung"
    return told


def _has_place(lesion: Lesion) -> bool:
    return bool(lesion.regions or lesion.organs or lesion.sites or lesion.sides)


def _placed(lesion: Lesion, like: Lesion) -> Lesion:
    return Lesion(
        present=lesion.present,
        types=lesion.types,
        regions=like.regions,
        organs=like.organs,
        sites=like.sites,
        sides=like.sides,
        size=lesion.size,
        attributes=lesion.attributes,
        denied=lesion.denied,
    )


def completed(facts: LesionFacts, ontology: OntologyTerms) -> LesionFacts:
    """Add what the release's own terms say of a lesion and its sentence does not.

    Terms are read by rule, whoever read the sentence. A sentence that speaks of several lesions, of
    one that is not there, or that cannot be read for another reason than that it says nothing,
    stays as it is.
    """
    if len(facts.lesions) > 1:
        return facts
    lesion = facts.lesions[0] if facts.lesions else Lesion()
    if facts.unreadable not in (None, "empty", "names no fact of a lesion") or not lesion.present:
        return facts
    place, kind, quality = (
        _one(term) for term in (ontology.body_part, ontology.lesion_type, ontology.imaging_property)
    )
    said = {name for name, _ in lesion.attributes | lesion.denied}
    own = frozenset(each for each in quality.attributes | kind.attributes if each[0] not in said)
    has_place = bool(lesion.organs or lesion.sites)
    full = Lesion(
        types=lesion.types - {"lesion"} or kind.types or lesion.types,
        regions=lesion.regions if has_place else place.regions or lesion.regions,
        organs=lesion.organs if has_place else place.organs,
        sites=lesion.sites if has_place else place.sites,
        sides=lesion.sides or place.sides,
        size=lesion.size or size_of(ontology.size),
        attributes=lesion.attributes | own,
        denied=lesion.denied,
    )
    if full.is_empty:
        return facts
    return LesionFacts(lesions=(full,), unread_sizes=facts.unread_sizes)


def _one(term: str | None) -> Lesion:
    """Read one term of an ontology."""
    facts = _kept(prepared(term))
    return facts.lesions[0] if facts.lesions else Lesion()


def size_of(text: str | None) -> Size | None:
    """Read the size in a text that may say nothing else: ``23.0 x 15.0 mm``."""
    found = size_mentions(prepared(text))
    return found[0].size if found else None

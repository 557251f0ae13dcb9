"""How one fact of one lesion compares with the same fact of another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from overread.metrics.facts import FactName
from overread.scoring.facts.facts import Lesion, Size
from overread.scoring.facts.lexicon import Lexicon, lexicon

__all__ = [
    "SIZE_SHARE",
    "SIZE_SLACK_MM",
    "FactVerdict",
    "Outcome",
    "compared",
    "invented",
    "size_text",
    "sizes_agree",
    "spelt",
    "unanswered",
]

Outcome: TypeAlias = Literal["right", "wrong", "missing", "added", "invented"]

SIZE_SHARE: Final = 0.1
SIZE_SLACK_MM: Final = 2.0
"""Two lengths agree when they differ by no more than a tenth of the reference or 2 mm, whichever
is more. Our choice: two readers of one lesion rarely differ by more on CT."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVerdict:
    """What became of one fact."""

    fact: FactName
    outcome: Outcome
    reference: str | None
    """What the reference says, in the lexicon's words; of an attribute, ``kind: value``."""
    prediction: str | None
    """Of an attribute that the reference states too, the value alone, for the kind is the same."""


def compared(reference: Lesion, prediction: Lesion) -> tuple[FactVerdict, ...]:
    """Compare all facts of two lesions, each that either side states."""
    if reference.present != prediction.present:
        return (*_presence(reference, prediction), *unanswered(reference))
    known = lexicon()
    organ = _organ(reference, prediction, known)
    region = _region(reference, prediction)
    elsewhere = any(v.outcome == "wrong" for v in (*organ, *region))
    return (
        *_presence(reference, prediction),
        *region,
        *organ,
        *_side(reference, prediction, elsewhere=elsewhere),
        *_sites(reference, prediction, known, elsewhere=elsewhere),
        *_type(reference, prediction, known),
        *_size(reference.size, prediction.size),
        *_attributes(reference, prediction, known),
    )


def unanswered(reference: Lesion) -> tuple[FactVerdict, ...]:
    """List every fact of a lesion that nothing is said about as missing."""
    return tuple(
        FactVerdict(fact=fact, outcome="missing", reference=value, prediction=None)
        for fact, value in _stated(reference)
    )


def invented(prediction: Lesion) -> tuple[FactVerdict, ...]:
    """List every fact of a lesion that the reference does not speak of."""
    return tuple(
        FactVerdict(fact=fact, outcome="invented", reference=None, prediction=value)
        for fact, value in _stated(prediction)
    )


def _stated(lesion: Lesion) -> Iterable[tuple[FactName, str]]:
    """List the facts of a lesion as the comparison counts them."""
    sets: tuple[tuple[FactName, frozenset[str]], ...] = (
        ("body part", lesion.regions),
        ("organ", lesion.organs),
        ("side", lesion.sides),
        ("type", lesion.types),
    )
    for fact, values in sets:
        if values:
            yield fact, spelt(values)
    for site in sorted(lesion.sites):
        yield "site", site
    if lesion.size is not None:
        yield "size", size_text(lesion.size)
    for kind, value in sorted(lesion.attributes):
        yield "attribute", f"{kind}: {value}"
    for kind, value in sorted(lesion.denied):
        yield "attribute", f"{kind}: not {value}"


def spelt(values: Iterable[str]) -> str:
    """Spell a set of values."""
    return " and ".join(sorted(values))


def size_text(size: Size) -> str:
    """Spell a size in mm."""
    axes = " x ".join(f"{axis:g}" for axis in size.axes_mm)
    if size.high_mm is None:
        return f"more than {axes} mm"
    if size.low_mm != size.high_mm:
        return f"{size.low_mm:g} to {size.high_mm:g} mm"
    return f"{axes} mm"


def _verdict(
    fact: FactName, outcome: Outcome, reference: str | None, prediction: str | None
) -> FactVerdict:
    return FactVerdict(fact=fact, outcome=outcome, reference=reference, prediction=prediction)


def _one_sided(
    fact: FactName, right: Iterable[str], said: Iterable[str]
) -> tuple[FactVerdict, ...] | None:
    """Judge a fact that only one side, or none, states; None where both do."""
    stated, told = spelt(right) or None, spelt(said) or None
    if stated is None and told is None:
        return ()
    if told is None:
        return (_verdict(fact, "missing", stated, None),)
    if stated is None:
        return (_verdict(fact, "added", None, told),)
    return None


def _presence(reference: Lesion, prediction: Lesion) -> tuple[FactVerdict, ...]:
    """Judge whether a lesion is there: nothing is gained by agreeing that one is."""
    if reference.present and prediction.present:
        return ()
    words = {True: "present", False: "absent"}
    same = reference.present == prediction.present
    return (
        _verdict(
            "presence",
            "right" if same else "wrong",
            words[reference.present],
            words[prediction.present],
        ),
    )


def _region(reference: Lesion, prediction: Lesion) -> tuple[FactVerdict, ...]:
    right, said = reference.regions, prediction.regions
    one = _one_sided("body part", right, said)
    if one is not None:
        return one
    outcome: Outcome = "right" if right & said else "wrong"
    if outcome == "wrong" and _near_organs(reference, prediction):
        outcome = "missing"
    return (_verdict("body part", outcome, spelt(right), spelt(said)),)


def _near_organs(reference: Lesion, prediction: Lesion) -> bool:
    known = lexicon()
    return any(
        known.may_be_same_organ(one, other)
        for one in reference.organs
        for other in prediction.organs
    )


def _organ(reference: Lesion, prediction: Lesion, known: Lexicon) -> tuple[FactVerdict, ...]:
    """Judge the organ: the same or a part of it is right, a larger or a near one is missing."""
    right, said = reference.organs, prediction.organs
    one = _one_sided("organ", right, said)
    if one is not None:
        return one
    chains = {organ: known.place_chain(organ) for organ in right | said}
    if right <= said or all(any(a in chains[b] for b in said) for a in right):
        outcome: Outcome = "right"
    elif right & said or any(known.may_be_same_organ(a, b) for a in right for b in said):
        outcome = "missing"
    else:
        outcome = "wrong"
    others = [b for b in said if not any(known.may_be_same_organ(a, b) for a in right)]
    return (
        _verdict("organ", outcome, spelt(right), spelt(said)),
        *_hedges("organ", others if outcome != "wrong" else ()),
    )


def _hedges(fact: FactName, others: Iterable[str]) -> tuple[FactVerdict, ...]:
    """Judge what is said beside the right value: a lesion is one thing in one place."""
    return tuple(_verdict(fact, "invented", None, other) for other in sorted(others))


def _side(reference: Lesion, prediction: Lesion, *, elsewhere: bool) -> tuple[FactVerdict, ...]:
    """Judge the side. The side of another organ may be wrong but is never right."""
    right, said = reference.sides, prediction.sides
    one = _one_sided("side", right, said)
    if one is not None:
        return one
    if right == said:
        outcome: Outcome = "missing" if elsewhere else "right"
    else:
        outcome = "missing" if said < right else "wrong"
    return (_verdict("side", outcome, spelt(right), spelt(said)),)


def _sites(
    reference: Lesion, prediction: Lesion, known: Lexicon, *, elsewhere: bool
) -> tuple[FactVerdict, ...]:
    """Judge parts of an organ one by one; another one of the same group contradicts."""
    found: list[FactVerdict] = []
    said = {site: site_group(site, known) for site in prediction.sites}
    groups = {site_group(site, known) for site in reference.sites}
    for site in sorted(reference.sites):
        group = site_group(site, known)
        others = spelt(name for name, own in said.items() if own == group)
        if site in said and not elsewhere:
            found.append(_verdict("site", "right", site, site))
        elif others and site not in said and not elsewhere:
            found.append(_verdict("site", "wrong", site, others))
        else:
            found.append(_verdict("site", "missing", site, None))
    hit = {site_group(each.reference or "", known) for each in found if each.outcome == "right"}
    for site in sorted(prediction.sites - reference.sites):
        if said[site] in hit:
            found.extend(_hedges("site", (site,)))
        elif said[site] not in groups:
            found.append(_verdict("site", "added", None, site))
    return tuple(found)


def site_group(site: str, known: Lexicon) -> str:
    """Name what a site excludes: ``segment`` for ``segment 7``, else the group of its table."""
    if site in known.places:
        return known.places[site].group or site
    return site.split()[0]


_ANY: Final = frozenset(("lesion",))


def _type(reference: Lesion, prediction: Lesion, known: Lexicon) -> tuple[FactVerdict, ...]:
    """Judge the type: the same or a narrower one is right, a more general one is missing."""
    right, said = reference.types, prediction.types
    one = _one_sided("type", right, said)
    if one is not None:
        return one
    chains = {name: known.type_chain(name) for name in right | said}
    if right & said or right == _ANY or any(a in chains[b] for a in right for b in said):
        outcome: Outcome = "right"
    elif any(known.may_be_same_type(a, b) for a in right for b in said):
        outcome = "missing"
    else:
        outcome = "wrong"
    others = [b for b in said if not any(known.may_be_same_type(a, b) for a in right)]
    return (
        _verdict("type", outcome, spelt(right), spelt(said)),
        *_hedges("type", others if outcome != "wrong" else ()),
    )


def _size(right: Size | None, said: Size | None) -> tuple[FactVerdict, ...]:
    if right is None and said is None:
        return ()
    if said is None:
        return (_verdict("size", "missing", right and size_text(right), None),)
    if right is None:
        return (_verdict("size", "added", None, size_text(said)),)
    same = sizes_agree(right, said, share=SIZE_SHARE, slack_mm=SIZE_SLACK_MM)
    return (_verdict("size", "right" if same else "wrong", size_text(right), size_text(said)),)


def sizes_agree(right: Size, said: Size, *, share: float, slack_mm: float) -> bool:
    """Whether two sizes agree: longest diameters, and the next ones where both are stated."""
    slack = max(share * right.axes_mm[0], slack_mm)
    right_high = float("inf") if right.high_mm is None else right.high_mm
    said_high = float("inf") if said.high_mm is None else said.high_mm
    if right.low_mm - said_high > slack or said.low_mm - right_high > slack:
        return False
    if right.low_mm != right.high_mm or said.low_mm != said.high_mm:
        return True  # a range or a bound has one diameter
    return all(
        abs(a - b) <= max(share * a, slack_mm)
        for a, b in zip(right.axes_mm[1:], said.axes_mm[1:], strict=False)
    )


def _attributes(reference: Lesion, prediction: Lesion, known: Lexicon) -> tuple[FactVerdict, ...]:
    """Judge attributes one by one; another value of an exclusive kind contradicts."""
    found: list[FactVerdict] = []
    used: set[tuple[str, str]] = set()
    for kind, value in sorted(reference.attributes):
        outcome, other = _attribute(kind, value, prediction, known)
        used |= {(kind, said) for name, said in prediction.attributes if name == kind}
        used |= known.excludes.get((kind, value), frozenset()) if outcome == "wrong" else set()
        used.add((kind, value))
        found.append(_verdict("attribute", outcome, f"{kind}: {value}", other))
        if outcome == "right":
            rivals = _rivals(kind, reference, prediction, known)
            found.extend(_hedges("attribute", (f"{kind}: {rival}" for rival in rivals)))
    for kind, value in sorted(reference.denied):
        affirmed = _reaches(kind, value, prediction.attributes, known)
        same = (kind, value) in prediction.denied
        outcome = "wrong" if affirmed else "right" if same else "missing"
        used.add((kind, value))
        told = value if affirmed else f"not {value}" if same else None
        found.append(_verdict("attribute", outcome, f"{kind}: not {value}", told))
    for kind, value in sorted(prediction.attributes - used):
        found.append(_verdict("attribute", "added", None, f"{kind}: {value}"))
    for kind, value in sorted(prediction.denied - used):
        found.append(_verdict("attribute", "added", None, f"{kind}: not {value}"))
    return tuple(found)


def _rivals(kind: str, reference: Lesion, prediction: Lesion, known: Lexicon) -> set[str]:
    """List further values of a kind that neither are, imply nor are implied by the stated ones."""
    narrower = known.kinds[kind].narrower
    right = {value for own, value in reference.attributes if own == kind}
    said = {value for own, value in prediction.attributes if own == kind} - right
    return {
        value
        for value in said
        if narrower.get(value) not in right and all(narrower.get(own) != value for own in right)
    }


def _attribute(
    kind: str, value: str, prediction: Lesion, known: Lexicon
) -> tuple[Outcome, str | None]:
    table = known.kinds[kind]
    said = {name for own, name in prediction.attributes if own == kind}
    if value in said or any(table.narrower.get(name) == value for name in said):
        return "right", spelt(said)
    if (kind, value) in prediction.denied or (
        (kind, table.narrower.get(value)) in prediction.denied
    ):
        return "wrong", f"not {value}"
    if table.narrower.get(value) in said:
        return "missing", spelt(said)  # said, but less exactly
    if said and table.exclusive:
        siblings = table.narrower.get(value)
        near = siblings is not None and any(table.narrower.get(name) == siblings for name in said)
        return ("missing" if near else "wrong"), spelt(said)
    excluded = prediction.attributes & known.excludes.get((kind, value), frozenset())
    if excluded:
        return "wrong", spelt(f"{own}: {name}" for own, name in excluded)
    return "missing", None


def _reaches(kind: str, value: str, attributes: frozenset[tuple[str, str]], known: Lexicon) -> bool:
    """Whether an attribute, or one that implies it, is among those said."""
    table = known.kinds[kind]
    return any(
        own == kind and (name == value or table.narrower.get(name) == value)
        for own, name in attributes
    )

"""Questions of the release that are answered in words: open probes and triplets.

An open probe is the probe of the same id without its options: these are what its replies are read
by. A triplet asks a question, its paraphrase, and the question under a changed condition; its two
answers are what it leaves to choose between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.layout import Case, Probe
from overread.records import Option
from overread.scoring.hidden_options import HiddenChoice

__all__ = ["OPEN", "TRIPLET", "WordQuestion", "word_questions"]

OPEN: Final = "open"
TRIPLET: Final = "triplet"
_SAFE: Final = "E"
_SIDES: Final = (
    # kind, column of the question, the answer that is right
    ("original", "anchor_question", "A"),
    ("tcf", "tcf_question", "A"),
    ("vcf", "vcf_question", "B"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordQuestion:
    """One question that is answered in words."""

    id: str
    task: str
    group: str
    """What it belongs together with: the triplet, or itself."""
    probe: Probe
    """With its picture; without options."""
    gold: str
    """The stated answer; of a trap the safe option."""
    choice: HiddenChoice | None
    """None where nothing is known to read replies by."""


def word_questions(
    data: Path, *, probes: Mapping[str, Probe], cases: Mapping[str, Case]
) -> Iterator[WordQuestion]:
    """Read the open probes, then the triplets, in file order.

    Parameters
    ----------
    data
        The folder of the tables.
    probes
        Those with options, by id.
    cases
        By folded case id.
    """
    seen: set[str] = set()
    for row in layout.read_table(data, layout.OPEN_FILE).rows:
        probe = layout.probe_of(row)
        if probe is not None:
            yield _open(probe, _unused(f"{OPEN}/{probe.id}", seen), probes.get(probe.id))
    for row in layout.read_table(data, layout.TRIPLETS_FILE).rows:
        name = row.get("case_id", "")
        case = cases.get(name.casefold())
        if name and case is not None:
            yield from _triplet(row, case, _unused(f"{TRIPLET}/{name}", seen))


def _unused(name: str, seen: set[str]) -> str:
    """Give a repeated id a name of its own."""
    found = name if name not in seen else f"{name}#{len(seen)}"
    seen.add(found)
    return found


def _open(probe: Probe, name: str, with_options: Probe | None) -> WordQuestion:
    choice, gold = None, probe.expected
    if with_options is not None:
        texts = dict(with_options.choices)
        if with_options.correct in texts:
            options = tuple(Option(letter=k, text=text) for k, text in texts.items())
            safe = _SAFE if _SAFE in texts else None
            choice = HiddenChoice(options=options, right=with_options.correct, safe=safe)
            gold = gold or texts[with_options.correct]
    return WordQuestion(id=name, task=OPEN, group=name, probe=probe, gold=gold, choice=choice)


def _triplet(row: Mapping[str, str], case: Case, name: str) -> Iterator[WordQuestion]:
    golds = {"A": row.get("anchor_gold", ""), "B": row.get("vcf_gold", "")}
    usable = all(golds.values()) and golds["A"].casefold() != golds["B"].casefold()
    options = tuple(Option(letter=letter, text=text) for letter, text in golds.items())
    for kind, column, right in _SIDES:
        question = row.get(column, "")
        if not question:
            continue
        probe = Probe(
            id=f"{name}/{kind}",
            case=case.id,
            kind=kind,
            question=question,
            choices=(),
            correct="",
            image=case.image,
            provenance="",
            expected=golds[right],
        )
        yield WordQuestion(
            id=probe.id,
            task=TRIPLET,
            group=name,
            probe=probe,
            gold=golds[right],
            choice=HiddenChoice(options=options, right=right, safe=None) if usable else None,
        )

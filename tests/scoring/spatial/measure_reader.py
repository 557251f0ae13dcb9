"""How well the spatial reader reads: `python tests/scoring/spatial/measure_reader.py RELEASE`.

RELEASE is the folder of the released CT-SpatialVQA files. The labels beside this file were set one
by one, by a single annotator, before the reader's own readings were seen; they hold ids and labels,
no released text. Patients whose id hashes to 0 modulo 3 are held out: no word of theirs was looked
at while the reader was made, but for those of `SEEN`, which no held-out figure counts.

Printed for each sample: precision and recall of every fact over references and replies, and how the
reader's verdict agrees with the label. Then, over all closed questions of all held-out patients and
the five models with released answers, how it agrees with the released judges' majority.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from overread.scoring.spatial.compare import Verdict, compare
from overread.scoring.spatial.forms import CLOSED_FORMS, asked, question_form
from overread.scoring.spatial.reader import Facts, read_facts

LABELS = Path(__file__).parent / "labels"
MODELS = ("m3d", "med3dvlm", "merlin", "radfm", "vila_m3_vista3d")
SEEN = frozenset(
    f"valid_{n}" for n in (34, 57, 127, 346, 576, *range(1000, 1006), 1152, 1184, 1281)
)
JUDGES = ("gemini2.5_eval_full", "gpt_eval", "qwen_eval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The released questions, answers, replies and votes, joined by case, question and answer."""

    questions: dict[str, tuple[str, str]]
    """Item id → question and reference."""
    replies: dict[tuple[str, str], str]
    """(model, item id) → reply."""
    votes: dict[tuple[str, str], list[bool]]


@dataclass(slots=True)
class Measured:
    """Counts of one sample."""

    facts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Fact → how many values are ``hit``, ``extra`` and ``missed``."""
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(label, reading) → how many."""

    @property
    def agreement(self) -> float:
        """Share of verdicts that agree."""
        same = sum(n for (label, read), n in self.verdicts.items() if label == read)
        return same / self.verdicts.total()

    def precision(self, fact: str) -> float:
        """Share of the values read that are right."""
        count = self.facts[fact]
        return count["hit"] / (count["hit"] + count["extra"])

    def recall(self, fact: str) -> float:
        """Share of the values stated that were read."""
        count = self.facts[fact]
        return count["hit"] / (count["hit"] + count["missed"])


def is_held_out(item: str) -> bool:
    """Whether an item's patient was kept from sight: a third of them, by hash."""
    patient = "_".join(item.split("_")[:2])
    return patient not in SEEN and hashlib.sha256(patient.encode()).digest()[0] % 3 == 0


def load(release: Path) -> Pairs:
    """Read the released files."""
    questions: dict[str, tuple[str, str]] = {}
    places: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    released = json.loads((release / "spatial_qa_filtered_full.json").read_text("utf-8"))
    for case, entry in released.items():
        for index, pair in enumerate(entry["qa_pairs"]):
            item = f"{case}::{index}"
            questions[item] = (pair["question"], pair["answer"])
            places[case, pair["question"], pair["answer"]].append(item)
    pairs = Pairs(questions=questions, replies={}, votes=defaultdict(list))
    for model in MODELS:
        by_text: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for row, item in _rows(release, model, places):
            pairs.replies[model, item] = row["prediction"]
            by_text[row["question"], row["answer"], row["prediction"]].append(item)
        for item, vote in _votes(release, model, by_text):
            pairs.votes[model, item].append(vote)
    return pairs


def _rows(
    release: Path, model: str, places: dict[tuple[str, str, str], list[str]]
) -> Iterator[tuple[dict[str, Any], str]]:
    seen: Counter[tuple[str, str, str]] = Counter()
    file = release / "predictions" / f"{model}_predictions_full.jsonl"
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        case = row["image_path"].rsplit("/", 1)[-1].split(".", 1)[0] + ".nii.gz"
        key = case, row["question"], row["answer"]
        yield row, places[key][seen[key]]
        seen[key] += 1


def _votes(
    release: Path, model: str, by_text: dict[tuple[str, str, str], list[str]]
) -> Iterator[tuple[str, bool]]:
    """Join votes by question, answer and reply: equal texts are equally judged, in any order."""
    for judge in JUDGES:
        file = release / "llm_eval" / f"{model}_{judge}.json"
        if not file.is_file():
            continue
        seen: Counter[tuple[str, str, str]] = Counter()
        for row in json.loads(file.read_text("utf-8")):
            key = row["question"], row["answer"], row["prediction"]
            items = by_text.get(key, [])
            if seen[key] < len(items) and row["is_correct"] is not None:
                yield items[seen[key]], bool(row["is_correct"])
            seen[key] += 1


def measure(pairs: Pairs, sample: str) -> Measured:
    """Compare the reader with the labels of one sample."""
    measured = Measured()
    for line in (LABELS / f"{sample}.jsonl").read_text("utf-8").splitlines():
        label = json.loads(line)
        question, reference = pairs.questions[label["item"]]
        reply = pairs.replies[label["model"], label["item"]]
        for text, facts in ((reference, label["reference"]), (reply, label["reply"])):
            read = read_facts(text, question=question)
            for fact, values in facts.items():
                if fact == "segment" and "segment" not in asked(question).facts:
                    continue
                found, stated = values_of(read, fact), set(values)
                measured.facts[fact]["hit"] += len(found & stated)
                measured.facts[fact]["extra"] += len(found - stated)
                measured.facts[fact]["missed"] += len(stated - found)
        measured.verdicts[label["verdict"], named(compare(question, reference, reply))] += 1
    return measured


def values_of(facts: Facts, fact: str) -> set[str]:
    """Give the values of one fact as the labels spell them."""
    if fact == "polarity":
        return {facts.polarity} if facts.polarity else set()
    if fact == "count":
        return set() if facts.count is None else {str(facts.count)}
    if fact == "side":
        rest = {"one"} if facts.one_side else {"none"} if facts.absent else set[str]()
        return set(facts.sides) or rest
    sets = {
        "height": facts.heights,
        "depth": facts.depths,
        "centrality": facts.centralities,
        "lobe": facts.lobes,
        "segment": facts.segments,
    }
    return set(sets[fact])


def named(verdict: Verdict) -> str:
    """Name a verdict as the labels do: what is not right counts as wrong."""
    if verdict.status == "undefined":
        return "undefined"
    return "right" if verdict.value == 1.0 else "wrong"


def form_agreement(pairs: Pairs) -> tuple[int, int]:
    """Count labelled questions whose form is as labelled; `where` and `open` are one."""
    rows = [json.loads(line) for line in (LABELS / "forms.jsonl").read_text("utf-8").splitlines()]
    forms = [question_form(pairs.questions[row["item"]][0]) for row in rows]
    closed = [form if form in CLOSED_FORMS else None for form in forms]
    return sum(row["form"] == form for row, form in zip(rows, closed, strict=True)), len(rows)


def with_jury(pairs: Pairs) -> dict[str, Counter[tuple[bool, bool]]]:
    """Count (jury, reader) over closed questions of held-out patients: majority of two or three."""
    table: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for (model, item), reply in pairs.replies.items():
        question, reference = pairs.questions[item]
        form = question_form(question)
        votes = pairs.votes[model, item]
        if form not in CLOSED_FORMS or not is_held_out(item) or len(votes) < 2:
            continue
        verdict = compare(question, reference, reply)
        if verdict.status != "undefined" and sum(votes) * 2 != len(votes):
            table[form][sum(votes) * 2 > len(votes), verdict.value == 1.0] += 1
    return table


def main(release: Path) -> None:
    """Print all of it."""
    pairs = load(release)
    for sample in sorted(path.stem for path in LABELS.glob("*.jsonl") if path.stem != "forms"):
        found = measure(pairs, sample)
        print(f"\n{sample}: {found.verdicts.total()} replies, verdicts agree {found.agreement:.3f}")
        print("  label/read:", {"/".join(pair): n for pair, n in sorted(found.verdicts.items())})
        for fact, count in found.facts.items():
            print(
                f"  {fact:<11}precision {found.precision(fact):.3f}"
                f"  recall {found.recall(fact):.3f}  of {count['hit'] + count['missed']} stated"
            )
    print("\nforms as labelled: {} of {}".format(*form_agreement(pairs)))
    print("\nheld-out patients, five models: jury and reader")
    total: Counter[tuple[bool, bool]] = Counter()
    for form, table in [*sorted(with_jury(pairs).items()), ("all", total)]:
        if form != "all":
            total += table
        same = table[True, True] + table[False, False]
        print(
            f"  {form:<11}n {table.total():>5}  agree {same / table.total():.3f}"
            f"  only jury {table[True, False]:>3}  only reader {table[False, True]:>3}"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

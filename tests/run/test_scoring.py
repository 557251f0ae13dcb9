from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from open_release import OpenRelease, WordScorer, write_run

from overread.contracts import Scorer
from overread.records import Item, Profile, Reference, Response, Score
from overread.run.scoring import score_run
from overread.store.run_store import RunStore


@dataclass(frozen=True, kw_only=True)
class AtOnce(WordScorer):
    """The same rows, all responses at once."""

    calls: list[int] = field(default_factory=list[int])

    def score(self, item: Item, reference: Reference, response: Response) -> Iterable[Score]:
        raise AssertionError("one by one")

    def score_all(self, rows: Sequence[tuple[Item, Reference, Response]]) -> Iterable[Score]:
        self.calls.append(len(rows))
        for row in rows:
            yield from WordScorer(profile=self.profile).score(*row)


@dataclass(frozen=True, kw_only=True)
class Mixed(OpenRelease):
    """One profile is scored at once, the other one by one."""

    calls: list[int] = field(default_factory=list[int])

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        if profile == "published":
            return (AtOnce(profile=profile, calls=self.calls),)
        return (WordScorer(profile=profile),)


def test_a_scorer_of_many_gets_all_responses_at_once(tmp_path: Path) -> None:
    release = Mixed(root=tmp_path)
    path = write_run(release, tmp_path / "run.sqlite")
    with RunStore.open(path, write=True) as store:
        score_run(store, release)
        scores = store.scores()
    assert release.calls == [12]
    by_profile: dict[Profile, dict[str, float | None]] = {"published": {}, "honest": {}}
    for score in scores:
        by_profile[score.profile][score.item] = score.value
    assert by_profile["published"] == by_profile["honest"]
    assert len(by_profile["honest"]) == 12


def test_nobody_was_asked_to_judge_and_there_are_no_rows_of_judges(tmp_path: Path) -> None:
    release = OpenRelease(root=tmp_path)
    path = write_run(release, tmp_path / "run.sqlite")
    with RunStore.open(path, write=True) as store:
        score_run(store, release)
        assert {score.metric for score in store.scores()} == {"accuracy"}

from __future__ import annotations

import json
import shutil

import pytest

from overread.contracts import ModelOptions
from overread.errors import ModelError, ReleaseError
from overread.imaging.render import PictureRenderer
from overread.registry import find_benchmark, open_model
from overread.run.finetuning.validation import TOTAL, ValidationExam
from overread.run.pipeline import execute
from overread.store.run_store import RunStore


@pytest.fixture(scope="module")
def release(release_root):
    return find_benchmark("ct-bench").open(release_root)


@pytest.fixture(scope="module")
def exam(release):
    return ValidationExam(release, PictureRenderer(release.media_root))


def test_it_asks_and_scores_as_a_run_on_the_validation_split_does(exam, request_for, release):
    request = request_for("constant:B", limit=None, selection={"split": "validation"})
    execute(request, release=release)
    with RunStore.open(request.out) as store:
        rows = [
            each
            for each in store.estimates()
            if (each.metric, each.profile) == ("accuracy", "honest")
            and each.stratum.keys() <= {"box"}
        ]
    shares = exam.ask(open_model("constant:B", ModelOptions()))
    assert shares.keys() == {TOTAL, "box", "no-box"}
    for row in rows:
        share = shares[row.stratum.get("box", TOTAL)]
        assert (share.n, share.accuracy) == (row.n, row.value)
        assert (share.low, share.high, share.chance) == (row.low, row.high, row.chance)
    assert shares[TOTAL].n == exam.n == shares["box"].n + shares["no-box"].n


class _Silent:
    """Fails on one question, says nothing to the second, answers A to the others."""

    def __init__(self):
        self.asked = 0

    async def ask(self, query):
        self.asked += 1
        if self.asked == 1:
            raise ModelError("no")
        reply = "" if self.asked == 2 else json.dumps({"selected_option": "A"})
        return type("Reply", (), {"text": reply})()


def test_what_is_not_answered_stays_in_the_denominator(exam):
    heard = []
    shares = exam.ask(_Silent(), on_question=heard.append)
    assert heard == list(range(1, exam.n + 1))
    assert shares[TOTAL].n == exam.n
    assert shares[TOTAL].n_answered == exam.n - 2


def test_a_release_without_validation_questions_is_refused(release_root, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(release_root, root, ignore=shutil.ignore_patterns("*.png"))
    for name in ("qa_llm.json", "qa_clip.json"):
        entries = json.loads((root / name).read_text(encoding="utf-8"))
        kept = [entry for entry in entries if entry["split"] == "test"]
        (root / name).write_text(json.dumps(kept), encoding="utf-8")
    bare = find_benchmark("ct-bench").open(root)
    with pytest.raises(ReleaseError, match="expected questions of the split validation"):
        ValidationExam(bare, PictureRenderer(bare.media_root))

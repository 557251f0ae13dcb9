import pytest

from overread.contracts import ModelOptions, Selection
from overread.records import Choice, Item, Media, ModelIdentity, Option
from overread.registry import find_benchmark, open_model
from overread.run.manifest import make_manifest
from overread.run.planning import identity_of, make_plan
from overread.store.run_store import RunStore


@pytest.fixture
def release(release_root):
    return find_benchmark("ct-bench").open(release_root)


@pytest.fixture
def store(release, tmp_path):
    manifest = make_manifest(
        release, identity=ModelIdentity(kind="k", name="n"), selection=Selection(), draws=1,
        seed=0, command="",
    )  # fmt: skip
    with RunStore.create(tmp_path / "run", manifest) as opened:
        yield opened


def item(path, n_options=4):
    options = tuple(Option(letter=letter) for letter in "ABCDE"[:n_options])
    return Item(
        id=path, benchmark="b", task="t", condition="c", question="?",
        media=(Media(paths=(path,)),), answer_space=Choice(options=options),
    )  # fmt: skip


def plan(items, **changes):
    given = {"identity": ModelIdentity(kind="k", name="n"), "hashes": {}, "draws": 1,
             "protocol_version": "1"}  # fmt: skip
    return make_plan(items, **(given | changes))


def test_items_times_draws_under_different_hashes():
    lines = [each.line for each in plan([item("a"), item("b", 5)], draws=2)]
    assert [(line.item, line.draw) for line in lines] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert len({line.request_hash for line in lines}) == 4
    assert [line.chance for line in lines] == [0.25, 0.25, 0.2, 0.2]


def test_no_options_have_no_chance():
    assert plan([item("a", 0)])[0].line.chance is None


def test_other_pixels_are_another_request():
    one, two = (plan([item("a")], hashes={"a": digest})[0].line for digest in ("0" * 64, "1" * 64))
    assert one.request_hash != two.request_hash


def test_what_a_reader_learnt_is_part_of_it(release):
    reader = open_model("majority", ModelOptions())
    identity, training = identity_of(reader, release, Selection())
    assert training.exam
    assert len(identity.settings["learned_from"]) == 64
    other, _ = identity_of(reader, release, Selection(split="validation"))
    assert other != identity
    assert identity_of(open_model("chance", ModelOptions()), release, Selection())[1] is None

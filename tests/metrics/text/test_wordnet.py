from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from overread.errors import UsageError
from overread.metrics.text.wordnet import WORDNET_VARIABLE, WordNet, find_wordnet, open_wordnet


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("lung", {"lung"}),
        ("LUNGS", {"LUNGS", "lung"}),  # "s" falls off
        ("lunges", {"lunges", "lung"}),  # an exception of its own
        ("node", {"node", "knot"}),  # "lymph_node" is two words
        ("knots", {"knots", "node", "knot", "Mile"}),  # two meanings; names keep their capital
        ("calmer", {"calmer", "calm", "still"}),  # without the mark of its place, "(p)"
        ("pneumothorax", {"pneumothorax"}),
        ("", {""}),
    ],
)
def test_synonyms_of_a_small_wordnet(small_wordnet: Path, word: str, synonyms: set[str]) -> None:
    wordnet = WordNet(small_wordnet)
    assert wordnet.synonyms(word) == synonyms
    assert wordnet.synonyms(word) == synonyms  # from memory this time


def test_an_exception_is_not_cut_by_the_rules_as_well(small_wordnet: Path) -> None:
    # With "nodes mile" among the exceptions, "nodes" no longer leads to "node".
    (small_wordnet / "noun.exc").write_text("nodes mile\n", "ascii")
    assert WordNet(small_wordnet).synonyms("nodes") == {"nodes", "Mile", "knot"}


def test_synonyms_of_the_real_wordnet(wordnet: WordNet) -> None:
    # As `wn lung -synsn` and its fellows print them.
    assert wordnet.synonyms("lungs") == {"lungs", "lung"}
    assert {"tumor", "tumour", "neoplasm"} <= wordnet.synonyms("tumors")
    assert {"correct", "right", "proper"} <= wordnet.synonyms("right")


def test_the_named_folder_comes_first(small_wordnet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WORDNET_VARIABLE, os.fspath(small_wordnet))
    assert find_wordnet() == small_wordnet
    assert open_wordnet().folder == small_wordnet


@pytest.mark.usefixtures("no_wordnet")
def test_nltk_data_is_found(
    small_wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "nltk"
    (place / "corpora").mkdir(parents=True)
    small_wordnet.rename(place / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", f"{tmp_path / 'none'}{os.pathsep}{place}")
    assert find_wordnet() == place / "corpora" / "wordnet"


@pytest.mark.usefixtures("no_wordnet")
def test_what_nltk_downloads_is_read_as_it_comes(
    small_wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora = tmp_path / "nltk" / "corpora"
    corpora.mkdir(parents=True)
    shutil.make_archive(os.fspath(corpora / "wordnet"), "zip", tmp_path, "wordnet")
    monkeypatch.setenv("NLTK_DATA", os.fspath(tmp_path / "nltk"))
    found = find_wordnet()
    assert found == corpora / "wordnet.zip"
    assert WordNet(found).synonyms("knots") == WordNet(small_wordnet).synonyms("knots")


def test_a_zip_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wordnet.zip").write_bytes(b"no zip")
    with pytest.raises(UsageError, match=r"a folder with the file index\.noun"):
        WordNet(tmp_path / "wordnet.zip")


@pytest.mark.usefixtures("no_wordnet")
def test_without_wordnet_the_message_says_what_to_install() -> None:
    with pytest.raises(UsageError, match=r"apt-get install wordnet-base.*OVERREAD_WORDNET"):
        open_wordnet()


@pytest.mark.parametrize("name", ["index.verb", "data.adj", "adv.exc"])
def test_a_missing_file_is_named(small_wordnet: Path, name: str) -> None:
    (small_wordnet / name).unlink()
    with pytest.raises(UsageError, match=f"a folder with the file {name}"):
        WordNet(small_wordnet)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("index.noun", "lung n x 0 1 0 00000000\n", "lung"),
        ("index.noun", "lung n\n", "lung"),
        ("index.noun", "lung n 1 0 1 0 00000003\n", "lung"),
        ("data.noun", "", "lung"),
        ("data.noun", "\n" * 500, "lung"),
    ],
)
def test_damaged_files_are_refused(small_wordnet: Path, name: str, text: str, word: str) -> None:
    (small_wordnet / name).write_text(text, "ascii")
    with pytest.raises(UsageError, match=f"{name.replace('index', '(index|data)')}.*damaged"):
        WordNet(small_wordnet).synonyms(word)

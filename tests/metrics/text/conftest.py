from __future__ import annotations

import os
from pathlib import Path

import pytest

from overread.metrics.text.wordnet import WordNet, find_wordnet, open_wordnet


@pytest.fixture(scope="session")
def wordnet() -> WordNet:
    """The real WordNet 3.0 of this computer."""
    if find_wordnet() is None:
        pytest.skip("no WordNet: apt-get install wordnet-base, or set OVERREAD_WORDNET")
    return open_wordnet()


@pytest.fixture
def small_wordnet(tmp_path: Path) -> Path:
    """Six words in WordNet's own form: "lung" has one meaning, "knot" is a "node" or a "mile"."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    licence = "  1 This stands for the licence.\n"
    nouns = {
        "lung": ["05 n 01 lung 0 001 @ 00000000 n 0000 | a breather"],
        "node": ["05 n 03 node 0 knot 0 lymph_node 1 000 | a small lump"],
        "mile": ["05 n 02 Mile 0 knot 1 000 | a speed"],
    }
    data, offsets = licence, {}
    for word, (line,) in nouns.items():
        offsets[word] = len(data)
        data += f"{len(data):08d} {line}\n"
    index = licence
    for word, meanings in sorted(
        {"lung": ["lung"], "node": ["node"], "knot": ["node", "mile"], "mile": ["mile"]}.items()
    ):
        places = " ".join(f"{offsets[meaning]:08d}" for meaning in meanings)
        index += f"{word} n {len(meanings)} 1 @ {len(meanings)} 0 {places}\n"
    files = {"data.noun": data, "index.noun": index, "noun.exc": "lunges lung\n"}
    adjective = f"{len(licence):08d} 00 a 02 calm(p) 0 still 0 000 | at rest\n"
    files |= {"data.adj": licence + adjective}
    files |= {"index.adj": f"{licence}calm a 1 0 1 0 {len(licence):08d}\n"}
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (folder / name).write_text(files.get(name, ""), "ascii")
    return folder


@pytest.fixture
def no_wordnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer where nothing is found."""
    monkeypatch.delenv("OVERREAD_WORDNET", raising=False)
    monkeypatch.setenv("NLTK_DATA", os.fspath(tmp_path / "nowhere"))
    monkeypatch.setattr("overread.metrics.text.wordnet._DEBIAN", tmp_path / "nowhere")
    monkeypatch.setattr("overread.metrics.text.wordnet._USUAL", ())

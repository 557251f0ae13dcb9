from __future__ import annotations

import pytest

from overread.embedding.sentences import open_sentence_model
from overread.errors import MissingExtraError
from overread.metrics.text.cosine import cosine
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.reader import read_facts


@pytest.mark.torch
def test_embeddings_do_not_see_the_side() -> None:
    """The contradiction is likelier to them than the same fact in other words."""
    texts = ["left lung nodule", "right lung nodule", "pulmonary nodule on the left"]
    try:
        vectors = open_sentence_model().embed(texts)
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    wrong, right = cosine(vectors[[0, 0]], vectors[1:])
    assert wrong > 0.9
    assert wrong > right
    facts = [read_facts(text) for text in texts]
    assert compare_facts(facts[0], facts[1]).score == 0.5
    assert compare_facts(facts[0], facts[2]).score == 1.0

from __future__ import annotations

import pytest

from overread.errors import UsageError
from overread.models.clip.finetune.settings import TrainingSettings


def test_the_defaults_are_those_of_the_published_script():
    # arXiv 2602.14879, training/fine_tune.py: Adam, 5e-5, batch 64, 2 epochs.
    settings = TrainingSettings()
    assert (settings.epochs, settings.batch_size, settings.learning_rate) == (2, 64, 5e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("batch_size", 1),
        ("seed", -1),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
    ],
)
def test_values_out_of_range_are_refused(name, value):
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}: expected a .*, got"):
        TrainingSettings(**{name: value})

"""What `overread gap` prints and refuses."""

from __future__ import annotations

import json

import pytest

from overread.benchmarks.trials import BENCHMARK
from overread.cli import main


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("gap")
    release, file = folder / "release", folder / "careful.sqlite"
    BENCHMARK.synthesise(release, seed=7, size=8)
    masks = f"masks:{release / 'team-careful' / 'predictions'}"
    assert call("run", "trials", str(release), "--model", masks, "--out", str(file)) == 0
    return str(file)


def test_the_gap_between_two_phases(run, capsys):
    assert call("gap", run, "--by", "phase", "--between", "venous, noncontrast") == 0
    printed = capsys.readouterr()
    assert "dice, honest profile, in 2 patients" in printed.out
    assert "read the interval with care" in printed.out + printed.err


def test_json_for_machines(run, capsys):
    code = call("gap", run, "--by", "phase", "--between", "venous,noncontrast", "--json")
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (found["n_pairs"], found["unit"]) == (2, "patient")
    # Lesions stand out less without contrast, and the team finds less of them.
    assert found["value"] == pytest.approx(found["first_mean"] - found["second_mean"])
    assert found["value"] > 0


@pytest.mark.parametrize("between", ["venous", "venous,venous", ",venous", "a,b,c"])
def test_two_values_are_needed(run, between, capsys):
    assert call("gap", run, "--by", "phase", "--between", between) == 2
    assert "two values parted by a comma" in capsys.readouterr().err

import pytest

from overread import registry
from overread.contracts import ModelOptions
from overread.errors import UsageError


def test_built_in_names_are_found_without_a_list():
    assert "ct-bench" in registry.benchmark_names()
    assert {"baselines", "chat", "command", "fake", "predictions", "python"} <= set(
        registry.model_names()
    )
    assert not any(name.startswith("-") for name in registry.benchmark_names())


def test_an_unknown_benchmark_lists_the_known_ones():
    with pytest.raises(UsageError, match="one of autopet3"):
        registry.find_benchmark("ct-bank")


def test_an_unknown_model_lists_adapters_and_readers():
    with pytest.raises(UsageError, match=r"chat.*chance"):
        registry.open_model("gpt", ModelOptions())


def test_a_bare_word_is_a_built_in_reader():
    assert registry.open_model("chance", ModelOptions()).identity.label == "baselines:chance"


def test_metrics_declare_themselves():
    names = [spec.name for spec in registry.metric_specs()]
    assert names == sorted(names)
    assert {"accuracy", "accuracy_answered", "no_answer"} <= set(names)


def test_audits_are_those_modules_that_hold_one():
    names = registry.audit_names()
    assert list(names) == sorted(names)
    assert {"row-joins", "denominators", "human-audit"} <= set(names)
    assert not {"joins", "shipped", "reproduce"} & set(names)  # what audits are made of
    assert registry.find_audit("row-joins").summary


def test_an_unknown_audit_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"--only: expected one of .*row-joins"):
        registry.find_audit("joins")

import pytest

from overread import errors
from overread.errors import MissingExtraError, OverreadError, expected

FUNCTIONS = {"expected", "first_error", "listed"}


def test_every_error_hangs_on_the_tree_and_is_public():
    kinds = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert kinds == {name for name in errors.__all__ if name not in FUNCTIONS}
    assert all(issubclass(getattr(errors, name), OverreadError) for name in kinds)
    assert all(name in (errors.__doc__ or "") for name in kinds)


@pytest.mark.parametrize("kind", [k for k in errors.__all__ if k not in FUNCTIONS])
def test_exit_status_is_wrong_use_or_stopped(kind):
    assert getattr(errors, kind).exit_status in (2, 3)


def test_long_values_are_cut():
    message = expected("reply", rule="a letter", got="x" * 5000, remedy="Ask again.")
    assert len(message) < 500
    assert "(5000 characters)" in message


def test_a_missing_extra_says_what_to_install():
    assert "pip install 'overread[torch]'" in str(MissingExtraError("clip", extra="torch"))

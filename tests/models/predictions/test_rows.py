from pathlib import Path

import pytest

from overread.errors import UsageError
from overread.models.predictions.rows import read_rows


@pytest.mark.parametrize("name", ["a" * 10_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_wrong_use(name):
    with pytest.raises(UsageError, match="a file of predictions"):
        read_rows(Path(name))

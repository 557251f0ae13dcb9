from __future__ import annotations

import pytest

from overread.scoring.reading import Rule
from overread.scoring.reply_text import normalise, plain, strip_thinking


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("Ｂ：Ｌｅｆｔ", "B:Left"),
        ("Ⓐ⒝①", "A(b)1"),
        ("🅱️🄱", "BB"),
        ("a\u200bb\ufeff", "ab"),
        ("“B” ‘x’", "\"B\" 'x'"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("é 左腎", "é 左腎"),
    ],
)
def test_look_alikes_become_plain(raw: str, clean: str) -> None:
    assert normalise(raw) == clean


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        ("<think>x</think>B", "B"),
        ("<THINKING>x</THINKING> B", " B"),
        ("x</think>B", "B"),
        ("<think>a <think> b</think>B", "B"),
        ("<think>a</think>B<think>c</think>D", "BD"),
        ("I think B", "I think B"),
        ("B < 3 and B > 1", "B < 3 and B > 1"),
    ],
)
def test_thinking_is_taken_away(raw: str, left: str) -> None:
    assert strip_thinking(raw) == (left, None)


@pytest.mark.parametrize("raw", ["<think>B", "B<think>", "<think>a</think>B<think>", "◁think▷B"])
def test_an_unclosed_block_leaves_nothing(raw: str) -> None:
    assert strip_thinking(raw) == ("", Rule.UNCLOSED_THINKING)


def test_markup_goes_and_lines_stay() -> None:
    assert plain("**B**  `x`\t__y__\n\n\n \n\\(z\\)") == "B x y\n\nz"

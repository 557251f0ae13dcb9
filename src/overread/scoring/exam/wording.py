"""The pieces that prompts of Japanese exams are put together from; the sentences are ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from overread.records import AnswerSpace, Media, MultiChoice, Number, Option, Part

__all__ = ["exam_parts", "question_lines"]


def question_lines(question: str, space: AnswerSpace, options: Sequence[Option]) -> list[str]:
    """Put a question, its options and how many to choose into lines.

    An option that the release has lost is not named.
    """
    lines = [f"問題：{question}"] if question else []
    if options:
        told = (f"{option.letter}. {option.text}" for option in options if option.text)
        lines += ["選択肢：", *told]
    if isinstance(space, MultiChoice) and space.count:
        lines.append(f"選ぶ数：{space.count}")
    if isinstance(space, Number):
        lines.append("数値で答える問題です。")
    return lines


def exam_parts(system: str, lines: Iterable[str], media: Iterable[Media]) -> tuple[Part, ...]:
    """Give a prompt: the rules of the form, the words of the question, then its figures."""
    return (
        Part(role="system", text=system),
        Part(text="\n".join(lines)),
        *(Part(media=one) for one in media),
    )

"""What is asked of a release: the selection as the model takes it, and that it is not empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from overread.contracts import ArrayReader, Model, Release, Selection
from overread.errors import UsageError, expected
from overread.imaging.recipes import RECIPES
from overread.records import Item, Text
from overread.run.request import RunRequest

__all__ = ["check_selected", "fit_selection"]


def fit_selection(request: RunRequest, model: Model, release: Release) -> Selection:
    """Fit the selection to the model: its question format, and its way of seeing stacks.

    Raises
    ------
    UsageError
        The benchmark does not show stacks in the way asked for.
    """
    usual = "features" if model.form == "clip" else "images"
    stack = request.stack or (usual if usual in release.card.stacks else release.card.stacks[0])
    if stack not in release.card.stacks:
        raise UsageError(
            expected(
                "--stack",
                rule="one of " + ", ".join(release.card.stacks),
                got=repr(stack),
                remedy="Leave it out for the usual way.",
            )
        )
    if stack == "features" and model.form == "chat":
        raise UsageError(
            expected(
                "--stack",
                rule="images or mosaic for a chat model",
                got="features, which only image-text scorers weigh",
                remedy="Leave it out for the usual way.",
            )
        )
    recipe = _fit_recipe(request.selection.recipe, model, release)
    return replace(request.selection, form=model.form, stack=stack, recipe=recipe)


def _fit_recipe(name: str | None, model: Model, release: Release) -> str | None:
    """Settle how volumes are prepared, and that the model can take what comes of it."""
    known = release.card.recipes
    if not known:
        if name is not None:
            raise UsageError(
                expected(
                    "--recipe",
                    rule=f"nothing: {release.card.name} has no volumes",
                    got=repr(name),
                    remedy="Leave it out.",
                )
            )
        return None
    chosen = name or known[0]
    if chosen not in known:
        raise UsageError(
            expected(
                "--recipe",
                rule="one of " + ", ".join(known),
                got=repr(chosen),
                remedy="'overread list recipes' describes them.",
            )
        )
    gives_array = RECIPES[chosen].output == "array"
    takes_array = isinstance(model, ArrayReader) and model.reads_arrays
    if model.sees and gives_array and not takes_array:
        raise UsageError(
            expected(
                "--recipe",
                rule=f"a preparation that gives pictures, for {model.identity.label}",
                got=f"{chosen}, which gives an array file",
                remedy="Take one of "
                + ", ".join(each for each in known if RECIPES[each].output != "array")
                + ", or a command: or python: model, which open array files.",
            )
        )
    return chosen


def check_selected(items: Sequence[Item], selection: Selection, release: Release) -> None:
    """Raise UsageError when nothing was selected, a name selects nothing, or none can be answered.

    A misspelt second task would otherwise leave a score over fewer questions in silence. A name
    that the card does not know is told first: it empties the selection of every other argument.
    An image-text scorer is asked nothing that has no options.
    """
    card = release.card
    named = (
        ("--task", selection.tasks, card.tasks, {item.task for item in items}),
        (
            "--condition",
            selection.conditions,
            card.conditions,
            {item.condition.partition("+")[0] for item in items},
        ),
    )
    lost = [
        (argument, known, [name for name in wanted or () if name not in found])
        for argument, wanted, known, found in named
    ]
    # Unknown names come first: the sort is stable, and False is before True.
    for argument, known, names in sorted(lost, key=lambda each: set(each[2]) <= set(each[1])):
        if names:
            raise UsageError(
                expected(
                    argument,
                    rule=f"names of questions in split {selection.split}, of {', '.join(known)}",
                    got=", ".join(map(repr, names)),
                    remedy=f"'overread check {release.card.name} RELEASE' counts what there is.",
                )
            )
    if not items:
        raise UsageError(
            expected(
                "--split",
                rule=f"a split with questions, of {', '.join(release.card.splits)}",
                got=repr(selection.split),
                remedy=f"'overread check {release.card.name} RELEASE' counts what there is.",
            )
        )
    if selection.form == "clip":
        _check_options(items, selection)


def _check_options(items: Sequence[Item], selection: Selection) -> None:
    """Raise UsageError where a task that is named, or all of the exam, asks for free text."""
    with_options = {item.task for item in items if not isinstance(item.answer_space, Text)}
    without = [name for name in selection.tasks or () if name not in with_options]
    if without or not with_options:
        raise UsageError(
            expected(
                "--task" if without else "--model",
                rule="questions with options, for an image-text scorer"
                if without
                else "a model that writes text, for questions without options",
                got=", ".join(map(repr, without)) if without else "an image-text scorer",
                remedy="Ask for text of a chat:, command: or python: model.",
            )
        )

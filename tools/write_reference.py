"""Writes docs/reference from the code, and checks that documented commands still exist.

``--check`` writes nothing and fails when a page is not what the code says today, or when a command
in a ```console block of README.md or docs/ would be refused by the command line.
"""

import importlib
import pkgutil
import re
import shlex
import sys
from pathlib import Path

from overread.cli import app

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
LAYERS = (
    "records", "contracts", "errors", "registry", "metrics", "stats", "scoring", "store",
    "imaging", "embedding", "models", "benchmarks", "perturb", "analysis", "audits", "builders",
    "run", "report",
)  # fmt: skip


def pages() -> dict[str, str]:
    """Give the text of every page of the reference by file name."""
    found = {"commands.md": commands_page()}
    for layer in LAYERS:
        found[f"{layer}.md"] = layer_page(layer)
    return found


def commands_page() -> str:
    """List every command with its options, as the command line knows them."""
    body = app.generate_docs(output_format="markdown", heading_level=2, recursive=True)
    body = re.sub(r"^#+ overread\n", "", body, count=1)
    return f"# Commands\n\n{plain(body)}\n"


def plain(text: str) -> str:
    """Drop what differs between terminals: anchors, trailing blanks, empty runs."""
    text = re.sub(r"\{#[^}]*\}", "", text)
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def layer_page(layer: str) -> str:
    """List the public modules of a layer; Sphinx fills in their docstrings."""
    package = importlib.import_module(f"overread.{layer}")
    names = [package.__name__]
    if hasattr(package, "__path__"):
        names += [
            module.name
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
            if not any(part.startswith("_") for part in module.name.split("."))
        ]
    parts = [f"# overread.{layer}\n"]
    for name in names:
        if name != package.__name__:
            parts.append(f"## {name}\n")
        parts.append(f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n")
    return "\n".join(parts)


def documented_commands() -> list[tuple[str, str]]:
    """Find ``$ overread …`` lines in console blocks, as (where, command)."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
            joined = re.sub(r"\\\n\s*>?\s*", " ", block)
            found += [
                (str(file.relative_to(ROOT)), line.removeprefix("$ ").split("#")[0].strip())
                for line in joined.splitlines()
                if line.startswith("$ overread ")
            ]
    return found


def refused(command: str) -> str | None:
    """Say why the command line would refuse a command; None when it would not."""
    try:
        words = [word for word in shlex.split(command)[1:] if word not in ("…", "...")]
    except ValueError as error:  # a quote that goes on in the next line
        return str(error)
    if any(word in ("--help", "--version") for word in words):
        return None
    try:
        app.parse_args(words, print_error=False, exit_on_error=False)
    except Exception as error:
        return str(error)
    return None


def main() -> int:
    """Write the pages, or check them."""
    check = "--check" in sys.argv[1:]
    status = 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        path = REFERENCE / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)}: not what the code says; run {sys.argv[0]}")
            status = 1
    for where, command in documented_commands():
        if (why := refused(command)) is not None:
            print(f"{where}: '{command}' is refused: {why}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())

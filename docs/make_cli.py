"""Write what the command says into the texts: its helps into ``docs/cli.md``, answers into ``README.md``.

``python docs/make_cli.py``; a test checks that it was done.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from battlecalc.cli import main

WIDTH = 80
ANSWER = re.compile(r"(?<=<!-- output of: )(battlecalc [^\n]*?)( -->\n```text\n).*?(?=```)", re.DOTALL)
INTRODUCTION = """# Command line

Written by `docs/make_cli.py` from the help texts.

Exit status: 0; 2 for bad input, with one line on standard error; 130 when interrupted. Results go to standard
output, notes and progress to standard error (progress only on a terminal). `python -m battlecalc` is the same
command.
"""


def page() -> str:
    """Markdown text of the reference."""
    return "\n".join([INTRODUCTION, *sections(main, None, "battlecalc")])


def sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    """Sections of a command and of those under it."""
    settings = main.context_settings
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, **settings)
    yield section(context.command_path, command.get_help(context))
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None, below
            yield from sections(found, context, below)


def section(title: str, text: str) -> str:
    """One command's help as a fenced block."""
    return f"## {title}\n\n```text\n{text.rstrip()}\n```\n"


def readme(text: str) -> str:
    """Text of the README with what each command in it prints."""

    def said(found: re.Match[str]) -> str:
        result = CliRunner().invoke(main, shlex.split(found[1])[1:], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return found[1] + found[2] + result.stdout

    return ANSWER.sub(said, text)


if __name__ == "__main__":
    here = Path(__file__).parent
    (here / "cli.md").write_text(page(), encoding="utf-8")
    front = here.parent / "README.md"
    front.write_text(readme(front.read_text(encoding="utf-8")), encoding="utf-8")

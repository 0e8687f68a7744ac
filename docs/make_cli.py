"""Write ``docs/cli.md`` from the help texts: ``python docs/make_cli.py`` (a test checks that it was done)."""

from __future__ import annotations

from pathlib import Path

import click

from battlecalc.cli import main

WIDTH = 80
INTRODUCTION = """# Command line

Written by `docs/make_cli.py` from the help texts.

Exit status: 0; 2 for bad input, with one line on standard error; 130 when interrupted. Results go to standard
output, notes and progress to standard error (progress only on a terminal). `python -m battlecalc` is the same
command.
"""


def page() -> str:
    """Markdown text of the reference."""
    top = click.Context(main, info_name="battlecalc", terminal_width=WIDTH)
    parts = [INTRODUCTION, section("battlecalc", main.get_help(top))]
    for name in main.list_commands(top):
        command = main.get_command(top, name)
        assert command is not None, name
        context = click.Context(
            command, info_name=name, parent=top, terminal_width=WIDTH, **main.context_settings
        )
        parts.append(section(f"battlecalc {name}", command.get_help(context)))
    return "\n".join(parts)


def section(title: str, text: str) -> str:
    """One command's help as a fenced block."""
    return f"## {title}\n\n```text\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), encoding="utf-8")

"""Helps: every command has one with an example, and the list of commands and the page in docs agree."""

from __future__ import annotations

import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from battlecalc.cli import main

ROOT = Path(__file__).parents[2]
NAMES = list(main.entries)


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name: str, run) -> None:
    for flag in ("-h", "--help"):
        result = run(name, flag)
        assert result.exit_code == 0, result.output
        assert f"battlecalc {name}" in result.stdout.partition("Usage:")[2].partition("\n")[2], "no example"
        texts = [line for line in result.stdout.splitlines() if f"battlecalc {name} " not in line]
        assert max(map(len, texts)) <= 80


def examples(name: str) -> list[list[str]]:
    """Commands in a help that need no file."""
    text = (command(name).help or "").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("battlecalc ")]
    return [shlex.split(line)[1:] for line in lines if not any(mark in line for mark in ("<", ".toml"))]


@pytest.mark.parametrize("name", NAMES)
def test_examples_work(name: str, run, asked) -> None:
    for args in examples(name):
        result = run(*args)
        assert result.exit_code == 0, f"{args}: {result.output}"


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name: str) -> None:
    for param in command(name).params:
        if isinstance(param, click.Option):
            assert param.help, f"{name} {param.opts[0]}"


@pytest.mark.parametrize("name", NAMES)
def test_the_list_says_what_the_help_says(name: str) -> None:
    assert main.entries[name].short_help == command(name).get_short_help_str(limit=200)


def test_without_a_command_the_help_is_shown(run) -> None:
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Battles:" in result.stdout


def test_amphibious_is_another_name_of_invasion() -> None:
    assert command("amphibious") is command("invasion")


def test_the_texts_say_what_the_command_says() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == made["page"](), (
        "run python docs/make_cli.py"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == made["readme"](readme), "run python docs/make_cli.py"
    assert "attacker wins" in readme


def test_hits_load_no_tables() -> None:
    """Loading pandas takes most of the time that the command would."""
    code = (
        "import sys\nfrom battlecalc.cli import main\n"
        "main(['hits', '3 inf, 1 art', '-r', 'aa-1942'], standalone_mode=False)\n"
        "print([name for name in ('pandas', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"

"""A command line runner, and a library that only notes what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import click.testing
import pytest

import battlecalc
from battlecalc.cli import main

Run = Callable[..., click.testing.Result]


@pytest.fixture
def run() -> Run:
    """Run the command line; the result has `exit_code`, `stdout` and `stderr`."""

    def call(*args: str, stdin: bytes | str | None = None) -> click.testing.Result:
        runner = click.testing.CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"})
        return runner.invoke(main, list(args), input=stdin, prog_name="battlecalc")

    return call


@dataclass
class Asked:
    """What the commands asked of the library: (function, battle, keywords) in order."""

    calls: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)
    trouble: BaseException | None = None

    def answer(self, name: str, battle: Any, keywords: dict[str, Any]) -> Any:
        self.calls.append((name, battle, keywords))
        if self.trouble is not None:
            raise self.trouble
        return SimpleNamespace(
            to_json=lambda: '{"outcomes": {}}',
            to_dict=lambda: {"method": name},
            summary=lambda: "the table",
            policies=None,
            method=name,
        )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Replace the three ways to find odds; forces, sides and battles stay real."""
    notes = Asked()
    for name in ("simulate", "solve", "odds"):

        def answer(*question: Any, _name: str = name, **keywords: Any) -> Any:
            return notes.answer(_name, question[0] if len(question) == 1 else question, keywords)

        monkeypatch.setattr(battlecalc, name, answer, raising=False)
    monkeypatch.setattr("battlecalc.cli.answer.announce_compilation", lambda battle: None)
    return notes

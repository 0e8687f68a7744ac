"""What only a terminal sees: colour, bars and progress."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

import battlecalc
from battlecalc import progress
from battlecalc.cli import terminal
from battlecalc.results.report import Row
from tests.results.stand_ins import simulated


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_the_terminal_shows_every_row_of_the_plain_text() -> None:
    odds = simulated({"infantry": 6, "artillery": 2}, {"infantry": 5}, notes=("a note",))
    screen = io.StringIO()
    Console(file=screen, width=80, color_system=None).print(terminal.rendered(odds.report()))
    shown = screen.getvalue()
    assert max(map(len, shown.splitlines())) <= 80
    words = shown.replace("█", "").split()
    for line in odds.summary().splitlines():
        assert set(line.split()) <= set(words), line


@pytest.mark.parametrize(
    ("share", "blocks"), [(0.0, ""), (1.0, "█" * 24), (0.5, "█" * 12), (1 / 24 / 2, "▌"), (None, "")]
)
def test_a_bar_is_as_long_as_its_share(share: float | None, blocks: str) -> None:
    assert terminal.bar(Row("attacker wins", ("",), share, "attacker_wins")).plain == blocks


def test_progress_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.Meter() as meter:
        meter(250_000, 1_000_000)
        assert meter.drawing
    assert "250,000 of 1,000,000 trials" in screen.getvalue()


@pytest.mark.parametrize(("stream", "patience"), [(Screen, 1e9), (io.StringIO, 0.0)])
def test_nothing_is_drawn_early_or_elsewhere(
    stream: type[io.StringIO], patience: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = stream()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with progress.Meter() as meter:
        meter(250_000, 1_000_000)
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("compiled", "line"), [(False, "compiling the simulator, once per machine ...\n"), (True, "")]
)
def test_the_first_use_says_what_it_waits_for(
    compiled: bool, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("battlecalc.engines.compiled.is_compiled", lambda kernel: compiled)
    progress.announce_compilation(battlecalc.Battle("aa-1942", "land", "2 inf", "1 inf"))
    assert tuple(capsys.readouterr()) == ("", line)

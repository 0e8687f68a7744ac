"""What a waiting user sees on standard error: a bar once a run lasts, a word before the first compilation."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from battlecalc.battle import Battle

PATIENCE = 1.0


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads the stream; a closed one is None."""
    return stream is not None and stream.isatty()


def announce_compilation(battle: Battle) -> None:
    """Say what the first simulation of its kind on a machine waits for."""
    from battlecalc.engines.compiled import is_compiled
    from battlecalc.engines.montecarlo import kernel_of
    from battlecalc.program.build import make_program
    from battlecalc.program.fight import fight_of

    fights = [fight_of(part) for part in (battle, battle.sea_battle) if part is not None]
    if not all(is_compiled(kernel_of(make_program(fight))) for fight in fights):
        click.echo("compiling the simulator, once per machine ...", err=True)


class Meter:
    """Progress of one run; a context manager that is called with (done, total).

    Nothing is drawn before `PATIENCE` seconds, and nothing at all where standard error is no terminal.
    """

    def __init__(self, what: str = "trials") -> None:
        self.what = what
        self.started = time.monotonic()
        self.drawing = is_terminal(sys.stderr)
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Meter:
        """Start."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the bar."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int | None) -> None:
        """Draw how far the run is."""
        if not self.drawing or time.monotonic() - self.started < PATIENCE:
            return
        if self._bar is None:
            self._bar, self._task = self._start()
        assert self._task is not None
        self._bar.update(
            self._task, completed=done, total=total, done=f"{done:,}", of=f"{total:,}" if total else "?"
        )

    def _start(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn(f"{{task.fields[done]}} of {{task.fields[of]}} {self.what}"),
            BarColumn(bar_width=20),  # short of the edge, where the terminal still has room for its ^C
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=None, done="0", of="?")

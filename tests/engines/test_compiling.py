"""Signals while kernels are compiled: heard at once, lost nowhere; the compiler works afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numba
import pytest
from numba.core.registry import cpu_target

from battlecalc.engines import stopping
from battlecalc.engines.compiled import _apart
from battlecalc.engines.stopping import Stopped, stopped_by
from tests.fresh import ROOT

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def until_heard() -> None:
    """Wait until the main thread has told this one, which compiles."""
    event = stopping._here.event
    assert event is not None and event.wait(60)


# ---------------------------------------------------------------------- any work


def test_an_interruption_waits_for_the_kernel_under_way(terminal: None) -> None:
    done: list[str] = []

    def work(name: str) -> None:
        press_ctrl_c()
        until_heard()
        done.append(name)

    with pytest.raises(KeyboardInterrupt):
        _apart(work)("push")
    assert done == ["push"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_kernels_are_given_up(terminal: None) -> None:
    done: list[str] = []
    part = _apart(done.append)

    def work() -> None:
        part("roll")
        press_ctrl_c()
        until_heard()
        part("spread")

    with pytest.raises(KeyboardInterrupt):
        _apart(work)()
    assert done == ["roll"]
    assert _apart(lambda: part("spread"))() is None
    assert done == ["roll", "spread"]


@contextmanager
def handled(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_goes_on() -> None:
    """Another program's own handler is called meanwhile; so is one of any other signal."""
    heard = Event()

    def work(number: int) -> int:
        press_ctrl_c()
        assert heard.wait(60)
        return number + 1

    with handled(lambda *_: heard.set()):
        assert _apart(work)(3) == 4


def test_who_ignores_interruptions_goes_on() -> None:
    def work(number: int) -> int:
        press_ctrl_c()
        time.sleep(0.01)
        return number + 1

    with handled(signal.SIG_IGN):
        assert _apart(work)(3) == 4


def test_errors_come_out() -> None:
    with pytest.raises(ZeroDivisionError):
        _apart(lambda: 1 // 0)()


def test_other_threads_compile_themselves() -> None:
    """Until they are stopped."""
    here: list[bool] = []

    def do() -> None:
        this, stop = threading.current_thread(), Event()
        one = _apart(lambda: here.append(threading.current_thread() is this))
        with stopped_by(stop):
            one()
            stop.set()
            with pytest.raises(Stopped):
                one()
        here.append(True)

    thread = Thread(target=do)
    thread.start()
    thread.join()
    assert here == [True, True]


# ---------------------------------------------------------------------- the compiler


def test_a_kernel_is_compiled_after_an_interruption(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM hands the inner function over when Ctrl-C comes: neither is spoilt."""

    @numba.njit
    def inner(x: int) -> int:
        return x + 1

    @numba.njit
    def outer(x: int) -> int:
        return inner(x) * 2

    for kernel in (inner, outer):
        kernel.compile = _apart(kernel.compile)
    engine = cpu_target.target_context.codegen()._engine._ee
    taken = engine._object_cache_notify
    names: list[str] = []

    def interrupted(module: Any, code: bytes) -> None:
        names.append(module.name.split(".")[-1])
        if names[-1] == "inner" and names.count("inner") == 1:
            press_ctrl_c()
            until_heard()
        taken(module, code)

    monkeypatch.setattr(engine, "_object_cache_notify", interrupted)
    with pytest.raises(KeyboardInterrupt):
        outer(3)
    assert names[-1] == "inner" and "outer" not in names
    assert inner.signatures and not outer.signatures
    assert outer(3) == 8


COMMAND = """
import os, signal
from numba.core.codegen import CPUCodeLibrary as Library
from battlecalc.cli import main
from battlecalc.engines.stopping import _here

def interrupted(cls, *compiled):
    if presses:
        os.kill(os.getpid(), presses.pop())
        assert _here.event.wait(60)
    taken(*compiled)

taken, presses = Library._object_compiled_hook, [signal.SIGINT]
Library._object_compiled_hook = classmethod(interrupted)
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["land", "2 inf", "2 inf", "-n", "{trials}"], "battlecalc")
"""


@pytest.mark.parametrize("trials", ["100", "1e11"])
def test_the_first_simulation_of_a_machine_is_interrupted(trials: str, tmp_path: Path) -> None:
    """One line, status 130: alone, or on several threads."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMAND.format(trials=trials)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    first, last = done.stderr.splitlines()
    assert first == "compiling the simulator, once per machine ..."
    assert last == f"stopped after 0 of {int(float(trials)):,} trials"
    assert done.returncode == 130
    assert not done.stdout

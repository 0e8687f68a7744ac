"""Start-up: what a command costs over bare Python. Times are reported, never asserted."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("pytest_benchmark")
COMMANDS = {
    "bare Python": ("-c", "pass"),
    "import battlecalc": ("-c", "import battlecalc"),
    "--help": ("-m", "battlecalc", "--help"),
    "small exact battle": ("-m", "battlecalc", "land", "6 inf, 2 art", "5 inf", "--method", "exact"),
    "a million simulated": ("-m", "battlecalc", "land", "6 inf, 2 art", "5 inf", "--seed", "7"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command(benchmark: Any, name: str) -> None:
    benchmark.group = "commands"
    run = [sys.executable, *COMMANDS[name]]
    benchmark.pedantic(
        lambda: subprocess.run(run, check=True, capture_output=True), rounds=5, warmup_rounds=1
    )

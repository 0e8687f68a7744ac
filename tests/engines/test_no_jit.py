"""The kernels as plain Python and with bounds checked: the same words, the same counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from battlecalc.engines import compiled, kernels
from tests.engines.small_part import answers
from tests.fresh import ROOT

TRIALS = 400


def elsewhere(**environment: str) -> list[dict[str, Any]]:
    """Answers of a process of its own, in which every warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.engines.small_part", str(TRIALS)],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return list(json.loads(done.stdout))


def assert_equal(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        for name in ("cells", "counts", "rounds"):
            assert one[name] == other[name], name
        assert one["chances"] == pytest.approx(other["chances"], abs=1e-13)
        for name in ("mean rounds", "dropped", "pruned", "visits", "worth", "best", "means", "by round"):
            assert one[name] == pytest.approx(other[name], abs=1e-11), name


def test_without_jit() -> None:
    assert_equal(elsewhere(NUMBA_DISABLE_JIT="1"), answers(TRIALS))


def test_with_bounds_checked(tmp_path: Path) -> None:
    """Machine code that stops at the first index outside its array; kept apart from the code in use."""
    assert_equal(elsewhere(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)), answers(TRIALS))


def test_plain_python_waits_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compiled._compiled, "simulate", kernels.simulate)
    assert compiled.is_compiled("simulate")


def test_nowhere_to_keep_machine_code() -> None:
    """As numba says where it finds no directory to write to: the kernel stays as it is."""

    class Kernel:
        def enable_caching(self) -> None:
            raise RuntimeError("cannot cache function: no locator available")

    kernel = Kernel()
    compiled._cache(kernel)
    assert not vars(kernel)

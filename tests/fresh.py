"""Code in an interpreter of its own, whatever folder the tests were started from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def fresh(code: str) -> str:
    """Run code in a fresh interpreter that finds this tree first; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout

"""Golden texts: run with ``BATTLECALC_UPDATE_GOLDEN=1`` to write them anew, then read the difference."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "data" / "golden"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("BATTLECALC_UPDATE_GOLDEN"):
            path.write_text(text + "\n", encoding="utf-8")
        assert text + "\n" == path.read_text(encoding="utf-8")

    return compare

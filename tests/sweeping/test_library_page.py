"""The reference of the library says what the docstrings say, about everything that is public."""

from __future__ import annotations

import runpy
from pathlib import Path

import battlecalc

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_that_of_the_docstrings() -> None:
    made = runpy.run_path(str(DOCS / "make_library.py"))
    assert (DOCS / "library.md").read_text(encoding="utf-8") == made["page"](), (
        "run python docs/make_library.py"
    )


def test_every_public_name_is_explained() -> None:
    page = (DOCS / "library.md").read_text(encoding="utf-8")
    for name in battlecalc.__all__:
        entry = page.partition(f"\n- `{name}`: " if name.endswith("Error") else f"\n### {name}\n\n")[2]
        assert entry and not entry.startswith(("\n", "#")), name

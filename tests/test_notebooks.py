"""Notebooks as they are kept: executed, without an error, and the code of their scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def notebook(script: Path) -> dict[str, Any]:
    """Notebook that belongs to a script."""
    found: dict[str, Any] = json.loads(script.with_suffix(".ipynb").read_text(encoding="utf-8"))
    return found


def cells(script: Path) -> list[tuple[str, str]]:
    """Kind and text of each cell of a script in percent format."""
    found = []
    for block in script.read_text(encoding="utf-8").split("\n# %%")[1:]:
        head, _, body = block.partition("\n")
        text = body.strip("\n")
        if "[markdown]" in head:
            text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines())
        found.append(("markdown" if "[markdown]" in head else "code", text))
    return found


def test_there_is_a_notebook_for_each_script() -> None:
    assert SCRIPTS
    assert sorted(FOLDER.glob("*.ipynb")) == [script.with_suffix(".ipynb") for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_notebook_is_that_of_the_script(script: Path) -> None:
    kept = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook(script)["cells"]]
    assert kept == cells(script)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_outputs_are_kept(script: Path) -> None:
    code = [cell for cell in notebook(script)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs
    for output in outputs:
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output.get("text")
    assert not any(str(Path.home()) in json.dumps(output) for output in outputs)

"""Reference tables of odds, one CSV for each ruleset; ``python -m tests.engines.tables`` asks the twin again.

A row is a question (`sequence`, both forces, and what else is `asked`, as in ``attacker.retreat = round >= 2;
rounds = 3``) with its answer: the chance of every outcome and of a capture, to ten digits. New questions are
written by hand with the answers left empty.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from battlecalc.endings import OUTCOMES
from battlecalc.rulesets.schema import SIDES
from tests.engines.twin import RIGHTS, twin_table

ODDS = Path(__file__).parent.parent / "data" / "odds"
ANSWERS = (*OUTCOMES, "captures")
COLUMNS = ("sequence", "attacker", "defender", "asked", *ANSWERS, "source")
Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Rows of one table."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counts(force: str) -> dict[str, int]:
    """Read a force as the tables write it: ``2 infantry, 1 tank``."""
    pairs = (entry.split() for entry in force.split(",") if entry.strip())
    return {unit: int(n) for n, unit in pairs}


def call_of(ruleset: str, row: Row) -> dict[str, Any]:
    """Turn a row into the neutral call that twin and library take."""
    call: dict[str, Any] = {"ruleset": ruleset, "sequence": row["sequence"]}
    call |= {name: counts(row[name]) for name in SIDES}
    for part in filter(None, map(str.strip, row["asked"].split(";"))):
        key, text = (word.strip() for word in part.split("=", 1))
        _ask(call, key, text)
    return call


def _ask(call: dict[str, Any], key: str, text: str) -> None:
    side, _, name = key.partition(".")
    if side == "option":
        call.setdefault("options", {})[name] = int(text)
    elif not name:
        call[key] = int(text) if key == "rounds" else text if key == "dice" else counts(text)
    elif name == "contest":
        call[name] = text
    else:
        words = [word.strip() for word in text.split(",")]
        value: Any = text if name in RIGHTS else int(text) if name == "keep_land" else words
        nothing: Any = {"technologies": (), "keep_land": 0}.get(name)
        pair = call.get(name, (nothing, nothing))
        call[name] = (value, pair[1]) if side == "attacker" else (pair[0], value)


def answer(ruleset: str, row: Row) -> Row:
    """Answer a row with the naive twin."""
    _, result = twin_table(call_of(ruleset, row))
    chances = result.outcomes() | {"captures": result.captures}
    told = {name: f"{float(chances[name]):.10f}" for name in ANSWERS}
    return {**row, **told, "source": "naive twin"}


def tables() -> Iterator[tuple[str, Path]]:
    """Rulesets that have a table."""
    for path in sorted(ODDS.glob("*.csv")):
        yield path.stem, path


def main() -> None:
    """Answer every row of every table again."""
    for ruleset, path in tables():
        rows = [answer(ruleset, row) for row in read(path)]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

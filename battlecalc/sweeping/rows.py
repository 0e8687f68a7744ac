"""One row a battle: what a worker does, in this process or far away."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from battlecalc import run
from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle
from battlecalc.endings import OUTCOMES
from battlecalc.engines.means import Means
from battlecalc.errors import BattlecalcError
from battlecalc.results import Odds
from battlecalc.rulesets.schema import SIDES
from battlecalc.sweeping.grid import Point
from battlecalc.sweeping.variables import Label, Template, Variable
from battlecalc.together import means_together

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = (
    *OUTCOMES,
    "captures",
    "landing",
    *(f"{side}.value_lost" for side in SIDES),
    "swing",
    "expected_gain",
    "expected_rounds",
    "standard_error",
)
COUNTS = ("trials", "seed")
TEXTS = ("method", "error")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """How the odds of every row are found; made by `make_way`."""

    method: str
    trials: int | None
    precision: float | None
    seed: int
    prune: float
    max_states: int

    @property
    def together(self) -> bool:
        """Whether battles may be worked out in one pass: exactly, whole, and of the usual size."""
        return self.method != "monte-carlo" and not self.prune and self.max_states >= MAX_STATES

    @property
    def draws(self) -> bool:
        """Whether a row may be simulated."""
        return self.method != "exact"

    @property
    def long(self) -> bool:
        """Whether one row may take seconds."""
        return self.draws and (self.precision is not None or (self.trials or 0) > 10 * run.TRIALS)


def make_way(
    method: str,
    trials: int | None,
    precision: float | None,
    seed: int | None,
    prune: float,
    max_states: int,
) -> Way:
    """Check the keywords of a run once, for all rows."""
    run.check_method(method)
    return Way(
        method,
        None if trials is None else run.read_trials(trials, precision),
        run.read_precision(precision),
        run.read_seed(seed),
        run.read_prune(prune),
        run.read_max_states(max_states),
    )


def row_seed(seed: int, names: Sequence[str], labels: Sequence[Label]) -> int:
    """Seed of a row: from the sweep's seed and the row's parameters, so that neither order nor place matters.

    48 bits, so that every table and spreadsheet keeps it whole.

    >>> row_seed(7, ["a", "b"], [1, 2]) == row_seed(7, ["b", "a"], [2, 1])
    True
    """
    named = json.dumps([seed, sorted(zip(names, labels, strict=True))])
    return int.from_bytes(blake2b(named.encode(), digest_size=6).digest(), "big")


class Stopped(Exception):
    """The sweep was interrupted while this thread was at work."""


def answer_points(
    battle: Battle,
    variables: Sequence[Variable],
    way: Way,
    points: Iterable[Point],
    threads: int | None = 1,
    stop: threading.Event | None = None,
) -> list[Row]:
    """Rows of some points of a grid."""
    template = Template(battle)
    names = [variable.name for variable in variables]
    rows = []
    for point in points:
        if stop is not None and stop.is_set():
            raise Stopped
        row: Row = dict(zip(names, point.labels, strict=True))
        try:
            question = template.at(zip(variables, point.values, strict=True))
            row |= numbers(find(question, way, row_seed(way.seed, names, point.labels), threads, stop))
        except BattlecalcError as error:
            row["error"] = str(error)
        except (MemoryError, AssertionError, ArithmeticError, LookupError, TypeError) as error:
            # a slip of ours in one battle must not cost the thousands beside it
            row["error"] = " ".join(f"internal error: {type(error).__name__}: {error}".split())
        rows.append(row)
    return rows


def answer_together(
    battle: Battle, variables: Sequence[Variable], points: Sequence[Point], way: Way
) -> list[Row | None]:
    """Rows of the points that can be worked out in one pass; None for the others."""
    template, names = Template(battle), [variable.name for variable in variables]
    battles: dict[int, Battle] = {}
    for place, point in enumerate(points):
        with suppress(BattlecalcError):
            battles[place] = template.at(zip(variables, point.values, strict=True))
    rows: list[Row | None] = [None] * len(points)
    for (place, one), means in zip(battles.items(), means_of(list(battles.values()), way), strict=True):
        if means is not None:
            shown = dict(zip(names, points[place].labels, strict=True))
            rows[place] = shown | numbers_of_means(means, one)
    return rows


def find(
    battle: Battle, way: Way, seed: int, threads: int | None = 1, stop: threading.Event | None = None
) -> Odds:
    """Odds of one battle, by its own seed where it is simulated."""

    def watch(done: int, total: int) -> None:
        if stop is not None and stop.is_set():
            raise Stopped

    if way.method == "exact":
        return run.solve(battle, prune=way.prune, max_states=way.max_states)
    return run.odds(
        battle,
        method=way.method,
        trials=way.trials,
        precision=way.precision,
        seed=seed,
        threads=threads,
        progress=watch,
        prune=way.prune,
        max_states=way.max_states,
    )


def numbers(odds: Odds) -> Row:
    """Columns of an answer."""
    whole = odds._whole
    row: Row = dict(odds.outcomes)
    row["captures"] = odds.captures
    row["landing"] = odds.landing
    for side in SIDES:
        row[f"{side}.value_lost"] = whole.value_lost(side).mean()
    row["swing"] = row["defender.value_lost"] - row["attacker.value_lost"]
    row["expected_gain"] = odds.expected_gain("attacker")
    row["expected_rounds"] = whole.mean_rounds()
    row["standard_error"] = odds.standard_error("attacker_wins")
    row |= {"method": odds.method, "trials": odds.trials, "seed": odds.seed}
    return row


def means_of(battles: Sequence[Battle], way: Way) -> list[Means | None]:
    """Exact means of battles that can be worked out in one pass; None for the others."""
    return means_together(battles) if way.together else [None] * len(battles)


def numbers_of_means(means: Means, battle: Battle) -> Row:
    """Columns of an answer that was worked out together with others."""
    row: Row = dict(zip(OUTCOMES, means.outcomes, strict=True))
    row["captures"] = means.captures
    lost_by_attacker, lost_by_defender = means.value_lost
    row |= {"attacker.value_lost": lost_by_attacker, "defender.value_lost": lost_by_defender}
    row["swing"] = lost_by_defender - lost_by_attacker
    row["expected_gain"] = row["swing"] + battle.territory * means.held
    row |= {"expected_rounds": means.rounds, "standard_error": 0.0, "method": "exact"}
    return row


def columns(names: Sequence[str], chained: bool) -> list[str]:
    """Columns of a sweep: variables, numbers, how they were found, and why a battle has none."""
    shown = [name for name in NUMBERS if chained or name != "landing"]
    return [*names, *shown, "method", *COUNTS, "error"]


def frame(rows: Sequence[Mapping[str, Any]], wanted: Sequence[str], title: str = "") -> pd.DataFrame:
    """DataFrame of rows; `trials` and `seed` are whole numbers that may be missing."""
    import pandas as pd

    table = pd.DataFrame([[row.get(name) for name in wanted] for row in rows], columns=list(wanted))
    for name in wanted:
        if name in NUMBERS:
            table[name] = table[name].astype(float)
        elif name in COUNTS:
            table[name] = table[name].astype("Int64")
        elif name in TEXTS:
            table[name] = table[name].astype(object)
    if title:
        table.attrs["title"] = title
    return table


def plain(table: pd.DataFrame) -> list[Row]:
    """Rows of a frame as JSON takes them: Python's numbers, not rounded, and None where there is none."""
    return [
        {str(name): None if value is None or value != value else value for name, value in row.items()}
        for row in table.astype(object).where(table.notna(), None).to_dict("records")
    ]

"""The battles of a sweep: every combination of the values of its variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from battlecalc.battle import Battle, check_battle
from battlecalc.errors import BattleError
from battlecalc.forces import parse_force
from battlecalc.results.words import battle_words, sides_words, unit_words, wrap
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import Side
from battlecalc.sweeping.variables import Label, Variable, label, read_value, read_variable
from battlecalc.words import quote

MOST_BATTLES = 1_000_000
TITLE_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Point:
    """One battle of a grid: a value for each variable, and what its row shows of them."""

    values: tuple[Any, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Grid:
    """Variables with their values around one battle.

    Attributes
    ----------
    battle : Battle
        What is not varied.
    variables : tuple of Variable
    values : tuple of dict of label to value
        Distinct values of each variable, in the order given.
    """

    battle: Battle
    variables: tuple[Variable, ...]
    values: tuple[dict[Label, Any], ...]

    @property
    def names(self) -> list[str]:
        """Columns of the variables."""
        return [variable.name for variable in self.variables]

    @cached_property
    def points(self) -> list[Point]:
        """All combinations; the last variable changes fastest."""
        return [
            Point(tuple(value for _, value in chosen), tuple(shown for shown, _ in chosen))
            for chosen in product(*(values.items() for values in self.values))
        ]

    @property
    def chained(self) -> bool:
        """Whether a battle at sea may come before a landing."""
        varied = {variable.of for variable in self.variables}
        return self.battle.sea_battle is not None or "sea_defender" in varied

    @property
    def title(self) -> str:
        """Title of a plot: the battle with the range of each unit; empty where the whole battle varies."""
        battle = self.battle
        if any(variable.kind == "side" or variable.of == "sequence" for variable in self.variables):
            return ""
        words = dict(zip(SIDES, sides_words(battle), strict=True))
        for side in words:
            ranges = {
                v.key: list(values)
                for v, values in zip(self.variables, self.values, strict=True)
                if v.kind == "unit" and v.of == side
            }
            if ranges:
                fixed: Side = battle.given()[side]
                rest = parse_force(fixed.force, battle.ruleset)
                counts = {unit: str(count) for unit, count in rest.items()}
                counts |= {unit: _range(numbers) for unit, numbers in ranges.items()}
                units = [
                    f"{counts[unit]} {unit_words(unit)}" for unit in battle.ruleset.units if unit in counts
                ]
                words[side] = ", ".join(units)
        lines = wrap(f"{words['attacker']}  v  {words['defender']}", TITLE_WIDTH)
        rules = [] if any(variable.of == "ruleset" for variable in self.variables) else [battle_words(battle)]
        return "\n".join([*lines, *rules])


def make_grid(battle: Battle, variables: Mapping[str, Iterable[Any]]) -> Grid:
    """Read the variables of a sweep and their values.

    Raises
    ------
    BattlecalcError
        For unknown variables, and for values that no battle could have. Values that only make no sense
        together are no error here: their row will tell.
    """
    check_battle(battle, "sweep")
    if not isinstance(variables, Mapping) or not variables:
        raise BattleError(
            f"a sweep needs variables such as {{'attacker.infantry': range(0, 21)}}, not {quote(variables)}"
        )
    rulesets = _rulesets(battle, variables)
    read: list[Variable] = []
    values: list[dict[Label, Any]] = []
    for name, given in variables.items():
        variable = read_variable(name, rulesets)
        known = [read_value(variable, value, rulesets) for value in listed(given)]
        if not known:
            raise BattleError(f"{name}: a variable needs at least one value")
        read.append(variable)
        values.append({label(variable, value): value for value in known})
    for place, variable in enumerate(read):
        for other in read[:place]:
            if (other.kind, other.of, other.key) == (variable.kind, variable.of, variable.key):
                raise BattleError(f"{other.name} and {variable.name} are the same variable")
    count = math.prod(map(len, values))
    if count > MOST_BATTLES:
        raise BattleError(f"a sweep has at most {MOST_BATTLES:,} battles, not {count:,}")
    return Grid(battle, tuple(read), tuple(values))


def listed(values: object) -> list[Any]:
    """Values as a list; a single one may stand alone.

    >>> listed(range(3)), listed("never")
    ([0, 1, 2], ['never'])
    """
    if isinstance(values, (str, Mapping, Side, Ruleset)) or not isinstance(values, Iterable):
        return [values]
    return list(values)


def _rulesets(battle: Battle, variables: Mapping[str, Iterable[Any]]) -> list[Ruleset]:
    if "ruleset" in variables:
        return [load_ruleset(which) for which in listed(variables["ruleset"])]
    return [battle.ruleset]


def _range(numbers: list[Any]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"

"""What a question about forces is asked of: a side, units with limits, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from battlecalc.battle import Battle
from battlecalc.errors import BattleError
from battlecalc.forces import MOST
from battlecalc.rulesets import Ruleset
from battlecalc.rulesets.schema import SideName
from battlecalc.words import quote, whole_number

if TYPE_CHECKING:
    Limits = Mapping[str, range | tuple[int, int] | int]

HIGHEST = 500


def unit_cost(battle: Battle, side: SideName, unit: str) -> float | None:
    """Cost of a unit to a side, its technologies applied; None where it has none."""
    ready = battle.attacker if side == "attacker" else battle.defender
    return battle.ruleset.for_side(side, ready.technologies).units[unit].cost


def side_cost(battle: Battle, side: SideName) -> float | None:
    """Cost of all that a side fields in the battle; None where a unit has no cost."""
    ready = battle.attacker if side == "attacker" else battle.defender
    costs = [(unit_cost(battle, side, unit), n) for unit, n in (*ready.counts, *ready.overland)]
    return None if any(cost is None for cost, _ in costs) else sum((cost or 0.0) * n for cost, n in costs)


def split_unit(unit: object, side: str) -> tuple[str, str]:
    """Split ``"defender.infantry"`` into side and unit."""
    if not isinstance(unit, str):
        raise BattleError(f"unit is a name such as 'infantry' or 'defender.infantry', not {quote(unit)}")
    of, dot, name = unit.partition(".")
    return (of, name) if dot else (side, unit)


def limit_ranges(rules: Ruleset, side: SideName, unit: str | None, limits: Limits | None) -> dict[str, range]:
    """Read limits: unit id -> counts, in the order of the ruleset."""
    read: dict[str, range] = {}
    if limits is not None and not isinstance(limits, Mapping):
        raise BattleError(f"limits are a mapping unit -> range, not {quote(limits)}")
    for name, given in (limits or {}).items():
        key = rules.unit_id(split_unit(name, side)[1])
        if key in read:
            raise BattleError(f"limits name {key} twice")
        read[key] = read_range(given, key)
    if unit is not None:
        key = rules.unit_id(unit)
        extra = read.keys() - {key}
        if extra:
            raise BattleError(
                f"with a unit, limits are those of {key} alone, not of {', '.join(sorted(extra))}"
            )
        return {key: read.get(key, range(HIGHEST + 1))}
    if not read:
        raise BattleError("limits name no unit")
    return {name: read[name] for name in rules.units if name in read}


def read_range(given: object, unit: str) -> range:
    """Read the limits of one unit: a range, a pair (least, most), or the most.

    >>> read_range((2, 5), "tank"), read_range(3, "tank")
    (range(2, 6), range(0, 4))
    """
    if isinstance(given, range):
        if not given or given.step != 1:
            raise BattleError(
                f"limits of {unit}: a range goes up by 1 from its least to its most, not {given!r}"
            )
        least, most = given[0], given[-1]
    elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        least, most = given
    else:
        least, most = 0, given  # type: ignore[assignment]
    low = whole_number(least, f"limits of {unit}", BattleError, most=MOST)
    high = whole_number(most, f"limits of {unit}", BattleError, least=low, most=MOST)
    return range(low, high + 1)

"""Many battles in one go: those that differ in numbers only share one program and one backward pass."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from battlecalc.engines.means import Means, lattice_means
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.lattice import lattice_key, make_lattice
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from battlecalc.battle import Battle

# A pair of states of a lattice costs less than a thousandth of what a battle costs by itself.
_CELLS_PER_BATTLE = 1_000
_MOST_CELLS = 3_000_000
_FEWEST = 8


def means_together(battles: Sequence[Battle]) -> list[Means | None]:
    """Exact means of many battles; None for those that are better solved one by one.

    >>> from battlecalc import Battle
    >>> battles = [Battle("aa-1942", "land", f"{n} inf", "3 inf") for n in range(1, 10)]
    >>> [round(means.outcomes[0], 4) for means in means_together(battles)][:3]
    [0.0019, 0.0384, 0.1766]
    """
    found: list[Means | None] = [None] * len(battles)
    groups: dict[Hashable, list[tuple[int, Fight]]] = {}
    for number, battle in enumerate(battles):
        if battle.sea_battle is not None or battle.sequence.damage is not None:
            continue
        fight = fight_of(battle)
        key = lattice_key(fight)
        if key is not None:
            groups.setdefault(key, []).append((number, fight))
    for members in groups.values():
        if len(members) < _FEWEST:
            continue
        fights = [fight for _, fight in members]
        lattice = make_lattice(fights, min(_CELLS_PER_BATTLE * len(fights), _MOST_CELLS))
        if lattice is not None:
            values = [(_value(fight, 0), _value(fight, 1)) for fight in fights]
            for (number, _), means in zip(members, lattice_means(lattice, values), strict=True):
                found[number] = means
    return found


def _value(fight: Fight, side: int) -> float:
    """Value of a force before the battle, in IPC."""
    ready = fight.sides[side]
    units = fight.ruleset.for_side(SIDES[side], ready.technologies).units
    return sum(n * (units[unit].cost or 0.0) for unit, n in (*ready.counts, *ready.overland))

"""Programs of battles, and their states in words."""

from __future__ import annotations

from typing import Any

import battlecalc as bc
from battlecalc.program.build import make_program
from battlecalc.program.edges import State
from battlecalc.program.fight import fight_of
from battlecalc.program.program import Program
from battlecalc.program.side import SideProgram
from battlecalc.program.walker import ABOARD, AWAY, BATTLE, PENDING, Mask


def program_of(*battle: Any, **keywords: Any) -> Program:
    """Program of a `Battle`, or of what makes one."""
    one = battle[0] if isinstance(battle[0], bc.Battle) else bc.Battle(*battle, **keywords)
    return make_program(fight_of(one))


def in_words(side: SideProgram, state: State) -> dict[str, int]:
    """Pieces of a state by unit, hits left where it is hurt, and place where it is not the battle."""
    places = {BATTLE: "", PENDING: " pending", ABOARD: " aboard", AWAY: " away"}
    found: dict[str, int] = {}
    for n, b in zip(state, side.states.walker.buckets, strict=True):
        if n:
            kind = side.states.walker.kinds[b.kind]
            name = kind.unit.id + "*" * (kind.hits - b.hits) + places[b.place]
            found[name] = found.get(name, 0) + n
    return found


def everything(side: SideProgram) -> Mask:
    """Hits that may fall on any unit of a side."""
    return Mask("owner", side.pieces.start_bits)


def hits_in_turn(side: SideProgram) -> list[str]:
    """Name what a side loses, hit by hit, from its start until nothing is left to hit."""
    edge = side.states.walker.edge(everything(side))
    state, lost = side.states.walker.start(), []
    while (after := edge(state)) != state:
        before, then = in_words(side, state), in_words(side, after)
        (gone,) = (name for name in before if then.get(name, 0) < before[name])
        unit = gone.rstrip("*")
        harmless = sum(n for name, n in then.items() if name.rstrip("*") == unit) == sum(
            n for name, n in before.items() if name.rstrip("*") == unit
        )
        lost.append(unit + "*" * harmless)
        state = after
    return lost

"""What an end is worth: objectives as tables over cells, from the attacker's point of view."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, Meaning
from battlecalc.engines.ends import meanings, outcomes_of
from battlecalc.program.program import Program

Floats = NDArray[np.float64]
_ATTACKER_WINS = OUTCOME_INDEX["attacker_wins"]
_DEFENDER_WINS = OUTCOME_INDEX["defender_wins"]
DEFENDER_RETREATS = OUTCOME_INDEX["defender_retreats"]


def payoffs(
    program: Program,
    objective: Literal["value", "win", "capture"],
    side: int = 0,
    territory: float = 0.0,
) -> Floats:
    """Worth of every end to the attacker, shape (slots, attacker's states, defender's states).

    Parameters
    ----------
    objective : {"value", "win", "capture"}
        Of `side`; the defender's is turned round, so that the attacker always wants more and the defender
        less. ``value``: value destroyed less value lost, and `territory` for who holds it at the end, in IPC.
    """
    size_a, size_d = program.sizes
    slots = 2 + len(program.slots)
    slot, a, d = (grid.ravel() for grid in np.indices((slots, size_a, size_d)))
    outcome, a, d = outcomes_of(program, slot, a, d)
    attacker, defender = meanings(program)
    wins = outcome == _ATTACKER_WINS
    held = attacker.holds[a] & (wins | (outcome == DEFENDER_RETREATS))
    if objective == "value":
        worth: Floats = lost(defender)[d] - lost(attacker)[a]
        worth = worth + territory * (held if side == 0 else held - 1.0)
    elif objective == "win":
        worth = wins.astype(np.float64) if side == 0 else -(outcome == _DEFENDER_WINS).astype(np.float64)
    else:
        worth = (attacker.holds[a] & wins).astype(np.float64) - side
    return worth.reshape(slots, size_a, size_d)


def lost(meaning: Meaning) -> Floats:
    """Value destroyed in each state, in IPC."""
    total: Floats = meaning.start @ meaning.cost - left_value(meaning)
    return total


def left_value(meaning: Meaning) -> Floats:
    """Value that is not destroyed in each state, in IPC."""
    left: Floats = meaning.counts @ meaning.cost[meaning.unit_of]
    return left

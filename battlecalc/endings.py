"""Where battles end: the plain arrays that an engine hands to :class:`battlecalc.results.Odds`.

Both engines answer in this form, so that nothing behind it (tables, frames, plots, JSON) knows which one ran.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

OUTCOMES = (
    "attacker_wins",
    "defender_wins",
    "mutual_destruction",
    "attacker_retreats",
    "defender_retreats",
    "contested",
    "stalemate",
    "unresolved",
)
OUTCOME_INDEX = {name: number for number, name in enumerate(OUTCOMES)}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the states of one side mean to a player.

    Attributes
    ----------
    units : tuple of str, length U
        Unit ids of the force that are reported, in ruleset order (those that cannot be lost are left out).
    columns : tuple of str, length C
        ``"infantry"``, ``"battleship"``, ``"battleship*"`` (damaged), ``"fort (2 hits left)"``.
    unit_of : ndarray of int, shape (C,)
        Index into `units` of each column.
    counts : ndarray of int32, shape (S, C)
        Units not destroyed in each state, wherever they are (in the battle, aboard, withdrawn, submerged,
        waiting, offshore).
    start : ndarray of int64, shape (U,)
        Units of the force at the start.
    cost : ndarray of float64, shape (U,)
        IPC of one unit; 0 for a unit without a cost.
    captured : ndarray of bool, shape (8, U)
        Whether what is left of a unit changes hands in each outcome (order of `OUTCOMES`), given
        `needs_capture`.
    needs_capture : ndarray of bool, shape (U,)
        The unit changes hands only where the attacker's state can hold the territory.
    holds : ndarray of bool, shape (S,)
        Whether the side can hold a territory in this state (always False for the defender, and at sea).
    decks, planes : ndarray of int64, shape (S,)
        Room on surviving decks, and surviving planes that need one.
    """

    units: tuple[str, ...]
    columns: tuple[str, ...]
    unit_of: NDArray[np.int64]
    counts: NDArray[np.int32]
    start: NDArray[np.int64]
    cost: NDArray[np.float64]
    captured: NDArray[np.bool_]
    needs_capture: NDArray[np.bool_]
    holds: NDArray[np.bool_]
    decks: NDArray[np.int64]
    planes: NDArray[np.int64]

    def left(self) -> NDArray[np.int64]:
        """Units left in each state, whole and damaged together, shape (S, U)."""
        left = np.zeros((len(self.units), len(self.counts)), dtype=np.int64)
        np.add.at(left, self.unit_of, self.counts.T)
        return left.T


@dataclass(frozen=True, slots=True)
class RoundTable:
    """What :meth:`Odds.by_round` shows: row r is the time after round r (row 0: after the opening fire).

    `attacker`, `defender`: ndarray (R + 1, U) mean units left over all battles, ended ones as they ended;
    `over`: (R + 1,) chance that the battle is over.
    """

    attacker: NDArray[np.float64]
    defender: NDArray[np.float64]
    over: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Endings:
    """End states of one battle: N distinct cells (outcome, attacker's state, defender's state).

    Attributes
    ----------
    attacker, defender : Meaning
        Of the state numbers below.
    outcome : ndarray of int8, shape (N,)
        Index into `OUTCOMES`.
    attacker_state, defender_state : ndarray of int32, shape (N,)
    weight : ndarray, shape (N,)
        Exact: probabilities (float64). Monte Carlo: numbers of trials (int64).
    rounds : ndarray, shape (R,)
        Same weights by rounds of the main battle fought (index = number of rounds).
    round_table : callable or None
        Computes the `RoundTable` on demand.
    round_weights : callable or None
        Computes what `rounds` would hold, where that takes a pass of its own (`rounds` is empty then).
    mean_rounds : float or None
        Mean number of rounds, where an engine knows it without that pass.
    damage : callable or None
        Chance of each damage of a raid (index = IPC), on demand.
    details : mapping
        Free for engines (pruned mass, states).
    """

    attacker: Meaning
    defender: Meaning
    outcome: NDArray[np.int8]
    attacker_state: NDArray[np.int32]
    defender_state: NDArray[np.int32]
    weight: NDArray[np.float64] | NDArray[np.int64]
    rounds: NDArray[np.float64] | NDArray[np.int64]
    round_table: Callable[[], RoundTable] | None = None
    round_weights: Callable[[], NDArray[np.float64]] | None = None
    mean_rounds: float | None = None
    damage: Callable[[], NDArray[np.float64]] | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Component:
    """One way a chain of battles can go: with chance `weight`, its parts are fought one after another.

    A single battle is one component of weight 1 with one part. In a chained landing each class of what landed
    is a component of two parts (sea, land) that are independent given the class; `outcome` and `captures` of
    the whole are those of the last part.
    """

    weight: float
    parts: tuple[Endings, ...]

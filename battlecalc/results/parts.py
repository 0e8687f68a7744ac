"""One battle's end states, summed up side by side: the arithmetic under every number of `Odds`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, OUTCOMES, Component, Endings, Meaning
from battlecalc.results.distributions import Distribution, Floats, Keys, Numbers, add_up, gather
from battlecalc.rulesets.schema import SideName

ATTACKER_WINS = OUTCOME_INDEX["attacker_wins"]
DEFENDER_RETREATS = OUTCOME_INDEX["defender_retreats"]


class Force:
    """What one side has left in the end states of one part.

    The owner keeps his survivors unless the outcome hands them over, so the end states of a side fall into
    classes by what is captured (mostly one or two), and everything is a sum over (class, state).

    Attributes
    ----------
    meaning : Meaning
    keeps : ndarray of bool, shape (G, U)
        Whether a unit that is left stays its owner's, in each class.
    cell_key : ndarray of int64, shape (N,)
        ``class * S + state`` of every cell.
    mass : ndarray of float64, shape (G, S)
        Weight of each class and state.
    """

    def __init__(self, endings: Endings, side: SideName) -> None:
        self.meaning: Meaning = endings.attacker if side == "attacker" else endings.defender
        states = endings.attacker_state if side == "attacker" else endings.defender_state
        count = len(self.meaning.counts)
        if self.meaning.captured.any():
            taken = self.meaning.captured[:, None, :] & ~self.meaning.needs_capture
            taken = np.concatenate([taken, self.meaning.captured[:, None, :]], axis=1).reshape(
                2 * len(OUTCOMES), -1
            )
            distinct, classes = np.unique(taken, axis=0, return_inverse=True)
            self.keeps: NDArray[np.bool_] = ~distinct
            held = endings.attacker.holds[endings.attacker_state]
            cell_class = classes.ravel()[2 * endings.outcome.astype(np.int64) + held]
            self.cell_key: Keys = cell_class * count + states
        else:
            self.keeps = np.ones((1, len(self.meaning.units)), np.bool_)
            self.cell_key = states.astype(np.int64)
        mass = add_up(self.cell_key, endings.weight, len(self.keeps) * count)
        self.mass: Floats = mass.reshape(len(self.keeps), count)

    @cached_property
    def left(self) -> NDArray[np.int64]:
        """Units not destroyed in each state, shape (S, U)."""
        return self.meaning.left()

    @cached_property
    def sums(self) -> tuple[Floats, Floats, Floats]:
        """Weighted sums by unit: survivors, their squares, units captured; each of shape (U,)."""
        by_class = self.mass @ self.left
        squares = self.mass @ self.left**2
        return (
            (by_class * self.keeps).sum(axis=0),
            (squares * self.keeps).sum(axis=0),
            (by_class * ~self.keeps).sum(axis=0),
        )

    @cached_property
    def units_left(self) -> Keys:
        """Surviving units, captured ones apart, of each class and state; shape (G * S,)."""
        kept: Keys = (self.keeps.astype(np.int64) @ self.left.T).ravel()
        return kept

    def value_lost(self, step: int) -> Keys:
        """Value destroyed in each state, in keys of `step`; shape (S,)."""
        cost = np.rint(self.meaning.cost * step).astype(np.int64)
        return (self.meaning.start - self.left) @ cost


class Part:
    """End states of one battle of a chain, with the sums that `Odds` asks for.

    Probabilities are weights over their total, divided last: counts of trials stay whole numbers until then.
    """

    def __init__(self, endings: Endings) -> None:
        self.endings = endings
        self.total = float(endings.weight.sum())

    @cached_property
    def attacker(self) -> Force:
        """What the attacker has left."""
        return Force(self.endings, "attacker")

    @cached_property
    def defender(self) -> Force:
        """What the defender has left."""
        return Force(self.endings, "defender")

    def force(self, side: SideName) -> Force:
        """Return what `side` has left."""
        return self.attacker if side == "attacker" else self.defender

    @cached_property
    def outcomes(self) -> Floats:
        """Probability of each outcome, in the order of `OUTCOMES`."""
        return add_up(self.endings.outcome, self.endings.weight, len(OUTCOMES)) / self.total

    def holding(self, outcome: int) -> float:
        """Probability of `outcome` with an attacker left who can hold the territory."""
        holds = self.endings.attacker.holds[self.endings.attacker_state]
        return float(self.endings.weight[holds & (self.endings.outcome == outcome)].sum()) / self.total

    def _distribution(self, keys: Keys, weights: Numbers, step: int) -> Distribution:
        keys, sums = gather(keys, weights)
        return Distribution(keys, sums / self.total, step)

    def value_lost(self, side: SideName, step: int) -> Distribution:
        """Distribution of the value of `side` that is destroyed."""
        force = self.force(side)
        return self._distribution(force.value_lost(step), force.mass.sum(axis=0), step)

    def swing_keys(self, step: int) -> Keys:
        """Defender's value destroyed less the attacker's, in keys of `step`, of each end state."""
        gained = self.defender.value_lost(step)[self.endings.defender_state]
        lost = self.attacker.value_lost(step)[self.endings.attacker_state]
        return gained - lost

    def swing(self, step: int) -> Distribution:
        """Distribution of the defender's value destroyed less the attacker's."""
        return self._distribution(self.swing_keys(step), self.endings.weight, step)

    def units_left(self, base: int) -> Distribution:
        """Distribution of the units left of both sides, ``attacker * base + defender``."""
        attacker, defender = (force.units_left[force.cell_key] for force in (self.attacker, self.defender))
        return self._distribution(attacker * base + defender, self.endings.weight, 1)

    def room(self, side: SideName) -> Distribution:
        """Distribution of the planes that need a deck less the room on decks."""
        force = self.force(side)
        return self._distribution(force.meaning.planes - force.meaning.decks, force.mass.sum(axis=0), 1)

    @property
    def rounds_at_hand(self) -> bool:
        """Whether `rounds` is known without another pass of the engine."""
        return self.endings.rounds.size > 0

    @cached_property
    def rounds(self) -> Distribution:
        """Distribution of the rounds fought."""
        weights: Numbers = self.endings.rounds
        if not self.rounds_at_hand and self.endings.round_weights is not None:
            weights = self.endings.round_weights()
        keys, sums = gather(np.arange(len(weights)), weights)
        return Distribution(keys, sums / sums.sum())

    def mean_rounds(self) -> float:
        """Mean rounds fought, without a pass by rounds where the engine knows it."""
        known = self.endings.mean_rounds
        return self.rounds.mean() if known is None else known


Chains = Sequence[tuple[float, tuple[Part, ...]]]


def chains(components: Sequence[Component]) -> Chains:
    """Weight and parts of each component."""
    return tuple((c.weight, tuple(map(Part, c.parts))) for c in components)

"""Two plain ways to simulate a land battle, to measure against: dice one by one, and whole arrays of battles.

Both know just what the land battles of `benchmarks.battles` need: anti-aircraft fire of the second edition
of Axis & Allies 1942, artillery that supports infantry, one order of loss. They are what a player with an
hour to spare would write, and they must come to the same odds.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.battles import counts

Ints = NDArray[np.int64]
# in the order of loss of benchmarks.battles
ATTACK = np.array([1, 2, 3, 3, 4])  # infantry, artillery, tank, fighter, bomber
DEFENCE = np.array([0, 2, 2, 3, 1, 4])  # guns, infantry, artillery, tank, bomber, fighter


def forces(name: str) -> tuple[Ints, Ints]:
    """Count both sides in their orders of loss."""
    sides = (counts(name, side) for side in ("attacker", "defender"))
    attacker, defender = (np.array(list(side.values()), dtype=np.int64) for side in sides)
    return attacker, defender


@numba.njit(nogil=True, error_model="numpy")
def die_by_die(  # type: ignore[no-untyped-def]
    attacker, defender, attack, defence, trials, seed
):
    """Count the attacker's wins, rolling every die."""
    state = np.uint64(seed)
    wins = 0
    a = attacker.copy()
    d = defender.copy()
    for _ in range(trials):
        a[:] = attacker
        d[:] = defender
        hits = 0
        for _ in range(min(3 * d[0], a[3] + a[4])):
            state += np.uint64(0x9E3779B97F4A7C15)
            hits += _die(state) < 1
        lost = min(hits, a[3])
        a[3] -= lost
        a[4] -= min(hits - lost, a[4])
        while True:
            ours = a[0] + a[1] + a[2] + a[3] + a[4]
            theirs = d[1] + d[2] + d[3] + d[4] + d[5]
            if ours == 0 or theirs == 0:
                wins += ours > 0
                break
            scored = 0
            supported = min(a[0], a[1])
            for kind in range(5):
                for n in range(a[kind]):
                    value = attack[kind]
                    if kind == 0 and n < supported:
                        value += 1
                    state += np.uint64(0x9E3779B97F4A7C15)
                    scored += _die(state) < value
            suffered = 0
            for kind in range(1, 6):
                for _ in range(d[kind]):
                    state += np.uint64(0x9E3779B97F4A7C15)
                    suffered += _die(state) < defence[kind]
            for kind in range(6):
                lost = min(scored, d[kind])
                d[kind] -= lost
                scored -= lost
            for kind in range(5):
                lost = min(suffered, a[kind])
                a[kind] -= lost
                suffered -= lost
    return wins


@numba.njit(inline="always")
def _die(state):  # type: ignore[no-untyped-def]
    """Roll 0 to 5 (splitmix64)."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(6)) >> np.uint64(32))


def dice_wins(name: str, trials: int, seed: int = 1) -> int:
    """Count wins, every die rolled by compiled code."""
    return int(die_by_die(*forces(name), ATTACK, DEFENCE, trials, seed))


def array_wins(name: str, trials: int, seed: int = 1) -> int:
    """Count wins, numpy playing all battles side by side."""
    rng = np.random.default_rng(seed)
    attacker, defender = forces(name)
    a = np.tile(attacker, (trials, 1))
    d = np.tile(defender, (trials, 1))
    hits = rng.binomial(min(3 * int(defender[0]), int(attacker[3] + attacker[4])), 1 / 6, trials)
    a[:, 3:] = _lose(a[:, 3:], hits)
    wins = 0
    while len(a):
        supported = np.minimum(a[:, 0], a[:, 1])
        scored = rng.binomial(supported, 2 / 6) + rng.binomial(a[:, 0] - supported, 1 / 6)
        for kind in range(1, 5):
            scored += rng.binomial(a[:, kind], ATTACK[kind] / 6)
        suffered = np.zeros(len(d), dtype=np.int64)
        for kind in range(1, 6):
            suffered += rng.binomial(d[:, kind], DEFENCE[kind] / 6)
        d, a = _lose(d, scored), _lose(a, suffered)
        ours, theirs = a.any(axis=1), d[:, 1:].any(axis=1)
        wins += int((ours & ~theirs).sum())
        a, d = a[ours & theirs], d[ours & theirs]
    return wins


def _lose(units: Ints, hits: Ints) -> Ints:
    """Take hits in the order of the columns."""
    upto = np.cumsum(units, axis=1)
    left: Ints = units - np.clip(hits[:, None] - (upto - units), 0, units)
    return left

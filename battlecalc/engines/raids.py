"""Damage of strategic bombing: dice of the bombers that got through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, Endings
from battlecalc.program.program import Program
from battlecalc.program.walker import BATTLE
from battlecalc.rulesets.schema import Damage

Floats = NDArray[np.float64]


def bombs(program: Program) -> NDArray[np.bool_]:
    """Tell in which of the attacker's states a bomber gets through."""
    return np.asarray(_bombers(program)[1].any(axis=1))


def raid_outcomes(program: Program, attacker_state: NDArray[np.int32]) -> NDArray[np.int8]:
    """Outcome of every end of a raid: the attacker wins where a bomber gets through."""
    wins, loses = OUTCOME_INDEX["attacker_wins"], OUTCOME_INDEX["defender_wins"]
    return np.where(bombs(program)[attacker_state], wins, loses).astype(np.int8)


def raid_damage(program: Program, endings: Endings, low_luck: bool) -> Floats:
    """Chance of each damage (index: IPC), over all ends of a raid."""
    units, counts = _bombers(program)
    weights = np.bincount(endings.attacker_state, endings.weight, len(counts))
    rules = program.setting.units[0]
    damage = _rule(program)
    cap = _cap(program, damage)
    ways: dict[tuple[int, ...], float] = {}
    for state in np.flatnonzero(weights):
        key = tuple(counts[state].tolist())
        ways[key] = ways.get(key, 0.0) + float(weights[state])
    total = np.zeros(1)
    for key, weight in ways.items():
        rolled = np.ones(1)
        for unit, n in zip(units, key, strict=True):
            one = _one(damage.of(rules[unit]), program.setting.ruleset.sides)
            if damage.per_unit:
                one = _capped(one, cap)
            for _ in range(n):
                rolled = np.convolve(rolled, one)
        if low_luck:
            rolled = _mean_only(rolled)
        rolled = rolled if damage.per_unit else _capped(rolled, cap)
        longer = np.zeros(max(len(total), len(rolled)))
        longer[: len(total)] = total
        longer[: len(rolled)] += weight * rolled
        total = longer
    return np.asarray(total / weights.sum())


def _rule(program: Program) -> Damage:
    damage = program.setting.ruleset.sequences[program.setting.sequence_id].damage
    assert damage is not None
    return damage


def _bombers(program: Program) -> tuple[list[str], NDArray[np.int64]]:
    """Units that bomb, and how many of each get through in every state of the attacker."""
    walker = program.sides[0].states.walker
    units = [u for u in program.setting.units[0] if u in _rule(program).who]
    states = program.sides[0].states.rows
    counts = np.zeros((len(states), len(units)), dtype=np.int64)
    for number, bucket in enumerate(walker.buckets):
        name = walker.kinds[bucket.kind].unit.id
        if bucket.place == BATTLE and name in units:
            counts[:, units.index(name)] += states[:, number]
    return units, counts


def _one(rule: tuple[int, int, int], sides: int) -> Floats:
    """Damage of one bomber: `dice` dice, each the best of `rolls`, plus `add`."""
    dice, rolls, add = rule
    faces = np.arange(sides + 1) / sides
    die = np.zeros(sides + 1)
    die[1:] = np.diff(faces**rolls)
    total = np.ones(1)
    for _ in range(dice):
        total = np.convolve(total, die)
    return np.concatenate((np.zeros(add), total))


def _cap(program: Program, damage: Damage) -> int | None:
    """Most damage that the target can take, None without an end."""
    if damage.cap_option is not None:
        return int(program.setting.options[damage.cap_option]) * damage.cap_times or None
    if not damage.cap_by_target:
        return None
    pieces = program.sides[1].pieces
    units = program.setting.units[1]
    there = [*pieces.fixed, *pieces.waiting, *((k.unit.id, k.count) for k in pieces.kinds)]
    return sum(n * units[unit].values.get("damage_cap", 0) for unit, n in there) or None


def _capped(damage: Floats, cap: int | None) -> Floats:
    if cap is None or len(damage) <= cap + 1:
        return damage
    return np.concatenate((damage[:cap], [damage[cap:].sum()]))


def _mean_only(damage: Floats) -> Floats:
    """Low luck: the mean for certain, its fraction left to one chance."""
    mean = float(damage @ np.arange(len(damage)))
    whole = int(mean + 1e-9)
    result = np.zeros(whole + 2)
    result[whole], result[whole + 1] = 1 - (mean - whole), mean - whole
    return result

"""What stands in a space between two battles: who holds it, and with what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from battlecalc.battle import Battle
from battlecalc.endings import OUTCOME_INDEX, Endings, Meaning
from battlecalc.forces import format_force, in_order
from battlecalc.results.distributions import add_up
from battlecalc.results.parts import Part
from battlecalc.rulesets import Ruleset
from battlecalc.sides import Counts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_WINS = OUTCOME_INDEX["attacker_wins"]
_LEAVES = OUTCOME_INDEX["defender_retreats"]


class Standing(NamedTuple):
    """Who holds a space (0: the defender it began with, n: wave n, -1: the counter-attack), and with what."""

    holder: int
    counts: Counts
    damaged: Counts

    @property
    def force(self) -> str:
        """The force as a `Side` takes it."""
        return format_force(dict(self.counts))

    @property
    def words(self) -> str:
        """The force as a player reads it: ``"3 submarine, 1 battleship*"``, damaged units starred."""
        hurt = dict(self.damaged)
        whole = [(unit, n - hurt.get(unit, 0)) for unit, n in self.counts]
        starred = [(f"{unit}*", n) for unit, n in self.damaged]
        return ", ".join(f"{n} {unit}" for unit, n in (*whole, *starred) if n) or "nothing"

    @property
    def damage(self) -> str | None:
        """Damaged units as a `Side` takes them."""
        return format_force(dict(self.damaged)) if self.damaged else None


class Step(NamedTuple):
    """One way that a battle goes on: where it leads, how likely, and the swing on the way (keys, chances)."""

    after: Standing
    chance: float
    keys: Ints
    chances: Floats


def steps(
    battle: Battle, endings: Endings, before: Standing, wave: int, step: int, mended: bool
) -> list[Step]:
    """Sort the end states of a battle by what stands in the space afterwards.

    Parameters
    ----------
    before : Standing
        What was attacked.
    wave : int
        Who attacks: the holder where the attack takes the space.
    step : int
        Keys in one IPC, for the swing.
    mended : bool
        Whether damage is repaired before the next battle.
    """
    part = Part(endings)
    swing = part.swing_keys(step)
    taken = _taken(battle, endings)
    found: dict[Standing, list[tuple[Ints, Floats]]] = {}
    weight = endings.weight / part.total
    for takes in (False, True):
        cells = np.flatnonzero(taken == takes)
        if not len(cells):
            continue
        rows = _rows(endings, cells, takes)
        kinds, which = np.unique(rows, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.searchsorted(which.ravel()[order], np.arange(1, len(kinds) + 1))
        for row, own in zip(kinds.tolist(), np.split(cells[order], ends[:-1]), strict=True):
            if takes:
                after = _garrison(battle, endings, row, wave, mended)
            else:
                after = _remaining(battle, endings, row, before.holder, mended)
            found.setdefault(after, []).append((swing[own], weight[own]))
    result = []
    for after, pieces in found.items():
        keys, place = np.unique(np.concatenate([k for k, _ in pieces]), return_inverse=True)
        chances = add_up(place.ravel(), np.concatenate([w for _, w in pieces]), len(keys))
        result.append(Step(after, float(chances.sum()), keys, chances))
    return result


def defended(battle: Battle, standing: Standing) -> bool:
    """Whether there is somebody to fight, or something that only a battle can hand over."""
    fought = battle.sequence.needs_one_of[1]
    return any(not fought or unit in fought for unit, _ in standing.counts)


def walk_in(battle: Battle, before: Standing, wave: int) -> Standing:
    """Return what stands in a space that nobody defends once a force has come in."""
    ready = battle.attacker
    force = dict(ready.counts)
    for unit, n in ready.overland:
        force[unit] = force.get(unit, 0) + n
    if battle.sequence.capture and not battle.ruleset.holders & force.keys():
        return before
    staying = stays(battle, force)
    return Standing(wave, _counts(battle.ruleset, staying), ()) if staying else before


def stays(battle: Battle, force: Mapping[str, int]) -> dict[str, int]:
    """Units of a victorious force that are there to defend what it took.

    On land planes fly on to where they can land and ships stay at sea; at sea planes stay as far as there
    are decks for them.
    """
    ruleset = battle.ruleset
    there = ruleset.sequences[after_sequence(battle)].takes[1]
    staying = {u: n for u, n in force.items() if n and u in there and ruleset.units[u].only != "attacker"}
    planes = [unit for unit in staying if "air" in ruleset.units[unit].tags]
    room = sum(n * ruleset.units[unit].decks for unit, n in staying.items())
    for unit in planes:
        landed = min(staying.pop(unit), room if ruleset.units[unit].needs_deck else 0)
        room -= landed
        if landed:
            staying[unit] = landed
    return staying


def after_sequence(battle: Battle) -> str:
    """Sequence in which what a battle took is defended: on land where it was a landing."""
    return battle.sequence.id if battle.sequence.before is None else "land"


def _taken(battle: Battle, endings: Endings) -> NDArray[np.bool_]:
    """Whether the attack took the space, in each cell."""
    left: NDArray[np.bool_] = np.isin(endings.outcome, (_WINS, _LEAVES))
    return left & endings.attacker.holds[endings.attacker_state] if battle.sequence.capture else left


def _rows(endings: Endings, cells: Ints, takes: bool) -> Ints:
    """One row a cell: what stands there afterwards, by column (of both sides where the space was taken)."""
    defender = endings.defender
    outcome = endings.outcome[cells].astype(np.int64)
    held = endings.attacker.holds[endings.attacker_state[cells]]
    handed = defender.captured[outcome] & (~defender.needs_capture | held[:, None])
    left = defender.counts[endings.defender_state[cells]].astype(np.int64)
    handed = handed[:, defender.unit_of]
    if takes:
        own = endings.attacker.counts[endings.attacker_state[cells]].astype(np.int64)
        return np.concatenate([own, left * handed], axis=1)
    gone = (outcome == _LEAVES)[:, None] & ~handed
    return np.where(gone, 0, left)


def _remaining(battle: Battle, endings: Endings, row: list[int], holder: int, mended: bool) -> Standing:
    """Return the defender's side of a space that was not taken."""
    counts, damaged = _read(battle, 1, endings.defender, row)
    if counts:
        told = set(endings.defender.units)
        counts |= {unit: n for unit, n in battle.defender.counts if unit not in told}
    return Standing(
        holder, _counts(battle.ruleset, counts), () if mended else _counts(battle.ruleset, damaged)
    )


def _garrison(battle: Battle, endings: Endings, row: list[int], wave: int, mended: bool) -> Standing:
    """Return the attacker's side of a space that was taken, captured units with him."""
    width = len(endings.attacker.columns)
    own, damaged = _read(battle, 0, endings.attacker, row[:width])
    counts = stays(battle, own)
    captured, hurt = _read(battle, 1, endings.defender, row[width:])
    for unit, n in stays(battle, captured).items():
        counts[unit] = counts.get(unit, 0) + n
        damaged[unit] = damaged.get(unit, 0) + hurt.get(unit, 0)
    damaged = {unit: min(n, counts[unit]) for unit, n in damaged.items() if unit in counts}
    return Standing(wave, _counts(battle.ruleset, counts), () if mended else _counts(battle.ruleset, damaged))


def _read(
    battle: Battle, side: int, meaning: Meaning, row: Iterable[int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Read units, and those of them that are damaged, from the columns of one side."""
    counts: dict[str, int] = {}
    damaged: dict[str, int] = {}
    for column, unit_place, n in zip(meaning.columns, meaning.unit_of.tolist(), row, strict=True):
        unit = meaning.units[unit_place]
        if not n:
            continue
        counts[unit] = counts.get(unit, 0) + n
        if column != unit and not battle.ruleset.units[unit].absorbs:
            damaged[unit] = damaged.get(unit, 0) + n
    return counts, damaged


def _counts(ruleset: Ruleset, force: Mapping[str, int]) -> Counts:
    return tuple(in_order(force, ruleset).items())

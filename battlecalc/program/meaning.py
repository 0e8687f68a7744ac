"""From state numbers back to pieces: what each state of one side means to a player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, OUTCOMES, Meaning
from battlecalc.program.side import SideProgram
from battlecalc.program.walker import ABOARD, AWAY, BATTLE


def make_meaning(side: SideProgram, offshore: bool = True) -> Meaning:
    """Return the meaning of one side's states, kept with the side.

    Parameters
    ----------
    offshore : bool
        Whether ships that stand off are part of the answer (in a chained landing they belong to the sea
        battle).
    """
    return side.memo.of(("meaning", offshore), lambda: _make_meaning(side, offshore))


def _make_meaning(side: SideProgram, offshore: bool) -> Meaning:
    setting, walker, pieces = side.setting, side.states.walker, side.pieces
    units = setting.units[side.side]
    constant: dict[tuple[str, int], int] = {}
    hurt = dict(pieces.damaged)
    for group in (pieces.fixed, pieces.offshore if offshore else (), pieces.waiting):
        for name, n in group:
            unit = units[name]
            if not unit.never_lost or unit.captured:
                full = unit.hits[side.side]
                constant[name, full] = n - hurt.get(name, 0)
                if name in hurt:
                    constant[name, full - 1] = hurt[name]
    # what a column counts: (unit, hits left) -> buckets of the state
    buckets: dict[tuple[str, int], list[int]] = {}
    for number, b in enumerate(walker.buckets):
        if b.place in (BATTLE, ABOARD, AWAY):
            unit = walker.kinds[b.kind].unit
            hits = unit.hits[side.side] if unit.absorbs else b.hits
            buckets.setdefault((unit.id, hits), []).append(number)
    there = {name for name, _ in (*constant, *buckets)}
    reported = [name for name in units if name in there]
    columns: list[str] = []
    unit_of: list[int] = []
    states = side.states.rows
    counts: list[NDArray[np.int32]] = []
    for place, name in enumerate(reported):
        full = units[name].hits[side.side]
        for hits in range(full, 0, -1):
            if (name, hits) not in buckets and (name, hits) not in constant:
                continue
            column = states[:, buckets.get((name, hits), [])].sum(axis=1, dtype=np.int32)
            column = column + np.int32(constant.get((name, hits), 0))
            columns.append(column_name(name, hits, full))
            unit_of.append(place)
            counts.append(column)
    start = np.zeros(len(reported), dtype=np.int64)
    for (name, _), n in constant.items():
        start[reported.index(name)] += n
    for kind in walker.kinds:
        start[reported.index(kind.unit.id)] += kind.count
    captured = np.zeros((len(OUTCOMES), len(reported)), dtype=bool)
    needs = np.zeros(len(reported), dtype=bool)
    land = setting.ruleset.sequences[setting.sequence_id].capture
    for place, name in enumerate(reported):
        unit = units[name]
        if side.side == 1 and unit.captured and land:
            captured[OUTCOME_INDEX["attacker_wins"], place] = True
            captured[OUTCOME_INDEX["defender_retreats"], place] = unit.captured_on_retreat
            needs[place] = unit.never_lost
    table = np.stack(counts, axis=1) if counts else np.zeros((len(states), 0), dtype=np.int32)
    option = setting.ruleset.sequences[setting.sequence_id].decks_option
    if option is not None and setting.options[option]:
        table = _without_planes_adrift(side, table, unit_of, reported, columns)
    return Meaning(
        units=tuple(reported),
        columns=tuple(columns),
        unit_of=np.array(unit_of, dtype=np.int64),
        counts=table,
        start=start,
        cost=np.array([units[name].cost or 0.0 for name in reported]),
        captured=captured,
        needs_capture=needs,
        holds=_holds(side, states) if land and side.side == 0 else np.zeros(len(states), dtype=bool),
        decks=_decks(side, table, unit_of, reported, columns),
        planes=_planes(side, table, unit_of, reported),
    )


def column_name(unit: str, hits: int, full: int) -> str:
    """Name a column: the unit, with a star where it is damaged and can be only so, else with the hits left.

    >>> column_name("battleship", 1, 2), column_name("fort", 2, 4), column_name("fort", 4, 4)
    ('battleship*', 'fort (2 hits left)', 'fort')
    """
    if hits == full:
        return unit
    if full == 2:
        return f"{unit}*"
    return f"{unit} ({hits} hit{'s' if hits > 1 else ''} left)"


def _unit_of(column: str) -> str:
    return column.partition(" (")[0].rstrip("*")


def _holds(side: SideProgram, states: NDArray[np.int32]) -> NDArray[np.bool_]:
    """States with a unit that can hold the territory: in the battle, or in a wave still aboard."""
    walker = side.states.walker
    holders = side.setting.ruleset.holders
    places = [
        number
        for number, b in enumerate(walker.buckets)
        if b.place in (BATTLE, ABOARD) and walker.kinds[b.kind].unit.id in holders
    ]
    return np.asarray(states[:, places].any(axis=1))


def _decks(
    side: SideProgram, table: NDArray[np.int32], unit_of: list[int], units: list[str], columns: list[str]
) -> NDArray[np.int64]:
    """Room on decks; what a damaged carrier takes is a rule of its own (§6.3)."""
    rules = side.setting.units[side.side]
    room = []
    for c, u in enumerate(unit_of):
        unit = rules[units[u]]
        damaged = columns[c] != unit.id and unit.damaged_decks is not None
        room.append(unit.damaged_decks if damaged else unit.decks)
    return table.astype(np.int64) @ np.array(room, dtype=np.int64)


def _without_planes_adrift(
    side: SideProgram, table: NDArray[np.int32], unit_of: list[int], units: list[str], columns: list[str]
) -> NDArray[np.int32]:
    """Take planes off that find no deck, the cheapest first."""
    rules = side.setting.units[side.side]
    adrift = _planes(side, table, unit_of, units) - _decks(side, table, unit_of, units, columns)
    table = table.copy()
    planes = [c for c, u in enumerate(unit_of) if rules[units[u]].needs_deck]
    for c in sorted(planes, key=lambda c: (rules[units[unit_of[c]]].cost or 0.0, columns[c])):
        gone = np.clip(adrift, 0, table[:, c])
        table[:, c] -= gone.astype(np.int32)
        adrift = adrift - gone
    return table


def _planes(
    side: SideProgram, table: NDArray[np.int32], unit_of: list[int], units: list[str]
) -> NDArray[np.int64]:
    rules = side.setting.units[side.side]
    needing = [int(rules[units[u]].needs_deck) for u in unit_of]
    return table.astype(np.int64) @ np.array(needing, dtype=np.int64)


def with_pieces(
    meaning: Meaning,
    order: Mapping[str, float],
    start: Mapping[str, int],
    left: Mapping[str, NDArray[np.int32]],
) -> Meaning:
    """Add pieces that the battle itself does not know: what waits for a landing that may never come.

    Parameters
    ----------
    order : mapping of unit to cost
        Every unit of the ruleset, in order.
    start : units added
    left : by column (``"fort"``, ``"fort (3 hits left)"``), how many of the added units are left in every
    state
    """
    base = {name: place for place, name in enumerate(meaning.units)}
    units = [name for name in order if name in base or start.get(name)]
    columns: list[str] = []
    unit_of: list[int] = []
    counts: list[NDArray[np.int32]] = []
    for place, name in enumerate(units):
        own = {
            meaning.columns[c]: meaning.counts[:, c]
            for c, u in enumerate(meaning.unit_of.tolist())
            if name in base and u == base[name]
        }
        added = {column: n for column, n in left.items() if _unit_of(column) == name}
        for column in dict.fromkeys((*own, *added)):
            columns.append(column)
            unit_of.append(place)
            nobody = np.zeros(len(meaning.counts), dtype=np.int32)
            counts.append(own.get(column, nobody) + added.get(column, nobody))
    captured = np.zeros((len(OUTCOMES), len(units)), dtype=bool)
    needs = np.zeros(len(units), dtype=bool)
    total = np.zeros(len(units), dtype=np.int64)
    for place, name in enumerate(units):
        total[place] = start.get(name, 0)
        if name in base:
            captured[:, place] = meaning.captured[:, base[name]]
            needs[place] = meaning.needs_capture[base[name]]
            total[place] += meaning.start[base[name]]
    return replace(
        meaning,
        units=tuple(units),
        columns=tuple(columns),
        unit_of=np.array(unit_of, dtype=np.int64),
        counts=np.stack(counts, axis=1) if counts else np.zeros((len(meaning.counts), 0), dtype=np.int32),
        start=total,
        cost=np.array([order[name] for name in units]),
        captured=captured,
        needs_capture=needs,
    )

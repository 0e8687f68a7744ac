"""Chained landings: the naval battle first, then the landing with what is left of it.

The landing depends on the battle at sea only through what landed, so end states at sea fall into classes by
that, and each class is one landing: sea and land are never built jointly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, Component, Endings
from battlecalc.forces import in_order
from battlecalc.landing import cargo_left, split_landing
from battlecalc.program.build import make_program
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.meaning import make_meaning, with_pieces
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from battlecalc.battle import Battle

# The attacker holds the zone, or only what cannot be hit or may be ignored is in it.
_GOES_AHEAD = [OUTCOME_INDEX[end] for end in ("attacker_wins", "defender_retreats", "stalemate")]
_DEFENDER_WINS = OUTCOME_INDEX["defender_wins"]

Counts = tuple[tuple[str, int], ...]


class Engine(Protocol):
    """Anything that can fight one battle of a chain."""

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        """Fight `share` of all battles; `number` tells the battles of a chain apart."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a chain comes to.

    Attributes
    ----------
    components : of the whole
    landing : chance that the landing goes ahead
    stages : (name, battle, components) of each
    """

    components: tuple[Component, ...]
    landing: float
    stages: tuple[tuple[str, Battle, tuple[Component, ...]], ...]


class _Landed(NamedTuple):
    """What decides a landing: cargo that is left, ships that stand off."""

    cargo: Counts
    ships: Counts


def chained(battle: Battle, engine: Engine) -> Chain:
    """Fight the naval battle of a landing, then a landing for every class of what is left."""
    sea_battle = battle.sea_battle
    assert sea_battle is not None
    assert battle.sequence.before is not None
    sea = engine.fight(fight_of(sea_battle), True, 1.0, 0)
    total = float(sea.weight.sum())
    classes = _classes(battle, sea)
    components: list[Component] = []
    landings: list[Component] = []
    ahead = 0.0
    for number, landed in enumerate(sorted(c for c in classes if c is not None), start=1):
        part = _select(sea, classes[landed])
        share = float(part.weight.sum()) / total
        fight = _landing(battle, landed)
        if fight is None:
            components.append(Component(share, (_stay(battle, part, landed, defended=True),)))
            continue
        land = engine.fight(fight, False, share, number)
        components.append(Component(share, (_sunk(battle, part, landed), land)))
        landings.append(Component(share, (land,)))
        ahead += share
    if None in classes:
        part = _select(sea, classes[None])
        components.append(
            Component(float(part.weight.sum()) / total, (_stay(battle, part, None, defended=False),))
        )
    scaled = tuple(Component(c.weight / ahead, c.parts) for c in landings)
    stages: list[tuple[str, Battle, tuple[Component, ...]]] = [
        (battle.sequence.before, sea_battle, (Component(1.0, (sea,)),))
    ]
    if scaled:
        stages.append((battle.sequence.id, battle, scaled))
    return Chain(tuple(components), ahead, tuple(stages))


def _classes(battle: Battle, sea: Endings) -> dict[_Landed | None, NDArray[np.int64]]:
    """Cells of the sea battle by what can land after them; None: nothing does."""
    transports, ships, _ = split_landing(battle.ruleset, battle.sequence, battle.attacker.counts)
    kinds = [unit for unit in sea.attacker.units if any(unit == ship for ship, _ in ships)] + [
        unit
        for unit in sea.attacker.units
        if unit in battle.sequence.takes[0] and all(unit != s for s, _ in ships)
    ]
    offshore = _offshore(battle)
    left = _left(sea, kinds)
    own = dict(transports)
    found: dict[_Landed | None, list[int]] = {}
    known: dict[tuple[int, ...], _Landed] = {}
    ahead = np.isin(sea.outcome, _GOES_AHEAD)
    for cell, (state, goes) in enumerate(zip(sea.attacker_state.tolist(), ahead.tolist(), strict=True)):
        landed = None
        if goes:
            counts = tuple(left[state].tolist())
            landed = known.get(counts)
            if landed is None:
                afloat = dict(zip(kinds, counts, strict=True))
                cargo = cargo_left(battle, {t: min(afloat.get(t, 0), n) for t, n in own.items()})
                standing = {u: min(n, own[u]) if u in own else n for u, n in afloat.items() if u in offshore}
                landed = known[counts] = _Landed(
                    tuple(cargo.items()), tuple((u, n) for u, n in standing.items() if n)
                )
        found.setdefault(landed, []).append(cell)
    return {landed: np.array(cells, dtype=np.int64) for landed, cells in found.items()}


def _offshore(battle: Battle) -> frozenset[str]:
    """Units that matter off the coast: ships that may bombard, transports whose number makes the waves."""
    units: set[str] = set()
    for stage in battle.sequence.stages:
        if stage.when.not_fought == battle.sequence.before:
            continue
        for step in stage.steps:
            for group in step.fire:
                if group.where == "offshore" and group.when.not_fought != battle.sequence.before:
                    units |= group.who
            for landing in step.land:
                units |= landing.carrier
    return frozenset(units)


def _left(sea: Endings, kinds: list[str]) -> NDArray[np.int64]:
    """Units of some kinds left in each of the attacker's states."""
    meaning = sea.attacker
    left = np.zeros((len(meaning.counts), len(kinds)), dtype=np.int64)
    for unit, counts in zip(meaning.units, meaning.left().T, strict=True):
        if unit in kinds:
            left[:, kinds.index(unit)] = counts
    return left


def _select(sea: Endings, cells: NDArray[np.int64]) -> Endings:
    return replace(
        sea,
        outcome=sea.outcome[cells],
        attacker_state=sea.attacker_state[cells],
        defender_state=sea.defender_state[cells],
        weight=sea.weight[cells],
    )


def _landing(battle: Battle, landed: _Landed) -> Fight | None:
    """Return the landing of one class; None where nothing is left to land or fly."""
    _, ships, cargo = split_landing(battle.ruleset, battle.sequence, battle.attacker.counts)
    apart = {unit for unit, _ in (*ships, *cargo)}
    force = dict(landed.cargo) | {unit: n for unit, n in battle.attacker.counts if unit not in apart}
    fights = frozenset(force) & (battle.sequence.needs_one_of[0] or frozenset(force))
    if not fights and not battle.attacker.overland:
        return None
    force |= dict(landed.ships)
    counts = tuple(in_order(force, battle.ruleset).items())
    attacker = replace(battle.attacker, counts=counts, damaged=())
    assert battle.sequence.before is not None
    return replace(fight_of(battle), attacker=attacker, fought=frozenset((battle.sequence.before,)))


def _costs(battle: Battle, side: int) -> Mapping[str, float]:
    ready = (battle.attacker, battle.defender)[side]
    units = battle.ruleset.for_side(SIDES[side], ready.technologies).units
    return {name: unit.cost or 0.0 for name, unit in units.items()}


def _sunk(battle: Battle, sea: Endings, landed: _Landed) -> Endings:
    """Add the cargo that went down to the sea part of a landing that goes ahead: it counts there, as lost."""
    _, _, cargo = split_landing(battle.ruleset, battle.sequence, battle.attacker.counts)
    kept = dict(landed.cargo)
    lost = {unit: n - kept.get(unit, 0) for unit, n in cargo if n > kept.get(unit, 0)}
    return replace(sea, attacker=with_pieces(sea.attacker, _costs(battle, 0), lost, {}))


def _stay(battle: Battle, sea: Endings, landed: _Landed | None, defended: bool) -> Endings:
    """Add what never fought to a sea part after which nothing lands: cargo, planes, the defender ashore.

    `defended`: the sea was won but nothing can land, so the defender holds the territory.
    """
    transports, ships, cargo = split_landing(battle.ruleset, battle.sequence, battle.attacker.counts)
    apart = {unit for unit, _ in (*ships, *cargo)}
    waiting = {unit: n for unit, n in battle.attacker.counts if unit not in apart}
    for unit, n in battle.attacker.overland:
        waiting[unit] = waiting.get(unit, 0) + n
    states = len(sea.attacker.counts)
    start = dict(waiting)
    for unit, n in cargo:
        start[unit] = start.get(unit, 0) + n
    left = {unit: np.full(states, waiting.get(unit, 0), dtype=np.int32) for unit in start}
    own = dict(transports)
    afloat = _left(sea, list(own))
    for state in np.unique(sea.attacker_state).tolist():
        there = dict(zip(own, afloat[state].tolist(), strict=True))
        for unit, n in cargo_left(battle, {t: min(there[t], own[t]) for t in own}).items():
            left[unit][state] += n
    ashore = make_program(fight_of(battle)).sides[1]
    meaning = make_meaning(ashore)
    there = dict(zip(meaning.columns, meaning.counts[ashore.start].tolist(), strict=True))
    defender = with_pieces(
        sea.defender,
        _costs(battle, 1),
        dict(zip(meaning.units, meaning.start.tolist(), strict=True)),
        {column: np.full(len(sea.defender.counts), n, dtype=np.int32) for column, n in there.items()},
    )
    outcome = np.full_like(sea.outcome, _DEFENDER_WINS) if defended else sea.outcome
    return replace(
        sea,
        attacker=with_pieces(sea.attacker, _costs(battle, 0), start, left),
        defender=defender,
        outcome=outcome,
    )

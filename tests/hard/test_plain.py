"""Battles fought side by side, by the general loop and exactly: their ends, rounds, and states by round."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note

import battlecalc as bc
from battlecalc.engines.beats import BeatMaker, Place
from battlecalc.engines.decisions import decide
from battlecalc.engines.exact import solve_program
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.layers import Layers
from battlecalc.engines.montecarlo import ROUNDS, Simulation, kernel_of, make_tables
from battlecalc.engines.records import Records
from battlecalc.program.fight import fight_of
from battlecalc.program.layout import AGAIN
from battlecalc.program.program import Program
from tests.engines.battles import PAIRS, random_calls
from tests.engines.chisquare import statistic, threshold
from tests.engines.twin import as_battle
from tests.hard import EXAMPLES
from tests.hard.plain_rules import plain_battles
from tests.hard.test_invariants import often
from tests.program.bench import program_of

BLOCKS = 5
TRIALS = BLOCKS * BLOCK - 13
LAYERS = 6  # rounds whose states are told apart, and one for the rest
STAGES = ("while both have", "once", "advantage of both", "begins in one state", "begins with an idle stage")
FLEET = ("submarine", "fighter", "carrier", "battleship", "destroyer", "cruiser")
KINDS = (*STAGES, "rounds limited", "rules that end it", "rounds that differ")


def assert_believable(what: str, counts: Any, chances: Any) -> None:
    """Fail where these counts cannot come from these chances."""
    counts, chances = np.ravel(counts), np.ravel(chances)
    assert counts.sum() == TRIALS and chances.sum() == pytest.approx(1, abs=1e-9), what
    assert not counts[chances <= 0].any(), f"{what}: counted, but exactly never reached"
    total, degrees = statistic(dict(enumerate(counts.tolist())), dict(enumerate(chances.tolist())))
    assert total <= threshold(max(degrees, 1)), (what, total, degrees)


def fight(simulation: Simulation) -> tuple[Any, Any, list[Any]]:
    """Count ends, rounds, and states by round: both sides' where it goes on, then where it is over."""
    program, found = simulation.program, []
    ends = np.empty(0, dtype=np.int64)
    for length, kept in ((ROUNDS, 0), (LAYERS + 1, LAYERS + 1)):
        histogram = np.zeros(simulation.slots * program.cells, dtype=np.int64)
        rounds = np.zeros(length, dtype=np.int64)
        seen = [np.zeros((kept, size), dtype=np.int64) for size in 2 * program.sizes]
        simulation.fight(0, BLOCKS, TRIALS, histogram, ends, rounds, (seen[0], seen[1], seen[2], seen[3]))
        found.append((histogram, rounds, seen))
    (histogram, rounds, _), (again, few, seen) = found
    assert (histogram == again).all()
    assert (few == [*rounds[:LAYERS], rounds[LAYERS:].sum()]).all()
    return histogram, rounds, seen


def assert_all_alike(program: Program) -> None:
    """Hold both loops against the exact engine."""
    ended, layers = solve_program(program), Layers(program)
    weights = np.zeros(ROUNDS)
    exact_rounds = layers.weights()
    weights[: len(exact_rounds)] = exact_rounds[:ROUNDS]
    for loop in ("side by side", "general"):
        simulation = Simulation(program, 31, 1)
        if loop == "general":
            simulation.tables = replace(simulation.tables, beats=None)
        histogram, rounds, seen = fight(simulation)
        assert_believable(f"{loop}: ends", histogram, ended.by_slot)
        assert_believable(f"{loop}: rounds", rounds, weights / weights.sum())
        for number in range(LAYERS):
            layer = min(number, len(layers._over) - 1)
            for side in (0, 1):
                counts = seen[side][number] + seen[2 + side][: number + 1].sum(axis=0)
                if number > layer:  # the battles are over, or may not go on
                    counts = counts + seen[side][layer:number].sum(axis=0)
                chances = layers._going[layer][side] + layers._over[layer][side]
                assert_believable(f"{loop}: side {side} after round {number}", counts, chances)


class Watched(BeatMaker):
    """Notes how a battle begins."""

    def __init__(self, program: Program) -> None:
        tables = make_tables(program)
        super().__init__(Records(program, tables.thresholds, tables.guide))
        self.begins: set[str] = set()

    def _is_idle(self, stage: int, advantage: int, states: tuple[int, int]) -> bool:
        idle = super()._is_idle(stage, advantage, states)
        if idle:
            self.begins.add("begins with an idle stage")
        return idle

    def _begin_in_one_state(self, place: Place, states: tuple[int, int]) -> int:
        self.begins.add("begins in one state")
        return super()._begin_in_one_state(place, states)


def kinds_of(program: Program) -> set[str]:
    """Say what there is in a battle that is plain; nothing of others."""
    maker = Watched(program)
    if maker.make() is None:
        return set()
    *before, last = program.stages
    leaving = [d for d in program.decisions if maker._operations.kinds.says_yes(d.op).any()]
    named = {
        "plain": True,
        "rounds limited": program.rounds is not None,
        "rules that end it": last.limit is not None,
        "rounds that differ": len(last.variants) > 1,
        "advantage of both": any({1, 2} <= advantages(program, stage.advantage) for stage in before),
        "many states": program.cells > 20,
        "steps in parts": kernel_of(program) == "side_by_side_in_parts",
        "somebody leaves": bool(leaving),
        "policies that look at both": any(decided.joint for decided in leaving),
        "one by one": any(program.words[decided.op + AGAIN] for decided in leaving),
    }
    return (
        {stage.repeat for stage in before} | maker.begins | {name for name, holds in named.items() if holds}
    )


def advantages(program: Program, at: int) -> set[int]:
    """Who may have the advantage after a stage whose table of it begins there."""
    width = program.signatures[2]
    pairs = width * (1 + int(program.words[program.signatures[0] :][: program.sizes[0]].max()))
    return set(program.words[at:][:pairs].tolist()) if at >= 0 else set()


def assert_met(met: Counter[Any], least: dict[Any, int]) -> None:
    """Fail where too few battles had in them what is to be tried."""
    assert not {name: (met[name], n) for name, n in least.items() if met[name] < n * EXAMPLES}


def test_random_rules() -> None:
    met: Counter[str] = Counter()

    @often(200)
    @given(plain_battles())
    def alike(battle: bc.Battle) -> None:
        note(str(battle.ruleset._source.table))
        program = program_of(battle)
        decide(program, fight_of(battle), program.cells)
        if kinds := kinds_of(program):
            met.update(kinds)
            assert_all_alike(program)

    alike()
    least = {"plain": 40, "many states": 25, "rounds limited": 12, "steps in parts": 6}
    least |= {"somebody leaves": 10, "policies that look at both": 5}
    assert_met(met, dict.fromkeys(KINDS, 1) | least)


def test_shipped_rules() -> None:
    """With technologies, options, orders of loss, damage, low luck, and up to five rounds."""
    met: Counter[Any] = Counter()
    rng = Random(17)
    for ruleset, sequence in PAIRS:
        for asked in ({}, {"rounds": rng.randint(1, 5)}, {"dice": "low-luck"}):
            for call in random_calls(rng, ruleset, sequence, asked, 3 * EXAMPLES):
                program = program_of(as_battle(call))
                if kinds := kinds_of(program):
                    met.update([*kinds, (ruleset, sequence)])
                    assert_all_alike(program)
    on_land = dict.fromkeys(((ruleset, "land") for ruleset in bc.ruleset_ids()), 5)
    least = dict.fromkeys(KINDS, 3) | {"plain": 150, "many states": 35, "steps in parts": 10}
    assert_met(met, least | on_land)


def test_fleets() -> None:
    """Hits of three kinds in one step, surprise strikes, in all editions."""
    met: Counter[str] = Counter()
    rng = Random(23)
    for ruleset in bc.ruleset_ids():
        units = bc.load_ruleset(ruleset).sequences["naval"].takes[0]
        ships = [unit for unit in FLEET if unit in units]
        for asked in ({}, {"rounds": rng.randint(1, 5)}, {"dice": "low-luck"}):
            for _ in range(2 * EXAMPLES):
                fleets = ({unit: rng.randint(0, 2) for unit in ships} | {ships[-1]: 1} for _ in range(2))
                program = program_of(ruleset, "naval", *fleets, **asked)
                if kinds := kinds_of(program):
                    met.update(kinds)
                    assert_all_alike(program)
    assert_met(met, {"plain": 30, "many states": 20, "steps in parts": 20})

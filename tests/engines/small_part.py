"""A small part of the engines' work as JSON, to be run in processes that are set up differently."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import battlecalc as bc
from battlecalc.engines import exact, montecarlo, stopping
from battlecalc.engines.decisions import decide, worth_of
from battlecalc.engines.ends import counted_endings
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.layers import Layers
from battlecalc.engines.means import lattice_means
from battlecalc.engines.montecarlo import Simulation
from battlecalc.engines.payoffs import payoffs
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.program.lattice import make_lattice

MOST = 1_000_000
BATTLES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (
        (
            "great-war",
            "land",
            "3 infantry, 1 artillery, 1 fighter, 1 gas",
            bc.Side("2 infantry, 1 fighter", loss_order="infantry, fighter"),
        ),
        {},
    ),
    (("great-war", "land", "3 infantry", "2 entrenched_infantry"), {"rounds": 2}),
    (
        ("great-war", "naval", "1 cruiser, 1 dreadnought, 1 submarine", "1 dreadnought, 1 transport"),
        {"options": {"called_shots": 1, "mines": True, "pass_through_forts": 1}},
    ),
    (("great-war", "invasion", "3 infantry, 2 transport, 1 fighter", "1 infantry, 1 artillery"), {}),
    (
        ("aa-1942-2e", "naval", "1 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 destroyer, 1 fighter"),
        {},
    ),
    # side by side, steps in parts
    (("aa-1942-2e", "naval", "1 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 destroyer"), {}),
    (("aa-1942", "land", "2 infantry, 2 fighter", "2 infantry, 1 aa_gun"), {"dice": "low-luck"}),
    (("aa-1914", "land", "2 infantry, 1 tank, 1 fighter", "2 infantry, 1 fighter"), {}),
    # one step a round for ever; hits with incomparable targets; decisions of both sides, also one by one
    (("aa-1942", "land", "3 infantry, 1 tank", "3 infantry"), {}),
    (
        (
            "aa-anniversary",
            "naval",
            "2 submarine, 2 fighter",
            bc.Side("1 destroyer, 1 fighter, 1 submarine", loss_order="destroyer, fighter, submarine"),
        ),
        {},
    ),
    (("aa-1942", "land", bc.Side("3 infantry, 1 tank", retreat="round >= 2"), "3 infantry"), {"rounds": 3}),
    (
        (
            "aa-1942",
            "naval",
            bc.Side("2 submarine, 1 fighter", submerge="best", retreat="best"),
            bc.Side("1 cruiser, 2 submarine", submerge="best"),
        ),
        {},
    ),
    (
        (
            "great-war",
            "land",
            bc.Side("2 infantry, 2 fighter", retreat="best", air_retreat="units <= 1"),
            bc.Side("3 infantry, 1 fighter", retreat="best"),
        ),
        {"territory": 2},
    ),
    (("great-war", "invasion", bc.Side("3 infantry, 2 transport", contest="best"), "2 infantry"), {}),
    # nobody can hit anybody, or only while a destroyer is there
    (("aa-1942", "naval", bc.Side("1 submarine, 1 destroyer", loss_order="destroyer"), "1 fighter"), {}),
    # many ways in a row; air battles and rounds in which nobody can hit anybody any more, though an
    # advantage would let them; what leaves last in the last round
    (("aa-1942", "land", "7 infantry", "6 infantry, 1 fighter"), {"rounds": 4}),
    (
        ("great-war", "land", "1 infantry, 1 fighter", "1 infantry, 1 fighter"),
        {"changes": {"fighter.attack": 0, "fighter.defence": 0}},
    ),
    (
        ("great-war", "land", "2 artillery, 1 fighter", "1 artillery, 1 fighter"),
        {"changes": {"artillery.attack": 0, "artillery.defence": 0}},
    ),
    (
        (
            "aa-1942",
            "naval",
            bc.Side("1 cruiser, 2 submarine", submerge="units <= 2"),
            "1 cruiser, 1 fighter",
        ),
        {"rounds": 2},
    ),
    (
        (
            "aa-revised",
            "naval",
            bc.Side("2 submarine, 1 destroyer", submerge="round >= 2"),
            "1 destroyer, 1 submarine",
        ),
        {},
    ),
    (
        (
            "aa-1942",
            "naval",
            bc.Side("1 submarine, 1 cruiser", submerge="best", retreat="best"),
            bc.Side("1 cruiser, 1 submarine", submerge="best"),
        ),
        {"rounds": 2},
    ),
    # rounds that end before the first die: not fought
    (
        (
            "aa-1942",
            "naval",
            bc.Side("2 submarine, 1 destroyer", loss_order="destroyer", retreat="round >= 3"),
            bc.Side("1 fighter, 1 submarine", submerge="round >= 2"),
        ),
        {},
    ),
    (
        (
            "aa-1942-2e",
            "naval",
            bc.Side("3 submarine", submerge="round >= 2 and units <= 2"),
            bc.Side("1 cruiser, 1 submarine", submerge="round >= 3"),
        ),
        {},
    ),
]


def answers(trials: int) -> list[dict[str, Any]]:
    """Count and solve every battle, forwards and backwards."""
    return [_answer(bc.Battle(*battle, **keywords), trials) for battle, keywords in BATTLES]


def _answer(battle: bc.Battle, trials: int) -> dict[str, Any]:
    fight = fight_of(battle)
    program = make_program(fight)
    decisions = decide(program, fight, MOST)
    counted = Simulation(program, 13, 1).run(trials)
    with patch.object(montecarlo, "MAX_DENSE_CELLS", 0):
        gathering = Simulation(program, 13, 1)
        gathered = gathering.run(trials)
    general = Simulation(program, 13, 1)
    general.tables = replace(general.tables, beats=None)
    one_by_one = general.run(trials)
    parts = [s.part(1, BLOCK + trials // 4) for s in (Simulation(program, 13, 1), general)]  # the next block
    by_round = [bc.simulate(battle, trials=trials, seed=13).by_round(), bc.solve(battle).by_round()]
    tables = (counted_endings(s, c).round_table for s, c in ((general, one_by_one), (gathering, gathered)))
    again = [table() for table in tables if table]
    pruned = exact.solve_program(program, prune=1e-3)
    walk = exact.Walk(program)
    walk.visits = {}
    for _ in exact.walk_rounds(walk, *walk.opening(), steady=True):
        pass
    lattice = None if decisions else make_lattice([fight], MOST)
    with patch.object(stopping, "_FIRST_WORK", 50), patch.object(stopping, "RUN_SECONDS", 1e-5):  # many runs
        ended, layers = exact.solve_program(program), Layers(program).weights()
        worth = worth_of(program, payoffs(program, "value"))
        means = lattice_means(lattice, [(1.0, 2.0)])[0] if lattice else None
    return {
        **{
            name: [getattr(one, name).tolist() for one in (counted, gathered, one_by_one, *parts)]
            for name in ("cells", "counts", "rounds")
        },
        "chances": ended.by_slot.ravel().tolist(),
        "mean rounds": ended.rounds,
        "dropped": pruned.dropped,
        "pruned": pruned.by_slot.ravel().tolist(),
        "visits": [x for ops in sorted(walk.visits) for x in walk.visits[ops].ravel().tolist()],
        "worth": worth,
        "best": decisions.value if decisions else 0.0,
        "means": [*means.outcomes, *means.value_lost, means.captures, means.held, means.rounds]
        if means
        else [],
        "by round": [
            *(x for one in by_round for x in one.to_numpy().ravel().tolist()),
            *(x for t in again for of in (t.attacker, t.defender, t.over) for x in of.ravel().tolist()),
            *layers.tolist(),
        ],
    }


if __name__ == "__main__":
    json.dump(answers(int(sys.argv[1])), sys.stdout)

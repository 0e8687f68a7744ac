"""A small part of the engines' work as JSON, to be run in processes that are set up differently."""

from __future__ import annotations

import json
import sys
from typing import Any

import battlecalc as bc
from battlecalc.engines import exact
from battlecalc.engines.montecarlo import Simulation
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of

BATTLES: list[tuple[tuple[str, str, str, str], dict[str, Any]]] = [
    (("great-war", "land", "3 infantry, 1 artillery, 1 fighter, 1 gas", "2 infantry, 1 fighter"), {}),
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
    (("aa-1942", "land", "2 infantry, 2 fighter", "2 infantry, 1 aa_gun"), {"dice": "low-luck"}),
    (("aa-1914", "land", "2 infantry, 1 tank, 1 fighter", "2 infantry, 1 fighter"), {}),
]


def answers(trials: int) -> list[dict[str, Any]]:
    """Count and solve every battle."""
    found = []
    for battle, keywords in BATTLES:
        program = make_program(fight_of(bc.Battle(*battle, **keywords)))
        counted = Simulation(program, 13, 1).run(trials)
        ended = exact.solve_program(program)
        found.append(
            {
                "cells": counted.cells.tolist(),
                "counts": counted.counts.tolist(),
                "rounds": counted.rounds.tolist(),
                "chances": ended.by_slot.ravel().tolist(),
                "mean rounds": ended.rounds,
            }
        )
    return found


if __name__ == "__main__":
    json.dump(answers(int(sys.argv[1])), sys.stdout)

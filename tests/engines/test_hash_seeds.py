"""The order of a set is another one in every process: no number may depend on it, not in its last bit."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.fresh import ROOT

CODE = """
import battlecalc as bc

FLEETS = "2 dreadnought, 1 cruiser, 2 submarine", "1 cruiser, 1 transport"
ROCKETS = bc.Side("1 infantry, 1 artillery, 1 tank, 1 fighter", technologies=["advanced_artillery"])
for battle, keywords in (
    (("great-war", "naval", *FLEETS), {"options": {"called_shots": 1}}),
    (("great-war", "naval", *FLEETS), {"options": {"called_shots": 2, "mines": True}}),
    (("great-war", "naval", bc.Side(FLEETS[1], retreat="best"), FLEETS[0]), {"options": {"called_shots": 1}}),
    (("great-war", "land", "3 infantry, 1 artillery, 1 fighter, 1 gas", "2 infantry, 1 fighter"), {}),
    (("aa-1914", "land", "3 infantry, 1 artillery, 1 tank, 1 fighter", "2 infantry, 1 fighter"), {}),
    (("aa-1940-2e", "land", ROCKETS, "2 infantry, 1 aa_gun, 1 tank"), {}),
    (("aa-1942-2e", "naval", "1 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 carrier, 1 fighter"), {}),
):
    odds = bc.solve(*battle, **keywords)
    print(odds.to_json())
    for table in (odds.outcome_table(), odds.by_round(), odds.rounds(), odds.swing()):
        print([x.hex() if isinstance(x, float) else x for x in table.to_numpy(dtype=object).ravel()])
"""


def test_exact_odds_are_equal_to_the_last_bit_in_every_process() -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    found = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 35

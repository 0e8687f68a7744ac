"""What is measured, by name: trials a second, milliseconds of a whole call, seconds of a command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import battlecalc as bc
from battlecalc.engines.decisions import decide
from battlecalc.engines.montecarlo import Simulation, make_tables
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from benchmarks import baselines
from benchmarks.battles import LAND, NAMES, forget, grown, question, small_battles
from benchmarks.clock import best

TRIALS = {"a_small_land": 1_000_000, "e_huge_land": 200_000}


def trials_per_second(name: str, threads: int = 1, seconds: float = 0.5) -> float:
    """Trials of the Monte Carlo engine, the program compiled beforehand."""
    program = make_program(fight_of(bc.Battle(*question(name))))
    return _rate(program, TRIALS.get(name, 400_000) * threads, threads, seconds)


def _rate(program: object, trials: int, threads: int, seconds: float) -> float:
    return trials / best(lambda: Simulation(program, 1, threads).run(trials), seconds)  # type: ignore[arg-type]


def retreat_per_second(name: str, general: bool, seconds: float = 0.5) -> float:
    """Trials where the attacker retreats by the odds, by the loop that fights any battle or the best one."""
    ruleset, sequence, attacker, defender = question(name)
    fight = fight_of(bc.Battle(ruleset, sequence, replace(attacker, retreat="odds < 40%"), defender))
    program = make_program(fight)
    decide(program, fight, program.cells)
    tables = make_tables(program)
    if general:
        program.memo["tables"] = replace(tables, beats=None)
    try:
        return _rate(program, TRIALS.get(name, 400_000), 1, seconds)
    finally:
        program.memo["tables"] = tables


def dice_per_second(name: str, seconds: float = 0.5) -> float:
    """Trials of the loop that rolls every die."""
    baselines.dice_wins(name, 1)
    return 100_000 / best(lambda: baselines.dice_wins(name, 100_000), seconds)


def arrays_per_second(name: str, seconds: float = 0.5) -> float:
    """Trials of numpy over all battles at once."""
    return 20_000 / best(lambda: baselines.array_wins(name, 20_000), seconds)


def exact_seconds(name: str, new: bool, seconds: float = 0.5) -> float:
    """Whole call from strings to `Odds`, for a battle never asked before (`new`) or asked again."""

    def call() -> None:
        if new:
            forget()
        assert bc.solve(*question(name)).outcomes

    call()
    return best(call, seconds)


def thousand_seconds() -> float:
    """Solve a thousand different small battles, one after another, as a bot asks."""

    def call() -> None:
        forget()
        for battle in small_battles():
            assert bc.solve(*battle).outcomes

    return best(call, 1.0, least=1)


def grown_seconds(sequence: str, units: int, method: str) -> float:
    """Time of an exact answer, or of a million simulated battles, with so many units a side."""
    battle = grown(sequence, units)
    if method == "exact":

        def solve() -> None:
            forget()
            bc.solve(*battle, max_states=10**9)

        return best(solve, 0.2, least=1)
    program = make_program(fight_of(bc.Battle(*battle)))
    return 1_000_000 / _rate(program, 100_000, 1, 0.2)


def command_seconds(*words: str) -> float:
    """Time of a process of its own."""
    return best(lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True), 1.0)


class Figure(NamedTuple):
    """A ratio to something measured in the same run, and what it was here."""

    ratio: float
    here: str


def figures(seconds: float = 0.5) -> Iterator[tuple[str, Figure]]:
    """Measure everything: name and figure."""
    loop = {name: dice_per_second(name, seconds) for name in LAND}
    thousand = 1000 / loop["a_small_land"]  # the yardstick of whole calls
    for name in NAMES:
        one = trials_per_second(name, 1, seconds)
        here = f"{one / 1e6:.3g} M/s"
        if name in loop:
            yield f"{name}: trials, to the die-by-die loop", Figure(one / loop[name], here)
            arrays = arrays_per_second(name, seconds)
            yield f"{name}: trials, to numpy arrays", Figure(one / arrays, here)
        else:
            yield f"{name}: trials, to the loop on a_small_land", Figure(one / loop["a_small_land"], here)
        slow, fast = (retreat_per_second(name, general, seconds) for general in (True, False))
        retreat = Figure(fast / slow, f"{fast / 1e6:.3g} M/s")
        yield f"{name}: trials with a retreat by odds, to the general loop", retreat
        two = trials_per_second(name, 2, seconds)
        yield f"{name}: two threads to one", Figure(two / one, f"{two / 1e6:.3g} M/s")
        for how, new in (("a new battle", True), ("asked again", False)):
            taken = exact_seconds(name, new, seconds)
            yield f"{name}: exact, {how}, to 1,000 battles of the loop", _time(taken, thousand)
    yield "1,000 small battles, exact, to as many of the loop", _time(thousand_seconds(), thousand)
    bare = command_seconds("-c", "pass")
    yield "--help, to bare Python", _time(command_seconds("-m", "battlecalc", "--help"), bare)
    land = ("-m", "battlecalc", "land", "6 inf, 2 art", "5 inf", "--method", "exact")
    yield "small exact battle as a command, to bare Python", _time(command_seconds(*land), bare)


def _time(taken: float, unit: float) -> Figure:
    return Figure(taken / unit, f"{taken * 1000:.3g} ms" if taken < 1 else f"{taken:.3g} s")

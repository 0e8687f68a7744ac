"""The two methods: from a `Battle` through the Program of each of its fights to `Odds`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from battlecalc.advising.orders import settle
from battlecalc.chain import chained
from battlecalc.endings import OUTCOME_INDEX, Component, Endings
from battlecalc.engines import exact, montecarlo
from battlecalc.engines.decisions import decide
from battlecalc.engines.ends import counted_endings, exact_endings
from battlecalc.engines.policy_rows import PolicyRows
from battlecalc.errors import StateSpaceError
from battlecalc.program.asking import count_states
from battlecalc.program.build import make_program
from battlecalc.program.casualties import describe_order
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.program import Program
from battlecalc.results import Odds
from battlecalc.results.intervals import wilson
from battlecalc.rulesets.schema import SIDES
from battlecalc.telling import Progress, Told, telling

if TYPE_CHECKING:
    from battlecalc.battle import Battle
    from battlecalc.program.side import SideProgram

# Pairs of states that an exact answer may have: about a minute and a few GB of memory at the most.
MAX_STATES = 20_000_000
# Precision is looked at after so many trials, doubling: fixed counts, so that a seed gives one answer.
_FIRST_LOOK = 65_536
# Fewer pairs of states are counted exactly before one says that they are too many.
_WORTH_COUNTING = 10_000_000
_ATTACKER_WINS = OUTCOME_INDEX["attacker_wins"]


class Solved:
    """Answers exactly."""

    method: Literal["exact"] = "exact"
    trials: int | None = None
    seed: int | None = None

    def __init__(self, prune: float = 0.0, max_states: int = MAX_STATES) -> None:
        self.prune, self.max_states = prune, max_states
        self.dropped = 0.0
        self.policies: Mapping[str, Any] | None = None

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        """Solve one battle of a chain (see `battlecalc.chain.Engine`)."""
        check_size_beforehand(fight, self.max_states)
        program = make_program(fight)
        check_size(program, self.max_states)
        decisions = decide(program, fight, self.max_states)
        if decisions is not None:
            self.policies = PolicyRows(program, decisions)
        ended = exact.solve_program(program, self.prune)
        self.dropped += share * ended.dropped
        return exact_endings(program, ended, offshore)

    def notes(self) -> tuple[str, ...]:
        """Tell what pruning dropped."""
        if not self.prune:
            return ()
        return (f"states with a chance below {self.prune:g} were dropped, {self.dropped:.3g} in all",)


class Simulated:
    """Answers by simulation."""

    method: Literal["monte-carlo"] = "monte-carlo"

    def __init__(
        self, most: int, seed: int, threads: int | None, precision: float | None, progress: Progress
    ) -> None:
        self.seed, self.threads, self.precision = seed, threads, precision
        self.progress = progress
        self.trials = most
        self.policies: Mapping[str, Any] | None = None

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        """Fight `share` of all trials; battle `number` of a chain draws its own words."""
        program = make_program(fight)
        decisions = decide(program, fight, MAX_STATES)
        if decisions is not None:
            self.policies = PolicyRows(program, decisions)
        simulation = montecarlo.Simulation(program, self.seed, self.threads, number)
        trials = round(share * self.trials)
        with telling(self.progress) as told:
            counted = self.count(simulation, fight, trials, told)
        return counted_endings(simulation, counted, offshore)

    def count(
        self, simulation: montecarlo.Simulation, fight: Fight, trials: int, told: Told
    ) -> montecarlo.Counted:
        """Fight `trials` battles, in the first of a chain fewer where that is precise enough."""
        if self.precision is None or simulation.number:
            return simulation.run(trials, told)
        return self._until_precise(simulation, self.precision, told)

    def _until_precise(
        self, simulation: montecarlo.Simulation, precision: float, told: Told
    ) -> montecarlo.Counted:
        most, look = self.trials, min(_FIRST_LOOK, self.trials)
        while True:
            counted = simulation.run(look, told, most)
            endings = counted_endings(simulation, counted)
            wins = int(endings.weight[endings.outcome == _ATTACKER_WINS].sum())
            low, high = wilson(wins / look, look, 0.95)
            if (high - low) / 2 <= precision or look >= most:
                self.trials = look
                return counted
            look = min(2 * look, most)

    def notes(self) -> tuple[str, ...]:
        """Nothing to tell."""
        return ()


def check_size_beforehand(fight: Fight, max_states: int) -> None:
    """Raise, before anything large is built, where an exact answer has more pairs of states than it may."""
    most = max(max_states, _WORTH_COUNTING)
    _check_least_size(fight, max_states)
    sizes, complete = count_states(fight, most)
    if sizes[0] * sizes[1] > most:
        raise _too_large(sizes, max_states, "" if complete else "at least ")


def _check_least_size(fight: Fight, max_states: int) -> None:
    """Raise where every order of loss leads through too many pairs of states."""
    cells = 1
    for side, ready in enumerate(fight.sides):
        units = fight.ruleset.for_side(SIDES[side], ready.technologies).units
        pieces = ((units[unit], n) for unit, n in (*ready.counts, *ready.overland))
        cells *= 1 + sum(n * unit.hits[side] for unit, n in pieces if not unit.never_lost)
    if cells > max(4 * max_states, _WORTH_COUNTING):  # units that stand off are no part of the states
        raise StateSpaceError(
            f"an exact answer would go through some {cells:,} pairs of states or more, more than "
            f"{max_states:,}; simulate instead, or raise max_states"
        )


def check_size(program: Program, max_states: int) -> None:
    """Raise where a program has more pairs of states than an exact answer may have."""
    if program.cells > max_states:
        raise _too_large(program.sizes, max_states)


def _too_large(sizes: tuple[int, int], max_states: int, least: str = "") -> StateSpaceError:
    a, d = sizes
    return StateSpaceError(
        f"an exact answer would go through {least}{a * d:,} pairs of states ({a:,} of the attacker, "
        f"{d:,} of the defender), more than {max_states:,}; simulate instead, or raise max_states"
    )


def make_answer(battle: Battle, method: Solved | Simulated, notes: tuple[str, ...] = ()) -> Odds:
    """Let a method fight a battle, chained or not, and put the answer together."""
    battle, found = settle(battle)
    notes = (*found, *notes)
    landing = stages = None
    if battle.sea_battle is None:
        components: tuple[Component, ...] = (Component(1.0, (method.fight(fight_of(battle), True, 1.0, 0),)),)
    else:
        chain = chained(battle, method)
        components, landing = chain.components, chain.landing
        stages = {
            name: Odds(parts, part, method.method, method.trials, method.seed)
            for name, part, parts in chain.stages
        }
    return Odds(
        components,
        battle,
        method.method,
        method.trials,
        method.seed,
        notes=(*battle.notes, *notes, *method.notes()),
        assumed=battle.assumed,
        landing=landing,
        stages=stages,
        policies=method.policies,
        loss_orders=_orders(battle),
    )


def _orders(battle: Battle) -> dict[str, list[str]]:
    """Complete orders of loss, as they were used."""
    sides = make_program(fight_of(battle)).sides
    return {name: list(_order(side)) for name, side in zip(SIDES, sides, strict=True)}


def _order(side: SideProgram) -> list[str]:
    return side.memo.of("order of loss", lambda: describe_order(side.pieces, side.segments))

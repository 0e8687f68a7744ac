"""The three ways to ask: `simulate`, `solve` and `odds`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from battlecalc.battle import Battle
from battlecalc.chain import chained
from battlecalc.endings import Component
from battlecalc.engines import exact, montecarlo
from battlecalc.engines.ends import counted_endings, exact_endings
from battlecalc.errors import BattleError, StateSpaceError
from battlecalc.program.build import make_program
from battlecalc.program.casualties import describe_order
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.program import Program
from battlecalc.results import Odds
from battlecalc.words import quote

if TYPE_CHECKING:
    from battlecalc.endings import Endings
    from battlecalc.rulesets import Ruleset
    from battlecalc.sides import Side

    Force = str | Mapping[str, int] | Side
    Progress = Callable[[int, int], None] | bool | None

TRIALS = 1_000_000
MOST_TRIALS = 10**13
MOST_TRIALS_FOR_PRECISION = 10**9
# Pairs of states that an exact answer may have: about a minute and a few GB of memory at the most.
MAX_STATES = 20_000_000
# `method="auto"` simulates instead of an exact answer that would take longer than this.
AUTO_SECONDS = 5.0
# Precision is looked at after so many trials, doubling: fixed counts, so that a seed gives one answer.
_FIRST_LOOK = 65_536


def simulate(
    ruleset: str | os.PathLike[str] | Ruleset | Battle,
    sequence: str | None = None,
    attacker: Force | None = None,
    defender: Force | None = None,
    *,
    trials: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    precision: float | None = None,
    progress: Progress = None,
    **battle: Any,
) -> Odds:
    """Odds of a battle from simulated ones.

    Parameters
    ----------
    ruleset : str, path, Ruleset or Battle
        A `Battle` in place of the first four arguments is the same question.
    sequence, attacker, defender : see `Battle`
    trials : int, optional
        Battles to fight; a million where neither this nor `precision` is given.
    seed : int, optional
        Whole number from 0; drawn, and told by the answer, where it is not given. The same arguments and seed give the same counts on
        any number of threads.
    threads : int, optional
        By default as many as the process has processors.
    precision : float, optional
        Half-width of the 95 % interval of the attacker's chance to win at which to stop (a probability: 0.001).
        Looked at after fixed numbers of trials; goes on up to `trials`, or to 1e9.
    progress : callable or True, optional
        Called with (trials done, trials in all); True shows a bar on a terminal.
    **battle
        Keywords of `Battle`.

    Returns
    -------
    Odds

    Raises
    ------
    BattlecalcError
        For everything that makes no sense.
    KeyboardInterrupt
        After Ctrl-C, with attributes ``done`` and ``total``.

    Examples
    --------
    >>> odds = simulate("great-war", "land", "6 inf, 2 art, 1 fighter", "5 inf, 1 art", trials=10_000, seed=7)
    >>> 0.92 < odds.outcomes["attacker_wins"] < 0.95
    True
    """
    question = as_battle(ruleset, sequence, attacker, defender, battle)
    engine = _Simulated(
        most=_trials(trials, precision),
        seed=_seed(seed),
        threads=_threads(threads),
        precision=_precision(precision),
        progress=progress,
    )
    return engine.answer(question)


def solve(
    ruleset: str | os.PathLike[str] | Ruleset | Battle,
    sequence: str | None = None,
    attacker: Force | None = None,
    defender: Force | None = None,
    *,
    prune: float = 0.0,
    max_states: int = MAX_STATES,
    **battle: Any,
) -> Odds:
    """Odds of a battle without simulation noise: the true distribution.

    Parameters
    ----------
    ruleset, sequence, attacker, defender, **battle : see `simulate`
    prune : float
        Pairs of states that are reached with less than this chance are dropped; the notes tell how much that was.
    max_states : int
        Pairs of states that the answer may have.

    Raises
    ------
    StateSpaceError
        Where there are more; the text says how many.

    Examples
    --------
    >>> odds = solve("aa-1942", "land", "1 inf", "1 inf")
    >>> odds.outcomes["attacker_wins"]
    0.25
    >>> odds.standard_error("attacker_wins")
    0.0
    """
    question = as_battle(ruleset, sequence, attacker, defender, battle)
    return _Solved(_prune(prune), max_states).answer(question)


def odds(
    ruleset: str | os.PathLike[str] | Ruleset | Battle,
    sequence: str | None = None,
    attacker: Force | None = None,
    defender: Force | None = None,
    *,
    method: str = "auto",
    trials: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    precision: float | None = None,
    progress: Progress = None,
    prune: float = 0.0,
    max_states: int = MAX_STATES,
    **battle: Any,
) -> Odds:
    """Odds of a battle: exact where the state space fits, else simulated.

    Parameters
    ----------
    method : {"auto", "exact", "monte-carlo"}
        ``"auto"`` notes it when it simulates.
    ruleset, sequence, attacker, defender, **battle, trials, seed, threads, precision, progress : see `simulate`
    prune, max_states : see `solve`

    Examples
    --------
    >>> odds("great-war", "land", "6 inf, 2 art", "5 inf, 1 art").method
    'exact'
    """
    question = as_battle(ruleset, sequence, attacker, defender, battle)
    if method not in ("auto", "exact", "monte-carlo"):
        raise BattleError(f"unknown method {quote(method)}; known: auto, exact, monte-carlo")
    simulated = _Simulated(
        _trials(trials, precision), _seed(seed), _threads(threads), _precision(precision), progress
    )
    solved = _Solved(_prune(prune), max_states)
    if method == "monte-carlo":
        return simulated.answer(question)
    if method == "exact":
        return solved.answer(question)
    try:
        seconds = exact_seconds(question, max_states)
    except StateSpaceError as error:
        return simulated.answer(question, (f"simulated: {error}",))
    if seconds > AUTO_SECONDS:
        return simulated.answer(question, (f"simulated: the exact answer would take about {seconds:.0f} s",))
    return solved.answer(question)


def exact_seconds(battle: Battle, max_states: int = MAX_STATES) -> float:
    """Estimate how long `solve` takes for a battle, without solving it.

    Raises
    ------
    StateSpaceError
        Where it does not fit.
    """
    total = 0.0
    for question in (battle, battle.sea_battle):
        if question is not None:
            program = make_program(fight_of(question))
            check_size(program, max_states)
            total += min(exact.plain_seconds(program), exact.PLAIN_SECONDS + exact.compiled_seconds(program))
    return total


def check_size(program: Program, max_states: int) -> None:
    """Raise where a program has more pairs of states than an exact answer may have."""
    if program.cells > max_states:
        a, d = program.sizes
        raise StateSpaceError(
            f"an exact answer would go through {program.cells:,} pairs of states ({a:,} of the attacker, {d:,} of the "
            f"defender), more than {max_states:,}; simulate instead, or raise max_states"
        )


def as_battle(
    ruleset: str | os.PathLike[str] | Ruleset | Battle,
    sequence: str | None,
    attacker: Force | None,
    defender: Force | None,
    keywords: Mapping[str, Any],
) -> Battle:
    """Return the question as a `Battle`."""
    if isinstance(ruleset, Battle):
        if sequence is not None or attacker is not None or defender is not None:
            raise BattleError("a Battle stands in place of ruleset, sequence, attacker and defender")
        return ruleset.replace(**keywords) if keywords else ruleset
    if sequence is None or attacker is None or defender is None:
        raise BattleError("ruleset, sequence, attacker and defender are needed, or a Battle in place of the four")
    try:
        return Battle(ruleset, sequence, attacker, defender, **keywords)
    except TypeError as error:
        raise BattleError(str(error).replace("Battle.__init__() got an ", "")) from None


class _Solved:
    """Answers exactly."""

    method = "exact"

    def __init__(self, prune: float, max_states: int) -> None:
        self.prune, self.max_states = prune, max_states
        self.dropped = 0.0

    def answer(self, battle: Battle, notes: tuple[str, ...] = ()) -> Odds:
        return make_answer(battle, self, None, None, notes)

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        program = make_program(fight)
        check_size(program, self.max_states)
        ended = exact.solve_program(program, self.prune)
        self.dropped += share * ended.dropped
        return exact_endings(program, ended, offshore)

    def notes(self) -> tuple[str, ...]:
        if not self.prune:
            return ()
        return (f"states with a chance below {self.prune:g} were dropped, {self.dropped:.3g} in all",)


class _Simulated:
    """Answers by simulation."""

    method = "monte-carlo"

    def __init__(
        self, most: int, seed: int, threads: int | None, precision: float | None, progress: Progress
    ) -> None:
        self.most, self.seed, self.threads, self.precision = most, seed, threads, precision
        self.progress = progress
        self.trials = most

    def answer(self, battle: Battle, notes: tuple[str, ...] = ()) -> Odds:
        return make_answer(battle, self, None, self.seed, notes)

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        """Fight `share` of all trials; battle `number` of a chain draws its own words."""
        simulation = montecarlo.Simulation(make_program(fight), self.seed, self.threads, number)
        trials = round(share * self.trials)
        with _shown(self.progress) as progress:
            if self.precision is None or number:
                counted = simulation.run(trials, progress)
            else:
                counted = self._until_precise(simulation, progress)
        return counted_endings(simulation, counted, offshore)

    def _until_precise(
        self, simulation: montecarlo.Simulation, progress: montecarlo.Progress | None
    ) -> montecarlo.Counted:
        from battlecalc.results.intervals import wilson

        look = min(_FIRST_LOOK, self.most)
        while True:
            counted = simulation.run(look, progress and (lambda done, _: progress(done, self.most)))
            endings = counted_endings(simulation, counted)
            wins = int(endings.weight[endings.outcome == 0].sum())
            low, high = wilson(wins / look, look, 0.95)
            assert self.precision is not None
            if (high - low) / 2 <= self.precision or look >= self.most:
                self.trials = look
                return counted
            look = min(2 * look, self.most)

    def notes(self) -> tuple[str, ...]:
        return ()


def make_answer(
    battle: Battle,
    engine: _Solved | _Simulated,
    policies: Mapping[str, Any] | None,
    seed: int | None,
    notes: tuple[str, ...],
) -> Odds:
    """Let an engine fight a battle, chained or not, and put the answer together."""
    landing = stages = None
    if battle.sea_battle is None:
        components: tuple[Component, ...] = (Component(1.0, (engine.fight(fight_of(battle), True, 1.0, 0),)),)
    else:
        chain = chained(battle, engine)
        components, landing = chain.components, chain.landing
        stages = {
            name: Odds(
                parts,
                part_battle,
                engine.method,
                None if seed is None else engine.trials,
                seed,
            )
            for name, part_battle, parts in chain.stages
        }
    return Odds(
        components,
        battle,
        engine.method,
        engine.trials if isinstance(engine, _Simulated) else None,
        seed,
        notes=(*battle.notes, *notes, *engine.notes()),
        assumed=battle.assumed,
        landing=landing,
        stages=stages,
        policies=policies,
        loss_orders=_orders(battle),
    )


def _shown(progress: Progress) -> AbstractContextManager[montecarlo.Progress | None]:
    """Return what a simulation tells its progress: the caller's own callable, or a bar on a terminal."""
    if progress is True:
        from battlecalc.cli.progress import Meter

        return Meter()
    return nullcontext(progress or None)


def _orders(battle: Battle) -> dict[str, list[str]]:
    sides = make_program(fight_of(battle)).sides
    return {
        name: describe_order(side.pieces, side.segments)
        for name, side in zip(("attacker", "defender"), sides, strict=True)
    }


def _trials(trials: object, precision: object) -> int:
    if trials is None:
        return TRIALS if precision is None else MOST_TRIALS_FOR_PRECISION
    if isinstance(trials, float) and trials == int(trials):
        trials = int(trials)
    if isinstance(trials, bool) or not isinstance(trials, int) or not 1 <= trials <= MOST_TRIALS:
        raise BattleError(f"trials is a whole number from 1 to {MOST_TRIALS:,}, not {quote(trials)}")
    return trials


def _seed(seed: object) -> int:
    if seed is None:
        return secrets.randbits(48)
    try:
        value = int(seed.__index__())  # type: ignore[attr-defined]
    except AttributeError:
        value = -1
    if isinstance(seed, bool) or not 0 <= value < 2**128:
        raise BattleError(f"seed is a whole number from 0, not {quote(seed)}")
    return value


def _threads(threads: object) -> int | None:
    if threads is None:
        return None
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise BattleError(f"threads is a whole number from 1 to 1,024, not {quote(threads)}")
    return threads


def _precision(precision: object) -> float | None:
    if precision is None:
        return None
    if isinstance(precision, bool) or not isinstance(precision, (int, float)) or not 0 < precision < 0.5:
        raise BattleError(f"precision is a probability between 0 and 0.5, not {quote(precision)}")
    return float(precision)


def _prune(prune: object) -> float:
    if isinstance(prune, bool) or not isinstance(prune, (int, float)) or not 0 <= prune < 0.01:
        raise BattleError(f"prune is a probability from 0 to 0.01, not {quote(prune)}")
    return float(prune)

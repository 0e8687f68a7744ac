"""The three ways to ask: `simulate`, `solve` and `odds`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from battlecalc.answering import MAX_STATES, Simulated, Solved, check_size, check_size_beforehand, make_answer
from battlecalc.battle import Battle
from battlecalc.engines import exact
from battlecalc.errors import BattleError, StateSpaceError
from battlecalc.keywords import METHODS
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.results import Odds
from battlecalc.words import quote

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset
    from battlecalc.sides import Side
    from battlecalc.telling import Progress

    Force = str | Mapping[str, int] | Side

TRIALS = 1_000_000
MOST_TRIALS = 10**13
MOST_TRIALS_FOR_PRECISION = 10**9
# `method="auto"` simulates instead of an exact answer that would take longer than this.
AUTO_SECONDS = 5.0


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
        Whole number from 0; drawn, and told by the answer, where it is not given. The same arguments and
        seed give the same counts on any number of threads.
    threads : int, optional
        By default as many as the process has processors.
    precision : float, optional
        Half-width of the 95 % interval of the attacker's chance to win at which to stop (a probability:
        0.001). Looked at after fixed numbers of trials; goes on up to `trials`, or to 1e9.
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
    method = _simulated(trials, precision, seed, threads, progress)
    return make_answer(question, method)


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
        Pairs of states that are reached with less than this chance are dropped; the notes tell how much
        that was.
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
    return make_answer(question, Solved(read_prune(prune), read_max_states(max_states)))


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
    ruleset, sequence, attacker, defender, **battle, trials, seed, threads, precision, progress : see
    `simulate`
    prune, max_states : see `solve`

    Examples
    --------
    >>> odds("great-war", "land", "6 inf, 2 art", "5 inf, 1 art").method
    'exact'
    """
    question = as_battle(ruleset, sequence, attacker, defender, battle)
    check_method(method)
    simulated = _simulated(trials, precision, seed, threads, progress)
    max_states = read_max_states(max_states)
    solved = Solved(read_prune(prune), max_states)
    if method == "monte-carlo":
        return make_answer(question, simulated)
    if method == "exact":
        return make_answer(question, solved)
    try:
        seconds = exact_seconds(question, max_states)
    except StateSpaceError as error:
        return make_answer(question, simulated, (f"simulated: {error}",))
    if seconds > AUTO_SECONDS:
        return make_answer(
            question, simulated, (f"simulated: the exact answer would take about {seconds:.0f} s",)
        )
    return make_answer(question, solved)


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
            check_size_beforehand(fight_of(question), max_states)
            program = make_program(fight_of(question))
            check_size(program, max_states)
            total += min(exact.plain_seconds(program), exact.PLAIN_SECONDS + exact.compiled_seconds(program))
    return total


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
        raise BattleError(
            "ruleset, sequence, attacker and defender are needed, or a Battle in place of the four"
        )
    try:
        return Battle(ruleset, sequence, attacker, defender, **keywords)
    except TypeError as error:
        raise BattleError(str(error).replace("Battle.__init__() got an ", "")) from None


def _simulated(
    trials: object, precision: object, seed: object, threads: object, progress: Progress
) -> Simulated:
    return Simulated(
        read_trials(trials, precision),
        read_seed(seed),
        read_threads(threads),
        read_precision(precision),
        progress,
    )


def check_method(method: object) -> None:
    """Raise where there is no such method."""
    if method not in METHODS:
        raise BattleError(f"unknown method {quote(method)}; known: {', '.join(METHODS)}")


def read_trials(trials: object, precision: object) -> int:
    """Battles to fight at the most."""
    if trials is None:
        return TRIALS if precision is None else MOST_TRIALS_FOR_PRECISION
    if isinstance(trials, float) and trials.is_integer():
        trials = int(trials)
    return _whole(trials, "trials", 1, MOST_TRIALS)


def read_seed(seed: object) -> int:
    """Seed, drawn where none is given."""
    return secrets.randbits(48) if seed is None else _whole(seed, "seed", 0, 2**128 - 1)


def read_threads(threads: object) -> int | None:
    """Threads; None: as many as there are processors."""
    if threads is None:
        return None
    return _whole(threads, "threads", 1, 1024)


def read_max_states(most: object) -> int:
    """Pairs of states that an exact answer may have."""
    return _whole(most, "max_states", 1, 10**12)


def _whole(number: object, name: str, least: int, most: int) -> int:
    """Return a whole number of any integral type within bounds."""
    value = number.__index__() if hasattr(number, "__index__") and not isinstance(number, bool) else None
    if value is None or not least <= value <= most:
        upto = f" to {most:,}" if most < 2**64 else ""
        raise BattleError(f"{name} is a whole number from {least}{upto}, not {quote(number)}")
    return int(value)


def read_precision(precision: object) -> float | None:
    """Half-width of the interval of the attacker's chance to win, if any."""
    if precision is None:
        return None
    if isinstance(precision, bool) or not isinstance(precision, (int, float)) or not 0 < precision < 0.5:
        raise BattleError(f"precision is a probability between 0 and 0.5, not {quote(precision)}")
    return float(precision)


def read_prune(prune: object) -> float:
    """Chance below which a pair of states is dropped."""
    if isinstance(prune, bool) or not isinstance(prune, (int, float)) or not 0 <= prune < 0.01:
        raise BattleError(f"prune is a probability from 0 to 0.01, not {quote(prune)}")
    return float(prune)

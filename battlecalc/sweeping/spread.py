"""One huge simulation over an executor: blocks of trials anywhere, the same counts as in one process."""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import closing
from functools import lru_cache, partial

from battlecalc import run
from battlecalc.answering import MAX_STATES, Simulated, make_answer
from battlecalc.battle import Battle, check_battle
from battlecalc.engines.decisions import decide
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.montecarlo import Counted, Simulation, Tally
from battlecalc.program.build import make_program
from battlecalc.program.fight import Fight
from battlecalc.program.program import Program
from battlecalc.results import Odds
from battlecalc.sweeping.executors import results
from battlecalc.telling import Progress, Told

# Blocks of one task: about a second of work, so that a lost one costs little and thousands are no burden.
TASK_BLOCKS = 4096
MOST_WAITING = 64


@lru_cache(maxsize=4)
def _program(fight: Fight) -> Program:
    """Program of a fight with its best decisions, kept from one task of a worker to the next."""
    program = make_program(fight)
    decide(program, fight, MAX_STATES)
    return program


def count_blocks(fight: Fight, seed: int, number: int, first: int, trials: int) -> Counted:
    """Fight the blocks from `first` on up to trial number `trials` of the whole simulation.

    Parameters
    ----------
    fight : Fight
    seed, number : int
        Of the whole simulation, and of the battle in its chain.
    first : int
        Number of a block.
    trials : int
        Where to stop, counted from trial 0: a multiple of the block, or the end of the whole.
    """
    return Simulation(_program(fight), seed, 1, number).part(first, trials)


def count_on(
    executor: Executor,
    fight: Fight,
    trials: int,
    seed: int,
    number: int = 0,
    told: Told | None = None,
    task_blocks: int = TASK_BLOCKS,
) -> Counted:
    """Fight `trials` trials on the workers of an executor.

    Each task is counted once, when its result arrives: work of a worker that died and was done again
    elsewhere counts once.
    """
    blocks = -(-trials // BLOCK)
    tasks = (
        (first, (first, min((first + task_blocks) * BLOCK, trials)))
        for first in range(0, blocks, task_blocks)
    )
    tally, done = Tally(0), 0
    try:
        work = partial(count_blocks, fight, seed, number)
        with closing(results(executor, work, tasks, MOST_WAITING)) as counts:
            for _, counted in counts:
                tally.add(counted.cells, counted.counts)
                tally.rounds += counted.rounds
                done += counted.trials
                if told is not None:
                    told(done, trials)
    except KeyboardInterrupt as stop:
        stop.done, stop.total = done, trials  # type: ignore[attr-defined]
        raise
    return Counted(*tally.ends(), tally.rounds, done)


class SpreadSimulation(Simulated):
    """Answers by simulation on the workers of an executor."""

    def __init__(
        self, trials: int, seed: int, executor: Executor, progress: Progress, task_blocks: int = TASK_BLOCKS
    ) -> None:
        super().__init__(trials, seed, 1, None, progress)
        self.executor, self.task_blocks = executor, task_blocks

    def count(self, simulation: Simulation, fight: Fight, trials: int, told: Told) -> Counted:
        """Fight `trials` battles on the workers."""
        return count_on(self.executor, fight, trials, self.seed, simulation.number, told, self.task_blocks)


def simulate_on(
    executor: Executor,
    battle: Battle,
    *,
    trials: int | None = None,
    seed: int | None = None,
    progress: Progress = None,
    task_blocks: int = TASK_BLOCKS,
) -> Odds:
    """`simulate` with its trials spread over an executor: threads, processes, or the workers of a cluster.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    battle : Battle
    trials, seed, progress : see `simulate`
        The same seed gives the same counts as `simulate`.
    task_blocks : int
        So many blocks of 4,096 trials are one task.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> battle = Battle("great-war", "land", "6 inf, 2 art", "5 inf")
    >>> with ThreadPoolExecutor(2) as pool:
    ...     spread = simulate_on(pool, battle, trials=50_000, seed=7, task_blocks=4)
    >>> spread.outcomes == run.simulate(battle, trials=50_000, seed=7).outcomes
    True
    """
    check_battle(battle, "simulate_on")
    method = SpreadSimulation(
        run.read_trials(trials, None), run.read_seed(seed), executor, progress, task_blocks
    )
    return make_answer(battle, method)

"""One huge simulation over an executor: blocks of trials anywhere, the same counts as in one process."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from battlecalc import run
from battlecalc.answering import MAX_STATES, Simulated, make_answer
from battlecalc.battle import Battle
from battlecalc.endings import Endings
from battlecalc.engines.decisions import decide
from battlecalc.engines.ends import counted_endings
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.montecarlo import ROUNDS, Counted, Simulation
from battlecalc.engines.policy_rows import PolicyRows
from battlecalc.program.build import make_program
from battlecalc.program.fight import Fight
from battlecalc.program.program import Program
from battlecalc.results import Odds
from battlecalc.sweeping.telling import Progress, Told, told

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
    simulation = Simulation(_program(fight), seed, 1, number)
    program = simulation.program
    histogram = np.zeros(simulation.slots * program.cells if simulation.dense else 0, dtype=np.int64)
    rounds, nothing = np.zeros(ROUNDS, dtype=np.int64), np.zeros((0, 1), dtype=np.int64)
    tally = Tally()
    for start, until in simulation.chunks(first, -(-trials // BLOCK)):
        ends = np.empty(0 if simulation.dense else min(until * BLOCK, trials) - start * BLOCK, dtype=np.int64)
        simulation.fight(start, until, trials, histogram, ends, rounds, (nothing,) * 4)
        if len(ends):
            tally.count(*np.unique(ends, return_counts=True))
    cells = np.flatnonzero(histogram)
    tally.count(cells, histogram[cells])
    return Counted(tally.cells, tally.counts, rounds, trials - first * BLOCK)


class Tally:
    """Counts of many tasks, added up."""

    def __init__(self) -> None:
        self.cells = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self.rounds = np.zeros(ROUNDS, dtype=np.int64)
        self.trials = 0

    def add(self, counted: Counted) -> None:
        """Add one task's counts."""
        self.count(counted.cells, counted.counts)
        self.rounds = self.rounds + counted.rounds
        self.trials += counted.trials

    def count(self, cells: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Add ends by cell."""
        self.cells, where = np.unique(np.concatenate((self.cells, cells)), return_inverse=True)
        summed = np.zeros(len(self.cells), dtype=np.int64)
        np.add.at(summed, where, np.concatenate((self.counts, counts)))
        self.counts = summed

    def counted(self) -> Counted:
        """Return what was counted so far, as a simulation of this process gives it."""
        return Counted(self.cells, self.counts, self.rounds, self.trials)


def count_on(
    executor: Executor,
    fight: Fight,
    trials: int,
    seed: int,
    number: int = 0,
    progress: Told | None = None,
    task_blocks: int = TASK_BLOCKS,
) -> Counted:
    """Fight `trials` trials on the workers of an executor.

    Each task is counted once, when its result arrives: work of a worker that died and was done again
    elsewhere counts once.
    """
    blocks = -(-trials // BLOCK)
    tasks: Iterator[tuple[int, int]] = (
        (first, min((first + task_blocks) * BLOCK, trials)) for first in range(0, blocks, task_blocks)
    )
    tally = Tally()
    running: set[Future[Counted]] = set()
    try:
        while True:
            for first, last in islice(tasks, MOST_WAITING - len(running)):
                running.add(executor.submit(count_blocks, fight, seed, number, first, last))
            if not running:
                return tally.counted()
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                tally.add(future.result())
            if progress is not None:
                progress(tally.trials, trials)
    except KeyboardInterrupt as stop:
        stop.done, stop.total = tally.trials, trials  # type: ignore[attr-defined]
        raise
    finally:
        for future in running:
            future.cancel()


class SpreadSimulation(Simulated):
    """Answers by simulation on the workers of an executor."""

    def __init__(
        self, trials: int, seed: int, executor: Executor, progress: Progress, task_blocks: int = TASK_BLOCKS
    ) -> None:
        super().__init__(trials, seed, 1, None, progress)
        self.executor, self.task_blocks = executor, task_blocks

    def fight(self, fight: Fight, offshore: bool, share: float, number: int) -> Endings:
        """Fight `share` of all trials."""
        program = make_program(fight)
        decisions = decide(program, fight, MAX_STATES)
        if decisions is not None:
            self.policies = PolicyRows(program, decisions)
        trials = round(share * self.trials)
        with ExitStack() as stack:
            shown = told(stack, self.progress, "trials")
            counted = count_on(self.executor, fight, trials, self.seed, number, shown, self.task_blocks)
        return counted_endings(Simulation(program, self.seed, None, number), counted, offshore)


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
    method = SpreadSimulation(run._trials(trials, None), run._seed(seed), executor, progress, task_blocks)
    return make_answer(battle, method)

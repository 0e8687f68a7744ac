"""The Monte Carlo engine: blocks of trials on a pool of threads, the same counts on any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.kernels import BLOCK
from battlecalc.program.program import Program

# Joint counts are kept in a dense table up to this many cells; beyond, ends are gathered chunk by chunk.
MAX_DENSE_CELLS = 2_000_000
CHUNK = 16  # blocks that a thread fights between two looks at the clock
ROUNDS = 1024  # numbers of rounds that are told apart; the last one takes all above
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Tables:
    """What the simulator reads besides the memory."""

    thresholds: NDArray[np.uint64]
    guide: NDArray[Any]


@dataclass(slots=True)
class Counted:
    """Where trials ended.

    Attributes
    ----------
    cells : ndarray of int64
        ``(slot * attacker's states + a) * defender's states + d``, ascending.
    counts : ndarray of int64
        Trials that ended there.
    rounds : ndarray of int64, shape (ROUNDS,)
        Trials by rounds of the main battle.
    trials : int
    """

    cells: NDArray[np.int64]
    counts: NDArray[np.int64]
    rounds: NDArray[np.int64]
    trials: int


def make_tables(program: Program) -> Tables:
    """Make thresholds and guide of every row of hits, kept with the program.

    A 64-bit word w means the first entry k with ``w <= thresholds[k]``; the last threshold is the largest
    word, so that every search ends. `guide` starts it at the first entry that a word with the same upper byte
    can mean.
    """
    found: Tables | None = program.memo.get("tables")
    if found is not None:
        return found
    records = program.words[program.row_records : program.row_records + 3 * program.row_count].reshape(-1, 3)
    thresholds = np.empty(len(program.probabilities), dtype=np.uint64)
    longest = int(records[:, 2].max())
    guide = np.zeros((program.row_count, 256), dtype=np.uint8 if longest <= 255 else np.uint16)
    bytes_ = np.arange(256, dtype=np.uint64) << np.uint64(56)
    for number, (_, start, entries) in enumerate(records.tolist()):
        row = _thresholds(program.probabilities[start : start + entries])
        thresholds[start : start + entries] = row
        guide[number] = np.searchsorted(row, bytes_)
    made = Tables(thresholds, guide.ravel())
    program.memo["tables"] = made
    return made


def _thresholds(probabilities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Largest word that means at most entry k, for every k: ``round(cumulative * 2**64) - 1``."""
    upto = np.minimum(np.cumsum(probabilities), 1.0)
    scaled = np.ldexp(upto, 32)
    high = np.floor(scaled)
    low = np.floor(np.ldexp(scaled - high, 32))
    # 2**64 itself does not fit: subtract the 1 before the halves are joined
    whole = [max((int(h) << 32) + int(n) - 1, 0) for h, n in zip(high, low, strict=True)]
    whole[-1] = 2**64 - 1
    result = np.array(whole, dtype=np.uint64)
    # entries that cannot happen at the end of a row must not be reached by the last word either
    last = int(np.flatnonzero(probabilities)[-1])
    result[last:] = np.uint64(2**64 - 1)
    return result


def make_key(seed: int, number: int = 0) -> np.uint64:
    """Word that starts the generator, from any non-negative integer; battle `number` of a chain has its own.

    >>> int(make_key(7)) == int(make_key(7)), int(make_key(7)) == int(make_key(7, 1))
    (True, False)
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(number,) if number else ())
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


class Simulation:
    """One program fought `trials` times; `run` may be called again for more trials."""

    def __init__(self, program: Program, seed: int, threads: int | None = None, number: int = 0) -> None:
        from battlecalc.engines import compiled

        self.program = program
        self.kernel = compiled.simulate
        self.key = make_key(seed, number)
        self.threads = threads or default_threads()
        self.tables = make_tables(program)
        self.slots = 2 + len(program.slots)
        self.dense = self.slots * program.cells <= MAX_DENSE_CELLS
        self._own = local()
        self._histograms: list[NDArray[np.int64]] = []
        self._rounds: list[NDArray[np.int64]] = []
        self._cells = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)
        self.done = 0

    def run(self, trials: int, progress: Progress | None = None) -> Counted:
        """Go on until `trials` trials were fought in all.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, as soon as the chunks under way are done; `done` says how many trials were fought.
        """
        try:
            self._run(trials, progress)
        except KeyboardInterrupt as stop:
            stop.done, stop.total = self.done, trials  # type: ignore[attr-defined]
            raise
        return self.counted()

    def _run(self, trials: int, progress: Progress | None) -> None:
        blocks = range(-(-self.done // BLOCK), -(-trials // BLOCK))
        starts = range(blocks.start, blocks.stop, CHUNK)
        chunks = ((b, min(b + CHUNK, blocks.stop)) for b in starts)
        if self.threads == 1 or len(starts) <= 1:
            for first, last in chunks:
                self._merge(self._chunk(first, last, trials))
                self.done = min(last * BLOCK, trials)
                if progress:
                    progress(self.done, trials)
        else:
            self._pool(chunks, trials, progress)

    def _pool(self, chunks: Iterator[tuple[int, int]], trials: int, progress: Progress | None) -> None:
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="battlecalc")
        running: set[Future[NDArray[np.int64]]] = set()
        sizes: dict[Future[NDArray[np.int64]], int] = {}
        try:
            while True:
                while len(running) < 2 * self.threads and (chunk := next(chunks, None)) is not None:
                    future = pool.submit(self._chunk, *chunk, trials)
                    running.add(future)
                    sizes[future] = min(chunk[1] * BLOCK, trials) - chunk[0] * BLOCK
                if not running:
                    break
                ready, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    self._merge(future.result())
                    self.done += sizes.pop(future)
                if progress:
                    progress(self.done, trials)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _chunk(self, first: int, last: int, trials: int) -> NDArray[np.int64]:
        own = self._own
        if not hasattr(own, "rounds"):
            own.histogram = np.zeros(self.slots * self.program.cells if self.dense else 0, dtype=np.int64)
            own.rounds = np.zeros(ROUNDS, dtype=np.int64)
            self._histograms.append(own.histogram)
            self._rounds.append(own.rounds)
        ends = np.empty(0 if self.dense else min(last * BLOCK, trials) - first * BLOCK, dtype=np.int64)
        nothing = np.zeros((0, 1), dtype=np.int64)
        self.fight(first, last, trials, own.histogram, ends, own.rounds, (nothing, nothing, nothing, nothing))
        return ends

    def fight(
        self,
        first: int,
        last: int,
        trials: int,
        histogram: NDArray[np.int64],
        ends: NDArray[np.int64],
        rounds: NDArray[np.int64],
        seen: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Call the kernel for blocks `first` to `last` - 1."""
        program = self.program
        start_a, start_d, _ = program.starts[0]
        self.kernel(
            program.words,
            self.tables.thresholds,
            self.tables.guide,
            program.answers,
            program.row_records,
            *program.signatures,
            program.script,
            len(program.stages),
            -1 if program.rounds is None else program.rounds,
            start_a,
            start_d,
            program.sizes[1],
            program.cells,
            self.slots,
            self.key,
            first,
            last,
            trials,
            histogram,
            ends,
            rounds,
            *seen,
        )

    def _merge(self, ends: NDArray[np.int64]) -> None:
        if len(ends):
            cells, counts = np.unique(ends, return_counts=True)
            both = np.concatenate((self._cells, cells))
            self._cells, where = np.unique(both, return_inverse=True)
            merged = np.zeros(len(self._cells), dtype=np.int64)
            np.add.at(merged, where, np.concatenate((self._counts, counts)))
            self._counts = merged

    def counted(self) -> Counted:
        """Return what was counted so far."""
        rounds = np.sum(self._rounds, axis=0) if self._rounds else np.zeros(ROUNDS, dtype=np.int64)
        if self.dense:
            total = np.sum(self._histograms, axis=0) if self._histograms else np.zeros(1, dtype=np.int64)
            cells = np.flatnonzero(total)
            return Counted(cells, total[cells], rounds, self.done)
        return Counted(self._cells, self._counts, rounds, self.done)


def default_threads() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

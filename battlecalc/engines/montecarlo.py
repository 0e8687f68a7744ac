"""The Monte Carlo engine: blocks of trials on a pool of threads, the same counts on any number of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, local

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.beats import BeatMaker, Beats
from battlecalc.engines.kernels import BLOCK, LANES
from battlecalc.engines.records import Records
from battlecalc.engines.stopping import RUN_SECONDS, look, stopped_by
from battlecalc.engines.thresholds import Guide, Thresholds, guide_of, thresholds_of
from battlecalc.errors import StateSpaceError
from battlecalc.program.program import Program

# Joint counts are kept in a dense table up to this many cells; beyond, ends are gathered chunk by chunk.
MAX_DENSE_CELLS = 2_000_000
MAX_ENDS = 20_000_000  # different ends that are counted: memory does not grow with the number of trials
_CHUNK = 16  # blocks that a thread fights at once, where that does not take long
# Cells of the dense tables of all threads together, 256 MB: no more threads than that allows are started.
_MOST_COUNTED = 32_000_000
ROUNDS = 1024  # numbers of rounds that are told apart; the last one takes all above
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Tables:
    """What the simulator reads besides the memory."""

    thresholds: Thresholds
    guide: Guide
    beats: Beats | None


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

    A search begins at the fewest hits that a word with the same upper byte can mean.
    """
    found: Tables | None = program.memo.get("tables")
    if found is not None:
        return found
    records = program.rows
    thresholds = thresholds_of(program.probabilities, np.unique(records[:, 1]).tolist())
    most = int((records[:, 0] + records[:, 2]).max())
    guide = np.zeros((program.row_count, 256), dtype=np.uint8 if most <= 256 else np.uint16)
    for number, (first, start, entries) in enumerate(records.tolist()):
        guide[number] = first + guide_of(thresholds[start : start + entries])
    beats = BeatMaker(Records(program, thresholds, guide.ravel())).make()
    made = Tables(thresholds, guide.ravel(), beats)
    program.memo["tables"] = made
    return made


def kernel_of(program: Program) -> str:
    """Return the name of the kernel that fights a program."""
    beats = make_tables(program).beats
    if beats is None:
        return "simulate"
    return "side_by_side_in_parts" if beats.in_parts else "side_by_side"


def make_key(seed: int, number: int = 0) -> np.uint64:
    """Word that starts the generator, from any non-negative integer; battle `number` of a chain has its own.

    >>> int(make_key(7)) == int(make_key(7)), int(make_key(7)) == int(make_key(7, 1))
    (True, False)
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(number,) if number else ())
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


class Tally:
    """What one thread counted: ends by cell, rounds fought."""

    def __init__(self, cells: int) -> None:
        """`cells`: size of a dense table, 0 for the ends that come, sorted."""
        self.histogram = np.zeros(cells, dtype=np.int64)
        self.rounds = np.zeros(ROUNDS, dtype=np.int64)
        self._cells = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, cells: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Add ends that were counted elsewhere than in the dense table."""
        both = np.concatenate((self._cells, cells))
        if len(both) > MAX_ENDS + len(cells):
            raise StateSpaceError(
                f"these battles end in more than {MAX_ENDS:,} different ways, as many as are counted; "
                "fewer trials or a simpler policy would do"
            )
        self._cells, where = np.unique(both, return_inverse=True)
        merged = np.zeros(len(self._cells), dtype=np.int64)
        np.add.at(merged, where, np.concatenate((self._counts, counts)))
        self._counts = merged

    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells that were met, in ascending order, and how often."""
        if len(self.histogram):
            cells = np.flatnonzero(self.histogram)
            return cells, self.histogram[cells]
        return self._cells, self._counts


class Simulation:
    """One program fought `trials` times; `run` may be called again for more trials.

    Whole blocks are counted for good; the trials of a block that is not full are fought again, with the
    rest of it, when there are to be more.
    """

    def __init__(self, program: Program, seed: int, threads: int | None = None, number: int = 0) -> None:
        from battlecalc.engines import compiled

        self.program = program
        self.kernel, self.side_by_side = compiled.simulate, compiled.side_by_side
        if kernel_of(program) == "side_by_side_in_parts":
            self.side_by_side = compiled.side_by_side_in_parts
        self.number = number
        self.key = make_key(seed, number)
        self.threads = threads or default_threads()
        self.tables = make_tables(program)
        self.slots = 2 + len(program.slots)
        self.dense = self.slots * program.cells <= MAX_DENSE_CELLS
        if self.dense:
            self.threads = min(self.threads, max(1, _MOST_COUNTED // (self.slots * program.cells)))
        self._chunk_blocks = 1  # until the clock says how long they take
        self.done = 0
        self._blocks = 0
        self._own = local()
        self._tallies: list[Tally] = []
        self._rest = self._tally()

    def _tally(self) -> Tally:
        return Tally(self.slots * self.program.cells if self.dense else 0)

    def run(self, trials: int, progress: Progress | None = None, total: int | None = None) -> Counted:
        """Go on until `trials` trials were fought in all.

        Parameters
        ----------
        progress : callable, optional
            Called with (trials done, `total`).
        total : int, optional
            What is told to be the aim, where it is not `trials`.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, as soon as the chunks under way are done, a fraction of a second later; ``done`` and
            ``total`` say how far it got.
        """
        aim = trials if total is None else total

        def tell(done: int) -> None:
            self.done = done
            if progress:
                progress(done, aim)

        try:
            blocks, rest = divmod(trials, BLOCK)
            self._whole_blocks(blocks, tell)
            self._rest = self._tally()
            if rest:
                self._fight(self._rest, blocks, blocks + 1, trials)
                tell(trials)
        except KeyboardInterrupt as stop:
            stop.done, stop.total = self.done, aim  # type: ignore[attr-defined]
            raise
        return self.counted()

    def part(self, first: int, trials: int) -> Counted:
        """Fight the blocks from `first` on up to trial `trials`, apart from what `run` counts."""
        tally, until = self._tally(), -(-trials // BLOCK)
        for start, last in self.chunks(first, until):
            look()
            self._fight(tally, start, last, min(last * BLOCK, trials))
        return Counted(*tally.ends(), tally.rounds, trials - first * BLOCK)

    def _whole_blocks(self, until: int, tell: Callable[[int], None]) -> None:
        few = until - self._blocks <= _CHUNK
        chunks = self.chunks(self._blocks, until)
        if self.threads == 1 or few:
            for first, last in chunks:
                look()
                self._chunk(first, last)
                self._blocks += last - first
                tell(self._blocks * BLOCK)
            return
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="battlecalc")
        stop = Event()
        running: dict[Future[None], int] = {}
        try:
            while True:
                while len(running) < 2 * self.threads and (chunk := next(chunks, None)) is not None:
                    running[pool.submit(self._stoppable, stop, *chunk)] = chunk[1] - chunk[0]
                if not running:
                    break
                look()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    self._blocks += running.pop(future)
                tell(self._blocks * BLOCK)
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def chunks(self, first: int, until: int) -> Iterator[tuple[int, int]]:
        """Yield (first, the one after the last) of blocks that are fought at once."""
        while first < until:
            last = min(first + self._chunk_blocks, until)
            yield first, last
            first = last

    def _stoppable(self, stop: Event, first: int, last: int) -> None:
        with stopped_by(stop):
            self._chunk(first, last)

    def _chunk(self, first: int, last: int) -> None:
        own = self._own
        if not hasattr(own, "tally"):
            own.tally = self._tally()
            self._tallies.append(own.tally)
        self._fight(own.tally, first, last, last * BLOCK)

    def _fight(self, tally: Tally, first: int, last: int, trials: int) -> None:
        ends = np.empty(0 if self.dense else trials - first * BLOCK, dtype=np.int64)
        nothing = np.zeros((0, 1), dtype=np.int64)
        self.fight(first, last, trials, tally.histogram, ends, tally.rounds, (nothing,) * 4)
        if len(ends):
            tally.add(*np.unique(ends, return_counts=True))

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
        """Call the kernel for blocks `first` to `last` - 1.

        Tables by round (`seen`) are empty or as long as `rounds`: the kernels write to them without a look.
        """
        program, tables = self.program, self.tables
        if {len(table) for table in seen} not in ({0}, {len(rounds)}):
            raise ValueError(f"tables of states by round with other lengths than {len(rounds)}")
        counting = (
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
        began = time.perf_counter()
        # the generator's words wrap; only plain Python would warn
        with np.errstate(over="ignore"):
            if tables.beats is not None:
                beats = tables.beats
                self.side_by_side(
                    beats.words,
                    beats.upto,
                    beats.guide,
                    beats.beats,
                    beats.records,
                    beats.following,
                    np.empty((2, LANES), dtype=np.uint64) if beats.in_parts else None,
                    *map(np.uint64, beats.start),
                    *counting,
                )
            else:
                self.kernel(
                    program.words,
                    tables.thresholds,
                    tables.guide,
                    program.answers,
                    program.row_records,
                    *program.signatures,
                    program.script,
                    len(program.stages),
                    -1 if program.rounds is None else program.rounds,
                    *program.starts[0][:2],
                    *counting,
                )
        blocks = (last - first) * RUN_SECONDS / max(time.perf_counter() - began, 1e-9)
        self._chunk_blocks = max(1, min(_CHUNK, int(blocks)))

    def counted(self) -> Counted:
        """Return what was counted so far."""
        total = self._tally()
        for tally in (*self._tallies, self._rest):
            total.rounds += tally.rounds
            if self.dense:
                total.histogram += tally.histogram
            else:
                total.add(*tally.ends())
        return Counted(*total.ends(), total.rounds, self.done)


def default_threads() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""The Monte Carlo engine: blocks of trials on a pool of threads, the same counts on any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.kernels import BLOCK
from battlecalc.errors import StateSpaceError
from battlecalc.program.layout import FIRE
from battlecalc.program.program import Program
from battlecalc.program.verdicts import GO_ON

# Joint counts are kept in a dense table up to this many cells; beyond, ends are gathered chunk by chunk.
MAX_DENSE_CELLS = 2_000_000
MAX_ENDS = 20_000_000  # different ends that are counted: memory does not grow with the number of trials
# Entries of the tables by state, beyond which they would not stay in the cache.
_MOST_SINGLE = 1_000_000
CHUNK = 16  # blocks that a thread fights between two looks at the clock
ROUNDS = 1024  # numbers of rounds that are told apart; the last one takes all above
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Tables:
    """What the simulator reads besides the memory."""

    thresholds: NDArray[np.uint64]
    guide: NDArray[Any]
    single: tuple[Any, ...]  # tables by state, for battles of one step a round: see `_single_step`


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
    made = Tables(thresholds, guide.ravel(), _single_step(program, thresholds, guide, records))
    program.memo["tables"] = made
    return made


def _single_step(
    program: Program, thresholds: NDArray[np.uint64], guide: NDArray[Any], records: NDArray[np.int32]
) -> tuple[Any, ...]:
    """Make the tables by state of a battle whose rounds are one simultaneous step, without an end.

    Returns
    -------
    (operation, guide, thresholds and the enemy's state after so many hits of the attacker, of the defender)
        The operation is -1 where the battle is not of that kind, where it may come to nothing, or where the
        tables would leave the cache.
    """
    nothing = (np.zeros((1, 256), guide.dtype), np.zeros((1, 1), np.uint64), np.zeros((1, 1), np.int32))
    code = program.stages[-1]
    words = program.words
    variants = set(code.variants[-1]) if code.repeat == "rounds" else set()
    if len(variants) != 1 or code.limit is not None or program.rounds is not None:
        return (-1, *nothing, *nothing)
    (variant,) = variants
    fire = int(words[variant.ops + 4])
    if variant.count != 1 or words[variant.ops] != FIRE or fire < 0:
        return (-1, *nothing, *nothing)
    tables: list[Any] = []
    idle: list[
        NDArray[np.int32]
    ] = []  # kinds of states: signature, does it roll no die, has it nothing to lose
    for side in (0, 1):
        rows_at, start_at, left_at = words[fire + 3 * side : fire + 3 * side + 3].tolist()
        own, enemy = program.sizes[side], program.sizes[1 - side]
        rows = words[rows_at : rows_at + own]
        safe = words[words[fire + 5 - 3 * side] :][:own] == 0
        idle.append(np.unique((words[program.signatures[side] :][:own], rows <= 1, safe), axis=1))
        most = int((records[rows, 0] + records[rows, 2]).max())
        if (own + enemy) * most > _MOST_SINGLE:
            return (-1, *nothing, *nothing)
        upto = np.zeros((own, most), dtype=np.uint64)
        for state, (first, start, entries) in enumerate(records[rows].tolist()):
            upto[state, first : first + entries] = thresholds[start : start + entries]
        begin = guide[rows] + records[rows, 0].astype(guide.dtype)[:, None]
        hits = np.minimum(np.arange(most)[None, :], words[left_at : left_at + enemy][:, None])
        after = words[words[start_at : start_at + enemy][:, None] + hits]
        tables += [begin, upto, after]
    (a, a_idle, a_safe), (d, d_idle, d_safe) = idle[0][:, :, None], idle[1][:, None, :]
    verdicts = words[words[variant.ops + 9] + a * program.signatures[2] + d]
    stuck = (a_idle | d_safe) & (d_idle | a_safe)
    if (stuck.astype(bool) & (verdicts == GO_ON)).any():  # the general loop sees that nothing happens
        return (-1, *nothing, *nothing)
    return (variant.ops, *tables)


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
        self.kernel = compiled.simulate
        self.number = number
        self.key = make_key(seed, number)
        self.threads = threads or default_threads()
        self.tables = make_tables(program)
        self.slots = 2 + len(program.slots)
        self.dense = self.slots * program.cells <= MAX_DENSE_CELLS
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
            After Ctrl-C, as soon as the chunks under way are done; ``done`` and ``total`` say how far it got.
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
        for start in range(first, until, CHUNK):
            last = min(start + CHUNK, until)
            self._fight(tally, start, last, min(last * BLOCK, trials))
        return Counted(*tally.ends(), tally.rounds, trials - first * BLOCK)

    def _whole_blocks(self, until: int, tell: Callable[[int], None]) -> None:
        starts = range(self._blocks, until, CHUNK)
        chunks = ((b, min(b + CHUNK, until)) for b in starts)
        if self.threads == 1 or len(starts) <= 1:
            for first, last in chunks:
                self._chunk(first, last)
                self._blocks += last - first
                tell(self._blocks * BLOCK)
            return
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="battlecalc")
        running: dict[Future[None], int] = {}
        try:
            while True:
                while len(running) < 2 * self.threads and (chunk := next(chunks, None)) is not None:
                    running[pool.submit(self._chunk, *chunk)] = chunk[1] - chunk[0]
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    self._blocks += running.pop(future)
                tell(self._blocks * BLOCK)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

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
        """Call the kernel for blocks `first` to `last` - 1."""
        program = self.program
        start_a, start_d, _ = program.starts[0]
        # the generator's words wrap; only plain Python would warn
        with np.errstate(over="ignore"):
            self.kernel(
                program.words,
                self.tables.thresholds,
                self.tables.guide,
                program.answers,
                program.row_records,
                *program.signatures,
                *program.flags,
                *self.tables.single,
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

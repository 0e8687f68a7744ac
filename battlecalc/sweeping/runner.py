"""`sweep`: many battles around one, on threads, processes or a cluster, into a frame and a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle
from battlecalc.engines.montecarlo import default_threads
from battlecalc.errors import BattleError
from battlecalc.results.document import package_version
from battlecalc.sweeping.cluster import cluster
from battlecalc.sweeping.executors import results
from battlecalc.sweeping.grid import Grid, make_grid
from battlecalc.sweeping.rows import Row, Way, answer_points, answer_together, columns, frame, make_way
from battlecalc.sweeping.store import Store
from battlecalc.telling import Progress, Told, telling

if TYPE_CHECKING:
    import pandas as pd

Answers = Generator[tuple[list[int], list[Row]], None, None]

MOST_WAITING = 256
LARGEST_CHUNK = 32
BLOCK = 512


def sweep(
    battle: Battle,
    variables: Mapping[str, Iterable[Any]],
    *,
    method: str = "auto",
    trials: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    progress: Progress = None,
    prune: float = 0.0,
    max_states: int = MAX_STATES,
) -> pd.DataFrame:
    """Odds of every combination of the values of some variables.

    Parameters
    ----------
    battle : Battle
        What is not varied.
    variables : mapping of str to values
        ``"attacker.infantry"``: how many of a unit a side has; ``"attacker.technologies"``,
        ``"defender.loss_order"``, ``"attacker.retreat"`` ...: a field of `Side`; ``"attacker"``: a whole
        side; ``"ruleset"``, ``"sequence"``, ``"rounds"``, ``"dice"``, ``"territory"``, ``"overland"``: a
        keyword of the battle; ``"options.NAME"``, ``"changes.UNIT.FIELD"``: an entry of one.
    method : {"auto", "exact", "monte-carlo"}
    trials, precision, prune, max_states : see `odds`
        For each battle.
    seed : int, optional
        Each simulated battle draws from a seed made of this one and of its parameters, and tells it, so that
        a row is the same wherever, and in whatever order, rows are worked out.
    out : path, optional
        File that ends in ``.csv`` or ``.jsonl``. Rows are appended as they come; a sweep that was
        interrupted goes on from there when it is asked for again.
    executor : concurrent.futures.Executor, optional
        Where battles are worked out; by default on threads of this process.
    dask : str, optional
        Address of a Dask scheduler (``"tcp://host:8786"``), or ``"local"``: workers of this machine.
    progress : callable or True, optional
        Called with (battles done, battles in all); True shows a bar on a terminal.

    Returns
    -------
    DataFrame
        One row a battle, in the order of the grid: a column a variable, the eight outcomes, ``captures``,
        ``landing`` (of chained landings), ``attacker.value_lost``, ``defender.value_lost`` and ``swing``
        (means, IPC), ``expected_gain`` (of the attacker: swing, and the territory where it is held),
        ``expected_rounds``, ``standard_error`` (of the attacker's wins), ``method``,
        ``trials``, ``seed``, and ``error``: why a combination is no battle.

    Raises
    ------
    BattlecalcError
        For what makes no sense, a file of another sweep, and one that another process is writing.
    OSError
        Where the file cannot be written; nothing that was in it is lost.
    KeyboardInterrupt
        After Ctrl-C, with attributes ``done`` and ``total``.

    Examples
    --------
    >>> from battlecalc import Battle
    >>> battle = Battle("aa-1942-2e", "land", "3 inf, 1 tank", "3 inf")
    >>> table = sweep(battle, {"attacker.infantry": range(2, 5), "defender.artillery": [0, 1]})
    >>> table[["attacker.infantry", "defender.artillery", "attacker_wins"]].round(3)
       attacker.infantry  defender.artillery  attacker_wins
    0                  2                   0          0.453
    1                  2                   1          0.169
    2                  3                   0          0.720
    3                  3                   1          0.394
    4                  4                   0          0.884
    5                  4                   1          0.634
    """
    grid = make_grid(battle, variables)
    way = make_way(method, trials, precision, seed, prune, max_states)
    if executor is not None and dask is not None:
        raise BattleError("a sweep runs on an executor or on a Dask cluster, not on both")
    wanted = columns(grid.names, grid.chained)
    with ExitStack() as stack:
        store = None
        if out is not None:
            asked = way.seed if way.draws and seed is not None else None
            store = stack.enter_context(Store(out, wanted, len(grid.names), fingerprint(grid, way), asked))
            if way.draws:
                store.seed = way.seed if store.seed is None else store.seed
                way = replace(way, seed=store.seed)
        told = stack.enter_context(telling(progress, "battles"))
        pool = stack.enter_context(cluster(dask)) if dask is not None else executor
        rows = _rows(grid, way, store, pool, told)
    return frame(rows, wanted, grid.title)


def fingerprint(grid: Grid, way: Way) -> str:
    """Short text that two sweeps share if their rows may stand in one file."""
    question = (
        package_version(),
        repr(grid.battle),
        sorted(grid.names),
        way.method,
        way.trials,
        way.precision,
        way.prune,
        way.max_states,
    )
    return blake2b(repr(question).encode(), digest_size=6).hexdigest()


def _rows(grid: Grid, way: Way, store: Store | None, executor: Executor | None, told: Told) -> list[Row]:
    """All rows in the order of the grid, those that `store` has taken from there."""
    points = grid.points
    rows: list[Row | None] = [None] * len(points)
    if store is not None and store.rows:
        for place, point in enumerate(points):
            kept = store.rows.get(store.key(point.labels))
            if kept is not None:
                rows[place] = kept | dict(zip(grid.names, point.labels, strict=True))
    done = len(points) - rows.count(None)
    told(done, len(points))
    try:
        for source in (_together, _one_by_one):
            with closing(source(grid, way, rows, executor)) as answers:
                for places, found in answers:
                    if store is not None:
                        store.add(found)
                    for place, row in zip(places, found, strict=True):
                        rows[place] = row
                    done += len(places)
                    told(done, len(points))
    except KeyboardInterrupt as stop:
        stop.done, stop.total = done, len(points)  # type: ignore[attr-defined]
        raise
    return [row for row in rows if row is not None]


def _together(grid: Grid, way: Way, rows: Sequence[Row | None], executor: Executor | None) -> Answers:
    """Yield places and rows of battles that are cheaper in one pass than one by one, in this process.

    Blocks of the grid are worked out whole, so that a row does not depend on which others are missing.
    """
    if not way.together:
        return
    for first in range(0, len(grid.points), BLOCK):
        block = grid.points[first : first + BLOCK]
        if None not in rows[first : first + BLOCK]:
            continue
        found = answer_together(grid.battle, grid.variables, block, way)
        fresh = {
            place: row
            for place, row in enumerate(found, start=first)
            if row is not None and rows[place] is None
        }
        if fresh:
            yield list(fresh), list(fresh.values())


def _one_by_one(grid: Grid, way: Way, rows: Sequence[Row | None], executor: Executor | None) -> Answers:
    """Yield places and rows of all others, as they are ready."""
    missing = [place for place, row in enumerate(rows) if row is None]
    size = 1 if way.long else max(1, min(LARGEST_CHUNK, len(missing) // 64))
    chunks = [missing[first : first + size] for first in range(0, len(missing), size)]
    stop = threading.Event()
    work = partial(answer_points, grid.battle, grid.variables, way)
    with ExitStack() as stack:
        if executor is None:
            count = min(default_threads(), max(len(chunks), 1))
            executor = stack.enter_context(ThreadPoolExecutor(count, thread_name_prefix="battlecalc"))
            threads = None if len(chunks) < count or len(chunks) == 1 else 1
            work = partial(work, threads=threads, stop=stop)
        stack.callback(stop.set)
        tasks = ((chunk, ([grid.points[place] for place in chunk],)) for chunk in chunks)
        yield from results(executor, work, tasks, MOST_WAITING)

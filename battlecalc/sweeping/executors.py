"""Tasks on any executor: at most some of them waiting, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice
from typing import Any, TypeVar

from battlecalc.errors import BattleError

Label = TypeVar("Label")
Result = TypeVar("Result")
_SHUT_DOWN = "the executor was shut down before the work was done"


def results(
    executor: Executor, work: Callable[..., Result], tasks: Iterable[tuple[Label, tuple[Any, ...]]], most: int
) -> Generator[tuple[Label, Result], None, None]:
    """Yield the label of each task and what `work` returned for its arguments, in the order of finishing.

    At most `most` tasks are handed over at a time; those that wait are withdrawn when the caller stops.

    Raises
    ------
    BattleError
        Where the executor was shut down, or lost its workers.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     sorted(results(pool, pow, [("square", (3, 2)), ("cube", (2, 3))], 8))
    [('cube', 8), ('square', 9)]
    """
    waiting = iter(tasks)
    running: dict[Future[Result], Label] = {}
    try:
        while True:
            for label, given in islice(waiting, most - len(running)):
                running[_submit(executor, work, given)] = label
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _result(future)
    finally:
        for future in running:
            future.cancel()


def _submit(executor: Executor, work: Callable[..., Result], given: tuple[Any, ...]) -> Future[Result]:
    try:
        return executor.submit(work, *given)
    except BrokenExecutor as error:
        raise _lost(error) from None
    except RuntimeError:  # what executors of the standard library raise after their shutdown
        raise BattleError(_SHUT_DOWN) from None


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except CancelledError:
        raise BattleError(_SHUT_DOWN) from None
    except BrokenExecutor as error:
        raise _lost(error) from None


def _lost(error: BrokenExecutor) -> BattleError:
    return BattleError(f"the executor lost a worker before the work was done: {error}")

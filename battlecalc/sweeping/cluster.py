"""A Dask cluster as an executor."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from battlecalc.engines.montecarlo import default_threads
from battlecalc.errors import BattlecalcError

LOCAL = "local"
PATIENCE = 15  # seconds for a scheduler to answer
# A scheduler serves HTTP even without a dashboard: at any free port, as another's may be at the usual one.
QUIET: dict[str, Any] = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}


@contextmanager
def cluster(where: str) -> Iterator[Executor]:
    """Executor of the workers of a Dask scheduler, or of worker processes on this machine.

    Work of a worker that dies is done again by another.

    Parameters
    ----------
    where : str
        ``"tcp://host:port"`` or ``"local"``. Under ``"local"``, a script needs ``if __name__ == "__main__":``
        around the call, as with every pool of processes.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise BattlecalcError("a Dask cluster needs Dask: pip install 'battlecalc[dask]'") from None
    if where == LOCAL:
        with (
            distributed.LocalCluster(n_workers=default_threads(), threads_per_worker=1, **QUIET) as workers,
            distributed.Client(workers) as client,
        ):
            yield client.get_executor()
        return
    try:
        client = distributed.Client(where, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise BattlecalcError(f"no Dask scheduler answers at {where!r}: {error}") from None
    with client:
        yield client.get_executor()

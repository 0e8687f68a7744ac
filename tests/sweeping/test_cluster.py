"""Dask workers that die in the middle: nothing is lost, nothing is counted twice."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import distributed
import pytest
from pandas.testing import assert_frame_equal

import battlecalc as bc
from battlecalc.sweeping.cluster import QUIET, cluster

BATTLE = bc.Battle("great-war", "land", "6 inf, 2 art, 1 fighter", "5 inf, 1 art")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    workers = distributed.LocalCluster(n_workers=2, threads_per_worker=1, silence_logs=50, **QUIET)
    with workers, distributed.Client(workers) as client:
        yield client


def killing(client: Any, after: int) -> tuple[Callable[[int, int], None], list[int]]:
    """Progress that kills one worker when `after` are done, and whom it killed."""
    client.wait_for_workers(2, timeout=60)  # one may have been killed by the test before
    killed: list[int] = []
    processes = list(client.run(os.getpid).values())
    assert len(processes) == 2

    def kill(done: int, total: int) -> None:
        if after <= done < total and not killed:
            os.kill(processes[0], signal.SIGKILL)
            killed.append(processes[0])

    return kill, killed


def test_a_sweep_outlives_a_worker(client: Any, tmp_path: Path) -> None:
    grid = {"attacker.infantry": range(8), "defender.infantry": range(1, 9)}
    how: dict[str, Any] = {"method": "monte-carlo", "trials": 20_000, "seed": 7}
    kill, killed = killing(client, 10)
    out = tmp_path / "sweep.csv"
    found = bc.sweep(BATTLE, grid, executor=client.get_executor(), out=out, progress=kill, **how)
    assert killed and killed[0] not in client.run(os.getpid).values()
    assert_frame_equal(found, bc.sweep(BATTLE, grid, **how))
    assert len(out.read_text().splitlines()) == 1 + 64


def test_a_simulation_outlives_a_worker(client: Any) -> None:
    trials = 8_000_000
    kill, killed = killing(client, 1_000_000)
    found = bc.simulate_on(
        client.get_executor(), BATTLE, trials=trials, seed=7, progress=kill, task_blocks=64
    )
    assert killed
    alone = bc.simulate(BATTLE, trials=trials, seed=7)
    assert found.to_dict() == alone.to_dict()
    assert found.rounds().equals(alone.rounds())


def test_by_address(client: Any) -> None:
    grid = {"attacker.infantry": range(3)}
    found = bc.sweep(BATTLE, grid, dask=client.scheduler.address)
    assert_frame_equal(found, bc.sweep(BATTLE, grid))


def test_two_clusters_at_once(client: Any) -> None:
    """Each finds a port of its own for what it serves, without a word; the usual one is left to others."""
    grid = {"attacker.infantry": range(3)}
    with socket.socket() as usual:
        with suppress(OSError):  # somebody has it already
            usual.bind(("127.0.0.1", 8787))
            usual.listen()
        found = bc.sweep(BATTLE, grid, dask="local")
    assert_frame_equal(found, bc.sweep(BATTLE, grid))
    assert client.cluster.scheduler.http_server.port != 8787


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("battlecalc.sweeping.cluster.PATIENCE", 0.1)
    with (
        pytest.raises(bc.BattlecalcError, match=r"^no Dask scheduler answers at 'tcp://127.0.0.1:9': "),
        cluster("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with (
        pytest.raises(
            bc.BattlecalcError, match=r"^a Dask cluster needs Dask: pip install 'battlecalc\[dask\]'$"
        ),
        cluster("local"),
    ):
        pass

"""One simulation in parts: the counts of the whole."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from pandas.testing import assert_frame_equal

import battlecalc as bc
from battlecalc.engines import montecarlo
from battlecalc.engines.kernels import BLOCK
from battlecalc.sweeping.executors import results

BATTLES = {
    "land": bc.Battle("great-war", "land", "6 inf, 2 art, 1 fighter", "5 inf, 1 art", rounds=4),
    "best": bc.Battle("aa-1942-2e", "land", bc.Side("3 inf", retreat="best"), "4 inf"),
    "chained": bc.Battle("aa-1942-2e", "invasion", "2 inf, 1 trn, 1 dd", "1 inf", sea_defender="1 dd"),
}


@pytest.mark.parametrize("name", BATTLES)
@pytest.mark.parametrize(("trials", "task_blocks"), [(1, 1), (3 * BLOCK, 1), (10 * BLOCK + 7, 4)])
def test_parts_are_the_whole(name: str, trials: int, task_blocks: int) -> None:
    battle = BATTLES[name]
    with ThreadPoolExecutor(2) as pool:
        spread = bc.simulate_on(pool, battle, trials=trials, seed=5, task_blocks=task_blocks)
    whole = bc.simulate(battle, trials=trials, seed=5)
    assert spread.to_dict() == whole.to_dict()
    assert spread.rounds().equals(whole.rounds())
    assert_frame_equal(spread.outcome_table(), whole.outcome_table())
    assert_frame_equal(spread.by_round(), whole.by_round())


def test_parts_without_a_dense_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bc.simulate(BATTLES["land"], trials=9 * BLOCK, seed=5)
    monkeypatch.setattr(montecarlo, "MAX_DENSE_CELLS", 1)
    with ThreadPoolExecutor(2) as pool:
        spread = bc.simulate_on(pool, BATTLES["land"], trials=9 * BLOCK, seed=5, task_blocks=2)
    assert_frame_equal(spread.outcome_table(), whole.outcome_table())


def test_progress_and_interruption() -> None:
    seen = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 4 * BLOCK:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt) as stopped:
        bc.simulate_on(pool, BATTLES["land"], trials=8 * BLOCK, seed=5, progress=stop, task_blocks=2)
    assert seen[-1][1] == 8 * BLOCK
    assert stopped.value.done >= 4 * BLOCK
    assert stopped.value.total == 8 * BLOCK


@pytest.mark.parametrize(("how", "text"), [({"trials": 0}, "^trials is "), ({"seed": "x"}, "^seed is ")])
def test_unclear_runs(how: dict[str, object], text: str) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(bc.BattleError, match=text):
        bc.simulate_on(pool, BATTLES["land"], **how)  # type: ignore[arg-type]


def test_an_executor_that_takes_no_work() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(bc.BattleError, match=r"^the executor was shut down before "):
        bc.simulate_on(pool, BATTLES["land"], trials=1000)
    with pytest.raises(bc.BattleError, match=r"^the executor was shut down before "):
        bc.sweep(BATTLES["land"], {"attacker.infantry": [1, 2]}, method="monte-carlo", executor=pool)


def test_an_executor_that_is_shut_down_meanwhile() -> None:
    with ThreadPoolExecutor(1) as pool:

        def stop(done: int, total: int) -> None:
            pool.shutdown(wait=False, cancel_futures=True)

        with pytest.raises(bc.BattleError, match=r"^the executor was shut down before the work was done$"):
            bc.simulate_on(pool, BATTLES["land"], trials=90 * BLOCK, progress=stop, task_blocks=1)


def _die(*asked: object) -> None:
    os._exit(3)


def test_a_worker_that_dies() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(bc.BattleError, match=r"^the executor lost a worker before the work was done: "):
            list(results(pool, _die, [("task", ())], 4))
        with pytest.raises(bc.BattleError, match=r"^the executor lost a worker before the work was done: "):
            list(results(pool, _die, [("task", ())], 4))


def test_too_many_ways_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo, "MAX_DENSE_CELLS", 1)
    monkeypatch.setattr(montecarlo, "MAX_ENDS", 5)
    with ThreadPoolExecutor(1) as pool, pytest.raises(bc.StateSpaceError, match=r"in more than 5 different"):
        bc.simulate_on(pool, BATTLES["land"], trials=9 * BLOCK, seed=5, task_blocks=1)

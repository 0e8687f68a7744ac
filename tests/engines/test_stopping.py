"""Long passes in short runs: how much each may do, and who may stop them."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from battlecalc.engines import stopping
from battlecalc.engines.stopping import RUN_SECONDS, Stopped, in_runs, look, stopped_by


@pytest.mark.parametrize(
    ("seconds", "factor"),
    [
        (0.0, 2.0),
        (RUN_SECONDS / 10, 2.0),
        (RUN_SECONDS / 1.5, 1.5),
        (RUN_SECONDS, 1.0),
        (RUN_SECONDS * 4, 0.25),
    ],
)
def test_a_run_takes_as_long_as_it_should(
    seconds: float, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work grows by the time that the run before took, and at most twofold."""
    clock, works = [5.0], []

    def run(done: int, work: int) -> int:
        works.append(work)
        clock[0] += seconds
        return done + 1

    monkeypatch.setattr(stopping.time, "perf_counter", lambda: clock[0])
    in_runs(run, 6)
    assert works[0] == works[1] == 1_000_000  # the first one may have compiled: it tells nothing
    assert works[2:] == pytest.approx([1_000_000 * factor**n for n in range(1, 5)], rel=1e-3)


def test_a_pass_goes_on_where_it_was() -> None:
    seen = []
    in_runs(lambda done, work: seen.append(done) or done + 7, 20)  # type: ignore[func-returns-value]
    assert seen == [0, 7, 14]


def test_a_set_event_stops_its_thread_only() -> None:
    outer, inner = Event(), Event()
    look()
    with stopped_by(outer):
        with stopped_by(inner):
            inner.set()
            with pytest.raises(Stopped):
                in_runs(lambda done, work: done + 1, 3)
            done: list[bool] = []
            thread = Thread(target=lambda: (look(), done.append(True)))
            thread.start()
            thread.join()
            assert done
            with stopped_by(None):
                look()
        look()
        outer.set()
        with pytest.raises(Stopped):
            look()
    look()

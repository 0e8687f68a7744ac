"""The Monte Carlo engine by itself: same seed, same counts; progress, Ctrl-C, memory."""

from __future__ import annotations

import json
import os
import signal
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count as counting
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.endings import OUTCOMES
from battlecalc.engines import kernels, montecarlo
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.montecarlo import ROUNDS, Simulation, make_key
from battlecalc.engines.thresholds import thresholds_of
from tests.engines.ways import equal
from tests.program.bench import program_of

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "data" / "golden" / "histograms.json").read_text(encoding="utf-8")
)
LAND = ("great-war", "land", "6 infantry, 2 artillery, 2 fighter", "5 infantry, 1 artillery, 1 fighter")
NAVAL = ("aa-1942-2e", "naval", "2 submarine, 1 destroyer, 2 fighter, 1 carrier", "2 submarine, 1 cruiser")
LANDING = ("great-war", "invasion", "4 infantry, 2 transport, 1 fighter", "2 infantry, 1 artillery")
CHAIN = ("aa-1942", "invasion", "2 infantry, 2 tank, 2 transport, 1 battleship", "3 infantry")
AT_SEA: dict[str, Any] = {"sea_attacker": "1 destroyer", "sea_defender": "1 destroyer, 1 submarine"}
BATTLES = {"land": LAND, "naval": NAVAL, "landing": LANDING}


def counts_of(odds: bc.Odds) -> dict[str, float]:
    assert odds.trials is not None
    return {name: round(p * odds.trials, 6) for name, p in odds.outcomes.items()}


# ------------------------------------------------------------------ the same words whoever draws them


@pytest.mark.parametrize("name", BATTLES)
def test_counts_do_not_depend_on_threads(name: str) -> None:
    program = program_of(*BATTLES[name])
    one, *others = (Simulation(program, 7, threads).run(50 * BLOCK + 17) for threads in (1, 2, 7))
    assert one.counts.sum() == one.rounds.sum() == one.trials == 50 * BLOCK + 17
    assert all(equal(one, other) for other in others)


@pytest.mark.parametrize("name", BATTLES)
def test_counts_do_not_depend_on_blocks(name: str) -> None:
    """Blocks in ranges of any length, in any order, each by a simulation that never saw the others."""
    program, trials = program_of(*BATTLES[name]), 20 * BLOCK + 5
    whole = Simulation(program, 11, 1).run(trials)
    rng = Random(name)
    for _ in range(3):
        cuts = sorted({0, 21, *rng.sample(range(1, 21), 6)})
        ranges = list(pairwise(cuts))
        rng.shuffle(ranges)
        histogram = np.zeros(Simulation(program, 11).slots * program.cells, dtype=np.int64)
        rounds = np.zeros(ROUNDS, dtype=np.int64)
        nothing = np.zeros((0, 1), dtype=np.int64)
        for first, last in ranges:
            fresh = Simulation(program, 11)
            fresh.fight(first, last, trials, histogram, nothing[:, 0], rounds, (nothing,) * 4)
        assert np.array_equal(np.flatnonzero(histogram), whole.cells)
        assert np.array_equal(histogram[whole.cells], whole.counts)
        assert np.array_equal(rounds, whole.rounds)


@pytest.mark.parametrize("first", [16 * BLOCK, 1000, BLOCK + 1])
def test_going_on_is_the_same_as_fighting_at_once(first: int) -> None:
    program = program_of(*LAND)
    simulation = Simulation(program, 5, 2)
    simulation.run(first)
    assert equal(simulation.run(40 * BLOCK), Simulation(program, 5, 2).run(40 * BLOCK))


def test_ends_gathered_instead_of_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(*NAVAL)
    dense = Simulation(program, 3, 2)
    assert dense.dense
    monkeypatch.setattr(montecarlo, "MAX_DENSE_CELLS", 0)
    sparse = Simulation(program, 3, 2)
    assert not sparse.dense
    assert equal(dense.run(60 * BLOCK + 1), sparse.run(60 * BLOCK + 1))
    monkeypatch.undo()
    one = bc.simulate(*NAVAL, trials=100_000, seed=4)
    monkeypatch.setattr(montecarlo, "MAX_DENSE_CELLS", 0)
    other = bc.simulate(*NAVAL, trials=100_000, seed=4)
    assert one.outcome_table().equals(other.outcome_table())
    assert one.by_round().equals(other.by_round())


def test_two_simulations_at_once() -> None:
    with ThreadPoolExecutor(2) as pool:
        seeds = (1, 2, 1, 2)
        first, second, again, once_more = pool.map(
            lambda seed: counts_of(bc.simulate(*LAND, trials=200_000, seed=seed, threads=2)), seeds
        )
    assert first == again
    assert second == once_more
    assert first != second


def test_same_seed_same_answer() -> None:
    for battle, more in ((LAND, {}), (NAVAL, {}), (CHAIN, AT_SEA)):
        one = bc.simulate(*battle, trials=30_000, seed=12, threads=1, **more)
        other = bc.simulate(*battle, trials=30_000, seed=12, threads=2, **more)
        assert one.outcome_table().equals(other.outcome_table())
        assert (one.seed, one.trials, one.method) == (12, 30_000, "monte-carlo")


def test_unseeded_runs_differ() -> None:
    runs = [bc.simulate(*LAND, trials=50_000) for _ in range(4)]
    assert len({run.seed for run in runs}) == 4
    assert len({run.outcome_table().to_csv() for run in runs}) == 4  # outcomes alone may be alike by chance
    again = bc.simulate(*LAND, trials=50_000, seed=runs[0].seed)
    assert again.outcome_table().equals(runs[0].outcome_table())
    assert counts_of(again) == counts_of(runs[0])


# ------------------------------------------------------------------ golden words

MASK = 2**64 - 1


def splitmix64(state: int) -> int:
    """One word of the generator by its author's description, in whole numbers."""
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def words(key: int, block: int) -> Any:
    """Words that a block draws, one after another."""
    golden = 0x9E3779B97F4A7C15
    counter = key + (block << 32) * golden
    while True:
        counter = counter + golden & MASK
        yield splitmix64(counter)


def test_known_words() -> None:
    stream = words(1234567, 0)
    assert [next(stream) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("counter", [0, 1, 1234567, 2**63, MASK])
def test_words_are_mixed_as_described(counter: int) -> None:
    with np.errstate(over="ignore"):
        assert int(kernels.mixed(np.uint64(counter))) == splitmix64(counter)


def test_keys() -> None:
    found = {
        f"{seed}, {number}": int(make_key(seed, number))
        for seed, number in ((0, 0), (7, 0), (7, 1), (2**90, 3))
    }
    assert found == GOLDEN["keys"]
    assert len({int(make_key(seed)) for seed in range(2000)}) == 2000


@pytest.mark.parametrize(
    "chances", [[0.1, 0.2, 0.3, 0.4], [1 / 3, 2 / 3], [0.0, 0.5, 0.25, 0.25], [1e-15, 1 - 1e-15], [1.0]]
)
def test_thresholds_to_the_last_bit(chances: list[float]) -> None:
    """As many words up to each threshold as its chance says; the last one takes what rounding leaves."""
    upto = thresholds_of(np.array(chances)).tolist()
    exact = [int(Fraction(float(chance)) * 2**64) - 1 for chance in np.cumsum(chances)]
    assert upto[:-1] == [max(word, 0) for word in exact[:-1]]
    assert upto[-1] == MASK


def test_sums_that_rounding_lifts_above_1() -> None:
    """Nine ninths come to more than 1 in floating point: the words end there all the same."""
    upto = thresholds_of(np.array([1 / 9] * 9 + [1e-17])).tolist()
    assert upto == sorted(upto)
    assert upto[-2:] == [MASK, MASK]


@pytest.mark.parametrize("hits", [254, 255, 256, 257])
def test_hits_that_fit_a_byte_and_more(hits: int) -> None:
    """The guide names hits in as many bytes as the most of them need."""
    changes = {"infantry.attack": 6, "infantry.defence": 0}
    battle = bc.Battle("aa-1942", "land", f"{hits} inf", "300 inf", changes=changes, rounds=1)
    odds = bc.simulate(battle, trials=10, seed=1)
    assert odds.expected_survivors("defender")["infantry"] == 300 - hits


def test_as_many_threads_as_processors_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    processors = {0: {2, 3, 5}}  # 0: this process
    monkeypatch.setattr(os, "sched_getaffinity", processors.__getitem__, raising=False)
    assert montecarlo.default_threads() == 3


def test_threads_where_nobody_says_which_processors_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for processors, threads in ((5, 5), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda n=processors: n)
        assert montecarlo.default_threads() == threads


def test_entries_after_the_last_chance_are_never_met() -> None:
    assert thresholds_of(np.array([0.5, 0.5, 0.0, 0.0])).tolist() == [2**63 - 1, MASK, MASK, MASK]
    assert thresholds_of(np.array([0.1] * 10 + [0.0])).tolist()[-2:] == [MASK, MASK]  # the sum is below 1


@pytest.mark.parametrize("retreat", ["never", "round >= 500"])
def test_no_round_but_the_opening_fire(retreat: str) -> None:
    """A table of one row: what the antiaircraft gun leaves."""
    attacker = bc.Side("4 inf, 2 fighter", retreat=retreat)
    odds = bc.simulate("aa-1942-2e", "land", attacker, "5 inf, 1 aa_gun", rounds=0, trials=50_000, seed=1)
    table = odds.by_round()
    assert len(table) == 1
    assert table["attacker.infantry"][0] == 4 and table["defender.infantry"][0] == 5
    assert table["attacker.fighter"][0] == pytest.approx(2 * 5 / 6, abs=0.012)


@pytest.mark.parametrize(("retreat", "lanes"), [("never", 16), ("round >= 500", 1)])
@pytest.mark.parametrize("block", [0, 3, 1_000_000])
def test_a_block_fought_by_hand(block: int, retreat: str, lanes: int) -> None:
    """One infantry against one: two words a round, the attacker's first; high words hit.

    Battles in which nobody may decide are fought side by side, the others one after another.
    """
    program = program_of("aa-1942", "land", bc.Side("1 inf", retreat=retreat), "1 inf")
    simulation = Simulation(program, 99)
    ends = np.empty(0, dtype=np.int64)
    histogram = np.zeros(simulation.slots * program.cells, dtype=np.int64)
    rounds = np.zeros(ROUNDS, dtype=np.int64)
    nothing = np.zeros((0, 1), dtype=np.int64)
    simulation.fight(block, block + 1, 2**40, histogram, ends, rounds, (nothing,) * 4)
    stream = words(int(simulation.key), block)
    expected = np.zeros((2, 2), dtype=np.int64)
    fought = np.zeros(ROUNDS, dtype=np.int64)
    rounds_of, to_begin = [0] * lanes, BLOCK - lanes
    while rounds_of:
        going_on = []
        for number in rounds_of:
            hit = next(stream) / 2**64 > 5 / 6, next(stream) / 2**64 > 4 / 6
            if not any(hit):
                going_on.append(number + 1)
                continue
            expected[1 - hit[1], 1 - hit[0]] += 1
            fought[number + 1] += 1
            if to_begin:
                to_begin -= 1
                going_on.append(0)
        rounds_of = going_on
    cells = histogram.reshape(-1, 2, 2).sum(axis=0)[::-1, ::-1]  # states are numbered by the hits taken
    assert np.array_equal(cells, expected)
    assert np.array_equal(rounds, fought)


@pytest.mark.parametrize("name", GOLDEN["outcomes"])
def test_golden_counts(name: str) -> None:
    asked = GOLDEN["outcomes"][name]
    odds = bc.simulate(*asked["battle"], trials=20_000, seed=7, **asked["keywords"])
    assert {key: n for key, n in counts_of(odds).items() if n} == asked["counts"]


# ------------------------------------------------------------------ memory, progress, Ctrl-C


@pytest.mark.parametrize("most_dense", [montecarlo.MAX_DENSE_CELLS, 0])
def test_memory_does_not_grow_with_trials(most_dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo, "MAX_DENSE_CELLS", most_dense)
    program = program_of(*LAND)
    Simulation(program, 1, 1).run(BLOCK)  # whatever is made once
    peaks = []
    for trials in (64 * BLOCK, 640 * BLOCK):
        tracemalloc.start()
        Simulation(program, 1, 1).run(trials)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_progress(threads: int) -> None:
    calls: list[tuple[int, int]] = []
    trials = 200 * BLOCK + 1
    bc.simulate(*LAND, trials=trials, seed=1, threads=threads, progress=lambda *call: calls.append(call))
    done = [n for n, _ in calls]
    assert {total for _, total in calls} == {trials}
    assert done == sorted(set(done))
    assert done[-1] == trials
    assert len(calls) > 5


class Stop:
    """Progress that presses Ctrl-C after some calls."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.told = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        self.left -= 1
        self.told = done, total
        if not self.left:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("keywords", [{"trials": 10**9}, {"precision": 1e-5}])
def test_ctrl_c_tells_how_far_it_got(threads: int, keywords: dict[str, Any]) -> None:
    stop = Stop(after=4)
    with pytest.raises(KeyboardInterrupt) as caught:
        bc.simulate(*LAND, seed=1, threads=threads, progress=stop, **keywords)
    done, total = stop.told
    assert caught.value.done >= done > 0  # type: ignore[attr-defined]
    assert caught.value.total == total == 10**9  # type: ignore[attr-defined]


@pytest.mark.usefixtures("terminal")
def test_ctrl_c_before_the_first_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(program_of(*LAND), 1, 1)
    monkeypatch.setattr(montecarlo, "look", lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt) as caught:
        simulation.run(10 * BLOCK)
    assert (caught.value.done, caught.value.total) == (0, 10 * BLOCK)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("tables", "threads"), [(0, 1), (1, 1), (3.5, 3), (100, 8)])
def test_no_more_threads_than_their_tables_allow(
    tables: float, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thread counts in a table of its own, over all ends."""
    program = program_of(*LAND)
    ends = (2 + len(program.slots)) * program.cells
    monkeypatch.setattr(montecarlo, "_MOST_COUNTED", int(tables * ends))
    assert Simulation(program, 1, 8).threads == threads


@pytest.mark.parametrize("seconds", [0.0, 10.0])
def test_a_clock_that_stands_still_or_a_slow_machine(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a block took, the next chunk has at least one and is not the rest of the work."""
    times = counting(5.0, seconds)
    monkeypatch.setattr(montecarlo.time, "perf_counter", lambda: next(times))
    simulation = Simulation(program_of(*LAND), 1, 1)
    told: list[int] = []
    assert simulation.run(100 * BLOCK, lambda done, total: told.append(done // BLOCK)).trials == 100 * BLOCK
    assert told[:2] == [1, 2 if seconds else 17]
    assert len(told) == (100 if seconds else 8)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_in_threads_are_told(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*asked: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(Simulation, "fight", fail)
    with pytest.raises(MemoryError, match="no room"):
        Simulation(program_of(*LAND), 1, threads).run(90 * BLOCK)


def test_progress_that_fails_is_not_swallowed() -> None:
    def fail(done: int, total: int) -> None:
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        bc.simulate(*LAND, trials=10**6, seed=1, threads=2, progress=fail)


# ------------------------------------------------------------------ precision and bounds


def test_precision() -> None:
    odds = bc.simulate(*LAND, seed=3, precision=0.002)
    assert odds.trials is not None
    low, high = odds.interval("attacker_wins")
    assert (high - low) / 2 <= 0.002
    assert odds.trials in {65_536 * 2**n for n in range(8)}
    half = bc.simulate(*LAND, seed=3, trials=odds.trials // 2)
    low, high = half.interval("attacker_wins")
    assert (high - low) / 2 > 0.002
    assert counts_of(bc.simulate(*LAND, seed=3, trials=odds.trials)) == counts_of(odds)
    assert counts_of(bc.simulate(*LAND, seed=3, precision=0.002, threads=1)) == counts_of(odds)


def test_precision_stops_at_the_trials_given() -> None:
    odds = bc.simulate(*LAND, seed=3, precision=1e-5, trials=100_000)
    assert odds.trials == 100_000
    assert sum(counts_of(odds).values()) == pytest.approx(100_000)


@pytest.mark.parametrize("trials", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1])
def test_few_trials(trials: int) -> None:
    odds = bc.simulate(*LAND, seed=3, trials=trials, threads=2)
    assert sum(counts_of(odds).values()) == pytest.approx(trials)
    assert odds.rounds().sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"trials": 0}, r"^trials is a whole number from 1 to 10,000,000,000,000, not 0$"),
        ({"trials": 1.5}, r"^trials is a whole number .*, not 1\.5$"),
        ({"trials": "many"}, r"^trials is a whole number .*, not 'many'$"),
        ({"trials": float("inf")}, r"^trials is a whole number .*, not inf$"),
        ({"trials": float("nan")}, r"^trials is a whole number .*, not nan$"),
        ({"seed": -1}, r"^seed is a whole number from 0, not -1$"),
        ({"seed": 1.0}, r"^seed is a whole number from 0, not 1\.0$"),
        ({"threads": 0}, r"^threads is a whole number from 1 to 1,024, not 0$"),
        ({"precision": 0.5}, r"^precision is a probability between 0 and 0\.5, not 0\.5$"),
    ],
)
def test_nonsense(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.BattlecalcError, match=message):
        bc.simulate(*LAND, **keywords)


def test_whole_floats_are_whole_numbers() -> None:
    assert bc.simulate(*LAND, trials=1e4, seed=1).trials == 10_000
    assert bc.simulate(*LAND, trials=np.int64(100), seed=np.int64(1)).trials == 100


def test_outcomes_are_all_there() -> None:
    assert tuple(bc.simulate(*LAND, trials=10, seed=1).outcomes) == OUTCOMES


def test_a_side_that_never_fires_moves_nobody() -> None:
    """The loop of one step a round takes both sides' hits from tables; no dice are no hits."""
    forces = ("1 infantry, 2 fighter", "4 infantry, 1 aa_gun")
    harmless = bc.Battle("aa-1942", "land", *forces, changes={"infantry.defence": 0})
    run = bc.simulate(harmless, trials=100_000, seed=1)
    assert run.outcomes["attacker_wins"] == 1
    left = run.expected_survivors("attacker")
    assert left["infantry"] == 1
    assert left["fighter"] == pytest.approx(2 * 5 / 6, abs=0.01), "what the gun shot down stays down"


@pytest.mark.parametrize("rows", [1, 3, 5])
def test_tables_by_round_of_another_length_are_refused(rows: int) -> None:
    """Compiled code would write beside them."""
    simulation = Simulation(program_of("aa-1942", "land", "1 inf", "1 inf"), 1)
    histogram = np.zeros(simulation.slots * simulation.program.cells, dtype=np.int64)
    rounds, seen = np.zeros(4, dtype=np.int64), np.zeros((4, 2), dtype=np.int64)
    tables = (seen, seen, seen, np.zeros((rows, 2), dtype=np.int64))
    with pytest.raises(ValueError, match="other lengths than 4"):
        simulation.fight(0, 1, 4, histogram, histogram[:0], rounds, tables)

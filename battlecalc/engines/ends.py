"""From what an engine counted to `Endings`: slots become outcomes, cells states; rounds come on demand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX, Endings, Meaning, RoundTable
from battlecalc.engines.exact import UNRESOLVED, Ended
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.layers import Layers
from battlecalc.engines.montecarlo import Counted, Simulation
from battlecalc.engines.raids import raid_damage, raid_outcomes
from battlecalc.program.meaning import make_meaning
from battlecalc.program.program import Program

STALEMATE = OUTCOME_INDEX["stalemate"]

Floats = NDArray[np.float64]


def meanings(program: Program, offshore: bool = True) -> tuple[Meaning, Meaning]:
    """Meaning of both sides' states."""
    return make_meaning(program.sides[0], offshore), make_meaning(program.sides[1], offshore)


def exact_endings(program: Program, ended: Ended, offshore: bool = True) -> Endings:
    """End states of an exact solution; chances are scaled to sum to 1 where some were pruned."""
    slots, a, d = np.nonzero(ended.by_slot)
    weight = ended.by_slot[slots, a, d]
    if ended.dropped:
        weight = weight / (1 - ended.dropped)
    outcome, attacker_state, defender_state = outcomes_of(program, slots, a, d)
    attacker, defender = meanings(program, offshore)
    layers = Layers(program)
    return _with_damage(
        program,
        Endings(
            attacker,
            defender,
            outcome,
            attacker_state,
            defender_state,
            weight,
            rounds=np.zeros(0),
            round_table=lambda: layers.table((attacker, defender)),
            round_weights=layers.weights,
            mean_rounds=ended.rounds,
            details={"dropped": ended.dropped},
        ),
    )


def counted_endings(simulation: Simulation, counted: Counted, offshore: bool = True) -> Endings:
    """End states of a simulation."""
    program = simulation.program
    slots, cells = np.divmod(counted.cells, program.cells)
    a, d = np.divmod(cells, program.sizes[1])
    outcome, attacker_state, defender_state = outcomes_of(program, slots, a, d)
    attacker, defender = meanings(program, offshore)
    rounds = np.trim_zeros(counted.rounds, "b")
    return _with_damage(
        program,
        Endings(
            attacker,
            defender,
            outcome,
            attacker_state,
            defender_state,
            counted.counts,
            rounds=rounds,
            round_table=lambda: _again(simulation, counted, len(rounds), (attacker, defender)),
        ),
    )


def _with_damage(program: Program, endings: Endings) -> Endings:
    """Add what a raid does, which is over without a round; other battles stay as they are."""
    table = endings.round_table
    if not program.setting.raid or table is None:
        return endings
    return replace(
        endings,
        round_table=lambda: replace(table(), over=np.ones(1)),
        outcome=raid_outcomes(program, endings.attacker_state),
        damage=lambda: raid_damage(program, endings, "raid" in program.setting.low_luck),
    )


def outcomes_of(
    program: Program, slots: NDArray[np.int64], a: NDArray[np.int64], d: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
    """Outcome of every end, and its states once the defenceless are destroyed."""
    by_slot = np.array([-1, *program.slots, program.last_outcome()], dtype=np.int64)
    sig_a, sig_d, width = program.signatures
    codes = program.words[program.verdicts + program.words[sig_a + a] * width + program.words[sig_d + d]]
    judged = slots == 0
    # a battle that ended though the signatures let it go on: there was nothing left that could happen
    codes = np.where(judged, np.where(codes < 0, STALEMATE, codes), by_slot[slots])
    outcome, destroyed = codes % 16, codes // 16
    a = np.where(destroyed == 1, program.words[program.without[0] + a], a)
    d = np.where(destroyed == 2, program.words[program.without[1] + d], d)
    return outcome.astype(np.int8), a.astype(np.int32), d.astype(np.int32)


def _again(
    simulation: Simulation, counted: Counted, rounds: int, sides: tuple[Meaning, Meaning]
) -> RoundTable:
    """Fight the same trials again (the same words are drawn), noting states by round."""
    size_a, size_d = simulation.program.sizes
    shapes = ((rounds, size_a), (rounds, size_d))
    seen = [np.zeros(shape, dtype=np.int64) for shape in (*shapes, *shapes)]
    blocks = -(-counted.trials // BLOCK)
    nowhere = np.zeros(simulation.slots * simulation.program.cells if simulation.dense else 0, dtype=np.int64)
    for first, last in simulation.chunks(0, blocks):
        unused = np.empty(0 if simulation.dense else (last - first) * BLOCK, dtype=np.int64)
        counts = np.zeros(rounds, dtype=np.int64)
        simulation.fight(
            first, last, counted.trials, nowhere, unused, counts, (seen[0], seen[1], seen[2], seen[3])
        )
    ends = np.divmod(counted.cells % simulation.program.cells, size_d)
    means = []
    for n, meaning in enumerate(sides):
        left = meaning.left()
        means.append((seen[n] + np.cumsum(seen[2 + n], axis=0)) @ left / counted.trials)
        # more rounds may have begun than dice were rolled in: the last row saw some battles more than once
        means[n][-1] = counted.counts @ left[ends[n]] / counted.trials
    over = np.cumsum(seen[2].sum(axis=1)) / counted.trials
    if simulation.program.last_outcome() != UNRESOLVED:
        over[-1] = 1.0  # the rules end it here
    return RoundTable(means[0], means[1], over)

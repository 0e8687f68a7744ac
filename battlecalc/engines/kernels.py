"""The loops that are worth compiling, written once in the plain subset of Python that numba takes.

`battlecalc.engines.compiled` compiles them; small exact answers run them as they stand, so that they need
no numba at all. All of them stay in this one file and call nothing outside it: numba's cache looks at one
file only. Words of the memory are described in `battlecalc.program.build`; `place` is room of one entry a
state, all -1 between calls.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"

from __future__ import annotations

import numpy as np

# Whoever moves a word there changes this file as well: numba keeps machine code as long as this one stays.
from battlecalc.program.layout import (
    AFTER,
    AGAIN,
    ANSWERS,
    BY_BOTH,
    CALLED,
    CALLED_CHAIN,
    CALLED_TO_LOSE,
    CHAIN,
    COUNTS,
    DECIDE,
    DRAWS,
    FIRE,
    GONE,
    LIMITS,
    MATCHED,
    MOVE,
    ONE_DRAW,
    OP_WORDS,
    PLANS,
    ROWS,
    SIDE,
    SLOT,
    TANGLE,
    TO_LOSE,
    VERDICTS,
    WHERE_ASKED,
    WIDTH,
)

# splitmix64: the state is one addition, so that the generator is a counter and any block of trials can be
# drawn by itself.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S56 = (np.uint64(n) for n in (27, 30, 31, 32, 56))
BLOCK = 4096
LANES = 16  # battles that are fought side by side: enough that none waits for another's look-ups
_NOWHERE = np.uint64(2**32)
_U0, _U1, _U2, _U3, _U4 = (np.uint64(n) for n in range(5))
# What may follow on a beat, beside other beats: the rules say it is over, the limit of rounds came first, or
# somebody left (slot 1, the slots after it below).
OVER, STOPPED, LEFT = (np.uint32(2**32 - n) for n in (1, 2, 3))
MOST_SLOTS = 16
_ENDS = np.uint32(2**32 - 2 - MOST_SLOTS)
_FAR = 1e300
_U_MOST = np.uint64(1_000_000)
_MOST = 1_000_000  # rounds: a battle that is longer has no end, whatever the rules say


def assign(words, tangle, draws, hits, room, target):
    """Assign hits with incomparable targets one by one: as many as possible, then in the owner's order.

    `hits` are the hits of each type. A set of types is tight once all its hits are used; the next casualty
    is the first in the order that a type outside every tight set can hit (the greedy algorithm on a
    matroid, rules §1.7). Returns the state after them.
    """
    sets = 1 << draws
    for x in range(sets):
        room[x] = 0
        for n in range(draws):
            if x >> n & 1:
                room[x] += hits[n]
    while True:
        tight = 0
        for x in range(1, sets):
            if room[x] == 0:
                tight |= x
        free = sets - 1 - tight
        if free == 0:
            return target
        victim = words[words[tangle + 2 + 2 * free] + target]
        if victim == 0:
            return target
        for x in range(sets):
            if victim & x == victim:
                room[x] -= 1
        target = words[words[tangle + 1 + 2 * free] + target]


def row_of(words, draw, own, other):
    """Return the number of the row of hits that a draw uses for these two states."""
    if words[draw] == MATCHED:
        dice = min(words[words[draw + LIMITS] + own], words[words[draw + COUNTS] + other])
        return words[words[words[draw + ROWS] + own] + dice]
    return words[words[draw + ROWS] + own]


def struck(words, draw, hits, target):
    """State of the target after the hits of one draw (for called shots: of an entry of their joint row)."""
    if words[draw] == CALLED:
        shots = hits % words[draw + WIDTH]
        hits = hits // words[draw + WIDTH]
        target = words[words[words[draw + CHAIN] + target] + min(hits, words[words[draw + TO_LOSE] + target])]
        return words[
            words[words[draw + CALLED_CHAIN] + target]
            + min(shots, words[words[draw + CALLED_TO_LOSE] + target])
        ]
    return words[words[words[draw + CHAIN] + target] + min(hits, words[words[draw + TO_LOSE] + target])]


def spread(
    words, probabilities, row_records, plan, own, other, states, chances, spare_states, spare_chances, place
):
    """Distribution of the target's states after one side's fire in one step.

    Writes states and their chances to `states` and `chances`, returns how many there are.
    """
    states[0] = other
    chances[0] = 1.0
    found = 1
    draws = words[plan]
    if draws == 0:
        return found
    tangle = words[plan + TANGLE]
    if tangle >= 0:
        combinations = 1
        for n in range(draws):
            combinations *= words[row_records + 3 * row_of(words, words[plan + DRAWS + n], own, other) + 2]
        hits = [0] * draws
        room = [0] * (1 << draws)
        found = 0
        for combination in range(combinations):
            rest = combination
            chance = 1.0
            for n in range(draws):
                record = row_records + 3 * row_of(words, words[plan + DRAWS + n], own, other)
                entry = rest % words[record + 2]
                rest //= words[record + 2]
                hits[n] = words[record] + entry
                chance *= probabilities[words[record + 1] + entry]
            if chance == 0.0:
                continue
            target = assign(words, tangle, draws, hits, room, other)
            if place[target] < 0:
                place[target] = found
                states[found] = target
                chances[found] = 0.0
                found += 1
            chances[place[target]] += chance
        for k in range(found):
            place[states[k]] = -1
        return found
    for n in range(draws):
        draw = words[plan + DRAWS + n]
        record = row_records + 3 * row_of(words, draw, own, other)
        first = words[record]
        start = words[record + 1]
        entries = words[record + 2]
        if first == 0 and entries == 1:
            continue
        called = words[draw] == CALLED
        if n == 0 and not called:
            # the first draw of most plans: a run along one chain, its states all different
            base = words[words[draw + CHAIN] + other]
            left = words[words[draw + TO_LOSE] + other]
            found = 0
            for h in range(min(entries, left - first)):
                states[found] = words[base + first + h]
                chances[found] = probabilities[start + h]
                found += 1
            if found < entries:
                rest_chance = 0.0
                for h in range(found, entries):
                    rest_chance += probabilities[start + h]
                states[found] = words[base + left]
                chances[found] = rest_chance
                found += 1
            continue
        before = found
        found = 0
        for k in range(before):
            spare_states[k] = states[k]
            spare_chances[k] = chances[k]
        for k in range(before):
            source = spare_states[k]
            chance = spare_chances[k]
            base = words[words[draw + CHAIN] + source]
            left = words[words[draw + TO_LOSE] + source]
            for h in range(entries):
                if called:
                    target = struck(words, draw, first + h, source)
                else:
                    target = words[base + min(first + h, left)]
                if place[target] < 0:
                    place[target] = found
                    states[found] = target
                    chances[found] = 0.0
                    found += 1
                chances[place[target]] += chance * probabilities[start + h]
        for k in range(found):
            place[states[k]] = -1
    return found


def verdict(words, at, pair):
    """Slot of ends if the battle is over when an operation is due, -1 if it goes on."""
    return words[words[at + VERDICTS] + pair]


def is_gone(words, at, after):
    """Whether a side is gone, and the battle over, whose units have left it in this state."""
    return words[at + SLOT] >= 0 and words[words[at + GONE] + after] != 0


def may_ask(words, at, pair):
    """Whether a decision may be asked for with these units in the battle."""
    return words[at + WHERE_ASKED] < 0 or words[words[at + WHERE_ASKED] + pair] != 0


def says_yes(words, answers, at, pair, i, j, size_d):
    """Whether a decision is asked for here and its policy says yes."""
    if not may_ask(words, at, pair):
        return False
    if words[at + BY_BOTH] != 0:
        return answers[words[at + ANSWERS] + i * size_d + j] != 0
    return answers[words[at + ANSWERS] + (i if words[at + SIDE] == 0 else j)] != 0


def dice_are_rolled(words, answers, signature_a, signature_d, width, ops, count, i, j, size_d):
    """Whether a round that begins in this cell sees a die: decisions may end the battle before the first."""
    s = 0
    while s < count:
        at = ops + OP_WORDS * s
        pair = words[signature_a + i] * width + words[signature_d + j]
        if verdict(words, at, pair) != -1:
            return False
        s += 1
        if words[at] == FIRE:
            fast = words[at + ONE_DRAW]
            if fast >= 0:
                mine = words[words[fast] + i] > 1 and words[words[fast + 2] + j] > 0
                theirs = words[words[fast + 3] + j] > 1 and words[words[fast + 5] + i] > 0
            else:
                mine = words[words[words[at + PLANS] + pair]] > 0
                theirs = words[words[words[at + PLANS + 1] + pair]] > 0
            if mine or theirs:
                return True
            continue
        own = i if words[at + SIDE] == 0 else j
        after = own
        if words[at] == MOVE:
            after = words[words[at + AFTER] + own]
        elif says_yes(words, answers, at, pair, i, j, size_d):
            after = words[words[at + AFTER] + own]
            if is_gone(words, at, after):
                return False
            if words[at + AGAIN] != 0 and after != own:
                s -= 1
        if words[at + SIDE] == 0:
            i = after
        else:
            j = after
    return False


def mark_dice(words, answers, signature_a, signature_d, width, ops, count, marks, done, work):
    """Mark the cells, int8 (SA, SD), whose round of this variant sees a die (`done`, `work`: see `push`)."""
    size_a, size_d = marks.shape
    first = done // size_d
    begin = done % size_d
    for i in range(size_a):
        if i < first:
            continue
        for j in range(size_d):
            if i == first and j < begin:
                continue
            if work <= 0:
                return i * size_d + j
            work -= OP_WORDS * count
            marks[i, j] = dice_are_rolled(
                words, answers, signature_a, signature_d, width, ops, count, i, j, size_d
            )
    return size_a * size_d


def fight_cell(
    words,
    probabilities,
    answers,
    row_records,
    signature_a,
    signature_d,
    width,
    ops,
    count,
    i,
    j,
    size_d,
    states,
    chances,
    found,
    stay,
    place,
):
    """Work out what each operation of a variant does in one cell, and the chance that it changes nothing.

    Writes `states` and `chances` (operation, side that fires, entry), `found` (operation, side) and `stay`
    (operation); returns how many ways the dice can fall, roughly the work that follows.
    """
    pair = words[signature_a + i] * width + words[signature_d + j]
    ways = 0
    for s in range(count):
        at = ops + OP_WORDS * s
        stay[s] = 1.0
        if verdict(words, at, pair) != -1:
            continue
        own = i if words[at + SIDE] == 0 else j
        if words[at] == FIRE:
            for side in range(2):
                mine = i if side == 0 else j
                theirs = j if side == 0 else i
                found[s, side] = spread(
                    words,
                    probabilities,
                    row_records,
                    words[words[at + PLANS + side] + pair],
                    mine,
                    theirs,
                    states[s, side],
                    chances[s, side],
                    states[count, side],
                    chances[count, side],
                    place,
                )
                same = 0.0
                for k in range(found[s, side]):
                    if states[s, side, k] == theirs:
                        same = chances[s, side, k]
                stay[s] *= same
            ways += found[s, 0] * found[s, 1]
        elif words[at] == DECIDE:
            if says_yes(words, answers, at, pair, i, j, size_d):
                after = words[words[at + AFTER] + own]
                if after != own or is_gone(words, at, after):
                    stay[s] = 0.0
        elif words[words[at + AFTER] + own] != own:
            stay[s] = 0.0
    return ways


def push(
    words,
    probabilities,
    answers,
    row_records,
    signature_a,
    signature_d,
    width,
    ops,
    count,
    both,
    loop,
    steady,
    prune,
    flow,
    onward,
    ended,
    states,
    chances,
    found,
    stay,
    weight,
    place,
    result,
    done,
    work,
):
    """Push the distribution over cells through one variant's operations, in ascending order of cells.

    Parameters
    ----------
    words, probabilities, answers : memory of the program
    row_records, signature_a, signature_d, width : offsets (see Program)
    ops, count : the variant
    both : offset of the table of signatures for which the stage goes on, -1: all; the others go to `onward`
    loop : bool
        Steady rounds: the end of a round is the start of the next, and rounds in which nothing happens are
        divided out. Else what is left after one round goes to `onward`.
    steady : bool
        The same rounds for ever, whether a limit stops them or not: where nothing can happen in one, nothing
        ever will, and the stage is over (the battle, if `both` is -1).
    prune : cells that less comes to are dropped
    flow : float64 (count, SA, SD)
        Chance to arrive at each operation; becomes how often it is met.
    onward : float64 (SA, SD)
    ended : float64 (slots, SA, SD)
        Added to.
    states, chances, found, stay, weight, place : room to work (see `fight_cell`)
    result : float64 (2,)
        Added to: [0] rounds in which dice were rolled, [1] chance that was dropped.
    done : cells that earlier calls have passed
    work : about how many sums this call may make; the number of cells that are done then is returned
        (see `battlecalc.engines.stopping`).
    """
    size_a = flow.shape[1]
    size_d = flow.shape[2]
    first = done // size_d
    begin = done % size_d
    for i in range(size_a):  # from 0: a begin that the compiler does not know makes all slower
        if i < first:
            continue
        for j in range(size_d):
            if i == first and j < begin:
                continue
            if work <= 0:
                return i * size_d + j
            work -= 1
            total = 0.0
            for s in range(count):
                total += flow[s, i, j]
            if total == 0.0:
                continue
            if total < prune:
                result[1] += total
                continue
            pair = words[signature_a + i] * width + words[signature_d + j]
            again = loop
            if both >= 0 and words[both + pair] == 0:
                onward[i, j] += flow[0, i, j]
                flow[0, i, j] = 0.0
                again = False
            # what is over ends here
            alive = False
            for s in range(count):
                over = verdict(words, ops + OP_WORDS * s, pair)
                if over != -1:
                    ended[over, i, j] += flow[s, i, j]
                    flow[s, i, j] = 0.0
                elif flow[s, i, j] != 0.0:
                    alive = True
            if not alive:
                continue
            work -= fight_cell(
                words,
                probabilities,
                answers,
                row_records,
                signature_a,
                signature_d,
                width,
                ops,
                count,
                i,
                j,
                size_d,
                states,
                chances,
                found,
                stay,
                place,
            )
            # how often each operation is met in this cell
            weight[0] = flow[0, i, j]
            through = 1.0
            for s in range(count):
                through *= stay[s]
            if again:
                for s in range(1, count):
                    onwards = flow[s, i, j]
                    for t in range(s, count):
                        onwards *= stay[t]
                    weight[0] += onwards
                    if through >= 1.0:
                        flow[s, i, j] = 0.0
            if steady and through >= 1.0:
                if both >= 0:
                    onward[i, j] += weight[0]
                else:
                    ended[0, i, j] += weight[0]
                weight[0] = 0.0
            elif again:
                weight[0] /= 1.0 - through
            for s in range(1, count):
                weight[s] = flow[s, i, j] + stay[s - 1] * weight[s - 1]
            if not again:
                onward[i, j] += stay[count - 1] * weight[count - 1]
            for s in range(count):
                flow[s, i, j] = weight[s]
            # a round counts once its first die is rolled
            if weight[0] != 0.0 and dice_are_rolled(
                words, answers, signature_a, signature_d, width, ops, count, i, j, size_d
            ):
                result[0] += weight[0]
            # pass on what does not stay
            for s in range(count):
                mass = weight[s]
                if mass == 0.0 or stay[s] == 1.0:
                    continue
                at = ops + OP_WORDS * s
                following = s + 1
                if words[at] != FIRE:
                    side = words[at + SIDE]
                    own = i if side == 0 else j
                    if words[at] == DECIDE:
                        after = words[words[at + AFTER] + own]
                        if is_gone(words, at, after):
                            ended[words[at + SLOT], i if side == 1 else after, j if side == 0 else after] += (
                                mass
                            )
                            continue
                        if words[at + AGAIN] != 0:
                            following = s
                    else:
                        after = words[words[at + AFTER] + own]
                    to_a = after if side == 0 else i
                    to_d = after if side == 1 else j
                    if following < count:
                        flow[following, to_a, to_d] += mass
                    elif loop:
                        flow[0, to_a, to_d] += mass
                    else:
                        onward[to_a, to_d] += mass
                    continue
                # the attacker's fire (0) moves the defender, the defender's (1) the attacker
                into = onward
                if following < count:
                    into = flow[following]
                elif loop:
                    into = flow[0]
                straight = found[s, 0] > 4
                for k in range(1, found[s, 0]):
                    straight = straight and states[s, 0, k] == states[s, 0, 0] + k
                base = states[s, 0, 0]
                for m in range(found[s, 1]):
                    to_a = states[s, 1, m]
                    part = mass * chances[s, 1, m]
                    if to_a == i:
                        for k in range(found[s, 0]):
                            if states[s, 0, k] != j:
                                into[to_a, states[s, 0, k]] += part * chances[s, 0, k]
                    elif straight:
                        for k in range(found[s, 0]):
                            into[to_a, base + k] += part * chances[s, 0, k]
                    else:
                        for k in range(found[s, 0]):
                            into[to_a, states[s, 0, k]] += part * chances[s, 0, k]
    return size_a * size_d


def pull(
    words,
    probabilities,
    answers,
    row_records,
    signature_a,
    signature_d,
    width,
    ops,
    count,
    both,
    loop,
    best,
    payoff,
    value,
    onward,
    states,
    chances,
    found,
    stay,
    shape,
    stops,
    place,
    done,
    work,
):
    """Pull values back through one variant's operations, in descending order of cells; decide for the best.

    Within a cell the value of every operation is a function of v, the value of the round's start here, of
    the form ``clamp(a + b * v, low, high)``: fire averages, the attacker's decisions take the greater, the
    defender's the lesser of going on and stopping. The round that changes nothing comes back to v, which is
    therefore a / (1 - b), clamped.

    Parameters
    ----------
    words ... loop : see `push`
    best : int8 (count,)
        1: this operation is a decision to be made here; its answers are written.
    payoff : float64 (slots, SA, SD)
        What an end is worth to the attacker.
    value : float64 (count, SA, SD)
        Written: value of arriving at each operation.
    onward : float64 (SA, SD)
        Value of what comes after the stage, or after this round.
    states, chances, found, stay, place : room to work (see `fight_cell`)
    shape : float64 (count + 1, 4); stops : float64 (count,); room to work
    done, work : see `push`; the last cell comes first
    """
    size_a = value.shape[1]
    size_d = value.shape[2]
    first = size_a - 1 - done // size_d
    begin = size_d - 1 - done % size_d
    for i in range(size_a - 1, -1, -1):
        if i > first:
            continue
        for j in range(size_d - 1, -1, -1):
            if i == first and j > begin:
                continue
            if work <= 0:
                return (size_a - i) * size_d - 1 - j
            work -= 1
            pair = words[signature_a + i] * width + words[signature_d + j]
            again = loop and (both < 0 or words[both + pair] != 0)
            alive = False
            for s in range(count):
                alive = alive or verdict(words, ops + OP_WORDS * s, pair) == -1
            if not alive:
                for s in range(count):
                    value[s, i, j] = payoff[verdict(words, ops + OP_WORDS * s, pair), i, j]
                continue
            work -= fight_cell(
                words,
                probabilities,
                answers,
                row_records,
                signature_a,
                signature_d,
                width,
                ops,
                count,
                i,
                j,
                size_d,
                states,
                chances,
                found,
                stay,
                place,
            )
            shape[count, 0] = 0.0 if again else onward[i, j]
            shape[count, 1] = 1.0 if again else 0.0
            shape[count, 2] = -_FAR
            shape[count, 3] = _FAR
            for s in range(count - 1, -1, -1):
                at = ops + OP_WORDS * s
                for n in range(4):
                    shape[s, n] = shape[s + 1, n]
                end = verdict(words, at, pair)
                over = end != -1
                fixed = payoff[max(end, 0), i, j]
                side = words[at + SIDE]
                own = i if side == 0 else j
                if not over and words[at] == FIRE:
                    if stay[s] == 1.0:
                        continue
                    source = onward
                    if s + 1 < count:
                        source = value[s + 1]
                    elif loop:
                        source = value[0]
                    rest = 0.0
                    for m in range(found[s, 1]):
                        to_a = states[s, 1, m]
                        part = 0.0
                        for k in range(found[s, 0]):
                            to_d = states[s, 0, k]
                            if to_a != i or to_d != j:
                                part += chances[s, 0, k] * source[to_a, to_d]
                        rest += part * chances[s, 1, m]
                    shape[s, 0] = rest + stay[s] * shape[s, 0]
                    shape[s, 1] *= stay[s]
                    if stay[s] == 0.0:
                        shape[s, 2] = -_FAR
                        shape[s, 3] = _FAR
                    else:
                        shape[s, 2] = max(rest + stay[s] * shape[s, 2], -_FAR)
                        shape[s, 3] = min(rest + stay[s] * shape[s, 3], _FAR)
                    continue
                if not over:
                    # a landing, or a decision that takes units away or ends the battle
                    after = words[words[at + AFTER] + own]
                    ends = is_gone(words, at, after)
                    if after == own and not ends:
                        continue
                    to_a = after if side == 0 else i
                    to_d = after if side == 1 else j
                    following = s + 1
                    if words[at] == DECIDE and words[at + AGAIN] != 0:
                        following = s
                    if ends:
                        fixed = payoff[words[at + SLOT], to_a, to_d]
                    elif following < count:
                        fixed = value[following, to_a, to_d]
                    elif loop:
                        fixed = value[0, to_a, to_d]
                    else:
                        fixed = onward[to_a, to_d]
                    if words[at] == DECIDE and best[s] != 0:
                        stops[s] = fixed
                        if may_ask(words, at, pair):
                            if side == 0:
                                shape[s, 2] = max(shape[s, 2], fixed)
                                shape[s, 3] = max(shape[s, 3], fixed)
                            else:
                                shape[s, 2] = min(shape[s, 2], fixed)
                                shape[s, 3] = min(shape[s, 3], fixed)
                        continue
                    if words[at] == DECIDE and not says_yes(words, answers, at, pair, i, j, size_d):
                        continue
                shape[s, 0] = fixed
                shape[s, 1] = 0.0
                shape[s, 2] = -_FAR
                shape[s, 3] = _FAR
            here = shape[0, 0]
            idle = again and shape[0, 1] >= 1.0  # nothing can happen here any more, unless somebody decides
            if idle:
                here = payoff[0, i, j] if both < 0 else onward[i, j]
            elif again:
                here = shape[0, 0] / (1.0 - shape[0, 1])
            nothing = here
            here = min(max(here, shape[0, 2]), shape[0, 3])
            for s in range(count):
                value[s, i, j] = min(max(shape[s, 0] + shape[s, 1] * here, shape[s, 2]), shape[s, 3])
            if not again and both >= 0 and words[both + pair] == 0:
                value[0, i, j] = onward[i, j]
            for s in range(count):
                at = ops + OP_WORDS * s
                if best[s] == 0 or verdict(words, at, pair) != -1:
                    continue
                side = words[at + SIDE]
                own = i if side == 0 else j
                after = words[words[at + AFTER] + own]
                if after == own and not is_gone(words, at, after):
                    continue
                following = min(
                    max(shape[s + 1, 0] + shape[s + 1, 1] * here, shape[s + 1, 2]), shape[s + 1, 3]
                )
                gain = stops[s] - following if side == 0 else following - stops[s]
                least = 1e-11 * (1.0 + abs(following))
                if idle and gain >= -least:  # to wait is as good only if it is not for ever
                    gain = stops[s] - nothing if side == 0 else nothing - stops[s]
                answers[words[at + ANSWERS] + i * size_d + j] = gain > least
    return size_a * size_d


def average(
    words,
    probabilities,
    answers,
    row_records,
    signature_a,
    signature_d,
    width,
    ops,
    count,
    both,
    loop,
    payoff,
    clock,
    value,
    onward,
    states,
    chances,
    found,
    stay,
    means,
    shares,
    place,
    done,
    work,
):
    """Pull many means at once back through one variant's operations, for every cell as a start.

    `pull` without decisions to be made: within a cell each operation's mean is ``means + shares * v``, v
    that of the round's start.

    Parameters
    ----------
    words ... loop : see `push`
    payoff : float64 (slots, SA, SD, W)
        What an end counts, for each mean.
    clock : int
        Which of the means counts the rounds in which dice are rolled; -1: none.
    value : float64 (count, SA, SD, W)
        Written.
    onward : float64 (SA, SD, W)
    means : float64 (W,); shares : float64 (count + 1,); room to work
    done, work : see `pull`
    """
    size_a = value.shape[1]
    size_d = value.shape[2]
    kinds = value.shape[3]
    first = size_a - 1 - done // size_d
    begin = size_d - 1 - done % size_d
    for i in range(size_a - 1, -1, -1):
        if i > first:
            continue
        for j in range(size_d - 1, -1, -1):
            if i == first and j > begin:
                continue
            if work <= 0:
                return (size_a - i) * size_d - 1 - j
            work -= 1
            pair = words[signature_a + i] * width + words[signature_d + j]
            again = loop and (both < 0 or words[both + pair] != 0)
            alive = False
            for s in range(count):
                alive = alive or verdict(words, ops + OP_WORDS * s, pair) == -1
            if not alive:
                for s in range(count):
                    for w in range(kinds):
                        value[s, i, j, w] = payoff[verdict(words, ops + OP_WORDS * s, pair), i, j, w]
                continue
            work -= fight_cell(
                words,
                probabilities,
                answers,
                row_records,
                signature_a,
                signature_d,
                width,
                ops,
                count,
                i,
                j,
                size_d,
                states,
                chances,
                found,
                stay,
                place,
            )
            shares[count] = 1.0 if again else 0.0
            for w in range(kinds):
                means[w] = 0.0 if again else onward[i, j, w]
            for s in range(count - 1, -1, -1):
                at = ops + OP_WORDS * s
                shares[s] = shares[s + 1]
                end = verdict(words, at, pair)
                over = end != -1
                if not over and words[at] == FIRE:
                    for w in range(kinds):
                        means[w] *= stay[s]
                    shares[s] *= stay[s]
                    source = onward
                    if s + 1 < count:
                        source = value[s + 1]
                    elif loop:
                        source = value[0]
                    for m in range(found[s, 1]):
                        to_a = states[s, 1, m]
                        for k in range(found[s, 0]):
                            to_d = states[s, 0, k]
                            if to_a == i and to_d == j:
                                continue
                            part = chances[s, 1, m] * chances[s, 0, k]
                            for w in range(kinds):
                                means[w] += part * source[to_a, to_d, w]
                elif over:
                    shares[s] = 0.0
                    for w in range(kinds):
                        means[w] = payoff[end, i, j, w]
                elif words[at] == MOVE or says_yes(words, answers, at, pair, i, j, size_d):
                    side = words[at + SIDE]
                    own = i if side == 0 else j
                    after = words[words[at + AFTER] + own]
                    ends = is_gone(words, at, after)
                    to_a = after if side == 0 else i
                    to_d = after if side == 1 else j
                    if after != own or ends:
                        shares[s] = 0.0
                        for w in range(kinds):
                            if ends:
                                means[w] = payoff[words[at + SLOT], to_a, to_d, w]
                            elif s + 1 < count:
                                means[w] = value[s + 1, to_a, to_d, w]
                            elif loop:
                                means[w] = value[0, to_a, to_d, w]
                            else:
                                means[w] = onward[to_a, to_d, w]
                for w in range(kinds):
                    value[s, i, j, w] = means[w]
            if clock >= 0 and dice_are_rolled(
                words, answers, signature_a, signature_d, width, ops, count, i, j, size_d
            ):
                value[0, i, j, clock] += 1.0
            left = 1.0 - shares[0]
            for w in range(kinds):
                if left > 0.0:
                    here = value[0, i, j, w] / left
                else:  # nothing can happen here any more
                    here = payoff[0, i, j, w] if both < 0 else onward[i, j, w]
                for s in range(count):
                    value[s, i, j, w] += shares[s] * here
                value[0, i, j, w] = here
            if not again and both >= 0 and words[both + pair] == 0:
                for w in range(kinds):
                    value[0, i, j, w] = onward[i, j, w]
    return size_a * size_d


def mixed(counter):
    """Return the random word of a counter (splitmix64)."""
    z = counter
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


def roll(thresholds, guide, words, row_records, row, counter):
    """Return the hits of one row of dice by the counter's word: the guide says where to start to look."""
    z = mixed(counter)
    k = np.int64(guide[(row << 8) + np.int64(z >> _S56)])
    start = words[row_records + 3 * row + 1] - words[row_records + 3 * row]
    while z > thresholds[start + k]:
        k += 1
    return k


def simulate(
    words,
    thresholds,
    guide,
    answers,
    row_records,
    signature_a,
    signature_d,
    width,
    stages,
    stage_count,
    limit,
    start_a,
    start_d,
    size_d,
    cells,
    slots,
    key,
    first_block,
    last_block,
    trials,
    histogram,
    ends,
    rounds,
    seen_a,
    seen_d,
    over_a,
    over_d,
):
    """Fight the trials of blocks `first_block` to `last_block` - 1 and count where they end.

    Block b holds trials ``b * BLOCK`` and on, up to `trials`; it always draws the same words, whoever runs
    it.

    Parameters
    ----------
    words, answers, row_records, signature_a, signature_d, width : see `push`
    thresholds : uint64, parallel to the rows' probabilities: a word up to ``thresholds[start + k]`` means
    at most entry k
    guide : unsigned (rows * 256,), the fewest hits that a word with this upper byte can mean
    stages, stage_count : offset and number of stage records ``[repeat, classes, both, advantage, limit,
    offset of classes]``;
        a class is ``[last round, (ops, count) for no advantage, the attacker's, the defender's]``
    limit : most rounds, -1: none
    start_a, start_d : states before the battle
    cells : pairs of states; slots : kinds of end
    key : uint64 made from the seed
    histogram : int64 (slots * cells,), or empty: then `ends` takes the cell of every trial
    rounds : int64 (R,), rounds fought; the last entry takes all above
    seen_a, seen_d, over_a, over_d : int64 (R, S), states after each round (0: the opening fire) of battles
    that go on, of those that ended in it; empty: not kept
    """
    count_cells = len(histogram) > 0
    keep = len(seen_a) > 0
    most_rounds = len(rounds) - 1
    hits = np.zeros(16, dtype=np.int64)
    room = np.zeros(1 << 8, dtype=np.int64)
    written = 0
    for block in range(first_block, last_block):
        counter = key + (np.uint64(block) << _S32) * _GOLDEN
        last_trial = min(BLOCK, trials - block * BLOCK)
        for _ in range(last_trial):
            i = np.int64(start_a)
            j = np.int64(start_d)
            pair = words[signature_a + i] * width + words[signature_d + j]
            advantage = 0
            slot = -1
            fought = 0
            phase = 0
            for stage in range(stage_count):
                record = stages + 6 * stage
                repeat = words[record]
                both = words[record + 2]
                most = words[record + 4]
                kind_of_round = words[record + 5]
                number = 1
                while slot < 0:
                    if repeat == 1 and words[both + pair] == 0:
                        break
                    ops = words[kind_of_round + 1 + 2 * advantage]
                    late = (most >= 0 and number > most) or (limit >= 0 and number > limit)
                    if repeat == 2 and (late or number > _MOST):
                        slot = verdict(words, ops, pair)
                        break
                    count = words[kind_of_round + 2 + 2 * advantage]
                    rolled = False
                    before = counter
                    start_i = i
                    start_j = j
                    s = 0
                    while s < count:
                        at = ops + OP_WORDS * s
                        slot = verdict(words, at, pair)
                        if slot != -1:
                            break
                        if s == 0 and repeat == 2:
                            phase = number
                            if keep:
                                seen_a[min(number - 1, most_rounds), i] += 1
                                seen_d[min(number - 1, most_rounds), j] += 1
                        kind = words[at]
                        s += 1
                        if kind == FIRE:
                            fast = words[at + ONE_DRAW]
                            to_a = i
                            to_d = j
                            if fast >= 0:
                                row = words[words[fast] + i]
                                to_lose = words[words[fast + 2] + j]
                                if row > 1 and to_lose > 0:
                                    rolled = True
                                    counter += _GOLDEN
                                    k = roll(thresholds, guide, words, row_records, row, counter)
                                    to_d = words[words[words[fast + 1] + j] + min(k, to_lose)]
                                row = words[words[fast + 3] + j]
                                to_lose = words[words[fast + 5] + i]
                                if row > 1 and to_lose > 0:
                                    rolled = True
                                    counter += _GOLDEN
                                    k = roll(thresholds, guide, words, row_records, row, counter)
                                    to_a = words[words[words[fast + 4] + i] + min(k, to_lose)]
                            else:
                                for side in range(2):
                                    plan = words[words[at + PLANS + side] + pair]
                                    draws = words[plan]
                                    if draws == 0:
                                        continue
                                    rolled = True
                                    own = i if side == 0 else j
                                    other = j if side == 0 else i
                                    target = other
                                    tangle = words[plan + TANGLE]
                                    for n in range(draws):
                                        draw = words[plan + DRAWS + n]
                                        row = row_of(words, draw, own, other)
                                        k = 0
                                        if row > 1:
                                            counter += _GOLDEN
                                            k = roll(thresholds, guide, words, row_records, row, counter)
                                        if tangle >= 0:
                                            hits[n] = k
                                        else:
                                            target = struck(words, draw, k, target)
                                    if tangle >= 0:
                                        target = assign(words, tangle, draws, hits, room, target)
                                    if side == 0:
                                        to_d = target
                                    else:
                                        to_a = target
                            i = to_a
                            j = to_d
                        elif kind == DECIDE:
                            side = words[at + SIDE]
                            own = i if side == 0 else j
                            if says_yes(words, answers, at, pair, i, j, size_d):
                                after = words[words[at + AFTER] + own]
                                if words[at + AGAIN] != 0 and after != own:
                                    s -= 1
                                if side == 0:
                                    i = after
                                else:
                                    j = after
                                if is_gone(words, at, after):
                                    slot = words[at + SLOT]
                                    break
                        elif words[at + SIDE] == 0:
                            i = words[words[at + AFTER] + i]
                        else:
                            j = words[words[at + AFTER] + j]
                        pair = words[signature_a + i] * width + words[signature_d + j]
                    if repeat == 0 or slot >= 0:
                        fought += repeat == 2 and rolled
                        break
                    steady = words[kind_of_round] < 0
                    if steady and counter == before and i == start_i and j == start_j:
                        # nothing can happen any more: the stage is over, the main battle for good
                        slot = 0 if repeat == 2 else -1
                        break
                    fought += repeat == 2 and rolled
                    number += 1
                    if words[kind_of_round] >= 0 and number > words[kind_of_round]:
                        kind_of_round += 7
                if slot >= 0:
                    break
                if words[record + 3] >= 0:
                    advantage = words[words[record + 3] + pair]
            if slot < 0:  # a limit of rounds came first
                slot = slots - 1
            cell = slot * cells + np.int64(i) * size_d + j
            if count_cells:
                histogram[cell] += 1
            else:
                ends[written] = cell
                written += 1
            rounds[min(fought, most_rounds)] += 1
            if keep and slot == slots - 1:  # the round limit came first: it goes on
                seen_a[min(phase, most_rounds), i] += 1
                seen_d[min(phase, most_rounds), j] += 1
            elif keep:
                over_a[min(phase, most_rounds), i] += 1
                over_d[min(phase, most_rounds), j] += 1


def side_by_side(
    words,
    upto,
    guide,
    beats,
    records,
    following,
    firing,
    start_a,
    start_d,
    start_beat,
    size_d,
    cells,
    slots,
    key,
    first_block,
    last_block,
    trials,
    histogram,
    ends,
    rounds,
    seen_a,
    seen_d,
    over_a,
    over_d,
):
    """Do what `simulate` does for a battle that is plain, `LANES` trials side by side.

    A trial that ends makes room for the next one without a branch: no processor can guess which round is the
    last. All trials of a block that begin are fought to the end, so who follows on whom tells nothing.
    Whatever is an index is unsigned: numba looks after negative ones, at a price.

    Parameters
    ----------
    words, upto, guide, beats, records, following : see `battlecalc.engines.beats.Beats`
    firing : uint64 (2, LANES), or None
        Room for the states in which both sides fire, where a step is fought in parts: those before the step.
        None: those before the beat. numba makes other machine code for None, without these lines.
    start_a, start_d, start_beat : uint64
    size_d ... over_d : see `simulate`
    """
    count_cells = len(histogram) > 0
    keep = len(seen_a) > 0
    most_rounds = len(rounds) - 1
    latest = np.uint64(max(len(seen_a) - 1, 0))
    states_a = np.empty(LANES, dtype=np.uint64)
    states_d = np.empty(LANES, dtype=np.uint64)
    beat = np.empty(LANES, dtype=np.uint64)
    number = np.empty(LANES, dtype=np.uint64)
    words_a = np.empty(LANES, dtype=np.uint64)
    words_d = np.empty(LANES, dtype=np.uint64)
    ended_a = np.empty(BLOCK + 1, dtype=np.uint32)
    ended_d = np.empty(BLOCK + 1, dtype=np.uint32)
    ended_round = np.empty(BLOCK + 1, dtype=np.uint32)
    ended_how = np.empty(BLOCK + 1, dtype=np.uint32)
    written = 0
    for block in range(first_block, last_block):
        counter = key + (np.uint64(block) << _S32) * _GOLDEN
        due = min(BLOCK, trials - block * BLOCK)
        alive = min(due, LANES)
        to_begin = due - alive
        over = _U0
        for n in range(alive):
            states_a[n] = start_a
            states_d[n] = start_d
            if firing is not None:
                firing[0, n] = start_a
                firing[1, n] = start_d
            beat[n] = start_beat
            number[n] = _U0
        while alive > 0:
            for n in range(alive):
                words_a[n] = mixed(counter + np.uint64(2 * n + 1) * _GOLDEN)
                words_d[n] = mixed(counter + np.uint64(2 * n + 2) * _GOLDEN)
            counter += np.uint64(2 * alive) * _GOLDEN
            if keep:
                for n in range(alive):
                    if beats[beat[n] + _U3] != 0:
                        seen_a[min(number[n], latest), states_a[n]] += 1
                        seen_d[min(number[n], latest), states_d[n]] += 1
            before = over
            plenty = to_begin >= alive
            next_beat = start_beat if plenty else _NOWHERE
            for n in range(alive):
                here = beat[n]
                records_a = beats[here]
                records_d = beats[here + _U1]
                own = records_a + (states_a[n] << _U3)
                enemy = records_d + (states_d[n] << _U3)
                fires_a = own
                fires_d = enemy
                if firing is not None:
                    fires_a = records_a + (firing[0, n] << _U3)
                    fires_d = records_d + (firing[1, n] << _U3)
                z = words_a[n]
                k = np.uint64(guide[records[fires_a] + (z >> _S56)])
                first = np.uint64(records[fires_a + _U1])
                while z > upto[first + k]:
                    k += _U1
                z = words_d[n]
                h = np.uint64(guide[records[fires_d] + (z >> _S56)])
                first = np.uint64(records[fires_d + _U1])
                while z > upto[first + h]:
                    h += _U1
                i = np.uint64(words[records[own + _U2] + min(h, np.uint64(records[own + _U3]))])
                j = np.uint64(words[records[enemy + _U2] + min(k, np.uint64(records[enemy + _U3]))])
                pair = np.uint64(records[records_a + (i << _U3) + _U4]) + np.uint64(
                    records[records_d + (j << _U3) + _U4]
                )
                fought = number[n] + beats[here + _U3]
                after = np.uint64(following[beats[here + _U2] + pair])
                ends_here = np.uint64((after >= _ENDS) | (fought >= _U_MOST))
                ended_a[over] = i
                ended_d[over] = j
                ended_round[over] = fought
                ended_how[over] = after
                over += ends_here
                # multiplied, not chosen: a choice would be compiled to a branch
                states_a[n] = i + (start_a - i) * ends_here
                states_d[n] = j + (start_d - j) * ends_here
                if firing is not None:
                    same = beats[here + _U4] * (_U1 - ends_here)
                    firing[0, n] = states_a[n] + (firing[0, n] - states_a[n]) * same
                    firing[1, n] = states_d[n] + (firing[1, n] - states_d[n]) * same
                beat[n] = after + (next_beat - after) * ends_here
                number[n] = fought - fought * ends_here
            if plenty:
                to_begin -= np.int64(over - before)
                continue
            left = 0
            for n in range(alive):
                if beat[n] == _NOWHERE:
                    if to_begin == 0:
                        continue
                    to_begin -= 1
                    beat[n] = start_beat
                states_a[left] = states_a[n]
                states_d[left] = states_d[n]
                if firing is not None:
                    firing[0, left] = firing[0, n]
                    firing[1, left] = firing[1, n]
                beat[left] = beat[n]
                number[left] = number[n]
                left += 1
            alive = left
        for n in range(due):  # counted as in `simulate`; a function for both costs up to 5 %
            i = np.int64(ended_a[n])
            j = np.int64(ended_d[n])
            fought = min(np.int64(ended_round[n]), most_rounds)
            how = np.int64(ended_how[n])
            slot = slots - 1
            if how == OVER:
                slot = 0
            elif how >= _ENDS and how != STOPPED:
                slot = 1 + np.int64(LEFT) - how
            resolved = slot < slots - 1
            cell = slot * cells + i * size_d + j
            if count_cells:
                histogram[cell] += 1
            else:
                ends[written] = cell
                written += 1
            rounds[fought] += 1
            if keep and resolved:
                over_a[fought, i] += 1
                over_d[fought, j] += 1
            elif keep:
                seen_a[fought, i] += 1
                seen_d[fought, j] += 1

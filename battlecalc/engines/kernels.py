"""The loops that are worth compiling, written once in the plain subset of Python that numba takes.

`battlecalc.engines.compiled` compiles them; small exact answers run them as they stand, so that they need no numba at all. All of
them stay in this one file and call nothing outside it: numba's cache looks at the file of the function only. Words of the memory are described
in `battlecalc.program.build`.
"""

from __future__ import annotations

import numpy as np

# splitmix64: the state is one addition, so that the generator is a counter and any block of trials can be drawn by itself.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S56 = (np.uint64(n) for n in (27, 30, 31, 32, 56))
BLOCK = 4096


def push(  # type: ignore[no-untyped-def]
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
    prune,
    flow,
    onward,
    ended,
    states,
    chances,
    place,
    result,
):
    """Push the distribution over cells through one variant's operations, in ascending order of cells.

    Parameters
    ----------
    words, probabilities, answers : memory of the program
    row_records, signature_a, signature_d, width : offsets (see Program)
    ops, count : the variant
    both : offset of the table of signatures for which the stage goes on, -1: all; the others go to `onward`
    loop : bool
        Steady rounds: the end of a round is the start of the next, and rounds in which nothing happens are divided out. Else what is left
        after one round goes to `onward`.
    flow : float64 (count, SA, SD)
        Chance to arrive at each operation; used up.
    onward : float64 (SA, SD)
    ended : float64 (slots, SA, SD)
        Added to.
    states, chances : int64 (2, 2, S), float64 (2, 2, S); place : int64 (S,), all -1
        Room to work.
    result : float64 (3,)
        Added to: [0] rounds in which dice were rolled, [1] chance that ends in a loop without end (must stay 0), [2] chance that was
        dropped because less than `prune` came to a cell.
    """
    size_a = flow.shape[1]
    size_d = flow.shape[2]
    stay = [0.0] * count
    weight = [0.0] * count
    found = [0, 0]
    for i in range(size_a):
        sig_a = words[signature_a + i]
        for j in range(size_d):
            total = 0.0
            for s in range(count):
                total += flow[s, i, j]
            if total == 0.0:
                continue
            if total < prune:
                result[2] += total
                for s in range(count):
                    flow[s, i, j] = 0.0
                continue
            pair = sig_a * width + words[signature_d + j]
            again = loop
            if both >= 0 and words[both + pair] == 0:
                onward[i, j] += flow[0, i, j]
                flow[0, i, j] = 0.0
                again = False
            # --- what is over ends here; what can stay stays
            alive = False
            for s in range(count):
                if words[words[ops + 10 * s + 9] + pair] != -1:
                    ended[0, i, j] += flow[s, i, j]
                    flow[s, i, j] = 0.0
                elif flow[s, i, j] != 0.0:
                    alive = True
            if not alive:
                continue
            through = 1.0
            for s in range(count):
                at = ops + 10 * s
                kind = words[at]
                chance = 1.0
                if words[words[at + 9] + pair] != -1:
                    chance = 1.0  # never reached alive
                elif kind == 0:
                    for side in range(2):
                        plan = words[words[at + 2 + side] + pair]
                        own = i if side == 0 else j
                        other = j if side == 0 else i
                        for n in range(words[plan]):
                            draw = words[plan + 2 + n]
                            if words[words[draw + 5] + other] == 0 and (
                                words[draw] != 2 or words[words[draw + 7] + other] == 0
                            ):
                                continue
                            if words[draw] == 1:
                                dice = min(words[words[draw + 2] + own], words[words[draw + 3] + other])
                                row = words[words[draw + 1] + dice]
                            else:
                                row = words[words[draw + 1] + own]
                            record = row_records + 3 * row
                            if words[record] == 0:
                                chance *= probabilities[words[record + 1]]
                            else:
                                chance = 0.0
                elif kind == 1:
                    side = words[at + 1]
                    own = i if side == 0 else j
                    asked = words[at + 2] < 0 or words[words[at + 2] + pair] != 0
                    if asked:
                        if words[at + 3] != 0:
                            asked = answers[words[at + 4] + i * size_d + j] != 0
                        else:
                            asked = answers[words[at + 4] + own] != 0
                    if asked:
                        after = words[words[at + 5] + own]
                        if after != own or (words[at + 7] >= 0 and words[words[at + 6] + own] != 0):
                            chance = 0.0
                else:
                    own = i if words[at + 1] == 0 else j
                    if words[words[at + 2] + own] != own:
                        chance = 0.0
                stay[s] = chance
                through *= chance
            # --- how often each operation is met in this cell
            if again:
                inflow = flow[0, i, j]
                for s in range(1, count):
                    onwards = flow[s, i, j]
                    for t in range(s, count):
                        onwards *= stay[t]
                    inflow += onwards
                if through >= 1.0:
                    result[1] += inflow
                    for s in range(count):
                        flow[s, i, j] = 0.0
                    continue
                weight[0] = inflow / (1.0 - through)
            else:
                weight[0] = flow[0, i, j]
            for s in range(1, count):
                weight[s] = flow[s, i, j] + stay[s - 1] * weight[s - 1]
            if not again:
                onward[i, j] += stay[count - 1] * weight[count - 1]
            for s in range(count):
                flow[s, i, j] = 0.0
            # --- a round counts once its first die is rolled
            before_a = i
            before_d = j
            rolled = False
            for s in range(count):
                at = ops + 10 * s
                now = words[signature_a + before_a] * width + words[signature_d + before_d]
                if words[words[at + 9] + now] != -1:
                    break
                if words[at] == 0:
                    if words[words[words[at + 2] + now]] > 0 or words[words[words[at + 3] + now]] > 0:
                        rolled = True
                        break
                elif words[at] == 2:
                    if words[at + 1] == 0:
                        before_a = words[words[at + 2] + before_a]
                    else:
                        before_d = words[words[at + 2] + before_d]
                else:
                    side = words[at + 1]
                    asks = True
                    while asks:
                        asks = False
                        now = words[signature_a + before_a] * width + words[signature_d + before_d]
                        own = before_a if side == 0 else before_d
                        asked = words[at + 2] < 0 or words[words[at + 2] + now] != 0
                        if asked:
                            if words[at + 3] != 0:
                                asked = answers[words[at + 4] + before_a * size_d + before_d] != 0
                            else:
                                asked = answers[words[at + 4] + own] != 0
                        if asked:
                            after = words[words[at + 5] + own]
                            asks = words[at + 8] != 0 and after != own
                            if side == 0:
                                before_a = after
                            else:
                                before_d = after
            if rolled:
                result[0] += weight[0]
            # --- pass on what does not stay
            for s in range(count):
                mass = weight[s]
                if mass == 0.0 or stay[s] == 1.0:
                    continue
                at = ops + 10 * s
                kind = words[at]
                if kind != 0:
                    side = words[at + 1]
                    own = i if side == 0 else j
                    if kind == 1:
                        after = words[words[at + 5] + own]
                        if words[at + 7] >= 0 and words[words[at + 6] + after] != 0:
                            ended[words[at + 7], i if side == 1 else after, j if side == 0 else after] += mass
                            continue
                    else:
                        after = words[words[at + 2] + own]
                    to_a = after if side == 0 else i
                    to_d = after if side == 1 else j
                    following = s + 1
                    if kind == 1 and words[at + 8] != 0:
                        following = s
                    if following < count:
                        flow[following, to_a, to_d] += mass
                    elif loop:
                        flow[0, to_a, to_d] += mass
                    else:
                        onward[to_a, to_d] += mass
                    continue
                for side in range(2):
                    plan = words[words[at + 2 + side] + pair]
                    own = i if side == 0 else j
                    other = j if side == 0 else i
                    now = 0
                    states[side, 0, 0] = other
                    chances[side, 0, 0] = 1.0
                    found[side] = 1
                    draws = words[plan]
                    if words[plan + 1] >= 0:
                        # hits with incomparable targets: every combination, assigned one by one
                        tangle = words[plan + 1]
                        combinations = 1
                        for n in range(draws):
                            row = words[words[words[plan + 2 + n] + 1] + own]
                            combinations *= words[row_records + 3 * row + 2]
                        found[side] = 0
                        hits = [0] * draws
                        taken = [0] * (1 << draws)
                        for combination in range(combinations):
                            rest = combination
                            chance = 1.0
                            for n in range(draws):
                                row = words[words[words[plan + 2 + n] + 1] + own]
                                record = row_records + 3 * row
                                index = rest % words[record + 2]
                                rest //= words[record + 2]
                                hits[n] = words[record] + index
                                chance *= probabilities[words[record + 1] + index]
                            if chance == 0.0:
                                continue
                            for x in range(1 << draws):
                                taken[x] = 0
                            target = other
                            while True:
                                tight = 0
                                for x in range(1, 1 << draws):
                                    most = 0
                                    for n in range(draws):
                                        if x >> n & 1:
                                            most += hits[n]
                                    if taken[x] == most:
                                        tight |= x
                                free = (1 << draws) - 1 - tight
                                if free == 0:
                                    break
                                victim = words[words[tangle + 2 + 2 * free] + target]
                                if victim == 0:
                                    break
                                for x in range(1 << draws):
                                    if victim & x == victim:
                                        taken[x] += 1
                                target = words[words[tangle + 1 + 2 * free] + target]
                            if place[target] < 0:
                                place[target] = found[side]
                                states[side, 0, found[side]] = target
                                chances[side, 0, found[side]] = 0.0
                                found[side] += 1
                            chances[side, 0, place[target]] += chance
                        for k in range(found[side]):
                            place[states[side, 0, k]] = -1
                        continue
                    for n in range(draws):
                        draw = words[plan + 2 + n]
                        if words[draw] == 1:
                            dice = min(words[words[draw + 2] + own], words[words[draw + 3] + other])
                            row = words[words[draw + 1] + dice]
                        else:
                            row = words[words[draw + 1] + own]
                        record = row_records + 3 * row
                        first = words[record]
                        entries = words[record + 2]
                        if first == 0 and entries == 1:
                            continue
                        start = words[record + 1]
                        new = 1 - now
                        fresh = 0
                        for k in range(found[side]):
                            source = states[side, now, k]
                            chance = chances[side, now, k]
                            base = words[words[draw + 4] + source]
                            left = words[words[draw + 5] + source]
                            for h in range(entries):
                                if words[draw] == 2:
                                    ordinary = h // words[draw + 8]
                                    shots = h % words[draw + 8]
                                    target = words[base + min(ordinary, left)]
                                    target = words[
                                        words[words[draw + 6] + target]
                                        + min(shots, words[words[draw + 7] + target])
                                    ]
                                else:
                                    target = words[base + min(first + h, left)]
                                if place[target] < 0:
                                    place[target] = fresh
                                    states[side, new, fresh] = target
                                    chances[side, new, fresh] = 0.0
                                    fresh += 1
                                chances[side, new, place[target]] += chance * probabilities[start + h]
                        for k in range(fresh):
                            place[states[side, new, k]] = -1
                        found[side] = fresh
                        now = new
                    if now == 1:
                        for k in range(found[side]):
                            states[side, 0, k] = states[side, 1, k]
                            chances[side, 0, k] = chances[side, 1, k]
                # attackers' fire moved the defender (side 0), the defender's the attacker (side 1)
                for m in range(found[1]):
                    to_a = states[1, 0, m]
                    part = mass * chances[1, 0, m]
                    for k in range(found[0]):
                        to_d = states[0, 0, k]
                        if to_a == i and to_d == j:
                            continue
                        if s + 1 < count:
                            flow[s + 1, to_a, to_d] += part * chances[0, 0, k]
                        elif loop:
                            flow[0, to_a, to_d] += part * chances[0, 0, k]
                        else:
                            onward[to_a, to_d] += part * chances[0, 0, k]


def simulate(  # type: ignore[no-untyped-def]
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

    Block b holds trials ``b * BLOCK`` and on, up to `trials`; it always draws the same words, whoever runs it.

    Parameters
    ----------
    words, answers, row_records, signature_a, signature_d, width : see `push`
    thresholds : uint64, parallel to the rows' probabilities: a word up to ``thresholds[start + k]`` means at most entry k
    guide : unsigned (rows * 256,), the first entry that a word with this upper byte can mean
    stages, stage_count : offset and number of stage records ``[repeat, classes, both, advantage, limit, offset of classes]``;
        a class is ``[last round, (ops, count) for no advantage, the attacker's, the defender's]``
    limit : most rounds, -1: none
    start_a, start_d : states before the battle
    cells : pairs of states; slots : kinds of end
    key : uint64 made from the seed
    histogram : int64 (slots * cells,), or empty: then `ends` takes the cell of every trial
    rounds : int64 (R,), rounds fought; the last entry takes all above
    seen_a, seen_d, over_a, over_d : int64 (R, S), states after each round (0: the opening fire) of battles that go on, of those that ended in it; empty: not kept
    """
    count_cells = len(histogram) > 0
    keep = len(seen_a) > 0
    most_rounds = len(rounds) - 1
    hits = np.zeros(16, dtype=np.int64)
    taken = np.zeros(1 << 8, dtype=np.int64)
    written = 0
    for block in range(first_block, last_block):
        counter = key + (np.uint64(block) << _S32) * _GOLDEN
        last_trial = min(BLOCK, trials - block * BLOCK)
        for _ in range(last_trial):
            i = start_a
            j = start_d
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
                    if repeat == 2:
                        if (most >= 0 and number > most) or (limit >= 0 and number > limit):
                            slot = 0 if words[words[ops + 9] + pair] != -1 else slots - 1
                            break
                    count = words[kind_of_round + 2 + 2 * advantage]
                    rolled = False
                    s = 0
                    while s < count:
                        at = ops + 10 * s
                        if words[words[at + 9] + pair] != -1:
                            slot = 0
                            break
                        if s == 0 and repeat == 2:
                            phase = number
                            if keep:
                                seen_a[min(number - 1, most_rounds), i] += 1
                                seen_d[min(number - 1, most_rounds), j] += 1
                        kind = words[at]
                        s += 1
                        if kind == 0:
                            fast = words[at + 4]
                            to_a = i
                            to_d = j
                            if fast >= 0:
                                row = words[words[fast] + i]
                                if row > 1:
                                    rolled = True
                                    counter += _GOLDEN
                                    z = counter
                                    z = (z ^ (z >> _S30)) * _MIX_1
                                    z = (z ^ (z >> _S27)) * _MIX_2
                                    z = z ^ (z >> _S31)
                                    k = np.int64(guide[(row << 8) + np.int64(z >> _S56)])
                                    start = words[row_records + 3 * row + 1]
                                    while z > thresholds[start + k]:
                                        k += 1
                                    k += words[row_records + 3 * row]
                                    to_d = words[words[words[fast + 1] + j] + min(k, words[words[fast + 2] + j])]
                                row = words[words[fast + 3] + j]
                                if row > 1:
                                    rolled = True
                                    counter += _GOLDEN
                                    z = counter
                                    z = (z ^ (z >> _S30)) * _MIX_1
                                    z = (z ^ (z >> _S27)) * _MIX_2
                                    z = z ^ (z >> _S31)
                                    k = np.int64(guide[(row << 8) + np.int64(z >> _S56)])
                                    start = words[row_records + 3 * row + 1]
                                    while z > thresholds[start + k]:
                                        k += 1
                                    k += words[row_records + 3 * row]
                                    to_a = words[words[words[fast + 4] + i] + min(k, words[words[fast + 5] + i])]
                            else:
                                for side in range(2):
                                    plan = words[words[at + 2 + side] + pair]
                                    draws = words[plan]
                                    if draws == 0:
                                        continue
                                    rolled = True
                                    own = i if side == 0 else j
                                    other = j if side == 0 else i
                                    target = other
                                    tangle = words[plan + 1]
                                    for n in range(draws):
                                        draw = words[plan + 2 + n]
                                        if words[draw] == 1:
                                            dice = min(words[words[draw + 2] + own], words[words[draw + 3] + other])
                                            row = words[words[draw + 1] + dice]
                                        else:
                                            row = words[words[draw + 1] + own]
                                        k = 0
                                        if row > 1:
                                            counter += _GOLDEN
                                            z = counter
                                            z = (z ^ (z >> _S30)) * _MIX_1
                                            z = (z ^ (z >> _S27)) * _MIX_2
                                            z = z ^ (z >> _S31)
                                            k = np.int64(guide[(row << 8) + np.int64(z >> _S56)])
                                            start = words[row_records + 3 * row + 1]
                                            while z > thresholds[start + k]:
                                                k += 1
                                            k += words[row_records + 3 * row]
                                        if tangle >= 0:
                                            hits[n] = k
                                        elif words[draw] == 2:
                                            shots = k % words[draw + 8]
                                            k = k // words[draw + 8]
                                            target = words[
                                                words[words[draw + 4] + target] + min(k, words[words[draw + 5] + target])
                                            ]
                                            target = words[
                                                words[words[draw + 6] + target]
                                                + min(shots, words[words[draw + 7] + target])
                                            ]
                                        else:
                                            target = words[
                                                words[words[draw + 4] + target] + min(k, words[words[draw + 5] + target])
                                            ]
                                    if tangle >= 0:
                                        sets = 1 << draws
                                        for x in range(sets):
                                            taken[x] = 0
                                        while True:
                                            tight = 0
                                            for x in range(1, sets):
                                                room = -taken[x]
                                                for n in range(draws):
                                                    if x >> n & 1:
                                                        room += hits[n]
                                                if room == 0:
                                                    tight |= x
                                            free = sets - 1 - tight
                                            if free == 0:
                                                break
                                            victim = words[words[tangle + 2 + 2 * free] + target]
                                            if victim == 0:
                                                break
                                            for x in range(sets):
                                                if victim & x == victim:
                                                    taken[x] += 1
                                            target = words[words[tangle + 1 + 2 * free] + target]
                                    if side == 0:
                                        to_d = target
                                    else:
                                        to_a = target
                            i = to_a
                            j = to_d
                        elif kind == 1:
                            side = words[at + 1]
                            own = i if side == 0 else j
                            asked = words[at + 2] < 0 or words[words[at + 2] + pair] != 0
                            if asked:
                                if words[at + 3] != 0:
                                    asked = answers[words[at + 4] + i * size_d + j] != 0
                                else:
                                    asked = answers[words[at + 4] + own] != 0
                            if asked:
                                after = words[words[at + 5] + own]
                                if words[at + 8] != 0 and after != own:
                                    s -= 1
                                if side == 0:
                                    i = after
                                else:
                                    j = after
                                if words[at + 7] >= 0 and words[words[at + 6] + after] != 0:
                                    slot = words[at + 7]
                                    break
                        elif words[at + 1] == 0:
                            i = words[words[at + 2] + i]
                        else:
                            j = words[words[at + 2] + j]
                        pair = words[signature_a + i] * width + words[signature_d + j]
                    if repeat == 2:
                        if rolled:
                            fought += 1
                    if repeat == 0:
                        break
                    number += 1
                    if words[kind_of_round] >= 0 and number > words[kind_of_round]:
                        kind_of_round += 7
                if slot >= 0:
                    break
                if words[record + 3] >= 0:
                    advantage = words[words[record + 3] + pair]
            if slot < 0:
                slot = slots - 1
            cell = slot * cells + np.int64(i) * size_d + j
            if count_cells:
                histogram[cell] += 1
            else:
                ends[written] = cell
                written += 1
            rounds[min(fought, most_rounds)] += 1
            if keep:
                over_a[min(phase, most_rounds), i] += 1
                over_d[min(phase, most_rounds), j] += 1

"""Fight -> Program: the schedule becomes records of operations, forces become tables.

Words of an operation (see `battlecalc.program.layout` for the kinds):

=======  ======  ==========================================================================
kind     word    meaning
=======  ======  ==========================================================================
all      0, 1    kind; side that decides or moves
all      9       table of verdicts (by signatures) that holds on arrival
FIRE     2, 3    tables (by signatures) of the attacker's and the defender's plans
FIRE     4       where each side always has at most the one same draw:
                 ``[rows, start, left]`` of the attacker's, of the defender's; else -1
DECIDE   2       table (by signatures) of where it may be asked, -1: everywhere
DECIDE   3, 4    answers by both states? offset of the answers
DECIDE   5, 6    map of states that leave; per state after it: is the side gone?
DECIDE   7       slot of the outcome if the side is gone, -1: the battle judges
DECIDE   8       asked again after a yes (units leave one by one)
MOVE     2       map of states
=======  ======  ==========================================================================

A plan is ``[draws, tangle, draw...]``; a tangle is ``[types, (map, victims' types) for each set of types]``; a draw is
``[kind, rows, limits, counts, start, left, called start, called left, width]``.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.errors import StateSpaceError
from battlecalc.program.fight import Fight
from battlecalc.program.layout import CALLED, DECIDE, FIRE, MATCHED, MOVE, OP_WORDS, OWN, Memory
from battlecalc.program.plans import Plan, Pool, make_plan
from battlecalc.program.policy import answer_table
from battlecalc.program.program import Decided, Program, StageCode, Variant
from battlecalc.program.reach import exposures, riders
from battlecalc.program.rounds import RoundClass, round_classes, rounds_ahead, still_to_come
from battlecalc.program.setting import ReadyDecision, ReadyStage, ReadyStep, Setting, make_setting
from battlecalc.program.side import SideProgram, cached_pieces, make_side
from battlecalc.program.states import Bucket, Mask, Signature
from battlecalc.program.verdicts import GO_ON, Situation, judge
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from battlecalc.losses import Loss
    from battlecalc.policies import Policy
    from battlecalc.sides import ReadySide

_LOCK = threading.RLock()
Single = list[int] | Literal["none"]


def verdict_code(outcome: int, destroyed: int) -> int:
    """One word for a verdict: -1, or the outcome with the side whose defenceless are destroyed in the upper bits."""
    return outcome if outcome == GO_ON else outcome + 16 * (destroyed + 1)


@lru_cache(maxsize=256)
def make_program(fight: Fight) -> Program:
    """Compile a fight.

    Raises
    ------
    StateSpaceError
        Where one side has more states than any engine can number.
    """
    with _LOCK:
        return _Builder(fight).build()


class _Builder:
    def __init__(self, fight: Fight) -> None:
        self.fight = fight
        ready = fight.sides
        self.setting: Setting = make_setting(
            fight.ruleset,
            fight.sequence,
            (ready[0].technologies, ready[1].technologies),
            fight.options,
            fight.low_luck,
            fight.fought,
        )
        pieces = tuple(
            cached_pieces(self.setting, n, ready[n].counts, ready[n].overland, ready[n].damaged) for n in (0, 1)
        )
        self.policies = {
            decision.number: ready[decision.side].policy(decision.rule.right)
            for step in self.setting.steps
            for decision in step.decisions
        }
        sides = []
        for n in (0, 1):
            deciding = frozenset(
                d.number
                for step in self.setting.steps
                for d in step.decisions
                if d.side == n and d.rule.right != "contest" and self.policies[d.number].kind != "never"
                if d.rule.right == "submerge" or not _everything(d, pieces[n].start_bits)
            )
            leaving = (0, 0)
            for step in self.setting.steps:
                for d in step.decisions:
                    if d.number in deciding:
                        leaving = (leaving[0] | d.leaves, leaving[1] | d.leaves_overland)
            exposed = exposures(self.setting, n, pieces[n], pieces[1 - n], deciding)
            sides.append(
                make_side(
                    self.setting, n, pieces[n], _given_order(ready[n]), ready[n].keep_land, exposed, leaving
                )
            )
        self.sides: tuple[SideProgram, SideProgram] = (sides[0], sides[1])
        self.standing = (sides[0].standing, sides[1].standing)
        counting = self.setting.unit_bits(1, "keeps_alive") | self.setting.unit_bits(1, "defenceless")
        self.situation = Situation(self.standing, guards_only=not pieces[1].start_bits & counting)
        self.signatures = (sides[0].states.signatures, sides[1].states.signatures)
        self.memory = Memory()
        self.answers: list[NDArray[np.uint8]] = []
        self.answer_size = 0
        self.decided: list[Decided] = []
        self.slots = [-1]
        self.scratch = 1

    # ---------------------------------------------------------------- the whole

    def build(self) -> Program:
        setting, memory = self.setting, self.memory
        stages = [stage for stage in setting.stages if self._fought(stage)]
        policies = [
            [(self.policies[d.number], rounds_ahead(stage, d)) for step in stage.steps for d in step.decisions]
            for stage in stages
        ]
        classes = tuple(round_classes(setting, stage, p) for stage, p in zip(stages, policies, strict=True))
        self.signature_at = [memory.put(side.states.signature, ("signature", n)) for n, side in enumerate(self.sides)]
        codes = tuple(self._stage(classes, n, stage) for n, stage in enumerate(stages))
        final = self._verdicts(still_to_come(setting, classes, len(stages) - 1, len(classes[-1]) - 1, 0))
        without = tuple(self._without(side) for side in self.sides)
        self._pack_rows()
        script = self._script(codes)
        answers = np.concatenate(self.answers) if self.answers else np.zeros(1, dtype=np.uint8)
        return Program(
            setting=setting,
            sides=self.sides,
            words=memory.words(),
            probabilities=self.probabilities,
            answers=answers,
            row_records=self.row_records,
            row_count=self.row_count,
            signatures=(self.signature_at[0], self.signature_at[1], len(self.signatures[1])),
            without=(without[0], without[1]),
            verdicts=final,
            script=script,
            stages=codes,
            decisions=tuple(self.decided),
            slots=tuple(self.slots[1:]),
            starts=((self.sides[0].start, self.sides[1].start, 1.0),),
            rounds=self.fight.rounds,
            scratch=self.scratch,
        )

    def _script(self, codes: tuple[StageCode, ...]) -> int:
        """Records of the stages as the simulator reads them."""
        words: list[int] = []
        for code in codes:
            classes: list[int] = []
            for row in code.variants:
                classes.append(-1 if row[0].last is None else row[0].last)
                for variant in row:
                    classes += [variant.ops, variant.count]
            repeat = ("once", "while both have", "rounds").index(code.repeat)
            limit = -1 if code.limit is None else code.limit
            at = self.memory.put(classes, ("classes", self.memory.size))
            words += [repeat, len(code.variants), code.both, code.advantage, limit, at]
        return self.memory.put(words, "script")

    def _fought(self, stage: ReadyStage) -> bool:
        """Whether a stage has anything to do for these forces (its advantage is still granted by the next test)."""
        return bool(stage.steps)

    def _stage(self, classes: tuple[tuple[RoundClass, ...], ...], number: int, stage: ReadyStage) -> StageCode:
        variants = []
        for place, kind in enumerate(classes[number]):
            made: dict[tuple[frozenset[int], frozenset[int]], Variant] = {}
            row = []
            for advantage in (0, 1, 2):
                phases = (self._phase(0, kind.first, advantage, stage), self._phase(1, kind.first, advantage, stage))
                if phases not in made:
                    made[phases] = self._variant(classes, number, place, kind, phases, stage)
                row.append(made[phases])
            variants.append(tuple(row))
        both = -1
        if stage.rule.repeat == "while both have":
            both = self._pairs(lambda a, d: int(bool(a.battle & stage.both_have and d.battle & stage.both_have)))
        advantage_at = -1
        if stage.advantage_has:
            has = stage.advantage_has
            advantage_at = self._pairs(lambda a, d: 1 if a.battle & has else 2 if d.battle & has else 0)
        return StageCode(
            repeat=stage.rule.repeat,
            variants=tuple(variants),
            both=both,
            advantage=advantage_at,
            limit=stage.rule.limit,
            then=OUTCOME_INDEX[stage.rule.then],
        )

    def _phase(self, side: int, number: int, advantage: int, stage: ReadyStage) -> frozenset[int]:
        """Modifiers of a side that hold in a round with an advantage (1: the attacker's, 2: the defender's)."""
        found = set()
        for n, modifier in enumerate(self.setting.modifiers[side]):
            when = modifier.when
            if when.advantage is not None and (advantage != side + 1 or stage.rule.repeat != "rounds"):
                continue
            if when.rounds is not None and stage.rule.repeat == "rounds":
                first, last = when.rounds
                if number < first or (last is not None and number > last):
                    continue
            found.add(n)
        return frozenset(found)

    # ---------------------------------------------------------------- operations

    def _variant(
        self,
        classes: tuple[tuple[RoundClass, ...], ...],
        number: int,
        place: int,
        kind: RoundClass,
        phases: tuple[frozenset[int], frozenset[int]],
        stage: ReadyStage,
    ) -> Variant:
        records: list[list[int]] = []
        waiting: list[tuple[int, Decided]] = []
        last_fire = max((n for n, step in enumerate(kind.steps) if any(step.groups)), default=-1)
        for position, step in enumerate(kind.steps):
            to_come = still_to_come(self.setting, classes, number, place, position)
            arrival = self._verdicts(() if stage.rule.even_alone and position == 0 else to_come)
            if stage.rule.even_alone and position == 0:
                arrival = self._pairs(lambda a, d: GO_ON)
            after = self._verdicts(still_to_come(self.setting, classes, number, place, position + 1))
            if any(step.groups):
                records.append(self._fire(step, phases, arrival))
                arrival = after
            if position == last_fire and (stage.rule.repeat == "rounds" or number + 1 == len(classes)):
                records += self._clear(arrival)
            for decision in step.decisions:
                made = self._decide(decision, kind.first + rounds_ahead(stage, decision), kind, arrival)
                if made is not None:
                    record, decided = made
                    waiting.append((len(records), decided))
                    records.append(record)
                    arrival = after
            for landing in step.landings:
                side = SIDES.index(landing.side)
                ashore = self.sides[side].states.map(self.sides[side].states.walker.landing_of(kind.first))
                records.append(self._move(side, ashore, arrival))
        if not records:
            stay = np.arange(len(self.sides[0].states), dtype=np.int32)
            end = self._verdicts(still_to_come(self.setting, classes, number, place, len(kind.steps)))
            records.append(self._move(0, stay, end))
        at = self.memory.put([word for record in records for word in record], ("ops", self.memory.size))
        for index, decided in waiting:
            self.decided.append(
                Decided(
                    decided.rule, at + index * OP_WORDS, decided.table, decided.joint, kind.first, kind.last, decided.best
                )
            )
        return Variant(kind.first, kind.last, at, len(records))

    def _clear(self, arrival: int) -> list[list[int]]:
        """Take casualties away that have fired by now."""
        return [
            self._move(side, own.states.map(own.states.walker.clear_pending), arrival)
            for side, own in enumerate(self.sides)
            if any(s.pending for s in own.states.signatures)
        ]

    def _fire(self, step: ReadyStep, phases: tuple[frozenset[int], frozenset[int]], arrival: int) -> list[int]:
        tables = [self._plans(step, side, phases[side]) for side in (0, 1)]
        return [FIRE, 0, *(at for at, _ in tables), self._single(tables), *[0] * 4, arrival]

    def _single(self, tables: list[tuple[int, Single | None]]) -> int:
        """Record for steps in which each side rolls at most one draw that no signature changes, or -1."""
        words: list[int] = []
        for side, (_, single) in enumerate(tables):
            if single is None:
                return -1
            if single == "none":
                blank = np.full(len(self.sides[side].states), side, dtype=np.int32)
                stay = np.zeros(len(self.sides[1 - side].states), dtype=np.int32)
                at = self.memory.put(stay)
                words += [self.memory.put(blank), at, at]
            else:
                words += single
        return self.memory.put(words)

    def _move(self, side: int, following: NDArray[np.int32], arrival: int) -> list[int]:
        return [MOVE, side, self.memory.put(following), *[0] * 6, arrival]

    def _decide(
        self, decision: ReadyDecision, number: int, kind: RoundClass, arrival: int
    ) -> tuple[list[int], Decided] | None:
        policy = self.policies[decision.number]
        if policy.kind == "never":
            return None
        side, own = decision.side, self.sides[decision.side]
        right = decision.rule.right
        everything = _everything(decision, own.pieces.start_bits)
        ends = right == "contest" or everything
        one_by_one = decision.rule.each and policy.kind == "best"
        walker = own.states.walker
        if ends and not (right == "submerge"):
            following = np.arange(len(own.states), dtype=np.int32)
            gone = np.ones(len(own.states), dtype=np.int32)
        else:
            following = own.states.map(walker.leave(decision.leaves, decision.leaves_overland, one_by_one))
            gone = np.array(
                [int(not self._alive(side, s)) for s in own.states.signatures], dtype=np.int32
            )[own.states.signature]
        slot = -1
        if right == "contest":
            slot = self._slot(OUTCOME_INDEX["contested"])
        elif right != "submerge":
            slot = self._slot(OUTCOME_INDEX[f"{SIDES[side]}_retreats"])
        condition = -1
        if decision.presence != type(decision.presence)():
            presence = decision.presence
            condition = self._pairs(
                lambda a, d: int(presence.holds(a.present, d.present) if side == 0 else presence.holds(d.present, a.present))
            )
        joint, table = self._answers(decision, policy, number)
        record = [
            DECIDE,
            side,
            condition,
            int(joint),
            table,
            self.memory.put(following),
            self.memory.put(gone),
            slot,
            int(one_by_one),
            arrival,
        ]
        return record, Decided(decision, 0, table, joint, kind.first, kind.last, policy.kind == "best")

    def _answers(self, decision: ReadyDecision, policy: Policy, number: int) -> tuple[bool, int]:
        joint, answers = answer_table(self.setting, self.sides, decision, policy, number)
        table = self.answer_size
        if table + answers.size > 2**31 - 1:
            raise StateSpaceError("policies of this battle look at more pairs of states than can be tabled")
        self.answers.append(answers)
        self.answer_size += answers.size
        return joint, table

    def _slot(self, outcome: int) -> int:
        if outcome not in self.slots:
            self.slots.append(outcome)
        return self.slots.index(outcome)

    def _alive(self, side: int, signature: Signature) -> bool:
        if signature.aboard:
            return True
        mask = self.setting.unit_bits(side, "keeps_alive") | self.setting.unit_bits(side, "defenceless")
        return bool(signature.present & mask)

    # ---------------------------------------------------------------- tables by signatures

    def _pairs(self, of) -> int:  # type: ignore[no-untyped-def]
        """Store a table over pairs of signatures."""
        return self.memory.put([of(a, d) for a in self.signatures[0] for d in self.signatures[1]])

    def _verdicts(self, steps: tuple[ReadyStep, ...]) -> int:
        """Store the verdicts that hold while these steps are still to come; a raid is over only when its steps are."""
        if self.setting.ruleset.sequences[self.setting.sequence_id].damage is not None:
            return self._pairs(lambda a, d: GO_ON)
        key = ("verdicts", tuple(step.key for step in steps))
        found = self.memory.known(key)
        if found is None:
            codes = []
            for a in self.signatures[0]:
                for d in self.signatures[1]:
                    verdict = judge(self.setting, steps, self.situation, a, d)
                    codes.append(verdict_code(verdict.outcome, verdict.destroyed))
            found = self.memory.put(codes, key)
        return found

    def _without(self, side: SideProgram) -> int:
        """Map of states to those without defenceless units."""
        walker = side.states.walker
        helpless = self.setting.unit_bits(side.side, "defenceless")
        places = [
            number
            for number, b in enumerate(walker.buckets)
            if b.place == 0 and walker.kinds[b.kind].bit & helpless
        ]

        def destroyed(state: tuple[int, ...]) -> tuple[int, ...]:
            after = list(state)
            for place in places:
                after[place] = 0
            return tuple(after)

        return self.memory.put(side.states.map(destroyed), ("without", side.side))

    def _plans(self, step: ReadyStep, side: int, phase: frozenset[int]) -> tuple[int, Single | None]:
        """Table of the side's plans; with the one draw that serves for all of them, "none", or None where they differ."""
        own, enemy = self.signatures[side], self.signatures[1 - side]
        made: dict[Plan, int] = {}
        offsets = np.empty((len(own), len(enemy)), dtype=np.int32)
        for m, mine in enumerate(own):
            for n, theirs in enumerate(enemy):
                plan = make_plan(self.setting, step, side, mine, theirs, self.standing[side])
                if plan not in made:
                    made[plan] = self._plan(step, side, plan, theirs, phase)
                offsets[m, n] = made[plan]
        at = self.memory.put((offsets if side == 0 else offsets.T).ravel())
        return at, self._one_draw(step, side, phase, made, offsets)

    def _one_draw(
        self, step: ReadyStep, side: int, phase: frozenset[int], made: dict[Plan, int], offsets: NDArray[np.int32]
    ) -> Single | None:
        """The draw that every plan is equal to, in effect: where a plan is empty the draw rolls no dice or hits nothing."""
        plans = [plan for plan in made if plan.pools]
        if not plans:
            return "none"
        own, enemy = self.sides[side], self.sides[1 - side]
        pool = plans[0].pools[0]
        rule = own.volleys.groups[pool.groups[0]].rule
        if len(plans) > 1 or len(plans[0].pools) > 1 or pool.called is not None:
            return None
        if rule.casualties != "owner" or rule.dice.kind in ("per target", "capped"):
            return None
        rows = own.own_rows(pool, phase, step.low_luck)
        mask = self._mask(step, enemy, pool.mask)
        left = enemy.chain(mask)[2]
        rolls = np.zeros(len(self.signatures[side]), dtype=bool)
        rolls[own.states.signature[rows != 0]] = True
        reached = np.zeros(len(self.signatures[1 - side]), dtype=bool)
        reached[enemy.states.signature[left != 0]] = True
        if (rolls[:, None] & reached[None, :] & (offsets != made[plans[0]])).any():
            return None
        start, left_at = self._chain(1 - side, mask)
        return [self._rows(side, rows), start, left_at]

    # ---------------------------------------------------------------- plans and draws

    def _plan(self, step: ReadyStep, side: int, plan: Plan, enemy: Signature, phase: frozenset[int]) -> int:
        draws = []
        for pool in plan.pools:
            draws += self._draws(step, side, pool, phase)
        tangle = self._tangle(step, side, plan) if plan.tangled else -1
        self.scratch = max(self.scratch, len(draws))
        return self.memory.put([len(draws), tangle, *draws])

    def _draws(self, step: ReadyStep, side: int, pool: Pool, phase: frozenset[int]) -> list[int]:
        own, enemy = self.sides[side], self.sides[1 - side]
        rule = own.volleys.groups[pool.groups[0]].rule
        if rule.casualties == "die":
            walker = enemy.states.walker
            found = []
            for n, kind in enumerate(walker.kinds):
                if not kind.bit & pool.mask.bits:
                    continue
                for hits in range(1, kind.hits + 1):
                    place = walker.at[Bucket(n, hits, 0)]
                    counts = np.array([state[place] for state in enemy.states.states], dtype=np.int32)
                    mask = Mask("die", kind.bit, pool.mask.pending, n, hits)
                    found.append(self._matched(side, pool, step, mask, counts))
            return found
        mask = self._mask(step, enemy, pool.mask)
        if rule.dice.kind in ("per target", "capped"):
            seen = mask.bits if rule.casualties == "type" else pool.mask.bits
            return [self._matched(side, pool, step, mask, enemy.states.count(seen))]
        start, left = self._chain(1 - side, mask)
        if pool.called is not None:
            rows, width = own.called_rows(pool, phase, step.called)
            there = enemy.pieces.start_bits
            called = pool.called._replace(bits=pool.called.bits & there, others=pool.called.others & there)
            called_start, called_left = self._chain(1 - side, called)
            rows_at = self._rows(side, rows)
            return [self.memory.put([CALLED, rows_at, 0, 0, start, left, called_start, called_left, width])]
        rows_at = self._rows(side, own.own_rows(pool, phase, step.low_luck))
        return [self.memory.put([OWN, rows_at, 0, 0, start, left, 0, 0, 0])]

    def _matched(self, side: int, pool: Pool, step: ReadyStep, mask: Mask, counts: NDArray[np.int32]) -> int:
        most = int(counts.max(initial=0))
        own = self.sides[side]
        rows_at = self._rows(side, own.matched_rows(pool.groups[0], most, step.low_luck))
        limits = self.memory.put(own.dice_limit(pool.groups[0], most))
        start, left = self._chain(1 - side, mask)
        return self.memory.put([MATCHED, rows_at, limits, self.memory.put(counts), start, left, 0, 0, 0])

    def _mask(self, step: ReadyStep, enemy: SideProgram, mask: Mask) -> Mask:
        """The mask cut to units the enemy has, with the passengers that ride in this step."""
        mask = mask._replace(bits=mask.bits & enemy.pieces.start_bits)
        return mask._replace(passengers=riders(self.setting, step, enemy.pieces).get(mask.bits, 0))

    def _chain(self, side: int, mask: Mask) -> tuple[int, int]:
        key = ("chain", side, mask)
        found = self.memory.known(key)
        if found is None:
            chain, start, left = self.sides[side].chain(mask)
            base = self.memory.put(chain, (*key, "states"))
            found = self.memory.put(start + base, key)
            self.memory.put(left, (*key, "left"))
        return found, self.memory.known((*key, "left")) or 0

    def _tangle(self, step: ReadyStep, side: int, plan: Plan) -> int:
        """Maps for hits with incomparable targets: one for every set of hit types (pools)."""
        enemy = self.sides[1 - side]
        masks = [self._mask(step, enemy, pool.mask) for pool in plan.pools]
        kinds = enemy.states.walker.kinds
        types = [sum(1 << t for t, mask in enumerate(masks) if kind.bit & mask.bits) for kind in kinds]
        words = [len(masks)]
        for chosen in range(1 << len(masks)):
            bits = 0
            for t, mask in enumerate(masks):
                if chosen >> t & 1:
                    bits |= mask.bits
            union = masks[0]._replace(bits=bits)
            following = enemy.states.next(union)
            words.append(self.memory.put(following))
            words.append(self.memory.put(self._victims(enemy, following, types)))
        return self.memory.put(words)

    @staticmethod
    def _victims(enemy: SideProgram, following: NDArray[np.int32], types: list[int]) -> list[int]:
        """For every state the hit types that could have hit its next casualty (0: nothing is hit)."""
        walker, states = enemy.states.walker, enemy.states.states
        found = []
        for number, after in enumerate(following.tolist()):
            hit = 0
            if after != number:
                before, then = states[number], states[after]
                for bucket, b in enumerate(walker.buckets):
                    if b.place == 0 and then[bucket] < before[bucket]:
                        hit = types[b.kind]
                        break
            found.append(hit)
        return found

    # ---------------------------------------------------------------- rows of hits

    def _rows(self, side: int, rows: NDArray[np.int32]) -> int:
        """Store row numbers of one side's dice; the defender's rows come after the attacker's when packed."""
        return self.memory.put(rows * 2 + side, ("rows", side, rows.tobytes()))

    def _pack_rows(self) -> None:
        """Lay both sides' rows out; a row's number in memory is ``2 * own number + side``."""
        records = [side.rows.records() for side in self.sides]
        tables = [side.rows.probabilities() for side in self.sides]
        self.row_count = 2 * max(len(r) for r in records)
        packed = np.zeros((self.row_count, 3), dtype=np.int32)
        packed[:, 2] = 1
        packed[0 : 2 * len(records[0]) : 2] = records[0]
        records[1][:, 1] += len(tables[0])
        packed[1 : 2 * len(records[1]) : 2] = records[1]
        self.row_records = self.memory.put(packed.ravel(), "row records")
        self.probabilities = np.concatenate(tables)


def _everything(decision: ReadyDecision, start_bits: int) -> bool:
    """Whether the decision takes the whole force away."""
    return decision.rule.right != "contest" and not start_bits & ~decision.leaves


def _given_order(side: ReadySide) -> tuple[Loss, ...] | None:
    return side.loss_order if isinstance(side.loss_order, tuple) else None

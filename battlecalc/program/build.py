"""Fight -> Program: the schedule becomes records of operations, forces become tables.

Words of an operation (`battlecalc.program.layout` names them, `battlecalc.program.draws` describes plans and
draws):

=======  ======  ==========================================================================
kind     word    meaning
=======  ======  ==========================================================================
all      0, 1    kind; side that decides or moves, number of the step that fires
all      9       table (by signatures) of the slot of ends if the battle is over on arrival, else -1
FIRE     2, 3    tables (by signatures) of the attacker's and the defender's plans
FIRE     4       where each side always has at most the one same draw:
                 ``[rows, start, left]`` of the attacker's, of the defender's; else -1
DECIDE   2       table (by signatures) of where it may be asked, -1: everywhere
DECIDE   3, 4    answers by both states? offset of the answers
DECIDE   5, 6    map of states that leave; per state after it: is the side gone?
DECIDE   7       slot of the outcome if the side is gone, -1: the battle judges
DECIDE   8       asked again after a yes (units leave one by one)
MOVE     5, 7    map of states; -1
=======  ======  ==========================================================================
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.program.asking import BUILDING, make_ground_rules, sides_of
from battlecalc.program.decide import Decisions
from battlecalc.program.draws import Draws, Phases
from battlecalc.program.fight import Fight
from battlecalc.program.ground import Ground
from battlecalc.program.layout import MOVE, OP_WORDS
from battlecalc.program.program import Decided, Program, StageCode, Variant
from battlecalc.program.rounds import RoundClass, ToCome, round_classes, rounds_ahead, still_to_come
from battlecalc.program.setting import ReadyStage
from battlecalc.program.side import SideProgram, make_side
from battlecalc.program.verdicts import GO_ON
from battlecalc.rulesets.schema import SIDES, Stage


@lru_cache(maxsize=256)
def make_program(fight: Fight) -> Program:
    """Compile a fight.

    Raises
    ------
    StateSpaceError
        Where one side has more states than any engine can number.
    """
    with BUILDING:
        attacker, defender = sides_of(fight)
        return _Builder(fight, (make_side(attacker), make_side(defender))).build()


def assemble(fight: Fight, sides: tuple[SideProgram, SideProgram]) -> Program:
    """Compile a fight of sides that were made elsewhere (for many starts at once)."""
    with BUILDING:
        return _Builder(fight, sides).build()


class _Builder:
    def __init__(self, fight: Fight, sides: tuple[SideProgram, SideProgram]) -> None:
        self.fight, self.sides = fight, sides
        self.setting, self.policies = make_ground_rules(fight)
        deciding = (number for number, policy in self.policies.items() if policy.kind != "never")
        self.ground = Ground(self.setting, self.sides, deciding)
        self.memory = self.ground.memory
        self.draws = Draws(self.ground)
        self.decisions = Decisions(self.ground, self.policies)
        self.decided: list[Decided] = []
        # a stage without steps does nothing (its advantage is granted by the test of the next one)
        self.stages = [stage for stage in self.setting.stages if stage.steps]
        if not self.stages or not (self.setting.raid or self.stages[-1].rule.repeat == "rounds"):
            # what is left when all is done is judged by a main battle in which nobody fires
            rule = Stage("end", "once" if self.setting.raid else "rounds", ())
            self.stages.append(ReadyStage(len(self.setting.stages), rule, (), 0, 0))
        self.classes = tuple(self._round_classes(stage) for stage in self.stages)
        self.spans = tuple(tuple((kind.first, kind.last) for kind in kinds) for kinds in self.classes)
        firing = [n for n, stage in enumerate(self.stages) if any(any(step.groups) for step in stage.steps)]
        self.last_to_fire = firing[-1] if firing else -1
        at_the_end = self._to_come(len(self.stages) - 1, self._class_at_the_end(), 0)
        self.last_verdicts = self.ground.verdicts(at_the_end)

    def build(self) -> Program:
        attacker, defender = self.sides
        signatures = [
            self.memory.put(side.states.signature, ("signature", n)) for n, side in enumerate(self.sides)
        ]
        codes = tuple(self._stage(n) for n in range(len(self.stages)))
        verdicts = self.memory.put(self.last_verdicts)
        without = (self.ground.without_defenceless(0), self.ground.without_defenceless(1))
        row_records, row_count, probabilities = self.draws.pack_rows()
        script = self._script(codes)
        return Program(
            setting=self.setting,
            sides=self.sides,
            words=self.memory.words(),
            probabilities=probabilities,
            answers=self.decisions.answers(),
            row_records=row_records,
            row_count=row_count,
            signatures=(signatures[0], signatures[1], len(defender.states.signatures)),
            without=without,
            verdicts=verdicts,
            script=script,
            stages=codes,
            decisions=tuple(self.decided),
            slots=tuple(self.decisions.slots[1:]),
            starts=((attacker.start, defender.start, 1.0),),
            rounds=self.fight.rounds,
        )

    def _round_classes(self, stage: ReadyStage) -> tuple[RoundClass, ...]:
        asked = [
            (self.policies[d.number], rounds_ahead(stage, d)) for step in stage.steps for d in step.decisions
        ]
        limits = [n for n in (stage.rule.limit, self.fight.rounds) if n is not None]
        limit = min(limits, default=None) if stage.rule.repeat == "rounds" else None
        waves = max(len(side.pieces.waves) for side in self.sides)
        key = ("round classes", stage.number, tuple(asked), limit, waves)
        return self.setting.memo.of(key, lambda: round_classes(self.setting, stage, asked, limit, waves))

    def _class_at_the_end(self) -> int:
        """Return the class of the main battle's rounds in which it would go on when a limit stops it."""
        stage, classes = self.stages[-1], self.classes[-1]
        limits = [n for n in (stage.rule.limit, self.fight.rounds) if n is not None]
        if stage.rule.repeat != "rounds" or not limits:
            return len(classes) - 1
        return next(n for n, kind in enumerate(classes) if kind.last is None or kind.last > min(limits))

    def _to_come(self, stage: int, place: int, position: int) -> ToCome:
        """Return what may still come from a position in a class of rounds on."""
        key = ("still to come", self.spans, stage, place, position)
        here = (self.setting, self.stages, self.classes, stage, place, position)
        return self.setting.memo.of(key, lambda: still_to_come(*here))

    def _arrival(self, stage: int, place: int, position: int) -> int:
        """Store where the battle is over on arrival at a position in a class of rounds.

        What is to come decides who destroys the defenceless: a verdict that is not the one of the battle's
        end has a slot of its own.
        """
        to_come = self._to_come(stage, place, position)
        key = ("arrival", to_come.key)
        found = self.memory.known(key)
        if found is None:
            codes = self.ground.verdicts(to_come)
            slots = np.minimum(codes, 0)  # whatever ends it ends in slot 0, unless told apart
            own = (codes != GO_ON) & (codes != self.last_verdicts)
            for code in sorted(set(codes[own].tolist())):
                slots[own & (codes == code)] = self.decisions.slot(code)
            found = self.memory.put(slots, key)
        return found

    def _script(self, codes: tuple[StageCode, ...]) -> int:
        """Store the stages as the simulator reads them."""
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

    # ---------------------------------------------------------------- stages

    def _stage(self, number: int) -> StageCode:
        stage = self.stages[number]
        granted = any(earlier.advantage_has for earlier in self.stages[:number])
        variants = []
        for place, kind in enumerate(self.classes[number]):
            made: dict[Phases, Variant] = {}
            row = []
            for advantage in (0, 1, 2):
                held = advantage if granted else 0
                phases = (
                    self._phase(0, kind.first, held, stage),
                    self._phase(1, kind.first, held, stage),
                )
                if phases not in made:
                    made[phases] = self._variant(number, place, phases)
                row.append(made[phases])
            variants.append(tuple(row))
        both = advantage_at = -1
        if stage.rule.repeat == "while both have":
            needed = stage.both_have
            both = self.ground.pairs(lambda a, d: int(bool(a.battle & needed and d.battle & needed)))
        if stage.advantage_has:
            has = stage.advantage_has
            advantage_at = self.ground.pairs(lambda a, d: 1 if a.battle & has else 2 if d.battle & has else 0)
        return StageCode(
            repeat=stage.rule.repeat,
            variants=tuple(variants),
            both=both,
            advantage=advantage_at,
            limit=stage.rule.limit,
            then=OUTCOME_INDEX[stage.rule.then],
        )

    def _phase(self, side: int, number: int, advantage: int, stage: ReadyStage) -> frozenset[int]:
        """Return the modifiers of a side in a round with an advantage (1: attacker's, 2: defender's)."""
        found = set()
        for n, modifier in enumerate(self.setting.modifiers[side]):
            when = modifier.when
            if when.advantage is not None and advantage != side + 1:
                continue
            if when.rounds is not None and stage.rule.repeat == "rounds":
                first, last = when.rounds
                if number < first or (last is not None and number > last):
                    continue
            found.add(n)
        return frozenset(found)

    # ---------------------------------------------------------------- operations

    def _variant(self, number: int, place: int, phases: Phases) -> Variant:
        """Store the operations of one class of rounds, for one set of modifiers."""
        stage, kind = self.stages[number], self.classes[number][place]
        records: list[list[int]] = []
        decided: list[tuple[int, Decided]] = []
        last_fire = max((n for n, step in enumerate(kind.steps) if any(step.groups)), default=-1)
        for position, step in enumerate(kind.steps):
            even_alone = stage.rule.even_alone and position == 0
            arrival = self.ground.never_over() if even_alone else self._arrival(number, place, position)
            after = self._arrival(number, place, position + 1)
            fire = self.draws.fire(step, phases, arrival) if any(step.groups) else None
            if fire is not None:
                records.append(fire)
                arrival = after
            if position == last_fire and (stage.rule.repeat == "rounds" or number == self.last_to_fire):
                records += self._clear(arrival)
            for decision in step.decisions:
                made = self.decisions.decide(decision, rounds_ahead(stage, decision), kind, arrival)
                if made is not None:
                    decided.append((len(records), made[1]))
                    records.append(made[0])
                    arrival = after
            for landing in step.landings:
                side = SIDES.index(landing.side)
                states = self.sides[side].states
                ashore = states.walker.landing_of(kind.first - (step.rounds or (1, None))[0] + 1)
                records.append(self._move(side, states.map(ashore), arrival))
        if not records:
            stay = np.arange(len(self.sides[0].states), dtype=np.int32)
            records.append(self._move(0, stay, self._arrival(number, place, len(kind.steps))))
        at = self.memory.put([word for record in records for word in record], ("ops", self.memory.size))
        self.decided += [replace(one, op=at + index * OP_WORDS) for index, one in decided]
        return Variant(kind.first, kind.last, at, len(records))

    def _clear(self, arrival: int) -> list[list[int]]:
        """Take casualties away that have fired by now."""
        return [
            self._move(side, own.states.map(own.states.walker.clear_pending), arrival)
            for side, own in enumerate(self.sides)
            if any(s.pending for s in own.states.signatures)
        ]

    def _move(self, side: int, following: NDArray[np.int32], arrival: int) -> list[int]:
        return [MOVE, side, 0, 0, 0, self.memory.put(following), 0, -1, 0, arrival]

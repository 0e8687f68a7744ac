"""Whether a battle is over, from the signatures of both sides and the steps that are still to come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.program.plans import Standing, active_groups
from battlecalc.program.rounds import ToCome
from battlecalc.program.setting import Setting
from battlecalc.program.walker import Signature

GO_ON = -1
_ATTACKER_WINS = OUTCOME_INDEX["attacker_wins"]
_DEFENDER_WINS = OUTCOME_INDEX["defender_wins"]
_MUTUAL = OUTCOME_INDEX["mutual_destruction"]
_STALEMATE = OUTCOME_INDEX["stalemate"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one pair of signatures means.

    Attributes
    ----------
    outcome : index into OUTCOMES, or GO_ON
    destroyed : side whose defenceless units are destroyed first, or -1
    """

    outcome: int = GO_ON
    destroyed: int = -1

    @property
    def code(self) -> int:
        """One word for it: -1, or the outcome with `destroyed` + 1 in the bits from the fifth."""
        return self.outcome if self.outcome == GO_ON else self.outcome + 16 * (self.destroyed + 1)


def leavings_awaited(setting: Setting) -> frozenset[int]:
    """Numbers of the decisions that take units away which some fire waits to see gone."""
    return setting.memo.of("leavings awaited", lambda: _leavings_awaited(setting))


def _leavings_awaited(setting: Setting) -> frozenset[int]:
    awaited = [0, 0]
    for step in setting.steps:
        for group in (group for side in step.groups for group in side):
            awaited[group.side] |= group.presence.own_lacks
            awaited[1 - group.side] |= group.presence.enemy_lacks
    return frozenset(
        decision.number
        for step in setting.steps
        for decision in step.decisions
        if (decision.leaves | decision.leaves_overland) & awaited[decision.side]
    )


@dataclass(frozen=True, slots=True)
class Situation:
    """What does not change during a battle.

    Attributes
    ----------
    standing : units that always stand
    guards_only : whether the defender has nothing but guards
    leaving : numbers of the decisions that policies may take, and for which fire may wait
    """

    standing: tuple[Standing, Standing]
    guards_only: bool = False
    leaving: frozenset[int] = frozenset()


def judge(
    setting: Setting, to_come: ToCome, own: Situation, attacker: Signature, defender: Signature
) -> Verdict:
    """Judge one pair of signatures."""
    key = ("verdict", to_come.key, own, attacker, defender)
    return setting.memo.of(key, lambda: _Judge(setting, to_come, own).judge((attacker, defender)))


class _Judge:
    def __init__(self, setting: Setting, to_come: ToCome, situation: Situation) -> None:
        self.setting, self.to_come, self.situation = setting, to_come, situation

    def judge(self, sides: tuple[Signature, Signature]) -> Verdict:
        alive = [self._alive(side, sides[side]) for side in (0, 1)]
        if alive[0] and alive[1]:
            return self._both(sides)
        # a side is out: casualties of the other that had still to fire have nobody left to fire at
        alive = [self._alive(side, Signature(s.battle, 0, s.aboard)) for side, s in enumerate(sides)]
        for side in (0, 1):
            if alive[side]:
                return self._won(side, sides)
        helpless = [s.battle & self.setting.defenceless(side) for side, s in enumerate(sides)]
        if helpless[0] and helpless[1]:
            return Verdict(_STALEMATE)
        if helpless[0]:
            return Verdict(_ATTACKER_WINS)
        if helpless[1] or self.situation.guards_only:
            return Verdict(_DEFENDER_WINS)
        return Verdict(_MUTUAL)

    def _alive(self, side: int, signature: Signature) -> bool:
        if signature.aboard:
            return True
        return bool(signature.present & self.setting.keeps_alive(side))

    def _won(self, side: int, sides: tuple[Signature, Signature]) -> Verdict:
        """Judge where one side only is left; what is destroyed alone has to be hit, or both stay."""
        outcome = (_ATTACKER_WINS, _DEFENDER_WINS)[side]
        doomed = sides[1 - side].battle & self.setting.destroyed(1 - side)
        if not doomed:
            return Verdict(outcome)
        if sides[side].aboard or self._hits(side, sides[side], sides[1 - side], doomed):
            return Verdict(outcome, destroyed=1 - side)
        return Verdict(_STALEMATE)

    def _both(self, sides: tuple[Signature, Signature]) -> Verdict:
        """Go on, unless nobody can hurt anybody; defenceless units behind units out of reach die first."""
        if any(s.pending or s.aboard for s in sides):
            return Verdict()
        for side in (0, 1):
            own, enemy = sides[side], sides[1 - side]
            doomed = own.battle & self.setting.destroyed(side)
            others = own._replace(battle=own.battle & ~doomed)
            if (
                doomed
                and not self._hits(side, own, enemy, enemy.battle)
                and not self._hits(1 - side, enemy, own, others.battle)
                and self._hits(1 - side, enemy, own, doomed)
            ):
                rest = (others, enemy) if side == 0 else (enemy, others)
                return Verdict(self.judge(rest).outcome, destroyed=side)
        if any(self._hits(side, sides[side], sides[1 - side], sides[1 - side].battle) for side in (0, 1)):
            return Verdict()
        if any(self.judge(rest).outcome == GO_ON for rest in self._left_behind(sides)):
            return Verdict()
        return Verdict(_STALEMATE)

    def _left_behind(self, sides: tuple[Signature, Signature]) -> Iterator[tuple[Signature, Signature]]:
        """Both sides once units have left for which fire may wait: all that may go, or those who go first."""
        asked = (d for step in self.to_come.steps for d in step.decisions)
        for decision in asked if self.situation.leaving else ():
            own, enemy = sides[decision.side], sides[1 - decision.side]
            if decision.number not in self.situation.leaving:
                continue
            if not decision.presence.holds(own.present, enemy.present):
                continue
            may_go = own.battle & (decision.leaves | decision.leaves_overland)
            first = may_go & -may_go if decision.rule.each else 0  # one by one they go in this order
            for bits in {decision.leaves, may_go, first}:
                if own.battle & bits:
                    left = own._replace(battle=own.battle & ~bits)
                    yield (left, enemy) if decision.side == 0 else (enemy, left)

    def _hits(self, side: int, own: Signature, enemy: Signature, targets: int) -> bool:
        """Whether the side can hit any of these enemy units in a step still to come."""
        standing, bonus = self.situation.standing[side], self.to_come.bonus
        return any(
            group.at & targets & enemy.battle
            for step in self.to_come.steps
            for group, _ in active_groups(self.setting, step, side, own, enemy, standing, bonus)
        )

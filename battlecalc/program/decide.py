"""Decisions as words: who may ask, what the policies answer, and what a yes does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.errors import StateSpaceError
from battlecalc.program.ground import Ground
from battlecalc.program.layout import DECIDE
from battlecalc.program.policy import answer_table
from battlecalc.program.program import Decided
from battlecalc.program.rounds import RoundClass
from battlecalc.program.setting import Presence, ReadyDecision
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from battlecalc.policies import Policy

_MOST_ANSWERS = 2**31 - 1


def takes_everything(decision: ReadyDecision, start_bits: int) -> bool:
    """Whether a decision takes a whole force (its units as a bit mask) away."""
    return decision.rule.right != "contest" and not start_bits & ~decision.leaves


class Decisions:
    """Stores decisions with the answers to them.

    Attributes
    ----------
    slots : list of int
        Code of the verdict of every slot of ends that a decision brings, or an operation before which the
        battle is over; the first, -1, is "as the verdict of the cell says".
    """

    def __init__(self, ground: Ground, policies: Mapping[int, Policy]) -> None:
        self.ground, self.policies = ground, policies
        self.slots = [-1]
        self._answers: list[NDArray[np.uint8]] = []
        self._size = 0

    def answers(self) -> NDArray[np.uint8]:
        """Return the answers to all decisions."""
        return np.concatenate(self._answers) if self._answers else np.zeros(1, dtype=np.uint8)

    def decide(
        self, decision: ReadyDecision, ahead: int, kind: RoundClass, arrival: int
    ) -> tuple[list[int], Decided] | None:
        """Make the record of a decision in one class of rounds; None where it is never taken.

        Parameters
        ----------
        ahead : rounds that the policy counts beyond those fought
        """
        policy = self.policies[decision.number]
        if policy.kind == "never":
            return None
        one_by_one = decision.rule.each and policy.kind == "best"
        following, gone = self._leaving(decision, one_by_one)
        counted = kind.first + ahead
        joint, table = self._answer(decision, policy, counted)
        record = [
            DECIDE,
            decision.side,
            self._condition(decision),
            int(joint),
            table,
            self.ground.memory.put(following),
            self.ground.memory.put(gone),
            self._slot(decision),
            int(one_by_one),
            arrival,
        ]
        decided = Decided(
            rule=decision,
            op=0,  # told once the records are stored
            table=table,
            joint=joint,
            first=kind.first,
            last=kind.last,
            counted=counted,
            best=policy.kind == "best",
        )
        return record, decided

    def _leaving(
        self, decision: ReadyDecision, one_by_one: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """State after a yes, for every state; and for every state after it whether the side is gone."""
        side, own = decision.side, self.ground.sides[decision.side]
        size, right = len(own.states), decision.rule.right
        if right == "contest" or (right != "submerge" and takes_everything(decision, own.pieces.start_bits)):
            return np.arange(size, dtype=np.int32), np.ones(size, dtype=np.int32)
        edge = own.states.walker.leave(decision.leaves, decision.leaves_overland, one_by_one)
        gone = [not self.ground.alive(side, signature) for signature in own.states.signatures]
        return own.states.map(edge), np.array(gone, dtype=np.int32)[own.states.signature]

    def _condition(self, decision: ReadyDecision) -> int:
        """Store for which signatures the decision may be asked; -1: for all."""
        presence = decision.presence
        if presence == Presence():
            return -1
        if decision.side == 0:
            return self.ground.pairs(lambda a, d: int(presence.holds(a.present, d.present)))
        return self.ground.pairs(lambda a, d: int(presence.holds(d.present, a.present)))

    def _answer(self, decision: ReadyDecision, policy: Policy, round_number: int) -> tuple[bool, int]:
        """Store the answers of a policy: (by both states, offset)."""
        joint, answers = answer_table(self.ground.setting, self.ground.sides, decision, policy, round_number)
        at = self._size
        if at + answers.size > _MOST_ANSWERS:
            raise StateSpaceError("policies of this battle look at more pairs of states than can be tabled")
        self._answers.append(answers)
        self._size += answers.size
        return joint, at

    def _slot(self, decision: ReadyDecision) -> int:
        """Slot of ends of a side that is gone, -1: the battle judges."""
        if decision.rule.right == "submerge":
            return -1
        contested = decision.rule.right == "contest"
        return self.slot(OUTCOME_INDEX["contested" if contested else f"{SIDES[decision.side]}_retreats"])

    def slot(self, code: int) -> int:
        """Slot of ends of a verdict's code."""
        if code not in self.slots:
            self.slots.append(code)
        return self.slots.index(code)

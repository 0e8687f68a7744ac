"""What the parts of a builder share: the two sides, the memory, and tables over pairs of their signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from battlecalc.program.layout import Memory
from battlecalc.program.rounds import ToCome
from battlecalc.program.setting import Setting
from battlecalc.program.side import SideProgram
from battlecalc.program.verdicts import GO_ON, Situation, judge, leavings_awaited
from battlecalc.program.walker import Signature


class Ground:
    """The two sides on which a program is built.

    Parameters
    ----------
    setting : Setting
    sides : pair of SideProgram
    deciding : numbers of the decisions that policies may take
    """

    def __init__(
        self, setting: Setting, sides: tuple[SideProgram, SideProgram], deciding: Iterable[int]
    ) -> None:
        self.setting, self.sides = setting, sides
        self.memory = Memory()
        attacker, defender = sides
        self.signatures = (attacker.states.signatures, defender.states.signatures)
        counting = setting.keeps_alive(1) | setting.defenceless(1)
        self.situation = Situation(
            (attacker.standing, defender.standing),
            guards_only=not defender.pieces.start_bits & counting,
            leaving=leavings_awaited(setting).intersection(deciding),
        )

    def pairs(self, of: Callable[[Signature, Signature], int]) -> int:
        """Store a table over pairs of signatures (attacker's, defender's)."""
        return self.memory.put(self._table(of))

    def never_over(self) -> int:
        """Store verdicts by which no battle is over."""
        return self.pairs(lambda a, d: GO_ON)

    def verdicts(self, to_come: ToCome) -> NDArray[np.int32]:
        """Codes of the verdicts that hold while this is still to come; a raid is never over early."""
        if self.setting.raid:
            return self._table(lambda a, d: GO_ON)
        numbers = (self.sides[0].signature_number, self.sides[1].signature_number)
        key = ("verdicts", to_come.key, self.situation, numbers)
        judged = partial(judge, self.setting, to_come, self.situation)
        return self.setting.memo.of(key, lambda: self._table(lambda a, d: judged(a, d).code))

    def _table(self, of: Callable[[Signature, Signature], int]) -> NDArray[np.int32]:
        """Return what holds for every pair of signatures."""
        return np.array([of(a, d) for a in self.signatures[0] for d in self.signatures[1]], dtype=np.int32)

    def alive(self, side: int, signature: Signature) -> bool:
        """Whether a side still has anybody that its enemy has to reckon with."""
        mask = self.setting.keeps_alive(side) | self.setting.defenceless(side)
        return bool(signature.aboard or signature.present & mask)

    def without_defenceless(self, side: int) -> int:
        """Store the map of a side's states to those without defenceless units."""
        own = self.sides[side].states
        edge = own.walker.without(self.setting.destroyed(side))
        return self.memory.put(own.map(edge), ("without", side))

"""Conditions of policies as tables over states: asked once when a program is built, never while it runs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.errors import StateSpaceError
from battlecalc.program.setting import ReadyDecision, Setting
from battlecalc.program.side import SideProgram

if TYPE_CHECKING:
    from battlecalc.policies import Policy, Test

# Answers by both states take a byte a pair: beyond this the table itself would be the problem.
MAX_JOINT_ANSWERS = 400_000_000
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
# Sums of thirds and of costs are compared to so many places: 1/2 + 1/3 + 1/3 is no less than 2/3 + 1/2.
_PLACES = 10

Answers = NDArray[np.uint8]


def answer_table(
    setting: Setting,
    sides: tuple[SideProgram, SideProgram],
    decision: ReadyDecision,
    policy: Policy,
    round_number: int,
    odds: NDArray[np.float64] | None = None,
) -> tuple[bool, Answers]:
    """Answers of a policy for one decision in one class of rounds.

    Parameters
    ----------
    odds : ndarray, shape (attacker's states, defender's states), optional
        The deciding side's chance to win if both fight on, for conditions on the odds; without it (and for
        ``best``) the table is made with room for every pair and answers no.

    Returns
    -------
    (joint, answers)
        By both states, flattened, or by the own state only.
    """
    own = sides[decision.side]
    shape = (len(sides[0].states), len(sides[1].states))
    if policy.kind == "always":
        return False, np.ones(shape[decision.side], dtype=np.uint8)
    variables = {test.variable for clause in policy.clauses for test in clause}
    joint = policy.kind == "best" or bool(variables & {"ratio", "odds"})
    if joint and shape[0] * shape[1] > MAX_JOINT_ANSWERS:
        raise StateSpaceError(
            f"a policy that looks at both forces needs {shape[0] * shape[1]:,} answers here, more than "
            f"{MAX_JOINT_ANSWERS:,}; conditions on round, units, land and value need none"
        )
    if policy.kind == "best" or ("odds" in variables and odds is None):
        return True, np.zeros(shape[0] * shape[1], dtype=np.uint8)
    asked = _Asked(setting, sides, decision, round_number, odds)
    answer: Any = np.zeros(shape if joint else len(own.states), dtype=bool)
    for clause in policy.clauses:
        holds: Any = True
        for test in clause:
            holds = holds & asked.test(test, joint)
        answer = answer | holds
    return joint, np.ascontiguousarray(answer, dtype=np.uint8).ravel()


class _Asked:
    """The variables of one decision."""

    def __init__(
        self,
        setting: Setting,
        sides: tuple[SideProgram, SideProgram],
        decision: ReadyDecision,
        round_number: int,
        odds: NDArray[np.float64] | None,
    ) -> None:
        self.setting, self.sides, self.decision = setting, sides, decision
        self.round_number, self.odds = round_number, odds

    def test(self, test: Test, joint: bool) -> Any:
        if test.variable == "round":
            return bool(_holds(test, self.round_number))
        if test.variable == "ratio":
            return _holds(test, self._ratio())
        if test.variable == "odds":
            return _holds(test, self.odds)
        own = _holds(test, self._total(test.variable))
        if not joint:
            return own
        return own[:, None] if self.decision.side == 0 else own[None, :]

    def _total(self, variable: str) -> NDArray[np.float64]:
        units = self.setting.units[self.decision.side]
        chosen = [u for u in units.values() if u.counts_in_conditions and not u.never_lost]
        if self.decision.rule.right == "air_retreat":
            chosen = [u for u in chosen if u.id in self.decision.rule.leaves]
        if variable == "land":
            chosen = [u for u in chosen if u.id in self.setting.ruleset.holders]
        worth = {u.id: (u.cost or 0.0) if variable == "value" else 1.0 for u in chosen}
        return self.sides[self.decision.side].total(worth)

    def _ratio(self) -> NDArray[np.float64]:
        """Own hit power over the enemy's; an enemy of 0 is infinite."""
        powers = [side.power(_steady_phase(self.setting, n)) for n, side in enumerate(self.sides)]
        own, enemy = powers[self.decision.side], powers[1 - self.decision.side]
        if self.decision.side == 0:
            own, enemy = own[:, None], enemy[None, :]
        else:
            own, enemy = own[None, :], enemy[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = own / enemy
        return np.where(np.broadcast_to(enemy, ratio.shape) == 0, np.inf, ratio)


def _holds(test: Test, values: Any) -> Any:
    return _COMPARE[test.comparison](np.round(values, _PLACES), round(test.number, _PLACES))


def _steady_phase(setting: Setting, side: int) -> frozenset[int]:
    """Return the modifiers that hold in an ordinary round: no advantage, no early round."""
    return frozenset(
        n
        for n, m in enumerate(setting.modifiers[side])
        if m.when.advantage is None and (m.when.rounds is None or m.when.rounds[1] is None)
    )

"""What a battle is worth to a side: the one number that orders of loss are compared by."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from typing import Literal, NamedTuple, cast

from battlecalc.battle import Battle
from battlecalc.engines import exact
from battlecalc.engines.decisions import decide, worth_of
from battlecalc.engines.payoffs import payoffs
from battlecalc.policies import BEST
from battlecalc.program.build import make_program
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.program import Program
from battlecalc.results import Odds
from battlecalc.rulesets.schema import SIDES

Objective = Literal["value", "win", "capture"]

# Pairs of states beyond which a value is taken from simulated battles.
MOST_STATES = 100_000
TRIALS = 100_000
SEED = 20_140_628  # the same dice for all orders, so that luck does not tell them apart
ROUNDING = 1e-11
_SETUP_SECONDS = 0.008
_SIMULATED_SECONDS = 0.1
_PLAIN_SECONDS = 1.0
_COMPILED_GAIN = 300


class Value(NamedTuple):
    """A value and its standard error, 0 where it is exact."""

    value: float
    error: float

    def beats(self, other: Value) -> bool:
        """Whether this is more, and not by luck.

        >>> Value(2.0, 0.0).beats(Value(1.9, 0.0)), Value(2.0, 0.1).beats(Value(1.9, 0.1))
        (True, False)
        """
        luck = 3 * hypot(self.error, other.error)
        return self.value - other.value > luck + ROUNDING * max(1.0, abs(other.value))


class Judge:
    """Value of battles to one side.

    Parameters
    ----------
    side : int
        0: the attacker, 1: the defender.
    objective : {"value", "win", "capture"}
    owner : int
        Whose objective it is; where both sides play for one, it is the attacker's, and the defender
        wants it small.
    """

    def __init__(self, side: int, objective: str, owner: int) -> None:
        self.side, self.owner = side, owner
        self.objective = cast(Objective, objective)

    def value(self, battle: Battle) -> Value:
        """Value of a battle to the side; more is better."""
        if battle.sea_battle is None and not self.simulates(battle):
            fight = fight_of(battle)
            program = make_program(fight)
            decide(program, fight, MOST_STATES)
            worth = worth_of(program, payoffs(program, self.objective, self.owner, battle.territory))
            return Value(worth if self.side == 0 else -worth, 0.0)
        return self._of_odds(self._odds(battle))

    def simulates(self, battle: Battle) -> bool:
        """Whether values of battles like this one are simulated."""
        return any(make_program(fight).cells > MOST_STATES for fight in fights(battle))

    def seconds(self, battle: Battle) -> float:
        """Rough time of one value: it decides how many orders are tried, so no clock may."""
        if self.simulates(battle):
            return _SIMULATED_SECONDS
        passes = sum(_plain_seconds(make_program(fight)) for fight in fights(battle)) / _COMPILED_GAIN
        landings = 1 if battle.sea_battle is None else 1 + sum(n for _, n in battle.landing_ships)
        return landings * (_SETUP_SECONDS + passes)

    def _odds(self, battle: Battle) -> Odds:
        from battlecalc import run

        if self.simulates(battle):
            return run.simulate(battle, trials=TRIALS, seed=SEED)
        return run.solve(battle)

    def _of_odds(self, odds: Odds) -> Value:
        if self.objective == "value":
            return Value(odds.expected_gain(SIDES[self.side]), odds.standard_error("swing"))
        what = "captures" if self.objective == "capture" else f"{SIDES[self.owner]}_wins"
        chance = odds.captures if self.objective == "capture" else odds.outcomes[what]
        wanted = self.side == (0 if self.objective == "capture" else self.owner)
        return Value(chance if wanted else -chance, odds.standard_error(what))


def wants_decisions(battle: Battle) -> bool:
    """Whether a side asks for best decisions."""
    return any(policy is BEST for side in (battle.attacker, battle.defender) for _, policy in side.policies)


def without_decisions(battle: Battle) -> Battle:
    """Return the battle with "never" for every right that is to be used for the best."""
    changed = {}
    for name, ready in zip(SIDES, (battle.attacker, battle.defender), strict=True):
        never = {right: "never" for right, policy in ready.policies if policy is BEST}
        changed[name] = replace(battle.given()[name], **never)
    return battle.replace(**changed)


def load_compiled(battle: Battle, orders: int) -> None:
    """Load the compiled engine where that takes less time than it saves for so many values."""
    if orders * sum(_plain_seconds(make_program(fight)) for fight in fights(battle)) > _PLAIN_SECONDS:
        import battlecalc.engines.compiled  # noqa: F401 - the engines use it once it is loaded


def _plain_seconds(program: Program) -> float:
    """Estimate the time of one value without compiled code: a pass for every variant of the rounds."""
    variants = {variant.ops for code in program.stages for row in code.variants for variant in row}
    return len(variants) * exact.plain_seconds(program)


def fights(battle: Battle) -> tuple[Fight, ...]:
    """Battles at sea and on land, the landing as if all of it came ashore."""
    sea = () if battle.sea_battle is None else (fight_of(battle.sea_battle),)
    return (fight_of(battle), *sea)

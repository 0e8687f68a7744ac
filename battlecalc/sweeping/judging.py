"""Whether a force reaches a chance: exactly, or by a sequential test where only simulation fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from battlecalc import run
from battlecalc.advising.orders import settle
from battlecalc.answering import MAX_STATES, Solved
from battlecalc.battle import Battle
from battlecalc.endings import OUTCOME_INDEX
from battlecalc.engines.means import lattice_means
from battlecalc.errors import BattlecalcError, BattleError, StateSpaceError
from battlecalc.program.fight import Fight, fight_of
from battlecalc.program.lattice import lattice_key, make_lattice
from battlecalc.results.intervals import share_error
from battlecalc.results.parts import ATTACKER_WINS, Part
from battlecalc.rulesets.schema import SideName
from battlecalc.sweeping.rows import row_seed
from battlecalc.sweeping.variables import with_units
from battlecalc.words import quote

GOALS = {"attacker": ("win", "capture"), "defender": ("win", "hold")}
LOOK = 65_536
MOST_TRIALS = 10**9
ROUNDING = 1e-12
MOST_TOGETHER = 1_000_000  # pairs of states of one pass
DEFENDER_WINS = OUTCOME_INDEX["defender_wins"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A chance that a side wants.

    Attributes
    ----------
    side : "attacker" or "defender"
    what : str
        ``"win"``; ``"capture"`` (the attacker, with a unit that can hold the territory) or ``"hold"`` (the
        defender: not captured).
    odds : float
        Probability to reach.
    """

    side: SideName
    what: str
    odds: float

    def chance(self, attacker_wins: float, defender_wins: float, captures: float) -> float:
        """Chance of the goal."""
        if self.what == "win":
            return attacker_wins if self.side == "attacker" else defender_wins
        return captures if self.what == "capture" else 1 - captures


def make_goal(side: SideName, what: str, odds: object, battle: Battle) -> Goal:
    """Check a goal."""
    if what not in GOALS[side]:
        raise BattleError(f"the {side} can want to {' or '.join(GOALS[side])}, not to {quote(what)}")
    if what != "win" and not battle.sequence.capture:
        raise BattleError(
            f"nothing is captured in {battle.sequence.id} of {battle.ruleset.id}: ask for 'win'"
        )
    if isinstance(odds, bool) or not isinstance(odds, (int, float)) or not 0 < odds < 1:
        raise BattleError(f"odds is a probability between 0 and 1, such as 0.9, not {quote(odds)}")
    return Goal(side, what, float(odds))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one force: its chance (with the standard error of it), and whether that is enough."""

    chance: float
    standard_error: float
    trials: int | None
    good: bool


class Judge:
    """Judges battles by one goal, exactly where that fits.

    Parameters
    ----------
    goal : Goal
    method : {"auto", "exact", "monte-carlo"}
    error, tolerance : float
        Of the sequential test: a force whose chance is further from the goal than `tolerance` is misjudged
        with a probability of at most `error`.
    seed : int
    """

    def __init__(
        self, goal: Goal, method: str, error: float, tolerance: float, seed: int, max_states: int
    ) -> None:
        self.goal, self.method, self.error, self.tolerance, self.seed = goal, method, error, tolerance, seed
        self.max_states = max_states
        self.exact = self.tested = self.undecided = 0

    def verdict(self, battle: Battle) -> Verdict:
        """Judge one battle."""
        if self._fits(battle):
            self.exact += 1
            chance = exact_chance(battle, self.goal, self.max_states)
            return Verdict(chance, 0.0, None, chance >= self.goal.odds - ROUNDING)
        self.tested += 1
        return self._test(battle)

    def _fits(self, battle: Battle) -> bool:
        if self.method != "auto":
            return self.method == "exact"
        try:
            return run.exact_seconds(battle, self.max_states) < run.AUTO_SECONDS
        except StateSpaceError:
            return False

    def _test(self, battle: Battle) -> Verdict:
        """Wald's test of ``odds - tolerance`` against ``odds + tolerance``.

        It is looked at after fixed numbers of trials. Under either of the two the likelihood ratio is a
        martingale, so that it ever passes 1 / error with a probability of at most `error`, however often one
        looks.
        """
        low = max(self.goal.odds - self.tolerance, self.goal.odds / 2)
        high = min(self.goal.odds + self.tolerance, (1 + self.goal.odds) / 2)
        up, down = math.log(high / low), math.log((1 - high) / (1 - low))
        bound = math.log(1 / self.error)
        trials = wins = look = 0
        size = LOOK
        name = repr(battle)
        while True:
            odds = run.simulate(
                battle, trials=size, seed=row_seed(self.seed, ["battle", "look"], [name, look])
            )
            outcomes = odds.outcomes
            share = self.goal.chance(outcomes["attacker_wins"], outcomes["defender_wins"], odds.captures)
            wins += round(share * size)
            trials += size
            ratio = wins * up + (trials - wins) * down
            if abs(ratio) >= bound or trials >= MOST_TRIALS:
                self.undecided += abs(ratio) < bound
                chance = wins / trials
                return Verdict(chance, share_error(chance, trials), trials, ratio > 0)
            look += 1
            size = min(2 * size, MOST_TRIALS - trials)


def exact_chance(battle: Battle, goal: Goal, max_states: int = MAX_STATES) -> float:
    """Chance of a goal, without the rest of an answer."""
    battle, _ = settle(battle)
    if battle.sea_battle is not None:
        odds = run.solve(battle, max_states=max_states)
        outcomes = odds.outcomes
        return goal.chance(outcomes["attacker_wins"], outcomes["defender_wins"], odds.captures)
    part = Part(Solved(0.0, max_states).fight(fight_of(battle), True, 1.0, 0))
    wins, losses = part.outcomes[ATTACKER_WINS], part.outcomes[DEFENDER_WINS]
    return goal.chance(float(wins), float(losses), part.holding(ATTACKER_WINS))


class Fielded:
    """Battles that differ in some units of one side, judged once each.

    Attributes
    ----------
    verdicts : dict of counts to Verdict
        Forces that were judged.
    impossible : dict of counts to BattlecalcError
        Forces with which there is no battle: none at all, more than the transports carry ...
    """

    def __init__(self, battle: Battle, side: SideName, units: tuple[str, ...], judge: Judge) -> None:
        self.battle, self.side, self.units, self.judge = battle, side, units, judge
        self._given = battle.given()[side]
        self.verdicts: dict[tuple[int, ...], Verdict] = {}
        self.impossible: dict[tuple[int, ...], BattlecalcError] = {}

    def at(self, counts: tuple[int, ...]) -> Battle:
        """Battle with these counts of the units."""
        force = with_units(self._given, self.battle.ruleset, dict(zip(self.units, counts, strict=True)))
        return self.battle.replace(**{self.side: force})

    def all_chances(self, forces: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], float] | None:
        """Exact chances of many forces in one pass; None where they do not fit into one.

        Forces with which there is no battle may be among them: their chance means nothing.
        """
        if self.judge.method == "monte-carlo" or self.battle.sea_battle is not None:
            return None
        most = tuple(max(counts) for counts in zip(*forces, strict=True))
        single = [tuple(n if k == j else 0 for k, n in enumerate(most)) for j in range(len(most)) if most[j]]
        try:
            largest = fight_of(self.at(most))
        except BattlecalcError:
            return None
        own = largest.attacker if self.side == "attacker" else largest.defender
        if own.damaged:  # how many of them there are depends on the force
            return None
        there = dict(own.counts)
        rank = {unit: place for place, unit in enumerate(self.battle.ruleset.units)}

        def fight(counts: tuple[int, ...]) -> Fight:
            mine = sorted(
                (there | dict(zip(self.units, counts, strict=True))).items(), key=lambda c: rank[c[0]]
            )
            side = replace(own, counts=tuple((unit, n) for unit, n in mine if n))
            if self.side == "attacker":
                return replace(largest, attacker=side)
            return replace(largest, defender=side)

        key = lattice_key(largest)
        if key is None or any(lattice_key(fight(counts)) != key for counts in single):
            return None
        fights = {counts: fight(counts) for counts in forces}
        possible = [counts for counts, one in fights.items() if one.attacker.counts and one.defender.counts]
        lattice = make_lattice(
            [fights[counts] for counts in possible], min(MOST_TOGETHER, self.judge.max_states)
        )
        if lattice is None:
            return None
        found = dict.fromkeys(forces, 0.0)
        for counts, means in zip(possible, lattice_means(lattice, [(0.0, 0.0)] * len(possible)), strict=True):
            wins, losses = means.outcomes[ATTACKER_WINS], means.outcomes[DEFENDER_WINS]
            found[counts] = self.judge.goal.chance(wins, losses, means.captures)
        return found

    def reaches(self, counts: tuple[int, ...]) -> bool:
        """Whether the side reaches the goal with these counts."""
        try:
            verdict = self.verdicts[counts] = self.judge.verdict(self.at(counts))
        except StateSpaceError:
            raise
        except BattlecalcError as error:
            self.impossible[counts] = error
            return False
        return verdict.good

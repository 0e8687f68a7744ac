"""Attacks one after another on one space, and the counter-attack on who took it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from battlecalc import run
from battlecalc.advising.attacks import Answers, Attack, read_waves
from battlecalc.advising.outcome import Campaign, Fought
from battlecalc.advising.standing import Floats, Ints, Standing, after_sequence, defended, steps, walk_in
from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle
from battlecalc.endings import OUTCOMES
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.results import Odds
from battlecalc.results.distributions import Distribution, gather, value_step
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import Side
from battlecalc.words import whole_number

# Different forces that may meet one attack: each is a battle of its own.
MOST_FORCES = 1_000


class _Ways(NamedTuple):
    """How a force came about: its chance, and the swing until then (keys, chances that sum to it)."""

    keys: Ints
    chances: Floats

    @property
    def chance(self) -> float:
        """Chance of the force."""
        return float(self.chances.sum())


_Forces = dict[Standing, _Ways]


def campaign(
    waves: Sequence[Attack],
    *,
    counter: Attack | None = None,
    method: str = "auto",
    trials: int = run.TRIALS,
    seed: int | None = None,
    mended: bool = False,
    most_forces: int = MOST_FORCES,
    max_states: int = MAX_STATES,
) -> Campaign:
    """Fight attacks one after another on the same defender, and a counter-attack on who took the space.

    Parameters
    ----------
    waves : sequence
        The first is a `Battle`. Each other one is the next attacker (a force or `Side`) in the same kind of
        battle, or a `Battle` of its own (another sequence, other policies) whose defending force is put in
        place of by what is left. A wave attacks where none before it took the space.
    counter : force, Side or Battle, optional
        Attacks the survivors of the wave that took the space. As a `Battle`, its defender's policies are
        theirs.
    method : {"auto", "exact", "monte-carlo"}
        Every force that is left is a battle of its own, solved or simulated.
    trials, seed : int
        Of the simulated battles of one wave, shared out by how likely each is.
    mended : bool
        Damage is repaired between battles; by default damaged units stay so, as within one turn.
    most_forces : int
        Different forces that may meet one attack; the rarest beyond are left out, and the notes tell.
    max_states : int
        See `solve`.

    Returns
    -------
    Campaign

    Notes
    -----
    A wave takes a territory when it wins with a unit that can hold it (also when the defender retreats), a
    sea zone when it wins. Waves that retreated, or left the territory contested, do not fight again. After a
    landing the counter-attack comes by land. Who took a territory defends it with what can: planes have
    flown on, ships stay at sea, captured guns and forts defend their new owner. A fort that took several
    hits goes on as with one. In a sea zone planes stay as far as surviving carriers have room.

    Examples
    --------
    >>> first = Battle("aa-1942", "land", "3 inf, 1 art", "3 inf, 1 tank")
    >>> result = campaign([first, "2 inf, 1 tank"], counter="3 inf")
    >>> {name: round(chance, 3) for name, chance in result.holders.items()}
    {'defender': 0.308, 'wave 1': 0.11, 'wave 2': 0.257, 'counter-attack': 0.325}
    >>> [round(wave.fought, 3) for wave in result.waves]
    [1.0, 0.741]
    """
    battles = read_waves(waves)
    run.check_method(method)
    most = whole_number(most_forces, "most_forces", BattleError, least=1, most=10**6)
    trials = whole_number(trials, "trials", BattleError, least=1, most=run.MOST_TRIALS)
    answers = Answers(method, trials, run.read_seed(seed), run.read_max_states(max_states))
    fighting = _Fighting(battles, counter, answers, mended, most)
    return fighting.result()


class _Fighting:
    """A campaign as it goes on: every force that may stand in the space, and how it came about."""

    def __init__(
        self,
        battles: list[Battle],
        counter: Attack | None,
        answers: Answers,
        mended: bool,
        most_forces: int,
    ) -> None:
        self.battles, self.counter, self.answers = battles, counter, answers
        self.mended, self.most_forces = mended, most_forces
        self.losses: dict[str, dict[str, float]] = {}
        self.value_lost: dict[str, float] = {}
        self.notes: dict[str, None] = {}
        costs = {
            unit.cost or 0.0
            for battle in battles
            for name, side in zip(SIDES, (battle.attacker, battle.defender), strict=True)
            for unit in battle.ruleset.for_side(name, side.technologies).units.values()
        }
        self.step = value_step(frozenset(costs))
        first = battles[0].defender
        winner = walk_in(battles[0], Standing(0, (), ()), 1)
        if counter is not None and winner.holder == 1:
            self._battle(
                None, winner
            )  # what is wrong with the counter-attack shows before anything is fought
        self.forces: _Forces = {
            Standing(0, first.counts, first.damaged): _Ways(np.zeros(1, np.int64), np.ones(1))
        }

    def result(self) -> Campaign:
        """Fight it all."""
        fought = tuple(
            self._attack(number, battle, [s for s in self.forces if s.holder == 0])
            for number, battle in enumerate(self.battles, start=1)
        )
        if self.counter is not None:
            fought += (self._attack(-1, None, [s for s in self.forces if s.holder > 0 and s.counts]),)
        return Campaign(
            battle=self.battles[0],
            attacks=fought,
            standings=tuple(
                (holder_name(s.holder), s.words, ways.chance)
                for s, ways in sorted(self.forces.items(), key=lambda entry: -entry[1].chance)
            ),
            distribution=self._swing(),
            expected_losses=self.losses,
            value_lost=self.value_lost,
            method="monte-carlo" if self.answers.simulated else "exact",
            trials=self.answers.trials if self.answers.simulated else None,
            seed=self.answers.seed if self.answers.simulated else None,
            notes=tuple(self.notes),
        )

    def _attack(self, number: int, wave: Battle | None, met: list[Standing]) -> Fought:
        name = holder_name(number)
        met = self._likeliest(met, name)
        before = {standing: self.forces.pop(standing) for standing in met}
        chance = sum(ways.chance for ways in before.values())
        outcomes = dict.fromkeys(OUTCOMES, 0.0)
        takes = walked = 0.0
        battles = {s: self._battle(wave, s) for s in before if defended(wave or self.battles[0], s)}
        simulate = self.answers.simulates(list(battles.values()))
        after: dict[Standing, list[_Ways]] = {s: [ways] for s, ways in self.forces.items()}
        for place, (standing, ways) in enumerate(before.items()):
            battle = battles.get(standing)
            if battle is None:
                assert wave is not None
                now = walk_in(wave, standing, number)
                walked += ways.chance
                takes += ways.chance * (now.holder == number)
                after.setdefault(now, []).append(ways)
                continue
            odds = self.answers.odds(battle, simulate, ways.chance, (number % 2**32, place))
            self._count(odds, ways.chance, name, holder_name(standing.holder))
            for outcome, p in odds.outcomes.items():
                outcomes[outcome] += ways.chance * p
            endings = odds.components[0].parts[0]
            for step in steps(battle, endings, standing, number, self.step, self.mended):
                keys = step.keys if number > 0 else -step.keys
                sums = np.add.outer(ways.keys, keys).ravel()
                chances = np.multiply.outer(ways.chances, step.chances).ravel()
                after.setdefault(step.after, []).append(_Ways(*gather(sums, chances)))
                takes += ways.chance * step.chance * (step.after.holder == number)
        self.forces = {standing: _together(ways) for standing, ways in after.items()}
        return Fought(name, chance, walked, takes, outcomes, len(battles))

    def _battle(self, wave: Battle | None, standing: Standing) -> Battle:
        """Return the attack on one force."""
        asked = self.counter if wave is None else wave
        if isinstance(asked, Battle):
            given: Side = asked.given()["defender"]
            return asked.replace(defender=replace(given, force=standing.force, damaged=standing.damage))
        taker = self.battles[standing.holder - 1]
        technologies = tuple(taker.attacker.technologies)
        own = Side(standing.force, technologies=technologies, damaged=standing.damage)
        try:
            return taker.replace(
                sequence=after_sequence(taker),
                attacker=self.counter,
                defender=own,
                overland=None,
                rounds=None,
            )
        except BattlecalcError as wrong:
            raise type(wrong)(f"counter-attack: {wrong}") from None

    def _likeliest(self, met: list[Standing], name: str) -> list[Standing]:
        """Leave out the rarest forces beyond the limit; the others stand for them."""
        if len(met) <= self.most_forces:
            return met
        met = sorted(met, key=lambda standing: -self.forces[standing].chance)
        kept, rare = met[: self.most_forces], met[self.most_forces :]
        whole = sum(self.forces[standing].chance for standing in met)
        dropped = sum(self.forces.pop(standing).chance for standing in rare)
        for standing in kept:
            keys, chances = self.forces[standing]
            self.forces[standing] = _Ways(keys, chances * (whole / (whole - dropped)))
        self.notes[
            f"{name}: of {len(met):,} different forces that it may meet the rarest {len(rare):,}, "
            f"{dropped / whole:.2g} of the cases, are left out"
        ] = None
        return kept

    def _count(self, odds: Odds, chance: float, attacker: str, defender: str) -> None:
        """Add up what a battle costs both sides, and its notes."""
        for side, power in zip(SIDES, (attacker, defender), strict=True):
            lost = self.losses.setdefault(power, {})
            for unit, mean in odds.expected_losses(side).items():
                lost[unit] = lost.get(unit, 0.0) + chance * mean
            value = odds._whole.value_lost(side).mean()
            self.value_lost[power] = self.value_lost.get(power, 0.0) + chance * value
        self.notes |= dict.fromkeys(f"{attacker}: {note}" for note in odds.notes)

    def _swing(self) -> Distribution:
        whole = _together(list(self.forces.values()))
        return Distribution(whole.keys, whole.chances / whole.chance, self.step)


def holder_name(number: int) -> str:
    """Name whoever may hold the space.

    >>> holder_name(0), holder_name(2), holder_name(-1)
    ('defender', 'wave 2', 'counter-attack')
    """
    return "defender" if number == 0 else f"wave {number}" if number > 0 else "counter-attack"


def _together(ways: list[_Ways]) -> _Ways:
    if len(ways) == 1:
        return ways[0]
    return _Ways(*gather(np.concatenate([w.keys for w in ways]), np.concatenate([w.chances for w in ways])))

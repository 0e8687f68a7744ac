"""The attacks of a campaign: read and checked, and how their battles are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from battlecalc import run
from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError, StateSpaceError
from battlecalc.results import Odds
from battlecalc.sides import Side
from battlecalc.words import quote

Attack = str | Mapping[str, int] | Side | Battle

# `method="auto"` simulates the battles of an attack that would take longer than this to solve.
AUTO_SECONDS = 20.0
_EACH_SECONDS = 0.01


def read_waves(waves: Sequence[Attack]) -> list[Battle]:
    """Return every wave as a battle; the defending forces of the later ones mean nothing yet."""
    if isinstance(waves, (str, Battle)) or not isinstance(waves, Sequence) or not waves:
        raise BattleError("waves are a list: a Battle, then forces or battles that attack after it")
    first = waves[0]
    if not isinstance(first, Battle):
        raise BattleError(f"the first wave is a Battle, which says who defends, not {quote(first)}")
    battles = [first]
    for number, wave in enumerate(waves[1:], start=2):
        try:
            battles.append(wave if isinstance(wave, Battle) else first.replace(attacker=wave, overland=None))
        except BattlecalcError as wrong:
            raise type(wrong)(f"wave {number}: {wrong}") from None
    for number, battle in enumerate(battles, start=1):
        _check(battle, first, f"wave {number}")
    return battles


def _check(battle: Battle, first: Battle, name: str) -> None:
    if battle.sea_battle is not None:
        raise BattleError(f"{name}: a battle at sea before it is a campaign of its own")
    if battle.sequence.damage is not None:
        raise BattleError(f"{name}: a raid neither takes nor holds anything")
    if battle.ruleset.id != first.ruleset.id:
        raise BattleError(f"{name}: {battle.ruleset.id} cannot follow {first.ruleset.id}")
    if battle.sequence.capture != first.sequence.capture:  # a territory, or a sea zone
        raise BattleError(f"{name}: {battle.sequence.id} is not fought where {first.sequence.id} was")


class Answers:
    """Odds of the battles of a campaign, by one method each attack."""

    def __init__(self, method: str, trials: int, seed: int, max_states: int) -> None:
        self.method, self.trials, self.seed, self.max_states = method, trials, seed, max_states
        self.simulated = False

    def simulates(self, battles: list[Battle]) -> bool:
        """Whether the battles of an attack are simulated."""
        if self.method != "auto":
            return self.method == "monte-carlo"
        try:
            seconds = sum(run.exact_seconds(battle, self.max_states) + _EACH_SECONDS for battle in battles)
        except StateSpaceError:
            return True
        return seconds > AUTO_SECONDS

    def odds(self, battle: Battle, simulate: bool, share: float, number: tuple[int, int]) -> Odds:
        """Answer one battle; `share` is its part of the trials, `number` tells its dice from others."""
        if not simulate:
            return run.solve(battle, max_states=self.max_states)
        self.simulated = True
        seed = int(np.random.SeedSequence([self.seed, *number]).generate_state(1, np.uint64)[0])
        return run.simulate(battle, trials=max(1, round(share * self.trials)), seed=seed)

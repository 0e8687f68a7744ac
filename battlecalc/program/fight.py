"""What decides the odds of one battle of a chain: the key under which programs are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from battlecalc.battle import Battle
    from battlecalc.rulesets import Ruleset
    from battlecalc.sides import ReadySide


@dataclass(frozen=True, slots=True)
class Fight:
    """Two forces under rules and policies; `fought` names the sequences fought before it."""

    ruleset: Ruleset
    sequence: str
    attacker: ReadySide
    defender: ReadySide
    options: tuple[tuple[str, bool | int | str], ...]
    low_luck: frozenset[str]
    rounds: int | None
    territory: float = 0.0
    fought: frozenset[str] = frozenset()

    @property
    def sides(self) -> tuple[ReadySide, ReadySide]:
        """Attacker and defender."""
        return self.attacker, self.defender


def fight_of(battle: Battle) -> Fight:
    """Return the fight that a battle without a battle before it is."""
    return Fight(
        battle.ruleset,
        battle.sequence.id,
        battle.attacker,
        battle.defender,
        battle.options,
        frozenset(purpose for purpose, kind in battle.dice if kind == "low-luck"),
        battle.rounds,
        battle.territory,
    )

"""How lucky was that: where an outcome that happened lies in the distribution of the swing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from battlecalc.endings import OUTCOMES
from battlecalc.errors import BattleError
from battlecalc.results.figures import percent, value_text
from battlecalc.results.words import force_words, plural
from battlecalc.rulesets.schema import SideName

if TYPE_CHECKING:
    from battlecalc.results.answer import Odds


@dataclass(frozen=True, slots=True)
class Percentile:
    """Place of one result among all, by swing (the attacker's view).

    Attributes
    ----------
    swing : float
        Defender's value destroyed less the attacker's, in this result.
    below, equal, above : float
        Chances of a smaller, the same and a larger swing.
    probability : float
        Chance of exactly these forces left.
    """

    swing: float
    below: float
    equal: float
    above: float
    probability: float

    @property
    def percentile(self) -> float:
        """Share of battles that go worse for the attacker; ties count half."""
        return self.below + self.equal / 2

    def __str__(self) -> str:
        """Return the place in words."""
        return (
            f"swing {value_text(self.swing, sign=True)} IPC: worse for the attacker {percent(self.below)}, "
            f"the same {percent(self.equal)}, better {percent(self.above)}; "
            f"exactly this end {percent(self.probability)}"
        )


def percentile(
    odds: Odds, attacker_left: str | Mapping[str, int], defender_left: str | Mapping[str, int]
) -> Percentile:
    """Place of a result in the distribution of the swing; see `Odds.percentile`."""
    whole = odds._whole
    table = whole.tables.joint(values=True)
    given: dict[SideName, str | Mapping[str, int]] = {"attacker": attacker_left, "defender": defender_left}
    wanted = {side: _counts(odds, side, left) for side, left in given.items()}
    rows = table.rows[:, 1:]
    matches = np.zeros(0, np.int64)
    # A captured unit is no survivor, but whoever names it as left means the same end.
    for ignored in (frozenset[str](), whole.capturable("attacker") | whole.capturable("defender")):
        same = np.ones(len(rows), np.bool_)
        for side in given:
            for unit in set(whole.units(side)) - ignored:
                names = {f"{side}.{column}" for column in whole.tables.columns_of(side, unit)}
                places = [place for place, name in enumerate(table.columns[1:]) if name in names]
                same &= rows[:, places].sum(axis=1) == wanted[side].get(unit, 0)
        matches = np.flatnonzero(same)
        if len(matches):
            break
    else:
        raise BattleError(_impossible(odds, given))
    lost_by_attacker, lost_by_defender = rows[matches[0], -2:].tolist()
    swing = whole.swing
    place = int(np.searchsorted(swing.keys, lost_by_defender - lost_by_attacker))
    return Percentile(
        swing=float(swing.values[place]),
        below=float(swing.p[:place].sum()),
        equal=float(swing.p[place]),
        above=float(swing.p[place + 1 :].sum()),
        probability=float(table.p[matches].sum()),
    )


def _counts(odds: Odds, side: SideName, left: str | Mapping[str, int]) -> dict[str, int]:
    from battlecalc.forces import parse_force

    counts = parse_force(left, odds.battle.ruleset)
    for unit in counts:
        if unit not in odds._whole.units(side):
            known = ", ".join(odds._whole.units(side))
            raise BattleError(f"the {side} of this battle has no {unit!r}: {known}")
    return counts


def _impossible(odds: Odds, given: Mapping[SideName, str | Mapping[str, int]]) -> str:
    table = odds._whole.tables.joint()
    texts = [left if isinstance(left, str) else force_words(left) for left in given.values()]
    how = "no battle ends" if odds.trials is None else f"none of {plural(odds.trials, 'trial')} ended"
    likeliest = dict(zip(table.columns[1:], table.rows[0, 1:].tolist(), strict=True))
    ends = [
        force_words((name.partition(".")[2], n) for name, n in likeliest.items() if name.startswith(side))
        for side in given
    ]
    return (
        f"{how} with {texts[0]!r} left of the attacker and {texts[1]!r} of the defender; "
        f"the likeliest end ({OUTCOMES[table.rows[0, 0]]}) leaves {ends[0]!r} and {ends[1]!r}"
    )

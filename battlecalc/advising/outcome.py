"""`Campaign`: how attacks one after another end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from battlecalc.battle import Battle
from battlecalc.columns import columns
from battlecalc.results.distributions import Distribution
from battlecalc.results.figures import short_percent, value_text
from battlecalc.results.words import assumed_words, battle_words, note_lines, plural, unit_words

if TYPE_CHECKING:
    import pandas as pd

LIKELIEST = 6
WIDTH = 80


@dataclass(frozen=True, slots=True)
class Fought:
    """One attack of a campaign.

    Attributes
    ----------
    name : str
        ``"wave 1"`` ... or ``"counter-attack"``.
    fought : float
        Chance that it comes to this attack, one on an empty space included.
    empty : float
        Chance that it finds nobody there.
    takes : float
        Chance that it takes the space.
    outcomes : dict of str to float
        Chances of the outcomes of its battle; with `empty` they sum to `fought`.
    forces : int
        Different forces that it may meet.
    """

    name: str
    fought: float
    empty: float
    takes: float
    outcomes: Mapping[str, float]
    forces: int


@dataclass(frozen=True, eq=False, repr=False)
class Campaign:
    """Where attacks one after another lead. Made by `campaign`.

    Attributes
    ----------
    battle : Battle
        The first attack.
    attacks : tuple of Fought
        Waves, then the counter-attack.
    standings : tuple of (holder, force, chance)
        What stands in the space at the end, likeliest first.
    distribution : Distribution
        Of the swing.
    expected_losses : mapping of power to dict of unit to float
        Mean units destroyed of ``"defender"``, ``"wave 1"`` ... ``"counter-attack"``, in all their battles.
    value_lost : mapping of power to float
        Mean value of these, in IPC.
    method : "exact" or "monte-carlo"
    trials, seed : int or None
        None for exact answers.
    notes : tuple of str
    assumed : tuple of str
        Assumed values and rules that any of the battles used.
    """

    battle: Battle
    attacks: tuple[Fought, ...]
    standings: tuple[tuple[str, str, float], ...]
    distribution: Distribution
    expected_losses: Mapping[str, dict[str, float]]
    value_lost: Mapping[str, float]
    method: Literal["exact", "monte-carlo"]
    trials: int | None
    seed: int | None
    notes: tuple[str, ...]
    assumed: tuple[str, ...] = ()

    @property
    def waves(self) -> tuple[Fought, ...]:
        """The attacks without the counter-attack."""
        return tuple(attack for attack in self.attacks if attack.name != "counter-attack")

    @property
    def counter(self) -> Fought | None:
        """The counter-attack, if there is one."""
        return next((attack for attack in self.attacks if attack.name == "counter-attack"), None)

    @cached_property
    def holders(self) -> dict[str, float]:
        """Chance of everybody to hold the space at the end."""
        chances = {"defender": 0.0, **{attack.name: 0.0 for attack in self.attacks}}
        for holder, _, chance in self.standings:
            chances[holder] += chance
        return chances

    def swing(self) -> pd.Series[float]:
        """Distribution of the value that the waves destroyed less what they lost, in all battles."""
        return self.distribution.series("value")

    def frame(self) -> pd.DataFrame:
        """One row an attack: chances that it is ``fought``, that it ``takes`` the space, of each outcome."""
        import pandas as pd

        rows = [
            {"attack": a.name, "fought": a.fought, "takes": a.takes, "empty": a.empty, **a.outcomes}
            for a in self.attacks
        ]
        return pd.DataFrame(rows)

    def losses(self) -> pd.DataFrame:
        """One row a power: mean units destroyed, and their ``value``."""
        import pandas as pd

        table = pd.DataFrame.from_dict(dict(self.expected_losses), orient="index").fillna(0.0)
        return table.assign(value=pd.Series(self.value_lost))

    def final(self) -> pd.DataFrame:
        """Return what stands in the space at the end: ``holder``, ``force``, ``probability``."""
        import pandas as pd

        return pd.DataFrame(self.standings, columns=["holder", "force", "probability"])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dicts."""
        return {
            "ruleset": self.battle.ruleset.id,
            "method": self.method,
            "trials": self.trials,
            "seed": self.seed,
            "attacks": [
                {
                    "name": a.name,
                    "fought": a.fought,
                    "empty": a.empty,
                    "takes": a.takes,
                    "outcomes": dict(a.outcomes),
                    "forces_met": a.forces,
                }
                for a in self.attacks
            ],
            "holders": dict(self.holders),
            "expected_losses": {power: dict(lost) for power, lost in self.expected_losses.items()},
            "expected_value_lost": dict(self.value_lost),
            "swing": {"mean": self.distribution.mean(), "sd": self.distribution.sd()},
            "final": [{"holder": h, "force": f, "probability": p} for h, f, p in self.standings],
            "notes": list(self.notes),
            "assumed": list(self.assumed),
        }

    def summary(self) -> str:
        """Return the answer as text."""
        how = (
            self.method
            if self.trials is None
            else f"{plural(self.trials, 'simulated campaign')}, seed {self.seed}"
        )
        place = "space" if not self.battle.sequence.capture else "territory"
        lines = [f"{battle_words(self.battle)}; {how}", ""]
        rows = [["Attack", "fought", f"takes the {place}", "beaten or leaves"]]
        rows += [[a.name, *map(short_percent, (a.fought, a.takes, a.fought - a.takes))] for a in self.attacks]
        lines += [*columns(rows), ""]
        rows = [["Holds it at the end", "chance"]]
        rows += [[name, short_percent(chance)] for name, chance in self.holders.items()]
        lines += [*columns(rows), ""]
        rows = [["Mean losses", "IPC", ""]]
        for power, lost in self.expected_losses.items():
            units = ", ".join(f"{n:.2f} {unit_words(unit)}" for unit, n in lost.items() if n >= 0.005)
            rows.append([power, f"{self.value_lost[power]:.2f}", units or "nothing"])
        lines += [*columns(rows, left=(0, 2)), ""]
        low, high = self.distribution.middle(0.8)
        lines.append(
            f"Swing of all battles for the waves: {self.distribution.mean():+.2f} IPC "
            f"(middle 80 %: {value_text(low, sign=True)} to {value_text(high, sign=True)})"
        )
        lines += ["", "Likeliest at the end"]
        rows = [[short_percent(p), f"{holder}: {force}"] for holder, force, p in self.standings[:LIKELIEST]]
        lines += columns(rows, left=(1,), indent=2)
        lines += note_lines([*self.notes, *assumed_words(self.assumed)], WIDTH)
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    def __repr__(self) -> str:
        """Return the answer on one line."""
        chances = ", ".join(f"{name} {short_percent(p).strip()}" for name, p in self.holders.items())
        return f"<Campaign {self.battle.ruleset.id}: {chances}; {self.method}>"

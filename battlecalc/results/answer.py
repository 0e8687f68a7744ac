"""`Odds`: the answer to a battle, the same whichever engine found it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from battlecalc.endings import OUTCOME_INDEX, OUTCOMES, Component
from battlecalc.errors import BattleError, nearest
from battlecalc.results import luck
from battlecalc.results.intervals import ConfidenceInterval, mean_error, share_error, wilson
from battlecalc.results.whole import Whole
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import side_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from battlecalc.battle import Battle
    from battlecalc.results.distributions import Distribution
    from battlecalc.results.report import Report

JOINT_CELLS = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Odds:
    """Where a battle ends, and how likely. Immutable; everything is worked out when it is first asked for.

    Attributes
    ----------
    components : tuple of Component
        What the engine found.
    battle : Battle
        The question.
    method : "monte-carlo" or "exact"
    trials, seed : int or None
        None for exact answers.
    notes : tuple of str
        What was passed over or assumed.
    assumed : tuple of str
        Assumed values and rules that this battle used.
    landing : float or None
        Chance that a chained landing goes ahead; None for other battles.
    stages : mapping of str to Odds, or None
        Odds of each part of a chained landing.
    policies : mapping of side to rows, or None
        Decisions used where a policy was ``"best"``.
    loss_orders : mapping of side to str, or None
        Orders of loss that were used, where they are not the ones that the battle names.
    joint_cells : int
        Largest joint table that is built.

    Examples
    --------
    >>> import battlecalc as bc
    >>> odds = bc.solve("aa-1942", "land", "2 infantry, 1 tank", "2 infantry")
    >>> odds
    <Odds aa-1942 land: 2 infantry, 1 tank v 2 infantry; attacker wins 81.060 %, ...; exact>
    >>> odds.expected_losses("attacker")
    {'infantry': 1.182, 'tank': 0.189}
    >>> odds.survivors("attacker").head(2)
       infantry  tank  probability
    0         1     1     0.353
    1         2     1     0.232
    >>> odds.swing().round(3).to_dict()
    {-11: 0.041, -8: 0.095, -5: 0.053, 0: 0.225, 3: 0.353, 6: 0.232}
    >>> odds.percentile("1 tank", "-").percentile
    0.302
    """

    components: tuple[Component, ...]
    battle: Battle
    method: Literal["monte-carlo", "exact"]
    trials: int | None = None
    seed: int | None = None
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    landing: float | None = None
    stages: Mapping[str, Odds] | None = None
    policies: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    loss_orders: Mapping[str, Sequence[str]] | None = None
    joint_cells: int = JOINT_CELLS

    @cached_property
    def _whole(self) -> Whole:
        order = tuple(self.battle.ruleset.units)
        return Whole(self.components, order, self.landing is not None, self.joint_cells)

    @property
    def outcomes(self) -> dict[str, float]:
        """Probability of each outcome; all keys are always there."""
        return dict(zip(OUTCOMES, self._whole.outcomes.tolist(), strict=True))

    @property
    def captures(self) -> float:
        """Probability that the attacker wins with a unit that can hold the territory."""
        return self._whole.captures

    def standard_error(self, what: str) -> float:
        """Return the standard error of a probability or a mean; 0 where it is exact.

        Parameters
        ----------
        what : str
            An outcome, ``"captures"``, ``"landing"``, ``"swing"``, ``"rounds"``,
            ``"attacker.value_lost"``, or a side's unit (``"attacker.infantry"``: the mean of its survivors).
        """
        probability = self._probability(what)
        if probability is not None:
            return share_error(probability, self.trials)
        if what in ("swing", "rounds"):
            return self._mean_error(lambda: self._whole.swing if what == "swing" else self._whole.rounds)
        whose, dot, name = what.partition(".")
        if dot and whose in SIDES:
            side = side_name(whose)
            if name == "value_lost":
                return self._mean_error(lambda: self._whole.value_lost(side))
            if name in self._whole.units(side):
                place = self._whole.units(side).index(name)
                return mean_error(float(self._whole.moments(side).variance[place]), self.trials)
        raise BattleError(f"nothing is called {what!r} here: {nearest(what, self._names())}")

    def _mean_error(self, distribution: Callable[[], Distribution]) -> float:
        return mean_error(distribution().sd() ** 2, self.trials) if self.trials else 0.0

    def _names(self) -> list[str]:
        units = [f"{side}.{unit}" for side in SIDES for unit in self._whole.units(side)]
        values = ["attacker.value_lost", "defender.value_lost"]
        return [*OUTCOMES, "captures", "swing", "rounds", *values, *units]

    def _probability(self, what: str) -> float | None:
        if what in OUTCOME_INDEX:
            return float(self._whole.outcomes[OUTCOME_INDEX[what]])
        if what == "captures":
            return self.captures
        return self.landing if what == "landing" else None

    def interval(self, outcome: str, confidence: float = 0.95) -> ConfidenceInterval:
        """Wilson's interval of an outcome's probability, of ``"captures"`` or ``"landing"``.

        Exact probabilities have no width.
        """
        p = self._probability(outcome)
        if p is None:
            raise BattleError(f"unknown outcome {outcome!r}: {nearest(outcome, [*OUTCOMES, 'captures'])}")
        return wilson(p, self.trials, confidence) if self.trials else ConfidenceInterval(p, p)

    def expected_survivors(self, side: str) -> dict[str, float]:
        """Mean number of each unit that is left, over all battles; captured ones are no survivors."""
        name = side_name(side)
        return dict(zip(self._whole.units(name), self._whole.moments(name).mean.tolist(), strict=True))

    def expected_losses(self, side: str) -> dict[str, float]:
        """Mean number of each unit that is destroyed, over all battles."""
        name = side_name(side)
        moments = self._whole.moments(name)
        lost = self._whole.start(name) - moments.mean - moments.captured
        return dict(zip(self._whole.units(name), lost.tolist(), strict=True))

    def captured(self) -> dict[str, float]:
        """Mean number of each unit that changes hands; only units that can are named."""
        means: dict[str, float] = {}
        for side in ("defender", "attacker"):
            taken = self._whole.moments(side).captured.tolist()
            can = self._whole.capturable(side)
            for unit, mean in zip(self._whole.units(side), taken, strict=True):
                if unit in can:
                    means[unit] = means.get(unit, 0.0) + mean
        return means

    def survivors(self, side: str) -> pd.DataFrame:
        """Distribution of a side's surviving forces, likeliest first.

        One row a distinct force, a column a unit (damaged ones apart), and ``probability``.
        """
        import pandas as pd

        table = self._whole.tables.survivors(side_name(side))
        frame = pd.DataFrame(table.rows, columns=list(table.columns))
        return frame.assign(probability=table.p)

    def outcome_table(self) -> pd.DataFrame:
        """Joint distribution: ``outcome``, both sides' survivors, ``probability``; likeliest first."""
        import pandas as pd

        table = self._whole.tables.joint()
        frame = pd.DataFrame(table.rows[:, 1:], columns=list(table.columns[1:]))
        frame.insert(0, "outcome", [OUTCOMES[outcome] for outcome in table.rows[:, 0].tolist()])
        return frame.assign(probability=table.p)

    def value_lost(self, side: str) -> pd.Series[float]:
        """Distribution of the value in IPC of the side's units that are destroyed."""
        return self._whole.value_lost(side_name(side)).series("value")

    def swing(self) -> pd.Series[float]:
        """Distribution of the defender's value destroyed less the attacker's; never with the territory."""
        return self._whole.swing.series("value")

    def expected_gain(self, side: str) -> float:
        """Mean value destroyed less value lost of a side, plus the territory where it holds that at the end.

        A raid's damage counts as value destroyed. The attacker holds it where he captures it, or where the
        defender leaves it to units that can hold it; else the defender does.
        """
        swing, held, damage = self._whole.swing.mean(), self._whole.held, self._whole.damage()
        if damage is not None:
            swing += damage.mean()
        if side_name(side) == "attacker":
            return swing + self.battle.territory * held
        return self.battle.territory * (1 - held) - swing

    def rounds(self) -> pd.Series[float]:
        """Distribution of the rounds of the main battle (0 where a landing did not go ahead)."""
        return self._whole.rounds.series("rounds")

    def by_round(self) -> pd.DataFrame:
        """After each round (row 0: the opening fire): mean units left, and the chance that it is ``over``."""
        import pandas as pd

        left, over = self._whole.by_round()
        columns = {
            f"{side}.{unit}": left[side][:, place]
            for side in left
            for place, unit in enumerate(self._whole.units(side))
        }
        return pd.DataFrame({**columns, "over": over}, index=pd.RangeIndex(len(over), name="round"))

    def without_deck(self, side: str) -> pd.Series[float]:
        """Distribution of the surviving planes that no surviving carrier can take."""
        return self._whole.without_deck(side_name(side)).series("planes")

    def damage(self) -> pd.Series[float]:
        """Distribution of a raid's damage in IPC."""
        damage = self._whole.damage()
        if damage is None:
            raise BattleError(f"only raids do damage, not the sequence {self.battle.sequence.id!r}")
        return damage.series("damage")

    def policy(self, side: str) -> pd.DataFrame:
        """Return the decisions used where a policy of `side` was ``"best"``; empty where none was."""
        import pandas as pd

        return pd.DataFrame(list((self.policies or {}).get(side_name(side), ())))

    def percentile(
        self, attacker_left: str | Mapping[str, int], defender_left: str | Mapping[str, int]
    ) -> luck.Percentile:
        """Where an outcome that happened lies in the distribution, by swing.

        Parameters
        ----------
        attacker_left, defender_left : str or mapping of unit to count
            What was left; ``"-"`` for nothing.
        """
        return luck.percentile(self, attacker_left, defender_left)

    def to_dict(self) -> dict[str, Any]:
        """Everything that ``--json`` prints, as plain numbers, texts, lists and dicts."""
        from battlecalc.results.document import document

        return document(self)

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON."""
        import json

        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def report(self) -> Report:
        """Return what `summary`, the command line and notebooks show, as sections of rows of text."""
        from battlecalc.results.report import report

        return report(self)

    def summary(self, width: int = 80) -> str:
        """Return the table that the command line prints, as text."""
        from battlecalc.results.text import render

        return render(self.report(), width)

    def plot(self, kind: str = "outcomes", ax: Axes | None = None, **kw: Any) -> Axes:
        """Draw one picture.

        Parameters
        ----------
        kind : {"outcomes", "survivors", "swing", "rounds", "heatmap"}
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **kw
            Handed to the artists that are drawn.
        """
        from battlecalc.plots import draw

        return draw(self, kind, ax, **kw)

    def figure(self) -> Figure:
        """Panel of the useful pictures, as ``--plot`` saves it."""
        from battlecalc.plots import panel

        return panel(self)

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    def __repr__(self) -> str:
        """Return the answer on one line."""
        from battlecalc.results.report import short

        return f"<Odds {short(self)}>"

    def _repr_html_(self) -> str:
        from battlecalc.results.html import card

        return card(self)

"""`advise`: the plans of one side, ranked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from battlecalc import run
from battlecalc.advising.plans import Plan, plans, ready_side
from battlecalc.advising.wording import first_decisions
from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle, check_battle
from battlecalc.columns import columns
from battlecalc.errors import StateSpaceError
from battlecalc.results import Odds
from battlecalc.results.figures import short_percent
from battlecalc.results.words import assumed_words, battle_words, note_lines, sides_words
from battlecalc.rulesets.schema import SIDES, SideName
from battlecalc.sides import side_name

if TYPE_CHECKING:
    import pandas as pd

WORST = 0.1
WIDTH = 80
_BY = {"value": "expected gain", "win": "chance to win", "capture": "chance of the territory"}


@dataclass(frozen=True, slots=True)
class Rated:
    """A plan and what comes of it, seen from its side.

    Attributes
    ----------
    plan : Plan
    odds : Odds
    win : float
        Chance that the side wins.
    capture : float or None
        Chance that the attacker captures the territory; None where nothing is captured.
    swing, worst_tenth : float
        Mean of the enemy's value destroyed less one's own, and its mean over the worst tenth.
    gain : float
        Mean swing and the worth of the territory where the side holds it.
    """

    plan: Plan
    odds: Odds
    win: float
    capture: float | None
    swing: float
    worst_tenth: float
    gain: float

    def worth(self, objective: str, side: SideName) -> float:
        """Value of an objective."""
        if objective == "value":
            return self.gain
        if objective == "win":
            return self.win
        captures = self.capture or 0.0
        return captures if side == "attacker" else 1 - captures


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Plans of one side, the best one first. Made by `advise`.

    Attributes
    ----------
    battle : Battle
    side : "attacker" or "defender"
    objective : "value", "win" or "capture"
    rated : tuple of Rated
    decisions : tuple of str
        The best decisions in words.
    notes : tuple of str
    """

    battle: Battle
    side: SideName
    objective: str
    rated: tuple[Rated, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def assumed(self) -> tuple[str, ...]:
        """Assumed values and rules that any of the plans used."""
        return tuple(dict.fromkeys(name for rated in self.rated for name in rated.odds.assumed))

    @property
    def best(self) -> Rated:
        """The plan that serves the objective best; of equal ones the simplest."""
        return self.rated[0]

    def plan(self, name: str) -> Rated:
        """Return a plan by its name."""
        return next(rated for rated in self.rated if rated.plan.name == name)

    def frame(self) -> pd.DataFrame:
        """One row a plan, the best one first: ``plan`` and the numbers of `Rated`, ``method``."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "plan": r.plan.name,
                    "win": r.win,
                    "capture": r.capture,
                    "gain": r.gain,
                    "swing": r.swing,
                    "worst_tenth": r.worst_tenth,
                    "method": r.odds.method,
                }
                for r in self.rated
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dicts."""
        return {
            "ruleset": self.battle.ruleset.id,
            "sequence": self.battle.sequence.id,
            "side": self.side,
            "objective": self.objective,
            "plans": [
                {
                    "plan": r.plan.name,
                    "side": {
                        name: value for name, value in r.plan.fields.items() if value not in ("never", None)
                    },
                    "win": r.win,
                    "capture": r.capture,
                    "expected_gain": r.gain,
                    "swing": r.swing,
                    "worst_tenth": r.worst_tenth,
                    "method": r.odds.method,
                    "loss_order": list((r.odds.loss_orders or {}).get(self.side, ())),
                }
                for r in self.rated
            ],
            "decisions": list(self.decisions),
            "notes": list(self.notes),
            "assumed": list(self.assumed),
        }

    def summary(self) -> str:
        """Return the table and the decisions as text."""
        attacker, defender = sides_words(self.battle)
        has_land, has_gain = self.best.capture is not None, self.battle.territory != 0
        rows = [["Plan", "wins"]]
        rows[0] += [
            *(["captures"] if has_land else []),
            *(["gain"] if has_gain else []),
            "swing",
            "worst tenth",
        ]
        for r in self.rated:
            row = [r.plan.name, short_percent(r.win)]
            row += [short_percent(r.capture or 0.0)] if has_land else []
            row += [f"{r.gain:+.2f}"] if has_gain else []
            rows.append([*row, f"{r.swing:+.2f}", f"{r.worst_tenth:+.2f}"])
        lines = [
            f"attacker  {attacker}",
            f"defender  {defender}",
            *wrap(f"{battle_words(self.battle)}; plans of the {self.side} by {_BY[self.objective]}", WIDTH),
            "",
            *columns(rows),
        ]
        if self.decisions:
            lines += ["", "Best decisions"]
            for sentence in self.decisions:
                lines += wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")
        lines += note_lines([*self.notes, *assumed_words(self.assumed)], WIDTH)
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    def __repr__(self) -> str:
        """Return the best plan on one line."""
        return f"<Advice to the {self.side}: {self.best.plan.name}; {len(self.rated)} plans>"

    def _repr_html_(self) -> str:
        html: str = self.frame().style.hide(axis="index").format(precision=3).to_html()
        return html


def advise(
    battle: Battle,
    side: str = "attacker",
    *,
    method: str = "auto",
    trials: int | None = None,
    seed: int | None = None,
    max_states: int = MAX_STATES,
) -> Advice:
    """Compare what a side can do in a battle.

    Parameters
    ----------
    battle : Battle
        The enemy keeps the policies and the order of loss that he has in it.
    side : {"attacker", "defender"}
    method, trials, seed, max_states : see `odds`
        A plan that cannot be solved is simulated, and its row says so.

    Returns
    -------
    Advice
        Fighting to the end, leaving after rounds 1 to 3, contesting, submerging, the best decisions, the
        best order of loss, a land unit kept for last: as far as the side has the right. Ranked by the side's
        objective.

    Examples
    --------
    >>> battle = Battle("aa-1942", "land", "3 inf, 1 art, 1 fighter", "4 inf", territory=3)
    >>> advice = advise(battle)
    >>> advice.best.plan.name
    'best decisions'
    >>> advice.frame()[["plan", "win", "gain"]].head(3).round(3)
                                           plan    win   gain
    0                            best decisions  0.659  3.981
    1          best decisions and order of loss  0.659  3.981
    2  best decisions, a land unit is lost last  0.618  3.405
    """
    check_battle(battle, "advise")
    name = side_name(side)
    number = SIDES.index(name)
    seed = secrets.randbits(48) if seed is None else seed  # one for all plans: their rows share their luck
    rated: list[Rated] = []
    notes = dict.fromkeys(battle.notes)
    decisions: list[str] = []
    for plan in plans(battle, number):
        try:
            odds = run.odds(
                plan.battle(battle, number), method=method, trials=trials, seed=seed, max_states=max_states
            )
        except StateSpaceError as error:
            notes[f"{plan.name}: left out: {error}"] = None
            continue
        rated.append(_rate(plan, odds, name))
        own = f"{name}'s best order of loss: "
        new = [note.removeprefix(own) for note in odds.notes if note not in battle.notes]
        notes |= dict.fromkeys(f"{plan.name}: {note}" for note in new)
        decisions = decisions or first_decisions(odds, name)
    objective = ready_side(battle, number).objective
    rated.sort(key=lambda r: -round(r.worth(objective, name), 9))
    return Advice(battle, name, objective, tuple(rated), tuple(decisions), tuple(notes))


def worst(odds: Odds, side: SideName, share: float = WORST) -> float:
    """Return the mean swing of a side over its worst `share` of all battles."""
    swing = odds._whole.swing
    values, chances = swing.values, swing.p
    if side == "defender":
        values, chances = -values[::-1], chances[::-1]
    before = np.cumsum(chances) - chances
    within = np.clip(share - before, 0.0, chances)
    return float(values @ within / within.sum())


def _rate(plan: Plan, odds: Odds, side: SideName) -> Rated:
    mean = odds._whole.swing.mean()
    return Rated(
        plan=plan,
        odds=odds,
        win=odds.outcomes[f"{side}_wins"],
        capture=odds.captures if odds.battle.sequence.capture else None,
        swing=mean if side == "attacker" else -mean,
        worst_tenth=worst(odds, side),
        gain=odds.expected_gain(side),
    )

"""What a player reads, as sections of rows of text: `text`, `html` and the command line show the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from battlecalc.endings import OUTCOMES
from battlecalc.errors import StateSpaceError
from battlecalc.results.distributions import Distribution
from battlecalc.results.figures import interval_text, mean_decimals, mean_text, percent, value_text
from battlecalc.results.intervals import share_error
from battlecalc.results.words import (
    OUTCOME_WORDS,
    battle_words,
    force_words,
    plural,
    sides_words,
    unit_words,
)
from battlecalc.rulesets.schema import SIDES, SideName

if TYPE_CHECKING:
    from battlecalc.results.answer import Odds

LIKELIEST = 4
NEGLIGIBLE = 1e-9
MIDDLE = 0.8
ASSUMED_WIDTH = 90


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a label and its cells; for a chance the share of a bar and the outcome that colours it."""

    label: str
    cells: tuple[str, ...]
    share: float | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a heading.

    `prose` columns hold running text (a force), which is wrapped and set to the left; all others are numbers.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    prose: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Report:
    """All that is shown.

    Attributes
    ----------
    attacker, defender : str
        The forces.
    battle : str
        Ruleset and kind of battle.
    method : str
        How the answer was found.
    sections : tuple of Section
    notes : tuple of str
        What was passed over or assumed, one line each.
    """

    attacker: str
    defender: str
    battle: str
    method: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]


def report(odds: Odds) -> Report:
    """Sections of an answer, in the order in which a player asks for them."""
    attacker, defender = sides_words(odds.battle)
    sections = [_outcomes(odds), _losses(odds), _values(odds), *_likeliest(odds)]
    if odds.stages:
        sections.insert(1, _stages(odds))
    notes = [*odds.notes, *_assumed(odds.assumed)]
    return Report(
        attacker, defender, battle_words(odds.battle), method_words(odds), tuple(sections), tuple(notes)
    )


def short(odds: Odds) -> str:
    """Answer on one line."""
    attacker, defender = sides_words(odds.battle)
    chances = ", ".join(
        f"{OUTCOME_WORDS[name]} {percent(p, odds.standard_error(name))}"
        for name, p in odds.outcomes.items()
        if p > _least(odds) or name == "attacker_wins"
    )
    battle = f"{odds.battle.ruleset.id} {odds.battle.sequence.id}"
    return f"{battle}: {attacker} v {defender}; {chances}; {method_words(odds)}"


def method_words(odds: Odds) -> str:
    """How the answer was found."""
    if odds.trials is None:
        return "exact"
    return f"{plural(odds.trials, 'simulated battle')}, seed {odds.seed}"


def _least(odds: Odds) -> float:
    """Return the probability up to which an outcome is not worth a line; what was seen in a simulation is."""
    return 0.0 if odds.trials else NEGLIGIBLE


def _chance(odds: Odds, label: str, what: str, p: float) -> Row:
    error = odds.standard_error(what)
    cells = [percent(p, error)]
    if odds.trials:
        cells.append(interval_text(*odds.interval(what), error))
    return Row(label, tuple(cells), p, what if what in OUTCOMES else None)


def _outcomes(odds: Odds) -> Section:
    outcomes = odds.outcomes
    rows = [
        _chance(odds, OUTCOME_WORDS[name], name, p)
        for name, p in outcomes.items()
        if p > _least(odds) or name in ("attacker_wins", "defender_wins")
    ]
    if odds.landing is not None:
        rows.append(_chance(odds, "landing goes ahead", "landing", odds.landing))
    if odds.battle.sequence.capture:
        rows.append(_chance(odds, "territory captured", "captures", odds.captures))
    columns = ("chance", "95 % interval") if odds.trials else ("chance",)
    return Section("Outcome", columns, tuple(rows))


def _stages(odds: Odds) -> Section:
    shown = ("attacker_wins", "defender_wins")
    rows = []
    for name, stage in (odds.stages or {}).items():
        chances = stage.outcomes
        others = sum(p for outcome, p in chances.items() if outcome not in shown)
        cells = [percent(chances[outcome], stage.standard_error(outcome)) for outcome in shown]
        rows.append(Row(name, (*cells, percent(others, share_error(others, stage.trials)))))
    return Section("Stage won by", ("attacker", "defender", "other"), tuple(rows))


def _losses(odds: Odds) -> Section:
    whole = odds._whole
    errors = (odds.standard_error(f"{side}.{unit}") for side in SIDES for unit in whole.units(side))
    digits = mean_decimals(errors)
    lost = {side: odds.expected_losses(side) for side in SIDES}
    start = {side: dict(zip(whole.units(side), whole.start(side).tolist(), strict=True)) for side in SIDES}
    units = dict.fromkeys(
        unit for unit in odds.battle.ruleset.units for side in SIDES if start[side].get(unit)
    )

    def cell(side: SideName, unit: str) -> str:
        if not start[side].get(unit):
            return ""
        return f"{mean_text(lost[side][unit], digits)} of {mean_text(start[side][unit], 1)}"

    rows = [Row(unit_words(unit), tuple(cell(side, unit) for side in SIDES)) for unit in units]
    for unit, mean in odds.captured().items():
        if mean > 0:
            rows.append(Row(f"{unit_words(unit)}, captured", ("", mean_text(mean, digits))))
    return Section("Mean losses", SIDES, tuple(rows))


def _values(odds: Odds) -> Section:
    whole = odds._whole

    digits = mean_decimals(map(odds.standard_error, ("attacker.value_lost", "defender.value_lost", "swing")))

    def row(label: str, distribution: Distribution, sign: bool = False) -> Row:
        low, high = distribution.middle(MIDDLE)
        ends = f"{value_text(low, sign)} to {value_text(high, sign)}"
        return Row(label, (mean_text(distribution.mean(), digits, sign), ends))

    rows = [row(f"{side} loses, IPC", whole.value_lost(side)) for side in SIDES]
    rows.append(row("swing (attacker), IPC", whole.swing, sign=True))
    if odds.battle.territory:
        gain = mean_text(odds.expected_gain("attacker"), digits, sign=True)
        rows.append(Row("  with the territory", (gain, "")))
    damage = whole.damage()
    if damage is not None:
        rows.append(row("damage, IPC", damage))
        gain = mean_text(odds.expected_gain("attacker"), digits, sign=True)
        rows.append(Row("damage and swing", (gain, "")))
    elif whole.rounds_at_hand:
        rows.append(row("rounds", whole.rounds))
    else:
        rows.append(Row("rounds", (mean_text(whole.mean_rounds(), digits), "")))
    title = "Value and rounds" if damage is None else "Value and damage"
    return Section(title, ("mean", "middle 80 %"), tuple(rows))


def _likeliest(odds: Odds) -> Iterable[Section]:
    """Likeliest surviving forces of each side; nothing where the table would be too large."""
    for side in SIDES:
        try:
            table = odds._whole.tables.survivors(side)
        except StateSpaceError:
            return
        rows = []
        for counts, p in zip(table.rows[:LIKELIEST].tolist(), table.p[:LIKELIEST].tolist(), strict=True):
            force = force_words(zip(table.columns, counts, strict=True))
            rows.append(Row(percent(p, share_error(float(table.p[0]), odds.trials)), (force,), p))
        yield Section(f"Likeliest left of the {side}", ("",), tuple(rows), prose=frozenset({0}))


def _assumed(assumed: tuple[str, ...]) -> list[str]:
    if not assumed:
        return []
    shown = 1
    while shown < len(assumed) and len(", ".join(assumed[: shown + 1])) <= ASSUMED_WIDTH:
        shown += 1
    more = f" and {len(assumed) - shown} more" if shown < len(assumed) else ""
    return [f"assumed, not printed in the rules: {', '.join(assumed[:shown])}{more}"]

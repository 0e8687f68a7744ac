"""What results are called when a person reads them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from battlecalc.rulesets.schema import SIDES, SideName

if TYPE_CHECKING:
    from battlecalc.battle import Battle

OUTCOME_WORDS = {
    "attacker_wins": "attacker wins",
    "defender_wins": "defender wins",
    "mutual_destruction": "both destroyed",
    "attacker_retreats": "attacker retreats",
    "defender_retreats": "defender retreats",
    "contested": "contested",
    "stalemate": "stalemate",
    "unresolved": "unresolved",
}
SEQUENCE_WORDS = {
    "land": "land battle",
    "naval": "naval battle",
    "invasion": "invasion",
    "raid": "bombing raid",
}
NOTHING = "nothing"
ASSUMED_WIDTH = 90
TIE = "\N{NO-BREAK SPACE}"


def unit_words(column: str) -> str:
    """Name of a unit or column as text.

    >>> unit_words("mech_infantry"), unit_words("battleship*")
    ('mech infantry', 'battleship (damaged)')
    """
    name = column.replace("_", " ")
    return f"{name[:-1]} (damaged)" if name.endswith("*") else name


def force_words(counts: Mapping[str, int] | Iterable[tuple[str, int]]) -> str:
    """Force as text, `NOTHING` where it is empty.

    >>> force_words({"infantry": 3, "tank": 0, "aa_gun": 1})
    '3 infantry, 1 aa gun'
    >>> force_words([])
    'nothing'
    """
    pairs = counts.items() if isinstance(counts, Mapping) else counts
    return ", ".join(f"{count} {unit_words(unit)}" for unit, count in pairs if count) or NOTHING


def parts_of_force(battle: Battle, side: SideName) -> dict[str, dict[str, int]]:
    """Units of a side by where they fight: ``""`` for the battle itself, else ``"by land"`` or ``"at sea"``.

    Ships of a landing force that fight at sea first are not named twice.
    """
    ready = battle.attacker if side == "attacker" else battle.defender
    sea = battle.sea_attacker if side == "attacker" else battle.sea_defender
    at_sea = dict(sea.counts) if sea is not None else {}
    for unit, count in battle.landing_ships if side == "attacker" else ():
        at_sea[unit] = at_sea.get(unit, 0) - count
    parts = {"": dict(ready.counts), "by land": dict(ready.overland), "at sea": at_sea}
    return {where: force for where, force in parts.items() if any(force.values())}


def whole_force(battle: Battle, side: SideName) -> dict[str, int]:
    """All units of a side, wherever they fight."""
    whole: dict[str, int] = {}
    for force in parts_of_force(battle, side).values():
        for unit, count in force.items():
            whole[unit] = whole.get(unit, 0) + count
    return {unit: count for unit, count in whole.items() if count}


def sides_words(battle: Battle) -> tuple[str, str]:
    """Both forces as text."""
    attacker, defender = (
        "; ".join(
            f"{where} {force_words(force)}".strip() for where, force in parts_of_force(battle, side).items()
        )
        or NOTHING
        for side in SIDES
    )
    return attacker, defender


def battle_words(battle: Battle) -> str:
    """Ruleset and kind of battle as text."""
    kind = battle.sequence.id
    return f"{battle.ruleset.name}, {SEQUENCE_WORDS.get(kind, kind)}"


def battle_title(battle: Battle, width: int = 60) -> str:
    """Title of a plot, on as many lines as it takes."""
    attacker, defender = sides_words(battle)
    line = f"{attacker}  v  {defender}"
    lines = [line] if len(line) <= width else [*wrap(attacker, width), *wrap(f"v  {defender}", width)]
    return "\n".join([*lines, battle_words(battle)])


def wrap(text: str, width: int, start: str = "", indent: str = "") -> list[str]:
    """Lines of a text, `start` before the first and `indent` before the others; no count parts from its unit.

    >>> wrap("10 infantry, 3 artillery, 1 aa gun", 26)
    ['10 infantry, 3 artillery,', '1 aa gun']
    """
    tied = re.sub(r"(?<![,;]) ", TIE, text)
    lines = textwrap.wrap(tied, width, initial_indent=start, subsequent_indent=indent)
    return [line.replace(TIE, " ") for line in lines] or [start]


def assumed_words(assumed: Sequence[str]) -> list[str]:
    """Note about assumed values and rules, as a list that is empty where there are none.

    >>> assumed_words(["tank.attack", "tank.cost"])
    ['assumed, not printed in the rules: tank.attack, tank.cost']
    """
    if not assumed:
        return []
    shown = 1
    while shown < len(assumed) and len(", ".join(assumed[: shown + 1])) <= ASSUMED_WIDTH:
        shown += 1
    more = f" and {len(assumed) - shown} more" if shown < len(assumed) else ""
    return [f"assumed, not printed in the rules: {', '.join(assumed[:shown])}{more}"]


def note_lines(notes: Sequence[str], width: int) -> list[str]:
    """Lines of notes after an empty one; none where there are no notes."""
    lines = [textwrap.wrap(note, width, subsequent_indent="  ") for note in notes]
    return ["", *(line for wrapped in lines for line in wrapped)] if lines else []


def plural(count: int, noun: str) -> str:
    """Count with its noun.

    >>> plural(1, "trial"), plural(1_000_000, "trial")
    ('1 trial', '1,000,000 trials')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

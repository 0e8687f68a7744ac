"""Best decisions in words: a table of choices as one or two sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from battlecalc.policies import RIGHTS
from battlecalc.results import Odds
from battlecalc.results.words import unit_words
from battlecalc.sides import side_name

Row = Mapping[str, Any]

MOST_NAMED = 2
MOST_THRESHOLDS = 4
RARE = 1e-4
_USE = {
    "retreat": "retreat",
    "contest": "contest",
    "air_retreat": "withdraw the aircraft",
    "submerge": "submerge",
}


def first_decisions(odds: Odds, side: str) -> list[str]:
    """Say the best decisions of a side; empty where no policy of it was ``"best"``.

    One sentence for each right and each class of rounds. Cases that come up less than once in ten thousand
    battles do not count; ``Odds.policy(side)`` has all.

    Examples
    --------
    >>> import battlecalc as bc
    >>> attacker = bc.Side("1 fighter, 1 bomber", loss_order="fighter, bomber", retreat="best")
    >>> odds = bc.solve("aa-1942", "naval", attacker, "1 battleship, 1 transport")
    >>> first_decisions(odds, "attacker")
    ['after each round, retreat with 1 bomber against 1 transport and 1 battleship; else fight on']
    """
    rows = (odds.policies or {}).get(side_name(side), ())
    counted = [row for row in rows if row["chance"] >= RARE]
    counted.sort(key=lambda row: (RIGHTS.index(row["right"]), int(row["round"].rstrip("+"))))
    return [
        f"{_when(*key)}, {_sentence(key[0], list(group), side)}"
        for key, group in groupby(counted, key=lambda row: (row["right"], row["round"]))
    ]


def _when(right: str, rounds: str) -> str:
    """Say when a right is asked: after a round, submarines in one."""
    first = rounds.rstrip("+")
    word = "in" if right == "submerge" else "after"
    if rounds == "1+":
        return f"{word} each round"
    later = " and later" if rounds.endswith("+") else ""
    return f"{word} round {first}{later}"


class _Case(NamedTuple):
    """One row: units of both sides, whether the right is used, how often."""

    own: int
    enemy: int
    uses: bool
    chance: float
    words: str


def _sentence(right: str, rows: Sequence[Row], side: str) -> str:
    own, enemy = ("attacker", "defender") if side == "attacker" else ("defender", "attacker")
    cases = [
        _Case(
            _units(row[own]),
            _units(row[enemy]),
            row["decision"] == right,
            row["chance"],
            f"{_force(row[own])} against {_force(row[enemy])}",
        )
        for row in rows
    ]
    use = _USE[right]
    uses = [case for case in cases if case.uses]
    goes_on = [case for case in cases if not case.uses]
    if not uses:
        return f"never {use}"
    if not goes_on:
        return use
    for few, one, other in ((uses, use, "fight on"), (goes_on, "fight on", use)):
        if len(few) <= MOST_NAMED:
            named = " or ".join(dict.fromkeys(case.words for case in few))
            return f"{one} with {named}; else {other}"
    return _by_units(cases, use)


def _by_units(cases: Sequence[_Case], use: str) -> str:
    """Say it by numbers of units: the rule that is right most often."""
    rules = []
    for uses, words in ((False, f"{use} unless"), (True, f"{use} if")):
        least = {
            enemy: _threshold([case for case in cases if case.enemy == enemy], uses)
            for enemy in {case.enemy for case in cases}
        }
        right = sum(case.chance for case in cases if (case.own >= least[case.enemy]) == (case.uses == uses))
        rules.append((right, not uses, words, least))
    right, _, words, least = max(rules, key=lambda rule: rule[:2])
    whole = sum(case.chance for case in cases)
    met = {enemy: [case for case in cases if case.enemy == enemy] for enemy in least}
    telling = [enemy for enemy in met if least[enemy] > min(case.own for case in met[enemy])]
    telling.sort(key=lambda enemy: -sum(case.chance for case in met[enemy]))
    named = sorted(telling[:MOST_THRESHOLDS])
    most = {enemy: max(case.own for case in met[enemy]) for enemy in named}
    parts = [
        f"at least {least[enemy]} unit{'s' if least[enemy] > 1 else ''} against {enemy}"
        if place == 0
        else f"{least[enemy]} against {enemy}"
        for place, enemy in enumerate(enemy for enemy in named if least[enemy] <= most[enemy])
    ]
    hopeless = [enemy for enemy in named if least[enemy] > most[enemy]]
    text = f"{words} you have {_listed(parts)}" if parts else use
    if hopeless and parts:
        verdict = use if words.endswith("unless") else "fight on"
        text += f"; against {_listed([str(enemy) for enemy in hopeless], 'or')} {verdict} in any case"
    share = right / whole
    return text if share > 1 - 1e-9 else f"{text} (right in {100 * share:.1f} % of the cases)"


def _threshold(cases: Sequence[_Case], uses: bool) -> int:
    """Fewest own units from which on the right is used (or not used), with the fewest exceptions."""
    candidates = sorted({case.own for case in cases})
    candidates.append(candidates[-1] + 1)

    def right(least: int) -> float:
        return sum(case.chance for case in cases if (case.own >= least) == (case.uses == uses))

    return max(candidates, key=lambda least: (right(least), -least))


def _units(force: str) -> int:
    """Count the units of a force.

    >>> _units("2 infantry, 1 battleship*")
    3
    """
    return sum(map(int, re.findall(r"\b(\d+) (?!hit)", force)))


def _force(force: str) -> str:
    """Write a force within a sentence.

    >>> _force("1 transport, 1 battleship*")
    '1 transport and 1 battleship (damaged)'
    """
    return _listed([unit_words(entry) for entry in force.split(", ")])


def _listed(parts: Iterable[str], word: str = "and") -> str:
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last

"""Tiny maps for tests, a line a space, and the questions asked of them.

``kent: land a flag flag port=dover | dover hull | a 3 infantry; b 1 tank moved=1 fought``: kind, owner, flags
and fields; borders (listed on one side, they hold for both); pieces. Powers: ``a``, ``ally``, ``russia``
against ``b``; ``n`` is neutral.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from battlecalc.mapping import After, Map, Muster, after, muster, parse_map

POWERS = {"a": "x", "ally": "x", "russia": "x", "b": "y", "n": ""}
LISTS = ("port", "coastal_guns")


class Row(NamedTuple):
    """A sentence, a tiny map, a question and its answer."""

    sentence: str
    map: str
    ask: Callable[[Map], Any]
    answer: Any
    more: dict[str, Any] = {}  # noqa: RUF012


def document(game: str, text: str, **more: Any) -> dict[str, Any]:
    """TOML document of a tiny map."""
    spaces: dict[str, dict[str, Any]] = {}
    borders: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, rest = line.split(":", 1)
        head, beside, pieces = [part.strip() for part in (rest + "||").split("|")[:3]]
        kind, *words = head.split()
        space: dict[str, Any] = {"kind": kind, "borders": [], "flags": [], "pieces": []}
        for word in words:
            key, _, value = word.partition("=")
            if value:
                space[key] = value.split(",") if key in LISTS else value
            elif word in POWERS and "owner" not in space:
                space["owner"] = word
            else:
                space["flags"].append(word)
        space["pieces"] = [piece(entry.split()) for entry in pieces.split(";") if entry.strip()]
        spaces[name] = space
        borders += [(name, end) for end in beside.split()]
    for start, end in borders:
        spaces[start]["borders"].append(end)
        spaces[end]["borders"].append(start)
    powers = {name: {"side": side} if side else {} for name, side in POWERS.items()}
    return {"ruleset": game, "powers": powers, "spaces": spaces, **more}


def piece(words: list[str]) -> dict[str, Any]:
    """One entry of pieces: power, count, unit, history."""
    power, count, unit, *history = words
    found: dict[str, Any] = {"power": power, "count": int(count), "unit": unit}
    for word in history:
        key, _, value = word.partition("=")
        found[key] = int(value) if value else True
    return found


def tiny(game: str, text: str, **more: Any) -> Map:
    """Tiny map."""
    return parse_map(document(game, text, **more), "tiny")


def forces(found: Muster) -> str:
    """Sequence and forces in one line; parts that are empty are left out."""
    parts = [found.attacker or "-"]
    parts += [f"over land {found.overland}"] if found.overland else []
    parts += [f"at sea {found.sea_attacker}"] if found.sea_attacker else []
    parts += ["v", found.defender or "-"]
    parts += [f"at sea {found.sea_defender}"] if found.sea_defender else []
    return f"{found.sequence}: {' '.join(parts)}"


def kept(found: Muster | After) -> dict[str, str]:
    """``"3 infantry in kent"`` -> the rule that stops them, in a non-combat move with what they wanted."""
    names = {}
    for entry in found.kept:
        what = "" if entry.what == "attack" else f"{entry.what}: "
        names[f"{what}{entry.piece.count} {entry.piece.unit} in {entry.piece.space}"] = entry.rule.key
    return names


def ways(found: Muster) -> dict[str, str]:
    """``"1 cruiser"`` -> its route and cost."""
    return {
        f"{entry.piece.count} {entry.piece.unit}": f"{' '.join(entry.route)} = {entry.cost}"
        for entry in found.joining
    }


def attack(board: Map, target: str, power: str = "a", **keywords: Any) -> Muster:
    """Muster for an attack by ``a``."""
    return muster(board, power, target, **keywords)


def quiet(board: Map, power: str = "a") -> After:
    """Non-combat move of ``a``."""
    return after(board, power)


def ends(found: After, kind: str, unit: str) -> set[str]:
    """Places that all pieces of a unit together may go to by a kind of move."""
    return {end for move in getattr(found, kind) if move.piece.unit == unit for end in move.routes}

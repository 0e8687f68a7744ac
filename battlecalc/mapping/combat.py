"""`muster`: from a map to the forces of a battle."""

from __future__ import annotations

import os

from battlecalc.mapping.assault import Assault
from battlecalc.mapping.board import Map, View
from battlecalc.mapping.files import read_map
from battlecalc.mapping.forming import add, result
from battlecalc.mapping.levy import Levy
from battlecalc.mapping.results import Muster, total
from battlecalc.mapping.routes import Ways
from battlecalc.mapping.tables import MapError


def muster(
    map: Map | str | os.PathLike[str],
    power: str,
    target: str,
    *,
    by: str | None = None,
    zone: str | None = None,
    fight: bool = False,
    at_sea: str = "",
    without: str = "",
    one_way: bool = False,
) -> Muster:
    """Everything of a power that can be in an attack on a space this turn, and why the rest cannot.

    Parameters
    ----------
    map : Map or path
        A map, its file, or the id of one that comes with the package.
    power : str
        Who attacks.
    target : str
        Space under attack, by id or printed name.
    by : {"land", "sea"}, optional
        Way into a territory, in a game that fights landings apart from land battles. By default over land
        if anybody can come that way.
    zone : str, optional
        Sea zone to land from; by default the one from which most can land, then one without a sea battle.
    fight : bool
        Whether to attack ships in that zone that the rules let the attacker ignore.
    at_sea : str
        Aircraft assigned to the sea battle before a landing, as a force string.
    without : str
        Pieces to leave out, as a force string.
    one_way : bool
        Let aircraft fight that have nowhere to land; they are counted in `cannot_land`.

    Returns
    -------
    Muster
        Forces ready for a battle, and every piece with its route or its rule.

    Raises
    ------
    battlecalc.mapping.MapError
        For an unknown power or space, or a space that holds nothing to attack.

    Examples
    --------
    >>> found = muster("western-europe", "united-kingdom", "western-europe")
    >>> found.sequence, found.zone
    ('invasion', 'sz-7')
    >>> found.defender
    '3 infantry, 1 artillery, 1 tank, 1 aa_gun, 1 fighter'
    """
    board = map if isinstance(map, Map) else read_map(map)
    view = View(board, power)
    goal = board.space(target)
    if goal.kind == "sea" and (by or zone or at_sea or fight):
        raise MapError(
            f"{target!r} is a sea zone: 'by', 'zone', 'fight' and 'at_sea' belong to attacks on a territory"
        )
    if by is not None and by not in ("land", "sea"):
        raise MapError(f"unknown way {by!r} into a territory; it is 'land' or 'sea'")
    if by is not None and "no_overland" not in board.rules:
        raise MapError(
            f"'by' has no use with {board.rules.id!r}: land and sea parts are one battle; use 'without'"
        )
    _check_target(view, goal.id)
    levy = Levy(view, goal, Ways(view), one_way=one_way)
    levy.call(without)
    if goal.kind == "sea":
        return _naval(levy)
    return Assault(levy, by, fight).run(board.space(zone).id if zone else "", at_sea)


def _check_target(view: View, target: str) -> None:
    """Raise if a space holds nothing to attack."""
    space = view.board.spaces[target]
    if "impassable" in space.flags:
        raise MapError(f"{target!r} is impassable; nobody can attack it")
    if not view.enemies(target) and (space.kind == "sea" or view.friendly(target) or view.neutral(target)):
        raise MapError(f"{target!r} holds nothing that {view.power.id!r} could attack")


def _naval(levy: Levy) -> Muster:
    """Attack on a sea zone."""
    view, target = levy.view, levy.target.id
    for piece in levy.of("sea"):
        route = levy.route(piece, target)
        if route is None:
            levy.keep_away(piece, target)
        else:
            levy.join(piece, "sea", route)
    levy.fly([(piece, target) for piece in levy.of("air")], fleet=target)
    guns = total(
        piece
        for shore in levy.target.borders
        if target in view.board.spaces[shore].coastal_guns
        for piece in view.enemies(shore)
        if "fort" in view.unit(piece).tags
    )
    afloat = total(piece for piece in view.enemies(target) if view.unit(piece).domain != "land")
    return result(levy, "naval", levy.count("sea", "air"), add(afloat, guns), battle_zone=target)

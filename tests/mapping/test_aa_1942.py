"""Axis & Allies 1942: one row a sentence of its rules around the battle: a map, a question, the answer."""

from __future__ import annotations

import pytest

from battlecalc.mapping import Map, movement, muster
from battlecalc.rulesets import load_ruleset

from .tiny import Row, attack, ends, forces, kept, quiet, tiny, ways


def chain(length: int, last: str, first: str) -> str:
    """Sea zones in a line: ``z0`` with pieces, to ``z{length}`` with others."""
    pieces = {0: first, length: last}
    return "\n".join(
        f"z{n}: sea | {f'z{n + 1}' if n < length else ''} | {pieces.get(n, '')}" for n in range(length + 1)
    )


def options(board: Map) -> dict[str, bool]:
    """Read the four options of the only shared zone."""
    (shared,) = attack(board, "target").shared_zones
    return {
        "stay": shared.stay_and_fight,
        "return": shared.load_and_return,
        "elsewhere": shared.leave_and_fight,
        "peace": shared.leave_in_peace,
    }


# A shared zone s, beside t (free) and h (hostile); target only gives the muster a place to attack.
SHARED = """
    s: sea | t | a 1 {unit}; b 1 {enemy}
    t: sea | h
    h: sea | | b 1 {other}
    kent: land a | t | a 1 infantry
    home: land a | target
    target: land b | | b 1 infantry
"""
ASSAULT = """
    kent: land a | r | a 2 infantry; a 1 tank
    r: sea | s | a 1 transport; a 1 battleship; a 1 destroyer; a 1 submarine
    s: sea | calais | {ships}
    calais: land b | | b 2 infantry; b 1 aa_gun
    {more}
"""


def shared(unit: str, enemy: str = "destroyer", other: str = "cruiser") -> str:
    return SHARED.format(unit=unit, enemy=enemy, other=other)


def assault(ships: str = "", more: str = "") -> str:
    return ASSAULT.format(ships=ships, more=more)


PLANES = "air: land a | s r | a 2 fighter; a 1 bomber"
CARRIER_BOUGHT = {"mobilise": [{"power": "a", "unit": "carrier", "space": "z3"}]}

SENTENCES = [
    # ---------------------------------------------------------------- a shared hostile zone
    Row(
        "Ships that begin the turn in a hostile zone stay and fight",
        "s: sea | | a 1 cruiser; b 1 destroyer",
        lambda board: (ways(attack(board, "s")), forces(attack(board, "s"))),
        ({"1 cruiser": "s = 0"}, "naval: 1 cruiser v 1 destroyer"),
    ),
    Row(
        "or leave it and fight elsewhere",
        "s: sea | t | a 1 cruiser; b 1 destroyer\nt: sea | | b 1 cruiser",
        lambda board: ways(attack(board, "t")),
        {"1 cruiser": "s t = 1"},
    ),
    Row(
        "All four options are open to a transport with a free zone and cargo next to it",
        shared("transport"),
        options,
        {"stay": True, "return": True, "elsewhere": True, "peace": True},
    ),
    Row(
        "Only a transport loads and comes back",
        shared("cruiser"),
        options,
        {"stay": True, "return": False, "elsewhere": True, "peace": True},
    ),
    Row(
        "Enemy submarines and transports alone make no zone hostile",
        shared("cruiser", enemy="submarine"),
        lambda board: attack(board, "target").shared_zones,
        (),
    ),
    Row(
        "They may load elsewhere and come back, but not load in the hostile zone",
        "kent: land a | s | a 1 infantry\n"
        "s: sea | t calais | a 1 transport; a 1 cruiser; b 1 destroyer\nt: sea\n"
        "calais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais"))["1 infantry in kent"],
        "shared_zone",
    ),
    Row(
        "They may load elsewhere and come back: the cargo that they fetch lands after the battle",
        "kent: land a | t | a 1 infantry\n"
        "s: sea | t calais | a 1 transport; a 1 cruiser; b 1 destroyer\nt: sea\n"
        "calais: land b | | b 1 infantry",
        lambda board: (forces(attack(board, "calais")), ways(attack(board, "calais"))["1 transport"]),
        ("invasion: 1 infantry, 1 transport, 1 cruiser v 1 infantry at sea 1 destroyer", "s t s = 2"),
    ),
    Row(
        "A ship ends its move in a hostile zone",
        "r: sea | s | a 1 cruiser\ns: sea | t | b 1 destroyer\nt: sea | | b 1 transport",
        lambda board: kept(attack(board, "t")),
        {"1 cruiser in r": "hostile_zone"},
    ),
    Row(
        "Ships pass a zone that holds only submarines and transports",
        "r: sea | s | a 1 cruiser\ns: sea | t | b 1 submarine; b 1 transport\nt: sea | | b 1 cruiser",
        lambda board: ways(attack(board, "t")),
        {"1 cruiser": "r s t = 2"},
    ),
    Row(
        "A submarine passes a hostile zone without a destroyer",
        "r: sea | s | a 1 submarine\ns: sea | t | b 1 cruiser\nt: sea | | b 1 cruiser",
        lambda board: ways(attack(board, "t")),
        {"1 submarine": "r s t = 2"},
    ),
    Row(
        "A submarine does not pass an enemy destroyer",
        "r: sea | s | a 1 submarine\ns: sea | t | b 1 destroyer\nt: sea | | b 1 cruiser",
        lambda board: kept(attack(board, "t")),
        {"1 submarine in r": "hostile_zone"},
    ),
    # ---------------------------------------------------------------- aircraft
    Row(
        "A bomber with 6 cannot attack 6 away",
        chain(5, "b 1 cruiser", "").replace("z0: sea |", "home: land a | z0 | a 1 bomber\nz0: sea |"),
        lambda board: kept(attack(board, "z5")),
        {"1 bomber in home": "landing"},
    ),
    Row(
        "A bomber with 6 attacks 3 away and comes back",
        chain(2, "b 1 cruiser", "").replace("z0: sea |", "home: land a | z0 | a 1 bomber\nz0: sea |"),
        lambda board: [(entry.cost, entry.lands) for entry in attack(board, "z2").joining],
        [(3, "home")],
    ),
    Row(
        "A fighter may spend all 4 if a carrier can be there",
        chain(4, "b 1 cruiser", "a 1 fighter; a 1 carrier").replace("z4: sea |", "z4: sea | z5")
        + "\nz5: sea | | a 1 carrier",
        lambda board: [(e.cost, e.lands, e.deck) for e in attack(board, "z4").joining if e.part == "air"],
        [(4, "z4", True)],
    ),
    Row(
        "A fighter may not spend all 4 if no carrier can be there in time",
        chain(4, "b 1 cruiser", "a 1 fighter; a 1 carrier"),
        lambda board: kept(attack(board, "z4"))["1 fighter in z0"],
        "carrier",
    ),
    Row(
        "A carrier to be mobilised counts",
        chain(3, "b 1 cruiser", "a 1 fighter; a 1 carrier"),
        lambda board: [e.lands for e in attack(board, "z3", without="1 carrier").joining],
        ["z3"],
        CARRIER_BOUGHT,
    ),
    Row(
        "A carrier takes two fighters",
        "home: land a | z0 | a 3 fighter moved=1\nz0: sea | z1\nz1: sea | z2 | a 1 carrier\n"
        "z2: sea | | b 1 cruiser",
        lambda board: (attack(board, "z2").attacker, kept(attack(board, "z2"))),
        ("2 fighter, 1 carrier", {"1 fighter in home": "carrier"}),
    ),
    Row(
        "Planes that keep their place aboard leave none for others",
        "home: land a | z0 | a 1 fighter moved=1\nz0: sea | z1\n"
        "z1: sea | z2 | a 1 carrier; a 2 fighter fought\n"
        "z2: sea | | b 1 cruiser",
        lambda board: kept(attack(board, "z2"))["1 fighter in home"],
        "carrier",
    ),
    Row(
        "Friendly fighters may use an ally's carrier",
        "home: land a | z0 | a 1 fighter\nz0: sea | z1\nz1: sea | z2 | ally 1 carrier\n"
        "z2: sea | | b 1 cruiser",
        lambda board: [(e.piece.unit, e.lands) for e in attack(board, "z2").joining],
        [("fighter", "z1")],
    ),
    Row(
        "A bomber cannot land on a carrier",
        "home: land a | z0 | a 1 bomber moved=3\nz0: sea | z1\nz1: sea | z2 | a 1 carrier\n"
        "z2: sea | | b 1 cruiser",
        lambda board: kept(attack(board, "z2")),
        {"1 bomber in home": "landing"},
    ),
    Row(
        "AA guns fire only where the territory is attacked: a plane flies over others unhurt",
        "home: land a | over | a 1 fighter\nover: land b | t | b 1 aa_gun\nt: land b | | b 1 infantry",
        lambda board: (
            forces(attack(board, "t")),
            attack(board, "t").expected_losses,
            [rule.key for rule in attack(board, "t").rules],
        ),
        ("land: 1 fighter v 1 infantry", {}, ["aa_at_target"]),
    ),
    # ---------------------------------------------------------------- amphibious assaults
    Row(
        "An assault is declared in the combat move, also where no sea battle is expected",
        assault(),
        lambda board: ([rule.key for rule in attack(board, "calais").rules], forces(attack(board, "calais"))),
        (["declared"], "invasion: 1 infantry, 1 tank, 1 transport, 1 battleship v 2 infantry, 1 aa_gun"),
    ),
    Row(
        "A transport carries one infantry and one other land unit",
        assault(),
        lambda board: {name: rule for name, rule in kept(attack(board, "calais")).items() if "kent" in name},
        {"1 infantry in kent": "capacity"},
    ),
    Row(
        "A transport loads in two territories on its way",
        "kent: land a | r | a 1 tank\nwales: land a | s | a 1 infantry\n"
        "r: sea | s | a 1 transport\ns: sea | t\n"
        "t: sea | calais\ncalais: land b | | b 1 infantry",
        lambda board: ways(attack(board, "calais")),
        {"1 transport": "r s t = 2", "1 tank": "kent r s t calais = 2", "1 infantry": "wales s t calais = 2"},
    ),
    Row(
        "An assault comes from a zone that is cleared first",
        assault("b 1 destroyer; b 1 submarine; b 1 transport"),
        lambda board: forces(attack(board, "calais")),
        "invasion: 1 infantry, 1 tank, 1 transport, 1 battleship at sea 1 submarine, 1 destroyer "
        "v 2 infantry, 1 aa_gun at sea 1 submarine, 1 transport, 1 destroyer",
    ),
    Row(
        "Only submarines and transports there: the attacker may ignore them",
        assault("b 1 submarine; b 1 transport"),
        lambda board: (
            attack(board, "calais").sea_defender,
            kept(attack(board, "calais"))["1 destroyer in r"],
        ),
        ("", "no_sea_battle"),
    ),
    Row(
        "or fight them",
        assault("b 1 submarine; b 1 transport"),
        lambda board: (
            attack(board, "calais", fight=True).sea_defender,
            attack(board, "calais", fight=True).sea_attacker,
        ),
        ("1 submarine, 1 transport", "1 submarine, 1 destroyer"),
    ),
    Row(
        "An assault may be combined with an attack over land",
        assault(more="lille: land a | calais | a 2 infantry"),
        lambda board: forces(attack(board, "calais")),
        "invasion: 1 infantry, 1 tank, 1 transport, 1 battleship over land 2 infantry v 2 infantry, 1 aa_gun",
    ),
    Row(
        "Aircraft are assigned to the sea part or to the land part",
        assault("b 1 cruiser", PLANES),
        lambda board: (
            attack(board, "calais", at_sea="1 fighter").sea_attacker,
            attack(board, "calais", at_sea="1 fighter").attacker,
            "sea_or_land" in [rule.key for rule in attack(board, "calais").rules],
        ),
        (
            "1 fighter, 1 submarine, 1 destroyer",
            "1 infantry, 1 tank, 1 fighter, 1 bomber, 1 transport, 1 battleship",
            True,
        ),
    ),
    Row(
        "Cargo that is aboard already lands too",
        "s: sea | calais | a 1 transport; a 1 infantry; a 1 tank\ncalais: land b | | b 1 infantry",
        lambda board: forces(attack(board, "calais")),
        "invasion: 1 infantry, 1 tank, 1 transport v 1 infantry",
    ),
    Row(
        "A land unit that is carried has not moved",
        "kent: land a | s | a 1 tank moved=1\ns: sea | calais | a 1 transport\n"
        "calais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais")),
        {"1 tank in kent": "cargo_unmoved", "1 transport in s": "no_cargo"},
    ),
    # ---------------------------------------------------------------- land
    Row(
        "A tank passes empty enemy territory",
        "w: land a | x | a 1 tank\nx: land b | y\ny: land b | | b 1 infantry",
        lambda board: ways(attack(board, "y")),
        {"1 tank": "w x y = 2"},
    ),
    Row(
        "A tank does not pass enemy territory that holds a piece, an AA gun included",
        "w: land a | x | a 1 tank\nx: land b | y | b 1 aa_gun\ny: land b | | b 1 infantry",
        lambda board: kept(attack(board, "y")),
        {"1 tank in w": "hostile_territory"},
    ),
    Row(
        "An AA gun moves in the non-combat move only",
        "w: land a | x v | a 1 aa_gun\nx: land b | | b 1 infantry\nv: land a",
        lambda board: (kept(attack(board, "x")), ends(quiet(board), "moves", "aa_gun")),
        ({"1 aa_gun in w": "noncombat"}, {"v"}),
    ),
    # ---------------------------------------------------------------- after the battle
    Row(
        "Ships that moved or fought do nothing in the non-combat move",
        "r: sea | s | a 1 cruiser moved=1; a 1 destroyer fought; a 1 submarine\ns: sea",
        lambda board: (kept(quiet(board)), [move.piece.unit for move in quiet(board).moves]),
        ({"move: 1 cruiser in r": "done", "move: 1 destroyer in r": "done"}, ["submarine"]),
    ),
    Row(
        "Surviving planes land with the movement they have left, not in newly taken territory",
        "w: land a | x\n"
        "x: land a newly_captured | y | a 2 fighter moved=2 fought; a 1 fighter fought left=0\ny: land a",
        lambda board: (ends(quiet(board), "landings", "fighter"), quiet(board).lost),
        ({"w", "y"}, "1 fighter"),
    ),
    Row(
        "After the battle a carrier that did not move may come to its planes",
        "s: sea | t | a 1 fighter moved=4 fought\nt: sea | u\nu: sea | | a 1 carrier",
        lambda board: (ends(quiet(board), "landings", "fighter"), quiet(board).lost),
        ({"s"}, ""),
    ),
    Row(
        "After the battle a carrier that fought stays where it is",
        "s: sea | t | a 1 fighter moved=4 fought\nt: sea | u\nu: sea | | a 1 carrier fought",
        lambda board: (quiet(board).lost, kept(quiet(board))["land: 1 fighter in s"]),
        ("1 fighter", "carrier"),
    ),
]


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row.sentence)
def test_sentence(row):
    assert row.ask(tiny("aa-1942", row.map, **row.more)) == row.answer


def test_planes_without_a_landing_go_where_asked_and_are_counted():
    board = tiny("aa-1942", "home: land a | z0 | a 1 bomber moved=4\nz0: sea | z1\nz1: sea | | b 1 cruiser")
    assert kept(attack(board, "z1")) == {"1 bomber in home": "landing"}
    found = attack(board, "z1", one_way=True)
    assert found.attacker == "1 bomber"
    assert found.cannot_land == {"bomber": 1}


def test_most_can_land_from_the_zone_that_is_chosen():
    text = """
        kent: land a | s | a 2 infantry
        s: sea | calais t | a 1 transport
        t: sea | calais | b 1 destroyer
        calais: land b | | b 1 infantry
    """
    board = tiny("aa-1942", text)
    assert attack(board, "calais").zone == "s"
    chosen = muster(board, "a", "calais", zone="t")
    assert chosen.sea_defender == "1 destroyer"


def test_units_and_their_costs_are_those_of_the_ruleset():
    for game in ("great-war", "aa-1942"):
        rules = movement(game)
        units = load_ruleset(game).units
        for unit in rules.units.values():
            assert unit.id in units
            assert unit.cost == (units[unit.id].cost or 0)
            assert set(unit.aliases) <= {unit.id, "storm_troop", *units[unit.id].aliases}

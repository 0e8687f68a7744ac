"""The Great War: one row a sentence of its rules around the battle: a map, a question, the answer."""

from __future__ import annotations

from typing import Any

import pytest

from battlecalc.mapping import movement, rail_route
from battlecalc.mapping.routes import Obstacle

from .tiny import Row, attack, ends, forces, kept, quiet, tiny, ways

BARRIER = {"barriers": [{"name": "the Channel", "between": ["kent", "calais"]}]}
DARDANELLES = {
    "straits": [{"name": "the Dardanelles", "zones": ["aegean", "marmara"], "shores": ["thrace", "bursa"]}]
}
CLOSED = {"straits": [{**DARDANELLES["straits"][0], "open": False}]}
FORTS = {"passages": [{"between": ["aegean", "marmara"], "forts": ["thrace"]}]}

HULL = """
    hull: land a port=east,west | | a 1 cruiser
    east: sea | hull far | {east}
    west: sea | hull far | {west}
    far: sea | | b 1 cruiser
"""
LINE = "w: land {w} | | a 1 {unit}\nx: land {x} | w\ny: land {y} | x\nz: land {z} | y"
RAILS = """
    a1: land a | | a 1 infantry; a 1 artillery
    a2: land a {a2} | a1
    a3: land {a3} | a2
    a4: land a | a3
    a5: land a | a4
    a6: land a | a5
"""


def rails(text: str, start: str, goal: str, power: str = "a", **more: Any) -> Any:
    """Route of a rail move, or the rule against it."""
    found = rail_route(tiny("great-war", text, **more), power, start, goal)
    return found.rule if isinstance(found, Obstacle) else len(found) - 1


def hull(east: str = "", west: str = "") -> str:
    return HULL.format(east=east, west=west)


def line(unit: str, x: str = "a", y: str = "b", z: str = "b") -> str:
    return LINE.format(unit=unit, w="a", x=x, y=y, z=z)


SENTENCES = [
    # ---------------------------------------------------------------- ports
    Row(
        "Ships in port are safe from naval attack: they are no defenders of the zone outside",
        "kent: land a port=s | s | a 1 cruiser\ns: sea | brest | b 1 submarine\n"
        "brest: land b port=s | | b 2 cruiser",
        lambda board: (forces(attack(board, "s")), [rule.key for rule in attack(board, "s").rules]),
        ("naval: 1 cruiser v 1 submarine", ["port_safe"]),
    ),
    Row(
        "Ships in port are safe from naval attack: they are no defenders of the territory either",
        "kent: land a | | a 1 infantry\nbrest: land b port=s | kent s | b 1 infantry; b 2 cruiser\ns: sea",
        lambda board: forces(attack(board, "brest")),
        "land: 1 infantry v 1 infantry",
    ),
    Row(
        "Leaving a port costs 1 movement",
        "kent: land a port=s | s | a 1 cruiser\ns: sea | t\nt: sea | u | b 1 cruiser\nu: sea | | b 1 cruiser",
        lambda board: (ways(attack(board, "t")), kept(attack(board, "u"))),
        ({"1 cruiser": "kent s t = 2"}, {"1 cruiser in kent": "range"}),
    ),
    Row(
        "Entering a port costs 1 movement",
        "kent: land a port=s | s\ns: sea | t\nt: sea | u | a 1 cruiser\nu: sea",
        lambda board: quiet(board).moves[0].routes["kent"],
        ("t", "s", "kent"),
    ),
    Row(
        "A blockaded fleet must beat the blockaders to leave",
        "kent: land a port=s | s | a 1 cruiser\ns: sea | t | b 1 submarine\nt: sea | | b 1 cruiser",
        lambda board: (kept(attack(board, "t")), ways(attack(board, "s"))),
        ({"1 cruiser in kent": "blockade"}, {"1 cruiser": "kent s = 1"}),
    ),
    Row(
        "Transports do not blockade (assumed)",
        "kent: land a port=s | s | a 1 cruiser\ns: sea | t | b 1 transport\nt: sea | | b 1 cruiser",
        lambda board: ways(attack(board, "t")),
        {"1 cruiser": "kent s t = 2"},
    ),
    Row(
        "Five ports open on two zones: blockading one side leaves the other free",
        hull(east="b 1 cruiser"),
        lambda board: ways(attack(board, "far")),
        {"1 cruiser": "hull west far = 2"},
    ),
    Row(
        "Blockading both sides of such a port closes it",
        hull(east="b 1 cruiser", west="b 1 cruiser"),
        lambda board: kept(attack(board, "far")),
        {"1 cruiser in hull": "blockade"},
    ),
    Row(
        "A fallen territory forces ships out to sea: before the battle it is said which",
        "kent: land a | | a 1 infantry\nbrest: land b port=s,t | kent s t | b 2 cruiser\ns: sea\nt: sea",
        lambda board: [(e.piece.unit, e.piece.count, e.zones) for e in attack(board, "brest").forced_out],
        [("cruiser", 2, ("s", "t"))],
    ),
    Row(
        "A fallen territory forces ships out to sea: after it, the owner's",
        "brest: land b port=s | s | a 1 cruiser\ns: sea",
        lambda board: [(e.piece.unit, e.zones, e.rule.key) for e in quiet(board).forced_out],
        [("cruiser", ("s",), "port_forced_out")],
    ),
    # ---------------------------------------------------------------- mines and forts on the way
    Row(
        "Mines roll one die against each ship, a 1 is a hit: on the way as expected losses",
        "s: sea | t | a 2 cruiser; a 1 dreadnought\nt: sea mines=b | u\nu: sea | | b 1 cruiser",
        lambda board: (attack(board, "u").expected_losses, dict(attack(board, "u").options)),
        ({"cruiser": pytest.approx(2 / 6)}, {}),
    ),
    Row(
        "Mines in the zone attacked are an option of the battle",
        "s: sea | t | a 2 cruiser\nt: sea mines=b | | b 1 cruiser",
        lambda board: (attack(board, "t").expected_losses, dict(attack(board, "t").options)),
        ({}, {"mines": True}),
    ),
    Row(
        "Own mines hurt nobody of the own side",
        "s: sea | t | a 2 cruiser\nt: sea mines=ally | | b 1 cruiser",
        lambda board: dict(attack(board, "t").options),
        {},
    ),
    Row(
        "Pass-through fire: the battle counts each fort beside the route",
        "aegean: sea | marmara | a 1 cruiser\nmarmara: sea | thrace | b 1 cruiser\n"
        "thrace: land b | | b 2 fort",
        lambda board: dict(attack(board, "marmara").options),
        {"pass_through_forts": 2},
        FORTS,
    ),
    Row(
        "Pass-through fire needs no infantry, and is not against submarines",
        "aegean: sea | marmara | a 1 submarine\nmarmara: sea | thrace\nthrace: land b | | b 2 fort",
        lambda board: quiet(board).moves[0].hazards,
        None,
        FORTS,
    ),
    Row(
        "Pass-through fire is no option of a battle that only submarines pass the forts to",
        "aegean: sea | marmara | a 1 submarine\nmarmara: sea | thrace | b 1 cruiser\n"
        "thrace: land b | | b 2 fort",
        lambda board: dict(attack(board, "marmara").options),
        {},
        FORTS,
    ),
    Row(
        "Non-combat naval moves suffer mines and sea-fort fire",
        "aegean: sea | marmara | a 1 cruiser\nmarmara: sea mines=b | thrace\nthrace: land b | | b 1 fort",
        lambda board: quiet(board).moves[0].hazards,
        {"marmara": pytest.approx(1 - 5 / 6 * 1 / 4)},
        FORTS,
    ),
    Row(
        "Of two ways of one length ships take the one without mines",
        "s: sea | t v | a 1 cruiser\nt: sea mines=b | u\nv: sea | u\nu: sea | | b 1 cruiser",
        lambda board: ways(attack(board, "u")),
        {"1 cruiser": "s v u = 2"},
    ),
    Row(
        "A strait is closed to those whose enemy holds a shore",
        "aegean: sea | marmara | a 1 cruiser\nmarmara: sea | | b 1 cruiser\nthrace: land b\nbursa: land a",
        lambda board: kept(attack(board, "marmara")),
        {"1 cruiser in aegean": "strait"},
        DARDANELLES,
    ),
    Row(
        "A strait is open to those who hold its shores",
        "aegean: sea | marmara | a 1 cruiser\nmarmara: sea | | b 1 cruiser\nthrace: land ally\nbursa: land a",
        lambda board: ways(attack(board, "marmara")),
        {"1 cruiser": "aegean marmara = 1"},
        DARDANELLES,
    ),
    # ---------------------------------------------------------------- transports
    Row(
        "A land piece crosses the sea only aboard a transport",
        "kent: land a | s | a 3 infantry\ns: sea | calais\ncalais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais")),
        {"3 infantry in kent": "no_transport"},
    ),
    Row(
        "A transport carries two infantry types: the third stays behind",
        "kent: land a | s | a 3 infantry\ns: sea | calais | a 1 transport\ncalais: land b | | b 1 infantry",
        lambda board: (forces(attack(board, "calais")), kept(attack(board, "calais"))),
        ("invasion: 2 infantry, 1 transport v 1 infantry", {"1 infantry in kent": "capacity"}),
    ),
    Row(
        "A transport carries one other unit: a tank fills it",
        "kent: land a | s | a 1 tank; a 1 infantry\ns: sea | calais | a 2 transport\n"
        "calais: land b | | b 1 infantry",
        lambda board: forces(attack(board, "calais")),
        "invasion: 1 infantry, 1 tank, 2 transport v 1 infantry",
    ),
    Row(
        "Transports load in one territory",
        "kent: land a | s | a 1 infantry\ndover: land a | s | a 1 infantry\n"
        "s: sea | calais | a 1 transport\n"
        "calais: land b | | b 1 infantry",
        lambda board: (attack(board, "calais").attacker, list(kept(attack(board, "calais")).values())),
        ("1 infantry, 1 transport", ["one_pickup"]),
    ),
    Row(
        "Transports do not load in a contested zone",
        "kent: land a | s | a 1 infantry\ns: sea contested | t | a 1 transport\nt: sea | calais\n"
        "calais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais", by="sea"))["1 infantry in kent"],
        "contested_zone",
    ),
    Row(
        "Transports do not unload in a contested zone",
        "kent: land a | s | a 1 infantry\ns: sea | t | a 1 transport\nt: sea contested | calais\n"
        "calais: land b | | b 1 infantry",
        lambda board: (attack(board, "calais").sequence, kept(attack(board, "calais"))["1 infantry in kent"]),
        ("land", "no_route"),
    ),
    Row(
        "Carried land units do not move otherwise",
        "kent: land a | s | a 1 infantry; a 1 cavalry moved=1\ns: sea | calais | a 1 transport\n"
        "calais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais")),
        {"1 cavalry in kent": "cargo_unmoved"},
    ),
    Row(
        "No transport loads in a zone that enemies hold",
        "kent: land a | s | a 2 infantry\ns: sea | calais | a 1 transport; b 1 cruiser\n"
        "calais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais"))["2 infantry in kent"],
        "contested_zone",
    ),
    Row(
        "Ships in port load there, and beat the blockaders on the way out",
        "kent: land a port=s | s | a 2 infantry; a 1 transport; a 1 cruiser; a 1 submarine\n"
        "s: sea | calais | b 1 cruiser\ncalais: land b | | b 1 infantry",
        lambda board: forces(attack(board, "calais")),
        "invasion: 2 infantry, 1 cruiser, 1 transport at sea 1 submarine v 1 infantry at sea 1 cruiser",
    ),
    Row(
        "A naval battle comes first: cargo that was loaded elsewhere lands after it",
        "kent: land a | r | a 2 infantry\nr: sea | s | a 1 transport; a 1 cruiser; a 1 submarine\n"
        "s: sea | calais | b 1 cruiser\ncalais: land b | | b 1 infantry",
        lambda board: forces(attack(board, "calais")),
        "invasion: 2 infantry, 1 cruiser, 1 transport at sea 1 submarine v 1 infantry at sea 1 cruiser",
    ),
    Row(
        "A landing force has no rail guns and no overland part",
        "kent: land a | s | a 2 infantry\ns: sea | calais | a 1 transport\n"
        "calais: land b | | b 1 infantry\n"
        "lille: land a | calais | a 1 rail_gun; a 1 infantry",
        lambda board: kept(attack(board, "calais", by="sea")),
        {"1 rail_gun in lille": "stays_ashore", "1 infantry in lille": "no_overland"},
    ),
    Row(
        "Artillery and tanks alone make no landing",
        "kent: land a | s | a 1 tank; a 1 artillery\ns: sea | calais | a 2 transport\n"
        "calais: land b | | b 1 infantry",
        lambda board: (forces(attack(board, "calais")), kept(attack(board, "calais"))["1 tank in kent"]),
        ("land: - v 1 infantry", "waits"),
    ),
    Row(
        "Who chose to come by sea does not walk in, whether anybody lands or not",
        "s: sea | calais\ncalais: land b | | b 1 infantry\nlille: land a | calais | a 1 infantry",
        lambda board: (forces(attack(board, "calais", by="sea")), kept(attack(board, "calais", by="sea"))),
        ("land: - v 1 infantry", {"1 infantry in lille": "no_overland"}),
    ),
    Row(
        "A barrier on the map is crossed by transport only",
        "kent: land a | calais | a 1 infantry\ncalais: land b | | b 1 infantry",
        lambda board: kept(attack(board, "calais")),
        {"1 infantry in kent": "barrier"},
        BARRIER,
    ),
    # ---------------------------------------------------------------- contested territory, land moves
    Row(
        "Who starts in a contested territory can only fight on there",
        "x: land b contested | y | a 3 infantry; b 1 infantry\ny: land b | | b 1 infantry",
        lambda board: (
            kept(attack(board, "y")),
            forces(attack(board, "x")),
            dict(attack(board, "x").options),
        ),
        ({"3 infantry in x": "contested_start"}, "land: 3 infantry v 1 infantry", {"from_contested": True}),
    ),
    Row(
        "Others may enter a contested territory to fight, and are no attackers out of it",
        "w: land a | x | a 2 infantry\nx: land b contested | | ally 1 infantry; b 1 infantry",
        lambda board: (forces(attack(board, "x")), dict(attack(board, "x").options)),
        ("land: 2 infantry v 1 infantry", {}),
    ),
    Row(
        "A contested territory may not be passed",
        line("cavalry", x="b contested"),
        lambda board: kept(attack(board, "y")),
        {"1 cavalry in w": "contested_through"},
    ),
    Row(
        "Who starts in a contested territory does not walk away in the non-combat move",
        "x: land b contested | y | a 1 infantry; b 1 infantry\ny: land a",
        lambda board: kept(quiet(board))["move: 1 infantry in x"],
        "contested_start",
    ),
    Row(
        "A piece moves no further than its movement value",
        line("cavalry", x="a", y="a"),
        lambda board: kept(attack(board, "z")),
        {"1 cavalry in w": "range"},
    ),
    Row(
        "A land piece ends its move in the first enemy territory",
        line("cavalry", x="b", y="b"),
        lambda board: kept(attack(board, "y")),
        {"1 cavalry in w": "hostile_territory"},
    ),
    Row(
        "A cavalry goes two spaces",
        line("cavalry", x="a", y="b"),
        lambda board: ways(attack(board, "y")),
        {"1 cavalry": "w x y = 2"},
    ),
    Row(
        "Entrenched infantry and forts only defend",
        "x: land a | y | a 1 entrenched_infantry; a 1 fort\ny: land b | | b 1 entrenched_infantry; b 1 fort",
        lambda board: (set(kept(attack(board, "y")).values()), attack(board, "y").defender),
        ({"defends_only"}, "1 entrenched_infantry, 1 fort"),
    ),
    Row(
        "A rail gun in an adjacent space may fire, the defender's too",
        "x: land a | y | a 1 infantry; a 1 rail_gun\ny: land b | z | b 1 infantry\n"
        "z: land b | | b 2 rail_gun",
        lambda board: forces(attack(board, "y")),
        "land: 1 infantry, 1 adjacent_rail_gun v 1 infantry, 2 adjacent_rail_gun",
    ),
    Row(
        "Rail guns beside a territory support others, and neither attack nor defend alone",
        "x: land a | y | a 1 rail_gun\ny: land b | z\nz: land b | | b 2 rail_gun",
        lambda board: (forces(attack(board, "y")), kept(attack(board, "y"))),
        ("land: - v -", {"1 rail_gun in x": "adjacent_guns"}),
    ),
    Row(
        "A rail gun two spaces away does not",
        line("rail_gun", x="a"),
        lambda board: kept(attack(board, "y")),
        {"1 rail_gun in w": "range"},
    ),
    Row(
        "A coastal fort joins the naval battle of the zone it covers",
        "s: sea | t | a 1 cruiser\nt: sea | brest | b 1 submarine\nbrest: land b coastal_guns=t | | b 1 fort",
        lambda board: forces(attack(board, "t")),
        "naval: 1 cruiser v 1 fort, 1 submarine",
    ),
    # ---------------------------------------------------------------- entrenching and rail
    Row(
        "Infantry that did not move may entrench",
        "x: land a | | a 2 infantry; a 1 infantry moved=1",
        lambda board: (
            [p.count for p in quiet(board).entrench],
            kept(quiet(board))["entrench: 1 infantry in x"],
        ),
        ([2], "entrench"),
    ),
    Row(
        "Only infantry entrenches",
        "x: land a | | a 2 cavalry; a 1 storm_troops; a 1 artillery",
        lambda board: quiet(board).entrench,
        (),
    ),
    Row(
        "Rail: 4 spaces",
        RAILS.format(a2="", a3="a"),
        lambda board: (ends(quiet(board), "rail", "infantry"), rail_route(board, "a", "a1", "a6").rule),
        ({"a2", "a3", "a4", "a5"}, "rail"),
    ),
    Row(
        "Rail: only pieces that have not moved or fought",
        "x: land a | y | a 1 infantry moved=1\ny: land a",
        lambda board: (quiet(board).rail, kept(quiet(board))["rail: 1 infantry in x"]),
        ((), "done"),
    ),
    # ---------------------------------------------------------------- aircraft
    Row(
        "Aircraft must land in territory friendly since the start of the turn",
        "x: land a | y | a 1 fighter\ny: land a newly_captured | z\nz: land a newly_captured | v\n"
        "v: land b | | b 1 infantry",
        lambda board: kept(attack(board, "v")),
        {"1 fighter in x": "landing"},
    ),
    Row(
        "A fighter keeps movement to land",
        "x: land a | y | a 1 fighter\ny: land b | | b 1 infantry",
        lambda board: [(entry.lands, entry.cost) for entry in attack(board, "y").joining],
        [("x", 1)],
    ),
    Row(
        "After the battle: a fighter lands in friendly territory only, within what is left",
        "x: land a | y\ny: land a newly_captured | z\n"
        "z: land b contested | | a 1 fighter moved=1 fought; b 1 infantry",
        lambda board: ends(quiet(board), "landings", "fighter"),
        {"x"},
    ),
    Row(
        "After the battle: a fighter that cannot land is lost",
        "x: land a | y\ny: land a newly_captured | z\n"
        "z: land b contested | | a 1 fighter moved=2 fought; b 1 infantry",
        lambda board: (quiet(board).lost, kept(quiet(board))["land: 1 fighter in z"]),
        ("1 fighter", "landing"),
    ),
    Row(
        "A zeppelin may stay in contested and newly taken territory, and in a friendly or neutral sea zone",
        "x: land a newly_captured | y s t | a 1 zeppelin moved=3\ny: land b contested | | b 1 infantry\n"
        "s: sea\nt: sea | | b 1 cruiser",
        lambda board: ends(quiet(board), "landings", "zeppelin"),
        {"x", "y", "s"},
    ),
    Row(
        "A zeppelin may spend all its movement to attack, and stay where it won",
        "s: land a | t | a 1 zeppelin\nt: land a newly_captured | u\nu: land b | v\nv: land b | w\n"
        "w: land b | | b 1 infantry",
        lambda board: [(entry.lands, entry.cost) for entry in attack(board, "w").joining],
        [("w", 4)],
    ),
    Row(
        "Nobody flies over a neutral country (assumed)",
        "x: land a | y | a 1 fighter\ny: land n | z\nz: land b | | b 1 infantry",
        lambda board: kept(attack(board, "z")),
        {"1 fighter in x": "neutral"},
    ),
    Row(
        "A piece fights one battle a turn (assumed)",
        "x: land a | y | a 1 fighter moved=1 fought\ny: land b | | b 1 infantry",
        lambda board: kept(attack(board, "y")),
        {"1 fighter in x": "fought"},
    ),
    Row(
        "Land pieces do not fight at sea",
        "x: land a | s | a 1 infantry\ns: sea | | b 1 cruiser; a 1 transport; a 1 infantry",
        lambda board: kept(attack(board, "s")),
        {"1 infantry in x": "not_at_sea", "1 infantry in s": "cargo_only"},
    ),
]


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row.sentence)
def test_sentence(row):
    assert row.ask(tiny("great-war", row.map, **row.more)) == row.answer


RAIL = [
    ("through friendly territory", RAILS.format(a2="", a3="a"), "a1", "a5", 4, {}),
    ("not through an enemy's", RAILS.format(a2="", a3="b"), "a1", "a4", "rail_friendly", {}),
    ("through an ally's", RAILS.format(a2="", a3="ally"), "a1", "a4", 3, {}),
    ("not through a neutral's", RAILS.format(a2="", a3="n"), "a1", "a4", "rail_friendly", {}),
    ("no contested territory", RAILS.format(a2="contested", a3="a"), "a1", "a4", "rail_contested", {}),
    ("no newly taken territory", RAILS.format(a2="newly_captured", a3="a"), "a1", "a2", "rail_new", {}),
    ("no barrier", "kent: land a | calais\ncalais: land a", "kent", "calais", "rail_barrier", BARRIER),
    ("not into Africa", "x: land a | y\ny: land a africa", "x", "y", "rail_closed_region", {}),
    ("not out of Africa", "x: land a | y\ny: land a africa", "y", "x", "rail_closed_region", {}),
    ("inside Africa", "x: land a africa | y\ny: land a africa", "x", "y", 1, {}),
    ("Russia's ally inside Russia", "x: land russia russia | y\ny: land russia russia", "x", "y", 1, {}),
    ("not over Russia's border", "x: land a | y\ny: land russia russia", "x", "y", "rail_home_region", {}),
    (
        "Thrace-Bursa, both held",
        "thrace: land a | bursa\nbursa: land ally",
        "thrace",
        "bursa",
        1,
        DARDANELLES,
    ),
    (
        "Thrace-Bursa, one held",
        "thrace: land a | bursa\nbursa: land b",
        "thrace",
        "bursa",
        "rail_strait",
        DARDANELLES,
    ),
    (
        "Thrace-Bursa, closed",
        "thrace: land a | bursa\nbursa: land a",
        "thrace",
        "bursa",
        "rail_strait",
        CLOSED,
    ),
]
SEAS = "\naegean: sea | marmara\nmarmara: sea"


@pytest.mark.parametrize(
    ("map", "start", "goal", "answer", "more"), [row[1:] for row in RAIL], ids=[r[0] for r in RAIL]
)
def test_rail(map, start, goal, answer, more):
    assert rails(map + (SEAS if "straits" in more else ""), start, goal, **more) == answer


def test_rail_inside_russia_is_closed_to_her_enemies_and_russia_rides_nowhere_else():
    taken = "x: land b russia | y\ny: land b russia"
    assert rails(taken, "x", "y", power="b") == "rail_home_region"
    abroad = "x: land a | y\ny: land a"
    assert rails(abroad, "x", "y", power="russia") == "rail_home_region"


def test_every_sentence_of_the_file_has_a_text_and_a_section():
    for rule in movement("great-war").rules.values():
        assert rule.says.endswith("."), rule
        assert rule.section, rule

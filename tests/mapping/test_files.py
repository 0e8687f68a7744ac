"""Map files: the two that come along, and errors that name file, space, piece and field."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from battlecalc.errors import BattlecalcError
from battlecalc.mapping import (
    MapError,
    after,
    movement,
    muster,
    parse_map,
    rail_route,
    read_map,
    shipped_maps,
)
from battlecalc.mapping.rules import parse_rules
from tests.fresh import fresh

from .tiny import attack, document, tiny

GOOD = document(
    "great-war", "kent: land a port=s | s | a 1 infantry; a 1 cruiser\ns: sea | calais\ncalais: land b"
)


def broken(space: str | None, key: str, value: Any) -> dict[str, Any]:
    """Change one field of the good map."""
    data = copy.deepcopy(GOOD)
    (data if space is None else data["spaces"][space])[key] = value
    return data


@pytest.mark.parametrize(
    ("space", "key", "value", "message"),
    [
        (None, "ruleset", "great-wars", "no movement rules 'great-wars'; did you mean 'great-war'?"),
        (None, "spaces", {}, "map.toml: field 'spaces' is missing"),
        (None, "straight", [], "map.toml: unknown field 'straight'; did you mean 'straits'?"),
        ("kent", "kind", "hill", "map.toml: space 'kent': field 'kind' has 'hill'; known: land, sea"),
        ("kent", "owner", "c", "map.toml: space 'kent': field 'owner' has 'c'"),
        ("kent", "flags", ["contestd"], "field 'flags' has 'contestd'; did you mean 'contested'?"),
        ("kent", "borders", "s", "field 'borders' must be a list, not 's'"),
        ("kent", "borders", ["s", "s"], "field 'borders' names 's' twice"),
        ("kent", "borders", ["s", "kent"], "field 'borders' lists the space itself"),
        ("kent", "borders", ["s", "t"], "field 'borders' has 't'"),
        (
            "kent",
            "borders",
            ["s", "calais"],
            "lists 'calais', but 'calais' does not list 'kent'; add it there",
        ),
        ("kent", "port", ["calais"], "field 'port' lists 'calais', which is no sea zone on its border"),
        ("kent", "mines", "b", "field 'mines' belongs to sea zones"),
        ("kent", "position", [1], "field 'position' must be two numbers, not [1]"),
        ("kent", "nmae", "Kent", "unknown field 'nmae'; did you mean 'name'?"),
        ("s", "owner", "a", "field 'owner' belongs to land spaces"),
        ("kent", "pieces", ["3 infantry"], "piece 1: must be a text like 'britain: 3 infantry' or a table"),
        ("kent", "pieces", ["c: 3 infantry"], "piece 1: field 'power' has 'c'"),
        (
            "kent",
            "pieces",
            ["a: 3 infantri"],
            "piece 1: unknown unit 'infantri' in the movement rules 'great-war'",
        ),
        ("kent", "pieces", ["a: three infantry!"], "piece 1: cannot read 'three infantry!'"),
        (
            "kent",
            "pieces",
            ["a: 0 infantry"],
            "count 0 of 'infantry' in ' 0 infantry' must be between 1 and 10000",
        ),
        ("kent", "pieces", [{"power": "a"}], "space 'kent': piece 1: field 'unit' is missing"),
        (
            "kent",
            "pieces",
            [{"power": "a", "unit": "tank", "moved": 2}],
            "field 'moved' is 2, more than the 1 of a tank",
        ),
        (
            "kent",
            "pieces",
            [{"power": "a", "unit": "tank", "left": 3}],
            "field 'left' is 3, more than the 1 of a tank",
        ),
        (
            "kent",
            "pieces",
            [{"power": "a", "unit": "tank", "moved": -1}],
            "field 'moved' must be at least 0, not -1",
        ),
        ("kent", "pieces", [{"power": "a", "unit": "tank", "fought": 1}], "must be true or false, not 1"),
        (
            "kent",
            "pieces",
            [{"power": "a", "unit": "tank", "count": True}],
            "must be a whole number, not True",
        ),
        ("calais", "pieces", ["b: 1 cruiser"], "piece 1: a cruiser cannot stand on land without a port"),
        (
            "calais",
            "pieces",
            ["b: 3 infantry, 1 tank", "a: 1 fighter", {"power": "b", "unit": "cruiser"}],
            "space 'calais': piece 3: a cruiser cannot stand on land without a port",
        ),
        (
            "s",
            "pieces",
            ["a: 3 infantry, 1 transport"],
            "3 land pieces of 'a' at sea, but its transports there hold 2",
        ),
        (
            None,
            "barriers",
            [{"between": ["kent", "calais"]}],
            "barrier 1: field 'between': 'kent' and 'calais' do not",
        ),
        (None, "barriers", [{"between": ["kent"]}], "barrier 1: field 'between' must name 2 spaces, not 1"),
        (
            None,
            "straits",
            [{"zones": ["kent", "s"], "shores": ["kent", "calais"]}],
            "'kent' must be a sea space",
        ),
        (None, "mobilise", [{"power": "a", "unit": "tank"}], "mobilise 1: field 'space' is missing"),
    ],
)
def test_errors_name_the_place(space, key, value, message):
    with pytest.raises(MapError) as error:
        parse_map(broken(space, key, value), "map.toml")
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    if space is not None:
        assert f"map.toml: space {space!r}" in str(error.value)


@pytest.mark.parametrize("text", ["x: land contested", "x: land port=s | s\ns: sea", "s: sea mines=b"])
def test_a_field_without_a_rule_is_an_error(text):
    with pytest.raises(MapError, match="has no meaning in the movement rules 'aa-1942'"):
        tiny("aa-1942", text)


def test_good_map_is_good():
    assert parse_map(GOOD, "map.toml").space("kent").port == ("s",)


@pytest.mark.parametrize("name", sorted(shipped_maps()))
def test_shipped_maps_answer_every_question(name):
    board = read_map(name)
    assert all(space.position for space in board.spaces.values())
    asked = 0
    for power in board.powers.values():
        if not power.side:
            continue
        after(board, power.id)
        for space in board.spaces.values():
            try:
                found = muster(board, power.id, space.id)
            except MapError:
                continue
            asked += 1
            own = sum(piece.count for piece in board.pieces() if piece.power == power.id)
            met = sum(entry.piece.count for entry in (*found.joining, *found.kept))
            assert met == own, (power, space)
    assert asked > 20


def test_a_file_reads_like_a_document(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(
        'ruleset = "aa-1942"\n[powers.uk]\nside = "x"\n[spaces.kent]\nkind = "land"\nowner = "uk"\n'
        'pieces = ["uk: 2 inf, 1 ftr"]\n',
        encoding="utf-8",
    )
    board = read_map(path)
    assert [(piece.unit, piece.count, piece.left) for piece in board.pieces()] == [
        ("infantry", 2, 1),
        ("fighter", 1, 4),
    ]
    path.write_text("ruleset = ", encoding="utf-8")
    with pytest.raises(MapError, match=r"tiny.toml: is not TOML"):
        read_map(path)
    with pytest.raises(MapError, match="cannot be read"):
        read_map(tmp_path / "missing.toml")


def test_a_game_of_ones_own(tmp_path):
    rules = tmp_path / "rules.toml"
    shipped = "movement-aa-1942.toml"
    from importlib.resources import files

    text = files("battlecalc.mapping").joinpath("data", shipped).read_text(encoding="utf-8")
    rules.write_text(
        text.replace(
            'aliases = ["arm", "armor", "armour"]\ndomain = "land"\nmove = 2', 'domain = "land"\nmove = 3'
        )
    )
    path = tmp_path / "map.toml"
    path.write_text('ruleset = "aa-1942-2e"\nmovement = "rules.toml"\n[spaces.kent]\nkind = "land"\n')
    board = read_map(path)
    assert board.ruleset == "aa-1942-2e"
    assert board.rules.units["tank"].move == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": {}}, "rule 'barrier' is missing"),
        ({"rules": {"rnage": {"says": "x", "section": "y"}}}, "unknown rule; did you mean 'range'?"),
        (
            {"units": {"plane": {"domain": "air", "move": 1, "cost": 1}}},
            "unit 'plane': field 'lands_on' is missing",
        ),
        ({"units": {"sub": {"domain": "water", "move": 1, "cost": 1}}}, "field 'domain' has 'water'"),
    ],
)
def test_errors_of_movement_rules(change, message):
    rules = {key: {"says": "x", "section": "y"} for key in movement("aa-1942").rules}
    with pytest.raises(MapError) as error:
        parse_rules({"id": "x", "name": "x", "rules": rules, **change}, "rules.toml")
    assert message in str(error.value)


ISLAND = """
    kent: land a | s | a 1 infantry
    s: sea | calais t
    t: sea | | b 1 cruiser
    calais: land b | | b 1 infantry
    x: land n
"""


@pytest.mark.parametrize(
    ("target", "keywords", "message"),
    [
        ("kent", {}, "'kent' holds nothing that 'a' could attack"),
        ("s", {}, "'s' holds nothing that 'a' could attack"),
        ("x", {}, "'x' holds nothing"),
        ("calai", {}, "no space 'calai'; did you mean 'calais'?"),
        ("t", {"by": "sea"}, "'t' is a sea zone"),
        ("calais", {"by": "air"}, "unknown way 'air' into a territory; it is 'land' or 'sea'"),
        ("calais", {"zone": "t"}, "'t' is no sea zone that borders 'calais'"),
        ("calais", {"at_sea": "1 fighter"}, "no sea battle comes before this attack"),
        ("calais", {"without": "1 tank"}, "cannot leave out '1 tank': 'a' lacks 1 tank"),
    ],
)
def test_errors_of_questions(target, keywords, message):
    with pytest.raises(BattlecalcError) as error:
        attack(tiny("great-war", ISLAND), target, **keywords)
    assert message in str(error.value)


def test_errors_of_powers_and_rails():
    board = tiny("great-war", ISLAND)
    with pytest.raises(MapError, match="no power 'c'"):
        attack(board, "calais", power="c")
    with pytest.raises(MapError, match="power 'n' has no side"):
        attack(board, "calais", power="n")
    with pytest.raises(MapError, match="'s' is a sea zone"):
        rail_route(board, "a", "kent", "s")
    with pytest.raises(MapError, match="have no rail moves"):
        rail_route(tiny("aa-1942", ISLAND), "a", "kent", "calais")


def test_reading_the_package_loads_no_graphs():
    """Neither the library nor the odds of two forces load the maps or their graph library."""
    code = (
        "import sys, battlecalc\n"
        "print([name for name in sys.modules if name.startswith(('networkx', 'battlecalc.mapping'))])"
    )
    assert fresh(code).strip() == "[]"

"""Map and movement files with one thing wrong are read or refused in one line, whatever it is."""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from battlecalc.mapping import MapError, after, parse_map
from battlecalc.mapping.rules import parse_rules

DATA = files("battlecalc.mapping") / "data"
ODD: list[Any] = [
    None, "", "tank", -1, 2**70, True, 0.5, float("nan"), float("inf"), [], [1], ["tank"], [[]], [[1]],
    [[["tank"]]], [{}], {}, {"x": 5}, {"tank": [1]}, "a\nb" * 50,
]  # fmt: skip


def document(name: str) -> dict[str, Any]:
    """Read a file that comes with the package."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def places(table: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a nested table."""
    items = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def spoilt(table: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Copy of a table with another value in one place, or without it."""
    broken = copy.deepcopy(table)
    inner: Any = broken
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return broken


def refused(read: Callable[[dict[str, Any], str], Any], table: dict[str, Any]) -> str:
    """Error of a table, empty where it is good."""
    try:
        read(table, "odd.toml")
    except MapError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 1500
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["movement-aa-1942", "movement-great-war"])
def test_movement_rules_with_one_thing_wrong(name: str) -> None:
    table = document(name)
    dice = random.Random(5)
    for path in dice.sample(places(table), 200):
        refused(parse_rules, spoilt(table, path, dice.choice(ODD)))


@pytest.mark.parametrize("name", ["map-western-europe", "map-channel-and-straits"])
def test_maps_with_one_thing_wrong(name: str) -> None:
    table = document(name)
    dice = random.Random(6)
    for path in [(key,) for key in table] + dice.sample(places(table), 200):
        for value in dice.sample(ODD, 2):
            refused(parse_map, spoilt(table, path, value))
    for value in ODD[1:]:
        assert refused(parse_map, {**table, "flags": value}).startswith("odd.toml: unknown field 'flags'")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("units", "transport", "carries"), [1], "'transport': field 'carries' must be a list of lists of"),
        (("units", "transport", "carries"), [[1]], "field 'carries' must be a list of lists of tags, not"),
        (("units", "transport", "carries"), [["tnak"]], "field 'carries' has 'tnak'; did you mean 'sneaks'?"),
        (("units", "tank", "cost"), float("nan"), "field 'cost' must be a number from 0 to 1000000, not nan"),
        (("units", "tank", "cost"), float("inf"), "field 'cost' must be a number from 0 to 1000000, not inf"),
        (("units", "tank", "cost"), -3, "field 'cost' must be a number from 0 to 1000000, not -3"),
        (("units", "tank", "move"), 10**9, "field 'move' must be at most 10,000, not 1000000000"),
        (("rail", "home_regions"), {"russia": 5}, "rail: home_regions: field 'russia' must be text, not 5"),
        (("rail", "home_regions"), {"x": "russia"}, "rail: field 'home_regions' has 'x'"),
    ],
)
def test_fields_of_movement_rules(path: tuple[str, ...], value: Any, message: str) -> None:
    assert message in refused(parse_rules, spoilt(document("movement-great-war"), path, value))


@pytest.mark.parametrize("position", [[1], [1, True], [0.0, float("nan")], ["1", 2], [1, 10**400]])
def test_a_position_is_two_numbers(position: list[Any]) -> None:
    table = document("map-western-europe")
    space = next(iter(table["spaces"]))
    message = refused(parse_map, spoilt(table, ("spaces", space, "position"), position))
    assert f"odd.toml: space {space!r}: field 'position' must be two numbers, not [" in message


def test_a_table_of_pieces_has_the_limit_of_a_text() -> None:
    table = document("map-western-europe")
    space = next(name for name, entry in table["spaces"].items() if entry["kind"] == "land")
    pieces = [{"power": next(iter(table["powers"])), "unit": "fighter", "count": 10_001}]
    broken = spoilt(table, ("spaces", space), {**table["spaces"][space], "pieces": pieces})
    assert "piece 1: field 'count' must be at most 10,000, not 10001" in refused(parse_map, broken)
    pieces[0]["count"] = 10_000
    after(parse_map(broken), pieces[0]["power"])

"""Movement rules: units by every name that their ruleset knows, and files that change."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import pytest

from battlecalc.mapping import MapError, movement, read_map
from battlecalc.rulesets import load_ruleset

TEXT = (files("battlecalc.mapping") / "data" / "movement-aa-1942.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["aa-1942", "great-war"])
def test_every_name_of_the_ruleset_is_a_name_on_the_map(name: str) -> None:
    rules, ruleset = movement(name), load_ruleset(name)
    words = [word for unit in rules.units for word in (unit, *ruleset.units[unit].aliases)]
    assert len(words) > 20
    for word in words:
        shapes = [word, word.upper(), f"{word}s", word.replace("_", "-"), word.replace("_", " ")]
        for shape in shapes:
            assert rules.unit(shape).id == ruleset.unit_id(shape), shape


@pytest.mark.parametrize(
    ("game", "text", "counts"),
    [
        (
            "aa-1942",
            "2 arty, 1 antiaircraft gun, 3 aircraft-carriers",
            {"artillery": 2, "aa_gun": 1, "carrier": 3},
        ),
        ("aa-1942", "2 sub-marines + 1 Battle-Ship", {"submarine": 2, "battleship": 1}),
        ("great-war", "2 airplanes and 1 storm trooper", {"fighter": 2, "storm_troops": 1}),
        ("great-war", "3 cavalries, 2 artilleries", {"cavalry": 3, "artillery": 2}),
    ],
)
def test_forces(game: str, text: str, counts: dict[str, int]) -> None:
    assert movement(game).force(text) == counts


def test_one_name_means_one_unit(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(TEXT.replace('aliases = ["art", ', 'aliases = ["In-F", '), encoding="utf-8")
    with pytest.raises(MapError, match=r"unit 'artillery': field 'aliases' has 'In-F', a name of 'infantry'"):
        movement(str(path))


def test_a_file_is_read_again_when_it_was_changed(tmp_path: Path) -> None:
    path, board = tmp_path / "rules.toml", tmp_path / "map.toml"
    board.write_text(
        'ruleset = "aa-1942"\nmovement = "rules.toml"\n[spaces.kent]\nkind = "land"\n', encoding="utf-8"
    )
    path.write_text(TEXT, encoding="utf-8")
    os.utime(path, (1, 1))
    assert movement(path) is movement(str(path))
    assert read_map(board).rules.units["tank"].move == 2
    path.write_text(TEXT.replace("move = 2\ncost = 5", "move = 3\ncost = 5"), encoding="utf-8")
    assert read_map(board).rules.units["tank"].move == 3
    path.unlink()
    with pytest.raises(MapError, match=r"rules\.toml: cannot be read"):
        read_map(board)

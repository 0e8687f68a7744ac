"""What can be varied, and how a variable is set."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from battlecalc import Battle, BattlecalcError, Side, load_ruleset
from battlecalc.sweeping.grid import make_grid
from battlecalc.sweeping.variables import Template

BATTLE = Battle("aa-anniversary", "land", Side("6 inf, 2 art", keep_land=1), "5 inf, 1 fighter")


def battles(battle: Battle, variables: dict[str, Any]) -> list[Battle]:
    grid, template = make_grid(battle, variables), Template(battle)
    return [template.at(zip(grid.variables, point.values, strict=True)) for point in grid.points]


@pytest.mark.parametrize(
    ("name", "value", "same"),
    [
        ("attacker.infantry", 4, BATTLE.replace(attacker=Side("4 inf, 2 art", keep_land=1))),
        ("attacker.inf", np.int64(0), BATTLE.replace(attacker=Side("2 art", keep_land=1))),
        ("attacker.tank", 3, BATTLE.replace(attacker=Side("6 inf, 2 art, 3 tank", keep_land=1))),
        ("attacker.keep_land", 0, BATTLE.replace(attacker="6 inf, 2 art")),
        ("attacker", "3 inf", BATTLE.replace(attacker="3 inf")),
        ("defender.force", {"infantry": 2}, BATTLE.replace(defender="2 inf")),
        (
            "attacker.technologies",
            "advanced_artillery",
            BATTLE.replace(attacker=Side("6 inf, 2 art", keep_land=1, technologies=("advanced_artillery",))),
        ),
        (
            "defender.loss_order",
            ["fighter", "infantry"],
            BATTLE.replace(defender=Side("5 inf, 1 fighter", loss_order="fighter, infantry")),
        ),
        ("defender.loss_order", "default", BATTLE),
        (
            "attacker.retreat",
            "units <= 3",
            BATTLE.replace(attacker=Side("6 inf, 2 art", keep_land=1, retreat="units <= 3")),
        ),
        ("ruleset", "aa-1942-2e", BATTLE.replace(ruleset="aa-1942-2e")),
        ("ruleset", load_ruleset("aa-revised"), BATTLE.replace(ruleset="aa-revised")),
        ("rounds", 2, BATTLE.replace(rounds=2)),
        ("rounds", None, BATTLE),
        ("dice", "low-luck", BATTLE.replace(dice="low-luck")),
        ("territory", 3, BATTLE.replace(territory=3)),
        ("changes.tank.cost", 5, BATTLE.replace(changes={"tank.cost": 5})),
    ],
)
def test_a_variable_is_the_argument_of_a_battle(name: str, value: Any, same: Battle) -> None:
    assert battles(BATTLE, {name: [value]}) == [same]


def test_options_are_entries() -> None:
    battle = Battle("great-war", "land", "6 inf", "5 inf")
    found = battles(battle, {"options.from_contested": [False, True]})
    assert found == [battle, battle.replace(options={"from_contested": True})]


def test_sides_at_sea_may_be_new() -> None:
    landing = Battle("aa-1942-2e", "invasion", "2 inf, 1 trn", "1 inf")
    variables = {"sea_defender.destroyer": [1, 2], "sea_attacker.cruiser": [1]}
    found = battles(landing, variables)
    assert [battle.sea_defender.counts for battle in found] == [(("destroyer", 1),), (("destroyer", 2),)]


def test_the_order_of_variables_does_not_matter() -> None:
    variables = {"attacker.infantry": [3], "attacker": ["2 art, 9 inf"], "ruleset": ["aa-1942-2e"]}
    for names in permutations(variables):
        (found,) = battles(BATTLE, {name: variables[name] for name in names})
        assert found == Battle("aa-1942-2e", "land", "3 inf, 2 art", "5 inf, 1 fighter")


def test_all_combinations_the_last_variable_fastest() -> None:
    grid = make_grid(
        BATTLE, {"attacker.infantry": range(2), "defender.retreat": ["never"], "rounds": (1, None)}
    )
    assert [point.labels for point in grid.points] == [
        (0, "never", 1),
        (0, "never", "none"),
        (1, "never", 1),
        (1, "never", "none"),
    ]


def test_a_value_twice_is_one_row() -> None:
    assert len(make_grid(BATTLE, {"rounds": [1, 2, 1]}).points) == 2


def test_a_single_value_may_stand_alone() -> None:
    grid = make_grid(BATTLE, {"ruleset": "aa-1942-2e", "rounds": 3, "attacker": Side("3 inf", keep_land=1)})
    assert [point.labels for point in grid.points] == [("aa-1942-2e", 3, "Side('3 inf', keep_land=1)")]


def test_titles_tell_the_ranges() -> None:
    assert make_grid(BATTLE, {"attacker.art": range(5), "defender.infantry": [2]}).title == (
        "6 infantry, 0 to 4 artillery  v  2 infantry, 1 fighter\n"
        "Axis & Allies Anniversary Edition, land battle"
    )
    assert (
        make_grid(BATTLE, {"ruleset": ["aa-1942"]}).title
        == "6 infantry, 2 artillery  v  5 infantry, 1 fighter"
    )
    assert make_grid(BATTLE, {"attacker": ["1 inf"]}).title == ""


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({}, r"^a sweep needs variables such as \{'attacker.infantry': range\(0, 21\)\}, not \{\}"),
        (
            {"attacker.infantri": [1]},
            r"^unknown variable 'attacker.infantri': unknown unit 'infantri' .*'infantry'",
        ),
        ({"atacker.infantry": [1]}, r"^unknown variable 'atacker.infantry'; .*attacker.UNIT"),
        ({"round": [1]}, r"^unknown variable 'round'; did you mean 'rounds'\?"),
        ({3: [1]}, r"^a variable is named by a text such as 'attacker.infantry', not 3"),
        ({"rounds": []}, r"^rounds: a variable needs at least one value"),
        ({"attacker.infantry": [2.5]}, r"^attacker.infantry must be a whole number, not 2.5"),
        ({"attacker.infantry": [-1]}, r"^attacker.infantry must be at least 0, not -1"),
        (
            {"attacker.technologies": ["lasers"]},
            r"^attacker.technologies: attacker: unknown technology 'lasers'",
        ),
        ({"attacker.retreat": ["sometimes"]}, r"^attacker.retreat: "),
        ({"attacker.loss_order": ["tnak"]}, r"^attacker.loss_order: .*'tnak'"),
        ({"ruleset": ["aa-1943"]}, r"'aa-1943'"),
        ({"sequence": ["sea"]}, r"^sequence: .*'sea'"),
        ({"dice": ["loaded"]}, r"^unknown dice 'loaded'"),
        (
            {"attacker.inf": [1], "attacker.infantry": [2]},
            r"^attacker.inf and attacker.infantry are the same",
        ),
        (
            {"attacker.inf": range(2000), "rounds": range(2000)},
            r"^a sweep has at most 1,000,000 battles, not 4,000,000",
        ),
    ],
)
def test_unclear_variables(variables: dict[Any, Any], text: str) -> None:
    with pytest.raises(BattlecalcError, match=text):
        make_grid(BATTLE, variables)


def test_a_unit_or_technology_of_one_ruleset_is_enough() -> None:
    names = {"ruleset": ["aa-classic", "aa-1942-2e"], "attacker.artillery": [1, 2]}
    assert len(make_grid(BATTLE, names).points) == 4


def test_only_battles_are_swept() -> None:
    with pytest.raises(BattlecalcError, match=r"^sweep starts from a Battle, not 'land'"):
        make_grid("land", {"rounds": [1]})  # type: ignore[arg-type]

"""Import of TripleA maps, with small maps of our own."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest

from battlecalc.errors import RulesetError
from battlecalc.rulesets import load_ruleset
from battlecalc.rulesets.triplea import import_game, sequences_of_game, units_of_game
from battlecalc.rulesets.triplea.game_xml import Game, read_game
from battlecalc.rulesets.triplea.sequences_of_game import SequenceWriter
from battlecalc.rulesets.triplea.units_of_game import _largest, translate_units

MAPS = Path(__file__).parent.parent / "data" / "triplea"


@pytest.fixture
def imported(tmp_path):
    def imported(name):
        path = tmp_path / f"{name}.toml"
        path.write_text(import_game(MAPS / f"{name}.xml"), encoding="utf-8")
        return load_ruleset(path)

    return imported


def test_units_of_a_late_map(imported):
    units = imported("late").units
    values = {
        "infantry": (1, 2, 3),
        "artillery": (2, 2, 4.5),
        "tank": (3, 3, 6),
        "aa_gun": (0, 0, 5),
        "industrial_complex": (0, 0, None),
        "fighter": (3, 4, None),
        "bomber": (4, 1, None),
        "submarine": (2, 1, None),
        "transport": (0, 0, None),
        "destroyer": (2, 2, None),
        "carrier": (1, 2, None),
        "battleship": (4, 4, 20),
    }
    assert {n: (u.values["attack"], u.values["defence"], u.cost) for n, u in units.items()} == values
    assert units["battleship"].hits == units["carrier"].hits == (2, 2)
    assert (units["battleship"].values["bombard"], units["carrier"].decks) == (4, 2)
    assert (units["bomber"].rolls, units["bomber"].dice) == ((2, 1), (1, 1))
    assert units["fighter"].needs_deck
    assert units["aa_gun"].alone == (None, "destroyed")
    assert not units["aa_gun"].never_lost
    assert units["industrial_complex"].captured


def test_a_late_map_fights_as_the_later_editions_do(imported):
    ours, rules = load_ruleset("aa-1942-2e"), imported("late")
    gone = {"cruiser"}
    for name in ("land", "naval", "invasion"):
        theirs = rules.sequences[name]
        for stage, model in zip(theirs.stages, ours.sequences[name].stages, strict=True):
            assert (stage.repeat, stage.when, stage.even_alone) == (
                model.repeat,
                model.when,
                model.even_alone,
            )
            for step, model_step in zip(stage.steps, model.steps, strict=True):
                fire = [(g.side, g.value, g.dice, g.at - gone, g.casualties, g.when) for g in model_step.fire]
                fires = [(g.side, g.value, g.dice, g.at, g.casualties, g.when) for g in step.fire]
                assert fires == fire
                assert step.victims == model_step.victims
                asked = [(d.side, d.right, d.leaves, d.leaves_overland, d.when) for d in step.decide]
                expected = [
                    (d.side, d.right, d.leaves - gone, d.leaves_overland, d.when) for d in model_step.decide
                ]
                assert asked == expected
    assert rules.sequences["raid"].damage.cap_times == 2
    assert rules.cargo["transport"].loads == (({"infantry", "artillery", "tank"}, {"infantry"}),)


def test_support_of_a_late_map(imported):
    artillery, tank = imported("late").modifiers
    assert (artillery.to, artillery.source, artillery.per) == (("infantry",), {"artillery"}, 1)
    assert (tank.to, tank.source, tank.per, tank.add) == (("infantry",), {"tank"}, 2, 1)


def test_what_could_not_be_translated_is_said():
    late, early = (import_game(MAPS / f"{name}.xml") for name in ("late", "early"))
    for note in (
        "support of 'bomber'",
        "'isSuicideOnHit' of battleship",
        "property 'Low Luck'",
        "heavyBomber, superSub",
    ):
        assert note in late
    assert "maxFactories" not in late
    assert "germanInfantry: defense 13 is off the die: taken as 12" in early
    assert "'isMarine' of 2nd Tank" in early


def test_an_early_map(imported):
    rules = imported("early")
    assert rules.sides == 12
    assert list(rules.units)[:3] == ["german_infantry", "infantry", "unit_2nd_tank"]
    assert rules.unit_id("2nd tanks") == "unit_2nd_tank"
    assert rules.units["battleship"].hits == (1, 1), "the property says so"
    assert rules.units["battleship"].values["bombard"] == 5
    assert rules.units["fighter"].dice == (2, 1)
    assert rules.units["barge"].alone == (None, None)
    (group,) = rules.sequences["land"].stages[0].steps[0].fire
    assert (group.dice.kind, group.casualties) == ("per target", "owner")
    first, _, after = rules.sequences["naval"].stages[0].steps
    assert [g.side for g in first.fire] == ["attacker"], "only the attacker's submarines fire first"
    assert [d.right for d in after.decide] == ["retreat"], "no submerging"
    assert "raid" not in rules.sequences
    assert [len(stage.steps) for stage in rules.sequences["invasion"].stages] == [1, 1, 1], "no retreat"


def test_the_middle_edition(tmp_path):
    text = (MAPS / "late.xml").read_text(encoding="utf-8")
    for name in ("Sub Retreat Before Battle", "Air Attack Sub Restricted", "Partial Amphibious Retreat"):
        text = text.replace(f'name="{name}" value="true"', f'name="{name}" value="false"')
    path = tmp_path / "middle.xml"
    path.write_text(text.replace("WW2V3", "WW2V2"), encoding="utf-8")
    made = tmp_path / "middle.toml"
    made.write_text(import_game(path), encoding="utf-8")
    opening, _, after = load_ruleset(made).sequences["naval"].stages[0].steps
    assert (opening.victims, opening.victims_need) == ("fire if", {"destroyer"})
    assert [d.right for d in after.decide] == ["retreat", "submerge", "submerge"]


class Asked(dict):
    """Options that note which of them were asked for."""

    def __init__(self, options, asked):
        super().__init__(options)
        self.asked = asked

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)


def test_what_counts_as_read_is_read():
    """No option of a unit is passed over as read that nothing asks for."""
    asked = set()
    true = dict.fromkeys(units_of_game.READ, "true") | {"attackRolls": "2", "isInfrastructure": "false"}
    kinds = {
        "gun": ["isSea", "isAir"],
        "plane": ["isAA", "isAAforCombatOnly", "isFactory"],
        "ship": ["isAA", "isAAforCombatOnly", "isFactory", "isAir"],
        "barge": ["isSub", "isFactory", "isAir"],
        "factory": ["isAA", "isAAforCombatOnly"],
    }
    units = {name: Asked(true | dict.fromkeys(unset, "false"), asked) for name, unset in kinds.items()}
    translate_units(Game(units=units))
    assert units_of_game.READ - asked == set()


def test_what_counts_as_a_read_property_is_read():
    asked = set()
    for name, edition in product(("early", "late"), ("WW2V2", "WW2V3", "none")):
        game = read_game(MAPS / f"{name}.xml")
        game.properties = Asked({edition: "true", "Submersible Subs": "true"}, asked)
        SequenceWriter(game, translate_units(game)).sequences()
    assert sequences_of_game.READ - asked == set()


def test_a_gun_that_bombards_is_a_gun(tmp_path):
    text = (MAPS / "late.xml").read_text(encoding="utf-8")
    path = tmp_path / "late.xml"
    guns = '<option name="maxAAattacks" value="3"/>'
    path.write_text(
        text.replace(guns, '<option name="canBombard" value="true"/>').replace(
            '<option name="isFactory" value="true"/>',
            '<option name="isFactory" value="true"/><option name="canBombard" value="true"/>',
        ),
        encoding="utf-8",
    )
    made = tmp_path / "late.toml"
    made.write_text(import_game(path), encoding="utf-8")
    units = load_ruleset(made).units
    assert [name for name in units if units[name].values.get("bombard")] == ["battleship"]


@pytest.mark.parametrize(
    "option",
    ["airAttack", "airDefense", "canEvade", "maxDamage", "canNotTarget", "canNotBeTargetedBy", "canIntercept",
     "canEscort", "canAirBattle", "attackAAmaxDieSides", "willNotFireIfPresent", "mayOnlyAttackAirUnits"],
)  # fmt: skip
def test_an_option_that_is_not_translated_is_said(option, tmp_path):
    text = (MAPS / "late.xml").read_text(encoding="utf-8")
    path = tmp_path / "late.xml"
    movement = '<option name="movement" value="1"/>'
    path.write_text(
        text.replace(movement, f'{movement}<option name="{option}" value="2"/>'), encoding="utf-8"
    )
    assert f"#   unit option '{option}' of infantry\n" in import_game(path)


@pytest.mark.parametrize(
    ("edition", "value", "said"),
    [
        ("WW2V3", "true", False),
        ("WW2V3", "false", True),
        ("WW2V2", "true", False),
        ("None", "true", True),
        ("None", "false", False),
    ],
)
def test_submarines_of_the_defender_that_strike_against_their_edition(edition, value, said, tmp_path):
    text = (MAPS / "late.xml").read_text(encoding="utf-8")
    text = text.replace('name="Sub Retreat Before Battle" value="true"', 'name="x" value="true"')
    path = tmp_path / "late.xml"
    strike = f'<property name="Defending Subs Sneak Attack" value="{value}"/></propertyList>'
    path.write_text(text.replace("WW2V3", edition).replace("</propertyList>", strike), encoding="utf-8")
    note = f"#   property 'Defending Subs Sneak Attack' = '{value}'\n"
    assert (note in import_game(path)) is said


@pytest.mark.parametrize(
    ("name", "words"),
    [("bomb", "bomb.xml: declares the entity 'a'"), ("outside", "declares the entity 'secret'")],
)
def test_entities_are_refused(name, words):
    with pytest.raises(RulesetError, match=words):
        import_game(MAPS / f"{name}.xml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not XML"),
        (b"<game>", "is not XML"),
        (b"<game/>", "has no units"),
        (b"\xff\xfe\x00", "is not XML"),
        (b'<game><diceSides value="x"/><unit name="a"/></game>', "diceSides is 'x', not a number"),
        (b'<game><diceSides value="1"/><unit name="a"/></game>', "sides: must be a whole number from 2"),
    ],
)
def test_files_that_are_no_maps(tmp_path, content, words):
    path = tmp_path / "odd.xml"
    path.write_bytes(content)
    with pytest.raises(RulesetError, match=re.escape(words)):
        import_game(path)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.xml", "a\0.xml"):
        with pytest.raises(RulesetError, match="cannot be read"):
            import_game(path)


def test_names_stay_in_their_place(tmp_path):
    path = tmp_path / "evil.xml"
    path.write_text(
        '<game><info name="x&#10;[units.evil]"/><unit name="a&#10;sides = 3"/>'
        '<unit name="all"/><unit name="land"/>'
        '<attachment name="unitAttachment" attachTo="a&#10;sides = 3">'
        '<option name="odd&#10;sides = 4" value="1"/>'
        "</attachment></game>",
        encoding="utf-8",
    )
    made = tmp_path / "evil.toml"
    made.write_text(import_game(path), encoding="utf-8")
    rules = load_ruleset(made)
    assert (rules.sides, list(rules.units)) == (6, ["a_sides_3", "unit_all", "unit_land"])


def test_broken_maps_end_in_one_error(tmp_path):
    text = (MAPS / "late.xml").read_text(encoding="utf-8")
    values = [match.span(1) for match in re.finditer(r'value="([^"]*)"', text)]
    dice = random.Random(5)
    path = tmp_path / "late.xml"
    for _ in range(60):
        start, end = dice.choice(values)
        odd = dice.choice(["", "-1", "true", "99999999999999999999", "x", "0.5", "infantry:fighter"])
        path.write_text(text[:start] + odd + text[end:], encoding="utf-8")
        try:
            assert import_game(path)
        except RulesetError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("sizes", "capacity", "loads"),
    [
        ([2, 3], 5, [(3, 2)]),
        ([2], 4, [(2, 2)]),
        ([1, 2], 2, [(2,), (1, 1)]),
        ([3], 2, []),
        ([], 5, []),
    ],
)
def test_largest_loads(sizes, capacity, loads):
    assert _largest(sizes, capacity) == loads

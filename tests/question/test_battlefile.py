"""Battle files: round trips and errors that name file and field."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.battle import Battle
from battlecalc.battlefile import battle_from_mapping, battle_text, read_battle, write_battle
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.rulesets import load_ruleset
from battlecalc.sides import Side
from tests.question import ANYTHING, QUICK
from tests.question.test_battle import QUESTIONS


@pytest.mark.parametrize("battle", QUESTIONS)
def test_round_trip(battle: Battle, tmp_path: Path) -> None:
    file = tmp_path / "battle.toml"
    run = {"trials": 1000, "seed": 7, "method": "monte-carlo", "precision": 0.001}
    write_battle(battle, file, run)
    again, asked = read_battle(file)
    assert again == battle
    assert asked == run


forces = st.dictionaries(
    st.sampled_from(["infantry", "artillery", "tank", "fighter"]), st.integers(1, 10_000), min_size=1
)
sides = st.builds(
    Side,
    forces,
    loss_order=st.sampled_from([None, "best", "2 inf, art", ["tank", "inf"]]),
    keep_land=st.integers(0, 3),
    retreat=st.sampled_from(["never", "best", "units <= 3 or odds < 40%"]),
    contest=st.just("never"),
    objective=st.just("value"),
)
attackers = sides.flatmap(
    lambda side: st.sampled_from([side, Side(side.force, contest="round >= 2", objective="value")])
)


@QUICK
@given(
    attackers,
    sides,
    st.none() | st.integers(0, 9),
    st.floats(0, 1e9),
    st.sampled_from(["standard", "low-luck", {"aa": "low-luck"}]),
    st.sampled_from([None, {"from_contested": True}]),
    st.sampled_from([None, {"tank.cost": 5, "infantry.attack": 2}]),
)
def test_what_is_written_is_read_back(
    attacker: Side,
    defender: Side,
    rounds: int | None,
    territory: float,
    dice: Any,
    options: Any,
    changes: Any,
) -> None:
    battle = Battle(
        "great-war",
        "land",
        attacker,
        defender,
        rounds=rounds,
        territory=territory,
        dice=dice,
        options=options,
        changes=changes,
    )
    again = battle_from_mapping(tomllib.loads(battle_text(battle)))
    assert again == battle
    assert repr(again) == repr(battle)


def test_a_file_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "battle.toml"
    file.write_text(
        'sequence = "land"\nattacker = "6 inf"\n[defender]\nretreat = "round>2"\n[defender.force]\ninf = 5\n',
        encoding="utf-8-sig",
    )
    battle, run = read_battle(file)
    assert battle == Battle("great-war", "land", "6 inf", Side("5 inf", retreat="round>2"))
    assert run == {}


def test_a_ruleset_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / 'my "house" rules.toml'
    rules.write_text(
        'schema = 1\nid = "house"\nname = "House"\nextends = "aa-1942"\n[units.tank]\ncost = 4\n'
    )
    file = tmp_path / "battle.toml"
    file.write_text(f"ruleset = '{rules.name}'\nsequence = 'land'\nattacker = '1 tank'\ndefender = '1 inf'\n")
    battle, _ = read_battle(file)
    assert battle.ruleset.units["tank"].cost == 4
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write_battle(battle, elsewhere / "again.toml")
    monkeypatch.chdir(elsewhere)
    assert read_battle("again.toml")[0] == battle
    assert eval(repr(battle)) == battle


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('sequence = "land"\nattacker = "1 inf"\n', "defender is missing"),
        ('attacker = "1 inf"\ndefender = "1 inf"\n', "sequence is missing"),
        ('sequnce = "land"\n', "unknown key 'sequnce'; did you mean 'sequence'"),
        (
            'sequence = "land"\ndefender = "1 inf"\n[attacker]\nretreat = "never"\n',
            r"\[attacker\]: force is missing",
        ),
        (
            'sequence = "land"\ndefender = "1 inf"\n[attacker]\nforce = "1 inf"\nretreats = "never"\n',
            r"\[attacker\]: unknown key 'retreats'; did you mean 'retreat'",
        ),
        (
            'sequence = "land"\ndefender = "1 inf"\n[attacker]\nforce = "1 inf"\nretreat = 3\n',
            "attacker: retreat takes .* not 3",
        ),
        ('sequence = "land"\nattacker = "1 tnak"\ndefender = "1 inf"\n', "attacker: unknown unit 'tnak'"),
        (
            'sequence = "land"\nattacker = "1 inf"\ndefender = "1 inf"\nrounds = nan\n',
            "rounds must be a whole",
        ),
        ('sequence = "land"\nattacker = 1979-05-27\ndefender = "1 inf"\n', "attacker is a force"),
        ("sequence = \n", "is not TOML"),
        ("a = " + "[" * 50_000, "too deep|is not TOML"),
        ("# " + "x" * 200_000, "at most 100,000 bytes"),
        (
            'ruleset = "a\\u0000.toml"\nsequence = "land"\nattacker = "1 inf"\ndefender = "1 inf"\n',
            "battle.toml",
        ),
    ],
)
def test_errors_name_file_and_field(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "battle.toml"
    file.write_text(text)
    with pytest.raises(BattlecalcError, match=says) as caught:
        read_battle(file)
    assert "battle.toml: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "battle.toml").write_bytes(b"\xff\xfe")
    for name, says in (
        ("battle.toml", "not UTF-8"),
        ("none.toml", "cannot be read: No such file"),
        (".", "cannot be read"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(BattleError, match=says):
            read_battle(tmp_path / name)


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    for name in (".", "none/battle.toml", "a\0b"):
        with pytest.raises(BattleError, match="cannot be written"):
            write_battle(QUESTIONS[0], tmp_path / name)


@QUICK
@given(
    st.dictionaries(
        st.sampled_from(["ruleset", "sequence", "attacker", "defender", "options", "rounds", "dice"])
        | st.text(),
        ANYTHING,
    )
)
def test_only_our_errors_escape(table: dict[str, Any]) -> None:
    with pytest.raises(BattlecalcError):
        battle_from_mapping(table)


@QUICK
@given(st.text(max_size=200) | st.text(alphabet='=[]{}"\\.\n abc123-', max_size=80))
def test_only_our_errors_escape_from_a_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "battle.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(BattlecalcError):
        read_battle(file)


def test_a_ruleset_is_written_by_its_id() -> None:
    battle = Battle(load_ruleset("aa-1942"), "land", "1 inf", "1 inf")
    assert battle_text(battle).startswith('ruleset = "aa-1942"\n')

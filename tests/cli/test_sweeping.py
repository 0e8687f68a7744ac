"""``battlecalc sweep`` and ``battlecalc require``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import battlecalc as bc
from tests.cli.conftest import Run


def test_one_variable_is_a_list(run: Run) -> None:
    result = run("sweep", "6 inf, 2 art", "5 inf", "--vary", "attacker.inf=0..8..4")
    assert result.exit_code == 0, result.output
    wins = [
        bc.solve("great-war", "land", f"{n} inf, 2 art", "5 inf").outcomes["attacker_wins"] for n in (0, 4, 8)
    ]
    lines = result.stdout.splitlines()
    assert lines[0] == "0 to 8 infantry, 2 artillery  v  5 infantry"
    assert lines[3].split() == ["attacker.inf", "attacker", "wins", "defender", "wins", "swing"]
    assert [line.split()[:2] for line in lines[4:-2]] == [
        [str(n), f"{100 * p:.1f}"] for n, p in zip((0, 4, 8), wins, strict=True)
    ]
    assert lines[-2:] == ["", "assumed, not printed in the rules: artillery.attack, artillery.cost"]


def test_two_variables_are_a_grid(run: Run) -> None:
    vary = ["--vary", "attacker.infantry=0..2", "--vary", "defender.retreat=never;units <= 2"]
    result = run("sweep", "6 inf", "5 inf", *vary)
    assert result.stdout.splitlines()[3:5] == [
        "attacker wins, by attacker.infantry (down) and defender.retreat (across)",
        "     never  units <= 2",
    ]
    assert result.stdout.splitlines()[5].split() == ["0", "-", "-"]
    assert result.stderr.startswith("note: 2 of 6 are no battles: attacker: ")


def test_json_has_all_digits(run: Run) -> None:
    result = run("sweep", "land", "6 inf", "5 inf", "--vary", "rounds=1,2", "--json", "-r", "aa-1942")
    document = json.loads(result.stdout)
    assert document["variables"] == ["rounds"]
    assert [row["rounds"] for row in document["rows"]] == [1, 2]
    exact = bc.solve("aa-1942", "land", "6 inf", "5 inf", rounds=2)
    assert document["rows"][1]["unresolved"] == exact.outcomes["unresolved"]
    assert document["rows"][1]["trials"] is None


def test_files_and_pictures(run: Run, tmp_path: Path) -> None:
    out, picture, battle = (tmp_path / name for name in ("a.csv", "a.png", "verdun.toml"))
    bc.write_battle(bc.Battle("great-war", "land", "6 inf", "5 inf"), battle)
    args = [
        "sweep",
        str(battle),
        "--vary",
        "attacker.infantry=3..6",
        "--out",
        str(out),
        "--plot",
        str(picture),
    ]
    first = run(*args)
    assert first.exit_code == 0, first.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(out.read_text().splitlines()) == 5
    again = run(*args, "--threads", "2")
    assert again.stdout == first.stdout
    assert len(out.read_text().splitlines()) == 5


@pytest.mark.parametrize("name", ["attacker.loss_order", "attacker.technologies", "attacker"])
def test_values_that_hold_commas_are_parted_by_semicolons(name: str, run: Run) -> None:
    values = {
        "attacker.loss_order": "infantry, tank; tank, infantry",
        "attacker.technologies": "none; heavy_bombers, jet_fighters",
        "attacker": "3 inf, 1 art; 4 inf",
    }
    result = run(
        "sweep",
        "-r",
        "aa-anniversary",
        "3 inf, 1 tank",
        "3 inf",
        "--vary",
        f"{name}={values[name]}",
        "--json",
    )
    assert result.exit_code == 0, result.output
    shown = [row[name] for row in json.loads(result.stdout)["rows"]]
    assert shown == [part.strip() for part in values[name].split(";")]


def test_ctrl_c_says_how_to_go_on(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sweep(*args: object, **how: object) -> None:
        stop = KeyboardInterrupt()
        stop.done, stop.total = 40, 231  # type: ignore[attr-defined]
        raise stop

    monkeypatch.setattr(bc, "sweep", sweep, raising=False)
    out = tmp_path / "a.csv"
    result = run("sweep", "6 inf", "5 inf", "--vary", "rounds=1,2", "--out", str(out))
    assert result.exit_code == 130
    assert "stopped after 40 of 231 battles; the same command goes on from" in result.output


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["6 inf", "5 inf"], "missing option '--vary'"),
        (["6 inf", "5 inf", "--vary", "rounds"], "'rounds' is not of the form NAME=VALUES"),
        (["6 inf", "5 inf", "--vary", "rounds=3..1"], "'3..1' is an empty range"),
        (["6 inf", "5 inf", "--vary", "rounds=1..x"], "'1..x' is not a range"),
        (["6 inf", "5 inf", "--vary", "rounds=1,2", "--vary", "rounds=3"], "--vary names 'rounds' twice"),
        (["6 inf", "5 inf", "--vary", "rounds=1,2", "--what", "luck"], "no column 'luck'"),
        (["1", "2", "3", "4", "--vary", "rounds=1"], "a battle is [SEQUENCE] ATTACKER DEFENDER, or a file"),
        (["6 inf", "5 inf", "--vary", "atacker.inf=1"], "unknown variable 'atacker.inf'"),
        (["nowhere.toml", "--vary", "rounds=1"], "nowhere.toml"),
    ],
)
def test_misused_sweeps(args: list[str], text: str, run: Run) -> None:
    result = run("sweep", *args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_says_what_the_battle_is(run: Run, tmp_path: Path) -> None:
    battle = tmp_path / "verdun.toml"
    bc.write_battle(bc.Battle("great-war", "land", "6 inf", "5 inf"), battle)
    for option in (["--rounds", "3"], ["--attacker-retreat", "round >= 2"]):
        result = run("require", str(battle), "--unit", "infantry", *option)
        assert result.exit_code == 2
        assert f"{option[0]}: what a battle is stands in its file" in result.stderr


def test_the_fewest(run: Run) -> None:
    battle = bc.Battle("great-war", "land", "2 art, 1 tank", "6 inf")
    result = run("require", "2 art, 1 tank", "6 inf", "--odds", "90%", "--unit", "infantry")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{bc.require(battle, 'infantry', 0.9)}\n"


def test_the_cheapest_from_nothing(run: Run) -> None:
    args = [
        "require",
        "-r",
        "aa-1942-2e",
        "-",
        "6 inf, 1 aa",
        "--from",
        "inf:0..10, art:5",
        "--odds",
        "0.8",
        "--json",
    ]
    document = json.loads(run(*args).stdout)
    battle = bc.Battle("aa-1942-2e", "land", "1 inf", "6 inf, 1 aa")
    found = bc.require(battle, odds=0.8, limits={"inf": 10, "art": 5})
    assert document["answer"] == found.to_dict()["answer"]
    assert document["others"] == found.to_dict()["others"]


def test_the_defender_asks(run: Run) -> None:
    result = run("require", "8 inf, 2 art", "2 art", "--unit", "defender.inf", "--what", "hold", "--json")
    document = json.loads(result.stdout)
    assert document["side"] == "defender"
    assert document["answer"]["chance"] >= 0.9


def test_one_more_and_most_profit(run: Run) -> None:
    document = json.loads(run("require", "6 inf", "5 inf", "--add", "--json").stdout)
    best = bc.additions(bc.Battle("great-war", "land", "6 inf", "5 inf")).iloc[0]
    assert document["rows"][0]["unit"] == best["unit"]
    assert document["rows"][0]["chance"] == best["chance"]
    shown = run("require", "6 inf", "5 inf", "--from", "inf:1..4, art:4", "--profit").stdout.splitlines()
    assert shown[2].split() == ["infantry", "artillery", "cost", "chance", "profit", "profit", "per", "IPC"]
    assert shown[-3:] == [
        "and 8 more: --json prints all",
        "",
        "assumed, not printed in the rules: artillery.attack, artillery.cost",
    ]
    assert {"tank.attack", "fighter.cost"} <= set(document["assumed"])


@pytest.mark.parametrize(
    ("vary", "assumed"),
    [
        (("attacker.infantry=1..2",), []),
        (("attacker.tank=0..2",), ["tank.attack", "tank.cost"]),
        (("defender.tank=0..2", "attacker.infantry=0,3"), ["tank.cost", "tank.defence"]),
        (("ruleset=aa-1942,great-war", "attacker.artillery=0..1"), ["artillery.attack", "artillery.cost"]),
        (("options.called_shots=0,1",), []),  # asked for at sea only
    ],
)
def test_what_a_sweep_assumes(vary: tuple[str, ...], assumed: list[str], run: Run) -> None:
    options = (option for name in vary for option in ("--vary", name))
    document = json.loads(run("sweep", "3 inf", "3 inf", *options, "--json").stdout)
    assert document["assumed"] == assumed


def test_a_sweep_assumes_an_option_where_it_is_asked_for(run: Run) -> None:
    option = ("--vary", "options.called_shots=0,1", "--json")
    document = json.loads(run("sweep", "naval", "1 cruiser", "1 cruiser", *option).stdout)
    assert "called_shots" in document["assumed"]


def test_what_a_requirement_assumes(run: Run) -> None:
    words = ("require", "1 inf", "2 inf", "--unit", "tank")
    assert json.loads(run(*words, "--json").stdout)["assumed"] == ["tank.attack", "tank.cost"]
    assert run(*words).stdout.endswith("\nassumed, not printed in the rules: tank.attack, tank.cost\n")
    assert json.loads(run(*words, "-r", "aa-1942", "--json").stdout)["assumed"] == []


@pytest.mark.parametrize("command", ["require", "advise", "sweep"])
def test_one_argument_is_a_file_or_a_mistake(command: str, run: Run) -> None:
    options = {"require": ("--add",), "sweep": ("--vary", "rounds=1"), "advise": ()}[command]
    result = run(command, "6 inf", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "error: a battle is [SEQUENCE] ATTACKER DEFENDER, or a file; there is no file '6 inf'"
    )


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "say one of --unit UNIT, --from LIMITS and --add"),
        (["--unit", "inf", "--add"], "say one of --unit UNIT, --from LIMITS and --add"),
        (["--unit", "inf", "--profit"], "--profit needs the forces to look at: --from LIMITS"),
        (["--unit", "inf", "--odds", "90"], "'90' is not a share"),
        (["--from", "inf"], "'inf' is not of the form UNIT:LEAST..MOST"),
        (["--from", "inf:1..2,inf:3"], "'inf' is named twice"),
        (["--unit", "xx"], "unknown unit 'xx'"),
    ],
)
def test_misused_requires(args: list[str], text: str, run: Run) -> None:
    result = run("require", "6 inf", "5 inf", *args)
    assert result.exit_code == 2
    assert text in result.stderr
    assert len(result.stderr.splitlines()) == 1

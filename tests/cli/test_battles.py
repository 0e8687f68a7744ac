"""The battle commands: options become the right question, answers go where they belong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import battlecalc
from battlecalc.cli import main
from battlecalc.cli.options import SIDE_OPTIONS
from battlecalc.cli.warmup_command import LARGE
from battlecalc.engines.montecarlo import kernel_of
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of

LAND = ("land", "6 inf, 2 art", "5 inf")


def question(run: Any, asked: Any, *args: str) -> Any:
    """Battle that the last command asked about."""
    result = run(*args)
    assert result.exit_code == 0, result.output
    return asked.calls[-1][1]


def test_a_complete_command(run, asked) -> None:
    battle = question(run, asked, *LAND)
    assert battle == battlecalc.Battle("great-war", "land", "6 inf, 2 art", "5 inf")
    name, _, keywords = asked.calls[0]
    assert (name, keywords) == ("simulate", {"progress": None})


@pytest.mark.parametrize(
    ("args", "keywords"),
    [
        (("--rounds", "2"), {"rounds": 2}),
        (("--rounds", "0"), {"rounds": 0}),
        (("--territory", "2.5"), {"territory": 2.5}),
        (("--dice", "low-luck"), {"dice": "low-luck"}),
        (("--dice", "battle=low-luck, aa=standard"), {"dice": {"battle": "low-luck"}}),
        (("--option", "from_contested=yes"), {"options": {"from_contested": True}}),
        (
            ("--set", "tank.cost=5", "--set", "infantry.cost=1.75"),
            {"changes": {"tank.cost": 5, "infantry.cost": 1.75}},
        ),
    ],
)
def test_options_of_the_battle(args: tuple[str, ...], keywords: dict[str, Any], run, asked) -> None:
    wanted = battlecalc.Battle("great-war", "land", "6 inf, 2 art", "5 inf", **keywords)
    assert question(run, asked, *LAND, *args) == wanted


VALUES = {
    "tech": (("gas_shells", "sub_detection, mines"), "gas_shells,sub_detection, mines"),
    "losses": (("art, inf",), "art, inf"),
    "retreat": (("round >= 3",), "round >= 3"),
    "contest": (("units <= 2",), "units <= 2"),
    "air-retreat": (("round >= 1",), "round >= 1"),
    "keep-land": (("1",), 1),
    "damaged": (("1 tank",), "1 tank"),
    "objective": (("win",), "win"),
}


@pytest.mark.parametrize("side", ["attacker", "defender"])
@pytest.mark.parametrize("entry", [e for e in SIDE_OPTIONS if e.flag in VALUES], ids=lambda entry: entry.flag)
def test_options_of_a_side(entry: Any, side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides have the same options; what the rules say to the values is the library's business."""
    from battlecalc.cli.asking import side_of
    from battlecalc.cli.battles import land

    given, value = VALUES[entry.flag]
    args = [part for one in given for part in (f"--{side}-{entry.flag}", one)]
    context = land.make_context("land", ["6 inf, 2 art", "5 inf", *args])
    assert side_of(side, "6 inf", context.params) == battlecalc.Side("6 inf", **{entry.field: value})
    other = "defender" if side == "attacker" else "attacker"
    assert side_of(other, "5 inf", context.params) == battlecalc.Side("5 inf")


def test_submerging(run, asked) -> None:
    args = ("naval", "-r", "great-war", "2 sub", "2 cruiser", "--attacker-submerge", "never")
    assert question(run, asked, *args).attacker.policy("submerge").kind == "never"


def test_a_landing_after_a_battle_at_sea(run, asked) -> None:
    args = ("--sea-attacker", "2 sub", "--sea-defender", "1 cruiser", "--sea-attacker-retreat", "round >= 2")
    battle = question(run, asked, "amphibious", "4 inf, 2 trn", "2 inf", *args)
    assert battle == battlecalc.Battle(
        "great-war",
        "invasion",
        "4 inf, 2 trn",
        "2 inf",
        sea_attacker=battlecalc.Side("2 sub", retreat="round >= 2"),
        sea_defender="1 cruiser",
    )


def test_swapped_sides_keep_their_options(run, asked) -> None:
    battle = question(run, asked, *LAND, "--swap", "--defender-retreat", "round >= 2")
    assert battle == battlecalc.Battle(
        "great-war", "land", battlecalc.Side("5 inf", retreat="round >= 2"), "6 inf, 2 art"
    )


@pytest.mark.parametrize(
    ("args", "name", "keywords"),
    [
        (
            ("-n", "1e5", "--seed", "7", "--threads", "2"),
            "simulate",
            {"trials": 100_000, "seed": 7, "threads": 2},
        ),
        (("--precision", "0.1%"), "simulate", {"precision": pytest.approx(0.001)}),
        (("--method", "exact", "--max-states", "1e6"), "solve", {"max_states": 1_000_000}),
        (("--method", "auto", "-n", "1_000"), "odds", {"method": "auto", "trials": 1000}),
    ],
)
def test_options_of_the_run(args: tuple[str, ...], name: str, keywords: dict[str, Any], run, asked) -> None:
    result = run(*LAND, *args)
    assert result.exit_code == 0, result.output
    found, _, given = asked.calls[0]
    given.pop("progress", None)
    assert (found, given) == (name, keywords)


def test_simulation_options_mean_nothing_to_the_exact_engine(run, asked) -> None:
    result = run(*LAND, "--method", "exact", "--seed", "7", "-n", "1000")
    assert result.exit_code == 0
    assert result.stderr == "note: --trials, --seed: passed over with --method exact\n"


def test_json_and_nothing_else(run, asked) -> None:
    result = run(*LAND, "--json")
    assert json.loads(result.stdout) == {"method": "simulate"}
    assert result.stderr == ""


@pytest.mark.parametrize(("seconds", "offered"), [(0.2, True), (1.5, False), (math.inf, False)])
def test_the_exact_method_is_offered_where_it_is_quick(
    seconds: float, offered: bool, run, asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def estimate(battle: Any) -> float:
        if seconds == math.inf:
            raise battlecalc.StateSpaceError("too large")
        return seconds

    monkeypatch.setattr("battlecalc.run.exact_seconds", estimate)
    assert ("--method exact" in run(*LAND).stdout) is offered
    assert "--method exact" not in run(*LAND, "--method", "auto").stdout
    assert "--method exact" not in run(*LAND, "--json").stdout


def test_a_saved_battle_is_the_same_battle(run, asked, tmp_path: Path) -> None:
    file = str(tmp_path / "verdun.toml")
    args = ("--attacker-retreat", "round >= 3", "--set", "tank.cost=5", "--territory", "2", "--save", file)
    battle = question(run, asked, *LAND, *args)
    assert question(run, asked, "run", file) == battle
    assert question(run, asked, "run", file, "--swap") == battle.swapped()


def test_a_saved_run_is_the_default_of_the_next(run, asked, tmp_path: Path) -> None:
    file = str(tmp_path / "verdun.toml")
    question(run, asked, *LAND, "--seed", "7", "-n", "2000", "--save", file)
    question(run, asked, "run", file, "--seed", "8")
    assert asked.calls[-1][2] == {"progress": None, "trials": 2000, "seed": 8}


def test_options_of_the_other_engine_are_passed_over_with_a_note(run, asked) -> None:
    assert run(*LAND, "--prune", "1e-9").stderr == "note: --prune: passed over with --method monte-carlo\n"


def test_files(run, tmp_path: Path) -> None:
    frame, picture = tmp_path / "odds.csv", tmp_path / "odds.svg"
    args = ("--method", "exact", "--csv", str(frame), "--plot", str(picture), "--result", "3 inf, 2 art", "-")
    result = run(*LAND, *args)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"wrote {frame}\nwrote {picture}\n"
    assert frame.read_text().startswith(
        "outcome,attacker.infantry,attacker.artillery,defender.infantry,probability"
    )
    assert picture.read_text().startswith("<?xml")
    odds = battlecalc.solve("great-war", "land", "6 inf, 2 art", "5 inf")
    table, _, place = result.stdout.partition("\n\nthis result: ")
    assert table == odds.summary()
    assert " ".join(place.split()) == str(odds.percentile("3 inf, 2 art", "-"))


def test_the_result_in_json(run) -> None:
    result = run(*LAND, "--method", "exact", "--json", "--result", "3 inf, 2 art", "-")
    place = json.loads(result.stdout)["result"]
    assert place["below"] + place["equal"] + place["above"] == pytest.approx(1)
    assert place["percentile"] == pytest.approx(place["below"] + place["equal"] / 2)


@pytest.mark.parametrize("output", [(), ("--json",)])
def test_an_impossible_result_is_an_error_and_nothing_else(output: tuple[str, ...], run) -> None:
    result = run(*LAND, "--method", "exact", "--result", "9 inf", "-", *output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no battle ends with '9 inf' left of the attacker")


def test_a_seed_gives_the_same_document(run) -> None:
    first = run(*LAND, "-n", "20_000", "--seed", "7", "--json")
    assert first.exit_code == 0, first.output
    document = json.loads(first.stdout)
    assert (document["trials"], document["seed"], document["method"]) == (20_000, 7, "monte-carlo")
    assert document["outcomes"] == battlecalc.simulate("great-war", *LAND, trials=20_000, seed=7).outcomes
    again = run(*LAND, "-n", "2e4", "--seed", "7", "--json", "--threads", "1")
    assert again.stdout == first.stdout


def test_a_seed_is_drawn_and_printed(run) -> None:
    documents = [json.loads(run(*LAND, "-n", "5000", "--json").stdout) for _ in range(2)]
    assert documents[0]["seed"] != documents[1]["seed"]


def test_hits(run) -> None:
    result = run("hits", "3 inf, 1 art", "-r", "aa-1942", "--json")
    document = json.loads(result.stdout)
    # One infantry is supported by the artillery: two dice at 2, two at 1.
    assert document["mean"] == pytest.approx(2 * 2 / 6 + 2 * 1 / 6)
    assert document["hits"][0] == pytest.approx((4 / 6) ** 2 * (5 / 6) ** 2)
    assert document["force"] == {"infantry": 3, "artillery": 1}
    lines = run("hits", "3 inf, 1 art", "-r", "aa-1942").stdout.splitlines()
    assert lines[0] == "attacker  3 infantry, 1 artillery"
    assert lines[4].split()[:5] == ["0", "30.86", "%", "100.00", "%"]
    assert lines[-1] == "mean 1.000 hits"
    assert document["assumed"] == []


def test_hits_say_what_is_assumed(run) -> None:
    for side, value in (("attacker", "attack"), ("defender", "defence")):
        words = ("hits", "3 inf, 1 tank", "--side", side)
        assert json.loads(run(*words, "--json").stdout)["assumed"] == [f"tank.{value}"]
        assert run(*words).stdout.endswith(f"\n\nassumed, not printed in the rules: tank.{value}\n")
    changed = run("hits", "1 tank", "--set", "tank.attack=4", "--json")
    assert json.loads(changed.stdout)["assumed"] == []


def test_hits_under_other_rules(run) -> None:
    args = (
        "hits",
        "6 inf",
        "--side",
        "defender",
        "--dice",
        "low-luck",
        "--set",
        "infantry.defence=3",
        "--json",
    )
    assert json.loads(run(*args).stdout)["hits"] == pytest.approx([0, 0, 0, 1])


def test_warmup(run, asked) -> None:
    result = run("warmup")
    assert result.exit_code == 0
    assert result.stdout.startswith("ready in ")
    assert [name for name, _, _ in asked.calls] == ["simulate", "simulate", "simulate", "solve"]
    fought = [
        make_program(
            fight_of(battle if isinstance(battle, battlecalc.Battle) else battlecalc.Battle(*battle))
        )
        for _, battle, _ in asked.calls[:3]
    ]
    assert [kernel_of(program) for program in fought] == ["side_by_side", "side_by_side_in_parts", "simulate"]


def test_what_warmup_solves_needs_compiled_code() -> None:
    from battlecalc.engines.exact import PLAIN_SECONDS, plain_seconds

    battle = battlecalc.Battle("great-war", "land", LARGE, LARGE)
    assert plain_seconds(make_program(fight_of(battle))) > PLAIN_SECONDS


def test_best_decisions_are_said_in_words() -> None:
    args = ["land", "6 inf, 2 art", "5 inf", "--attacker-retreat", "best", "--method", "exact"]
    said = CliRunner().invoke(main, args, catch_exceptions=False).stdout
    assert "Best decisions of the attacker\n  after round 1, " in said
    never = CliRunner().invoke(main, args[:3] + args[-2:], catch_exceptions=False).stdout
    assert "Best decisions" not in never

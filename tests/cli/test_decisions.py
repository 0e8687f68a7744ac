"""``advise`` and ``waves`` on the command line."""

from __future__ import annotations

import json

import pytest


def test_advise_prints_the_plans_and_the_decisions(run) -> None:
    result = run("advise", "-r", "aa-1942", "naval", "1 ftr, 1 bmb", "1 bb, 1 trn", "--orders")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "best decisions" in result.stdout
    assert "retreat with 1 bomber against 1 transport and 1 battleship" in result.stdout
    assert "+4.972  bomber, fighter" in result.stdout


def test_advise_json(run) -> None:
    result = run("advise", "3 inf", "3 inf", "--side", "defender", "--json", "--orders")
    document = json.loads(result.stdout)
    assert document["side"] == "defender"
    assert document["orders"] == [
        {"loss_order": "infantry", "value": pytest.approx(document["orders"][0]["value"])}
    ]


def test_waves_json_and_text(run) -> None:
    words = ("waves", "-r", "aa-1942", "3 inf", "--wave", "3 inf; retreat=round >= 2", "--wave", "2 tank")
    document = json.loads(run(*words, "--counter", "2 inf", "--json").stdout)
    assert [attack["name"] for attack in document["attacks"]] == ["wave 1", "wave 2", "counter-attack"]
    assert document["attacks"][0]["outcomes"]["attacker_retreats"] > 0
    assert sum(document["holders"].values()) == pytest.approx(1)
    assert "takes the territory" in run(*words).stdout


def test_chances_stand_in_a_column(run) -> None:
    """Chances of one and of two digits before the point end at the same place."""
    lines = run("waves", "6 inf, 1 art", "--wave", "4 inf, 1 art", "--wave", "5 inf").stdout.splitlines()
    ends = lines[lines.index("Likeliest at the end") + 1 :][:6]
    assert [end[:9] for end in ends[3:]] == ["  12.0 % ", "   9.3 % ", "   4.9 % "]
    assert " ".join(map(str.strip, lines[-2:])) == (
        "assumed, not printed in the rules: artillery.attack, artillery.cost, artillery.defence"
    )


def test_advice_and_waves_say_what_is_assumed(run) -> None:
    for words in (("advise", "2 tank", "2 inf"), ("waves", "2 inf", "--wave", "1 inf", "--wave", "2 tank")):
        shown = run(*words).stdout.splitlines()
        assert shown[-2:] == ["", "assumed, not printed in the rules: tank.attack, tank.cost"]
        assert json.loads(run(*words, "--json").stdout)["assumed"] == ["tank.attack", "tank.cost"]
        assert "assumed" not in run(*words, "-r", "aa-1942").stdout


def test_no_advice_is_certain_that_is_not(run) -> None:
    table = [line.split("  ") for line in run("advise", "12 inf", "2 inf").stdout.splitlines()]
    wins = {row[0]: next(cell for cell in row[1:] if cell).strip() for row in table if "%" in "".join(row)}
    assert wins["fight to the end"] == "> 99.9 %"
    assert wins["retreat after round 3"] == "98.4 %"

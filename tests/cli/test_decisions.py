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


@pytest.mark.parametrize(
    ("wave", "said"),
    [
        ("3 inf; retreat", "'retreat' is not of the form FIELD=VALUE"),
        ("3 inf; retread=best", "a side has no 'retread'; did you mean 'retreat'"),
        ("3 infants", "'infants'"),
    ],
)
def test_bad_waves(run, wave: str, said: str) -> None:
    result = run("waves", "3 inf", "--wave", wave)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1

"""`battlecalc rulesets` and `battlecalc units`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from battlecalc.cli import main
from battlecalc.rulesets import load_ruleset, ruleset_ids

DATA = Path(__file__).parent.parent / "data" / "triplea"


def run(*arguments, status=0):
    result = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def test_list_names_every_ruleset():
    assert run("rulesets").stdout == run("rulesets", "list").stdout
    lines = run("rulesets").stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(ruleset_ids())]] == list(ruleset_ids())
    documents = json.loads(run("rulesets", "list", "--json").stdout)
    assert [document["id"] for document in documents] == list(ruleset_ids())


def test_show_names_options_and_technologies():
    text = run("rulesets", "show", "aa-1940-2e").stdout
    rules = load_ruleset("aa-1940-2e")
    assert all(f"option {name} (" in text for name in rules.options)
    assert all(f"technology {name}:" in text for name in rules.technologies)
    document = json.loads(run("rulesets", "show", "great-war", "--json").stdout)
    assert document["options"]["called_shots"]["values"] == "0 to 6"
    assert document["sequences"] == ["land", "naval", "invasion"]


@pytest.mark.parametrize("name", ruleset_ids())
def test_units(name):
    rules = load_ruleset(name)
    lines = run("units", name).stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : len(rules.units) + 1]] == list(rules.units)
    assert ("* assumed" in lines[-1]) == any(unit.assumed for unit in rules.units.values())
    document = json.loads(run("units", name, "--json").stdout)
    assert [unit["id"] for unit in document["units"]] == list(rules.units)
    assert [unit["cost"] for unit in document["units"]] == [unit.cost for unit in rules.units.values()]


def test_check(tmp_path):
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('extends = "aa-1942"\n[units.tank]\ncost = 6\n', encoding="utf-8")
    bad.write_text('extends = "aa-1942"\n[units.tank]\ncots = 6\n', encoding="utf-8")
    assert (
        "good: good, Axis & Allies 1942, first edition (changed): 13 units"
        in run("rulesets", "check", good).stdout
    )
    result = run("rulesets", "check", bad, status=2)
    assert (
        result.stderr
        == "error: bad.toml: units.tank.cots: unknown key 'cots'; did you mean 'cost' or 'escort'?\n"
    )
    assert not result.stdout


def test_import(tmp_path):
    text = run("rulesets", "import", DATA / "late.xml").stdout
    target = tmp_path / "late.toml"
    result = run("rulesets", "import", DATA / "late.xml", "-o", target)
    assert target.read_text(encoding="utf-8") == text
    assert not result.stdout
    run("rulesets", "check", target)
    assert "declares the entity" in run("rulesets", "import", DATA / "bomb.xml", status=2).stderr
    result = run("rulesets", "import", DATA / "late.xml", "-o", tmp_path / "no" / "such.toml", status=2)
    assert "cannot write" in result.stderr


def test_unknown_ruleset():
    result = run("units", "aa-1492", status=2)
    assert result.stderr.startswith("error: no ruleset 'aa-1492'; did you mean 'aa-1942'")

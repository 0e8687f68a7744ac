"""The page about rulesets: its examples load, and it describes every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from battlecalc.rulesets import load_ruleset, scope, sequences, steps
from battlecalc.rulesets.options import OPTION_READERS, TECHNOLOGY_READERS
from battlecalc.rulesets.ruleset import TOP_KEYS
from battlecalc.rulesets.units import (
    DAMAGE_VALUES,
    Names,
    condition_readers,
    modifier_readers,
    unit_readers,
)

PAGE = (Path(__file__).parents[2] / "docs" / "rulesets.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- load: (\w+) -->\n```toml\n(.*?)```", PAGE, re.DOTALL))
NAMES = Names({}, frozenset())


@pytest.fixture
def example(tmp_path):
    def example(name):
        path = tmp_path / f"{name}.toml"
        path.write_text(EXAMPLES[name], encoding="utf-8")
        return load_ruleset(path)

    return example


def test_house_rules(example):
    rules = example("house")
    assert (rules.units["tank"].cost, rules.units["tank"].values["defence"]) == (6, 2)
    assert rules.sequences == load_ruleset("aa-1942").sequences


def test_from_nothing(example):
    rules = example("small")
    assert (rules.sides, list(rules.units)) == (12, ["spearman", "knight", "castle"])
    charge, battle = rules.sequences["land"].stages
    assert charge.steps[0].fire[0].at == {"spearman", "knight"}
    attack, defence = battle.steps[0].fire
    assert attack.at == {"spearman", "knight"}, "the castle cannot be lost"
    assert defence.who == {"spearman", "knight", "castle"}


def test_extending(example):
    rules = example("extends")
    assert list(rules.units)[:3] == ["infantry", "engineer", "artillery"]
    assert "submarine" not in rules.units
    demolition = frozenset({"demolition"})
    assert rules.for_side("attacker", demolition).units["engineer"].values["attack"] == 3
    bridges = rules.resolve({"bridges": True}).sequences["land"].stages[-1]
    assert [step.name for step in bridges.steps] == ["engineers", "fire", "press on or retreat"]


def test_no_example_is_forgotten():
    assert len(EXAMPLES) == PAGE.count("```toml") == 3


def section(title):
    """Text from a heading to the next one."""
    start = PAGE.index(f"\n{title}")
    return PAGE[start + 1 :].split("\n#", 1)[0]


SECTIONS = {
    "## Top level": TOP_KEYS,
    "## `[units.NAME]`": (*unit_readers(NAMES, 6, ()), *DAMAGE_VALUES),
    "## `[modifiers.NAME]`": modifier_readers(NAMES),
    "## `[technologies.NAME]`": TECHNOLOGY_READERS,
    "## `[options.NAME]`": OPTION_READERS,
    "## `[cargo.CARRIER]`": ("loads",),
    "## `[sequences.NAME]`": sequences.SEQUENCE_KEYS,
    "### `roles.NAME`": scope.ROLE_KEYS,
    "### `stages.NAME`": sequences.STAGE_KEYS,
    "### `steps.NAME`": steps.STEP_KEYS,
    "### Groups": steps.GROUP_KEYS,
    "### Decisions": steps.DECISION_KEYS,
    "### Landings": steps.LANDING_KEYS,
    "### Damage": sequences.DAMAGE_KEYS,
    "### Conditions": condition_readers(NAMES),
}


@pytest.mark.parametrize("title", SECTIONS)
def test_every_key_is_described_in_its_section(title):
    described = set(re.findall(r"`(\w+)`", section(title) + section("## How files are put together")))
    assert set(SECTIONS[title]) <= described


def test_kinds_of_dice_are_described():
    assert all(f'"{kind}"' in PAGE for kind in ("own", "per target", "capped", "option"))
    assert all(f"{key} = " in PAGE for key in steps.DICE_KEYS)

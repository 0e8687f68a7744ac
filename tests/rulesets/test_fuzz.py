"""Whatever stands in a TOML file, the loader answers with rules or with a `RulesetError`."""

from __future__ import annotations

import copy
import random
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battlecalc.errors import RulesetError
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.rulesets.merging import DATA, Source, patched

WORDS = [
    *(
        "units",
        "tank",
        "infantry",
        "land",
        "stages",
        "battle",
        "steps",
        "fire",
        "side",
        "both",
        "who",
        "at",
        "when",
    ),
    *("value", "dice", "kind", "option", "default", "patch", "takes", "attacker", "defender", "all", "rest"),
    *("after", "like", "without", "extends", "modifiers", "to", "source", "roles", "where", "land/battle"),
    *(
        "technologies",
        "assumed",
        "tags",
        "hits",
        "cost",
        "damage",
        "loads",
        "repeat",
        "once",
        "rounds",
        "1-2",
    ),
    *("decide", "right", "retreat", "leaves"),
]
scalars = st.sampled_from(WORDS) | st.integers(-2, 10**20) | st.booleans() | st.floats() | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)


def read(table: dict[str, Any]) -> None:
    try:
        rules = Ruleset(patched(Source({}, (), "fuzz.toml"), table, "fuzz.toml"), ("fuzz.toml", ()))
        rules.check()
    except RulesetError as error:
        assert str(error).startswith(("fuzz.toml: ", "fuzz.toml: option "))
        assert "\n" not in str(error)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(WORDS), values, max_size=5))
def test_any_table(table):
    read(table)


def places(table: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a nested table."""
    items = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


@pytest.mark.parametrize("name", ["great-war", "aa-1942", "aa-1914"])
def test_a_ruleset_with_one_thing_wrong(name):
    """Each of many places gets a value of another type, or goes."""
    table = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
    dice = random.Random(7)
    odd: list[Any] = [None, "", "tank", -1, 2**70, True, 0.5, [], [1], ["tank"], [[]], {}, {"side": "both"}]
    for path in dice.sample(places(table), 150):
        broken = copy.deepcopy(table)
        inner: Any = broken
        for key in path[:-1]:
            inner = inner[key]
        value = dice.choice(odd)
        if value is None:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value
        read(broken)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(
            ["tank.cost", "tank.hits", "tank.after", "inf.tags", "trn.alone", "bb.needs.attacker"]
        ),
        scalars,
        max_size=2,
    )
)
def test_any_change(changes):
    rules = load_ruleset("aa-1942")
    try:
        changed = rules.resolve(None, changes)
    except RulesetError:
        return
    assert isinstance(changed, Ruleset)

"""Forces: every form that players write, and every slip."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.errors import BattlecalcError, ForceError
from battlecalc.forces import MOST, format_force, parse_force
from battlecalc.rulesets import load_ruleset
from tests.question import ANYTHING, QUICK

GREAT_WAR = load_ruleset("great-war")
A1942 = load_ruleset("aa-1942")
counts = st.dictionaries(st.sampled_from(list(GREAT_WAR.units)), st.integers(1, MOST))


@pytest.mark.parametrize(
    ("text", "force"),
    [
        ("6 inf, 2 art + 1 Fighter", {"infantry": 6, "artillery": 2, "fighter": 1}),
        ("1 fighter and 2 artillery and 6 infantry", {"infantry": 6, "artillery": 2, "fighter": 1}),
        ("  3INF  ", {"infantry": 3}),
        ("3 inf, 2 Infantry", {"infantry": 5}),
        ("3x inf, 2 x art", {"infantry": 3, "artillery": 2}),
        ("inf 3, tank x2", {"infantry": 3, "tank": 2}),
        ("2 storm troops, 1 rail-gun", {"storm_troops": 2, "rail_gun": 1}),
        ("1_000 inf", {"infantry": 1000}),
        ("0 inf, 1 tank", {"tank": 1}),
        ("10000 inf", {"infantry": 10_000}),
        ("6\n inf,\t2 art", {"infantry": 6, "artillery": 2}),
        ("", {}),
        (" - ", {}),
    ],
)
def test_text(text: str, force: dict[str, int]) -> None:
    assert parse_force(text, GREAT_WAR) == force


def test_order_is_the_rulesets() -> None:
    assert list(parse_force("1 tank, 1 inf, 1 art", GREAT_WAR)) == ["infantry", "artillery", "tank"]


def test_mapping() -> None:
    given = {"Tanks": np.int64(2), "inf": 0, "arm": 1}
    assert parse_force(given, A1942) == {"tank": 3}


@pytest.mark.parametrize(
    ("force", "says"),
    [
        ("6 tnak", r"^unknown unit 'tnak' in ruleset 'great-war'; did you mean 'tank'\?$"),
        ("6 inf, 6 tnak", r"^'6 inf, 6 tnak': unknown unit 'tnak'"),
        ("-3 inf", r"'-3 inf' must not be negative"),
        ("2.5 inf", r"'2.5 inf' must be a whole number"),
        ("10001 inf", r"must be at most 10,000, not 10001"),
        ("6000 inf, 6000 infantry", r"12,000 infantry are too many: at most 10,000"),
        (f"{'9' * 5000} inf", r"must be at most 10,000"),
        ("inf", r"'inf' has no count: write '1 infantry'"),
        ("6", r"'6' names no unit"),
        ("6 inf,, 2 art", r"empty entry"),
        ("6 inf,", r"empty entry"),
        ("6 inf 2 art", r"write ',', '\+' or 'and' between the units of '6 inf 2 art'"),
        ("6 inf; 2 art", r"write ',', '\+' or 'and'|unknown unit"),
        ("6 " + "x" * 100, r"unknown unit 'x+'\.\.\.; great-war has: infantry"),
        ("," * 1_000_000, r"has 1,000,000 characters"),
        ("\ud800", r"unknown unit '\\ud800'"),
        ({"inf": True}, r"whole number, not True"),
        ({"inf": 2.0}, r"whole number, not 2.0"),
        ({"inf": float("nan")}, r"whole number, not nan"),
        ({"inf": -1}, r"at least 0, not -1"),
        ({"inf": 10**9}, r"at most 10,000"),
        ({"inf": 10**5000}, r"at most 10,000, not a huge int"),
        ({"inf": np.bool_(True)}, r"whole number"),
        ({"inf": np.arange(3)}, r"whole number"),
        ({3: 3}, r"named by text, not 3"),
        (7, r"not 7$"),
        (None, r"not None$"),
        (["6 inf"], r"a force is text"),
    ],
)
def test_errors(force: object, says: str) -> None:
    with pytest.raises(ForceError, match=says):
        parse_force(force, GREAT_WAR)  # type: ignore[arg-type]


def test_the_count_of_a_sum_is_limited_in_every_form() -> None:
    with pytest.raises(ForceError, match="12,000 infantry are too many"):
        parse_force({"inf": 6000, "infantry": 6000}, GREAT_WAR)


@QUICK
@given(counts)
def test_what_is_written_is_read_back(force: dict[str, int]) -> None:
    in_order = {unit: force[unit] for unit in GREAT_WAR.units if unit in force}
    assert list(parse_force(format_force(force), GREAT_WAR).items()) == list(in_order.items())
    assert parse_force(force, GREAT_WAR) == in_order


def test_an_empty_force_is_written_as_a_dash() -> None:
    assert format_force({"infantry": 0}) == "-"


@QUICK
@given(st.one_of(ANYTHING, st.text(alphabet="0123456789 ,+-.xinfartk*andAND\ud800", max_size=60)))
def test_only_our_errors_escape(force: object) -> None:
    try:
        found = parse_force(force, GREAT_WAR)  # type: ignore[arg-type]
    except BattlecalcError as wrong:
        assert "\n" not in str(wrong)
        assert len(str(wrong)) < 600
    else:
        assert all(unit in GREAT_WAR.units and count > 0 for unit, count in found.items())


@pytest.mark.parametrize("text", ["1 inf" + " " * 9_000 + "x 1", "9" * 9_999, "a 1 " * 2_400, "1 a" * 3_000])
def test_long_texts_take_no_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ForceError):
        parse_force(text, GREAT_WAR)
    assert time.process_time() - began < 1

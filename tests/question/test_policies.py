"""Policies: grammar, spelling and errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.errors import BattlecalcError, PolicyError
from battlecalc.policies import ALWAYS, BEST, NEVER, RIGHTS, VARIABLES, Policy, Test, parse_policy
from tests.question import ANYTHING, QUICK


def number_for(variable: str) -> st.SearchStrategy[float]:
    if variable in ("round", "units", "land"):
        return st.integers(0, 10_000).map(float)
    return st.floats(0, 1) if variable == "odds" else st.floats(0, 1e9)


tests = st.sampled_from(VARIABLES).flatmap(
    lambda v: st.builds(Test, st.just(v), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), number_for(v))
)
clauses = st.lists(st.lists(tests, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("round >= 3", [[("round", ">=", 3)]]),
        ("ROUND>=3", [[("round", ">=", 3)]]),
        ("units <= 4 and land = 0", [[("units", "<=", 4), ("land", "==", 0)]]),
        (
            "units < 4 or value <> 2.5 and ratio ≤ .5",
            [[("units", "<", 4)], [("value", "!=", 2.5), ("ratio", "<=", 0.5)]],
        ),
        ("odds < 40%", [[("odds", "<", 0.4)]]),
        ("odds < 0.4", [[("odds", "<", 0.4)]]),
        ("odds > 1", [[("odds", ">", 1)]]),
        ("round > 3 and round < 2", [[("round", ">", 3), ("round", "<", 2)]]),
    ],
)
def test_conditions(text: str, clauses: list[list[tuple[str, str, float]]]) -> None:
    assert parse_policy(text, "retreat") == Policy("when", tuple(tuple(Test(*t) for t in c) for c in clauses))


def test_words() -> None:
    assert parse_policy(" Never ", "retreat") is NEVER
    assert parse_policy("best", "contest") is BEST
    assert parse_policy("ALWAYS", "submerge") is ALWAYS
    assert parse_policy(BEST, "contest") is BEST


@pytest.mark.parametrize("right", [right for right in RIGHTS if right != "submerge"])
def test_only_submarines_always_do(right: str) -> None:
    with pytest.raises(PolicyError, match=rf"^{right} cannot be 'always': 'round >= 1'"):
        parse_policy("always", right)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rounds >= 3", r"unknown 'rounds'; did you mean 'round'\?"),
        ("luck > 3", r"unknown 'luck'; known: round, units, land, value, ratio, odds"),
        ("best and round > 3", r"'best' cannot be combined"),
        ("never or round > 3", r"'never' cannot be combined"),
        ("2 <= round <= 4", r"compares twice: write 'round >= 2 and round <= 4'"),
        ("round > 3 and", r"a comparison is missing"),
        ("or", r"a comparison is missing"),
        ("(round > 3)", r"brackets are not read"),
        ("round", r"'round' is not a comparison"),
        ("round > x", r"'round > x' is not a comparison"),
        ("round > nan", r"is not a comparison"),
        ("round > -1", r"round is never negative"),
        ("units < 2.5", r"units is a whole number"),
        ("units < 25%", r"only odds are compared with a percentage"),
        ("odds < 40", r"write 40%"),
        ("odds < 140%", r"from 0% to 100%"),
        ("value < " + "9" * 400, r"is larger than any value"),
        ("", r"^retreat is empty"),
        ("round > 3 and " * 1000, r"at most 2,000 are read"),
        (None, r"not None"),
        (3, r"not 3"),
    ],
)
def test_errors(text: object, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        parse_policy(text, "retreat")  # type: ignore[arg-type]


def test_unknown_right() -> None:
    with pytest.raises(PolicyError, match=r"unknown right 'retreats'; did you mean 'retreat'"):
        parse_policy("never", "retreats")


@QUICK
@given(clauses)
def test_what_is_written_is_read_back(clauses: tuple[tuple[Test, ...], ...]) -> None:
    policy = Policy("when", clauses)
    assert parse_policy(policy.text, "retreat") == policy
    assert parse_policy(policy, "retreat") == policy


@QUICK
@given(st.one_of(ANYTHING, st.text(alphabet="roundlatiesvu <>=!0123456789.%() bnor", max_size=40)))
def test_only_our_errors_escape(text: object) -> None:
    try:
        policy = parse_policy(text, "retreat")  # type: ignore[arg-type]
    except BattlecalcError as wrong:
        assert "\n" not in str(wrong)
    else:
        assert policy.kind in ("never", "best", "when")

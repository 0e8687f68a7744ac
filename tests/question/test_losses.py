"""Orders of loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.errors import BattlecalcError, PolicyError
from battlecalc.losses import Loss, format_loss_order, parse_loss_order
from battlecalc.rulesets import load_ruleset
from tests.question import ANYTHING, QUICK

RULES = load_ruleset("aa-1942")
losses = st.builds(
    Loss,
    st.sampled_from(["infantry", "artillery", "tank", "battleship"]),
    st.just(False),
    st.one_of(st.none(), st.integers(1, 10_000)),
)


def test_counts_split_a_unit() -> None:
    order = parse_loss_order("4 inf, 1 art, inf, art, tank", RULES)
    assert order == (
        Loss("infantry", count=4),
        Loss("artillery", count=1),
        Loss("infantry"),
        Loss("artillery"),
        Loss("tank"),
    )
    assert parse_loss_order(["4 inf", "1 art", "inf", Loss("artillery"), "arm"], RULES) == order


def test_harmless_hits() -> None:
    order = parse_loss_order("dd + bb* and 2 battleships", RULES)
    assert order == (Loss("destroyer"), Loss("battleship", harmless=True), Loss("battleship", count=2))


@pytest.mark.parametrize("order", [None, "", "-", [], ()])
def test_the_default_order(order: object) -> None:
    assert parse_loss_order(order, RULES) is None  # type: ignore[arg-type]


def test_best() -> None:
    assert parse_loss_order(" Best ", RULES) == "best"


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ("inf, tnak", r"^order of loss 'inf, tnak': unknown unit 'tnak'"),
        ("inf, art, inf", r"'inf' comes after all infantry"),
        ("inf*", r"infantry survives no hit"),
        ("0 inf", r"from 1 to 10,000"),
        ("20000 inf", r"from 1 to 10,000"),
        ("inf,,art", r"empty entry"),
        ("3", r"'3' is not a unit"),
        ("-3 inf", r"is not a unit"),
        ("inf**", r"is not a unit"),
        (["best", "inf"], r"unknown unit 'best'"),
        ([3], r"3 is not a unit"),
        ([None], r"None is not a unit"),
        (["inf"] * 20_000, r"at most 10,000 entries"),
        ("inf," * 100_000, r"has 400,000 characters"),
        (3, r"not 3$"),
        (b"inf", r"not b'inf'"),
        ({"inf": 1}, r"an order of loss is text"),
    ],
)
def test_errors(order: object, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        parse_loss_order(order, RULES)  # type: ignore[arg-type]


@QUICK
@given(st.lists(losses, max_size=6))
def test_what_is_written_is_read_back(order: list[Loss]) -> None:
    last = {loss.unit: number for number, loss in enumerate(order)}
    order = [loss for n, loss in enumerate(order) if loss.count is not None or last[loss.unit] == n]
    assert parse_loss_order(format_loss_order(tuple(order)), RULES) == (tuple(order) or None)


@QUICK
@given(st.one_of(ANYTHING, st.text(alphabet="0123456789 ,+-*xinfartbk", max_size=40)))
def test_only_our_errors_escape(order: object) -> None:
    try:
        parse_loss_order(order, RULES)  # type: ignore[arg-type]
    except BattlecalcError as wrong:
        assert "\n" not in str(wrong)

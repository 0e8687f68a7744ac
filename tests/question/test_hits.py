"""`hits` reads its keywords as `Battle` does."""

from __future__ import annotations

from typing import Any

import pytest

import battlecalc as bc


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"technologies": [3]}, "a technology is named by a short text, not 3"),
        ({"technologies": None}, "technologies are a list of names, not None"),
        ({"options": 3}, "options is a mapping name -> value, not 3"),
        ({"changes": [("tank.attack", 4)]}, "changes is a mapping name -> value, not "),
        ({"dice": "loaded"}, "unknown dice 'loaded'"),
        ({"side": "both"}, "side is 'attacker' or 'defender', not 'both'"),
    ],
)
def test_unclear_keywords(how: dict[str, Any], text: str) -> None:
    with pytest.raises(bc.BattlecalcError) as wrong:
        bc.hits("aa-revised", "3 inf", **how)
    assert str(wrong.value).startswith(text)


def test_gas_is_no_ordinary_fire() -> None:
    """It is used once, in the first round."""
    assert bc.hits("great-war", "2 inf, 3 gas").equals(bc.hits("great-war", "2 inf"))
    assert bc.hits("great-war", "3 gas").to_dict() == {0: 1}
    assert bc.hits("great-war", "1 gas, 1 inf", "defender", technologies="gas_shells").to_dict()[1] == 1 / 3


def test_technologies_in_a_list_or_with_commas() -> None:
    both = bc.hits("aa-revised", "1 sub", technologies=["super submarines", "jet power"])
    assert both.equals(bc.hits("aa-revised", "1 sub", technologies="Jet Power, Super Submarines"))
    assert both.to_dict()[1] == 0.5 > bc.hits("aa-revised", "1 sub").to_dict()[1]

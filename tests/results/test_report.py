"""What a person reads, against golden texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

from battlecalc.results import Odds
from battlecalc.results.report import short
from battlecalc.results.words import battle_title, sides_words, whole_force, wrap
from tests.results.stand_ins import Side, battle, exact, landing, simulated

LAND = ({"infantry": 6, "artillery": 2, "fighter": 1}, {"infantry": 5, "artillery": 1, "aa_gun": 1})
Golden = Callable[[str, str], None]

ANSWERS = {
    "simulated": lambda: simulated(
        *LAND,
        retreat_below=3,
        notes=("the defender's order of loss names no aa gun: it is captured, never lost",),
        assumed=(
            "tank.attack",
            "tank.cost",
            "cavalry.attack",
            "artillery.attack",
            "air superiority",
            "bombardment",
            "mines",
            "b",
        ),
    ),
    "exact": lambda: exact(*LAND, territory=3.0),
    "landing": landing,
    "naval": lambda: simulated(
        {"fighter": 2, "carrier": 1, "battleship": 2}, {"transport": 2, "battleship": 2}, 2000, kind="naval"
    ),
}


@cache
def answer(name: str) -> Odds:
    """Fight a battle when a test first needs it."""
    return ANSWERS[name]()


@pytest.mark.parametrize("name", ANSWERS)
def test_summary(name: str, golden: Golden) -> None:
    odds = answer(name)
    golden(f"summary-{name}.txt", odds.summary())
    assert str(odds) == odds.summary()


@pytest.mark.parametrize("name", ["simulated", "landing"])
def test_card(name: str, golden: Golden) -> None:
    golden(f"card-{name}.html", re.sub(r"(</tr>|</table>|</div>)", r"\1\n", answer(name)._repr_html_()))


def test_repr(golden: Golden) -> None:
    golden("repr.txt", "\n".join(repr(answer(name)) for name in ANSWERS))


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("name", ["exact", "landing", "simulated"])
def test_no_line_is_too_long(name: str, width: int) -> None:
    assert max(map(len, answer(name).summary(width).splitlines())) <= max(width, 60)


def test_outcomes_that_cannot_be_are_left_out() -> None:
    text = exact(*LAND).summary()
    assert "retreats" not in text
    assert "stalemate" not in text
    assert "attacker retreats" in exact(*LAND, retreat_below=3).summary()


def test_a_side_that_never_wins_is_still_named() -> None:
    text = exact({"infantry": 1}, {"transport": 1}, kind="naval").summary()
    assert re.search(r"^defender wins +0 %$", text, re.M)


def test_digits_follow_the_number_of_trials() -> None:
    few, many = (simulated(*LAND, trials=trials).summary() for trials in (100, 100_000_000))
    assert re.search(r"^attacker wins +\d\d %", few, re.M)
    assert re.search(r"^attacker wins +\d\d\.\d{3} %", many, re.M)


def test_raids_show_their_damage() -> None:
    import numpy as np

    odds = exact({"fighter": 1}, {"aa_gun": 1}, kind="raid")
    (component,) = odds.components
    raid = replace(component.parts[0], damage=lambda: np.array([0.5, 0.5]))
    odds = replace(odds, components=(replace(component, parts=(raid,)),))
    assert re.search(r"^damage, IPC +0\.500 +0 to 1$", odds.summary(), re.M)


def test_short_text_names_what_can_happen() -> None:
    assert short(exact({"battleship": 1}, {"transport": 1}, kind="naval")) == (
        "toy naval: 1 battleship v 1 transport; attacker wins 100 %; exact"
    )


def test_forces_say_where_they_fight() -> None:
    asked = battle({"infantry": 2, "transport": 1}, {"infantry": 1}, kind="invasion")
    asked = replace(
        asked,
        attacker=replace(asked.attacker, overland=(("tank", 2),)),
        sea_attacker=Side((("transport", 1), ("carrier", 1))),
        sea_defender=Side((("battleship", 1),)),
        landing_ships=(("transport", 1),),
    )
    assert sides_words(asked) == (
        "2 infantry, 1 transport; by land 2 tank; at sea 1 carrier",
        "1 infantry; at sea 1 battleship",
    )
    assert whole_force(asked, "attacker") == {"infantry": 2, "transport": 1, "tank": 2, "carrier": 1}


def test_titles_part_between_units() -> None:
    title = battle_title(battle({"infantry": 14, "artillery": 5, "tank": 4}, {"infantry": 15, "fort": 1}), 30)
    assert title.splitlines() == [
        "14 infantry, 5 artillery,",
        "4 tank",
        "v  15 infantry, 1 fort",
        "Toy Rules, land battle",
    ]
    assert wrap("", 20, "start") == ["start"]


def test_card_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    card = answer("landing")._repr_html_()
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag not in ("script", "link", "style", "img")
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Reader().feed(card)
    assert open_tags == []
    assert "http" not in card

"""What a question gives and its battle has no use for: said in the notes, and not called assumed."""

from __future__ import annotations

from typing import Any

import pytest

from battlecalc import Battle, Side, load_ruleset, ruleset_ids
from battlecalc.errors import ForceError

MINES_ON_LAND = "the option mines is passed over: nothing in land of great-war asks for it"


def notes(*asked: Any, **more: Any) -> tuple[str, ...]:
    return Battle(*asked, **more).notes


def test_options_that_nothing_asks_for() -> None:
    on_land = Battle("great-war", "land", "5 inf", "5 inf", options={"mines": True})
    assert on_land.notes == (MINES_ON_LAND,)
    assert on_land.assumed == ()
    at_sea = Battle("great-war", "naval", "1 sub", "1 sub", options={"mines": True})
    assert at_sea.notes == ()
    assert "mines" in at_sea.assumed
    assert notes("great-war", "land", "5 inf", "5 inf", options={"mines": False}) == ()
    assert notes("great-war", "land", "5 inf", "5 inf", options={"from_contested": True}) == ()


def test_options_of_a_landing_and_its_battle_at_sea() -> None:
    """Told once, where neither asks for it."""
    asked = ("great-war", "invasion", "1 inf, 1 transport, 1 cruiser", "1 inf")
    options = {"mines": True, "from_contested": True}
    landing = Battle(*asked, options=options)
    assert landing.notes == tuple(
        f"the option {name} is passed over: nothing in invasion of great-war asks for it"
        for name in ("from_contested", "mines")
    )
    chained = Battle(*asked, sea_defender="1 sub", options=options)
    assert chained.notes == landing.notes[:1]
    assert "mines" in chained.assumed
    assert "mines" not in landing.assumed


def test_options_that_change_the_rules_of_one_sequence() -> None:
    """Such an option is a patch, which no step asks for by name."""
    options = {"free_aa_choice": True}
    assert notes("aa-1942", "land", "1 ftr", "1 aa, 1 inf", options=options) == ()
    assert notes("aa-1942", "naval", "1 ftr", "1 sub, 1 dd", options=options) == (
        "the option free_aa_choice is passed over: nothing in naval of aa-1942 asks for it",
    )
    both = {"free_aa_choice": True, "planes_need_decks": True}
    assert [note.split()[2] for note in notes("aa-1942", "naval", "1 ftr", "1 sub, 1 dd", options=both)] == [
        "free_aa_choice"
    ]


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_every_option_is_asked_for_somewhere(ruleset: str) -> None:
    rules = load_ruleset(ruleset)
    for option in rules.options.values():
        values = {"flag": [not option.default], "number": [1], "choice": option.choices}[option.kind]
        heard = []
        for sequence in rules.sequences.values():
            force = {s: {u: 1 for u in sequence.takes[n]} for n, s in enumerate(("attacker", "defender"))}
            for value in (value for value in values if value != option.default):
                sides = (_able(ruleset, sequence.id, side, force[side]) for side in ("attacker", "defender"))
                said = notes(ruleset, sequence.id, *sides, options={option.name: value})
                heard.append(not any(note.startswith(f"the option {option.name} ") for note in said))
        assert any(heard), option.name


def _able(ruleset: str, sequence: str, side: str, force: dict[str, int]) -> Side:
    """All units of a side that may take part, with room for them and the technologies that they need."""
    rules = load_ruleset(ruleset)
    force = {u: n for u, n in force.items() if rules.units[u].only in (None, side)}
    if sequence == "invasion" and "transport" in force:
        force["transport"] = 30
    needed = {rules.units[u].needs[side] for u in force if side in rules.units[u].needs}
    return Side(force, technologies=sorted(needed))


def test_values_of_units_that_only_wait_or_stand_off() -> None:
    """Tanks come ashore after the battle, ships bombard with a value of their own and cannot be hit."""
    landing = ("great-war", "invasion", "1 dread, 1 tank, 4 inf, 3 trn", "1 art")
    names = set(Battle(*landing).assumed)
    assert names >= {"tank.cost", "artillery.defence", "artillery.cost"}
    assert not {"tank.attack", "dreadnought.attack", "dreadnought.hits", "transport.attack"} & names
    chained = set(Battle(*landing, sea_defender="1 sub").assumed)
    assert chained >= {"dreadnought.attack", "dreadnought.hits", "transport.attack"}
    assert "tank.attack" not in chained
    assert "tank.attack" in Battle("great-war", "land", "1 tank", "1 art").assumed


@pytest.mark.parametrize(
    ("attacker", "says"),
    [
        ("4 inf", ("infantry land at once, not in waves: no transport is in the force",)),
        (
            "1 inf, 1 cav, 1 ftr",
            ("infantry and cavalry land at once, not in waves: no transport is in the force",),
        ),
        ("1 inf", ()),
        ("2 ftr", ()),
        ("4 inf, 2 trn", ()),
    ],
)
def test_no_carrier_no_waves(attacker: str, says: tuple[str, ...]) -> None:
    assert notes("great-war", "invasion", attacker, "2 inf") == says


def test_editions_without_waves_say_nothing_of_them() -> None:
    assert notes("aa-1942", "invasion", "4 inf", "2 inf") == ()


def test_a_single_entry_is_quoted_once() -> None:
    six = "\N{FULLWIDTH DIGIT SIX} inf"
    for force in (six, "six inf 6 inf!", "6"):
        with pytest.raises(ForceError) as wrong:
            Battle("great-war", "land", force, "1 inf")
        assert str(wrong.value).count(repr(force)) == 1
    with pytest.raises(ForceError, match=f"^attacker: '1 art, {six}': '{six}' is not a count and a unit"):
        Battle("great-war", "land", f"1 art, {six}", "1 inf")

"""What comes after the mustering: the battle, its planes without a deck, the screen and the JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.resources import files

import pandas as pd
import pytest
from click.testing import CliRunner

from battlecalc.cli import main
from battlecalc.mapping import MapError, muster, read_map, shipped_maps

from .tiny import attack, tiny

DECKS = """
    home: land a | z0 | a 3 fighter moved=1
    z0: sea | z1
    z1: sea | z2 | a 2 carrier
    z2: sea | | b 1 cruiser
"""


class Survivors:
    """Odds of which only the survivors are asked."""

    def __init__(self, rows):
        self.rows = rows

    def survivors(self, side):
        assert side == "attacker"
        return pd.DataFrame(self.rows)


def row(fighter, carrier, probability):
    return {"fighter": fighter, "carrier": carrier, "carrier*": 0, "probability": probability}


def test_planes_whose_carriers_sank_are_lost_after_the_battle():
    found = attack(tiny("aa-1942", DECKS), "z2")
    assert found.attacker == "3 fighter, 2 carrier"
    odds = Survivors([row(3, 2, 0.5), row(3, 1, 0.25), row(2, 0, 0.125), row(1, 1, 0.125)])
    assert found.lost_landing(odds) == {"fighter": pytest.approx(0.25 * 1 + 0.125 * 2)}


def hit(ruleset, *left):
    """Mean planes lost of 4 that count on 2 carriers, of which so many are left whole and by hits left."""
    board = tiny("aa-1942", DECKS.replace("3 fighter", "4 fighter"), movement="aa-1942")
    found = replace(attack(board, "z2"), ruleset=str(ruleset))
    names = ("carrier", "carrier (2 hits left)", "carrier (1 hit left)", "carrier*")
    row = dict(zip(names, left, strict=False))
    return found.lost_landing(Survivors([{"fighter": 4, **row, "probability": 1.0}])).get("fighter", 0)


def test_damaged_carriers_have_the_decks_that_their_ruleset_says(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "aa-1942"\n[units.carrier]\nhits = 3\n', encoding="utf-8")
    assert hit(house, 1, 1) == 0
    assert hit(house, 0, 1, 1) == 0
    assert hit(house, 0, 0, 1) == 2
    house.write_text('extends = "aa-1942"\n[units.carrier]\nhits = 3\ndamaged_decks = 1\n', encoding="utf-8")
    assert hit(house, 1, 1) == 1
    assert hit(house, 0, 1, 1) == 2
    assert (hit("aa-1940-2e", 1, 0, 0, 1), hit("aa-1940-2e", 2)) == (2, 0)


def test_names_of_units_may_differ_between_map_and_ruleset(tmp_path):
    text = (files("battlecalc.mapping") / "data" / "movement-aa-1942.toml").read_text(encoding="utf-8")
    text = text.replace("[units.carrier]", "[units.cv]").replace('"cv", ', "")
    path = tmp_path / "rules.toml"
    path.write_text(text.replace("[units.fighter]", "[units.fig]").replace(', "fig"', ""), encoding="utf-8")
    board = tiny("aa-1942", DECKS.replace("fighter", "fig").replace("carrier", "cv"), movement=str(path))
    found = attack(board, "z2")
    assert found.attacker == "3 fig, 2 cv"
    assert found.lost_landing(Survivors([row(3, 1, 1.0)])) == {"fig": 1}


def test_a_battle_without_options_of_its_own():
    found = attack(tiny("great-war", "z1: sea mines=b | | a 1 cruiser; b 1 cruiser"), "z1")
    assert found.battle(options=None).options == found.battle().options
    assert dict(found.battle(options={}).options)["mines"] is True
    assert dict(found.battle(options={"mines": False}).options)["mines"] is False


def test_planes_that_land_elsewhere_need_no_deck():
    found = attack(
        tiny("aa-1942", DECKS.replace("moved=1", "").replace("z2: sea |", "z2: sea | isle") + "isle: land a"),
        "z2",
    )
    assert found.lost_landing(Survivors([row(3, 0, 1.0)])) == {}


def test_planes_sent_without_a_landing_are_the_first_to_fall():
    board = tiny(
        "aa-1942", "home: land a | z0 | a 1 bomber; a 2 bomber moved=4\nz0: sea | z1\nz1: sea | | b 1 cruiser"
    )
    found = attack(board, "z1", one_way=True)
    rows = [{"bomber": alive, "probability": 0.25} for alive in (0, 1, 2, 3)]
    assert found.lost_landing(Survivors(rows)) == {"bomber": pytest.approx(0.25 * 1 + 0.25 * 2)}


def run(*arguments):
    """Output of the command, which has to succeed."""
    done = CliRunner().invoke(main, ["muster", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_odds_of_a_map_and_of_its_forces_are_the_same():
    import battlecalc

    found = attack(tiny("aa-1942", DECKS), "z2")
    odds = battlecalc.solve(found.battle())
    assert odds.outcomes == battlecalc.solve("aa-1942", "naval", "3 fighter, 2 carrier", "1 cruiser").outcomes
    # Planes are lost before carriers, so that those left have a deck; the other way about they have not.
    assert found.lost_landing(odds) == {}
    odds = battlecalc.solve(found.battle({"loss_order": "carrier"}))
    sunk = odds.survivors("attacker")
    one, none = (sunk.loc[sunk["carrier"] == left, "probability"].sum() for left in (1, 0))
    assert one + none > 0
    assert one <= found.lost_landing(odds)["fighter"] <= one + 3 * none


def test_every_battle_of_the_maps_that_come_along_can_be_fought():
    count = 0
    for name in shipped_maps():
        board = read_map(name)
        for power in board.powers.values():
            for space in board.spaces:
                for keywords in ({}, {"fight": True}, {"one_way": True}, {"by": "sea"}):
                    try:
                        found = muster(board, power.id, space, **keywords)
                    except MapError:
                        continue
                    if found.fought:
                        found.battle()
                        count += 1
    assert count > 100


def test_without_the_graph_library_one_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MapError, match=r"need networkx; pip install 'battlecalc\[muster\]'"):
        muster("western-europe", "germany", "united-kingdom")


def test_odds_on_the_screen_and_as_json():
    asked = ("western-europe", "--power", "united-kingdom", "--attack", "sz-6", "--odds", "--method", "exact")
    text = run(*asked)
    assert "naval" in text.splitlines()[0]
    assert "attacker wins" in text
    found = json.loads(run(*asked, "--json"))
    assert found["odds"]["sequence"] == "naval"
    assert found["odds"]["outcomes"]["attacker_wins"] > 0.99
    assert found["lost_landing"] == {}


def test_no_odds_without_a_battle():
    done = CliRunner().invoke(
        main, ["muster", "channel-and-straits", "--power", "germany", "--attack", "kiev", "--odds"]
    )
    assert done.exit_code == 2
    assert "the attacker has nobody there" in done.output
    assert len(done.output.splitlines()) == 1


LANDING = ("western-europe", "--power", "united-kingdom", "--attack", "western-europe")


def test_plain_screen():
    text = run(*LANDING)
    assert text.startswith("United Kingdom attacks Western Europe: invasion from SZ 7\n")
    assert "  1 tank        landing      United Kingdom > SZ 7 > Western Europe" in text
    assert (
        "Cannot attack: An AA gun moves in the non-combat move only. (Units)\n  United Kingdom  1 aa gun\n"
        in text
    )
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "\x1b" not in text


def test_json_is_the_answer():
    found = json.loads(run(*LANDING, "--json"))["muster"]
    expected = muster("western-europe", "united-kingdom", "western-europe")
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert found["attacker"] == expected.attacker
    assert {entry["rule"]["key"] for entry in found["kept"]} == {"noncombat", "no_sea_battle"}


def test_after_on_the_screen_and_as_json():
    text = run("channel-and-straits", "--power", "russia", "--after")
    assert "1 fighter in Kiev" in text
    assert "May entrench\n  3 infantry in Odessa\n  5 infantry in Moscow\n" in text
    found = json.loads(run("channel-and-straits", "--power", "russia", "--after", "--json"))["after"]
    assert found["lost"] == ""
    assert found["landings"][0]["routes"]["moscow"] == ["kiev", "moscow"]


def test_terminal_screen(capsys):
    from battlecalc.cli.muster_command import show_rich
    from battlecalc.mapping.report import muster_report

    board = read_map("channel-and-straits")
    show_rich(muster_report(board, muster(board, "britain", "antwerp-zeebrugge")))
    text = capsys.readouterr().out
    assert "Britain attacks Antwerp-Zeebrugge: land" in text
    assert "supporting fire" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say one of --attack SPACE and --after"),
        (("--attack", "sz-6", "--after"), "say one of --attack SPACE and --after"),
        (("--after", "--odds"), "--odds belongs to --attack, not to --after"),
    ],
)
def test_flags_that_do_not_go_together(arguments, message):
    done = CliRunner().invoke(main, ["muster", "western-europe", "--power", "germany", *arguments])
    assert done.exit_code == 2
    assert message in done.output

"""What the screen says of each kind of remark: danger on the way, landings, who is forced out or lost."""

from __future__ import annotations

import pytest

from battlecalc.mapping.report import after_report, muster_report

from .tiny import attack, quiet, tiny

FORTS = {"passages": [{"between": ["aegean", "marmara"], "forts": ["thrace"]}]}
MINED = "s: sea | t | a 2 cruiser; a 1 dreadnought\nt: sea mines=b | u\nu: sea | | b 1 cruiser"
STRAIT = "aegean: sea | marmara | a 1 cruiser\nmarmara: sea{} | thrace{}\nthrace: land b | | b 2 fort"
TAKEN = """
    w: land a | x
    x: land a newly_captured | y | a 2 fighter moved=2 fought; a 1 fighter fought left=0
    y: land a
"""


def said(sections, title):
    """Rows below a title, each in one line; the titles where there is none."""
    for section in sections:
        if section.title == title:
            return ["  ".join(filter(None, row)) for row in section.rows]
    return [section.title for section in sections]


ATTACKS = {
    "mines on the way": ("great-war", MINED, "u", "Expected losses on the way", ["cruiser  0.33"]),
    "mines on the way of a ship": (
        "great-war",
        MINED,
        "u",
        "Can join",
        [
            "2 cruiser  sea battle  S > T > U  2  mines in T",
            "1 dreadnought  sea battle  S > T > U  2  mines in T",
        ],
    ),
    "mines in the zone attacked": (
        "great-war",
        "s: sea | t | a 2 cruiser\nt: sea mines=b | | b 1 cruiser",
        "t",
        "A attacks T: naval",
        ["attacker  2 cruiser", "defender  1 cruiser", "options  mines"],
    ),
    "ships of a port that falls": (
        "great-war",
        "kent: land a | | a 1 infantry\nbrest: land b port=s,t | kent s t | b 2 cruiser\ns: sea\nt: sea",
        "brest",
        "If the territory falls, forced out to sea",
        ["2 cruiser  to S or T"],
    ),
    "planes without a landing": (
        "aa-1942",
        "home: land a | z0 | a 1 bomber moved=4\nz0: sea | z1\nz1: sea | | b 1 cruiser",
        "z1",
        "Cannot land, lost after the battle",
        ["1 bomber"],
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack(name):
    game, spaces, target, title, rows = ATTACKS[name]
    board = tiny(game, spaces)
    assert said(muster_report(board, attack(board, target, one_way=True)), title) == rows


def test_forts_beside_the_way():
    board = tiny("great-war", STRAIT.format("", " | b 1 cruiser"), **FORTS)
    sections = muster_report(board, attack(board, "marmara"))
    assert said(sections, "A attacks Marmara: naval")[-1] == "options  pass_through_forts = 2"
    assert said(sections, "Can join")[0].endswith("2 forts at Aegean - Marmara")


QUIET = {
    "mines and forts": (
        "great-war",
        STRAIT.format(" mines=b", ""),
        "Walk or sail",
        ["1 cruiser in Aegean  Marmara 1  0.95 lost to Marmara"],
    ),
    "a port that fell": (
        "great-war",
        "brest: land b port=s | s | a 1 cruiser\ns: sea",
        "Forced out to sea",
        ["1 cruiser  to S"],
    ),
    "planes after the battle": ("aa-1942", TAKEN, "Cannot land, lost", ["1 fighter"]),
    "where planes land": ("aa-1942", TAKEN, "Aircraft land", ["2 fighter in X  W 1, Y 1"]),
    "on a carrier": (
        "aa-1942",
        "s: sea | t | a 1 fighter moved=4 fought\nt: sea | u\nu: sea | | a 1 carrier",
        "Aircraft land",
        ["1 fighter in S  on a carrier in S 0"],
    ),
}


@pytest.mark.parametrize("name", QUIET)
def test_after_the_battles(name):
    game, spaces, title, rows = QUIET[name]
    board = tiny(game, spaces, **(FORTS if "fort" in spaces else {}))
    assert said(after_report(board, quiet(board)), title) == rows

"""Large maps: 500 spaces and 2,000 pieces in under a second."""

from __future__ import annotations

import random
import time

import pytest

from battlecalc.mapping import Map, after, movement, muster, parse_map
from tests.mapping.tiny import document

WIDTH, HEIGHT, PIECES = 25, 20, 2000


def large(game: str) -> Map:
    """Chequered map of land and sea in blocks of four, with pieces of two powers strewn over it."""
    rng = random.Random(1)
    spaces = {}
    for x in range(WIDTH):
        for y in range(HEIGHT):
            beside = [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
            spaces[f"s{x}-{y}"] = {
                "kind": "sea" if (x // 2 + y // 2) % 2 else "land",
                "borders": [f"s{i}-{j}" for i, j in beside if 0 <= i < WIDTH and 0 <= j < HEIGHT],
                "pieces": [],
            }
    kinds = {
        kind: [name for name, space in spaces.items() if space["kind"] == kind] for kind in ("land", "sea")
    }
    for name in kinds["land"]:
        spaces[name]["owner"] = rng.choice("ab")
    units = list(movement(game).units.values())
    for _ in range(PIECES):
        unit = rng.choice(units)
        name = rng.choice(kinds["sea" if unit.domain == "sea" else "land"])
        power = spaces[name].get("owner") or rng.choice("ab")
        spaces[name]["pieces"].append({"power": power, "unit": unit.id})
    powers = {"a": {"side": "x"}, "b": {"side": "y"}}
    return parse_map({"ruleset": game, "powers": powers, "spaces": spaces}, "large")


@pytest.mark.parametrize("game", ["great-war", "aa-1942"])
def test_large_map(game):
    board = large(game)
    coast = next(
        space.id
        for space in list(board.spaces.values())[200:]
        if space.owner == "b"
        and space.pieces
        and any(board.spaces[end].kind == "sea" for end in space.borders)
    )
    # The best of three, and processor time: other processes may hold the machine up.
    best = 60.0
    for _ in range(3):
        start = time.process_time()
        found = muster(board, "a", coast)
        after(board, "a")
        best = min(best, time.process_time() - start)
    assert best < 1.0
    own = sum(piece.count for piece in board.pieces() if piece.power == "a")
    assert sum(entry.piece.count for entry in (*found.joining, *found.kept)) == own


def test_thousands_of_planes_and_decks():
    """Equal decks are looked at once, not once for each plane; carriers in many zones, too."""
    many = "z0: sea | z1 | a 1500 carrier; a 3000 fighter\nz1: sea | t |\nt: sea | | b 5 destroyer"
    spread = [f"z{n}: sea | t | a 10 carrier; a 20 fighter" for n in range(150)]
    for text in (many, "\n".join([*spread, "t: sea | | b 4 destroyer"])):
        board = parse_map(document("aa-1942", text))
        best = 60.0
        for _ in range(3):
            start = time.process_time()
            found = muster(board, "a", "t")
            after(board, "a")
            best = min(best, time.process_time() - start)
        assert best < 1.0
        flying = [entry for entry in found.joining if entry.piece.unit == "fighter"]
        assert sum(entry.piece.count for entry in flying) == 3000
        assert all(entry.deck for entry in flying)

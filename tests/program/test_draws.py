"""Fire as words: limits of what a builder stores."""

import pytest

import battlecalc as bc
from battlecalc.program import draws
from battlecalc.program.build import make_program


def test_more_overlapping_kinds_of_hits_than_engines_keep_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submarines fire with the others here, at ships; planes fire at all but submarines: targets overlap."""
    make_program.cache_clear()
    monkeypatch.setattr(draws, "MAX_TANGLED", 1)
    with pytest.raises(bc.BattlecalcError, match=r"^step '.+' has 2 kinds of hits .*, more than 1: "):
        bc.solve("aa-1942", "naval", "1 sub, 1 ftr", "1 sub, 1 ftr, 1 destroyer")

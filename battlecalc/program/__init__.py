"""From a :class:`battlecalc.battle.Battle` to flat arrays that the engines walk."""

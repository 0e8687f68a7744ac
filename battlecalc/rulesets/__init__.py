"""Rules of the editions, as data: TOML files, the schema they fill, and the loader."""

from battlecalc.rulesets.ruleset import Ruleset, load_ruleset, ruleset_ids

__all__ = ("Ruleset", "load_ruleset", "ruleset_ids")

"""The naive twin: battles worked out from the rules texts by enumerating dice, in fractions.

It knows nothing of the package under test. Slow, for about 6 units a side; see `battle`.
"""

from tests.naive.twin import Result, battle

__all__ = ["Result", "battle"]

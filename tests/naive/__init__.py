"""The naive twin: battles worked out from the rules texts by enumerating dice, in fractions.

It knows nothing of the package under test. Slow, for about 6 units a side; see `battle`.
"""

from tests.naive.decisions import best_by_enumeration, best_retreat_value, retreat_value
from tests.naive.hits import hits
from tests.naive.policies import policy
from tests.naive.raids import raid
from tests.naive.twin import Result, battle, rounds_fought

__all__ = [
    "Result",
    "battle",
    "best_by_enumeration",
    "best_retreat_value",
    "hits",
    "policy",
    "raid",
    "retreat_value",
    "rounds_fought",
]

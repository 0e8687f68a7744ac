"""Hard use: odd input, odd rules, odd machines."""

from __future__ import annotations

import os

# Many times more examples, and tests that take minutes: see docs/limits.md.
EXAMPLES = int(os.environ.get("BATTLECALC_HARD", "1"))

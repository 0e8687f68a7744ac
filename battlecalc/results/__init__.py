"""What came out: `Odds` and the forms in which it is read."""

from battlecalc.results.answer import JOINT_CELLS, Odds
from battlecalc.results.intervals import ConfidenceInterval
from battlecalc.results.luck import Percentile
from battlecalc.results.report import Report, Row, Section

__all__ = ["JOINT_CELLS", "ConfidenceInterval", "Odds", "Percentile", "Report", "Row", "Section"]

"""The question side: forces, policies, orders of loss, battles and battle files."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

QUICK = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=30),  # lone surrogates too
    st.binary(max_size=5),
    st.sampled_from(
        ["6 inf", "6 inf, 2 art", "2 bb", "best", "never", "round >= 2", "-", "naval", "9" * 5000]
    ),
)
"""What somebody may put anywhere."""

ANYTHING: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=8), inner, max_size=3),
    ),
    max_leaves=6,
)

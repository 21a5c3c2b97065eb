"""The formulas of the plan against numbers from outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.plan.affinity import pcie_rate
from wirespeed.plan.ecn import round_to_unit
from wirespeed.settings import PcieLink
from wirespeed.units import Size


@given(st.integers(1, 10**9), st.sampled_from([1, 208, 254, 1000, 1024]))
def test_a_threshold_is_configured_as_the_nearest_whole_number_of_units(size: int, unit: int) -> None:
    rounded = round_to_unit(Size(size), unit)
    assert rounded % unit == 0 and rounded > 0
    assert abs(rounded - size) <= unit / 2 or rounded == unit


@pytest.mark.parametrize(
    ("speed", "width", "gb_per_s"),
    [  # usable GB/s per direction of x16, as in every table of the generations
        (2500, 16, 4.0),
        (5000, 16, 8.0),
        (8000, 16, 15.754),
        (16000, 16, 31.508),
        (32000, 16, 63.015),
        (32000, 8, 31.508),
        (64000, 16, 118.0),
    ],
)
def test_pcie_rate(speed: int, width: int, gb_per_s: float) -> None:
    assert pcie_rate(PcieLink(speed, width)) / 8e9 == pytest.approx(gb_per_s, rel=1e-4)

"""The formulas of the plan against numbers from outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.plan.affinity import pcie_rate
from wirespeed.plan.ecn import said
from wirespeed.plan.headroom import computed, headroom
from wirespeed.settings import PcieLink
from wirespeed.units import Bandwidth, Length, Size


@pytest.mark.parametrize(
    ("gbps", "metres", "shipped"),
    [
        # pg_profile_lookup.ini of SONiC for 32 x 400G Tomahawk3
        (100, 5, 159_258),
        (400, 5, 557_530),
        (400, 300, 995_934),
    ],
)
def test_headroom_is_what_sonic_ships(gbps: int, metres: int, shipped: int) -> None:
    assert headroom(Bandwidth.gbps(gbps), Length(metres * 1000)) == pytest.approx(shipped, rel=0.031)


@given(st.integers(1, 800), st.integers(0, 2000))
def test_headroom_grows_with_speed_and_length(gbps: int, metres: int) -> None:
    here = headroom(Bandwidth.gbps(gbps), Length(metres * 1000))
    assert here < headroom(Bandwidth.gbps(gbps + 1), Length(metres * 1000))
    assert here < headroom(Bandwidth.gbps(gbps), Length((metres + 1) * 1000))


def test_the_formula_gives_the_value() -> None:
    entry = computed(Bandwidth.gbps(400), Length(3000))
    assert entry.formula == "26500 B + 2.976 x 400 Gb/s / 8 x (3.52 us + 2 x 5 ns/m x 3 m)"
    by_hand = 26500 + 2.976 * 400e9 / 8 * (3.52e-6 + 2 * 5e-9 * 3)
    assert int(entry.value.split("(")[1].split()[0]) == pytest.approx(by_hand, abs=1)


@given(st.integers(1, 10**9), st.sampled_from([1, 208, 254, 1000, 1024]))
def test_a_threshold_is_said_as_the_nearest_whole_number_of_units(size: int, unit: int) -> None:
    found = said(Size(size), unit)
    assert found % unit == 0 and found > 0
    assert abs(found - size) <= unit / 2 or found == unit


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

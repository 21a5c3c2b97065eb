"""The least time of a message, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.limits import latency
from wirespeed.limits.framing import Path as Link
from wirespeed.plan import build
from wirespeed.units import Bandwidth

G400 = Link(Bandwidth.gbps(400), 4096)


@pytest.mark.parametrize(
    ("size", "on_wire"),
    [(None, 84), (0, 84), (2, 4 + 78 + 20), (4096, 4096 + 98), (1_048_576, 1_048_576 + 256 * 82 + 16)],
)
def test_a_message_at_line_rate(size, on_wire):
    assert latency.message_term(G400, size).value == pytest.approx(on_wire * 8 / 400e3, rel=0.01)


@given(size=st.integers(1, 2**24), faster=st.sampled_from([100, 200, 800]))
def test_longer_takes_longer_and_faster_takes_less(size, faster):
    base = latency.message_term(G400, size).value
    assert latency.message_term(G400, size + 1).value >= base
    faster_value = latency.message_term(replace(G400, speed=Bandwidth.gbps(faster)), size).value
    assert (faster_value < base) is (faster > 400)


def test_light_in_both_cables():
    plan = build(read(Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"), load())
    nics = [(name, next(iter(host.nics))) for name, host in plan.hosts.items()]
    per_metre = plan.hardware.cables["dac-400g"].delay_ns_per_m.value
    term = latency.cables_term(plan, nics[0], nics[1])
    assert term.value == pytest.approx((3 + 3) * per_metre / 1e3)
    assert latency.cables_term(plan, nics[0], ("node9", "eth0")).value == pytest.approx(3 * per_metre / 1e3)
    assert latency.cables_term(plan, ("a", "b"), ("c", "d")) is None


def test_times_add_up():
    bound = latency.sum_terms([latency.bytes_term(5000, 400, "x"), latency.bytes_term(2500, 400, "y")])
    assert (bound.value, bound.unit, bound.bottleneck) == (pytest.approx(0.15), "us", "serialisation")

"""Plans of the example cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import Plan, build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"


@pytest.fixture(scope="session", params=["cluster.yaml", "cluster-eos-rail24.yaml"])
def plan(request: pytest.FixtureRequest) -> Plan:
    return build(read(EXAMPLE / request.param), load())

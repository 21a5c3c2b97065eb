"""The RDMA transport of a job, on NICs with and without an accelerated one."""

from dataclasses import replace

import pytest
import small_cluster as small

from wirespeed.settings import Driver


@pytest.mark.parametrize(
    ("library", "driver", "intended", "found", "status"),
    [
        # UCX, src/ucp/core/ucp_context.c: "rc" is rc_mlx5 and rc_verbs; only NICs of mlx5_core have the first
        ("openmpi", "mlx5_core", "rc", "rc-verbs", "fail"),
        ("openmpi", "mlx5_core", "rc-verbs", "rc-verbs", "pass"),
        ("openmpi", "bnxt_en", "rc", "rc-verbs", "pass"),
        ("openmpi", "bnxt_en", "hybrid-verbs", "hybrid", "pass"),
        ("openmpi", "bnxt_en", "rc-verbs", "ud", "fail"),
        # rc_x is rc_mlx5, dc is dc_mlx5: other NICs have neither
        ("openmpi", "mlx5_core", "rc", "rc-accelerated", "pass"),
        ("openmpi", "bnxt_en", "rc", "rc-accelerated", "fail"),
        ("openmpi", "mlx5_core", "rc", "dc-rc", "fail"),
        ("openmpi", "bnxt_en", "rc", "dc-rc", "pass"),
        ("openmpi", "bnxt_en", "hybrid", "dc-hybrid", "pass"),
        ("openmpi", "bnxt_en", "rc", "dc", "fail"),
        ("openmpi", "bnxt_en", "rc", "none", "fail"),
        ("mvapich3", "mlx5_core", "hybrid", "rc", "fail"),
    ],
)
def test_a_transport_over_verbs_is_another_where_there_is_an_accelerated_one(
    library: str, driver: str, intended: str, found: str, status: str
) -> None:
    host = small.PLAN.hosts["node1"]
    nics = {name: replace(nic, driver=Driver(driver)) for name, nic in host.nics.items()}
    launch = replace(host.launch, library=library, transport=intended)
    plan = replace(small.PLAN, hosts={"node1": replace(host, nics=nics, launch=launch)})
    facts = small.facts({(small.HOST, "host.launch.transport"): found})
    (finding,) = small.by_id("launch.transport", facts, plan)
    assert (finding.status, finding.expected, finding.found) == (status, intended, found)

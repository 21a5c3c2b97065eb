"""A card in InfiniBand mode: ibv_devinfo as public outputs of ConnectX-6 and ConnectX-6 Dx print it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

CLUSTER = Path(__file__).parents[2] / "examples" / "esnet-400g" / "cluster.yaml"


@pytest.mark.parametrize("has_interface", [True, False])
def test_a_port_in_infiniband_mode_is_named(has_interface: bool, tmp_path: Path) -> None:
    plan = build(read(CLUSTER))
    bundle = tmp_path / "bundle"
    write_planned_bundle(plan, bundle)
    name, host = next(iter(plan.hosts.items()))
    interface, nic = next(iter(host.nics.items()))
    file = bundle / name / "ibv-devinfo.out"
    text, count = re.subn(
        rf"(hca_id:\s*{nic.rdma_device}\n(?:.+\n)*?\s*link_layer:\s*)Ethernet", r"\1InfiniBand", file.read_text()
    )
    assert count == 1
    file.write_text(text)
    if not has_interface:
        addresses = bundle / name / "ip-addr.out"
        addresses.write_text(addresses.read_text().replace(f'"{interface}"', '"ibs0"'))
    facts = read_facts(bundle)
    (finding,) = (
        finding
        for finding in run(locate(plan, facts), facts)
        if (finding.check, finding.device, finding.status) == ("nic.presence", name, "fail")
    )
    assert (finding.summary, finding.expected) == ("the NIC port is in InfiniBand mode", "Ethernet")
    assert any("ibv-devinfo.out" in evidence for evidence in finding.evidence)

"""A card in InfiniBand mode: ibv_devinfo as public outputs of ConnectX-6 and ConnectX-6 Dx print it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cli.flows import add_commands
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

CLUSTER = Path(__file__).parents[2] / "examples" / "esnet-400g" / "cluster.yaml"
VPI = """version: 1
name: dgx
hosts:
  node[1-2]: {model: nvidia-dgx-h100, os: ubuntu-22.04, nics: 8 x nvidia-mcx75310aas-neat}
switches:
  leaf1: {model: arista-7060dx4-32, os: eos, role: leaf}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
"""


@pytest.mark.parametrize(
    ("text", "has_interface", "commands"),
    [
        (CLUSTER.read_text(), True, ()),  # an Ethernet card, which has no link type
        (CLUSTER.read_text(), False, ()),
        (VPI, True, ("mlxconfig -y -d 0000:18:00.0 set LINK_TYPE_P1=2",)),
        (VPI, False, ("mlxconfig -y -d 0000:18:00.0 set LINK_TYPE_P1=2",)),
    ],
)
def test_a_port_in_infiniband_mode_is_named(
    text: str, has_interface: bool, commands: tuple[str, ...], tmp_path: Path
) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(text)
    plan = build(read(cluster))
    bundle = tmp_path / "bundle"
    write_planned_bundle(plan, bundle)
    name, host = next(iter(plan.hosts.items()))
    interface, nic = next(iter(host.nics.items()))
    file = bundle / name / "ibv-devinfo.out"
    edited, count = re.subn(
        rf"(hca_id:\s*{nic.rdma_device}\n(?:.+\n)*?\s*link_layer:\s*)Ethernet", r"\1InfiniBand", file.read_text()
    )
    assert count == 1
    file.write_text(edited)
    if not has_interface:
        addresses = bundle / name / "ip-addr.out"
        addresses.write_text(addresses.read_text().replace(f'"{interface}"', '"ibs0"'))
    facts = read_facts(bundle)
    located = locate(plan, facts)
    (finding,) = (
        finding
        for finding in add_commands(located, run(located, facts))
        if (finding.check, finding.device, finding.status) == ("nic.presence", name, "fail")
    )
    assert (finding.summary, finding.expected) == ("the NIC port is in InfiniBand mode", "Ethernet")
    assert any("ibv-devinfo.out" in evidence for evidence in finding.evidence)
    (fix,) = finding.fix
    sentence = (
        "set the port of the card to Ethernet, then restart the host"
        if commands
        else "install the planned card, whose ports are Ethernet only, or plan the card that is in this slot"
    )
    assert (fix.sentence, fix.commands) == (sentence, commands)

"""A host whose BIOS disables SMT has no second hardware thread of a core: not planned, and not in its own bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.errors import Refusal
from wirespeed.number_ranges import format_ranges
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.plan.model import Plan
from wirespeed.results.findings import Status

FILE = """\
version: 1
name: smt
hosts:
  cn[1-2]:
    model: sr645
    os: rocky-9.4
    nics: 1 x nvidia-mcx623105an-vdat
    interfaces: [ens1np0]
    tuning: esnet-dtn
    bios: {{nps: any, smt: {smt}}}
switches:
  leaf1: {{model: arista-7060dx5-64s, os: eos, role: leaf}}
cabling: {{pattern: by-host, length: 5 m}}
addresses: {{scheme: rail-24, pool: 192.168.0.0/16}}
hardware:
  servers:
    sr645:
      cpu_vendor: amd
      cpus: {{sockets: 2, cores: 8, threads: {threads}, numa_nodes: 2, numbering: {numbering}}}
      slot_pcie: gen4 x16
      nic_slots: [{{interface: ens1np0}}]
      pcie: [{{nics: [1], numa_node: 3}}]
launch: {{library: openmpi, ranks: 2, threads: {ranks}, binding: compact}}
"""


def build_plan(smt: str, threads: int = 2, numbering: str = "by-socket", ranks: int = 1) -> Plan:
    text = FILE.format(smt=smt, threads=threads, numbering=numbering, ranks=ranks)
    return build(read_text(text, "cluster.yaml"))


@pytest.mark.parametrize(
    ("smt", "threads", "numbering", "ranks", "nodes", "interrupts", "cores"),
    [
        ("enabled", 2, "by-socket", 2, ["0-3,16-19", "4-7,20-23", "8-11,24-27", "12-15,28-31"], 3, ["12,28", "13,29"]),
        ("any", 2, "by-socket", 1, ["0-3,16-19", "4-7,20-23", "8-11,24-27", "12-15,28-31"], 3, ["12", "13"]),
        ("disabled", 2, "by-socket", 1, ["0-3", "4-7", "8-11", "12-15"], 3, ["12", "13"]),
        ("disabled", 4, "by-socket", 1, ["0-3", "4-7", "8-11", "12-15"], 3, ["12", "13"]),
        ("disabled", 2, "round-robin", 1, ["0,2,4,6", "8,10,12,14", "1,3,5,7", "9,11,13,15"], 3, ["9", "11"]),
        ("disabled", 1, "by-socket", 1, ["0-3", "4-7", "8-11", "12-15"], 3, ["12", "13"]),
    ],
)
def test_cpus_of_nodes_interrupts_and_ranks(
    smt: str, threads: int, numbering: str, ranks: int, nodes: list[str], interrupts: int, cores: list[str]
) -> None:
    host = build_plan(smt, threads, numbering, ranks).hosts["cn1"]
    assert [",".join(format_ranges(node.cpus or ())) for node in host.numa.values()] == nodes
    assert ",".join(format_ranges(host.nics["ens1np0"].interrupt_cores or ())) == nodes[interrupts]
    assert [",".join(format_ranges(rank)) for rank in host.launch.cores or ()] == cores


def test_a_rank_has_no_second_thread_of_its_core() -> None:
    with pytest.raises(
        Refusal, match="2 threads of a rank, bound compact; expected at most 1, the hardware threads of a"
    ):
        build_plan("disabled", ranks=2)


@pytest.mark.parametrize("smt", ["enabled", "disabled"])
def test_the_bundle_of_a_server_without_vendor_matches_the_plan(smt: str, tmp_path: Path) -> None:
    """No Redfish name of its firmware is known: lscpu shows the threads of a core."""
    plan = build_plan(smt)
    write_planned_bundle(plan, tmp_path / "bundle")
    observed = read_facts(tmp_path / "bundle")
    verdicts = {
        (finding.device, finding.status)
        for finding in run(locate(plan, observed), observed)
        if finding.check == "host.bios" and finding.place == "bios smt"
    }
    assert verdicts == {("cn1", Status.PASS), ("cn2", Status.PASS)}

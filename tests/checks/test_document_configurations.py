"""Configurations that the source documents print, in a bundle: all is read, and a check's findings are an expert's.

The documents call these configurations right. What remains are differences from the plan (a second lossless priority,
a watchdog that the document does not set) and lines that a printed fragment leaves out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Size

SAMPLES = Path(__file__).parents[1] / "samples" / "switch_configurations"
CLUSTER = """\
version: 1
name: an210
hosts:
  node1: {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}}
switches:
  leaf1: {{model: {model}, os: {system}, role: leaf}}
cabling: {{pattern: by-host, cable: dac-400g, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
classes:
  roce: {{dscp: 26, priority: 3, lossless: true, share: 50%}}
  cnp: {{dscp: 48, priority: 7, strict: true}}
"""
AS_PRINTED = (
    CLUSTER.replace("role: leaf", "role: leaf, classes: {{tc4: {{traffic_class: 4, queue: 4, priority_group: 4}}}}")
    .replace("dscp: 26,", "dscp: [24, 26], nic: {{dscp: 26}}, dot1p: true,")
    .replace("share: 50%", "share: 33%")
    + "  tc4: {{dscp: 4, priority: 4, lossless: true, share: 33%, dot1p: true}}\n"
)
"""The classes of section 2.5.2: DSCP 24 and 26 lossless, DSCP 4 too in queue 4, both also by 802.1p priority."""

ROWS = [
    pytest.param(
        CLUSTER,
        "arista-7060dx4-32",
        "eos",
        "running-config",
        "an210-eos.txt",
        # 9200 as printed: enough for the hosts, below the plan; DSCPs beside 26 and 48 keep the default map
        {"port.mtu": Status.WARN, "qos.roce-queue": Status.WARN, "qos.cnp-queue": Status.WARN},
        {"fabric.routing", "qos.scheduler", "qos.watchdog"},  # the fragment lacks these lines
        id="eos",
    ),
    pytest.param(
        CLUSTER,
        "dell-z9664f",
        "dell-sonic",
        "running-config",
        "an210-enterprise-sonic.txt",
        # the fragment has no "buffer init lossless"; priority 4 and DSCP 24 are lossless too, which the plan does not
        # contain
        {"qos.lossless-buffers": Status.FAIL, "qos.pfc": Status.FAIL, "qos.roce-queue": Status.WARN},
        {"fabric.watchdog-poll", "port.cable-length"},  # the fragment has no cable length
        id="enterprise-sonic",
    ),
    pytest.param(
        AS_PRINTED,
        "dell-z9664f",
        "dell-sonic",
        "running-config",
        "an210-enterprise-sonic.txt",
        {"qos.lossless-buffers": Status.FAIL},  # the fragment has no "buffer init lossless"
        {"fabric.watchdog-poll", "port.cable-length"},
        id="enterprise-sonic-as-printed",
    ),
    pytest.param(
        CLUSTER,
        "juniper-qfx5240-64od",
        "junos",
        "configuration",
        "an210-junos.txt",
        # the document's profile has no PFC watchdog, and divides the buffer otherwise than Juniper's validated design
        {
            "qos.buffer-shares": Status.WARN,
            "qos.scheduler": Status.FAIL,
            "qos.watchdog": Status.FAIL,
        },  # NO-LOSS: no rate
        {"fabric.watchdog-poll", "qos.scheduler"},  # no scheduler of the default class
        id="junos",
    ),
]


@pytest.mark.parametrize(("cluster", "model", "system", "output", "sample", "findings", "unknown"), ROWS)
def test_a_printed_configuration_is_read(
    tmp_path: Path,
    cluster: str,
    model: str,
    system: str,
    output: str,
    sample: str,
    findings: dict[str, Status],
    unknown: set[str],
) -> None:
    plan = build(read_text(cluster.format(model=model, system=system), "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    text = (SAMPLES / sample).read_text(encoding="utf-8")
    (tmp_path / "bundle" / "leaf1" / f"{output}.out").write_text(text, encoding="utf-8")
    count = tmp_path / "bundle" / "leaf1" / "configuration-lines.out"
    if count.exists():
        count.write_text(f"Count: {text.count(chr(10))} lines\n", encoding="utf-8")
    facts = read_facts(tmp_path / "bundle")
    results = list(run(locate(plan, facts), facts))
    failed = {
        finding.check: finding.status
        for finding in results
        if finding.status in (Status.FAIL, Status.WARN, Status.ERROR)
    }
    assert failed == findings
    assert {finding.check for finding in results if finding.status is Status.UNKNOWN} == unknown


LOSSLESS_CLUSTER = """\
version: 1
name: lossless
hosts:
  node[1-2]: {model: dell-r750-xeon-8358, os: ubuntu-20.04, nics: 1 x broadcom-bcm957508-p1200g, interfaces: [ens7np0]}
switches:
  leaf1: {model: arista-7804r3-36p, os: eos, role: leaf}
cabling: {pattern: by-host}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


def test_printed_fragments_are_read(tmp_path: Path) -> None:
    """The guide's fragments, on the ports of a plan: they differ from it as an expert sees them differ."""
    plan = build(read_text(LOSSLESS_CLUSTER, "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    text = (SAMPLES / "lossless-network-eos.txt").read_text(encoding="utf-8")
    text = text.replace("Ethernet2/1/1", "Ethernet3/1/1").replace("Ethernet6/1/1", "Ethernet3/2/1")
    (tmp_path / "bundle" / "leaf1" / "running-config.out").write_text(text, encoding="utf-8")
    facts = read_facts(tmp_path / "bundle")
    first, second = Place("leaf1").child("port", "Ethernet3/1/1"), Place("leaf1").child("port", "Ethernet3/2/1")
    expected_values = [
        (first, "port.link.mtu", 9000),
        (first, "port.link.speed", Bandwidth.gbps(200)),
        (first, "port.link.lanes", 4),
        (second.child("queue", "6"), "queue.ecn.minimum", Size(500_000)),
        (second.child("queue", "6"), "queue.ecn.maximum", Size(1_500_000)),
        (second.child("queue", "6"), "queue.ecn.probability", 20),
    ]
    for place, path, expected in expected_values:
        assert expected in [reading.value for reading in facts.readings[place, path]]
    differences = {
        (str(finding.place), finding.check): finding.status
        for finding in run(locate(plan, facts), facts)
        if finding.device == "leaf1" and finding.status in (Status.FAIL, Status.WARN, Status.ERROR)
    }
    queues = [
        (f"port {port} queue {number}", "qos.scheduler")
        for port in ("Ethernet3/1/1", "Ethernet3/2/1")
        for number in (0, 3)
    ]
    assert differences == {
        **dict.fromkeys(queues, Status.WARN),  # the fragments have no weights; that strict is the default is assumed
        ("port Ethernet3/1/1", "port.address"): Status.FAIL,  # no addresses are printed
        ("port Ethernet3/2/1", "port.address"): Status.FAIL,
        ("port Ethernet3/1/1", "port.mtu"): Status.WARN,  # 9000: enough for the hosts, below the plan
        ("port Ethernet3/1/1", "qos.pfc"): Status.FAIL,  # priority 4 is lossless too
        ("port Ethernet3/1/1", "qos.roce-queue"): Status.WARN,  # DSCPs beside 26 and 48 keep the default map
        ("port Ethernet3/1/1", "qos.cnp-queue"): Status.WARN,
        ("port Ethernet3/2/1", "qos.pfc"): Status.FAIL,  # the fragment of ECN has no PFC
        ("port Ethernet3/2/1", "qos.trust"): Status.FAIL,  # nor `no switchport`
    }

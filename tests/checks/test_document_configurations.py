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

ROWS = [
    pytest.param(
        "arista-7060dx4-32",
        "eos",
        "running-config",
        "an210-eos.txt",
        {"port.mtu": Status.WARN},  # 9200 as printed: enough for the hosts, below the plan
        {"fabric.routing", "fabric.watchdog-poll", "qos.scheduler", "qos.watchdog"},  # the fragment lacks these lines
        id="eos",
    ),
    pytest.param(
        "dell-z9664f",
        "dell-sonic",
        "running-config",
        "an210-enterprise-sonic.txt",
        # the fragment has no "buffer init lossless"; priority 4 is lossless too, which the plan does not contain
        {"qos.lossless-buffers": Status.FAIL, "qos.pfc": Status.FAIL},
        {"fabric.watchdog-poll"},
        id="enterprise-sonic",
    ),
    pytest.param(
        "juniper-qfx5240-64od",
        "junos",
        "configuration",
        "an210-junos.txt",
        {"qos.watchdog": Status.FAIL},  # the document's profile has no PFC watchdog
        {"fabric.watchdog-poll", "qos.scheduler"},  # no scheduler of the default class, no rate of NO-LOSS
        id="junos",
    ),
]


@pytest.mark.parametrize(("model", "system", "output", "sample", "findings", "unknown"), ROWS)
def test_a_printed_configuration_is_read(
    tmp_path: Path,
    model: str,
    system: str,
    output: str,
    sample: str,
    findings: dict[str, Status],
    unknown: set[str],
) -> None:
    plan = build(read_text(CLUSTER.format(model=model, system=system), "cluster.yaml"))
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

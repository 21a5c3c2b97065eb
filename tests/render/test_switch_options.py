"""Every setting of a switch in a cluster file is either in the rendered files or refused; no system ignores one."""

from __future__ import annotations

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.render import check, files

CLUSTER = """
version: 1
name: one
hosts:
  node1: {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}}
switches:
  leaf1: {{model: {model}, os: {system}, role: leaf{options}}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
classes:
  roce: {{dscp: 26, priority: {priority}, lossless: true, share: 50%, congestion: {congestion}}}
  cnp: {{dscp: 48, priority: 7, strict: true}}
"""
SYSTEMS = [
    next((model, system) for model, switch_model in load().switches.items() if system in switch_model.lossless_systems)
    for system in load().switch_systems
]
OPTIONS = {
    "watchdog alert": ", watchdog: {action: alert}",
    "watchdog errdisable": ", watchdog: {action: errdisable}",
    "watchdog forward": ", watchdog: {action: forward}",
    "watchdog times": ", watchdog: {detect: 600 ms, restore: 1200 ms, poll: 300 ms}",
    "thresholds": ", ecn: {minimum: 700 kB, maximum: 1900 kB}",
    "fill levels": ", ecn: {minimum_fill: 30%, maximum_fill: 70%}",
    "probability": ", ecn: {probability: 33%}",
    "flowlets": ", load_balancing: {mode: flowlet, flowlet_gap: 200 us}",
    "spraying": ", load_balancing: {mode: per-packet}",
    "static": ", load_balancing: {mode: static}",
    "buffers": ", buffers: {lossless_share: 50%, headroom_share: 30%, lossy_share: 20%}",
    "shared headroom": ", buffers: {shared_headroom: 4 MB}",
    "threshold of a group": ", buffers: {dynamic_threshold: 7}",
    "breakout": ", breakout: 2",
    "mtu": ", mtu: 9050",
    "queue": ", classes: {roce: {traffic_class: 5, queue: 5}}",
    "priority group": ", classes: {roce: {priority_group: 5}}",
}


def render_files(
    model: str, system: str, options: str = "", priority: int = 3, congestion: str = "dcqcn-p"
) -> dict[str, str]:
    """The switch's files by path.

    Raises:
        Refusal: it does not support the options.
    """
    text = CLUSTER.format(model=model, system=system, options=options, priority=priority, congestion=congestion)
    plan = build(read_text(text, "one.yaml"))
    check(plan)
    return {file.path: file.text for file in files(plan, ["leaf1"])}


def outcome(model: str, system: str, options: str = "", priority: int = 3, congestion: str = "dcqcn-p") -> str:
    """``configured``, or ``refused``, with location and reason; ``left out`` is the one there must not be."""
    try:
        files = render_files(model, system, options, priority, congestion)
    except Refusal as refusal:
        assert all(problem.location and problem.found and problem.expected for problem in refusal.problems)
        return "refused"
    return "configured" if files != render_files(model, system) else "left out"


@pytest.mark.slow
@pytest.mark.parametrize("options", list(OPTIONS))
@pytest.mark.parametrize(("model", "system"), SYSTEMS, ids=[system for _, system in SYSTEMS])
def test_nothing_requested_is_left_out(model: str, system: str, options: str) -> None:
    assert outcome(model, system, OPTIONS[options]) != "left out"


@pytest.mark.parametrize(("model", "system"), SYSTEMS, ids=[system for _, system in SYSTEMS])
def test_another_priority_is_not_left_out(model: str, system: str) -> None:
    """On some systems a pause stops the queue of the same number, so the queue must be configured, too."""
    assert outcome(model, system, priority=5) != "left out"
    assert outcome(model, system, OPTIONS["queue"], priority=5) != "left out"


@pytest.mark.parametrize(("model", "system"), SYSTEMS, ids=[system for _, system in SYSTEMS])
def test_a_step_is_configured_or_refused(model: str, system: str) -> None:
    refuses = load().switch_systems[system].step_marking is False
    assert outcome(model, system, congestion="dcqcn-d") == ("refused" if refuses else "configured")

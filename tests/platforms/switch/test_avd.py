"""Every line rendered for Arista EOS, compared with the generator of Arista's AVD.

The judge is the package pyavd: its schema checks names and values, and its templates write the configuration; nothing
there was written by this project. What it does not show: whether a switch has the resources, and whether lines fit
each other.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from platforms.switch.avd_generator import find_unknown_lines, list_lines
from platforms.switch.test_eos import CASES, GOLDEN
from wirespeed.platforms import platform
from wirespeed.platforms.forms import find_forms
from wirespeed.platforms.switch.eos.values import ACTION_KEYWORDS
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import WatchdogAction

EOS = platform("switch", "eos")
EXAMPLES = Path(__file__).parents[3] / "examples"
RENDERED = [*sorted(EXAMPLES.glob("*/rendered/*/*/mnt/flash/wirespeed.cfg")), *sorted(GOLDEN.glob("eos-*.cfg"))]
OTHER_AUTHORITIES = {
    "lldp run": "the default of EOS; AVD writes only its negation",
    "no priority-flow-control all off": "the negation of a line that AVD writes",
    "no priority-flow-control pause watchdog action": "the negation of a line that AVD writes",
    r"no neighbor \S+ bfd": "the negation of a line that AVD writes",
    "hardware counter feature ecn out": "the lossless guide prints it",
    "priority-flow-control mode on": "the lossless guide prints it, for EOS 4.27.2F and 4.28.1FX",
    "flowcontrol send off": "AN210 prints it; AVD has only the direction of receiving",
    "phy link training": "AN210 prints it",
    "no phy link training": "the negation of a line that AN210 prints",
    "bgp bestpath as-path multipath-relax": "a published running configuration has it",
}
"""Lines that AVD does not write (regular expressions), and what confirms them."""


def list_unknown(text: str) -> set[str]:
    return {line for _, line in find_unknown_lines(text)}


def list_unconfirmed(text: str) -> set[str]:
    """The lines that AVD does not write, and that have no other authority either."""
    return {
        line for line in list_unknown(text) if not any(re.fullmatch(pattern, line) for pattern in OTHER_AUTHORITIES)
    }


@pytest.mark.parametrize("path", RENDERED, ids=lambda path: "/".join(path.parts[-5:]))
def test_avd_writes_the_lines_of_every_rendered_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(list_lines(text)) > 20
    assert list_unconfirmed(text) == set()


@pytest.mark.parametrize("action", [WatchdogAction.DROP, WatchdogAction.ALERT, WatchdogAction.ERRDISABLE])
def test_avd_writes_every_action_of_the_switch(action: WatchdogAction) -> None:
    """AVD 6.0 and later: priority_flow_control.watchdog.action is drop, errdisable or notify-only."""
    device = CASES["eos-xgs-dcqcn-p"]
    ports = {
        name: replace(port, qos=replace(port.qos, watchdog=replace(port.qos.watchdog, action=action)))
        for name, port in device.ports.items()
    }
    text = fill_template(EOS, "startup.j2", "leaf1", replace(device, ports=ports))
    assert f"\npriority-flow-control pause watchdog action {ACTION_KEYWORDS[action]}\n" in text
    assert list_unconfirmed(text) == set()
    assert "No public source" not in text


def test_every_exception_is_needed_and_has_another_source() -> None:
    texts = [path.read_text(encoding="utf-8") for path in RENDERED]
    device = replace(CASES["eos-xgs-dcqcn-p"], os_version="4.27.2F")  # of the guide; no example has it
    unknown = set().union(*map(list_unknown, [*texts, fill_template(EOS, "startup.j2", "leaf1", device)]))
    assert [pattern for pattern in OTHER_AUTHORITIES if not any(re.fullmatch(pattern, line) for line in unknown)] == []
    positive = [line for line in OTHER_AUTHORITIES if not line.startswith("no ") and line != "lldp run"]
    assert [line for line in positive if "avd" in {form.source for form in find_forms(EOS, line)}] == []


def test_a_line_that_avd_does_not_have_is_found() -> None:
    """The test can fail: another keyword, another block, another value."""
    text = fill_template(EOS, "startup.j2", "leaf1", CASES["eos-xgs-dcqcn-p"])
    for line, changed in {
        "   mtu 9214": "   mtu size 9214",
        "   qos trust dscp": "   qos trust-mode dscp",
        "   priority-flow-control on": "   priority-flow-control mode on",
        "ip routing": "   ip routing",
    }.items():
        assert f"\n{line}\n" in text
        assert changed.strip() in list_unknown(text.replace(f"\n{line}\n", f"\n{changed}\n"))
    dropping = "priority-flow-control pause watchdog action drop"
    assert f"\n{dropping}\n" in text
    with pytest.raises(AssertionError, match=r"priority_flow_control.* is not among the valid values"):
        find_unknown_lines(text.replace(dropping, dropping.replace("action drop", "action no-drop")))
    with pytest.raises(AssertionError, match="qos_profiles"):
        find_unknown_lines(text.replace("qos trust dscp", "qos trust ip"))

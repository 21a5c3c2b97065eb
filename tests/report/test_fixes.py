"""Fixes of several places of a device as one session."""

import pytest

from wirespeed.report.fixes import merge_fixes
from wirespeed.results.findings import Fix, Grammar, Session

NXOS = ("configure terminal",), ("end", "copy running-config startup-config"), Grammar.RANGES_OF_NAMES
EOS = ("configure",), ("end", "write memory"), Grammar.RANGES_OF_NUMBERS
BLOCKS = ("sonic-cli", "configure terminal"), ("end", "write memory", "exit"), Grammar.BLOCKS
LINES = ("configure exclusive",), ("commit and-quit",), Grammar.LINES


def fix(frame, *lines, sentence="change it"):
    opening, closing, grammar = frame
    session = Session(len(opening), len(closing), grammar)
    return Fix(sentence, commands=(*opening, *lines, *closing), session=session)


@pytest.mark.parametrize(
    ("frame", "changes", "lines"),
    [
        pytest.param(
            NXOS,
            [
                ("policy-map ROCE", "class A", f"interface Ethernet1/{port}", "service-policy ROCE")
                for port in (1, 2, 3, 49)
            ],
            ("policy-map ROCE", "class A", "interface Ethernet1/1-3,Ethernet1/49", "service-policy ROCE"),
            id="shared lines once, names of interfaces as ranges",
        ),
        pytest.param(
            EOS,
            [(f"interface Ethernet{port}", "mtu 9214") for port in ("1", "2", "5/1", "5/2")],
            ("interface Ethernet1-2,5/1-2", "mtu 9214"),
            id="numbers of interfaces as ranges",
        ),
        pytest.param(
            EOS,
            [
                (f"interface Ethernet{port}", "tx-queue 3", line)
                for line in ("no priority", "bandwidth percent 50")
                for port in (1, 2)
            ],
            ("interface Ethernet1-2", "tx-queue 3", "no priority", "bandwidth percent 50"),
            id="two changes of the same interfaces",
        ),
        pytest.param(
            EOS,
            [(f"interface Ethernet{port}", f"ip address 10.0.0.{port}/31") for port in (1, 2)],
            ("interface Ethernet1", "ip address 10.0.0.1/31", "interface Ethernet2", "ip address 10.0.0.2/31"),
            id="different lines: no range",
        ),
        pytest.param(
            BLOCKS,
            [("qos map ROCE", "exit", f"interface Eth1/{port}", "qos-map ROCE") for port in (1, 2)],
            (
                *("qos map ROCE", "exit", "interface Eth1/1", "qos-map ROCE"),
                *("end", "configure terminal", "interface Eth1/2", "qos-map ROCE"),
            ),
            id="no ranges: each interface, after leaving the block of the one before",
        ),
        pytest.param(
            LINES,
            [("set map 26", f"set interfaces et-0/0/{port} map") for port in (0, 1)],
            ("set map 26", "set interfaces et-0/0/0 map", "set interfaces et-0/0/1 map"),
            id="complete lines: each once",
        ),
    ],
)
def test_commands_of_several_interfaces(frame, changes, lines):
    opening, closing, _ = frame
    (merged,) = merge_fixes(fix(frame, *change) for change in changes)
    assert merged.commands == (*opening, *lines, *closing)


def test_scripts_stay_whole_and_single_lines_follow_each_other():
    scripts = [Fix("restart", commands=("stop", f"start {number}")) for number in (1, 2)]
    assert merge_fixes(scripts) == tuple(scripts)
    (merged,) = merge_fixes(Fix("set it", commands=(f"ip link set dev eth{number} mtu 4200",)) for number in (0, 1))
    assert merged.commands == ("ip link set dev eth0 mtu 4200", "ip link set dev eth1 mtu 4200")


def test_consequences_are_listed_once():
    fixes = [Fix("a", consequence=text, commands=(text,)) for text in ("reboot", "reboot", "link flap")]
    (merged,) = merge_fixes(fixes)
    assert merged.consequence == "reboot; link flap"

"""Commands and values by release of a switch's operating system, each from the vendor's documentation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platforms.switch import test_junos
from platforms.switch.devices import link, ms, qos, routed_switch
from wirespeed.errors import Refusal
from wirespeed.platforms import platform
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.switch.eos.commands import commands_for
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Place, Priority, Watchdog, WatchdogAction, WatchdogRecovery
from wirespeed.settings.fabric import Buffers

EOS = platform("switch", "eos")


def watchdog_lines(release: str | None, detect: int, poll: int, recovery: WatchdogRecovery | None = None) -> list[str]:
    """The watchdog lines of a switch that runs a release of EOS; times in ms."""
    watchdog = Watchdog(True, WatchdogAction.DROP, ms(detect), ms(2 * detect), recovery)
    switch = routed_switch(["Ethernet1/1"], qos(watchdog=watchdog), link(mtu=9214))
    text = fill_template(EOS, "startup.j2", "leaf1", replace(switch, os_version=release, watchdog_poll=ms(poll)))
    return [line.strip() for line in text.split("\n") if "pause watchdog" in line]


@pytest.mark.parametrize(
    ("release", "detect", "poll", "expected"),
    [
        ("4.28.1FX", 100, 50, "200 ms to 60 s in steps of 10 ms"),
        (None, 100, 50, "200 ms to 60 s in steps of 10 ms"),
        ("4.28.1FX", 200, 50, "100 ms to 30 s"),
        ("4.32.1F", 5, 2, "10 ms to 60 s in steps of 10 ms"),
        ("4.32.1F", 20, 4, "5 ms to 30 s in steps of 1 ms"),
    ],
)
def test_times_of_eos_are_those_of_the_release(release: str | None, detect: int, poll: int, expected: str) -> None:
    """The ranges of EOS 4.28.1FX are those of Arista's and Broadcom's guide; those of later releases are AVD's."""
    with pytest.raises(Refusal) as refusal:
        watchdog_lines(release, detect, poll)
    assert expected in {problem.expected for problem in refusal.value.problems}


def test_a_later_release_of_eos_takes_shorter_times() -> None:
    assert "priority-flow-control pause watchdog default timeout 0.10" in watchdog_lines("4.32.1F", 100, 50)


def test_a_forced_recovery_is_a_timer_of_the_port() -> None:
    """AVD's keyword `forced` exists for the timer of a profile only."""
    forced = (
        "priority-flow-control pause watchdog port timer timeout 0.20 polling-interval 0.100 recovery-time 0.40 forced"
    )
    assert forced in watchdog_lines(None, 200, 100, WatchdogRecovery.FORCED)
    assert not any("port timer" in line for line in watchdog_lines(None, 200, 100, WatchdogRecovery.AUTO))


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ("4.27.2F", "priority-flow-control mode on"),
        ("4.28.1FX", "priority-flow-control mode on"),
        ("4.29.0F", "priority-flow-control on"),
        (None, "priority-flow-control on"),
    ],
)
def test_pfc_of_eos_is_in_the_form_of_the_release(release: str | None, line: str) -> None:
    """The guide to EOS 4.27.2F and 4.28.1FX prints mode on; AVD has no mode. Both are read."""
    switch = replace(
        routed_switch(["Ethernet1/1"], qos(pfc=frozenset({Priority(3)})), link(mtu=9214)), os_version=release
    )
    lines = [text.strip() for text in fill_template(EOS, "startup.j2", "leaf1", switch).split("\n")]
    assert lines.count(line) == 1
    assert [text for text in lines if text.endswith(" on") and text.startswith("priority-flow")] == [line]
    typed = commands_for(Place("leaf1").child("port", "Ethernet1/1"), "port.qos.pfc", frozenset({Priority(3)}), switch)
    assert typed is not None
    assert line in typed.commands


def test_dedicated_buffers_of_junos() -> None:
    switch = replace(test_junos.CASES["routed"], buffers=Buffers(dedicated_ingress=10))
    with pytest.raises(Refusal) as refusal:
        fill_template(platform("switch", "junos"), "startup.j2", "leaf1", switch)
    (problem,) = refusal.value.problems
    assert (problem.location, problem.expected) == ("leaf1: switch.buffers.dedicated_ingress", "15 to 100")


def test_a_release_is_its_first_two_numbers() -> None:
    assert parse_release("4.28.1FX") == (4, 28)
    assert parse_release("202405.10") >= parse_release("202405")

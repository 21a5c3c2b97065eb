"""Configuration files of small switches, held beside files that a human has read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from platforms.round_trip import find_losses
from platforms.switch.devices import TC, link, ms, priority_groups, qos, queues, routed_switch, vlan_switch
from wirespeed.errors import Refusal
from wirespeed.platforms import Platform, platform
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import (
    Dscp,
    Ecn,
    Priority,
    Switch,
    SwitchQueue,
    SwitchTrafficClass,
    Watchdog,
    WatchdogAction,
    WatchdogRecovery,
)
from wirespeed.units import Duration, Length, Size

GOLDEN = Path(__file__).parent / "golden"
EOS = platform("switch", "eos")
DELL = platform("switch", "enterprise-sonic")

EOS_PORTS = ["Ethernet1/1", "Ethernet2/1", "Ethernet10/1"]
DELL_PORTS = ["Eth1/1", "Eth1/2", "Eth1/10"]
EOS_LINK = link(mtu=9214, pause_send=False, pause_receive=False)
DELL_QOS = qos(tc_pg=priority_groups())


def odd_one(switch: Switch, name: str, recovery: WatchdogRecovery | None = None) -> Switch:
    """The switch with one port whose classes, thresholds and watchdog differ from the others'."""
    port = switch.ports[name]
    changed_port = replace(
        port,
        qos=replace(
            port.qos,
            pfc=frozenset({Priority(3), Priority(4)}),
            watchdog=Watchdog(action=WatchdogAction.FORWARD, detect=ms(500), restore=ms(1000), recovery=recovery),
        ),
        queues=queues(minimum=Size(500_000), maximum=Size(1_500_000), probability=100),
    )
    return replace(switch, ports={**switch.ports, name: changed_port})


CASES = {
    "eos-routed": (EOS, routed_switch(EOS_PORTS, qos(), EOS_LINK)),
    "eos-switched": (EOS, vlan_switch(EOS_PORTS, qos(), EOS_LINK)),
    "eos-odd-port": (EOS, odd_one(routed_switch(EOS_PORTS, qos(), EOS_LINK), "Ethernet2/1", WatchdogRecovery.FORCED)),
    "eos-jericho": (EOS, replace(routed_switch(EOS_PORTS[:1], qos(), EOS_LINK), chip="jericho2", ecn_counters=True)),
    "dell-routed": (DELL, routed_switch(DELL_PORTS, DELL_QOS, link())),
    "dell-switched": (DELL, vlan_switch(DELL_PORTS, DELL_QOS, link(training=None))),
    "dell-odd-port": (DELL, odd_one(routed_switch(DELL_PORTS, DELL_QOS, link()), "Eth1/2")),
}
CASES |= {
    name: (EOS, replace(switch, os_version="4.33.1F")) for name, (system, switch) in CASES.items() if system is EOS
}


@pytest.mark.parametrize("case", CASES)
def test_configuration(case: str) -> None:
    platform_entry, switch = CASES[case]
    assert fill_template(platform_entry, "startup.j2", "leaf1", switch) == (GOLDEN / f"{case}.cfg").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
def test_running_configuration(case: str) -> None:
    platform_entry, switch = CASES[case]
    golden = GOLDEN / f"{case}.running-config.txt"
    assert fill_answer(platform_entry, "running-config", "leaf1", switch) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    platform_entry, switch = CASES[case]
    assert find_losses(platform_entry, "leaf1", switch) == []


@pytest.mark.parametrize("case", CASES)
def test_the_rendered_file_is_read_like_the_running_configuration(case: str) -> None:
    """What is typed in and what is printed back are the same language: a word of one the parser knows in the other."""
    from platforms.round_trip import answers, build_facts
    from wirespeed.platforms import Output, Outputs

    platform_entry, switch = CASES[case]
    answer_texts = answers(platform_entry, "leaf1", switch)
    running = answer_texts.outputs["running-config"]
    terminal_output = Output(
        "running-config", fill_template(platform_entry, "startup.j2", "leaf1", switch), running.source
    )
    assert build_facts(platform_entry, Outputs("leaf1", {"running-config": terminal_output})).devices == (
        build_facts(platform_entry, Outputs("leaf1", {"running-config": running})).devices
    )


EOS_ONE = routed_switch(EOS_PORTS[:1], qos(), EOS_LINK)
DELL_ONE = routed_switch(DELL_PORTS[:1], DELL_QOS, link())


def with_port(switch: Switch, **changes: object) -> Switch:
    """The switch with its only port changed."""
    name, port = next(iter(switch.ports.items()))
    return replace(switch, ports={name: replace(port, **changes)})  # type: ignore[arg-type]


OTHER_MAP = {**(qos().dscp_tc or {}), Dscp(26): TC(0)}
CHIPS = "a Trident or Tomahawk (uc-tx-queue), or a Jericho or Qumran (tx-queue)"
CHIP_HINT = "give the switch's model, or its chip"
REFUSED = {
    "chip of no known family": (
        EOS,
        replace(EOS_ONE, chip="spectrum4"),
        f"leaf1: chip: found 'spectrum4'; expected {CHIPS}\n  hint: {CHIP_HINT}",
    ),
    "no chip": (
        EOS,
        replace(EOS_ONE, chip=None),
        f"leaf1: chip: found none; expected {CHIPS}\n  hint: {CHIP_HINT}",
    ),
    "two classification maps": (
        EOS,
        replace(
            EOS_ONE,
            ports={
                **EOS_ONE.ports,
                "Ethernet2/1": replace(EOS_ONE.ports["Ethernet1/1"], qos=qos(dscp_tc=OTHER_MAP)),
            },
        ),
        "leaf1: port.qos.dscp_tc: found 2 different maps on its ports; expected one map for all ports\n"
        "  hint: EOS has one such map for the whole switch",
    ),
    "a pause for another queue": (
        EOS,
        with_port(EOS_ONE, qos=qos(pfc_queue={Priority(3): SwitchQueue(4)})),
        "leaf1 Ethernet1/1: port.qos.pfc_queue: found priority 3 pausing queue 4; expected priority 3 pausing queue 3\n"
        "  hint: on EOS the pause of a priority stops the queue of the same number",
    ),
    "watchdog finer than its steps": (
        EOS,
        with_port(EOS_ONE, qos=qos(watchdog=Watchdog(detect=ms(205), restore=ms(400)))),
        "leaf1 Ethernet1/1: port.qos.watchdog.detect: found 205 ms; expected 200 ms to 60 s in steps of 10 ms\n"
        "  hint: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, EOS 4.27.2F and 4.28.1FX: "
        "<0.2-60>",
    ),
    "watchdog polling too slowly": (
        EOS,
        replace(EOS_ONE, watchdog_poll=ms(150)),
        "leaf1 Ethernet1/1: switch.watchdog_poll: found 150 ms; "
        "expected half of the shorter of detection and restoration time at most, 100 ms",
    ),
    "poll interval out of range": (
        DELL,
        replace(DELL_ONE, watchdog_poll=ms(50)),
        "leaf1: switch.watchdog_poll: found 50 ms; expected 100 ms to 3000 ms",
    ),
    "poll interval of half a millisecond more": (
        DELL,
        replace(DELL_ONE, watchdog_poll=Duration.parse("200.5 ms")),
        "leaf1: switch.watchdog_poll: found 200.5 ms; expected 100 ms to 3000 ms in steps of 1 ms",
    ),
    "global pause": (
        DELL,
        with_port(DELL_ONE, link=link(pause_receive=True)),
        "leaf1 Eth1/1: global pause: found on; expected off\n  hint: Enterprise SONiC has PFC only",
    ),
    "trust without a map": (
        DELL,
        with_port(DELL_ONE, qos=replace(DELL_QOS, dscp_tc=None)),
        "leaf1 Eth1/1: port.qos.trust: found dscp without a map; expected a map of DSCP to traffic classes",
    ),
    "an action it lacks": (
        DELL,
        with_port(DELL_ONE, qos=replace(DELL_QOS, watchdog=Watchdog(action=WatchdogAction.ERRDISABLE))),
        "leaf1 Eth1/1: port.qos.watchdog.action: found errdisable; expected drop, forward or alert",
    ),
    "a cable length that is no choice": (
        DELL,
        with_port(DELL_ONE, cable_length=Length(10_000)),
        "leaf1 Eth1/1: port.cable_length: found 10 m; expected 5 m, 40 m or 300 m\n"
        "  hint: dellemc.enterprise_sonic, sonic_qos_interfaces: choices of cable_length",
    ),
    "a description of two lines": (
        EOS,
        with_port(EOS_ONE, description="node1\nno qos trust"),
        r"leaf1 Ethernet1/1: port.description: found 'node1\nno qos trust'; expected printable text",
    ),
    "a description with quotes": (
        DELL,
        with_port(DELL_ONE, description='the "old" node'),
        """leaf1 Eth1/1: port.description: found 'the "old" node'; expected printable text without \"""",
    ),
    "thresholds below its unit": (
        DELL,
        with_port(DELL_ONE, queues=queues(minimum=Size(500))),
        "leaf1 Eth1/1 queue 3: queue.ecn.minimum: found 500 B; expected 1 kB or more",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    platform_entry, switch, message = REFUSED[case]
    with pytest.raises(Refusal) as refusal:
        fill_template(platform_entry, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


def test_thresholds_that_are_no_kilobytes_are_configured_in_bytes() -> None:
    switch = with_port(EOS_ONE, queues=queues(minimum=Size(1 << 20), maximum=Size(1 << 21)))
    assert (
        "random-detect ecn minimum-threshold 1048576 bytes maximum-threshold 2097152 bytes max-mark-probability 5"
        in fill_template(EOS, "startup.j2", "leaf1", switch)
    )


def test_dcqcn_d_is_a_step() -> None:
    step = queues(minimum=Size(600_000), maximum=Size(600_000), probability=100)
    assert "minimum-threshold 600 kbytes maximum-threshold 600 kbytes max-mark-probability 100" in fill_template(
        EOS, "startup.j2", "leaf1", with_port(EOS_ONE, queues=step)
    )
    assert "green minimum-threshold 600 maximum-threshold 600 drop-probability 100" in fill_template(
        DELL, "startup.j2", "leaf1", with_port(DELL_ONE, queues=step)
    )


def test_a_port_that_trusts_the_802_1p_priority_has_no_dscp_map() -> None:
    maps = {Priority(number): SwitchTrafficClass(number) for number in range(8)}
    text = fill_template(
        DELL, "startup.j2", "leaf1", with_port(DELL_ONE, qos=replace(DELL_QOS, trust="dot1p", dot1p_tc=maps))
    )
    assert " qos-map dot1p-tc ROCE\n" in text
    assert " qos-map dscp-tc" not in text


def test_a_switch_without_classes_has_no_policies() -> None:
    bare = with_port(DELL_ONE, qos=type(DELL_QOS)(), queues={})
    assert "qos" not in fill_template(DELL, "startup.j2", "leaf1", bare)
    eos_bare = with_port(EOS_ONE, qos=type(DELL_QOS)(), queues={})
    assert "qos" not in fill_template(EOS, "startup.j2", "leaf1", replace(eos_bare, chip=None))


def test_ecn_switched_off_binds_no_policy() -> None:
    switch = with_port(DELL_ONE, queues={"3": replace(queues()["3"], ecn=Ecn(enabled=False))})
    assert "wred" not in fill_template(DELL, "startup.j2", "leaf1", switch)


def test_the_length_of_the_cable_is_configured() -> None:
    switch = with_port(DELL_ONE, cable_length=Length(5000))
    assert " cable-length 5m\n" in fill_template(DELL, "startup.j2", "leaf1", switch)
    assert find_losses(DELL, "leaf1", switch) == []


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
@pytest.mark.parametrize(("template", "name"), [("apply.j2", "apply"), ("rollback.j2", "rollback")])
def test_apply_and_rollback(case: str, template: str, name: str) -> None:
    platform_entry, switch = CASES[case]
    golden = GOLDEN / f"{case}.{name}.txt"
    assert fill_template(platform_entry, template, "leaf1", switch) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("platform_entry", [EOS, DELL], ids=lambda platform_entry: platform_entry.name)
def test_every_file_names_the_other_two(platform_entry: Platform) -> None:
    """The configuration names its apply and rollback files."""
    paths = [file.path.rpartition("/")[2] for file in platform_entry.files]
    text = fill_template(
        platform_entry, platform_entry.files[0].template, "leaf1", EOS_ONE if platform_entry is EOS else DELL_ONE
    )
    assert [path for path in paths[1:] if path not in text] == []

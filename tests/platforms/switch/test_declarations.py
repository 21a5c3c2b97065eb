"""What platform.yaml declares as rendered is configured, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platforms.switch.devices import TC, link, ms, priority_groups, qos, queues, vlan_switch
from platforms.switch.test_render import DELL, EOS
from platforms.test_rendered_settings import BEYOND_CLUSTER_FILES
from wirespeed.platforms import Platform, platform
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import (
    BgpPeer,
    Dscp,
    Link,
    Place,
    Port,
    Priority,
    PriorityGroup,
    Queue,
    Switch,
    Vlan,
    WatchdogRecovery,
    walk,
)
from wirespeed.settings.fabric import Buffers
from wirespeed.settings.routing import Bgp
from wirespeed.units import Bandwidth, Length, Size

FULL_QOS = qos(
    tc_pg=priority_groups(),
    pfc_pg={Priority(3): PriorityGroup(3)},
    dot1p_tc={Priority(number): TC(number) for number in range(8)},
    tc_dscp={TC(3): Dscp(26)},
    tc_queue={TC(tc): type(next(iter((qos().tc_queue or {}).values())))(7 - tc) for tc in range(8)},
)
FULL_QOS = replace(FULL_QOS, watchdog=replace(FULL_QOS.watchdog, enabled=False))


def full(name: str) -> Switch:
    """A switch with an intent for every setting, and another than what holds without one.

    Its first port is routed, on and watched; its second is switched, off, not watched and trusts 802.1p.
    """
    watched = replace(
        FULL_QOS, watchdog=replace(FULL_QOS.watchdog, enabled=True, recovery=WatchdogRecovery.FORCED, poll=ms(50))
    )
    base = vlan_switch([name.format(1), name.format(2)], watched, link(pause_send=False, pause_receive=False))
    first, second = base.ports.values()
    ports = {
        name.format(1): replace(
            first,
            vlan=None,
            addresses=("10.1.0.0/31",),
            unnumbered=True,
            cable_length=Length(5000),
            signal_monitoring="off",
            queues={**queues(), "1": Queue(guaranteed=10, shape=Bandwidth.gbps(40))},
        ),
        name.format(2): replace(
            second,
            tagged_vlans=(13,),
            qos=replace(FULL_QOS, trust="dot1p"),
            link=replace(second.link, enabled=False, lanes=4),
            queues={
                **second.queues,
                "3": replace(second.queues["3"], ecn=replace(second.queues["3"].ecn, enabled=False)),
            },
        ),
    }
    ports[name.format(3)] = Port(unnumbered=True)
    if name == "Eth1/{}":
        ports["Eth1/4/1"] = Port(breakout=4, link=Link(speed=Bandwidth.gbps(100)))
    vlans = {number: replace(vlan, mtu=8000) for number, vlan in base.vlans.items()}
    return replace(
        base,
        ports=ports,
        vlans=vlans,
        pfc=False,
        watchdog_poll=ms(100),
        ecn_counters=True,
        class_mtu=9216,
        loopbacks=("10.255.0.1/32",),
        buffers=Buffers(lossless=True, shared_headroom=Size(3_500_000)),
        bgp=Bgp(65001, "10.255.0.1", maximum_paths=8, multipath_relax=True, networks=("10.255.0.1/32", "fd00::1/128")),
        peers={
            name.format(1): BgpPeer(65100, f"spine1 {name.format(1)}", unnumbered=True, ipv4=True, ipv6=True, bfd=True),
            "10.2.0.1": BgpPeer(65101, "spine2", ipv4=True, ipv6=True),
        },
    )


def remove_setting(switch: Switch, place: Place, path: str) -> Switch:
    """The switch without intent for this setting at this place."""
    names_by_kind = dict(place.entities)
    if "vlan" in names_by_kind:
        vlan: Vlan = _clear(switch.vlans[names_by_kind["vlan"]], path)
        return replace(switch, vlans={**switch.vlans, names_by_kind["vlan"]: vlan})
    if "peer" in names_by_kind:
        peer: BgpPeer = _clear(switch.peers[names_by_kind["peer"]], path)
        return replace(switch, peers={**switch.peers, names_by_kind["peer"]: peer})
    if "port" not in names_by_kind:
        return _clear(switch, path)  # type: ignore[no-any-return]
    port: Port = switch.ports[names_by_kind["port"]]
    if "queue" in names_by_kind:
        queue: Queue = _clear(port.queues[names_by_kind["queue"]], path)
        port = replace(port, queues={**port.queues, names_by_kind["queue"]: queue})
    else:
        port = _clear(port, path)
    return replace(switch, ports={**switch.ports, names_by_kind["port"]: port})


def _clear(entity: Any, path: str) -> Any:
    first, _, remainder = path.partition(".")[2].partition(".")
    return replace(entity, **{first: _clear(getattr(entity, first), f".{remainder}") if remainder else None})


@pytest.mark.parametrize(
    ("platform_entry", "name", "chip"),
    [
        (EOS, "Ethernet{}/1", "tomahawk4"),
        (DELL, "Eth1/{}", "tomahawk4"),
        (platform("switch", "sonic"), "Ethernet{}", "spectrum4"),
    ],
    ids=["eos", "enterprise-sonic", "sonic"],
)
def test_what_is_declared_as_rendered_is_configured(platform_entry: Platform, name: str, chip: str) -> None:
    assert_declared(platform_entry, replace(full(name), chip=chip))


def assert_declared(platform_entry: Platform, switch: Switch) -> None:
    """The lines that a removed intent leaves out are those of settings declared as rendered, and no others."""
    whole = _render(platform_entry, switch)
    places: dict[str, list[Place]] = {}
    for place, path, value in walk(switch, Place("leaf1")):
        if value is not None:
            places.setdefault(path, []).append(place)
    affected: set[str] = set()
    for path, settings_places in places.items():
        reduced_switch = switch
        for place in settings_places:
            reduced_switch = remove_setting(reduced_switch, place, path)
        if _render(platform_entry, reduced_switch) != whole:
            affected.add(path)
    paths = {path for path, support in platform_entry.settings.items() if support.rendered}
    # The chip and the release decide on the syntax and are not configured.
    assert affected - {"switch.chip", "switch.os_version"} - BEYOND_CLUSTER_FILES == paths


def _render(platform_entry: Platform, switch: Switch) -> str:
    """The configuration, also of a switch that would be error: what matters here is whether a setting is in it."""
    from wirespeed.platforms.templates import _create_environment

    assert platform_entry.view is not None
    context = {"name": "leaf1", "device": switch, "unverified": [], **platform_entry.view("leaf1", switch)}
    return (
        _create_environment()
        .get_template(f"{platform_entry.folder}/templates/{platform_entry.files[0].template}")
        .render(context)
    )


def test_text_is_what_is_compared() -> None:
    switch = full("Eth1/{}")
    text = fill_template(DELL, "startup.j2", "leaf1", switch)
    remark = (
        "! No public source confirms the syntax of these lines of this file; the switch may refuse them:\n"
        "!   pir <0-4294967295>\n"
    )
    assert remark in text
    assert _render(DELL, switch) == text.replace(remark, "")

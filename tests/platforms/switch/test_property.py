"""Any settings of a switch are read back as they were configured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from platforms.round_trip import find_losses
from platforms.switch.devices import ms
from wirespeed.platforms import platform
from wirespeed.settings import (
    Discipline,
    Dscp,
    Ecn,
    Link,
    Neighbour,
    Port,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    Switch,
    SwitchQueue,
    SwitchTrafficClass,
    Vlan,
    Watchdog,
    WatchdogAction,
)
from wirespeed.units import Bandwidth, Size

TC = SwitchTrafficClass
eighth = st.integers(0, 7)
descriptions = st.from_regex(r"[a-z][a-z0-9-]{0,7}( [a-z0-9]{1,6})?", fullmatch=True)


@st.composite
def links(draw: st.DrawFn) -> Link:
    return Link(
        speed=Bandwidth.gbps(draw(st.sampled_from([25, 100, 200, 400, 800]))),
        enabled=True,
        up=True,
        mtu=draw(st.sampled_from([1500, 9000, 9100, 9214])),
        fec=draw(st.sampled_from(["rs", "fc", "none", None])),
        training=draw(st.booleans()),
    )


@st.composite
def port_queues(draw: st.DrawFn) -> dict[str, Queue]:
    share = draw(st.integers(1, 99))
    low = draw(st.integers(1, 9000))
    high = draw(st.integers(low, 9999))
    ecn = Ecn(True, Size(low * 1000), Size(high * 1000), probability=draw(st.integers(1, 100)))
    lossless, lossy, strict = draw(st.permutations(range(8)))[:3]
    return {
        str(lossy): Queue(Discipline.DWRR, 100 - share, ecn=Ecn(enabled=False)),
        str(lossless): Queue(Discipline.DWRR, share, ecn=draw(st.sampled_from([ecn, Ecn(enabled=False)]))),
        str(strict): Queue(Discipline.STRICT, ecn=Ecn(enabled=False)),
    }


@st.composite
def dscp_maps(draw: st.DrawFn) -> dict[Dscp, SwitchTrafficClass]:
    return {Dscp(key): TC(draw(eighth)) for key in range(64)}


@st.composite
def classes(draw: st.DrawFn, dscp_tc: Any, tc_queue: Any) -> PortQos:
    pfc = draw(st.frozensets(eighth.map(Priority)))
    action = draw(st.sampled_from([WatchdogAction.DROP, WatchdogAction.FORWARD]))
    times = st.integers(10, 300).map(lambda number: ms(10 * number))
    return PortQos(
        trust="dscp",
        dscp_tc=dscp_tc,
        tc_queue=tc_queue,
        pfc=pfc,
        watchdog=Watchdog(True, action, draw(times), draw(times)),
    )


@st.composite
def switches(draw: st.DrawFn, form: str, one_map: bool) -> Switch:
    def maps() -> tuple[Any, Any]:
        return draw(dscp_maps()), {TC(key): SwitchQueue(draw(eighth)) for key in range(8)}

    shared = maps()
    ports: dict[str, Port] = {}
    for number in range(1, draw(st.integers(1, 4)) + 1):
        qos = draw(classes(*(shared if one_map else maps())))
        if not one_map:
            groups = {TC(key): PriorityGroup(draw(eighth)) for key in range(8)}
            pauses = {Priority(key): SwitchQueue(draw(eighth)) for key in range(8)}
            qos = replace(qos, tc_pg=groups, pfc_queue=pauses, tc_dscp={TC(3): Dscp(draw(st.integers(0, 63)))})
        vlan = draw(st.sampled_from([None, 11, 12]))
        ports[form.format(number)] = Port(
            description=draw(st.one_of(st.none(), descriptions)),
            link=draw(links()),
            addresses=None if vlan else (f"10.0.{number}.0/31",),
            vlan=vlan,
            qos=qos,
            queues=draw(port_queues()),
            neighbour=draw(st.sampled_from([Neighbour(), Neighbour("node1", f"eth{number}")])),
        )
    vlans = {"11": Vlan(("192.168.1.254/24",), 9000, draw(descriptions)), "12": Vlan(("192.168.2.254/24",))}
    return Switch(
        os_version="4.9.1", chip="tomahawk4", routing=True, lldp=draw(st.booleans()), vlans=vlans, ports=ports
    )


@pytest.mark.parametrize(
    ("name", "form", "one_map"),
    [("eos", "Ethernet{}/1", True), ("enterprise-sonic", "Eth1/{}", False), ("sonic", "Ethernet{}", False)],
)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_every_switch_comes_back(name: str, form: str, one_map: bool, data: st.DataObject) -> None:
    switch = data.draw(switches(form, one_map))
    assert find_losses(platform("switch", name), "leaf1", switch) == []

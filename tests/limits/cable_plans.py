"""Plans that are nothing but cables."""

from __future__ import annotations

from wirespeed import catalogue
from wirespeed.plan import Cable, End, Plan
from wirespeed.settings import Host, Switch
from wirespeed.units import Bandwidth

CATALOGUE = catalogue.load()


def build_plan(cables: list[tuple[str, str, int]], hosts: int) -> Plan:
    """A plan of nothing but cables, in Gb/s; switches are named after their role."""
    names = dict.fromkeys(name for low, high, _ in cables for name in (low, high))
    switches = {name: Switch() for name in names if not name.startswith("node")}
    nodes = {f"node{index}": Host() for index in range(hosts)}
    return Plan(
        name="drawn",
        hosts=nodes,
        switches=switches,
        roles={**dict.fromkeys(nodes, "host"), **{name: name.rstrip("0123456789") for name in switches}},
        cables=tuple(
            Cable(End(low, f"up{index}"), End(high, f"down{index}"), Bandwidth.gbps(speed))
            for index, (low, high, speed) in enumerate(cables)
        ),
        classes={},
        hardware=CATALOGUE,
    )


def clos(hosts: int, leaves: int, spines: int, nic: int, uplink: int) -> Plan:
    down = [(f"node{host}", f"leaf{host * leaves // hosts}", nic) for host in range(hosts)]
    return build_plan(down + [(f"leaf{a}", f"spine{b}", uplink) for a in range(leaves) for b in range(spines)], hosts)


def rails(hosts: int, count: int, spines: int, uplink: int) -> Plan:
    down = [(f"node{host}", f"leaf{rail}", 400) for host in range(hosts) for rail in range(count)]
    return build_plan(down + [(f"leaf{a}", f"spine{b}", uplink) for a in range(count) for b in range(spines)], hosts)

"""A planned switch as CONFIG_DB tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.platforms.switch.indented_config import natural
from wirespeed.platforms.switch.policies import frozen, has_thresholds, name_policies, sort_ports
from wirespeed.platforms.switch.sonic.values import (
    CABLES,
    DEFAULT_FAMILY,
    DEFAULT_MTU,
    FAMILIES,
    MAPS,
    PERMIT_ALL,
    VRF,
    computes_headroom,
    format_family,
)
from wirespeed.settings import BgpPeer, Discipline, Ecn, Port, Queue, Switch
from wirespeed.settings.qos import Watchdog

BASE = "ROCE"

Fields = dict[str, Any]
"""Fields of a row: text, or a list of texts for a leaf-list."""
Database = dict[str, dict[str, Fields]]


def build_database(name: str, switch: Switch) -> Database:
    """Tables, rows and fields in the device's order: by name, numbers by value. Tables without rows are left out."""
    database: Database = {"DEVICE_METADATA": {"localhost": {"hostname": name}}}
    if switch.lldp is not None:
        database["FEATURE"] = {"lldp": {"state": "enabled" if switch.lldp else "disabled"}}
    database |= _build_interfaces(switch)
    database |= _build_qos(switch)
    database |= _build_watchdog(switch)
    if switch.bgp.asn is not None:
        database |= _build_bgp(switch)
        # Routing is configured from CONFIG_DB by the management framework's daemon, which supports unnumbered sessions.
        database["DEVICE_METADATA"]["localhost"] |= {
            "docker_routing_config_mode": "unified",
            "frr_mgmt_framework_config": "true",
        }
    return sort_tables(database)


def sort_tables(tables: Database) -> Database:
    """The tables as the device prints them."""
    return {
        table: {key: _sort_fields(rows[key]) for key in sorted(rows, key=natural)}
        for table, rows in sorted(tables.items())
        if rows
    }


def _sort_fields(fields: Fields) -> Fields:
    return {name: fields[name] for name in sorted(fields, key=natural)}


def _build_interfaces(switch: Switch) -> Database:
    ports, interfaces, cables = {}, {}, {}
    vlans: dict[str, Fields] = {}
    members: dict[str, Fields] = {}
    for name, port in switch.ports.items():
        ports[name] = _build_port(port)
        if port.addresses is not None or port.unnumbered:
            interfaces[name] = {"ipv6_use_link_local_only": "enable"} if port.unnumbered else {}
            interfaces |= {f"{name}|{address}": {} for address in port.addresses or ()}
        if port.vlan is not None:
            members[f"Vlan{port.vlan}|{name}"] = {"tagging_mode": "untagged"}
        for number in port.tagged_vlans or ():
            members[f"Vlan{number}|{name}"] = {"tagging_mode": "tagged"}
        if port.cable_length is not None:
            cables[name] = f"{port.cable_length.whole('m')}m"
    interface_rows: dict[str, Fields] = {}
    for key, vlan in switch.vlans.items():
        fields = {"vlanid": key, "description": vlan.description}
        if vlan.mtu is not None and vlan.mtu != DEFAULT_MTU:
            fields["mtu"] = str(vlan.mtu)
        vlans[f"Vlan{key}"] = _drop_absent(fields)
        if vlan.addresses is not None:
            interface_rows[f"Vlan{key}"] = {}
            interface_rows |= {f"Vlan{key}|{address}": {} for address in vlan.addresses}
    loopbacks: dict[str, Fields] = {"Loopback0": {}} if switch.loopbacks else {}
    loopbacks |= {f"Loopback0|{address}": {} for address in switch.loopbacks or ()}
    return {
        "PORT": ports,
        "INTERFACE": interfaces,
        "VLAN": vlans,
        "VLAN_MEMBER": members,
        "VLAN_INTERFACE": interface_rows,
        "LOOPBACK_INTERFACE": loopbacks,
        "CABLE_LENGTH": {CABLES: cables} if cables else {},
    }


def _build_port(port: Port) -> Fields:
    link = port.link
    return _drop_absent(
        {
            "admin_status": None if link.enabled is None else "up" if link.enabled else "down",
            "description": port.description,
            "fec": link.fec,
            "link_training": None if link.training is None else "on" if link.training else "off",
            "mtu": None if link.mtu is None else str(link.mtu),
            "speed": None if link.speed is None else str(link.speed.whole("Mb/s")),
        }
    )


def _drop_absent(fields: Mapping[str, str | None]) -> Fields:
    return {name: value for name, value in fields.items() if value}


def _build_qos(switch: Switch) -> Database:
    """Maps, thresholds and schedulers by name, and the bindings of each port."""
    database: Database = {"PORT_QOS_MAP": {}, "QUEUE": {}, "SCHEDULER": {}, "WRED_PROFILE": {}, "BUFFER_PG": {}}
    bound: dict[str, Fields] = {name: {} for name in switch.ports}
    for path, qos_map in MAPS.items():
        if path == "port.qos.pfc_pg" and not computes_headroom(switch.chip):
            continue
        names = name_policies(switch, BASE, lambda port, path=path: _bound_map(port, path))  # type: ignore[misc]
        database[qos_map.table] = {
            name: {str(key): str(target) for key, target in value} for value, name in names.items()
        }
        for name, port in switch.ports.items():
            if (value := _bound_map(port, path)) is not None:
                bound[name][qos_map.field] = names[value]
    wred = _build_thresholds(switch)
    database["WRED_PROFILE"] = {name: _build_wred(ecn) for ecn, name in wred.items()}
    for name, port in switch.ports.items():
        lossless = ",".join(map(str, sorted(port.qos.pfc or ())))
        if lossless:  # before 202505 the model takes no empty text (sonic-port-qos-map.yang)
            bound[name]["pfc_enable"] = lossless
        if watches(port.qos.watchdog) and lossless:
            bound[name]["pfcwd_sw_enable"] = lossless
        if bound[name]:
            database["PORT_QOS_MAP"][name] = bound[name]
        for number, queue in port.queues.items():
            fields: Fields = {}
            if queue.discipline is not None or queue.shape:
                fields["scheduler"], database["SCHEDULER"][fields["scheduler"]] = (
                    scheduler_name(queue),
                    _build_scheduler(queue),
                )
            if has_thresholds(queue.ecn):
                fields["wred_profile"] = wred[queue.ecn]
            if fields:
                database["QUEUE"][f"{name}|{number}"] = fields
        if computes_headroom(switch.chip):
            database["BUFFER_PG"] |= {f"{name}|{group}": {"profile": "NULL"} for group in lossless_groups(port)}
    return database


def _bound_map(port: Port, path: str) -> Any:
    if path == "port.qos.dscp_tc" and port.qos.trust == "dot1p":
        return None
    return frozen(getattr(port.qos, path.rpartition(".")[2])) or None


def lossless_groups(port: Port) -> list[int]:
    """Priority groups that need headroom: those whose priority sends pauses."""
    groups = port.qos.pfc_pg or {}
    return sorted({int(groups.get(priority, priority)) for priority in port.qos.pfc or ()})


def scheduler_name(queue: Queue) -> str:
    """A name derived from the row's values, so that queues with equal scheduling share it."""
    parts = [BASE, queue.discipline.value.upper() if queue.discipline else "ANY"]
    parts += [str(queue.weight)] if queue.weight is not None else []
    parts += [f"{queue.shape.whole('Mb/s')}M"] if queue.shape else []
    return "-".join(parts)


def _build_scheduler(queue: Queue) -> Fields:
    """A maximum rate (``pir``) needs a guaranteed one (``cir``): 1 B/s, the smallest of sonic-scheduler.yang.

    Queues below their guaranteed rate are served first (sonic-net/SONiC, SONiC_QoS_Scheduler_Shaper.md, section 1).
    """
    shape = {} if not queue.shape else {"meter_type": "bytes", "cir": "1", "pir": str(queue.shape // 8)}
    kind = {} if queue.discipline is None else {"type": queue.discipline.value.upper()}
    weight = queue.weight if queue.discipline is not Discipline.STRICT else None
    return kind | ({} if weight is None else {"weight": str(weight)}) | shape


def _build_thresholds(switch: Switch) -> dict[Ecn, str]:
    database: dict[Ecn, None] = {}
    for _, port in sort_ports(switch.ports):
        database.update((queue.ecn, None) for queue in port.queues.values() if has_thresholds(queue.ecn))
    return {ecn: BASE if index == 1 else f"{BASE}-{index}" for index, ecn in enumerate(database, start=1)}


def _build_wred(ecn: Ecn) -> Fields:
    """The same for all colours, as in the profile of the images: no value is left to a default of the chip."""
    database = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        database |= {
            f"wred_{colour}_enable": "true",
            f"{colour}_min_threshold": str(int(ecn.minimum or 0)),
            f"{colour}_max_threshold": str(int(ecn.maximum or 0)),
        }
        if ecn.probability is not None:
            database[f"{colour}_drop_probability"] = str(ecn.probability)
    return database


def watches(watchdog: Watchdog) -> bool:
    """Whether the port needs a row of PFC_WD."""
    return watchdog.enabled is not False and watchdog.detect is not None


def _build_watchdog(switch: Switch) -> Database:
    rows: dict[str, Fields] = {}
    if switch.watchdog_poll is not None:
        rows["GLOBAL"] = {"POLL_INTERVAL": str(switch.watchdog_poll.milliseconds)}
    for name, port in switch.ports.items():
        watchdog = port.qos.watchdog
        if watches(watchdog):
            rows[name] = _drop_absent(
                {
                    "action": watchdog.action.value if watchdog.action else None,
                    "detection_time": str(watchdog.detect.milliseconds if watchdog.detect else 0),
                    "restoration_time": None if watchdog.restore is None else str(watchdog.restore.milliseconds),
                }
            )
    return {"PFC_WD": rows}


def _build_bgp(switch: Switch) -> Database:
    """FRR's defaults here require a policy in both directions of an eBGP session (RFC 8212).

    The tables can neither lift that nor, before 202505, activate IPv4 by ``admin_status`` (the model takes up and down,
    frrcfgd and its templates read true). So the speaker activates IPv4 by default, and AS path filters that permit
    every path are the policy: leaves of BGP_NEIGHBOR_AF that every release takes. Of ``route_map_in``, a leaf-list of a
    grouping, sonic_yang knows nothing before 202511. Sources: sonic-buildimage, sonic-bgp-common.yang,
    sonic-routing-policy-sets.yang, frrcfgd.py, bgpd.conf.db.nbr_af.j2, sonic_yang_ext.py, branches 202205 to master.
    """
    speaker = {"local_asn": str(switch.bgp.asn), "default_ipv4_unicast": "true"}
    if switch.bgp.router_id is not None:
        speaker["router_id"] = switch.bgp.router_id
    if switch.bgp.multipath_relax is not None:
        speaker["load_balance_mp_relax"] = str(switch.bgp.multipath_relax).lower()
    networks = switch.bgp.networks or ()
    families = sorted(
        {format_family(network) for network in networks}
        | {family for peer in switch.peers.values() for family in active(peer)}
    )
    paths = {} if switch.bgp.maximum_paths is None else {"max_ebgp_paths": str(switch.bgp.maximum_paths)}
    return {
        "AS_PATH_SET": {PERMIT_ALL: {"as_path_set_member": [".*"]}},
        "BGP_GLOBALS": {VRF: speaker},
        "BGP_GLOBALS_AF": {f"{VRF}|{family}": dict(paths) for family in families},
        "BGP_GLOBALS_AF_NETWORK": {f"{VRF}|{format_family(network)}|{network}": {} for network in networks},
        "BGP_NEIGHBOR": {f"{VRF}|{name}": _build_peer(peer) for name, peer in switch.peers.items()},
        "BGP_NEIGHBOR_AF": {
            f"{VRF}|{name}|{family}": row
            for name, peer in switch.peers.items()
            for family in FAMILIES
            if (row := build_family(family, family in active(peer)))
        },
    }


def build_family(family: str, is_active: bool) -> Fields:
    """The row of an address family of a session. Of an active family, the filters are the policy of both directions."""
    if not is_active:
        return {"admin_status": "down"} if family == DEFAULT_FAMILY else {}
    status = {} if family == DEFAULT_FAMILY else {"admin_status": "up"}
    return {**status, "filter_list_in": PERMIT_ALL, "filter_list_out": PERMIT_ALL}


def _build_peer(peer: BgpPeer) -> Fields:
    return _drop_absent(
        {
            "asn": None if peer.asn is None else str(peer.asn),
            "name": peer.description,
            "bfd": None if peer.bfd is None else str(peer.bfd).lower(),
            "capability_ext_nexthop": "true" if peer.unnumbered and peer.ipv4 else None,
        }
    )


def active(peer: BgpPeer) -> Iterator[str]:
    """The address families of a session."""
    return (family for family, path in FAMILIES.items() if getattr(peer, path.partition(".")[2]))

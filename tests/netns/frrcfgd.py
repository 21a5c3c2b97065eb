"""FRR's configuration as SONiC's management framework makes it from CONFIG_DB.

Which field becomes which command is SONiC's (sonic-net/sonic-buildimage, src/sonic-frr-mgmt-framework: the key maps of
frrcfgd/frrcfgd.py and templates/bgpd/bgpd.conf.db*.j2, the same for these fields on the branches 202205 to master,
save `admin_status`); the types are those of src/sonic-yang-models. A field that either lacks is an error here, as
`config reload` refuses it since 202505.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Rows = Mapping[str, Mapping[str, Any]]

_GLOBALS = {"local_asn", "router_id", "load_balance_mp_relax", "default_ipv4_unicast"}
_NEIGHBOR = {"asn", "name", "bfd", "capability_ext_nexthop"}
_FAMILY_FIELDS = {"admin_status", "filter_list_in", "filter_list_out", "route_map_in", "route_map_out"}
_BOOLEAN = re.compile("true|false")  # YANG's boolean
_STATUS = re.compile("up|down")  # sonic-types.yang, admin_status
_TYPES = {
    "load_balance_mp_relax": _BOOLEAN,
    "default_ipv4_unicast": _BOOLEAN,
    "bfd": _BOOLEAN,
    "capability_ext_nexthop": _BOOLEAN,
    "admin_status": _STATUS,
}
_FAMILIES = {"ipv4_unicast": "ipv4 unicast", "ipv6_unicast": "ipv6 unicast"}


def format_configuration(tables: Mapping[str, Rows], reads_up: bool) -> str:
    """The file of bgpd. Without ``reads_up``, the release is before 202505: a status activates only as "true"."""
    return "\n".join(_format_lines(tables, reads_up)) + "\n"


def _format_lines(tables: Mapping[str, Rows], reads_up: bool) -> Iterator[str]:
    for name, row in tables.get("AS_PATH_SET", {}).items():
        yield from (f"bgp as-path access-list {name} permit {path}" for path in row["as_path_set_member"])
    speaker = _check(tables["BGP_GLOBALS"]["default"], _GLOBALS)
    yield f"router bgp {speaker['local_asn']}"
    if "router_id" in speaker:
        yield f" bgp router-id {speaker['router_id']}"
    yield f" {'' if speaker.get('default_ipv4_unicast') == 'true' else 'no '}bgp default ipv4-unicast"
    if speaker.get("load_balance_mp_relax") == "true":
        yield " bgp bestpath as-path multipath-relax"
    for key, row in tables["BGP_NEIGHBOR"].items():
        yield from _format_neighbor(key.split("|")[1], _check(row, _NEIGHBOR))
    for family, title in _FAMILIES.items():
        yield f" address-family {title}"
        for key in tables.get("BGP_GLOBALS_AF_NETWORK", {}):
            if key.split("|")[1] == family:
                yield f"  network {key.split('|')[2]}"
        for key, row in tables["BGP_NEIGHBOR_AF"].items():
            _, name, row_family = key.split("|")
            if row_family == family:
                yield from _format_family(name, _check(row, _FAMILY_FIELDS), tables, reads_up)
        paths = tables.get("BGP_GLOBALS_AF", {}).get(f"default|{family}", {})
        if "max_ebgp_paths" in paths:
            yield f"  maximum-paths {paths['max_ebgp_paths']}"
        yield " exit-address-family"


def _format_neighbor(name: str, row: Mapping[str, str]) -> Iterator[str]:
    yield f" neighbor {name} {'' if _is_address(name) else 'interface '}remote-as {row['asn']}"
    lines: dict[str, Callable[[str], str | None]] = {
        "name": lambda text: f"description {text}",
        "bfd": lambda text: "bfd" if text == "true" else None,
        "capability_ext_nexthop": lambda text: "capability extended-nexthop" if text == "true" else None,
    }
    for field, line in lines.items():
        if field in row and (text := line(row[field])) is not None:
            yield f" neighbor {name} {text}"


def _format_family(name: str, row: Mapping[str, str], tables: Mapping[str, Rows], reads_up: bool) -> Iterator[str]:
    if "admin_status" in row:
        is_active = row["admin_status"] in (("true", "up") if reads_up else ("true",))
        yield f"  {'' if is_active else 'no '}neighbor {name} activate"
    for direction in ("in", "out"):
        if (paths := row.get(f"filter_list_{direction}")) is not None:
            assert paths in tables["AS_PATH_SET"], f"filter_list_{direction} refers to no AS_PATH_SET"
            yield f"  neighbor {name} filter-list {paths} {direction}"


def _check(row: Mapping[str, Any], fields: set[str]) -> Mapping[str, Any]:
    assert row.keys() <= fields, f"SONiC's model and frrcfgd lack {sorted(row.keys() - fields)}"
    for field, value in row.items():
        assert field not in _TYPES or _TYPES[field].fullmatch(value), f"{field}: {value}"
    return row


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True

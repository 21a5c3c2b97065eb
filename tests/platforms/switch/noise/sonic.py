"""Community SONiC: tables that a switch has for other features (fields: sonic-net's YANG models)."""

from __future__ import annotations

import json
from typing import Any

from platforms.switch.noise.row import UNKNOWN, Edit, Noise


def tables(options: dict[str, dict[str, Any]]) -> Edit:
    """With these rows too, written as ``sonic-cfggen -d --print-data`` does; a row that is None goes."""

    def edit(text: str) -> str:
        document: dict[str, Any] = json.loads(text)
        for table, rows in options.items():
            entries = document.setdefault(table, {})
            for key, fields in rows.items():
                entries[key] = {**entries.get(key, {}), **(fields or {})}
                for absent_name in [name for name, value in entries[key].items() if value is None]:
                    del entries[key][absent_name]
                if fields is None:
                    del entries[key]
        return json.dumps(document, indent=4, sort_keys=True) + "\n"

    return edit


STAFF = {
    "AAA": {"authentication": {"login": "tacacs+,local", "failthrough": "True"}},
    "TACPLUS": {"global": {"auth_type": "login", "timeout": "5", "passkey": "mtu 1500"}},
    "TACPLUS_SERVER": {"192.0.2.50": {"priority": "1", "tcp_port": "49", "vrf": "mgmt"}},
    "SNMP_COMMUNITY": {"public": {"TYPE": "RO"}},
    "NTP_SERVER": {"192.0.2.60": {"association_type": "server", "resolve_as": "192.0.2.60"}},
    "SYSLOG_SERVER": {"192.0.2.70": {"vrf": "mgmt"}},
    "BANNER_MESSAGE": {
        "global": {"state": "enabled", "login": "interface Ethernet0\n mtu 1500\n}\n", "motd": '{"PORT": {}}'}
    },
    "CRM": {"Config": {"polling_interval": "300", "acl_table_threshold_type": "percentage"}},
    "KDUMP": {"config": {"enabled": "false", "memory": "0M-2G:256M", "num_dumps": "3"}},
}
MANAGEMENT = {
    "MGMT_VRF_CONFIG": {"vrf_global": {"mgmtVrfEnabled": "true"}},
    "MGMT_PORT": {"eth0": {"admin_status": "up", "alias": "eth0", "mtu": "1500", "autoneg": "true"}},
    "MGMT_INTERFACE": {"eth0": {}, "eth0|192.0.2.10/24": {"gwaddr": "192.0.2.1"}},
    "STATIC_ROUTE": {"mgmt|0.0.0.0/0": {"nexthop": "192.0.2.1"}},
}
TENANT: dict[str, dict[str, Any]] = {
    "VRF": {"VrfRed": {"vni": "5000"}},
    "PORT": {
        "Ethernet400": {
            "admin_status": "up",
            "alias": "etp51",
            "index": "51",
            "lanes": "400,401",
            "mtu": "9100",
            "speed": "100000",
        }
    },
    "INTERFACE": {"Ethernet400": {"vrf_name": "VrfRed"}, "Ethernet400|10.9.9.0/31": {}},
    "LOOPBACK_INTERFACE": {"Loopback1": {"vrf_name": "VrfRed"}, "Loopback1|10.9.9.9/32": {}},
    "BGP_GLOBALS": {"VrfRed": {"local_asn": "65009", "router_id": "192.0.2.10", "load_balance_mp_relax": "false"}},
    "BGP_GLOBALS_AF": {"VrfRed|ipv4_unicast": {"max_ebgp_paths": "1"}},
    "BGP_GLOBALS_AF_NETWORK": {"VrfRed|ipv4_unicast|203.0.113.0/24": {}},
    "BGP_NEIGHBOR": {"VrfRed|10.2.0.1": {"asn": "65009"}, "VrfRed|10.9.9.1": {"asn": "65010", "bfd": "true"}},
    "BGP_NEIGHBOR_AF": {"VrfRed|10.2.0.1|ipv4_unicast": {"admin_status": "false"}},
}
PORT_CHANNEL: dict[str, dict[str, Any]] = {
    "PORTCHANNEL": {"PortChannel10": {"admin_status": "up", "mtu": "1500", "min_links": "1", "lacp_key": "auto"}},
    "PORTCHANNEL_INTERFACE": {"PortChannel10": {}, "PortChannel10|10.8.0.0/31": {}},
    "VLAN": {"Vlan200": {"vlanid": "200", "dhcp_servers": ["192.0.2.80"]}},
    "VLAN_MEMBER": {"Vlan200|PortChannel10": {"tagging_mode": "untagged"}},
    "MCLAG_DOMAIN": {"1": {"source_ip": "10.8.0.1", "peer_ip": "10.8.0.2", "peer_link": "PortChannel10"}},
    "PORT_QOS_MAP": {"PortChannel10": {"dscp_to_tc_map": "OTHER", "pfc_enable": "5"}},
}
ACL: dict[str, dict[str, Any]] = {
    "ACL_TABLE": {
        "DATA": {"type": "L3", "stage": "ingress", "policy_desc": "DATA", "ports": ["Ethernet0", "PortChannel10"]}
    },
    "ACL_RULE": {"DATA|RULE_10": {"PRIORITY": "9990", "DSCP": "26", "PACKET_ACTION": "DROP"}},
    "DSCP_TO_TC_MAP": {"OTHER": {str(dscp): "5" for dscp in range(64)}},
    "WRED_PROFILE": {"OTHER": {"ecn": "ecn_none", "green_min_threshold": "1", "green_max_threshold": "2"}},
    "BUFFER_POOL": {"egress_lossy_pool": {"mode": "dynamic", "size": "9000000", "type": "egress"}},
    "POLICER": {"police": {"meter_type": "bytes", "mode": "sr_tcm", "cir": "1000", "pir": "2000"}},
    "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "somebody", "port": "eth9"}},
}
SPINES = {
    "BGP_PEER_GROUP": {"default|SPINES": {"asn": "65007", "bfd": "true", "name": "for all"}},
    "BGP_PEER_GROUP_AF": {
        "default|SPINES|ipv6_unicast": {"admin_status": "true", "route_map_in": ["ALL"], "route_map_out": ["ALL"]}
    },
    "ROUTE_MAP_SET": {"ALL": {}},
    "ROUTE_MAP": {"ALL|10": {"route_operation": "permit"}},
}

ROWS = [
    Noise("sonic fabric", "users, TACACS, time, banners", tables(STAFF)),
    Noise("sonic switched", "users, TACACS, time, banners", tables(STAFF)),
    Noise("sonic fabric", "a management network", tables(MANAGEMENT)),
    Noise("sonic fabric", "a tenant", tables(TENANT), additions=r"leaf1 port Ethernet400 .*"),
    Noise("sonic switched", "port channels and MCLAG", tables(PORT_CHANNEL), additions="leaf1 vlan 200 .*"),
    Noise("sonic fabric", "access lists, policers, maps of others", tables(ACL)),
    Noise(
        "sonic switched",
        "a port of the fabric in a port channel",
        tables({**PORT_CHANNEL, "PORTCHANNEL_MEMBER": {"PortChannel10|Ethernet0": {}}}),
        becomes={"leaf1 port Ethernet0 port.link.mtu": UNKNOWN},
        additions="leaf1 vlan 200 .*",
    ),
    Noise(
        "sonic fabric",
        "a peer group, and a session with more settings",
        tables({**SPINES, "BGP_NEIGHBOR": {"default|10.2.0.1": {"peer_group_name": "SPINES"}}}),
        becomes={"leaf1 peer 10.2.0.1 peer.bfd": True},
    ),
    Noise(
        "sonic fabric",
        "a peer group with settings that the session lacks",
        tables(
            {
                **SPINES,
                "BGP_NEIGHBOR": {"default|10.2.0.1": {"peer_group_name": "SPINES", "asn": None}},
                "BGP_NEIGHBOR_AF": {"default|10.2.0.1|ipv6_unicast": None},
            }
        ),
        becomes={"leaf1 peer 10.2.0.1 peer.bfd": True, "leaf1 peer 10.2.0.1 peer.asn": 65007},
    ),
    Noise(
        "sonic fabric",
        "a peer group that is not there",
        tables({"BGP_NEIGHBOR": {"default|10.2.0.1": {"peer_group_name": "SPINES"}}}),
        becomes={"leaf1 peer 10.2.0.1 peer.bfd": UNKNOWN},
    ),
]

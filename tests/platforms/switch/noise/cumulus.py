"""NVIDIA Cumulus Linux: what ``nv config show -o commands`` prints of other features (NVUE command reference)."""

from __future__ import annotations

from platforms.switch.noise.row import UNKNOWN, Edit, Noise, chain, replace_line


def lines(text: str) -> Edit:
    """With these statements too, where their order has them."""

    def edit(whole: str) -> str:
        parts = whole.rstrip("\n").split("\n")
        for line in map(str.strip, text.strip().split("\n")):
            parts.insert(next((index for index, part in enumerate(parts) if part > line), len(parts)), line)
        return "\n".join(parts) + "\n"

    return edit


def raw(text: str) -> Edit:
    """With a statement whose text has several lines, before all others."""
    return lambda whole: text + whole


BANNER = """\
nv set system message post-login 'Property of the pod.
nv set interface swp1s0 link mtu 1500
nv set interface swp51 link mtu 1500
nv set router bgp state disabled

It'"'"'s monitored.'
"""

ROWS = [
    Noise(
        "cumulus routed",
        "users, TACACS, time",
        lines("""
            nv set system aaa authentication-order 10 tacacs
            nv set system aaa tacacs server 10 host 192.0.2.50
            nv set system aaa tacacs server 10 secret '$nvsec$abc=='
            nv set system aaa user ops role system-admin
            nv set system aaa user ops full-name 'link state down'
            nv set service ntp mgmt server 192.0.2.60 iburst enabled
            nv set system snmp-server listening-address 192.0.2.10 vrf mgmt
            nv set system api state enabled
        """),
    ),
    Noise("cumulus routed", "a banner that looks like statements", raw(BANNER)),
    Noise("cumulus unnumbered", "a banner that looks like statements", raw(BANNER)),
    Noise(
        "cumulus routed",
        "a management network",
        lines("""
            nv set interface eth0 ipv4 address 192.0.2.10/24
            nv set interface eth0 ip vrf mgmt
            nv set interface eth0 link mtu 1500
            nv set interface eth0 type eth
            nv set vrf mgmt router static 0.0.0.0/0 via 192.0.2.1 type ipv4-address
        """),
    ),
    Noise(
        "cumulus unnumbered",
        "a tenant",
        lines("""
            nv set interface swp9 ip vrf RED
            nv set interface swp9 ipv4 address 10.9.9.0/31
            nv set interface swp9 type swp
            nv set vrf RED router bgp autonomous-system 65009
            nv set vrf RED router bgp router-id 192.0.2.10
            nv set vrf RED router bgp address-family ipv4-unicast multipaths ebgp 1
            nv set vrf RED router bgp address-family ipv4-unicast network 203.0.113.0/24
            nv set vrf RED router bgp neighbor swp51 remote-as 65009
            nv set vrf RED router bgp path-selection multipath aspath-ignore off
        """),
        additions="leaf1 port swp9 .*",
    ),
    Noise(
        "cumulus routed",
        "ports of a tenant, in the newer spelling",
        chain(
            lines("""
                nv set interface eth0 vrf mgmt
                nv set interface swp1s0 vrf RED
                nv set interface swp9 vrf RED
                nv set interface swp9 ipv4 address 10.9.9.0/31
            """),
        ),
        becomes={"leaf1 port swp1s0 port.addresses": UNKNOWN},
        additions="leaf1 port swp9 .*",
    ),
    Noise(
        "cumulus switched",
        "bonds and MLAG",
        lines("""
            nv set interface bond10 bond member swp9-10
            nv set interface bond10 bond mlag id 10
            nv set interface bond10 bridge domain br_default access 13
            nv set interface bond10 link mtu 1500
            nv set interface bond10 type bond
            nv set interface peerlink bond member swp49-50
            nv set interface peerlink.4094 base-interface peerlink
            nv set mlag backup 192.0.2.11 vrf mgmt
            nv set mlag mac-address 44:38:39:BE:EF:AA
            nv set mlag peer-ip linklocal
        """),
    ),
    Noise(
        "cumulus switched",
        "a port of the fabric in a bond",
        chain(
            replace_line(
                "nv set interface swp1s0 bridge domain br_default access 11",
                "nv set interface bond10 bridge domain br_default access 11",
            ),
            lines("nv set interface bond10 bond member swp1s0\nnv set interface bond10 type bond"),
        ),
        becomes={"leaf1 port swp1s0 port.(vlan|link.mtu|addresses|unnumbered)": UNKNOWN},
    ),
    Noise(
        "cumulus routed",
        "access lists, profiles that no port has",
        lines("""
            nv set acl STORAGE rule 10 match ip dscp 26
            nv set acl STORAGE rule 10 action permit
            nv set acl STORAGE type ipv4
            nv set interface swp9 acl STORAGE inbound
            nv set qos mapping OTHER dscp 26 switch-priority 0
            nv set qos mapping OTHER trust l2
            nv set qos pfc OTHER switch-priority 5
            nv set qos egress-scheduler OTHER traffic-class 3 mode strict
            nv set qos congestion-control OTHER traffic-class 3 ecn disable
        """),
        additions="leaf1 port swp9 .*",
    ),
    Noise(
        "cumulus routed",
        "a port that has profiles of its own",
        lines("""
            nv set interface swp1s0 qos mapping profile OTHER
            nv set interface swp1s0 qos egress-queue-mapping profile OTHER
            nv set interface swp1s0 qos egress-scheduler profile OTHER
            nv set interface swp1s0 qos congestion-control profile OTHER
            nv set interface swp1s0 qos pfc profile OTHER
            nv set qos mapping OTHER dscp 26 switch-priority 0
            nv set qos egress-scheduler OTHER traffic-class 3 mode strict
        """),
        becomes={
            "leaf1 port swp1s0 port.qos.(trust|dscp_tc|tc_queue|pfc|pfc_queue)": UNKNOWN,
            "leaf1 port swp1s0 port.cable_length": UNKNOWN,
            "leaf1 port swp1s0 queue . queue.(discipline|weight|ecn.*)": UNKNOWN,
        },
    ),
    Noise(
        "cumulus unnumbered",
        "a peer group for a session that configures every setting",
        lines("""
            nv set vrf default router bgp peer-group SPINES bfd state disabled
            nv set vrf default router bgp peer-group SPINES description 'for all'
            nv set vrf default router bgp peer-group SPINES remote-as 65007
            nv set vrf default router bgp neighbor swp51 peer-group SPINES
        """),
    ),
    Noise(
        "cumulus unnumbered",
        "a session to whoever is there",
        replace_line(
            "nv set vrf default router bgp neighbor swp51 remote-as 4200000000",
            "nv set vrf default router bgp neighbor swp51 remote-as external",
        ),
        becomes={"leaf1 peer swp51 peer.asn": UNKNOWN},
    ),
    Noise(
        "cumulus unnumbered",
        "a number of the default table's own",
        lines("""
            nv set vrf default router bgp autonomous-system 65055
            nv set vrf default router bgp router-id 10.255.0.55
        """),
        becomes={"leaf1 switch.bgp.asn": 65055, "leaf1 switch.bgp.router_id": "10.255.0.55"},
    ),
    Noise(
        "cumulus unnumbered",
        "an overlay",
        lines("""
            nv set evpn state enabled
            nv set nve vxlan state enabled
            nv set nve vxlan source address 10.255.0.1
            nv set vrf default router bgp address-family l2vpn-evpn state enabled
            nv set vrf default router bgp neighbor swp51 address-family l2vpn-evpn state enabled
        """),
    ),
]

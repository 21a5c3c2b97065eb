"""Enterprise SONiC: blocks as the examples of dellemc.enterprise_sonic print them, each ended by a line ``!``."""

from __future__ import annotations

from platforms.switch.noise.row import UNKNOWN, Noise, chain, insert_after, insert_before, replace_line

USERS = """
    username admin password $6$abc$def role admin
    !
    aaa authentication login default group tacacs+ local
    !
    tacacs-server source-interface Management 0
    tacacs-server host 192.0.2.50 key abc encrypted vrf mgmt
    !
    ntp server 192.0.2.60 minpoll 6 maxpoll 10
    !
    snmp-server agentaddress 192.0.2.10 interface Management 0
    !
    """
BANNER = """
    banner login "interface Eth1/1: shutdown at night"
    !
    """
MANAGEMENT = """
    ip vrf mgmt
    !
    ip vrf VrfRed
    !
    interface Management 0
     description no mtu of ours
     autoneg on
     ip address 192.0.2.10/24 gwaddr 192.0.2.1
    !
    """
ROUTES = """
    ip route vrf mgmt 0.0.0.0/0 192.0.2.1
    !
    router bgp 65009 vrf VrfRed
     router-id 192.0.2.10
     !
     address-family ipv4 unicast
      maximum-paths 1
      network 203.0.113.0/24
     !
     neighbor 10.2.0.1
      remote-as 65001
      !
      address-family ipv4 unicast
       activate
    !
    """
TENANT = """
    interface Eth1/9
     description tenant
     mtu 9100
     speed 400000
     fec none
     no shutdown
     ip vrf forwarding VrfRed
     ip address 10.9.9.0/31
    !
    """
PORT_CHANNEL = """
    interface PortChannel 10
     description "storage: no shutdown"
     mtu 9100
     switchport access Vlan 13
     no shutdown
     mclag 1
    !
    mclag domain 1
     source-ip 10.8.0.1
     peer-ip 10.8.0.2
     peer-link PortChannel10
    !
    """
ACL = """
    ip access-list STORAGE
     seq 10 permit ip 10.1.0.0/16 any dscp 26 remark "RoCE"
     seq 20 deny ip any any
    !
    qos map dscp-tc OTHER
     dscp 0-63 traffic-class 5
    !
    qos scheduler-policy OTHER
     !
     queue 3
      type strict
    !
    policy-map POLICE type qos match-access-group
     class STORAGE priority 10
      police cir 10000000
     !
    !
    """
GROUP = """\
 !
 peer-group SPINES
  description "for all spines"
  remote-as 65007
  bfd
  !
  address-family ipv6 unicast
   activate
"""

ROWS = [
    Noise("enterprise-sonic routed", "users, TACACS, time", insert_before("hostname leaf1", USERS)),
    Noise("enterprise-sonic routed", "a banner with the text of other lines", insert_before("hostname leaf1", BANNER)),
    Noise(
        "enterprise-sonic routed",
        "a management network and a tenant",
        chain(
            insert_before("interface Eth1/1", MANAGEMENT),
            insert_before("interface Eth1/33", TENANT),
            insert_before("router bgp 4200010001", ROUTES),
        ),
        additions=r"leaf1 port Eth1/9 .*",
    ),
    Noise(
        "enterprise-sonic routed",
        "a tenant's sessions after the fabric's",
        lambda text: text.rstrip("\n") + "\n" + ROUTES.replace("\n    ", "\n").strip("\n") + "\n",
    ),
    Noise("enterprise-sonic routed", "port channels and MCLAG", insert_before("interface Eth1/33", PORT_CHANNEL)),
    Noise(
        "enterprise-sonic routed",
        "a port of the fabric in a port channel",
        chain(
            insert_before("interface Eth1/33", PORT_CHANNEL),
            insert_after("interface Eth1/1", " channel-group 10 mode active"),
        ),
        becomes={r"leaf1 port Eth1/1 port.(addresses|unnumbered|link.mtu)": UNKNOWN},
    ),
    Noise("enterprise-sonic routed", "access lists and policies of others", insert_before("qos wred-policy ROCE", ACL)),
    Noise(
        "enterprise-sonic routed",
        "a peer group that a session takes from",
        chain(
            insert_before(" neighbor 10.2.0.1", GROUP + " !"), insert_after(" neighbor 10.2.0.1", "  peer-group SPINES")
        ),
        becomes={r"leaf1 peer 10.2.0.1 peer.bfd": True},
    ),
    Noise(
        "enterprise-sonic routed",
        "a peer group with settings that the session lacks",
        chain(
            insert_before(" neighbor 10.2.0.1", GROUP + " !"),
            replace_line("  remote-as 4200000000", "  peer-group SPINES"),
        ),
        becomes={r"leaf1 peer 10.2.0.1 peer.bfd": True, r"leaf1 peer 10.2.0.1 peer.asn": 65007},
    ),
    Noise(
        "enterprise-sonic routed",
        "a peer group that is not in the text",
        insert_after(" neighbor 10.2.0.1", "  peer-group SPINES"),
        becomes={r"leaf1 peer 10.2.0.1 .*": UNKNOWN},
    ),
    Noise(
        "enterprise-sonic routed",
        "sessions printed as far in as the speaker",
        lambda text: text.replace("\n neighbor ", "\nneighbor ").replace("\n !\nneighbor", "\n!\nneighbor"),
    ),
]

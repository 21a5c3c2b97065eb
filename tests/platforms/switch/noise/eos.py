"""Arista EOS: blocks in the order and spelling of Arista AVD's templates and of configurations published in public."""

from __future__ import annotations

from platforms.switch.noise.row import UNKNOWN, Noise, chain, insert_after, insert_before, replace_line

USERS = """
    username admin privilege 15 role network-admin secret sha512 $6$xyz$abcdefghijkl
    username ops ssh-key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ops@host
    !
    tacacs-server host 192.0.2.50 vrf MGMT key 7 0110100D480E
    !
    aaa group server tacacs+ STAFF
       server 192.0.2.50 vrf MGMT
    !
    aaa authentication login default group STAFF local
    aaa authorization exec default group STAFF local
    !
"""
BANNER = """
    banner login
    interface Ethernet1/1
       mtu 1500
       no switchport
       ip address 203.0.113.9/24
    !
    see the EOF of the rules, then:
    end
    ip routing
    EOF
    !
"""
MANAGEMENT = """
    vrf instance MGMT
    !
"""
MANAGEMENT_ROUTES = """
    ip routing vrf MGMT
    !
    ip route vrf MGMT 0.0.0.0/0 192.0.2.1
    !
    ntp server vrf MGMT 192.0.2.60 prefer iburst
    !
"""
TENANT = """\
   !
   vrf MGMT
      router-id 192.0.2.10
      maximum-paths 128
      neighbor 192.0.2.99 remote-as 65000
      neighbor 10.2.0.3 remote-as 65009
      !
      address-family ipv4
         neighbor 192.0.2.99 activate
         network 203.0.113.0/24
"""
PORT_CHANNEL = """
    interface Port-Channel10
       description storage head, "no switchport" is for others
       switchport trunk allowed vlan 11-12
       switchport mode trunk
       mlag 10
    !
    interface Port-Channel2000
       description MLAG_PEER
       switchport mode trunk
       switchport trunk group MLAG
    !
"""
MLAG = """
    mlag configuration
       domain-id POD1
       local-interface Vlan4094
       peer-address 169.254.0.1
       peer-link Port-Channel2000
       reload-delay mlag 300
    !
"""
PROFILE = """
    interface profile HOSTS
       command description by the profile
       command mtu 1500
       command no switchport
       command shutdown
    !
"""

ROWS = [
    Noise("eos routed", "users and TACACS", insert_before("service routing protocols model multi-agent", USERS)),
    Noise("eos switched", "users and TACACS", insert_before("service routing protocols model multi-agent", USERS)),
    Noise("eos routed", "a banner that looks like a configuration", insert_before("hostname leaf1", BANNER)),
    Noise("eos unnumbered", "a banner that looks like a configuration", insert_before("hostname leaf1", BANNER)),
    Noise(
        "eos routed",
        "a management network with its own addresses, routes and sessions",
        chain(
            insert_before("spanning-tree mode mstp", MANAGEMENT),
            replace_line("   ip address dhcp", "   vrf MGMT\n   ip address 192.0.2.10/24"),
            insert_before("ip routing", MANAGEMENT_ROUTES),
            insert_after("      network 10.1.0.0/31", TENANT),
        ),
    ),
    Noise(
        "eos routed",
        "routing of the management network alone",
        replace_line("ip routing", "ip routing vrf MGMT\nno ip routing vrf OTHER"),
        becomes={"leaf1 switch.routing": UNKNOWN},
    ),
    Noise(
        "eos routed",
        "a port of a tenant",
        insert_before(
            "interface Loopback0",
            """
            interface Ethernet3/1
               description tenant
               no switchport
               vrf RED
               ip address 10.9.9.0/31
            !
            interface Loopback1
               vrf RED
               ip address 10.9.9.9/32
            !
            """,
        ),
        additions=r"leaf1 port Ethernet3/1 .*",
    ),
    Noise(
        "eos switched",
        "port channels and MLAG",
        chain(
            insert_before(
                "vlan 12",
                """
                vlan 4094
                   name MLAG
                   trunk group MLAG
                !
                """,
            ),
            insert_before("interface Ethernet1/1", PORT_CHANNEL),
            insert_before(
                "interface Management1",
                """
                interface Ethernet9/1
                   channel-group 2000 mode active
                !
                """,
            ),
            insert_before("ip routing", MLAG),
        ),
        additions=r"leaf1 port Ethernet9/1 .*",
    ),
    Noise(
        "eos switched",
        "a port of the fabric in a port channel",
        chain(
            insert_before("interface Ethernet1/1", PORT_CHANNEL),
            insert_after("   phy link training", "   channel-group 10 mode active"),
        ),
        becomes={
            r"leaf1 port Ethernet1/1( queue .)? (port.(vlan|addresses|unnumbered|link.mtu|qos\..*)|queue\..*)": UNKNOWN
        },
    ),
    Noise(
        "eos routed",
        "defaults of all interfaces",
        insert_before(
            "interface Ethernet1/1",
            """
            interface defaults
               mtu 9214
               ethernet
                  shutdown
            !
            """,
        ),
        becomes={r"leaf1 port .* port.link.enabled": False},
    ),
    Noise("eos routed", "an interface profile that no port has", insert_before("interface Ethernet1/1", PROFILE)),
    Noise(
        "eos routed",
        "a port that has an interface profile",
        chain(
            insert_before("interface Ethernet1/1", PROFILE), insert_after("interface Ethernet1/1", "   profile HOSTS")
        ),
        becomes={r"leaf1 port Ethernet1/1 .*": UNKNOWN},
    ),
    Noise(
        "eos routed",
        "access lists, route maps, services",
        insert_before(
            "router bgp 4200010000",
            """
            ip access-list STANDARD
               10 permit ip 10.1.0.0/16 any
               20 deny ip any any log
            !
            ip prefix-list OWN
               seq 10 permit 10.255.0.0/24 eq 32
            !
            route-map IN permit 10
               match ip address prefix-list OWN
               set local-preference 200
            !
            management api http-commands
               no shutdown
               !
               vrf MGMT
                  no shutdown
            !
            """,
        ),
    ),
    Noise(
        "eos unnumbered",
        "comments, and other protocols in the fabric's sessions",
        chain(
            insert_after(
                "   router-id 10.255.0.1",
                "   !! owner: the network team\n   bgp log-neighbor-changes\n   timers bgp 3 9",
            ),
            insert_after(
                "   neighbor FABRIC peer group",
                "   neighbor FABRIC send-community\n   neighbor FABRIC maximum-routes 12000",
            ),
            insert_before(
                "   address-family ipv4",
                "   address-family evpn\n      neighbor FABRIC activate\n   !\n",
            ),
        ),
    ),
]

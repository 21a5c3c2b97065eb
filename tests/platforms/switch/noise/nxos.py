"""Cisco NX-OS: blocks in the order and spelling of Nexus 9000 configurations published in public."""

from __future__ import annotations

from platforms.switch.noise.row import UNKNOWN, Noise, chain, insert_after, insert_before, replace_line, start

HEAD = """
    username admin password 5 $5$ABCDEF$0123456789abcdef  role network-admin
    username ops sshkey ssh-rsa AAAAB3NzaC1yc2E ops@host
    ip domain-lookup
    tacacs-server host 192.0.2.50 key 7 "fewhg123"
    aaa group server tacacs+ STAFF
        server 192.0.2.50
        use-vrf management
    snmp-server user admin network-admin auth md5 0xabc priv 0xabc localizedkey
    ntp server 192.0.2.60 use-vrf management
    aaa authentication login default group STAFF
    """
BANNER = """
    banner motd #
    interface Ethernet1/1
      shutdown
      mtu 1500
      ip address 203.0.113.9/24
    feature lacp
    #
    """
COPP = """
    class-map type control-plane match-any copp-class-bgp
      match access-group name copp-acl-bgp
    policy-map type control-plane copp-policy
      class copp-class-bgp
        set cos 7
        police cir 36000 kbps bc 1280000 bytes conform transmit violate drop
    ip access-list copp-acl-bgp
      10 permit tcp any any eq bgp
    class-map type qos match-any VOICE
      match dscp 26,46
      match access-group name VOICE
    policy-map type qos VOICE-IN
      class VOICE
        set qos-group 5
    policy-map type queuing VOICE-OUT
      class type queuing c-out-8q-q3
        priority level 1
    """
MANAGEMENT = """
    vrf context management
      ip route 0.0.0.0/0 192.0.2.1
    vrf context RED
      rd auto
      address-family ipv4 unicast
        route-target both auto
    """
PORT_CHANNEL = """
    vpc domain 1
      peer-switch
      peer-keepalive destination 192.0.2.11 source 192.0.2.10
    port-profile type port-channel STORAGE
      switchport access vlan 12
      mtu 1500
      state enabled

    interface port-channel10
      description vpc peer link
      switchport mode trunk
      spanning-tree port type network
      vpc peer-link

    interface port-channel20
      switchport access vlan 13
      vpc 20

    """
TENANT = """
    interface Ethernet1/9
      vrf member RED
      ip address 10.9.9.0/31
      no shutdown

    interface Ethernet1/9.100
      encapsulation dot1q 100
      vrf member RED
      ip address 10.9.10.0/31

    """
OTHER_SESSIONS = """\
  vrf RED
    router-id 192.0.2.10
    bestpath as-path multipath-relax
    address-family ipv4 unicast
      network 203.0.113.0/24
      maximum-paths 1
    neighbor 10.2.0.1
      remote-as 65009
"""
TAIL = """
    cli alias name wr copy running-config startup-config
    line console
      exec-timeout 0
    line vty
      session-limit 16
    boot nxos bootflash:/nxos64-cs.10.3.4a.M.bin
    logging server 192.0.2.70 5 use-vrf management
    """
ALL_BUT_LINK = r"leaf1 port Ethernet1/1( queue .)? (port.(vlan|addresses|unnumbered|link.mtu|qos\..*)|queue\..*)"

ROWS = [
    Noise("nxos routed", "users, TACACS, SNMP", insert_after("feature lldp", HEAD)),
    Noise("nxos bgp", "lines and loggers after the routing protocols", insert_before("leaf1", TAIL)),
    Noise("nxos routed", "a banner that looks like a configuration", insert_after("feature lldp", BANNER)),
    Noise(
        "nxos switched",
        "a banner on one line",
        insert_after("feature lldp", "banner motd #shutdown of Ethernet1/1 on Monday#"),
    ),
    Noise(
        "nxos routed",
        "policies of the control plane and of others",
        insert_before("class-map type qos match-all ROCE-IN-3", COPP),
    ),
    Noise(
        "nxos bgp",
        "routing tables of others",
        chain(
            insert_before("interface Ethernet1/1", MANAGEMENT + TENANT),
            replace_line("  vrf member management", "  vrf member management\n  ip address 192.0.2.10/24"),
            insert_before(
                "leaf1",
                OTHER_SESSIONS,
            ),
        ),
        additions=r"leaf1 port Ethernet1/9 .*",
    ),
    Noise("nxos switched", "port channels and vPC", insert_before("interface Ethernet1/1", PORT_CHANNEL)),
    Noise(
        "nxos switched",
        "a port of the fabric in a port channel",
        chain(
            insert_before("interface Ethernet1/1", PORT_CHANNEL),
            insert_after("  switchport access vlan 11", "  channel-group 10 mode active"),
        ),
        becomes={ALL_BUT_LINK: UNKNOWN},
    ),
    Noise(
        "nxos routed",
        "a port that has a port profile",
        chain(
            insert_before(
                "interface Ethernet1/1", "port-profile type ethernet HOSTS\n  mtu 1500\n  shutdown\n  state enabled\n"
            ),
            insert_after("interface Ethernet1/1", "  inherit port-profile HOSTS"),
        ),
        becomes={r"leaf1 port Ethernet1/1 .*": UNKNOWN},
    ),
    Noise(
        "nxos bgp",
        "a session that has a template",
        insert_after("  neighbor 10.2.0.1", "    inherit peer SPINES"),
        becomes={r"leaf1 peer 10.2.0.1 peer.ipv6": UNKNOWN},
    ),
    Noise(
        "nxos switched",
        "switched ports that are off by default",
        insert_before("vlan 1,11-13", "system default switchport shutdown"),
        becomes={r"leaf1 port .* port.link.enabled": False},
    ),
    Noise(
        "nxos routed",
        "policies that are bound without statistics",
        replace_line("  service-policy type qos input ROCE-IN", "  service-policy type qos input ROCE-IN no-stats"),
    ),
    Noise(
        "nxos switched",
        "descriptions with the text of other lines",
        chain(
            insert_before("vlan 11", "vlan 10\n  name shutdown_mtu_1500"),
            insert_before(
                "interface Ethernet1/1", "interface Ethernet1/7\n  description no switchport, channel-group 10\n"
            ),
        ),
        additions=r"leaf1 port Ethernet1/7 .*",
    ),
    Noise("nxos bgp", "comments and blank lines", start("\n! kept by the network team\n\n")),
]

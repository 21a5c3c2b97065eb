"""Junos OS Evolved: stanzas as ``show configuration | display inheritance`` prints them (Juniper documentation)."""

from __future__ import annotations

import re

from platforms.switch.noise.row import UNKNOWN, Edit, Noise, chain, insert_after, insert_before, replace_line

STAFF = """\
    root-authentication {
        encrypted-password "$6$abc$def"; ## SECRET-DATA
    }
    login {
        announcement "interfaces {\\n    et-0/0/0:0 {\\n        mtu 1500;";
        message "no entry; protocols { lldp { disable; } }";
        user ops {
            uid 2001;
            class super-user;
            authentication {
                ssh-ed25519 "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ops@host"; ## SECRET-DATA
            }
        }
    }
    tacplus-server {
        192.0.2.50 {
            secret "$9$abc"; ## SECRET-DATA
            routing-instance mgmt_junos;
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
    management-instance;
"""
MANAGEMENT = """
    routing-instances {
        mgmt_junos {
            routing-options {
                router-id 192.0.2.10;
                autonomous-system 65009;
                static {
                    route 0.0.0.0/0 next-hop 192.0.2.1;
                }
            }
        }
        RED {
            instance-type virtual-router;
            interface et-0/0/9.0;
            routing-options {
                router-id 192.0.2.11;
                autonomous-system 65008;
            }
            protocols {
                bgp {
                    group TENANT {
                        type external;
                        peer-as 65010;
                        neighbor 10.2.0.1;
                    }
                }
            }
        }
    }
    """
PORTS = """\
    re0:mgmt-0 {
        unit 0 {
            family inet {
                address 192.0.2.10/24;
            }
        }
    }
    et-0/0/9 {
        description "interface-range of a tenant";
        unit 0 {
            family inet {
                address 10.9.9.0/31;
            }
        }
    }
"""
AGGREGATE = """\
    ae10 {
        mtu 1514;
        aggregated-ether-options {
            lacp {
                active;
            }
        }
        unit 0 {
            family inet {
                address 10.8.0.0/31;
            }
        }
    }
"""
RANGE = """\
    interface-range HOSTS {
        member et-0/0/0:0;
        mtu 9216;
        disable;
    }
"""
GROUP = """
    groups {
        COMMON {
            interfaces {
                <et-*> {
                    disable;
                }
            }
            protocols {
                lldp {
                    disable;
                }
            }
        }
    }
    apply-groups COMMON;
    """
FROM_GROUP = """\
        ##
        ## 'disable' was inherited from group 'COMMON'
        ##
        disable;
"""
FROM_RANGE = """\
        ##
        ## 'disable' was expanded from interface-range 'HOSTS'
        ##
        disable;
"""
OVERLAY = """\
        group OVERLAY {
            type internal;
            local-address 10.255.0.1;
            family evpn {
                signaling;
            }
            neighbor 10.255.0.9;
        }
"""
POLICIES = """\
    prefix-list OWN {
        10.255.0.0/24;
    }
    policy-statement OTHER {
        term one {
            from {
                route-filter 203.0.113.0/24 exact;
            }
            then accept;
        }
    }
"""
CLASSES = """\
    traffic-control-profiles {
        OTHER {
            scheduler-map ROCE-MAP;
        }
    }
"""

PORT = "    et-0/0/0:0 {"


def inactive(line: str) -> Edit:
    """The same statement once more, before it, inactive and with another value."""

    def edit(text: str) -> str:
        index = text.index(line)
        statement = line.lstrip()
        indent = line[: len(line) - len(statement)]
        return f"{text[:index]}{indent}inactive: {re.sub('[0-9]', '1', statement)}\n{text[index:]}"

    return edit


ROWS = [
    Noise("junos routed", "users, TACACS, announcements", insert_after("    host-name leaf1;", STAFF)),
    Noise(
        "junos routed",
        "a management network and a tenant",
        chain(insert_before(PORT, PORTS), insert_before("routing-options {", MANAGEMENT)),
        additions=r"leaf1 port et-0/0/9( queue .)? (?!port.addresses).*",
    ),
    Noise("junos unnumbered", "a management network and a tenant", insert_before("routing-options {", MANAGEMENT)),
    Noise("junos routed", "an aggregated interface of others", insert_before(PORT, AGGREGATE)),
    Noise(
        "junos routed",
        "a port of the fabric in an aggregated interface",
        chain(
            insert_before(PORT, AGGREGATE),
            insert_after(PORT, "        ether-options {\n            802.3ad ae10;\n        }"),
        ),
        becomes={r"leaf1 port et-0/0/0:0( queue .)? (port.(addresses|unnumbered|link.mtu|qos\..*)|queue\..*)": UNKNOWN},
    ),
    Noise(
        "junos routed", "an inactive port", insert_before(PORT, "    inactive: et-0/0/9 {\n        mtu 1500;\n    }")
    ),
    Noise("junos routed", "an inactive statement in a port", inactive("        mtu 9216;")),
    Noise("junos routed", "inactive groups", insert_before("system {", GROUP.replace("apply", "inactive: apply"))),
    Noise(
        "junos routed",
        "a group whose statements equal the configured ones",
        chain(insert_before("system {", GROUP), insert_after(PORT, FROM_GROUP)),
        becomes={r"leaf1 port et-0/0/0:0 port.link.enabled": False},
    ),
    Noise(
        "junos routed",
        "a group whose statements do not",
        insert_before("system {", GROUP),
        becomes={"leaf1 .*": UNKNOWN},
    ),
    Noise(
        "junos routed",
        "a range whose statements stand at its members",
        chain(insert_before(PORT, RANGE), insert_after(PORT, FROM_RANGE)),
        becomes={r"leaf1 port et-0/0/0:0 port.link.enabled": False},
    ),
    Noise("junos routed", "a range whose statements do not", insert_before(PORT, RANGE), becomes={"leaf1 .*": UNKNOWN}),
    Noise(
        "junos routed",
        "comments",
        chain(
            insert_before("interfaces {", "/* kept by the\n   network { team */"),
            insert_after(PORT, "        /* mtu 1500; */"),
        ),
    ),
    Noise(
        "junos unnumbered",
        "an overlay",
        insert_before("        group underlay-4200000000 {", OVERLAY),
        additions=r"leaf1 peer 10.255.0.9 .*",
    ),
    Noise("junos unnumbered", "policies of others", insert_after("policy-options {", POLICIES)),
    Noise("junos routed", "schedulers of others", insert_before("    shared-buffer {", CLASSES)),
    Noise(
        "junos routed",
        "queues that a traffic control profile schedules",
        chain(
            replace_line("            scheduler-map ROCE-MAP;", "            output-traffic-control-profile OTHER;"),
            insert_before("    shared-buffer {", CLASSES),
        ),
        becomes={r"leaf1 port .* (queue\..*|port.qos\..*)": UNKNOWN},
    ),
    Noise(
        "junos routed",
        "class of service of all interfaces",
        replace_line("        et-* {", "        all {"),
    ),
    Noise(
        "junos routed",
        "LLDP off on a port of others",
        insert_after("        interface all;", "        interface et-0/0/9 {\n            disable;\n        }"),
    ),
]

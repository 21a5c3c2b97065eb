"""The faults of this example, for ``../inject_faults.py``."""

from output_edits import Faults, combine, replace

COMBINABLE = tuple(f"{number:02}" for number in range(1, 8))
"""The faults that do not hide each other."""

FAULTS: Faults = {
    "01-session-down": {
        "leaf1/bgp-summary.out": replace(r'"peerState": "Established"', '"peerState": "Active"', anchor='"10.2.0.3"'),
    },
    "02-wrong-asn": {
        "leaf2/running-config.out": replace(
            r"neighbor 10\.2\.0\.13 remote-as 4200000000", "neighbor 10.2.0.13 remote-as 4200000001"
        ),
    },
    # a configuration typed anew, with one path and a host forgotten
    "03-one-path-and-a-host-not-announced": {
        "leaf2/running-config.out": combine(
            replace(r"   maximum-paths 4\n", ""), replace(r"      network 10\.1\.0\.6/31\n", "")
        )
    },
    "04-roce-dscp-lossy": {
        "spine1/running-config.out": replace(
            r"^qos map dscp 32 to traffic-class 5$", "qos map dscp 32 to traffic-class 0"
        ),
    },
    # a port put back to its defaults
    "05-uplink-without-profile": {
        "spine2/running-config.out": combine(
            replace(r"   mtu \d+\n", "", anchor="interface Ethernet3/1\n"),
            replace(r"   service-profile .*\n", "", anchor="interface Ethernet3/1\n"),
        ),
        "spine2/pfc-status.out": replace(r"^(Et3/1 +)E - -   5", r"\1D - -    "),
    },
    "06-cables-swapped": {
        "spine1/lldp-neighbors.out": replace(r'"neighborDevice": "leaf2"', '"neighborDevice": "leaf1"'),
    },
    "07-no-session": {
        "spine2/running-config.out": replace(r"(   neighbor 10\.2\.0\.4 (remote-as|description|bfd).*\n){3}", ""),
        "spine2/bgp-summary.out": replace(r' {16}"10\.2\.0\.4": \{\n(?s:.*?)\n {16}\},\n', ""),
    },
}

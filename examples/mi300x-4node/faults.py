"""The faults of this example, for ``../inject_faults.py``."""

from output_edits import Faults, combine, deny_permission, hide_capabilities, replace

COMBINABLE = tuple(f"{number:02}" for number in range(1, 13))
"""The faults that do not hide each other."""

FAULTS: Faults = {
    "01-acs-reqredir": {"node1/lspci.out": replace(r"(ACSCtl:.*)ReqRedir-", r"\1ReqRedir+", anchor="0000:1b:01.0")},
    "02-nic-x8": {
        "node2/lspci.out": combine(
            # both ends of the link report it; only the lower one that it is less than it could be
            replace(r"LnkSta:\t(.*) Width x16", r"LnkSta:\t\1 Width x8", anchor="0000:1b:03.0"),
            replace(r"LnkSta:\t(.*) Width x16", r"LnkSta:\t\1 Width x8 (downgraded)", anchor="0000:43:00.0 Ethernet"),
        ),
        "node2/pcie-sysfs@enp67s0np0.out": replace(r"(current_link_width):16", r"\1:8"),
    },
    "03-rp-filter-strict": {"node3/sysctl.out": replace(r"(enp86s0np0\.rp_filter) = 2", r"\1 = 1")},
    "04-no-source-rule": {
        "node4/ip-rule.out": replace(r"\{\n *\"priority\": 1004,\n.*\n.*\n +\},", ""),
    },
    "05-roce-dscp-lossy": {
        "leaf1/running-config.out": combine(
            replace(
                r"^qos map dscp-tc ROCE$",
                "qos map dscp-tc PLAIN\n dscp 0-47,49-63 traffic-class 0\n dscp 48 traffic-class 6\n!\n\\g<0>",
            ),
            replace(r"qos-map dscp-tc ROCE", "qos-map dscp-tc PLAIN", anchor="interface Eth1/10\n"),
        )
    },
    "06-pfc-off": {
        "leaf1/running-config.out": replace(r" priority-flow-control priority 3\n", "", anchor="interface Eth1/12\n")
    },
    "07-no-ecn": {
        "leaf1/running-config.out": replace(r" queue 3 wred-policy ROCE\n", "", anchor="interface Eth1/18\n")
    },
    "08-port-mtu": {
        "leaf1/running-config.out": replace(r" mtu 9100$", " mtu 1500", anchor="interface Eth1/21\n"),
        "leaf1/interface-status.out": replace(r"9100( .*)$", r"1500\1", anchor="Eth1/21 "),
    },
    "09-relaxed-ordering-off": {
        "node3/nvm-relaxed-ordering@enp195s0np0.out": replace("Enabled", "Disabled"),
    },
    "10-cc-mode-0": {
        "node4/cc@enp213s0np0.out": replace(r"cc_mode=0x1(.*)DCQCN-P", r"cc_mode=0x0\1DCQCN-D"),
    },
    "11-cables-swapped": {
        "leaf1/lldp-table.out": combine(
            replace(r"enp159s0np0( +R +)enp159s0np0", r"enp195s0np0\1enp195s0np0", anchor="Eth1/29 "),
            replace(r"enp195s0np0( +R +)enp195s0np0", r"enp159s0np0\1enp159s0np0", anchor="Eth1/30 "),
        )
    },
    "12-gid-index": {
        # a second address came first, so the planned one went two rows down
        "node1/ip-addr.out": replace(
            r"\{\n( +\"family\": \"inet\",\n +\"local\": )\"10\.1\.0\.15\"(,\n +\"prefixlen\": )31((?s:.*?)\n +\})",
            '{\n\\1"192.168.77.8"\\g<2>24\\3,\\g<0>',
        ),
        "node1/gid-table@enp231s0np0.out": lambda text: (
            text.replace("0a01:000f", "c0a8:4d08")
            + "".join(line.replace("/3:", "/5:") for line in text.splitlines(keepends=True))
        ),
    },
    "13-no-permission": {
        "manifest.json": combine(
            deny_permission("node1", "dmesg", "dmesg: read kernel buffer failed: Operation not permitted"),
            deny_permission("node3", "niccli-qos@enp29s0np0", "niccli: this command needs root"),
        ),
        "node2/lspci.out": hide_capabilities,
    },
}

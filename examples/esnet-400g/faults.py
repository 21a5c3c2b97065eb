"""The faults of this example, for ``../inject_faults.py``."""

from output_edits import Faults, combine, replace

COMBINABLE = tuple(f"{number:02}" for number in range(1, 11))
"""The faults that do not change findings of each other."""


def _print_node(node: int) -> str:
    """One of eight nodes in lscpu: four cores with two threads each."""
    label = f"NUMA node{node} CPU(s):"
    return f"{label:40} {4 * node}-{4 * node + 3},{4 * node + 32}-{4 * node + 35}\n"


FAULTS: Faults = {
    "01-ring-default": {"node1/ethtool-ring@eth100.out": replace(r"(hardware settings:\nRX:\t\t\t)8192", r"\g<1>1024")},
    "02-adaptive-rx-off": {"node1/ethtool-coalesce@eth200.out": replace("Adaptive RX: on", "Adaptive RX: off")},
    "03-interrupt-on-the-far-node": {
        "node2/irq-affinity.out": replace(r"irq/100/smp_affinity_list:16", "irq/100/smp_affinity_list:0-15")
    },
    "04-irqbalance-runs": {"node2/irqbalance.out": replace("inactive", "active")},
    "05-governor-powersave": {"node1/cpu-power.out": replace("performance", "powersave")},
    "06-c2-allowed": {"node2/cpu-power.out": replace("state2/disable:1", "state2/disable:0")},
    "07-small-windows": {"node1/sysctl.out": replace("net.core.rmem_max = 536870912", "net.core.rmem_max = 212992")},
    "08-pfifo-fast": {"node2/qdisc@eth100.out": replace('"kind":"fq"', '"kind":"pfifo_fast"')},
    "09-card-in-x8": {
        "node2/lspci.out": replace(
            r"LnkSta:\tSpeed 16GT/s, Width x16",
            r"LnkSta:\tSpeed 16GT/s, Width x8 (downgraded)",
            anchor="0000:01:00.0 Ethernet",
        ),
        "node2/pcie-sysfs@eth100.out": replace(r"(current_link_width):16", r"\1:8"),
    },
    "10-mtu-1500": {"node1/ip-addr.out": replace('"mtu": 9000', '"mtu": 1500', anchor='"ifname": "eth100"')},
    # The BMC's answer was saved before the sockets were divided: what the kernel shows goes before it.
    "11-four-nodes-on-a-socket": {
        "node2/lscpu.out": combine(
            replace(r"(NUMA node\(s\): +)2", r"\g<1>8"),
            replace(r"NUMA node0 CPU(?s:.*)", "".join(map(_print_node, range(8)))),
        ),
        "node2/lspci.out": lambda text: text.replace("NUMA node: 1", "NUMA node: 5"),
        "node2/pcie-sysfs@eth100.out": replace("numa_node:1", "numa_node:5"),
        "node2/pcie-sysfs@eth200.out": replace("numa_node:1", "numa_node:5"),
    },
}

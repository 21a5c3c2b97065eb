"""The faults of this example, for ``../inject_faults.py``."""

from output_edits import Faults, combine, replace

COMBINABLE = tuple(f"{number:02}" for number in range(1, 10))
"""The faults that do not hide each other."""

FAULTS: Faults = {
    "01-ud-alone-left-over": {"node05/mvapich2-conf.out": replace("MV2_USE_ONLY_UD = 0", "MV2_USE_ONLY_UD = 1")},
    "02-ranks-share-cores": {
        "node07/mvapich2-conf.out": replace("MV2_CPU_MAPPING = 0:1:2:3:", "MV2_CPU_MAPPING = 0:0:1:1:")
    },
    "03-default-gid-index": {"node12/mvapich2-conf.out": replace("(DEFAULT_GID_INDEX) = 3", r"\1 = 0")},
    "04-another-nic": {"node20/mvapich2-conf.out": replace("(IBA_HCA) = bnxt_re0", r"\1 = bnxt_re2")},
    "05-card-in-a-gen3-slot": {
        "node31/lspci.out": replace(
            r"LnkSta:\tSpeed 16GT/s, Width x16",
            r"LnkSta:\tSpeed 8GT/s (downgraded), Width x16",
            anchor="0000:21:00.0 Ethernet",
        ),
        "node31/pcie-sysfs@enp33s0f0np0.out": replace(r"(current_link_speed):16.0", r"\1:8.0"),
    },
    "06-pfc-off": {
        "leaf1/running-config.out": replace(r" priority-flow-control priority 3\n", "", anchor="interface Eth1/9/1\n")
    },
    "07-cables-swapped": {
        "leaf1/lldp-table.out": replace(r"^(Eth1/11/1 +)node41( .*\nEth1/11/2 +)node42", r"\1node42\2node41")
    },
    "08-port-mtu": {"leaf1/running-config.out": replace(r" mtu 9100$", " mtu 1500", anchor="interface Eth1/13/4\n")},
    "09-coalescing-off": {
        "node40/mvapich2-conf.out": combine(
            replace("MV2_USE_COALESCE = 1", "MV2_USE_COALESCE = 0"),
            replace("MV2_USE_EAGER_SGL = 1", "MV2_USE_EAGER_SGL = 0"),
        )
    },
}

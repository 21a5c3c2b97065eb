"""Lines of the kernel log that are errors, and lines of healthy hosts that are none.

The lines are from public logs of other people's machines (linux-pci and linux-kernel mailing lists, reports of users);
where a row needs two states of one device, it repeats such a line with the other state.
"""

import pytest

from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Output, Outputs
from wirespeed.platforms.host.linux import parse_kernel_log
from wirespeed.platforms.host.linux.kernel_messages import read_error
from wirespeed.settings import MessageKind, PcieLink, Place

INFO = "kern  :info  : [    2.941830] "
WARN = "kern  :warn  : [    2.941830] "
ERROR = "kern  :err   : [    2.941830] "

NO_SPACE = "pci 0000:09:00.0: BAR 1: no space for [mem size 0x4000000000 64bit pref]"
FAILED = "pci 0000:09:00.0: BAR 1: failed to assign [mem size 0x4000000000 64bit pref]"
FAILED_68 = "pci 0006:03:00.2: BAR 0 [mem size 0x00800000 64bit pref]: failed to assign"
DOWN = "mlx5_core 0000:01:00.0 enp1s0f0np0: Link down"
UP = "mlx5_core 0000:01:00.0 enp1s0f0np0: Link up"
BNXT_DOWN = "bnxt_en 0000:1d:00.0 enp29s0np0: NIC Link is Down"

CORRECTED = "pcieport 0000:00:03.0: AER: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)"
ROWS = [
    # BARs, before and since Linux 6.8
    ([INFO + NO_SPACE, INFO + FAILED], (FAILED,)),
    ([INFO + FAILED_68, INFO + FAILED_68], (FAILED_68,)),
    # a second try succeeds
    ([INFO + FAILED, INFO + "pci 0000:09:00.0: BAR 1: assigned [mem 0x800000000-0x17ffffffff 64bit pref]"], ()),
    ([INFO + FAILED.replace("0000:", "10000:")], (FAILED.replace("0000:", "10000:"),)),
    ([INFO + FAILED_68, INFO + "pci 0006:03:00.2: BAR 0 [mem 0x6300c0000000-0x6300c07fffff 64bit pref]: assigned"], ()),
    # I/O ports, ROMs, bridge windows and virtual functions of healthy hosts
    ([INFO + "pci 0001:00:00.0: BAR 0: failed to assign [io  size 0x0100]"], ()),
    ([INFO + "pci 0001:00:01.0: BAR 6: failed to assign [mem size 0x00010000 pref]"], ()),
    ([INFO + "pci 0000:7c:00.0: BAR 14: failed to assign [mem size 0x00500000]"], ()),
    ([INFO + "pci 0006:03:00.0: VF BAR 0 [mem size 0x02000000 64bit pref]: failed to assign"], ()),
    ([INFO + "pci 0000:10:01.0: bridge window [mem size 0x00200000 64bit pref]: failed to assign"], ()),
    # links: never up; up again; down for good; flapping
    ([INFO + DOWN], ()),
    ([INFO + UP, INFO + DOWN, INFO + UP], ()),
    ([INFO + UP, INFO + DOWN], (f"{DOWN} (still down)",)),
    ([INFO + UP, INFO + DOWN, INFO + UP, INFO + DOWN, INFO + UP], (f"{DOWN} (2 times)",)),
    # the number is that of the log, also where the port was down at boot
    ([INFO + DOWN, INFO + UP, INFO + DOWN, INFO + UP, INFO + DOWN], (f"{DOWN} (3 times, still down)",)),
    ([ERROR + BNXT_DOWN], (f"{BNXT_DOWN} (still down)",)),
    # a device that leaves its slot
    (
        [INFO + "pcieport 0000:00:10.0: pciehp: Slot(0): Link Down"],
        ("pcieport 0000:00:10.0: pciehp: Slot(0): Link Down",),
    ),
    # the capabilities of a port are no error
    ([INFO + "pcieport 0000:00:1c.0: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+"], ()),
    ([INFO + "pcieport 0004:00:00.0: AER: enabled with IRQ 186"], ()),
    # AER: the corrected error is a warning, the uncorrected one is an error
    (
        [WARN + "pcieport 0000:00:03.0: AER: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)"],
        ("pcieport 0000:00:03.0: AER: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)",),
    ),
    (
        [INFO + "pcieport 0000:00:10.0: AER: Uncorrected (Non-Fatal) error received: 0000:01:00.0"],
        ("pcieport 0000:00:10.0: AER: Uncorrected (Non-Fatal) error received: 0000:01:00.0",),
    ),
    # the lines after the first one of an error are its details
    (
        [
            WARN + "bnxt_en 0000:e9:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
            WARN + "bnxt_en 0000:e9:00.0:   device [8086:4940] error status/mask=00001000/00002000",
            WARN + "bnxt_en 0000:e9:00.0:    [12] Timeout",
            ERROR + "pcieport 0000:00:1c.5: AER:    [ 0] RxErr                  (First)",
        ],
        ("bnxt_en 0000:e9:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",),
    ),
    # the IOMMU refuses a DMA access, by drivers with and without a name
    *(
        ([ERROR + line], (line,))
        for line in (
            "AMD-Vi: Event logged [IO_PAGE_FAULT device=03:00.0 domain=0x001b address=0x0000000000003000 flags=0x0050]",
            "nvme 0000:01:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0000 address=0xfc189000 flags=0x0000]",
            "DMAR: [DMA Read] Request device [7a:02.0] PASID 2 fault addr 7f81c968d000 [fault reason 113] SM: Present"
            " bit in first-level paging entry is clear",
        )
    ),
    ([INFO + "AMD-Vi: Interrupt remapping enabled"], ()),
    # machine checks and memory: those that name an error
    *(
        ([level + line], (line,))
        for level, line in (
            (INFO, "mce: [Hardware Error]: Machine check events logged"),
            (ERROR, "[Hardware Error]: CPU 0: Machine Check: 0 Bank 11: c80c2d8300800093"),
            (ERROR, "[Hardware Error]: Corrected error, no action required."),
            (WARN, "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)"),
            (WARN, "EDAC MC0: 2 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)"),
            (ERROR, "Memory failure: 0x7740c0: recovery action for dirty page: Recovered"),
        )
    ),
    # equal messages are counted
    (
        [WARN + CORRECTED, WARN + CORRECTED.replace("00:03", "00:04"), WARN + CORRECTED],
        (f"{CORRECTED} (2 times)", CORRECTED.replace("00:03", "00:04")),
    ),
    # events of the firmware have a number each, and name the device on another line
    (
        [
            WARN + "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 0",
            WARN + "{1}[Hardware Error]: event severity: corrected",
            WARN + "{1}[Hardware Error]:   section_type: PCIe error",
            WARN + "{1}[Hardware Error]:   device_id: 0000:3b:00.0",
            WARN + "{2}[Hardware Error]: event severity: corrected",
            WARN + "{2}[Hardware Error]:   device_id: 0000:3b:00.0",
            WARN + "{3}[Hardware Error]: event severity: corrected",
        ],
        (
            "[Hardware Error]: event severity: corrected: 0000:3b:00.0 (2 times)",
            "[Hardware Error]: event severity: corrected",
        ),
    ),
    ([ERROR + "[Hardware Error]: TSC 0 MISC d221040000004600 "], ()),
    # a slow link, a link that does not train, a device that does not reply: level info or without a driver's name
    *(
        ([INFO + line], (line,))
        for line in (
            "pci 0000:01:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:00:01.0"
            " (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)",
            "pcieport 0000:00:1c.6: broken device, retraining non-functional downstream link at 2.5GT/s",
            "mptsas 0000:07:00.0: Unable to change power state from D3cold to D0, device inaccessible",
        )
    ),
    # ConnectX-6 Dx that gets too hot and fails: the details of print_health_info add nothing
    (
        [
            WARN + "mlx5_core 0000:41:00.1: temp_warn:170:(pid 0): High temperature on sensors with bit set 0 1",
            ERROR + "mlx5_core 0000:41:00.0: poll_health:471:(pid 0): device's health compromised - reached miss count",
            ERROR + "mlx5_core 0000:41:00.0: print_health_info:410:(pid 0): assert_var[0] 0x00000073",
        ],
        (
            "mlx5_core 0000:41:00.1: temp_warn:170:(pid 0): High temperature on sensors with bit set 0 1",
            "mlx5_core 0000:41:00.0: poll_health:471:(pid 0): device's health compromised - reached miss count",
        ),
    ),
    # NVSwitch
    (
        [
            ERROR + "nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Data {0x0000002b, 0x0000002b, 0x00000000}",
            ERROR + "nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Non-fatal, Link 44 Minion Link DLREQ interrupt",
            ERROR + "nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Severity 0 Engine instance 44",
        ],
        ("nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Non-fatal, Link 44 Minion Link DLREQ interrupt",),
    ),
    ([WARN + "NVRM: Xid 79, GPU has fallen off the bus."], ("NVRM: Xid 79, GPU has fallen off the bus.",)),
]


@pytest.mark.parametrize(("lines", "errors"), ROWS)
def test_errors_of_the_kernel_log(lines: list[str], errors: tuple[str, ...]) -> None:
    assert _read_errors("\n".join(lines) + "\n") == errors


@pytest.mark.parametrize(
    ("device", "errors"),
    [
        ("3D controller: NVIDIA Corporation GK110GL [Tesla K20X] (rev a1)", (FAILED,)),
        ("USB controller: VIA Technologies, Inc. VL805/806 xHCI USB 3.0 Controller (rev 01)", ()),
    ],
)
def test_only_bars_of_nics_and_gpus_count(device: str, errors: tuple[str, ...]) -> None:
    assert _read_errors(f"{INFO}{FAILED}\n", f"0000:09:00.0 {device}\n\tControl: I/O- Mem+\n\n") == errors


def _read_errors(log: str, lspci: str | None = None) -> object:
    texts = {"dmesg": log} if lspci is None else {"dmesg": log, "lspci": lspci}
    outputs = {name: Output(name, text, Source("node1", name, f"{name}.out")) for name, text in texts.items()}
    facts = assemble_facts(parse_kernel_log.parse(Outputs("node1", outputs)), devices=["node1"])
    return tuple(message.text for message in facts.value(Place("node1"), "host.kernel.errors"))


AER = "pcieport 0000:00:10.0: AER: Uncorrected (Non-Fatal) error received: 0000:01:00.0"
SLOW = "pci 0000:01:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:00:01.0"
UNKNOWN_RATE = "pci 0000:01:00.0: 0.000 Gb/s available PCIe bandwidth, limited by Unknown x0 link at 0000:00:01.0"
SXID = "nvidia-nvswitch3: SXid (PCI:0000:04:00.0): 22013, Non-fatal, Link 44 Minion Link DLREQ interrupt"
ADDRESS = "0000:01:00.0"
MEMORY = MessageKind.MACHINE_ERROR


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FAILED, (MessageKind.UNASSIGNED_BAR, ("0000:09:00.0",), False, None)),
        (FAILED_68, (MessageKind.UNASSIGNED_BAR, ("0006:03:00.2",), False, None)),
        (f"{DOWN} (2 times)", (MessageKind.LINK_DOWN, (ADDRESS,), False, None)),
        (BNXT_DOWN, (MessageKind.LINK_DOWN, ("0000:1d:00.0",), False, None)),
        (SLOW, (MessageKind.LIMITED_LINK, (ADDRESS, "0000:00:01.0"), False, PcieLink(8000, 8))),
        (UNKNOWN_RATE, (MessageKind.BUS_ERROR, (ADDRESS, "0000:00:01.0"), False, None)),
        (AER, (MessageKind.BUS_ERROR, ("0000:00:10.0", ADDRESS), False, None)),
        (
            "pcieport 0000:00:10.0: AER: Correctable error message received from 0000:01:00.0",
            (MessageKind.BUS_ERROR, ("0000:00:10.0", ADDRESS), True, None),
        ),
        (
            "mlx5_core 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
            (MessageKind.BUS_ERROR, (ADDRESS,), True, None),
        ),
        (
            "mlx5_core 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer",
            (MessageKind.BUS_ERROR, (ADDRESS,), False, None),
        ),
        (
            "pcieport 0000:00:10.0: pciehp: Slot(0): Link Down",
            (MessageKind.LOST_DEVICE, ("0000:00:10.0",), False, None),
        ),
        (
            "DMAR: [DMA Read] Request device [7a:02.0] PASID 2 fault addr 7f81c968d000 [fault reason 113]",
            (MessageKind.REFUSED_DMA, ("0000:7a:02.0",), False, None),
        ),
        ("infiniband bnxt_re2: Fail to setets rc:-22", (MessageKind.REFUSED_QOS, (), False, None)),
        (
            "bnxt_re: disagrees about version of symbol ib_umem_release",
            (MessageKind.MISMATCHED_MODULE, (), False, None),
        ),
        ("bnxt_re: Unknown symbol ib_modify_qp_is_ok (err -22)", (MessageKind.MISMATCHED_MODULE, (), False, None)),
        ("infiniband bnxt_re2: Fail to initialize Flow control", (MessageKind.REFUSED_QOS, (), False, None)),
        ("NVRM: Xid 79, GPU has fallen off the bus.", (MessageKind.GPU_ERROR, (), False, None)),
        ("amdgpu 0000:75:00.0: amdgpu: GPU reset begin!", (MessageKind.GPU_ERROR, ("0000:75:00.0",), False, None)),
        (SXID, (MessageKind.GPU_SWITCH_ERROR, (), True, None)),
        (SXID.replace("Non-fatal", "Fatal"), (MessageKind.GPU_SWITCH_ERROR, (), False, None)),
        ("mce: [Hardware Error]: Machine check events logged", (MEMORY, (), True, None)),
        ("[Hardware Error]: event severity: fatal", (MEMORY, (), False, None)),
        # public log of a health check service
        ("[Hardware Error]: CPU 0: Machine Check: 0 Bank 11: c80c2d8300800093", (MEMORY, (), True, None)),
        # public edac-util report of an EPYC: MC18_STATUS[Over|CE|...]
        ("[Hardware Error]: CPU 0: Machine Check: 0 Bank 18: dc2040000000011b", (MEMORY, (), True, None)),
        # the status that QEMU injects as an uncorrected error of memory
        ("[Hardware Error]: CPU 0: Machine Check: 0 Bank 9: bd000000000000c0", (MEMORY, (), False, None)),
        ("EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)", (MEMORY, (), False, None)),
        ("EDAC MC0: 2 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (xxx xxx)", (MEMORY, (), True, None)),
        ("Memory failure: 0x7740c0: recovery action for dirty page: Recovered", (MEMORY, (), False, None)),
        ("Out of memory: Killed process 4242 (all_reduce_perf)", (MessageKind.ENDED_PROCESS, (), False, None)),
        # before Linux 5.1; leptonai/gpud, components/memory
        (
            "Out of memory: Kill process 4242 (python) score 50 or sacrifice child",
            (MessageKind.ENDED_PROCESS, (), False, None),
        ),
        ("bash[78]: segfault at 0 ip 1 sp 2 error 4 in bash[55+10]", (MessageKind.ENDED_PROCESS, (), False, None)),
        (
            "mlx5_core 0000:41:00.1: temp_warn:170:(pid 0): High temperature on sensors with bit set 0 1",
            (MessageKind.DRIVER_ERROR, ("0000:41:00.1",), False, None),
        ),
    ],
)
def test_a_message_has_a_kind_and_names_devices(text: str, expected: tuple[object, ...]) -> None:
    message = read_error(text)
    assert (message.kind, message.devices, message.is_corrected, message.link) == expected

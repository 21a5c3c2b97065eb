"""One debug line of NCCL or RCCL: its process and its content.

Forms from NVIDIA/nccl 2.4 to 2.30 and ROCm/rccl: src/debug.cc (the prefix), src/init.cc (communicators), src/graph/
(rings, trees, GPUDirect), src/transport/net.cc, p2p.cc and shm.cc (``via``), src/transport/net_ib (NICs, queue pairs),
src/enqueue.cc (algorithms), plugins NET/OFI and rdma-sharp.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from wirespeed.number_ranges import format_ranges, parse_ranges

INFO, WARN = " NCCL INFO ", " NCCL WARN "
IDENTIFYING_TEXTS = ("NCCL INFO ", "NCCL WARN ")
"""A text with debug lines contains one of these."""
NO_RDMA = ("Failed to open libibverbs", "NET/IB : No device found")  # level INFO; sockets are used then
MARKERS = (  # of which every line that is read contains one
    *(
        WARN,
        " via ",
        "comm 0x",
        " Trees ",
        " Channel ",
        " Using ",
        "CCL_",
        " channels, ",
        "NET/",
        "Bootstrap",
        "CCL version",
    ),
    *("Failed to open libibverbs", "DMA-BUF", "Dmabuf", "NVLS ", " plugin ", " Bytes -> Algo ", "TUNER/", "MSCCL"),
    "ffinity for GPU ",
)
PREFIX = re.compile(r"(?P<host>[^\s:]+):(?P<pid>\d+):\d+ \[(?P<device>-?\d+)\](?: (?P<where>\S+))?$")
BARE_PREFIX = re.compile(
    r"(?:(?P<host>[A-Za-z][\w.-]*|<\w+>):(?:(?:\d+|[A-Z*#]+|[xyz]+|<\w+>):?)* *)?"
    r"(?:\[(?P<device>-?\d+)\] *)?(?P<where>[\w./-]+:\d+)?$"
)
"""What people leave of the prefix when they paste a line: nothing, the device, the source file; masked numbers."""
ANY_PREFIX = re.compile(r" ?\b(?P<host>[A-Za-z0-9][\w.-]*):\d+:\d+ \[-?\d+\] (?:\S+:\d+\S* )?NCCL (?:INFO|WARN|ERROR) ")

VERSION = re.compile(r"([NR])CCL version\s*:?\s*(\d[\w.+-]*(?::\w+)?)")
RANK = re.compile(
    r"(?:.*\bncclComm\w+ )?comm (?P<pointer>0x[0-9a-f]+) rank (?P<rank>\d{1,9}) n[rR]anks (?P<ranks>\d{1,9})\b"
    r"(?: cudaDev (?P<gpu>\d{1,4}))?(?:(?: nvmlDev (?P<nvml>\d{1,4}))? busId (?P<bus>[0-9a-f]{1,12})\b)?"
    r"(?:.*? nNodes (?P<nodes>\d{1,9}) localRanks (?P<local>\d{1,9}))?(?:.*? MNNVL (?P<mnnvl>\d))?"
    r"(?:.*? commId (?P<id>0x[0-9a-f]+))?(?:.*? - (?P<state>Init START|Init COMPLETE|Abort COMPLETE|Destroy COMPLETE))?"
)
RING = re.compile(r"Channel (\d{1,9})(?:/\d+)? *: +(\d{1,9}(?: +\d{1,9})*) *$")  # how many there are: since 2.7
TREE = re.compile(r"\[(\d{1,9})\] -?\d+/-?\d+/-?\d+->(\d{1,9})->(-?\d{1,9})(?=\s|$)")
FATAL = re.compile(
    # A completion with an error moves its queue pair to the error state (InfiniBand Architecture Specification 1.4,
    # 11.6.2); the calls are those of net_ib whose failure NCCL returns as ncclSystemError.
    r"Got completion .*\b(?:with error|status)\b"
    r"|Call to ibv_(?:modify_qp|create_qp|create_cq|create_ah|alloc_pd|reg_mr|reg_dmabuf_mr)\w* failed"
    r"|ibv_post_(?:send|recv)\(\) failed"
    # src/transport/net_ib/common.cc (a later call then returns ncclSystemError) and connect.cc (ncclInternalError)
    r"|async fatal event|communicator encountered a fatal error|failed in ncclIbRoceGetVersionNum"
    r"|Attempted to connect incompatible devices|device is incompatible with the local"
    r"|unhandled (?:system|cuda|hip) error|remote process exited or there was a network error"
    # src/init.cc (ncclInvalidUsage); src/misc/socket.cc (ncclRemoteError: recv returned 0; ncclSystemError)
    r"|Duplicate GPU detected|(?:socketProgress|Net) ?: Connection closed by remote peer"
    r"|\b[Cc]onnect to \S+ (?:failed|returned .*, exceeded error retry count)|Call to (?:connect|recv|send) failed"
    # src/include/checks.h (ncclUnhandledCudaError), src/bootstrap.cc, src/misc/shmutils.cc (ncclSystemError)
    r"|(?:Cuda|HIP) failure (?:\d+ )?'|Bootstrap ?: no socket interface found|No usable listening interface found"
    r"|Error while (?:creating|attaching to) shared memory segment|Error: failed to extend /dev/shm"
)
CHANNELS = re.compile(
    r"(?:comm 0x[0-9a-f]+, )?(\d{1,9}) coll channels, (?:(\d{1,9}) collnet channels, )?(?:(\d{1,9}) nvls channels, )?"
    r"(\d{1,9}) p2p channels"
)
ENVIRONMENT = re.compile(r"([NR]CCL_\w+) set (?:by environment )?to (.+?)\.?\s*$")
USING = re.compile(r"NET/([\w-]+) ?: Using (\[\d+\].*)")
USED = re.compile(r"\[(\d{1,9})\]([^\s:\[\]]+)(?::(\d{1,9})/(\w+)(/SHARP)?)?")
BOOTSTRAP = re.compile(r"Bootstrap ?: ?Using (\S+?:\S+)")
GDR_HCA = re.compile(r"NET/(.+?) ?: GPU Direct RDMA (Enabled|Disabled) for HCA (\d+) '([^']*)'")
GID = re.compile(r"NET/IB ?: .*\bmtu (\d) .*?\bGID (\d{1,9}) \(")
MTUS = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}  # enum ibv_mtu of libibverbs
DMA_BUF = re.compile(
    r"DMA-BUF is available on GPU device|Dmabuf feature disabled|Support for DMA-BUF registrations: (\w+)"
)
NVLS = re.compile(r"NVLS multicast support is (not )?available")
PROVIDER = re.compile(r"NET/OFI Selected [Pp]rovider is (\w+)")
LIBFABRIC_PROVIDER = "libfabric provider "
"""What the name of a provider among the plugins of a communicator begins with."""
PLUGIN = re.compile(
    r"(?:NET/Plugin ?: Loaded (?:net plugin|collnet plugin) (.+?)(?: \(v\d+\))?|P2P plugin (?:v\d+ )?(\S+)"
    r"|NET/OFI (?:Using|Initializing) (aws-ofi-nccl \S+)"
    r"|(?:NET/Plugin ?: )?Successfully loaded external network plugin (\S+)"
    r"|GIN/Plugin ?: Loaded gin plugin (.+?)(?: \(v\d+\))?)\s*$"
)
TUNER = re.compile(
    r"(?:TUNER/Plugin: (?:Using tuner plugin|Using)|Successfully loaded (?:external tuner|tuner external) plugin)"
    r" (.+?)\s*$"
    r"|Connected (\d+ MSCCL algorithms?)\s*$"  # which replace the library's own: microsoft/msccl src/init.cc
)
AFFINITY = re.compile(
    r"Setting affinity for GPU \d{1,4} to (?P<set>[0-9a-f,-]+)\s*$"
    r"|ncclTopoGetCpuAffinity: Affinity for GPU \d{1,4} is (?P<is>empty|[0-9,-]+)(?:, ignoring)?\.?"
    r"(?: \(GPU affinity = (?P<gpu>[0-9,-]*) ; CPU affinity = (?P<process>[0-9,-]*)\)\.?)?\s*$"
)
_MASK = re.compile(r"[0-9a-f]{1,8}(?:,[0-9a-f]{8})*")
LOADED = "Successfully loaded "
CHOICE = re.compile(
    r"(?:(\w+): )?(\d{1,18}) Bytes -> Algo (\w+) proto (\w+)"
    r"(?: channel\{Lo\.\.Hi\}=\{(\d{1,9})\.\.(\d{1,9})\}| time \S+)"
)
ALGORITHMS = ("TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT")  # NCCL_ALGO_* since 2.14
PROTOCOLS = ("LL", "LL128", "SIMPLE")
_VIA = re.compile(
    r"(?P<transport>(?:NET|COLLNET)/.+?)/(?P<device>\d{1,9})(?:\((?P<proxy>\d+)\))?(?P<gdr>/GDRDMA)?(?:\(PCI\))?"
    r"(?:/Shared)?$"
)
_LONGEST = 900  # the rest of the buffer after host, process and thread
_RCCL_TAIL = re.compile(r" comm (0x[0-9a-f]+) nRanks \d+.*$")


@dataclass(frozen=True, slots=True)
class Via:
    """The transport of a connection, and the communicator's pointer, which RCCL prints after it."""

    transport: str
    device: int | None
    gdrdma: bool | None
    forwarded: bool
    pointer: str | None


def parse_cores(text: str) -> str | None:
    """Cores as ranges, ``0-31,64-95``, of the ranges or the hexadecimal mask that NCCL prints; None if it may be both.

    A mask is groups of eight digits, the first without leading zeros, printed byte by byte (``02``): NCCL
    src/misc/utils.cc, ncclCpusetToStr; newer releases print ranges (src/include/cpuset.h, ncclCpusetToRangeStr).
    """
    cores = parse_ranges(text)
    is_mask = _MASK.fullmatch(text) is not None and len(text.partition(",")[0]) % 2 == 0
    if is_mask and (cores is None or text.startswith("0")):
        mask = int(text.replace(",", ""), 16)
        cores = frozenset(number for number in range(mask.bit_length()) if mask >> number & 1)
    elif is_mask:
        return None
    return ",".join(format_ranges(cores)) if cores else None


@lru_cache(maxsize=65536)
def via(text: str) -> Via | None:
    """Parse the text after ``via`` in ``Channel 00/0 : 3[3] -> 8[0] [send] via NET/IB/0/GDRDMA``."""
    tail = _RCCL_TAIL.search(text)
    pointer = tail.group(1) if tail else None
    text = text[: tail.start()] if tail else text.rstrip()
    net = _VIA.match(text)
    if net:
        return Via(net["transport"], int(net["device"]), net["gdr"] is not None, net["proxy"] is not None, pointer)
    if text.startswith(("P2P/", "SHM", "direct shared memory")):
        return Via(text.replace("direct shared memory", "SHM"), None, None, False, pointer)
    return None


def format_bus_id(text: str) -> str:
    """The PCIe address of a GPU from the number that NCCL prints (``int64ToBusId`` in src/misc/utils.cc)."""
    number = int(text, 16)
    return f"{number >> 20:04x}:{number >> 12 & 0xFF:02x}:{number >> 4 & 0xFF:02x}.{number & 0xF:x}"


def algorithm(text: str) -> str:
    """The name of an algorithm, which old releases print as a number."""
    if len(text) == 1 and text.isdecimal():
        return ALGORITHMS[int(text)] if int(text) < len(ALGORITHMS) else text
    spellings = {name.replace("_", ""): name for name in ALGORITHMS}  # NCCL_ALGO contains NVLSTree
    return spellings.get(text.upper().replace("_", ""), text.upper())


def protocol(text: str) -> str:
    """The name of a protocol, which old releases print as a number."""
    return PROTOCOLS[int(text)] if len(text) == 1 and text.isdecimal() and int(text) < len(PROTOCOLS) else text.upper()


def whole(items: list[tuple[str, ...]], message: str) -> list[tuple[str, ...]]:
    """Items of a line; without the last one where NCCL's buffer of 1,024 bytes (src/debug.cc) may have cut it."""
    return items[:-1] if len(message) >= _LONGEST else items

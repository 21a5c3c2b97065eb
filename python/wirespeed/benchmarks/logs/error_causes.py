"""The causes of a failed benchmark's messages: entries of the failure catalogue, likeliest first.

One table covers every tool. A more specific row stands before a less specific one; a message without a row has no known
cause, and none is guessed. The source of a row reports that its failures cause its message, or it follows from the
meaning of the message (InfiniBand Architecture Specification 1.4, 11.6.2, for the statuses of completions).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from wirespeed.results.benchmarks import Measurement
from wirespeed.results.parameters import Parameters

IBA = "InfiniBand Architecture Specification 1.4, 11.6.2"
PERFTEST = "https://github.com/linux-rdma/perftest"
NCCL_HELP = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"
OPEN_MPI_HELP = "https://www.open-mpi.org/faq/?category=openfabrics"


@dataclass(frozen=True, slots=True)
class Case:
    """Facts about a run in addition to its messages."""

    parameters: Parameters = field(default_factory=Parameters)
    largest: int | None = None  # the largest message that was transferred, in bytes
    uses_gpudirect: bool | None = None  # whether NCCL's connections read GPU memory, as far as its log states it
    is_mixed_fabric: bool = False  # whether NCCL uses InfiniBand and RoCE devices

    @classmethod
    def from_run(cls, parameters: Parameters, measurements: Iterable[Measurement]) -> Case:
        """The case of a run."""
        sizes = (measurement.size_bytes for measurement in measurements if measurement.size_bytes is not None)
        return cls(parameters, max(sizes, default=None))

    @property
    def on_gpu(self) -> bool:
        """Whether buffers were GPU memory, as far as the log states it."""
        return self.parameters.on_gpu

    @property
    def only_small(self) -> bool:
        """Whether messages were transferred, but none that fills a packet."""
        mtu = self.parameters.path_mtu_bytes
        return self.largest is not None and mtu is not None and self.largest < mtu


@dataclass(frozen=True, slots=True)
class Cause:
    """Examples of a message, texts that identify it, and the failures that cause it in a given case."""

    examples: tuple[str, ...]  # as a log contains them; the tool is in parentheses where only one has the message
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]
    failures: tuple[str, ...]
    source: str
    holds: Callable[[Case], bool] | None = None

    def explains(self, text: str, case: Case) -> bool:
        """Whether the text contains the message and the row applies to the case."""
        if not any(keyword in text for keyword in self.keywords) or self.pattern.search(text) is None:
            return False
        return self.holds is None or self.holds(case)


_MIXED_LIST = re.compile(r"NET/IB : Using(?=[^\n]*/IB\b)(?=[^\n]*/RoCE\b)")


_OUT_OF_MEMORY = re.compile(r"\boom[-_]kill|Out Of Memory|OUT_OF_MEMORY|Out of memory: Killed")
_OUT_OF_MEMORY_CAUSE = "OS-19"


def has_mixed_fabric(text: str) -> bool:
    """Whether NCCL's list of devices contains InfiniBand and RoCE devices."""
    return _MIXED_LIST.search(text) is not None


def causes(*texts: str, case: Case | None = None) -> tuple[str, ...]:
    """The failures that cause the messages in texts, each once, those of the first text first.

    A message that only reports a failure in a lower layer, or an operation that an earlier failure canceled, counts if
    no other message is known. A process that the kernel killed for want of memory is the first cause.
    """
    case = case or Case()
    killed = [_OUT_OF_MEMORY_CAUSE] if any(map(is_out_of_memory, texts)) else []
    for table in (SPECIFIC, CANCELED, VAGUE):
        failures = [name for text in texts for cause in table if cause.explains(text, case) for name in cause.failures]
        if failures:
            return tuple(dict.fromkeys([*killed, *failures]))
    return ()


def is_out_of_memory(text: str) -> bool:
    """Whether the text contains the message of the kernel or of Slurm about a process killed for want of memory."""
    return _OUT_OF_MEMORY.search(text) is not None


def is_flushed(text: str) -> bool:
    """Whether the text contains a work request that was flushed after another error."""
    return any(cause.pattern.search(text) is not None for cause in CANCELED)


def merge_causes(failures_by_text: Iterable[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """The failures that cause several messages of one run, as `causes` orders them: of the most specific table only."""
    by_table: dict[int, dict[str, None]] = {}
    for text, failures in failures_by_text:
        by_table.setdefault(_find_table(text, failures), {}).update(dict.fromkeys(failures))
    return next((tuple(by_table[table]) for table in sorted(by_table) if by_table[table]), ())


def _find_table(text: str, failures: Sequence[str]) -> int:
    """The position of the table whose row explains a text by these failures; 0, the most specific, for none."""
    return next(
        (
            position
            for position, table in enumerate((SPECIFIC, CANCELED, VAGUE))
            for cause in table
            if set(cause.failures) <= set(failures) and cause.pattern.search(text) is not None
        ),
        0,
    )


def messages(failure: str) -> tuple[str, ...]:
    """The messages that point to a failure, as logs contain them: first those that only this failure causes."""
    specific, general = divide_messages(failure)
    return (*specific, *general)


def divide_messages(failure: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The messages that only this failure causes, and those that other failures cause as well, as logs contain them."""
    causes_of_text: dict[str, set[str]] = {}  # rows of several cases have the same message
    for cause in (*SPECIFIC, *CANCELED, *VAGUE, *_STATES):
        for text in cause.examples:
            causes_of_text.setdefault(text, set()).update(cause.failures)
    texts = {text: failures for text, failures in causes_of_text.items() if failure in failures}
    specific = [text for text, failures in texts.items() if len(failures) == 1]
    general = [text for text, failures in texts.items() if len(failures) > 1]
    return tuple(specific), tuple(general)


def _row(
    examples: str, keywords: str, pattern: str, failures: str, source: str, holds: Callable[[Case], bool] | None = None
) -> Cause:
    """Build one row; ``keywords`` and ``examples`` are separated by bars."""
    return Cause(
        tuple(examples.split(" | ")),
        tuple(keywords.split("|")),
        re.compile(pattern),
        tuple(failures.split()),
        source,
        holds,
    )


_NCCL_STATES = "https://github.com/NVIDIA/nccl, net_ib.cc and init.cc"
_STATES = (
    _row("Using network Socket", "network", r"Using network Socket", "NCCL-01", _NCCL_STATES),
    _row("NET/IB : No device found", "device", r"NET/IB : No device found", "NCCL-01 OS-09 OS-17 K8S-01", _NCCL_STATES),
)
"""Lines of NCCL that are no errors: the judge reads them as evidence of the transport."""

_RETRIES = "Failed status 12 | vendor err 129 | transport retry counter exceeded"
_RETRIES_TEXTS = "Failed status|IBV_WC_|status=|with error 12|vendor|etry count"
_RETRIES_PATTERN = (
    r"Failed status (?:\S.*\()?12\b|status[= ](?:IBV_WC_RETRY_EXC_ERR\()?12\b|with error 12\b|vendor[_ ]err[= ]129\b"
    r"|[Tt]ransport retry count(?:er)? exceeded(?! on \S+/IB\b)"
)
_ACCESS_TEXTS = "Failed status|IBV_WC_|status=|with error 10|emote access"
_ACCESS = (
    r"Failed status (?:\S.*\()?10\b|status[= ](?:IBV_WC_REM_ACCESS_ERR\()?10\b|with error 10\b|[Rr]emote access error"
)

_LINK_LOCAL, _IPV4 = r"fe80:[0-9a-f:]+", r"::ffff:[0-9.]+"
_COMPLETIONS = (
    _row("ibv_modify_qp failed with 61 No data available, local GID ::", "GID|Gid",
         r"(?i:local ?GIDs?) ?::(?=[\s,;)]|$)", "OS-15",
         "Linux, drivers/infiniband/core/cache.c: rdma_get_gid_attr returns -ENODATA for an index without an entry;"
         " https://github.com/NVIDIA/nccl/issues/1819"),
    # Before the statuses of completions, which NCCL prints with the GIDs of both ends.
    _row("local GID fe80::1, remote GID ::ffff:10.0.0.2", "GID|Gid",
         rf"(?i:local ?GIDs?) ?{_LINK_LOCAL}.*(?i:remote ?GIDs?) ?{_IPV4}"
         rf"|(?i:local ?GIDs?) ?{_IPV4}.*(?i:remote ?GIDs?) ?{_LINK_LOCAL}", "NIC-05 NCCL-09",
         "NCCL src/transport/net_ib/connect.cc: one address family (NCCL_IB_ADDR_FAMILY) for both ends"),
    _row("Transport retry count exceeded on mlx5_0:1/RoCE (UCX)", "retry count",
         r"Transport retry count exceeded on (?!\S+/IB\b)", "MPI-03",
         "https://github.com/openucx/ucx/issues/2434"),
    _row(_RETRIES, _RETRIES_TEXTS, _RETRIES_PATTERN, "NCCL-02",
         "https://github.com/NVIDIA/nccl/issues/302: InfiniBand and RoCE devices do not reach each other",
         lambda case: case.is_mixed_fabric),
    _row(_RETRIES, _RETRIES_TEXTS, _RETRIES_PATTERN, "SW-01", "Broadcom 957608-AN210, 5.1 question 2",
         lambda case: case.only_small),
    _row(_RETRIES, _RETRIES_TEXTS, _RETRIES_PATTERN, "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15",
         "https://github.com/NVIDIA/nccl/issues/426; https://github.com/ROCm/mori/issues/298",
         lambda case: case.largest is None),
    _row(_RETRIES, _RETRIES_TEXTS, _RETRIES_PATTERN, "CAB-01 SW-02 CAB-02 NIC-17 SW-06",
         "https://github.com/NVIDIA/nccl/issues/905; https://github.com/NVIDIA/nccl/issues/378",
         lambda case: case.largest is not None and not case.only_small),
    _row("Failed status 13 | RNR retry counter exceeded", "Failed status|IBV_WC_|status=|with error 13|etry count",
         r"Failed status (?:\S.*\()?13\b|status[= ](?:IBV_WC_RNR_RETRY_EXC_ERR\()?13\b|with error 13\b"
         r"|(?:RNR|[Rr]eceiver.not.ready) retry count(?:er)? exceeded", "NIC-08", IBA),
    _row("Failed status 10 | remote access error", _ACCESS_TEXTS, _ACCESS, "OS-10 PCI-02 NIC-04 OS-09", IBA,
         lambda case: case.on_gpu),
    _row("Failed status 10 | remote access error", _ACCESS_TEXTS, _ACCESS, "NIC-04 OS-09", IBA),
    # NCCL sends GPU memory. ACS has no separate message: the NIC reads wrong addresses and reports this status.
    _row("NET/IB : Got completion with status 4 (NCCL, GPU memory)", "Got completion",
         r"Got completion .*(?:status[= ]|with error )(?:IBV_WC_LOC_PROT_ERR\()?4\b", "PCI-01 PCI-02 OS-10 PCI-06",
         "https://github.com/NVIDIA/nccl/issues/928; https://github.com/NVIDIA/nccl/issues/304;"
         " https://github.com/NVIDIA/nccl/issues/1737", lambda case: case.uses_gpudirect is not False),
    _row("Failed status 4 (GPU memory)", "Failed status|IBV_WC_|status=|with error 4",
         r"Failed status (?:\S.*\()?4\b|status[= ](?:IBV_WC_LOC_PROT_ERR\()?4\b|with error 4\b",
         "PCI-01 PCI-02 OS-10 PCI-06",
         f"{PERFTEST}/issues/140, issues/173, issues/200; https://github.com/NVIDIA/nccl/issues/928",
         lambda case: case.on_gpu),
    _row("Failed status 9 | remote invalid request error", "Failed status|IBV_WC_|status=|with error 9|invalid request",
         r"Failed status (?:\S.*\()?9\b|status[= ](?:IBV_WC_REM_INV_REQ_ERR\()?9\b|with error 9\b"
         r"|[Rr]emote invalid request error", "NIC-04 OS-09 NCCL-13", IBA),
    _row("Failed status 11 | remote operation error",
         "Failed status|IBV_WC_|status=|with error 11|emote operation",
         r"Failed status (?:\S.*\()?11\b|status[= ](?:IBV_WC_REM_OP_ERR\()?11\b|with error 11\b"
         r"|[Rr]emote operation(?:al)? error", "PCI-01 PCI-02 NIC-16 NIC-04",
         f"{IBA}; https://github.com/NVIDIA/nccl/issues/214"),
)  # fmt: skip

_MEMORY = (
    _row("Couldn't allocate MR with error=95 (GPU memory through DMA-BUF)", "allocate MR",
         r"Couldn't allocate MR with error=(?:93|95)\b", "OS-11 OS-10", f"{PERFTEST}/issues/280"),
    _row("Couldn't allocate MR (GPU memory)", "allocate MR", r"Couldn't allocate MR", "OS-10 OS-11 OS-02",
         f"{PERFTEST}/issues/126; {PERFTEST}/issues/346", lambda case: case.on_gpu),
    _row("Couldn't allocate MR with error=14 (bad address)", "allocate MR", r"Couldn't allocate MR with error=14\b",
         "OS-10 OS-11", f"{PERFTEST}/issues/346"),
    _row("Couldn't allocate MR", "allocate MR", r"Couldn't allocate MR|[Ff]ailed to create [Mm][Rr]", "OS-02 K8S-02",
         "https://github.com/NVIDIA/nccl-tests/issues/206"),
    _row("ibv_reg_dmabuf_mr failed", "ibv_reg_dmabuf_mr", r"ibv_reg_dmabuf_mr(?:\(\))? failed", "OS-11 OS-10",
         "https://github.com/ROCm/rccl/issues/1218"),
    _row("ibv_reg_mr failed: Bad address", "ibv_reg_mr", r"ibv_reg_mr\w*\b.*(?:failed|error).*Bad address",
         "OS-10 OS-11", "https://github.com/microsoft/mscclpp/issues/657"),
    # A context takes doorbell pages of the NIC, and no locked memory.
    _row("ibv_open_device(mlx5_0) failed: Cannot allocate memory | ALLOC_UAR(0x802) op_mod(0x0) failed, status limits "
         "exceeded(0x8) | mlx5dv_devx_alloc_uar() failed: Cannot allocate memory",
         "ibv_open_device|ALLOC_UAR|alloc_uar", r"ibv_open_device\S* failed: Cannot allocate memory"
         r"|ALLOC_UAR\(\w+\).*limits exceeded|devx_alloc_uar\(.*\) failed: Cannot allocate memory", "NIC-21",
         "https://github.com/openucx/ucx/issues/6049; https://github.com/openucx/ucx/pull/9986"),
    _row("Cannot allocate memory", "annot allocate memory",
         r"(?m:^(?!.*(?:ibv_open_device|alloc_uar)).*Cannot allocate memory)", "OS-02 K8S-02",
         "https://github.com/NVIDIA/nccl-tests/issues/206; https://github.com/NVIDIA/nccl/issues/1191"),
    _row("locked memory", "locked memory", r"locked memory", "OS-02 MPI-02",
         "https://github.com/openucx/ucx/issues/8229"),
    _row("RLIMIT_MEMLOCK", "RLIMIT_MEMLOCK", r"RLIMIT_MEMLOCK", "OS-02 MPI-02", OPEN_MPI_HELP),
    _row("registerable memory", "register",
         r"registerable memory|(?:memory that can be|limited) registered", "OS-02", OPEN_MPI_HELP),
    _row("ibv_reg_mr failed: Cannot allocate memory", "ibv_reg_mr", r"ibv_reg_mr\w*\b.*Cannot allocate memory",
         "OS-02 K8S-02 OS-18", "https://github.com/openucx/ucx/issues/6264; "
         "https://github.com/NVIDIA/nccl-tests/issues/206"),
    _row("ibv_reg_mr: Operation not permitted", "not permitted",
         r"(?:ibv_reg_mr|ibv_create|mlock).*Operation not permitted", "K8S-02 OS-02",
         "https://github.com/microsoft/mscclpp/issues/335"),
    _row("creating shared memory | shared memory segment failed",
         "hared memory", r"(?:creating|opening|attaching to|allocate|extend) (?:a )?"
         r"shared memory|shared memory segment.*(?:fail|error)", "OS-03", "https://github.com/NVIDIA/nccl/issues/983"),
    _row("/dev/shm: No space left on device",
         "/dev/shm", r"/dev/shm\S*.*(?:fail|error|No space)|(?:fail|error|No space).*/dev/shm", "OS-03",
         "https://github.com/NVIDIA/nccl/issues/983"),
    _row("Bus error", "us error", r"\b[Bb]us error", "OS-03", "https://github.com/NVIDIA/nccl-tests/issues/163"),
)  # fmt: skip

_DEVICES = (
    _row("IB device mlx5_0 not found | network device 'mlx5_0' is not available",
         "device", r"IB device \S+ not found|network device '[^']*' is not available",
         "OS-17 NIC-03 OS-09 K8S-01", "Broadcom 957608-AN210, 5.1 question 1"),
    _row("Did not detect devices | No IB devices found",
         "device", r"[Dd]id not detect devices|No IB devices found|Unable to find the Infiniband"
         r"|[Nn]o (?:RDMA|InfiniBand|IB) devices?", "NIC-03 OS-09 OS-08 K8S-01",
         "Broadcom 957608-AN210, 2.2.4.1 and 5.1 question 6"),
    _row("ibv_open_device: No such device",
         "o such device", r"(?:ibv_|rdma_|uverbs).*No such device", "K8S-01 OS-15 NIC-03",
         "https://github.com/NVIDIA/nccl/issues/925"),
    _row("does not support the kernel ABI", "kernel ABI", r"does not support the kernel ABI", "OS-09 OS-08",
         "Broadcom 957608-AN210, 5.1 question 6"),
    _row("Failed to open libibverbs.so", "libibverbs", r"[Ff]ailed to open libibverbs|libibverbs\S*: cannot open",
         "NCCL-01 OS-09", "https://github.com/InternLM/lmdeploy/issues/3286"),
    _row("Port number 1 state is Down | port not active",
         "ort", r"Port number \d+ state is (?!Active)|port \S+ (?:is|state) (?:not active|down)"
         r"|[Pp]ort (?:is )?not [Aa]ctive", "CAB-01 CAB-05", "https://github.com/NVIDIA/nccl/issues/905"),
    _row("mtu is higher than", "mtu", r"(?i:mtu) (?:is )?(?:higher|greater|larger|bigger) than", "OS-07",
         f"{PERFTEST}/issues/252"),
    _row("MTU mismatch", "MTU", r"MTU mismatch|[Mm]ismatch.*MTU", "OS-07 SW-01",
         "Broadcom 957608-AN210, 2.6 items 11 and 12"),
    _row("Message too long", "essage too long", r"Message too long", "OS-07 SW-01", "sendto(2), EMSGSIZE"),
    _row("local catastrophic error", "catastrophic", r"catastrophic error(?!: #error)", "NIC-16",
         "https://github.com/NVIDIA/nccl/issues/230"),
    _row("async event : port error", "async", r"async (?:fatal )?event\s*:?.*port error", "CAB-01",
         "https://github.com/NVIDIA/nccl/issues/905"),
    _row("GID table change", "GID table", r"GID table change", "OS-15",
         "https://github.com/NVIDIA/nccl/issues/1819"),
)  # fmt: skip

_HANDLE = r"ibv_(?:modify_qp|create_ah)"  # UCX makes the address handle itself
_ADDRESS = "ibv_modify_qp|ibv_create_ah"
_CONNECTING = (
    _row("ssh: connect to host node2 port 22: Connection refused | Host key verification failed."
         " | Permission denied (publickey).", "ssh|ost key|ermission denied",
         r"\bssh: (?:connect to host|Could not resolve hostname) |Host key verification failed"
         r"|Permission denied \((?:[\w-]+,)*(?:publickey|password)|ssh_exchange_identification: ", "MPI-08",
         "https://github.com/open-mpi/ompi/issues/5639; https://github.com/openpmix/prrte/issues/1493"),
    _row("read failed in ncclIbRoceGetVersionNum", "RoceGetVersionNum", r"RoceGetVersionNum", "NCCL-09 NIC-05",
         "https://github.com/NVIDIA/nccl/issues/1573"),
    _row("Incompatibility issue with GID types | failed to query GID",
         "GID", r"Incompatibility issue with GID types|(?:[Ii]nvalid|[Ff]ailed to (?:read|query|get)"
         r"|[Uu]nable to (?:read|query|get)|Can't read|Couldn't (?:get|read)|could not find a) (?:\w+ )?(?i:GID)"
         r"|n_gids_found=0",
         "NIC-05 NCCL-09 K8S-01", "https://github.com/NVIDIA/nccl/issues/426"),
    _row("ibv_set_ece failed | ibv_query_ece failed", "_ece", r"ibv_(?:set|query)_ece\b.*fail", "NIC-04 OS-09",
         "ibv_set_ece(3): EINVAL for options that this provider does not know"),
    _row("NET/IB : Attempted to connect incompatible devices: [1]mlx5_1:1/RoCE and [0]mlx5_0:1/IB"
         " | NET/IB : Remote RoCE device is incompatible with the local [0]mlx5_0:1/IB", "incompatible",
         r"Attempted to (?:connect|merge) incompatible devices|device is incompatible with the local", "NCCL-02",
         "https://github.com/NVIDIA/nccl, src/transport/net_ib/connect.cc"),
    _row("ibv_modify_qp failed (InfiniBand and RoCE devices in one list)", "ibv_modify_qp", r"ibv_modify_qp\b.*failed",
         "NCCL-02", "https://github.com/NVIDIA/nccl/issues/302", lambda case: case.is_mixed_fabric),
    _row("ibv_modify_qp failed with 110 Connection timed out, local GID ::ffff:10.1.0.1, remote GID ::ffff:10.2.0.1",
         "ibv_modify_qp", r"ibv_modify_qp\b.*(?:timed out|\b110\b).*local GID ::ffff:(\d+\.\d+\.\d+)\.\d+,? "
         r"remote GIDs? ?::ffff:(?!\1\.)\d", "NCCL-16 RT-10 OS-05 RT-05", "https://github.com/NVIDIA/nccl/issues/2013"),
    _row("Call to ibv_modify_qp failed with error Connection timed out (NCCL)", "ibv_modify_qp",
         r"Call to ibv_modify_qp failed.*(?:timed out|\b110\b)", "OS-05 NIC-05 NCCL-16 RT-05",
         "https://github.com/NVIDIA/nccl-tests/issues/227; https://github.com/NVIDIA/nccl/issues/2013"),
    _row("ibv_create_ah failed: Connection timed out", _ADDRESS, rf"{_HANDLE}\b.*(?:timed out|\b110\b)",
         "OS-05 NIC-05 RT-05", "https://github.com/NVIDIA/nccl-tests/issues/227"),
    _row("ibv_modify_qp failed with error No route to host | ibv_modify_qp failed with error Network is unreachable",
         _ADDRESS,
         rf"{_HANDLE}\b.*(?:No data available|[Nn]etwork is unreachable|No route to host|errno (?:61|101|113)\b)",
         "OS-05 NIC-05 RT-10", "https://github.com/NVIDIA/nccl-tests/issues/185"),
    _row("ibv_modify_qp failed with error Invalid argument", _ADDRESS, rf"{_HANDLE}\b.*(?:Invalid argument|errno 22\b)",
         "NIC-05 OS-07", "https://github.com/NVIDIA/nccl/issues/426"),
    _row("Failed to modify UD QP to INIT on mlx5_0 (PSM3 of libfabric, chosen instead of UCX)", "UD QP",
         r"Failed to modify UD QP to INIT on ", "MPI-01", "https://github.com/openucx/ucx/issues/9468"),
    _row("Failed to modify QP | Unable to Connect the HCA's through the link", "QP|Connect the HCA",
         r"[Ff]ailed to modify (?!UD QP to INIT)(?:\w+ )?QP|Unable to Connect the HCA's through the link",
         "NIC-05 OS-05 OS-07 RT-05", f"https://github.com/NVIDIA/nccl-tests/issues/227; {PERFTEST},"
         " src/perftest_resources.c (ctx_connect)"),
    _row("RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT", r"RDMA_CM_EVENT_(?:UNREACHABLE|ROUTE_ERROR)",
         "OS-05 RT-10 OS-06", "rdma_get_cm_event(3)"),
    _row("RDMA_CM_EVENT_ADDR_ERROR", "ADDR_ERROR", r"ADDR_ERROR", "OS-05 NIC-03 OS-04", "rdma_get_cm_event(3)"),
    _row("connect: Connection timed out", "imed out", r"(?m)^(?!.*\bibv_).*(?:connect|socket|server|bootstrap)"
         r".*timed out|timed out.*(?:connect|server)", "OS-06 OS-14 RT-10 K8S-03", NCCL_HELP),
    _row("No route to host", "oute to host", r"No route to host", "OS-06 OS-14 RT-10 OS-05",
         "connect(2), EHOSTUNREACH; icmp(7) for a firewall that rejects"),
    _row("Network is unreachable", "nreachable", r"[Nn]etwork is unreachable", "OS-14 RT-10 OS-05",
         "connect(2), ENETUNREACH"),
    _row("socketStartConnect: Connect to 10.1.0.7<45231> failed : Connection refused (NCCL)", "onnection refused",
         r"(?:[Cc]onnect to \S+|Call to connect) (?:failed|returned).*Connection refused", "APP-02 OS-19 OS-14 OS-06",
         "connect(2), ECONNREFUSED: no process listens; NCCL sends a port only after it listens, and retries:"
         " https://github.com/NVIDIA/nccl/issues/1515"),
    _row("ssh: connect to host node2 port 22: Connection refused", "onnection refused",
         r"\bssh: connect to host .*[Cc]onnection refused", "OS-06 OS-14", "connect(2), ECONNREFUSED"),
    _row("Couldn't connect to node1 | Connection refused", "onnect",
         r"Couldn't connect to \S+|t connect socket \(errno=111\b"
         r"|(?m:^(?!.*(?:\bssh: |[Ss]ocket[A-Z]\w+: |Call to connect)).*[Cc]onnection refused)",
         "APP-06 OS-06 OS-14", f"{PERFTEST}, src/perftest_communication.c; connect(2), ECONNREFUSED: no process listens"
         " at this address; icmp(7) for a firewall that rejects"),
    _row("socketStartConnect: Connect to 10.1.0.7<45231> failed : Software caused connection abort", "connection abort",
         r"Software caused connection abort", "OS-14 OS-06 RT-10", "https://github.com/NVIDIA/nccl/issues/1515; "
         "https://github.com/NVIDIA/nccl-tests/issues/162"),
    _row("unable to complete a TCP connection", "TCP connection", r"unable to complete a TCP connection",
         "OS-06 OS-14 K8S-03", "https://www.open-mpi.org/faq/?category=tcp"),
    _row("unable to set socket buffer size", "socket buffer size",
         r"unable to set socket buffer size|buffer size not set", "TCP-01", "ESnet, 400G Testbed Configuration"),
    _row("Connection reset by peer | control socket has closed unexpectedly",
         "onnection|control socket", r"[Cc]onnection reset by peer"
         r"|[Cc]onnection closed by(?! remote peer)|control socket has closed unexpectedly", "OS-06 K8S-03",
         "recv(2), ECONNRESET"),
)  # fmt: skip

_UCX = (
    _row("Transport retry count exceeded on mlx5_0:1/IB (UCX on InfiniBand)", "retry count",
         r"Transport retry count exceeded on \S+/IB\b", "CAB-01 CAB-02 MPI-03 NIC-16",
         f"{IBA}; https://github.com/openucx/ucx/issues/5199"),
    _row("Destination is unreachable (UCX) | no active messages transport to node2 (UCX)", "nreachable|transport to",
         r"Destination is unreachable|no auxiliary transport to"
         r"|no (?:\w+ )+transport to ", "MPI-03 OS-17 OS-05",
         "https://github.com/openucx/ucx/issues/7785; UCX src/ucp/wireup/select.c"),
    _row("Endpoint timeout (UCX)", "imeout", r"[Uu][Dd] endpoint .*timeout|Endpoint timeout", "MPI-03 SW-02 SW-01",
         "https://github.com/openucx/ucx/issues/7785"),
    _row("transport 'cuda_copy' is not available (UCX)",
         "not available", r"transport '?\S*(?:cuda|rocm)\S*'? is not available",
         "MPI-04", "https://github.com/openucx/ucx/issues/11048"),
)  # fmt: skip

_MPI = (
    _row("error initializing an OpenFabrics device", "penFabrics", r"error (?:was encountered when )?initializing an"
         r" OpenFabrics device|OpenFabrics connection schemes|OpenFabrics \(openib\) BTL failed", "MPI-01",
         "Broadcom 957608-AN210, 8.3"),
    _row("No preset parameters were found | no device params found",
         "param", r"[Nn]o (?:device|preset) param\w* (?:were )?found", "MPI-01",
         OPEN_MPI_HELP),
    _row("By default, for Open MPI 4.0 and later, infiniband ports on a device", "infiniband ports",
         r"Open MPI 4\.0 and later, infiniband ports on a device", "MPI-01",
         "https://github.com/open-mpi/ompi/issues/9132, issues/11458"),
    _row("No components were able to be opened in the pml framework (Open MPI)", "pml framework",
         r"No components were able to be opened in the pml framework", "MPI-02 NIC-03 OS-09",
         "https://github.com/openucx/ucx/issues/8952"),
    _row("PML ucx cannot be selected (Open MPI)", "cannot be selected", r"PML ucx cannot be selected",
         "MPI-02 NIC-03 OS-09 K8S-01", "https://github.com/open-mpi/ompi/issues/11669 (its shared libraries are not "
         "found); https://github.com/open-mpi/ompi/issues/9838 (no device of UCX matches its list of transports)"),
    _row("A high-performance Open MPI point-to-point messaging module was unable to find any relevant network "
         "interfaces", "relevant network", r"was unable to find any relevant network interfaces",
         "MPI-01 NIC-03 OS-09", f"{OPEN_MPI_HELP}; Open MPI users' list: with \"couldn't read uverbs ABI version\""),
    _row("mpirun was unable to find the specified executable file"
         " | mpirun was unable to launch the specified application",
         "unable to find|not be found|not found in PATH|unable to launch",
         r"unable to find the specified executable|could not be found.*(?:executable|application)"
         r"|was unable to launch the specified application|\w+ not found in PATH; name its folder", "APP-10 MPI-02",
         "https://github.com/open-mpi/ompi, orte/tools/orterun/help-orterun.txt, orterun:exe-not-found"),
    _row("orted: command not found", "not found|error while",
         r"orted: (?:command )?not found|mpirun: (?:command )?not found|error while loading shared libraries", "MPI-02",
         "https://www.open-mpi.org/faq/?category=running"),
    _row("There are not enough slots available in the system | There are no allocated resources for the application",
         "slots|allocated resources|processes than|node configuration|allocate resources|rocessors requested",
         r"There are not enough slots available|no allocated resources for the application"
         r"|Your job has requested more processes than"
         r"|Requested node configuration is not available|Unable to allocate resources"
         r"|More processors requested than permitted", "MPI-07",
         "https://github.com/dstackai/dstack/pull/2451; https://github.com/h5py/h5py/issues/2627;"
         " Slurm src/common/slurm_errno.c"),
    _row("exited on signal 9 (Killed). | oom_kill", "illed|oom|OUT_OF_MEMORY|ut Of Memory",
         rf"signal 9 \(Killed\)|{_OUT_OF_MEMORY.pattern}", _OUT_OF_MEMORY_CAUSE,
         "https://docs.kernel.org/admin-guide/sysctl/vm.html"),
    _row("Signal code: Invalid permissions", "nvalid permissions", r"Signal code: Invalid permissions",
         "MPI-04", "https://docs.open-mpi.org/en/main/tuning-apps/networking/cuda.html"),
)  # fmt: skip

_NCCL = (
    _row("Out of bounds values : 1 FAILED", "ut of bounds", r"Out of bounds values\s*:\s*(?!\d+ OK)\S",
         "NIC-18 APP-05", "Broadcom 957608-AN210, 2.2.4.3"),
    _row("Failed to find net plugin | net plugin: undefined symbol",
         "lugin", r"(?:[Ff]ailed to (?:find|load|open)|undefined symbol).*"
         r"(?:[Nn]et[ _]?[Pp]lugin|libnccl-net)|[Pp]lugin.*undefined symbol", "NCCL-13",
         "https://github.com/NVIDIA/nccl/issues/1710"),
    _row('Missing "iommu=pt" (RCCL)', "iommu=pt", r'Missing "iommu=pt"', "PCI-02",
         "https://github.com/ROCm/rccl/issues/1026"),
    _row("NUMA auto balancing enabled (RCCL)", "NUMA auto", r"NUMA auto.?bal?ancing enabled", "OS-01",
         "https://github.com/ROCm/rccl/pull/696"),
    _row("system not yet initialized (CUDA)", "not yet initialized|NotReady|NOT_READY",
         r"system not yet initialized|cudaErrorSystemNotReady|CUDA_ERROR_SYSTEM_NOT_READY", "GPU-05",
         "https://github.com/pytorch/pytorch/issues/35710; https://github.com/gpustack/gpustack/issues/4154"),
    _row("no kernel image is available for execution on the device (CUDA)", "no kernel image|NoKernelImage|NO_BINARY",
         r"no kernel image is available|cudaErrorNoKernelImageForDevice|CUDA_ERROR_NO_BINARY_FOR_GPU", "APP-08",
         "Johansen, Fast Multi-GPU communication over PCI Express, sections 3.2.3 and A.3.9"),
    _row("#error -- unsupported GNU version! gcc versions later than 11 are not supported! | #error directive: -- "
         'unsupported pgc++ configuration! | error: attribute "__malloc__" does not take arguments | nvcc fatal : '
         "Unsupported gpu architecture 'compute_35' | "
         '"../verifiable/verifiable.cu", line 353: error: expected a ")"',
         "unsupported |Unsupported gpu|__malloc__|verifiable.cu",
         r'unsupported (?:GNU version|clang version|pgc\+\+)|attribute "?__malloc__"? does'
         r"|Unsupported gpu architecture|verifiable\.cu\W.*\berror: ",
         "APP-11", "https://github.com/NVIDIA/nccl-tests/issues/207, issues/145; Johansen, sections 3.2.1 to 3.2.3"),
    _row("fatal error: mpi.h: No such file or directory | cannot find -lnccl | undefined reference to "
         "`ncclCommInitRank'",
         ".h|cannot find -l|undefined reference",
         r"fatal error: '?(?:mpi|nccl|rccl(?:/rccl)?)\.h'?(?:: No such| file not)"
         r"|cannot find -l(?:nccl|rccl|mpi)\b|undefined reference to .(?:nccl|MPI_)\w", "APP-12",
         "https://github.com/NVIDIA/nccl-tests/issues/32, issues/103, issues/211"),
    _row(r"ERROR: Couldn't find '.*\/Module.symvers$' in '/usr/src/nvidia-470.141.03' (eXpressWare)",
         "nv-p2p.h|Module.symvers|cuda-", r"(?:nv-p2p\.h|/Module\.symvers|cuda-\[0-9\.\]\+)\$'", "APP-13",
         "Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.10"),
    _row("SCICreateSegment failed: Out of local resources", "SCICreateSegment",
         r"SCICreateSegment failed: Out of local resources|SCICreateSegment.*0x40000904", "PCI-16",
         "Dolphin eXpressWare installation and reference guide, memory preallocation"),
    _row("No socket interface found", "nterface",
         r"[Nn]o socket interface found|[Nn]o usable (?:network |listening )?interface", "OS-14 K8S-01", NCCL_HELP),
    _row("Test CUDA failure common.cu:963 'invalid device ordinal'", "ordinal", r"invalid device ordinal",
         "APP-09 GPU-02", "https://github.com/NVIDIA/nccl-tests/issues/92"),
    _row("Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 4000 (NCCL)", "Duplicate GPU",
         r"Duplicate GPU detected", "APP-09", "https://github.com/NVIDIA/nccl, src/init.cc: two ranks with one bus ID"),
    _row("CUDA driver version is insufficient for CUDA runtime version", "insufficient for",
         r"CUDA driver version is insufficient for CUDA runtime version|cudaErrorInsufficientDriver", "NIC-04",
         "NVIDIA, CUDA Runtime API, error 35 (cudaErrorInsufficientDriver)"),
    _row("no CUDA-capable device is detected (CUDA)", "no CUDA-capable|cudaErrorNoDevice|CUDA_ERROR_NO_DEVICE",
         r"no CUDA-capable device is detected|cudaErrorNoDevice|CUDA_ERROR_NO_DEVICE", "APP-09 OS-12",
         "CUDA runtime API, cudaErrorNoDevice; CUDA C++ programming guide, CUDA_VISIBLE_DEVICES"),
    _row("Xid (PCI | uncorrectable ECC", "Xid|ECC", r"\bXid \(|uncorrectable ECC",
         "GPU-02", "https://docs.nvidia.com/deploy/xid-errors/"),
    _row("CUDA error: unknown error", "unknown error", r"(?i:cuda|hip)\b.*unknown error", "GPU-04 GPU-02",
         "Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6"),
)  # fmt: skip

_HOST = (
    _row("ib_write_bw: unrecognized option '--use_rocm=0' (perftest)", "unrecognized option",
         r"unrecognized option '?--use_(?:cuda|rocm)\b", "APP-07",
         f"{PERFTEST}, src/perftest_parameters.c: the options exist only with HAVE_CUDA or HAVE_ROCM"),
    _row("Can't produce a report | Correlation coefficient r^2", "produce a report|r^2", r"Can't produce a report"
         r"|Correlation coefficient r\^2", "PCI-12", f"{PERFTEST}, src/get_clock.c"),
)  # fmt: skip

SPECIFIC: tuple[Cause, ...] = (
    *_COMPLETIONS, *_MEMORY, *_DEVICES, *_CONNECTING, *_UCX, *_MPI, *_NCCL, *_HOST,
)  # fmt: skip

# Operations that were canceled because an earlier one on the same queue pair failed (status 5, flushed in error).
CANCELED: tuple[Cause, ...] = (
    # ACS and the server's firmware are no causes by this status alone, although a maintainer of NCCL once answered so
    # (https://github.com/NVIDIA/nccl/issues/1353): the error that flushed the requests shows them.
    _row("NET/IB : Got completion with status 5 (NCCL)", "Got completion",
         r"Got completion .*(?:status[= ]|with error )(?:IBV_WC_WR_FLUSH_ERR\()?5\b", "APP-02 OS-19",
         f"{IBA}: work requests are flushed after the queue pair has entered the error state;"
         " https://github.com/spdk/spdk/issues/298 (the other end disconnects);"
         " https://github.com/NVIDIA/nccl/issues/1814 (after status 12)"),
    # At the end of a connection, too: rdma-core, providers/mlx5/cq.c (dump of the error entry: vendor syndrome, 05).
    _row("Failed status 5: wr_id 0 syndrom 0xf9 | Work Request Flushed Error", "Failed status|got completion|lush|LUSH",
         r"Failed status (?:\S.*\()?5\b|(?i:work request flushed error)|(?m:^(?!.*Got completion).*IBV_WC_WR_FLUSH_ERR)"
         r"|got completion with error:(?:\s+[0-9a-f]{8}){13}\s+0000[0-9a-f]{2}05\b", "APP-06 NIC-16",
         f"{IBA}; https://github.com/spdk/spdk/issues/298 (the other end disconnects);"
         " https://github.com/open-mpi/ompi/issues/95 (only after an earlier error)"),
)  # fmt: skip

# Messages that report only a failure in a lower layer.
VAGUE: tuple[Cause, ...] = (
    _row("ORTE was unable to reliably start one or more daemons.", "one or more daemons",
         r"(?:ORTE|PRTE) was unable to (?:reliably )?start one or more daemons", "MPI-02 MPI-08",
         "https://github.com/openpmix/prrte/issues/1493 (the help text of Open MPI)"),
    _row("ORTE has lost communication with a remote daemon.", "lost communication",
         r"(?:ORTE|PRTE) has lost communication with (?:a remote|its) daemon", "OS-19 CAB-01",
         "https://github.com/open-mpi/ompi, orte/mca/errmgr/base/help-errmgr-base.txt (node-died): the daemon failed or"
         " its TCP connection; https://github.com/aws/aws-parallelcluster/issues/301 (a maintainer: see whether the"
         " host is up)"),
    _row("Couldn't read remote address", "remote address", r"Couldn't read remote address", "APP-06",
         f"{PERFTEST}, src/perftest_communication.c (ethernet_read_keys: the other end has closed its socket)"),
    _row("Failed to exchange data between server and clients", "exchange data between",
         r"Failed to exchange data between server and client", "APP-06",
         f"{PERFTEST}, src/perftest_communication.c (ctx_hand_shake: the other end has closed its socket)"),
    _row("Unable to open file descriptor for socket connection", "socket connection",
         r"Unable to open file descriptor for socket connection", "APP-06 OS-06 OS-14",
         f"{PERFTEST}, src/perftest_communication.c (establish_connection, after Couldn't connect)"),
    _row("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4 (PyTorch)", "Watchdog caught",
         r"Watchdog caught collective operation timeout", "APP-02",
         "https://github.com/pytorch/pytorch/issues/97191; https://docs.pytorch.org/tutorials/unstable/"
         "flight_recorder_tutorial.html"),
    _row("socketProgress: Connection closed by remote peer (NCCL)", "closed by remote peer",
         r"Connection closed by remote peer", "APP-02 OS-19 OS-06 K8S-03",
         "https://github.com/NVIDIA/nccl/issues/1486 (the peer closed its socket);"
         " https://github.com/NVIDIA/nccl/issues/795 (a rank crashed)"),
    _row("RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT", r"RDMA_CM_EVENT_REJECTED", "APP-06", "rdma_get_cm_event(3)"),
    _row("remote process exited or there was a network error",
         "remote process exited", r"remote process exited or there was a",
         "CAB-01 NIC-05 GPU-02 APP-02", NCCL_HELP),
    _row("unhandled cuda error | unhandled hip error",
         "unhandled", r"unhandled (?:cuda|hip) error", "GPU-02 GPU-04", NCCL_HELP),
    _row("unhandled system error", "unhandled system error", r"unhandled system error", "OS-02 OS-03 OS-14 NIC-05",
         NCCL_HELP),
)  # fmt: skip

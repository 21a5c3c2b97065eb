"""Messages of failed jobs that people paste without the output around them: one failed run for a log.

Only texts that a library or launcher prints count: PyTorch (torch/csrc/distributed/c10d) and NCCL
(src/misc/ibvwrap.cc, src/transport/net_ib), UCX (src/ucs/debug/log.c and src/uct), libfabric, perftest
(src/perftest_communication.c), sockperf (src/defs.h), rdma-core, the mlx5 driver of Linux, CUDA and HIP, nvcc and its
host compiler, Dolphin's eXpressWare and SISCI, Open MPI and PRRTE (help texts), MPICH and its Hydra, Slurm.
"""

from __future__ import annotations

import re
from functools import lru_cache

from wirespeed.benchmarks.logs.error_causes import Case, causes
from wirespeed.benchmarks.logs.log import Source
from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.benchmarks import Run


def _compile(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


# The first one names the run if several print: the library that failed stands before its launcher.
MESSAGES: dict[str, re.Pattern[str]] = {
    "RCCL": _compile(r"\bRCCL (?:ERROR\b|error|failure)"),
    "NCCL": _compile(
        r"\bNCCL (?:ERROR|error|failure|Error)\b",
        r"\bnccl(?:System|Internal|Remote|UnhandledCuda)Error\b",
        r"\bncclInvalid(?:Usage|Argument)\b",
        r"\bibvwrap\.cc?:\d+",
        r"Call to ibv_\w+ failed",
        r"\[\d+\] \S+\.(?:h|cc?|cu):\d+ WARN \S",  # of releases before 2.3
        r"NET/(?:IB|OFI|Socket)\b.*(?:Got |failed|error)",
        r"Got completion (?:from|with) ",
        r"\bsocket[A-Z]\w+: .*(?:failed|closed by)",  # src/misc/socket.cc, as PyTorch repeats it below "Last error:"
        r"Watchdog caught collective operation timeout",
        r"NCCL (?:communicator|operations?) .*(?:abort|timed out)",
        r"(?:DistBackendError|ProcessGroupNCCL)\b.*(?:error|Error|timeout|terminat|exception)",
    ),
    "UCX": _compile(
        r"\bUCX +(?:ERROR|FATAL)\b",
        r"\b(?:ib|rc|ud|dc|uct|ucp|ucs|osc_ucx|rdmacm|tcp|cuda_ipc|rocm_ipc)_\w+\.[ch]:\d+ ",
        r"\bpml_ucx\.c:\d+",
        r"(?:Transport|RNR) retry count exceeded on ",
        r"\bucp_\w+\(.*\) failed",
        r"\bno (?:\w+ )+transport to \S",  # src/ucp/wireup/select.c
    ),
    "libfabric": _compile(
        r"\blibfabric:\d+:.*(?:[Ee]rror|fail|warn)",
        r"\bfi_[a-z_]+(?:\(\))? ?(?:failed|returned|error)",
        r"OFI .*failed",
        r"Failed to modify UD QP to (?:INIT|RTR|RTS) on \S+: ",  # prov/psm3 hal_verbs/verbs_ep.c
    ),
    "sockperf": _compile(
        r"(?:sockperf|vperf): (?:\S+:\d+:)?ERROR: ", r"program exits because of an error\. +current value of errno"
    ),
    "perftest": _compile(
        r"Couldn't connect to \S+:\d+",
        r"Failed status \S+: wr_id",
        r"Unable to Connect the HCA's",
        r"Failed to modify QP (?:\d+ to|to INIT, ret=)",  # src/perftest_resources.c; other programs print no number
        r"Failed to exchange data between server and client",
        r"IB device \S+ not found",
        r"Unable to open file descriptor for socket connection",
        r"Couldn't (?:allocate MR|get context for the device)",
        r"Port number \d+ state is Down",
    ),
    "libibverbs": _compile(
        r"[Ff]ailed to modify (?!UD QP)(?:\w+ )?QP\b",  # examples of rdma-core, and copies of them
        r"libibverbs: (?:Warning|GRH is mandatory)",
        r"\bibv_\w+(?:\(.*?\))?:? .*(?:failed|error|not permitted|Cannot allocate|timed out|Invalid argument)",
        r"mlx5: \S+: got completion with error",
        r"RLIMIT_MEMLOCK is \d+ bytes",
        r"rdma_\w+(?:\(\))? ?(?:failed|error)",
        r"RDMA_CM_EVENT_\w*(?:ERROR|UNREACHABLE)",
    ),
    "CUDA": _compile(
        r"\bCUDA(?: driver| runtime)? (?:error|failure)\b",
        r"\bCuda failure\b",
        r"\bCUDA_ERROR_\w+",
        r"\bcudaError\w+",
        r"\bTest CUDA failure \S+:\d+",
        r"system not yet initialized",
        r"no CUDA-capable device is detected",
        r"CUDA driver version is insufficient",
        r"NVRM: Xid",
    ),
    "HIP": _compile(r"\bHIP (?:error|failure)\b", r"\bhipError\w+"),
    "build": _compile(  # of a benchmark: nvcc, gcc, ld
        r"unsupported (?:GNU version|clang version|pgc\+\+)",
        r"attribute \"?__malloc__\"? does",
        r"verifiable\.cu\W.*\berror: ",  # of nccl-tests
        r"\bnvcc fatal *:",
        r"fatal error: '?(?:mpi|nccl|rccl(?:/rccl)?)\.h'?(?:: No such| file not)",
        r"cannot find -l(?:nccl|rccl|mpi)\b",
        r"undefined reference to .(?:nccl|MPI_)\w",
    ),
    "eXpressWare": _compile(  # its installer prints the pattern of the path that it looks for, which ends with $
        r"Couldn't find '.*\$' in '/", r"(?:nv-p2p\.h|/Module\.symvers|cuda-\[0-9\.\]\+)\$'"
    ),
    "SISCI": _compile(r"\bSCI[A-Z]\w+ failed: .*\(0x4\w+\)"),
    "Open MPI": _compile(
        r"There are not enough slots available in",
        r"MPI_ABORT was invoked",
        r"Primary job terminated normally, but",
        r"was unable to find any relevant network interfaces",
        r"There are no allocated resources for the application",
        r"(?:mpirun|prterun) (?:noticed|detected|was unable)",
        r"An ORTE daemon has unexpectedly",
        r"\b(?:ORTE|PRTE) (?:was unable to|has lost communication|does not know how to)",
        r"\bssh: (?:connect to host|Could not resolve hostname) |Host key verification failed",
        r"ssh_exchange_identification: |Permission denied \((?:[\w-]+,)*(?:publickey|password)",
        r"(?:PRTE|ORTE|PMIX) ERROR:",
        r"(?:orted|prted|mpirun): (?:command )?not found",
        r"initializing an OpenFabrics device",
        r"OpenFabrics connection schemes",
        r"OpenFabrics \(openib\) BTL",
        r"\bbtl_\w+\.c:\d+",
        r"\bmca_\w+_\w+\b.*(?:error|fail)",
        r"unable to complete a TCP connection",
        r"unable to find the specified executable",
        r"PML \w+ cannot be selected",
        r"Open MPI 4\.0 and later, infiniband ports on a device",
        r"No components were able to be opened in the \w+ framework",
        r"At least one pair of MPI processes are unable to reach",
        r"Your job has requested more processes than",
        r"No preset parameters were found",
        r"MPI_ERR\w+:",
    ),
    "MPICH": _compile(
        r"BAD TERMINATION OF ONE OF YOUR",
        r"Fatal error in (?:P?MPI_\w+|internal_\w+)",
        r"Abort\(\d+\) on node \d+",
        r"\[(?:mpiexec|proxy:\d+:\d+)@\S+\] ",
        r"\bHYDU?_\w+ \(",
        r"MPID[IU]_\w+\(\d+\).*:",
        r"hydra_\w+ .*(?:fail|error)",
    ),
    "Slurm": _compile(
        r"\b(?:srun|sbatch|salloc|slurmstepd|slurmd): (?:error|fatal):", r"\bsrun: Job \d+ step creation"
    ),
    "Linux": _compile(r"\bmlx5_core \S+: mlx5_cmd_\w+:.*\bALLOC_UAR\(\w+\).*failed"),  # mlx5 core/cmd.c
}
_DEBUG = re.compile(r"\bNCCL (?:INFO|VERSION|TRACE|WARN) ")  # fatal warnings are those of a communicator
_UCX_INFO = re.compile(r"\bUCX +(?:INFO|DEBUG|TRACE|REQ|DATA|ASYNC|FUNC|POLL) ")
_TRACE = re.compile(r"\bINFO (\S+\.(?:h|cc?|cu):\d+) -> ([1-6])\b")
_API_FILES = ("init.c", "group.c", "enqueue.c", "collectives.c")  # with the functions that applications call
_RESULTS = {
    "1": "ncclUnhandledCudaError",
    "2": "ncclSystemError",
    "3": "ncclInternalError",
    "4": "ncclInvalidArgument",
    "5": "ncclInvalidUsage",
    "6": "ncclRemoteError",
}
_CONTINUES = _compile(
    r"No preset parameters were found",
    r"OpenFabrics (?:device|connection schemes)",
    r"infiniband ports on a device",
    r"was unable to find any relevant network interfaces",
    r"\b(?:btl|mca)_\w+",  # a component that cannot be used leaves its place to the next one
    r"libibverbs: Warning",
    r"RLIMIT_MEMLOCK is",
    r"<(?:warn|info|debug|trace)>",  # libfabric
    r"\bUCX +(?:WARN|DIAG|INFO|DEBUG|TRACE|REQ|DATA|ASYNC|FUNC|POLL)\b",  # src/ucs/config/types.h
    r"\[(?:mpiexec|proxy:\d+:\d+)@\S+\] ",
)
"""Messages after which a job continues."""


@lru_cache(maxsize=4096)
def is_error(text: str) -> bool:
    """Whether a line contains a message of a library or launcher after which a job ends."""
    if _DEBUG.search(text) is not None or _CONTINUES.search(text) is not None:
        return False
    return any(pattern.search(text) is not None for pattern in MESSAGES.values())


def _is_log_line(text: str) -> bool:
    """Whether a line is one of a library's debug output, at a level that reports no failure."""
    return _DEBUG.search(text) is not None or _UCX_INFO.search(text) is not None


def read_error_trace(log: Source) -> Run | None:
    """The failed run of a log with the calls alone through which an error returned in NCCL to the application.

    Each of their functions prints ``bootstrap.cc:270 -> 2`` at level INFO (src/include/checks.h; src/nccl.h.in).
    """
    calls = [match for line in log.all_lines if (match := _TRACE.search(line.text))]
    codes = {call[2] for call in calls}
    if len(codes) != 1 or not any(call[1].startswith(_API_FILES) for call in calls):
        return None
    places = ", ".join(dict.fromkeys(call[1] for call in calls))
    draft = Draft("NCCL", 1)
    draft.fail(f"{_RESULTS[codes.pop()]} returned through {places}")
    return draft.finish().run


def read(log: Source, is_mixed_fabric: bool = False) -> Run | None:
    """The failed run of a log that contains such messages but no output of a benchmark; None without any message.

    ``is_mixed_fabric``: whether NCCL uses InfiniBand and RoCE devices.
    """
    texts = [" ".join(line.text.split()) for line in log.all_lines if not _is_log_line(line.text)]
    messages_by_tool = {name: [text for text in texts if pattern.search(text)] for name, pattern in MESSAGES.items()}
    tool = next((name for name, messages in messages_by_tool.items() if messages), None)
    if tool is None:
        return None
    draft = Draft(tool, 1)
    for messages in messages_by_tool.values():
        for message in messages:
            draft.fail(message)
    run = draft.finish().run
    case = Case(is_mixed_fabric=is_mixed_fabric)
    failures = causes(*draft.errors, case=case) or causes("\n".join(texts), case=case)
    return Run(tool, None, None, run.status, run.error, None, failures=failures)

"""perftest's command that repeats a run: the options that its report states, and GPU memory at both ends.

Options by perftest (linux-rdma/perftest, src/perftest_parameters.c and the manual page): ``-a`` runs all sizes from 2
bytes to 8 MiB and ``-s`` one; ``--use_cuda`` and ``--use_rocm`` take the number of a GPU, ``--use_..._dmabuf`` its
DMA-BUF path; the default connection is RC and the default depth of the send queue of a bandwidth test 128.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator

from wirespeed.benchmarks.endpoints.nics import find_nic
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run

BANDWIDTH_BYTES = 1 << 20
"""Message of bandwidth tests: from 64 KiB on all NICs of Broadcom 957608-AN210, 2.8.2, and of its peers are at their
plateau."""
LATENCY_BYTES = 8
_SEND_QUEUE_DEPTH = 128


def build_perftest_commands(
    run: Run, ends: tuple[str, str] | None, sizes: Collection[int], plan: Plan | None
) -> tuple[str, ...]:
    """The commands of both hosts if client and server NIC are known, else that of the end that wrote the log.

    ``sizes``: the message sizes that were bad, in bytes. Several are repeated with ``-a``, as one command measures them
    all: perftest has no list of sizes.
    """
    is_server = run.parameters.side == "server"
    if ends is None:
        command = list_perftest_arguments(run, run.parameters.rdma_device, sizes, _logged_gpu(run))
        return (shlex.join([*command, *([] if is_server else ["SERVER"])]),)
    (client, client_nic), (server, server_nic) = (end.split(":", 1) for end in ends)
    client_gpu, server_gpu = (_find_gpu(run, plan, end, has_log=end == ends[is_server]) for end in ends)
    has_device = run.parameters.rdma_device is not None
    on_server = list_perftest_arguments(run, server_nic if has_device else None, sizes, server_gpu)
    on_client = list_perftest_arguments(run, client_nic if has_device else None, sizes, client_gpu)
    return f"on {server}: {shlex.join(on_server)}", f"on {client}: {shlex.join([*on_client, server])}"


def list_perftest_arguments(run: Run, device: str | None, sizes: Collection[int], gpu: int | None) -> list[str]:
    """The command line of one end, with the options that the report of the run states."""
    stated = run.parameters
    row, queue_pairs, depth = stated.gid_index, stated.queue_pairs, stated.send_queue_depth
    is_bandwidth = (run.test or "").endswith("_bw")
    size = max(sizes)
    return [
        run.test or "",
        *(["-d", device] if device else []),
        *(["-x", str(row)] if row is not None else []),
        *(["-m", str(stated.path_mtu_bytes)] if stated.path_mtu_bytes else []),
        *(["-c", stated.connection_type] if stated.connection_type not in (None, "RC") else []),
        *(["-R"] if stated.rdma_cm else []),
        *(["-q", str(queue_pairs)] if queue_pairs and queue_pairs > 1 else []),
        *(["-t", str(depth)] if is_bandwidth and depth and depth != _SEND_QUEUE_DEPTH else []),
        *(["-a"] if len(set(sizes)) > 1 else ["-s", str(size)] if size else []),
        *(["-b"] if stated.bidirectional else []),
        *_list_memory_options(run, gpu),
        "--report_gbits",
    ]


def _list_memory_options(run: Run, gpu: int | None) -> Iterator[str]:
    """The options of GPU memory; the first GPU, perftest's own default, where neither log nor plan names one."""
    if not run.parameters.on_gpu:
        return
    kind = run.parameters.memory
    yield f"--use_{kind}={gpu or 0}"
    if run.parameters.dmabuf:
        yield f"--use_{kind}_dmabuf"


def _logged_gpu(run: Run) -> int | None:
    stated = run.parameters
    return stated.cuda_device_index if stated.rocm_device_index is None else stated.rocm_device_index


def _find_gpu(run: Run, plan: Plan | None, end: str, *, has_log: bool) -> int | None:
    """The GPU of an end's buffers: as its log states, else the GPU that the NIC serves, else that of the log."""
    logged = _logged_gpu(run)
    if plan is None or (has_log and logged is not None):
        return logged
    gpu = find_nic(plan, "the log", end).nic.gpu
    return int(gpu.removeprefix("GPU")) if gpu is not None else logged

"""A log of nccl-tests made by hand: the ranks with their hosts, debug lines of each rank, and one large size."""

from __future__ import annotations

from collections.abc import Sequence

from judge_support import GIB

from wirespeed.benchmarks.judge.limits import RunContext
from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.tools.reader import read
from wirespeed.plan import Plan
from wirespeed.results.verdicts import JudgedRun

HEADER = f"size count type redop root{2 * ' time algbw busbw #wrong'}"
UNITS = f"(B) (elements){2 * ' (us) (GB/s) (GB/s)'}"
H100, MI300X = "NVIDIA H100 80GB HBM3", "AMD Instinct MI300X"


def write_log(hosts: Sequence[str], busbw: float, lines: Sequence[str] = (), gpu: str = H100) -> str:
    """An all-reduce with a rank on each of ``hosts``. Each rank prints ``lines``, with its number for ``{rank}``."""
    ranks = len(hosts)
    text = [
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 1073741824(factor) warmup iters: 5 iters: 20",
        "#",
    ]
    text.append("# Using devices")
    devices = [hosts[:rank].count(host) for rank, host in enumerate(hosts)]
    for rank, (host, device) in enumerate(zip(hosts, devices, strict=True)):
        text.append(
            f"#  Rank {rank:2} Group  0 Pid {4000 + rank} on {host} device {device} [0000:{16 + device:x}:00] {gpu}"
        )
    for rank, (host, device) in enumerate(zip(hosts, devices, strict=True)):
        prefix = f"{host}:{4000 + rank}:{5000 + rank} [{device}] NCCL INFO "
        text += [prefix + line.format(rank=rank, next=(rank + 1) % ranks) for line in lines]
        end = f"rank {rank} nranks {ranks} cudaDev {device} nvmlDev {device} busId {16 + device:x}000 commId 0x9"
        text += [f"{prefix}ncclCommInitRank comm 0x55 {end} - Init COMPLETE"] if lines else []
    text += [f"# {HEADER}", f"# {UNITS}"]
    algbw = busbw / (2 * (ranks - 1) / ranks)
    for size, time in ((8, 30.0), (8 * GIB, 8 * GIB / algbw / 1e3)):
        rates = f"{time:.2f} {size / time / 1e3:.2f} {size / time / 1e3 * 2 * (ranks - 1) / ranks:.2f} 0"
        text.append(f"{size} {size // 4} float sum -1 {rates} {rates}")
    return "\n".join([*text, "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 1.0", "#", ""])


def judge_log(text: str, plan: Plan, context: RunContext | None = None) -> JudgedRun:
    """The only run of a log, judged with its debug lines."""
    (judged,) = judge_logs([("log", read(text))], plan, context)
    return judged

"""Generate the logs of a large acceptance test: ``python tests/bench/generate_logs.py OUT [MEGABYTES]``.

Per megabyte one log of nccl-tests over 1,000 ranks (five collectives, one after the other), one of ib_write_bw and one
of osu_bw. Half of the bytes are output of the tools; the other half is noise: rank prefixes of mpirun, NCCL_DEBUG=INFO
of all ranks, warnings of OpenFabrics. The same arguments give the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

RANKS = 1000
GPUS = 8
SIZES = [1024 * 2**step for step in range(25)]  # 1 KiB to 16 GiB
FACTORS = {  # bus bandwidth per algorithm bandwidth: nccl-tests doc/PERFORMANCE.md
    "AllReduce": 2 * (RANKS - 1) / RANKS,
    "AllGather": (RANKS - 1) / RANKS,
    "ReduceScatter": (RANKS - 1) / RANKS,
    "AlltoAll": (RANKS - 1) / RANKS,
    "Broadcast": 1.0,
}
PROGRAMS = {
    "AllReduce": "all_reduce_perf",
    "AllGather": "all_gather_perf",
    "ReduceScatter": "reduce_scatter_perf",
    "AlltoAll": "alltoall_perf",
    "Broadcast": "broadcast_perf",
}
COLUMNS = "      size         count      type   redop    root"
UNITS = "       (B)    (elements)                          "
DEBUG_PER_COLLECTIVE = 780  # lines: with their prefixes and those of the table they make up half of the bytes

OPENFABRICS = """\
--------------------------------------------------------------------------
WARNING: There was an error initializing an OpenFabrics device.

  Local host:   {host}
  Local device: mlx5_{device}
--------------------------------------------------------------------------
"""


def nccl_log(random: Random) -> str:
    """Five collectives over all ranks under ``mpirun --tag-output``."""
    first = random.randrange(1, 900)
    lines: list[str] = []
    for name, factor in FACTORS.items():
        lines += [f"[1,0]<stdout>:{line}" for line in _table_head(name, first, random)]
        rows = [f"[1,0]<stdout>:{line}" for line in _rows(name, factor, random)]
        debug = list(_debug(first, random))
        share = len(debug) // len(rows) + 1
        for index, row in enumerate(rows):  # standard output and error are interleaved
            lines += [*debug[index * share : (index + 1) * share], row]
        if random.random() < 0.3:
            lines += OPENFABRICS.format(host=_host(first, random), device=random.randrange(GPUS)).split("\n")[:-1]
    return "\n".join(lines) + "\n"


def _host(first: int, random: Random) -> str:
    return f"node{first + random.randrange(RANKS // GPUS):04d}"


def _table_head(name: str, first: int, random: Random) -> Iterator[str]:
    yield f"# Collective test starting: {PROGRAMS[name]}"
    yield (
        "# nThread 1 nGpus 1 minBytes 1024 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 "
        "agg iters: 1 validation: 1 graph: 0"
    )
    yield "#"
    yield "# Using devices"
    pid = random.randrange(100000, 900000)
    for rank in range(RANKS):
        device = rank % GPUS
        host = f"node{first + rank // GPUS:04d}"
        bus = f"0000:{0x1B + device * 17:02x}:00"
        yield (
            f"#  Rank {rank:2d} Group  0 Pid {pid + rank // GPUS * 7 + device:6d} on {host:>10s} "
            f"device {device:2d} [{bus}] NVIDIA H100 80GB HBM3"
        )
    yield "#"
    yield f"#{'out-of-place':>74s}{'in-place':>31s}          "
    yield f"# {COLUMNS}{'time   algbw   busbw #wrong':>32s}{'time   algbw   busbw #wrong':>32s}"
    yield f"# {UNITS}{'(us)  (GB/s)  (GB/s)       ':>32s}{'(us)  (GB/s)  (GB/s)       ':>32s}"


def _rows(name: str, factor: float, random: Random) -> Iterator[str]:
    total = 0.0
    for size in SIZES:
        cells = []
        for _ in range(2):
            time_us = (60 + size / 45e3 / factor) * random.uniform(0.97, 1.05)
            algbw = size / time_us / 1e3
            busbw = algbw * factor
            total += busbw
            time_text = f"{time_us:.2f}" if time_us < 1e4 else f"{time_us:.0f}"
            cells.append(f"{time_text:>8s} {algbw:7.2f} {busbw:7.2f} {0:6d}")
        redop = "sum" if name in ("AllReduce", "ReduceScatter") else "none"
        yield f"{size:12d}  {size // 4:12d}  {'float':>8s}  {redop:>6s}  {-1:6d}  {'  '.join(cells)}"
    yield "# Out of bounds values : 0 OK"
    yield f"# Avg bus bandwidth    : {total / 2 / len(SIZES):g} "
    yield "#"
    yield f"# Collective test concluded: {PROGRAMS[name]}"


def _debug(first: int, random: Random) -> Iterator[str]:
    for _ in range(DEBUG_PER_COLLECTIVE):
        rank = random.randrange(RANKS)
        local = rank % GPUS
        channel = f"Channel {random.randrange(16):02d}/0"
        peer = (rank + GPUS) % RANKS
        neighbor = rank // GPUS * GPUS + (local + 1) % GPUS
        message = random.choice(
            (
                f"{channel} : {rank}[{local}] -> {peer}[{local}] [send] via NET/IB/{local}/GDRDMA",
                f"{channel} : {peer}[{local}] -> {rank}[{local}] [receive] via NET/IB/{local}/GDRDMA",
                f"{channel} : {rank}[{local}] -> {neighbor}[{neighbor % GPUS}] via P2P/CUMEM",
                "NCCL_IB_GID_INDEX set by environment to 3.",
                f"Trees [0] {rank + 1}/-1/-1->{rank}->{rank - 1}",
                "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [2]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.0.1<0>",
            )
        )
        host = f"node{first + rank // GPUS:04d}"
        yield f"[1,{rank}]<stdout>:{host}:{20000 + rank}:{20100 + rank} [{local}] NCCL INFO {message}"


def write_bw_log(random: Random) -> str:
    """``ib_write_bw -a --report_gbits`` of one pair."""
    rule = "-" * 87
    head = f"""{rule}
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_{random.randrange(GPUS)}
 Number of qps   : 4\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 PCIe relax order: ON
 TX depth        : 128
 CQ Moderation   : 100
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
 Max inline data : 0[B]
 rdma_cm QPs\t : OFF
 Data ex. method : Ethernet
{rule}
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
"""
    rows = []
    for step in range(1, 24):
        size = 2**step
        rate = min(4.2e6, 392.1e9 / 8 / size) * random.uniform(0.97, 1.0)
        average = rate * size * 8 / 1e9
        peak, millions = average * 1.002, rate / 1e6
        rows.append(
            f" {size:<7d}    5000             {peak:<7.2f}            {average:<7.2f}\t\t     {millions:<7.6f}\n"
        )
    return head + "".join(rows) + rule + "\n"


def osu_bw_log(random: Random) -> str:
    """``osu_bw`` of one pair."""
    rows = [f"{2**step:<10d} {min(4.1 * 2**step, 48900.0) * random.uniform(0.95, 1.0):>20.2f}\n" for step in range(23)]
    return "# OSU MPI Bandwidth Test v7.4\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n" + "".join(rows)


def main(target: Path, megabytes: int) -> None:
    """Write the logs, then print their size and the share of noise."""
    noise = total = 0
    for number in range(megabytes):
        folder = target / f"{number // 100:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        random = Random(number)
        for name, text in (
            (f"{number:04d}-nccl.log", nccl_log(random)),
            (f"{number:04d}-write-bw.log", write_bw_log(random)),
            (f"{number:04d}-osu-bw.log", osu_bw_log(random)),
        ):
            (folder / name).write_text(text)
            total += len(text)
            noise += _noise(text)
    sys.stdout.write(f"{total / 1e6:.1f} MB in {3 * megabytes} logs, {noise / total:.0%} of it noise\n")


def _noise(text: str) -> int:
    """Bytes of prefixes, debug lines and warnings."""
    noise = 0
    for line in text.splitlines(keepends=True):
        prefix, separator, _ = line.partition("<stdout>:")
        if " NCCL INFO " in line or line.startswith(("  Local", "WARNING", "-" * 74 + "\n")):
            noise += len(line)
        elif separator:
            noise += len(prefix) + len(separator)
    return noise


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1040)

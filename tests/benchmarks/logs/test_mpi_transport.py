"""TCP between the hosts of an MPI job, where a log names it, and its judgement.

The lines of UCX are those of openucx/ucx issue 9560, pull request 9839 and open-mpi/ompi issue 9080; those of libfabric
are printed by Intel MPI (UCL-ARC/rcps-buildscripts issue 224) and MPICH (src/mpid/ch4/netmod/ofi/ofi_init.c).
"""

from __future__ import annotations

import pytest
from tests.benchmarks.tools.samples import SAMPLES
from typer.testing import CliRunner

from wirespeed.benchmarks import parse
from wirespeed.cli.app import app

UCX = "[1700000000.103257] [node1:22453:0]     ucp_worker.c:1783 UCX  INFO  "
MPIRUN = "$ mpirun -np 2 -H node1,node2 "
ROWS = {1: 0.14, 128: 26.74, 4096: 143.0, 65536: 149.9, 131072: 571.86, 524288: 694.58, 2**20: 831.0, 2**22: 1279.54}
TABLE = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n" + "".join(
    f"{size}    {value}\n" for size, value in ROWS.items()
)
"""CSCS documentation: osu_bw of a container without the network hook."""


@pytest.mark.parametrize(
    ("line", "evidence"),
    [
        ("", None),
        (f"{MPIRUN}-x UCX_TLS=tcp,self,sm ./osu_bw", "UCX_TLS=tcp,self,sm"),
        (f"{MPIRUN}-x UCX_TLS=rc_x,self,sm ./osu_bw", None),
        (f"{MPIRUN}-x UCX_TLS=tcp,rc,self ./osu_bw", None),
        ("UCX_TLS=tcp mpirun -np 2 ./osu_bw", "UCX_TLS=tcp"),
        (f"{MPIRUN}--mca pml ob1 --mca btl tcp,self,vader ./osu_bw", "mca btl tcp,self,vader"),
        (f"{MPIRUN}--mca pml ^ucx --mca btl self,tcp ./osu_bw", "mca btl self,tcp"),
        (f"{MPIRUN}--mca btl tcp,self ./osu_bw", None),  # with UCX the component is not used
        (f"{MPIRUN}--mca pml ob1 --mca btl openib,tcp,self ./osu_bw", None),
        (f"{UCX}ep_cfg[3]: tag(tcp/ib1 tcp/ib0)", "ep_cfg[3]: tag(tcp/ib1 tcp/ib0)"),
        (f"{UCX}ep_cfg[1]: tag(sysv/memory cma/memory tcp/ib1)", None),  # within a host
        (f"{UCX}perftest inter-node cfg#0 am(tcp/eth0)", "inter-node cfg#0 am(tcp/eth0)"),
        (f"{UCX}ep_cfg[1]: tag(rc_mlx5/mlx5_0:1 rc_mlx5/mlx5_1:1);", None),
        (f"{UCX}ep_cfg[1]: tag(tcp/eth0)\n{UCX}ep_cfg[2]: tag(rc_mlx5/mlx5_0:1)", None),
        ("[0] MPI startup(): libfabric provider: tcp;ofi_rxm", "libfabric provider: tcp;ofi_rxm"),
        ("[0] MPI startup(): libfabric provider: verbs;ofi_rxm", None),
        ("libfabric provider: sockets - 10.0.0.0/24", "libfabric provider: sockets"),
        ("export FI_PROVIDER=tcp", "FI_PROVIDER=tcp"),
        ("[0] MPI startup(): shm and tcp data transfer modes", "MPI startup(): shm and tcp data transfer mode"),
    ],
)
def test_tcp_is_found_where_the_log_names_it(line: str, evidence: str | None) -> None:
    (run,) = parse(f"{line}\n{TABLE}")
    assert run.parameters.tcp_evidence == evidence
    assert len(run.measurements) == len(ROWS)


def test_a_line_after_the_rows_is_of_the_next_run() -> None:
    first, second = parse(f"{TABLE}{UCX}ep_cfg[1]: tag(tcp/eth0)\n{TABLE}")
    assert (first.parameters.tcp_evidence, second.parameters.tcp_evidence) == (None, "ep_cfg[1]: tag(tcp/eth0)")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            f"{MPIRUN}-x UCX_TLS=tcp ./osu_bw",
            "the log proves: MPI used TCP instead of RDMA between hosts (UCX_TLS=tcp)",
        ),
        ("", "possible cause: TCP instead of RDMA: at most 10.24 Gb/s"),
    ],
)
def test_a_slow_run_names_tcp_as_certain_as_its_log(tmp_path, line, reason):
    log = tmp_path / "bw.log"
    log.write_text(f"{line}\n{TABLE}", encoding="utf-8")
    cluster = SAMPLES.parents[1] / "examples" / "mi300x-4node" / "cluster.yaml"
    result = CliRunner().invoke(app, ["bench", "judge", str(log), "-c", str(cluster)])
    assert result.exit_code == 1, result.output
    output = " ".join(result.stdout.split())
    assert reason in output
    assert output.count("TCP instead of RDMA") == 1

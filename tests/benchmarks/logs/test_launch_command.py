"""Ranks and hosts in the command lines of launchers.

Authority: the manual pages of Open MPI 4.1 and 5.0 (mpirun), MPICH 4.3 (Hydra's mpiexec), Intel MPI and MVAPICH2
(mpirun_rsh), and Slurm (srun). The second line is the form of Arista and Broadcom's lossless network guide.
"""

from __future__ import annotations

import pytest

from wirespeed.benchmarks.logs.launch_command import Launch, find_transport_service, parse_command, parse_launch
from wirespeed.benchmarks.tools.reader import read

FOUR = ("n1", "n2", "n3", "n4")


@pytest.mark.parametrize(
    ("text", "launch"),
    [
        ("mpirun -np 64 -host n1:16,n2:16,n3:16,n4:16 ", Launch(64, 4, FOUR)),
        ("mpirun -np 64 -npernode 16 -hostfile hosts --mca pml ucx -x UCX_TLS=self,sm,rc_v ", Launch(64, 4)),
        ("+ /usr/bin/mpirun --np 64 --map-by ppr:16:node:PE=2 --host n1:16,n2:16,n3:16,n4:16 ", Launch(64, 4, FOUR)),
        ("$ mpirun -N 8 -n 16 ", Launch(16, 2)),
        ("mpirun -np 2 -H n1,n2 ", Launch(2, 2, ("n1", "n2"))),
        ("mpirun -np 16 -host n1:16,n2:16 ", Launch(16, 1)),  # the first host is filled
        ("mpiexec -n 64 -ppn 16 -hosts n1,n2,n3,n4 ", Launch(64, 4, FOUR)),
        ("mpiexec.hydra -n 64 -perhost 32 ", Launch(64, 2)),
        ("mpirun_rsh -np 4 n1 n1 n2 n2 MV2_USE_CUDA=1 ", Launch(4, 2, ("n1", "n2"))),
        ("mpirun_rsh -np 64 -hostfile hosts ", Launch(64)),
        ("srun -N 4 --ntasks-per-node=16 ", Launch(64, 4)),
        ("srun -N4 -n64 -c 2 ", Launch(64, 4)),
        ("srun --nodes=2 --ntasks=4 --mpi=pmix -w n[1-2] ", Launch(4, 2, ("n1", "n2"))),
        ("srun --nodes=2-4 --ntasks=8 ", Launch(8)),
        ("mpirun -np 64 ", Launch(64)),
        ("cd /opt/osu && ", None),
    ],
)
def test_a_command_line_states_its_job(text: str, launch: Launch | None) -> None:
    assert parse_launch(text) == launch


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (
            "[user@n1 ~]$ mpirun -np 32 -N 16 --hostfile hf ./osu_bw -d cuda D D | tee log",
            "mpirun -np 32 -N 16 --hostfile hf ./osu_bw -d cuda D D",
        ),
        ("+ MV2_DEBUG=1 srun -N 2 ./osu_alltoall > out 2>&1", "MV2_DEBUG=1 srun -N 2 ./osu_alltoall"),
        ("mpirun -np 2 ./osu_bw 2>&1 && date", "mpirun -np 2 ./osu_bw"),
        ("mpirun -x 'A=b c' ./osu_bw $(date)", "mpirun -x 'A=b c' ./osu_bw '$'"),
        ("mpirun -x 'A=b ./osu_bw", None),
        ("./osu_bw", None),
    ],
)
def test_the_command_ends_at_a_pipe_or_redirection(text: str, command: str | None) -> None:
    assert parse_command(text) == command


TABLE = """# OSU MPI Multiple Bandwidth / Message Rate Test v5.8
# [ pairs: 32 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
131072              48600.00         370788.57
"""


@pytest.mark.parametrize(
    "command",
    [
        "+ mpirun -np 64 -host n1:16,n2:16,n3:16,n4:16 ./osu_mbw_mr -m 131072:131072\n",
        "mpirun -np 64 \\\n  -host n1:16,n2:16,n3:16,n4:16 \\\n  ./osu_mbw_mr -m 131072:131072\n",
    ],
)
def test_a_table_has_the_job_of_its_command_line(command: str) -> None:
    (run,) = read(command + TABLE).runs
    assert (run.ranks, run.parameters.nodes, run.parameters.host_names) == (64, 4, "n1,n2,n3,n4")
    (table,) = read(TABLE).runs
    assert (table.ranks, table.parameters.nodes) == (None, None)


@pytest.mark.parametrize(
    ("command", "service"),
    [
        ("mpirun_rsh -np 2 n1 n2 MV2_USE_UD_HYBRID=0 MV2_USE_ONLY_UD=0 ./osu_bw", "RC"),
        ("mpirun_rsh -np 2 n1 n2 MV2_USE_UD_HYBRID=0 MV2_USE_ONLY_UD=1 ./osu_bw", "UD"),
        ("MVP_USE_ONLY_UD=1 mpiexec -n 2 ./osu_bw", "UD"),
        ("mpirun_rsh -np 2 n1 n2 MV2_USE_UD_HYBRID=1 MV2_USE_ONLY_UD=0 ./osu_bw", None),  # both, by the ranks
        ("mpirun_rsh -np 2 n1 n2 MV2_USE_ONLY_UD=0 ./osu_bw", None),  # hybrid by default, or not
        ("mpirun -np 2 --mca pml ucx -x UCX_TLS=self,sm,rc_v ./osu_bw", "RC"),
        ("mpirun -np 2 -x UCX_TLS=rc_x,cuda_copy,cuda_ipc ./osu_bw", "RC"),
        ("mpirun -np 2 -x UCX_TLS=ud,sm,self ./osu_bw", "UD"),
        ("mpirun -np 2 -x UCX_TLS=rc,ud,sm,self ./osu_bw", None),
        ("mpirun -np 2 -x UCX_TLS=rc,tcp ./osu_bw", None),
        ("mpirun -np 2 -x UCX_TLS=self,sm ./osu_bw", None),
        ("mpirun -np 2 -x UCX_TLS=all ./osu_bw", None),
        ("mpirun -np 2 ./osu_bw", None),
        ("mpirun -np 2 'UCX_TLS=rc ./osu_bw", None),  # a quote without its end
    ],
)
def test_a_command_line_selects_a_transport_service(command: str, service: str | None) -> None:
    assert find_transport_service(command) == service

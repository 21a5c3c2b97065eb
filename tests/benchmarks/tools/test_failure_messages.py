"""Messages as people paste them, without the output around them.

The forms are those of public threads: NVIDIA/nccl issues 302, 928 and 2013, openucx/ucx issues 4986 and 5199, h5py/h5py
issue 2627, microsoft/lisa issue 2823, openucx/ucx issue 9468 (a message of libfabric, prov/psm3 hal_verbs/verbs_ep.c),
Mellanox/sockperf issue 17; the other texts are those of the programs' sources. The causes are checked in
tests/benchmarks/logs; here they prove only that the text reaches them.
"""

from __future__ import annotations

import pytest

from wirespeed.benchmarks import parse, read
from wirespeed.benchmarks.logs.failure_messages import MESSAGES
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import RunStatus

ROWS = [
    ("misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument", "NCCL", "NIC-05 OS-07"),
    ("NCCL WARN Call to ibv_modify_qp failed with error Invalid argument", "NCCL", "NIC-05 OS-07"),
    ("[155] node1:5330:7970 [3] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
     "NCCL", "NIC-05 OS-07"),
    ("node1: [3] NCCL WARN NET/IB : Got completion from peer 10.1.2.3<5> with error 4, opcode 0, len 0, vendor err 81",
     "NCCL", "PCI-01 PCI-02 OS-10 PCI-06"),
    ("NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ; OOB eth0:10.0.0.1<0>\n"
     "NCCL WARN Call to ibv_modify_qp failed with error Invalid argument", "NCCL", "NCCL-02 NIC-05 OS-07"),
    ("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1275, "
     "unhandled system error, NCCL version 2.18.1\nLast error:\nCall to ibv_reg_mr_iova2 failed with error Cannot "
     "allocate memory", "NCCL", "OS-02 K8S-02 OS-18"),
    ("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled "
     "system error, NCCL version 2.20.5\nLast error:\nsocketStartConnect: Connect to 10.1.0.7<45231> failed : Software "
     "caused connection abort", "NCCL", "OS-14 OS-06 RT-10"),
    ("[rank0]:[E1122 10:15:01.123 ProcessGroupNCCL.cpp:552] [Rank 0] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=7)", "NCCL", "APP-02"),
    ("[node1:19546:0:19546] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 "
     "hw_synd 0/0)", "UCX", "CAB-01 CAB-02 MPI-03 NIC-16"),
    ("Mon Apr  6 14:58:07 2020[1,1]<stdout>:[1586174287.331106] [node1:32494:0]     ib_mlx5_dv.c:217  UCX  ERROR "
     "mlx5dv_devx_qp_modify(503) failed, syndrome 0: Invalid argument", "UCX", ""),
    ("[node1:9] pml_ucx.c:178  Error: Failed to receive UCX worker address: Not found (-13)", "UCX", ""),
    ("libfabric:4242:1700000000::efa:ep_ctrl:efa_open():33<warn> Unable to open device: Error", "libfabric", ""),
    ("node1:rank0.app: Failed to modify UD QP to INIT on mlx5_0: Invalid argument", "libfabric", "MPI-01"),
    ("sockperf: Client.cpp:412:ERROR: Can`t connect socket (errno=111 Connection refused)", "sockperf",
     "APP-06 OS-06 OS-14"),
    ("Couldn't connect to node1:18515", "perftest", "APP-06 OS-06 OS-14"),
    ("Failed to modify QP 295 to RTR", "perftest", "NIC-05 OS-05 OS-07 RT-05"),
    ("Failed to modify QP to RTR", "libibverbs", "NIC-05 OS-05 OS-07 RT-05"),  # uccl-project/uccl issue 641
    (" Unable to Connect the HCA's through the link", "perftest", "NIC-05 OS-05 OS-07 RT-05"),
    ("Failed to exchange data between server and clients", "perftest", "APP-06"),
    ("IB device mlx5_9 not found", "perftest", "OS-17 NIC-03 OS-09 K8S-01"),
    ("no active messages transport to <no debug data>: self/memory - Destination is unreachable", "UCX",
     "MPI-03 OS-17 OS-05"),
    ("[node1:105832] PML ucx cannot be selected", "Open MPI", "MPI-02 NIC-03 OS-09 K8S-01"),
    ("A high-performance Open MPI point-to-point messaging module\nwas unable to find any relevant network "
     "interfaces:\n\nModule: OpenFabrics (openib)\n  Host: node1\n", "Open MPI", "MPI-01 NIC-03 OS-09"),
    ("There are no allocated resources for the application\n  ./osu_bw\nthat match the requested mapping:\n",
     "Open MPI", "MPI-07"),
    ("mpirun was unable to launch the specified application as it could not access\nor execute an executable:\n",
     "Open MPI", "APP-10 MPI-02"),
    ("Primary job  terminated normally, but 1 process returned\na non-zero exit code.", "Open MPI", ""),
    ("mlx5_core 0000:61:00.0: mlx5_cmd_check:795:(pid 5): ALLOC_UAR(0x802) op_mod(0x0) failed, status limits "
     "exceeded(0x8), syndrome (0x5a7939)", "Linux", "NIC-21"),
    ("no CUDA-capable device is detected", "CUDA", "APP-09 OS-12"),
    ("error: 'CUDA driver version is insufficient for CUDA runtime version'", "CUDA", "NIC-04"),
    ("By default, for Open MPI 4.0 and later, infiniband ports on a device\nare not used by default.  The intent is to "
     "use UCX for these devices.", "Open MPI", "MPI-01"),
    ("No components were able to be opened in the pml framework.", "Open MPI", "MPI-02 NIC-03 OS-09"),
    # NVIDIA/nccl-tests issues 145, 103
    ("node1:1:9 [0] NCCL INFO misc/socket.cc:600 -> 2\nnode1:1:9 [0] NCCL INFO group.cc:64 -> 2 [Async thread]", "NCCL",
     ""),  # NVIDIA/nccl issue 1099
    ("node1:1:9 [0] INFO bootstrap.cu:28 -> 2 [Net]\nnode1:1:9 [0] INFO init.cu:119 -> 2", "NCCL", ""),
    ("node1 [0] include/socket.h:99 WARN Call to connect failed : Connection refused", "NCCL",
     "APP-02 OS-19 OS-14 OS-06"),  # NVIDIA/nccl issue 111
    ("PRTE has lost communication with a remote daemon.\n\n  HNP daemon   : [prterun-n1-9@0,0] on node n1\n",
     "Open MPI", "OS-19 CAB-01"),
    ("nvcc fatal   : Unsupported gpu architecture 'compute_35'\nmake[1]: *** [Makefile:84: ../build/all_reduce.o] "
     "Error 1", "build", "APP-11"),
    # Johansen, section A.3.9: nccl-tests newer than nvcc 11.4
    ('"../verifiable/verifiable.cu", line 353: error: expected a ")"\n  return (uint64_t)((((unsigned __int128)a) * '
     "((unsigned __int128)b)) >> 64);\n^\n", "build", "APP-11"),
    ("In file included from all_reduce.cu:8:\ncommon.h:15:10: fatal error: mpi.h: No such file or directory\n   15 | "
     '#include "mpi.h"\ncompilation terminated.', "build", "APP-12"),
    ("node1:100:120 [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 4000",
     "NCCL", "APP-09"),
    ("misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer 10.10.1.3<36138>", "NCCL",
     "APP-02 OS-19 OS-06 K8S-03"),  # NVIDIA/nccl issue 1612
    # NVIDIA/nccl issues 975 and 983; src/bootstrap.cc
    ("node1:12251:12400 [5] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to fe80::966d:ae03:a2:8cf0%ib1"
     "<17943> failed : Software caused connection abort", "NCCL", "OS-14 OS-06 RT-10"),
    ("node1:1:2 [0] misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-a5Ra5x to 9637892 bytes\n"
     "node1:1:2 [0] misc/shmutils.cc:113 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-a5Ra5x "
     "(size 9637888)", "NCCL", "OS-03"),
    ("node1:1:2 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found", "NCCL", "OS-14 K8S-01"),
    ("libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.", "libibverbs", "OS-02 MPI-02"),
    ("RuntimeError: CUDA error: system not yet initialized", "CUDA", "GPU-05"),
    ("There are not enough slots available in the system to satisfy the 2\nslots that were requested by the "
     "application:\n\n  ./all_reduce_perf\n", "Open MPI", "MPI-07"),
    ("bash: orted: command not found", "Open MPI", "MPI-02"),
    # open-mpi/ompi issue 5639
    ("ssh: connect to host 192.0.2.57 port 22: Connection refused\nORTE was unable to reliably start one or more "
     "daemons.", "Open MPI", "MPI-08 OS-06 OS-14"),
    ("ORTE does not know how to route a message to the specified daemon", "Open MPI", ""),
    ("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n", "MPICH", ""),
    ("Abort(1091215) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init", "MPICH", ""),
    ("SCICreateSegment failed: Out of local resources (0x40000904)", "SISCI", "PCI-16"),
    ("ERROR: Couldn't find '.*cuda-[0-9.]+$' in '/usr/local'", "eXpressWare", "APP-13"),
    (r"ERROR: Couldn't find\n'.*\/Module.symvers$' in\n'/usr/src/nvidia-470.141.03'".replace(r"\n", "\n"),
     "eXpressWare", "APP-13"),
    ("srun: error: Unable to create step for job 12: Requested node configuration is not available", "Slurm",
     "MPI-07"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tool", "failures"), ROWS, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_pasted_message_is_a_failed_run_with_its_causes(text: str, tool: str, failures: str, end: str) -> None:
    (run,) = parse(text + end) if "NCCL WARN" not in text or end else parse(text + "\n")
    assert (run.tool, run.status, " ".join(run.failures)) == (tool, RunStatus.FAILED, failures)
    assert run.error


def test_lines_without_the_process_give_the_facts_of_their_communicator() -> None:
    reading = read("NCCL INFO NET/IB : Using [0]mlx5_0:1/IB/SHARP [1]mlx5_1:1/IB [RO]\nNCCL INFO Using network IB\n")
    (communicator,) = reading.communicators
    assert reading.runs == ()
    assert communicator.hosts == ()
    assert (communicator.network, [nic.name for nic in communicator.nics]) == ("IB", ["mlx5_0", "mlx5_1"])
    assert [nic.sharp for nic in communicator.nics] == [True, False]


def test_a_warning_of_old_releases_precedes_the_failure() -> None:
    """NVIDIA/nccl issue 111: NCCL 2.0 prints WARN without its name, and a program like nccl-tests fails."""
    warning = "alpha [0] include/socket.h:99 WARN Call to connect failed : Connection refused"
    (run,) = parse(f"{warning}\nNCCL failure train.cu:12 'unhandled system error'\n")
    assert run.error == f"{warning}; NCCL failure train.cu:12 'unhandled system error'"
    assert run.failures == ("APP-02", "OS-19", "OS-14", "OS-06")


def test_a_library_that_fails_is_named_before_its_launcher() -> None:
    text = (
        "mpirun noticed that process rank 0 with PID 0 on node node1 exited on signal 6 (Aborted).\n"
        "[node1:1:0:1] ib_mlx5_log.c:139 Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81)\n"
    )
    (run,) = parse(text)
    assert run.tool == "UCX"
    assert run.error is not None
    assert "mpirun noticed" in run.error


@pytest.mark.parametrize(
    "text",
    [
        "everything is fine\n",
        "node1:7:9 [0] NCCL INFO cudaDriverVersion 12080\n",
        "node1:7:9 [0] NCCL INFO misc/nvmlwrap.cc:100 -> 2\n",  # returned to no call of the application
        "Connection refused\n",
        # openucx/ucx issue 8851: lines of UCX_LOG_LEVEL=info report no failure
        "[1675729687.002730] [cn2:32621:0] ucp_context.c:2110 UCX INFO Version 1.15.0 (loaded from libucp.so.0)\n",
        "[1675730325.618066] [cn3:112744:0]   ucp_worker.c:1775 UCX  DEBUG inter-node cfg#0 tag(rc_mlx5/mlx5_0:1)\n",
        "warning: unused variable 'error'\n",
        "main.c:1:10: fatal error: config.h: No such file or directory\n",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        parse(text)


def test_every_origin_has_a_message() -> None:
    assert {tool for _, tool, _ in ROWS} >= set(MESSAGES) - {"RCCL", "HIP"}


@pytest.mark.parametrize("program", ["ib_write_bw", "/usr/bin/ib_write_bw", "./ib_write_bw"])
def test_a_program_is_named_as_it_was_called(program: str) -> None:
    """getopt prints the first word of the command line, here that of a perftest without GPU memory."""
    (run,) = parse(f"{program}: unrecognized option '--use_rocm=0'\n")
    assert (run.tool, run.test, run.status, list(run.failures)) == (
        "perftest",
        "ib_write_bw",
        RunStatus.FAILED,
        ["APP-07"],
    )

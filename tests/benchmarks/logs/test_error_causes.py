"""Messages of failed runs, as tools print them, and the failures of the catalogue they point to."""

from __future__ import annotations

import re

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.logs.error_causes import CANCELED, SPECIFIC, VAGUE, Case, causes, divide_messages, messages
from wirespeed.catalogue import load
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.parameters import Parameters

CUDA, ROCM = Case(Parameters(memory="cuda")), Case(Parameters(memory="rocm"))
MTU_4096 = Parameters(path_mtu_bytes=4096)

ZEROS = "00000000 00000000 00000000 00000000\n"
ROWS: list[tuple[str, Case, str]] = [
    # a request that was never acknowledged: nothing went through, nothing of a full packet, or some did
    ("Failed status 12: wr_id 0 syndrom 0x81", Case(), "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    ("Failed status 12: wr_id 0 syndrom 0xa", Case(MTU_4096, 2048), "SW-01"),
    ("Failed status 12: wr_id 0 syndrom 0x81", Case(MTU_4096, 4096), "CAB-01 SW-02 CAB-02 NIC-17 SW-06"),
    ("Failed status 12: wr_id 0 syndrom 0x81", Case(Parameters(), 2048), "CAB-01 SW-02 CAB-02 NIC-17 SW-06"),
    ("NET/IB : Got completion from peer 10.1.2.3<5> with error 12, opcode 0, len 0, vendor err 129",
     Case(), "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    ("NET/IB: Got completion from peer 10.1.2.3<5> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1)",
     Case(), "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    ("UCX  ERROR Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
     Case(), "MPI-03 NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    ("Failed to modify UD QP to INIT on mlx5_0: Operation not permitted", Case(), "MPI-01"),
    # other statuses of completions
    ("Failed status 13: wr_id 0 syndrom 0x87", Case(), "NIC-08"),
    ("UCX  ERROR RNR retry count exceeded on mlx5_0:1/RoCE", Case(), "NIC-08"),
    ("Failed status 10: wr_id 0 syndrom 0x88", Case(), "NIC-04 OS-09"),
    ("Failed status 10: wr_id 0 syndrom 0x88", ROCM, "OS-10 PCI-02 NIC-04 OS-09"),
    ("Remote access error on mlx5_0:1/RoCE", Case(), "NIC-04 OS-09"),
    ("Failed status 4: wr_id 0 syndrom 0x51", CUDA, "PCI-01 PCI-02 OS-10 PCI-06"),
    ("NCCL WARN NET/IB : Got completion from peer 10.1.2.3<5> with error 4, opcode 0, len 0, vendor err 81 (Send)",
     Case(), "PCI-01 PCI-02 OS-10 PCI-06"),
    ("NCCL WARN NET/IB: Got completion from peer 10.1.2.3<5> with status=IBV_WC_LOC_PROT_ERR(4) opcode=IBV_WC_SEND(0)",
     Case(uses_gpudirect=True), "PCI-01 PCI-02 OS-10 PCI-06"),
    ("NCCL WARN NET/IB : Got completion from peer 10.1.2.3<5> with error 4, opcode 0, len 0, vendor err 81 (Send)",
     Case(uses_gpudirect=False), ""),
    ("Failed status 9: wr_id 0 syndrom 0x89", Case(), "NIC-04 OS-09 NCCL-13"),
    ("Failed status 11: wr_id 0 syndrom 0x8b", Case(), "PCI-01 PCI-02 NIC-16 NIC-04"),
    # a canceled operation counts if no other completion is in the log
    ("NCCL WARN NET/IB : Got completion from peer 10.1.2.3<5> with error 5, opcode 0, len 0, vendor err 249", Case(),
     "APP-02 OS-19"),
    ("NET/IB : Got completion from peer 10.1.2.3<5> with status=5 opcode=0 len=0 vendor err 249 (Recv)\n"
     "NET/IB : Got completion from peer 10.1.2.3<5> with status=13 opcode=0 len=0 vendor err 135 (Recv)", Case(),
     "NIC-08"),
    ("UCX  ERROR Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)", Case(),
     "CAB-01 CAB-02 MPI-03 NIC-16"),
    ("Failed status 4: wr_id 0 syndrom 0x51", Case(), ""),
    ("Failed status 112: wr_id 0 syndrom 0x81", Case(), ""),
    # memory
    ("Couldn't allocate MR\nfailed to create mr", Case(), "OS-02 K8S-02"),
    ("Couldn't allocate MR\nfailed to create mr", CUDA, "OS-10 OS-11 OS-02 K8S-02"),
    ("Couldn't allocate MR with error=14", Case(), "OS-10 OS-11 OS-02 K8S-02"),
    ("Couldn't allocate MR with error=93", CUDA, "OS-11 OS-10 OS-02 K8S-02"),
    ("NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory", Case(), "OS-02 K8S-02"),
    # https://github.com/openucx/ucx/issues/6049: the NIC has no doorbell pages left
    ("ib_md.c:1678 UCX  ERROR ibv_open_device(mlx5_0) failed: Cannot allocate memory", Case(), "NIC-21"),
    ("mlx5_core 0000:61:00.0: mlx5_cmd_check:795:(pid 53945): ALLOC_UAR(0x802) op_mod(0x0) failed, status limits "
     "exceeded(0x8), syndrome (0x5a7939)", Case(), "NIC-21"),
    ("mlx5_core 0000:61:00.0: mlx5_cmd_check:795:(pid 9): ALLOC_UAR(0x802) op_mod(0x0) failed, status bad resource "
     "state(0x9), syndrome (0x0)", Case(), ""),
    ("UCX  ERROR ibv_open_device(mlx5_0) failed: Cannot allocate memory\n"
     "UCX  ERROR ibv_create_cq() failed: Cannot allocate memory", Case(), "NIC-21 OS-02 K8S-02"),
    # https://github.com/openucx/ucx/pull/9986
    ("UCX  ERROR mlx5dv_devx_alloc_uar(device=mlx5_0, flags=0x0(UAR)) failed: Cannot allocate memory. This may be due "
     "to insufficient UAR space.", Case(), "NIC-21"),
    ("NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory", Case(), "OS-02 K8S-02 OS-18"),
    ("NCCL WARN Call to ibv_reg_mr failed with error Bad address", Case(), "OS-10 OS-11"),
    ("NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Operation not supported", Case(), "OS-11 OS-10"),
    ("ibv_reg_mr() failed: Operation not permitted", Case(), "K8S-02 OS-02"),
    ("UCX  ERROR ibv_create_cq() failed: Cannot allocate memory. Please set max locked memory (ulimit -l) to"
     " 'unlimited' (current: 64 kbytes)", Case(), "OS-02 K8S-02 MPI-02"),
    ("libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.", Case(), "OS-02 MPI-02"),
    ("  Registerable memory:     32768 MiB\n  some of the registerable memory", Case(), "OS-02"),
    ("NCCL WARN Error: failed to extend /dev/shm/nccl-8XkQzb to 9637892 bytes", Case(), "OS-03"),
    ("NCCL WARN Error while creating shared memory segment nccl-shm-recv (size 9637888)", Case(), "OS-03"),
    ("[h1:77] Signal: Bus error (7)", Case(), "OS-03"),
    # devices and ports
    ("IB device mlx5_77 not found", Case(), "OS-17 NIC-03 OS-09 K8S-01"),
    ("UCX  WARN  network device 'mlx5_9:1' is not available", Case(), "OS-17 NIC-03 OS-09 K8S-01"),
    (" Did not detect devices", Case(), "NIC-03 OS-09 OS-08 K8S-01"),
    ("NCCL WARN Call to ibv_modify_qp failed with error No such device", Case(), "K8S-01 OS-15 NIC-03"),
    ("libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)", Case(),
     "OS-09 OS-08"),
    ("Failed to open libibverbs.so[.1]", Case(), "NCCL-01 OS-09"),
    (" Port number 1 state is Down", Case(), "CAB-01 CAB-05"),
    (" Port number 1 state is Active", Case(), ""),
    ("Requested mtu is higher than active mtu", Case(), "OS-07"),
    ("MTU mismatch between both ends", Case(), "OS-07 SW-01"),
    ("iperf3: error - unable to write to stream socket: Message too long", Case(), "OS-07 SW-01"),
    ("NCCL WARN NET/IB : mlx5_0:1 Got async event : local catastrophic error", Case(), "NIC-16"),
    ("NCCL WARN NET/IB : mlx5_0:1 Got async event : port error", Case(), "CAB-01"),
    ("NCCL WARN NET/IB : mlx5_0:1 Got async event : GID table change", Case(), "OS-15"),
    # connecting
    ("NCCL WARN NET/IB: read failed in ncclIbRoceGetVersionNum: Invalid argument", Case(), "NCCL-09 NIC-05"),
    (" ReadValues Incompatibility issue with GID types.", Case(), "NIC-05 NCCL-09 K8S-01"),
    ("Failed to query GID table", Case(), "NIC-05 NCCL-09 K8S-01"),
    ("NCCL WARN Call to ibv_modify_qp failed with error Connection timed out", Case(), "OS-05 NIC-05 NCCL-16 RT-05"),
    ("NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_3:1, curr state INIT, next"
     " state RTR, local GID index 3, local GID ::ffff:10.3.0.1, remote GID ::ffff:10.5.0.2", Case(),
     "NCCL-16 RT-10 OS-05 RT-05 NIC-05"),
    ("NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_3:1, curr state INIT, next"
     " state RTR, local GID index 3, local GID ::ffff:10.3.0.1, remote GID ::ffff:10.3.0.2", Case(),
     "OS-05 NIC-05 NCCL-16 RT-05"),
    ("NCCL WARN Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_3:1, curr state INIT, next"
     " state RTR, local GID index 1, local GID fe80::1, remote GID ::ffff:10.3.0.2", Case(), "NIC-05 NCCL-09 OS-07"),
    ("NCCL WARN Call to ibv_modify_qp failed with error Invalid argument", Case(is_mixed_fabric=True),
     "NCCL-02 NIC-05 OS-07"),
    ("NCCL WARN Call to ibv_set_ece failed with error Invalid argument errno 22", Case(), "NIC-04 OS-09"),
    ("NCCL WARN Call to ibv_modify_qp failed with error No data available errno 61", Case(), "OS-05 NIC-05 RT-10"),
    ("NCCL WARN Call to ibv_modify_qp failed with error Invalid argument errno 22", Case(), "NIC-05 OS-07"),
    ("ibv_create_ah(dlid=49152 sl=0 port=1) for RC DEVX QP connect on mlx5_0 failed: Connection timed out", Case(),
     "OS-05 NIC-05 RT-05"),
    ("iperf3: error - socket buffer size not set correctly", Case(), "TCP-01"),
    ("Failed to modify QP 295 to RTR\n Unable to Connect the HCA's through the link", Case(),
     "NIC-05 OS-05 OS-07 RT-05"),
    ("Event: RDMA_CM_EVENT_UNREACHABLE; error: -110.", Case(), "OS-05 RT-10 OS-06"),
    ("Event: RDMA_CM_EVENT_ADDR_ERROR; error: -19.", Case(), "OS-05 NIC-03 OS-04"),
    ("iperf3: error - unable to connect to server: Connection timed out", Case(), "OS-06 OS-14 RT-10 K8S-03"),
    ("iperf3: error - unable to connect to server: No route to host", Case(), "OS-06 OS-14 RT-10 OS-05"),
    ("iperf3: error - unable to connect to server: Network is unreachable", Case(), "OS-14 RT-10 OS-05"),
    ("Couldn't connect to 10.7.0.1:18515", Case(), "APP-06 OS-06 OS-14"),
    ("iperf3: error - unable to connect to server: Connection refused", Case(), "APP-06 OS-06 OS-14"),
    ("connect failed: Connection refused", Case(), "APP-06 OS-06 OS-14"),
    ("NCCL WARN socketStartConnect: Connect to 172.17.0.1<41211> failed : Connection refused", Case(),
     "APP-02 OS-19 OS-14 OS-06"),
    ("Connect to 10.1.0.7<45231> failed : Software caused connection abort", Case(), "OS-14 OS-06 RT-10"),
    ("A process or daemon was unable to complete a TCP connection", Case(), "OS-06 OS-14 K8S-03"),
    ("iperf3: error - control socket has closed unexpectedly", Case(), "OS-06 K8S-03"),
    # getopt's message in a perftest without these options (tests/samples/perftest/real-6.06-no-device.txt, run 6.06)
    ("ib_write_bw: unrecognized option '--use_rocm=0'", Case(), "APP-07"),
    ("ib_write_bw: unrecognized option '--use_cuda=0'", Case(), "APP-07"),
    ("ib_write_bw: unrecognized option '--use_rocket'", Case(), ""),
    # Johansen, Fast Multi-GPU communication over PCI Express, sections A.3.9 and 4.1
    ("Test CUDA failure common.cu:381 'no kernel image is available for execution on the device'", Case(), "APP-08"),
    ("SCICreateSegment failed: Out of local resources (0x40000904)", Case(), "PCI-16"),
    # the same, appendix A.3.10
    (
        r"ERROR: Couldn't find '.*\/((nvidia-([0-9]+\.\.?)+(\/nvidia)?)|nvgpu\/.*)\/nv-p2p.h$' in '/usr/src/'",
        Case(),
        "APP-13",
    ),
    (r"ERROR: Couldn't find '.*\/Module.symvers$' in '/usr/src/nvidia-470.141.03'", Case(), "APP-13"),
    ("ERROR: Couldn't find '.*cuda-[0-9.]+$' in '/usr/local'", Case(), "APP-13"),
    ("WARNING: Symbol version dump /usr/src/nvidia/Module.symvers is missing.", Case(), ""),
    # UCX and Open MPI
    ("UCX  ERROR ucp_ep_create() failed: Destination is unreachable", Case(), "MPI-03 OS-17 OS-05"),
    ("Fatal: UD endpoint 0x55001f12c0 to <no debug data>: unhandled timeout error", Case(), "MPI-03 SW-02 SW-01"),
    ("UCX  WARN  transport 'rocm_copy' is not available", Case(), "MPI-04"),
    ("WARNING: There was an error initializing an OpenFabrics device.", Case(), "MPI-01"),
    ("WARNING: No preset parameters were found for the device that Open MPI", Case(), "MPI-01"),
    ("bash: orted: command not found", Case(), "MPI-02"),
    ("/usr/include/crt/host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later than 11 are "
     "not supported!", Case(), "APP-11"),
    ("catastrophic error: #error directive: -- unsupported pgc++", Case(), "APP-11"),
    ('"/usr/include/stdio.h(189): error: attribute "__malloc__" does', Case(), "APP-11"),
    ("nvcc fatal   : Unsupported gpu architecture 'compute_35'", Case(), "APP-11"),
    ('"../verifiable/verifiable.cu", line 353: error: expected a ")"', Case(), "APP-11"),
    ("common.h:14:17: fatal error: mpi.h: No such file or directory", Case(), "APP-12"),
    ("/usr/bin/ld: cannot find -lnccl: No such file or directory", Case(), "APP-12"),
    ("main.cu:(.text+0xd8): undefined reference to `ncclCommDestroy'", Case(), "APP-12"),
    ("mpirun was unable to find the specified executable file, and therefore", Case(), "APP-10 MPI-02"),
    ("node1: osu_latency not found in PATH; name its folder with --path", Case(), "APP-10 MPI-02"),
    ("mpirun was unable to launch the specified application as it could not access", Case(), "APP-10 MPI-02"),
    ("[node1:105832] PML ucx cannot be selected", Case(), "MPI-02 NIC-03 OS-09 K8S-01"),
    ("was unable to find any relevant network interfaces:", Case(), "MPI-01 NIC-03 OS-09"),
    ("There are no allocated resources for the application", Case(), "MPI-07"),
    ("CUDA error: no CUDA-capable device is detected", Case(), "APP-09 OS-12"),
    ("Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'", Case(), "NIC-04"),
    ("By default, for Open MPI 4.0 and later, infiniband ports on a device", Case(), "MPI-01"),
    ("No components were able to be opened in the pml framework.", Case(), "MPI-02 NIC-03 OS-09"),
    ("no active messages transport to <no debug data>: self/memory", Case(), "MPI-03 OS-17 OS-05"),
    (" Unable to Connect the HCA's through the link", Case(), "NIC-05 OS-05 OS-07 RT-05"),
    # connect(2): no process listens, so the other end has ended or was not started; a firewall that rejects gives
    # the same error
    ("iperf3: error - unable to connect to server: Connection refused", Case(), "APP-06 OS-06 OS-14"),
    ("[node1][[5,1],0][btl_tcp_endpoint.c:625] connect() to 10.0.0.2 failed: Connection refused (111)", Case(),
     "APP-06 OS-06 OS-14"),
    ("misc/socket.cc:483 socketStartConnect: Connect to 10.1.0.7<45231> failed : Connection refused", Case(),
     "APP-02 OS-19 OS-14 OS-06"),
    ("os/linux.cc:288 ncclOsSocketPollConnect: connect to 10.1.0.7<45231> returned Connection refused, exceeded error "
     "retry count after 35 attempts", Case(), "APP-02 OS-19 OS-14 OS-06"),
    ("ssh: connect to host node2 port 22: Connection refused", Case(), "MPI-08 OS-06 OS-14"),
    # canceled work: after an earlier error, or when the other end disconnects
    ("Failed status 5: wr_id 0 syndrom 0xf9", Case(), "APP-06 NIC-16"),
    ("Failed status 5: wr_id 0 syndrom 0xf9\nFailed status 10: wr_id 1 syndrom 0x88", Case(), "NIC-04 OS-09"),
    ("rc_verbs_impl.h:122  Fatal: receive completion[0] with error on mlx5_2/0x44: Work Request Flushed Error, "
     "vendor_err 0xf9 wr_id 0x7fff", Case(), "APP-06 NIC-16"),
    # spdk/spdk issue 264 has the dump of status 10; byte 55 is the syndrome (rdma-core, providers/mlx5/mlx5dv.h)
    (f"mlx5: node1: got completion with error:\n{3 * ZEROS}00000000 0000f905 10000146 0045b9d3", Case(),
     "APP-06 NIC-16"),
    (f"mlx5: node1: got completion with error:\n{3 * ZEROS}00000000 00008813 10000146 0045b9d3", Case(), ""),
    ("NET/IB : Got completion from peer 10.1.0.2<4> with status=5 opcode=0 len=0 vendor err 249 (Recv)", Case(),
     "APP-02 OS-19"),
    ("NET/IB : Attempted to connect incompatible devices: [1]mlx5_1:1/RoCE and [0]mlx5_0:1/IB. Try selecting NICs of "
     "only one link type using NCCL_IB_HCA", Case(), "NCCL-02"),
    ("NET/IB : Remote RoCE device is incompatible with the local [0]mlx5_0:1/IB.", Case(), "NCCL-02"),
    # a message that only reports what happened elsewhere does not count beside another
    ("Failed to exchange data between server and clients", Case(), "APP-06"),
    (" Unable to open file descriptor for socket connection Unable to init the socket connection", Case(),
     "APP-06 OS-06 OS-14"),
    ("Failed to modify QP 295 to RTR\n Failed to exchange data between server and clients", Case(),
     "NIC-05 OS-05 OS-07 RT-05"),
    ("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, Timeout(ms)=1800000)", Case(),
     "APP-02"),
    ("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4)\nNET/IB : Got completion from peer "
     "10.1.2.3<5> with error 13, opcode 0, len 0, vendor err 135", Case(), "NIC-08"),
    ("misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer node2<42830>", Case(),
     "APP-02 OS-19 OS-06 K8S-03"),
    ("[h1:9] Signal code: Invalid permissions (2)", Case(), "MPI-04"),
    ("ssh: connect to host node2 port 22: Connection refused", Case(), "MPI-08 OS-06 OS-14"),
    ("Permission denied (publickey,password).", Case(), "MPI-08"),
    ("ORTE was unable to reliably start one or more daemons.", Case(), "MPI-02 MPI-08"),
    ("PRTE has lost communication with a remote daemon.", Case(), "OS-19 CAB-01"),
    ("srun: error: Unable to create step for job 9: More processors requested than permitted", Case(), "MPI-07"),
    # NCCL prints the GIDs of both ends after the status
    ("NET/IB : Got completion from peer 10.0.0.2<4> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid "
     "fe80::ba59:9fff:fe12:3456 remoteGids::ffff:10.0.0.2", Case(),
     "NIC-05 NCCL-09 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    ("There are not enough slots available in the system to satisfy the 16 slots", Case(), "MPI-07"),
    ("srun: error: Unable to create step for job 12: Requested node configuration is not available", Case(), "MPI-07"),
    ("mpirun noticed that process rank 3 with PID 0 on node h1 exited on signal 9 (Killed).", Case(), "OS-19"),
    ("slurmstepd: error: Detected 1 oom_kill event in StepId=12.0.", Case(), "OS-19"),
    ("Failed status 10: wr_id 0 syndrom 0x88\nslurmstepd: error: Detected 1 oom_kill event in StepId=12.0.", Case(),
     "OS-19 NIC-04 OS-09"),
    # NCCL and its tests
    ("# Out of bounds values : 12 FAILED", Case(), "NIC-18 APP-05"),
    ("# Out of bounds values : 0 OK", Case(), ""),
    ("NCCL WARN Failed to find ncclNetPlugin_v8 symbol in NetPlugin", Case(), "NCCL-13"),
    ('NCCL WARN Missing "iommu=pt" from kernel command line which can lead to system instablity or hang!', Case(),
     "PCI-02"),
    ('NCCL WARN NUMA auto balancing enabled which can lead to variability in the RCCL performance! Disable by "sudo '
     'sysctl kernel.numa_balancing=0"', Case(), "OS-01"),
    ("Cuda failure common.cu:958 'system not yet initialized'", Case(), "GPU-05"),
    ("NCCL WARN Bootstrap : no socket interface found", Case(), "OS-14 K8S-01"),
    ("NVRM: Xid (PCI:0000:38:00): 79, GPU has fallen off the bus.", Case(), "GPU-02"),
    ("Cuda failure p2pBandwidthLatencyTest.cu:610: 'unknown error'", Case(), "GPU-04 GPU-02"),
    # a message with little information counts only if no other one is known
    ("ethernet_read_keys: Couldn't read remote address\n Unable to read from socket/rdma_cm", Case(), "APP-06"),
    ("Failed status 13: wr_id 0 syndrom 0x87\nethernet_read_keys: Couldn't read remote address", Case(), "NIC-08"),
    ("RDMA CM event error:\nEvent: RDMA_CM_EVENT_REJECTED; error: 8.", Case(), "APP-06"),
    ("NCCL failure common.cu:958 'remote process exited or there was a network error'", Case(),
     "CAB-01 NIC-05 GPU-02 APP-02"),
    ("NCCL failure all_gather.cu:88 'unhandled cuda error'", Case(), "GPU-02 GPU-04"),
    ("Test NCCL failure common.cu:1041 'unhandled system error'", Case(), "OS-02 OS-03 OS-14 NIC-05"),
    ("Test NCCL failure common.cu:1041 'unhandled system error'\n[h1:77] Signal: Bus error (7)", Case(), "OS-03"),
    # clocks
    ("Correlation coefficient r^2: 0.855538 < 0.9\nCan't produce a report", Case(), "PCI-12"),
    # https://github.com/NVIDIA/nccl-tests/issues/92: -np 2 -g 2 on a host with two GPUs
    ("node1: Test CUDA failure common.cu:963 'invalid device ordinal'", Case(), "APP-09 GPU-02"),
    ("NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 4000", Case(), "APP-09"),
    ("NCCL WARN NET/IB : Got completion from peer 10.0.0.2<33397> with status=12 opcode=0 len=0 vendor err 129 (Recv)",
     Case(is_mixed_fabric=True), "NCCL-02 NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
    # https://github.com/NVIDIA/nccl/issues/1819: the index has no GID
    ("NCCL WARN Call to ibv_modify_qp failed with 61 No data available, on dev bnxt_re0:1, local GID index 3, "
     "local GID ::", Case(), "OS-15 OS-05 NIC-05 RT-10"),
    ("NCCL WARN Call to ibv_modify_qp failed with 61 No data available, local GID ::, remote GID ::ffff:10.1.0.2",
     Case(), "OS-15 OS-05 NIC-05 RT-10"),
    ("NCCL WARN Call to ibv_modify_qp failed with 61 No data available, local GID ::ffff:10.1.0.1", Case(),
     "OS-05 NIC-05 RT-10"),
    # what is no failure of a cluster
    (" Iteration num should be between 5 and 100000000", Case(), ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "case", "failures"), ROWS, ids=lambda value: str(value)[:50])
def test_a_message_points_to_its_causes(text: str, case: Case, failures: str) -> None:
    assert " ".join(causes(text, case=case)) == failures


_CLOSED = "gpu02:9:9 [1] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer gpu01<49892>\n"
_COMPLETION = (
    "gpu01:4711:4790 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<33397> with "
    "status={} opcode=32611 len=32611 vendor err 81 (Send)\n"
)
_KILLED = (
    "gpu01: slurmstepd: error: Detected 1 oom_kill event in StepId=81.0. Some of the step tasks have been OOM Killed.\n"
)
_HOST_MEMORY = "gpu01:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        # a process that lost its connection prints before the one whose completion failed: the completion counts
        (_CLOSED + _COMPLETION.format(4), "PCI-01 PCI-02 OS-10 PCI-06"),
        (_CLOSED + _COMPLETION.format(12), "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
        (_CLOSED + _COMPLETION.format(5), "APP-02 OS-19"),
        # the kernel killed a process: the others lost their connections
        (_CLOSED + _KILLED, "OS-19 APP-02 OS-06 K8S-03"),
        (_COMPLETION.format(12) + _KILLED, "OS-19 NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
        (_CLOSED, "APP-02 OS-19 OS-06 K8S-03"),
        # a completion without a known cause leaves that of the connection
        (_HOST_MEMORY + _CLOSED.replace("gpu02", "gpu01") + _COMPLETION.format(4), "APP-02 OS-19 OS-06 K8S-03"),
    ],
)
def test_the_most_specific_warning_of_nccl_names_the_causes(text: str, failures: str) -> None:
    (run,) = parse(text)
    assert " ".join(run.failures) == failures


def test_every_row_of_the_table_has_an_example() -> None:
    for cause in (*SPECIFIC, *CANCELED, *VAGUE):
        assert any(cause.explains(text, case) for text, case, _ in ROWS), cause.examples


def test_every_printed_message_is_one_that_its_row_recognizes() -> None:
    for cause in (*SPECIFIC, *CANCELED, *VAGUE):
        for example in cause.examples:
            text = re.sub(r" \([A-Z][^()]*\)$", "", example)
            assert cause.pattern.search(text) is not None, example
            assert any(keyword in text for keyword in cause.keywords), example


def test_every_row_names_failures_of_the_catalogue_and_a_source() -> None:
    failures = set(load().failures)
    for cause in (*SPECIFIC, *CANCELED, *VAGUE):
        assert cause.failures
        assert set(cause.failures) <= failures, cause.examples
        assert cause.source


def test_a_failure_knows_the_messages_that_point_to_it() -> None:
    assert messages("NIC-08") == ("Failed status 13", "RNR retry counter exceeded")
    assert messages("PCI-05") == ()


def test_a_text_of_several_rows_is_of_several_failures() -> None:
    """Every failure of a status 12 lists it among the texts of several failures, whatever its own row needs."""
    shared = ("Failed status 12", "vendor err 129", "transport retry counter exceeded")
    for failure in ("NCCL-02", "SW-01", "CAB-02"):
        specific, general = divide_messages(failure)
        assert set(shared) <= set(general)
        assert not set(shared) & set(specific)
    assert divide_messages("NIC-21")[1] == ()


def test_a_failed_run_names_the_message_of_its_tool_before_others() -> None:
    (run,) = parse(
        "[h1:9] WARNING: There was an error initializing an OpenFabrics device.\n"
        " Couldn't allocate MR\n failed to create mr\n Couldn't create IB resources\n"
    )
    assert (run.status, run.failures) == (RunStatus.FAILED, ("OS-02", "K8S-02", "MPI-01"))


def test_a_run_that_did_not_fail_has_no_causes() -> None:
    text = (
        "WARNING: There was an error initializing an OpenFabrics device.\n"
        "                    RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 65536      5000             196.50             196.25  \t\t   0.374317\n" + "-" * 87 + "\n"
    )
    (run,) = parse(text)
    assert (run.status, run.failures) == (RunStatus.COMPLETE, ())

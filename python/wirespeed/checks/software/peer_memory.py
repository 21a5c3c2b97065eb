"""Peer-memory client for GPU memory

The kernel has a peer-memory client, built in or as a module, through which an RDMA driver accesses GPU memory.

Impact:
    Without the client each message between GPUs is copied through host memory, at a fraction of the rate. One host
    without it slows the whole job.

Fix:
    Load ib_peer_mem from the NIC vendor's release; kernels that export the symbol themselves do not need it.

Example:
    $ grep ib_register_peer_memory_client /proc/kallsyms
    0000000000000000 T ib_register_peer_memory_client	[ib_uverbs]

Source:
    Broadcom 957608-AN210, 2.6 item 1 and 5.1 question 3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.peer_memory",)
failures = ("OS-10",)
check = compare(
    "host.peer_memory",
    wrong="the kernel has no peer-memory client",
    fix="load the peer-memory module of the NIC's software release",
    labels={True: "registered", False: "not registered"},
)

"""Locked-memory limit

A process may lock as much memory as it likes.

Why it hurts:
    RDMA registers, and so locks, every buffer it sends from. With a small limit registering fails with "Cannot
    allocate memory" and the job ends when it starts, or only at scale.

How to fix:
    Set soft and hard memlock to unlimited in /etc/security/limits.d, and LimitMEMLOCK=infinity in services that
    launch jobs, which limits.d does not reach.

Example:
    $ ulimit -l
    8192

Source:
    https://github.com/NVIDIA/nccl-tests/issues/206
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.memlock",)
failures = ("OS-02",)
check = compare("host.memlock", wrong="locked memory is limited", fix="lift the locked-memory limit")

"""Locked-memory limit

A process may lock an unlimited amount of memory.

Impact:
    RDMA registers every buffer, which locks its memory. With a small limit the registration fails with "Cannot allocate
    memory": the job ends when it starts, or only with many ranks.

Fix:
    Set soft and hard memlock to unlimited in /etc/security/limits.d. Services that launch jobs do not read limits.d:
    set LimitMEMLOCK=infinity for them.

Example:
    $ ulimit -l
    8192

Source:
    https://github.com/NVIDIA/nccl-tests/issues/206
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.memlock",)
failures = ("OS-02",)
check = compare("host.memlock", wrong="locked memory is limited", fix="remove the locked-memory limit")

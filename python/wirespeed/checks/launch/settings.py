"""Settings of the communication library

The settings of a job that the plan contains and no other check compares: limits of the transports, coalescing, eager
messages, the progress thread, GPU memory and its links, channels, and the variables of `environment`.

Impact:
    A setting that is left over from an experiment slows every job on the host, and the slowest host slows the whole
    job.

Fix:
    Set the variable in the configuration file of the library, or install the rendered files again. Remove it from job
    scripts and profiles.

Example:
    MV2_USE_COALESCE=0 in /etc/mvapich2.conf

Source:
    MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), Latency and Message Rate Optimization;
    Broadcom 957608-AN210, 8.7.2.1
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.settings import Host

subject = Host
needs = tuple(
    f"host.launch.{name}"
    for name in (
        *("hybrid_from", "rc_connections", "rc_from_messages", "queue_pairs", "priority"),
        *("coalescing", "coalescing_from", "eager_sgl", "eager_sgl_limit", "async_progress"),
        *("gpu_memory", "gpu_direct", "gpu_direct_reads", "gpu_peers", "dma_buf", "virtual_memory"),
        *("fine_grained_memory", "relaxed_ordering", "shared_memory", "network_within_host", "channels"),
        "environment",
    )
)
failures = ("NCCL-04",)
check = compare(
    *needs,
    wrong="jobs use other settings of the communication library",
    fix="set the variable in the configuration file of the library",
    override=ENVIRONMENT_FIX,
)

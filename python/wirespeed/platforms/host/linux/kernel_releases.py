"""Kernel releases of distributions, for hosts whose plan names none."""

from __future__ import annotations

_RELEASES = {
    "ubuntu-20.04": "5.15.0-102-generic",
    "ubuntu-22.04": "5.15.0-102-generic",
    "ubuntu-24.04": "6.8.0-31-generic",
    "rhel-8.8": "4.18.0-477.10.1.el8_8.x86_64",
    "rhel-8.10": "4.18.0-553.el8_10.x86_64",
    "rhel-9.4": "5.14.0-427.13.1.el9_4.x86_64",
    "rhel-9.6": "5.14.0-570.12.1.el9_6.x86_64",
    "rhel-10.0": "6.12.0-55.el10_0.x86_64",
    "sles-15.6": "6.4.0-150600.21-default",
}
"""Of a system and its release; the last of a system's major release is that of its other minor releases.

Sources: outputs of uname recorded on Rocky Linux 8.8; software page of NREL's cluster Kestrel (RHEL 9.4); NVIDIA CUDA
Installation Guide for Linux, table of native distributions (RHEL 8.10, 9.6 and 10.0; the rest of their names is that of
Red Hat's packages); results of SPEC CPU on SLES 15 SP6; kernels of Ubuntu's series 5.15 (22.04, and 20.04 with the
hardware enablement stack) and 6.8 (24.04).
"""
_REBUILDS = ("rocky", "almalinux")


def choose_kernel_release(system: str | None) -> str:
    """A kernel release that such a host runs. Without a known one, that of the newest system in the list's family."""
    name, _, version = (system or "ubuntu-22.04").partition("-")
    family = "rhel" if name in _REBUILDS else name
    if release := _RELEASES.get(f"{family}-{version}"):
        return release
    major = f"{family}-{version.partition('.')[0]}"
    of_major = [release for key, release in _RELEASES.items() if key.partition(".")[0] == major]
    of_family = [release for key, release in _RELEASES.items() if key.startswith(f"{family}-")]
    return (of_major or of_family or list(_RELEASES.values()))[-1]

"""Kernel releases that simulated hosts print."""

import pytest

from wirespeed.platforms.host.linux.kernel_releases import choose_kernel_release


@pytest.mark.parametrize(
    ("system", "release"),
    [
        ("ubuntu-22.04", "5.15.0-102-generic"),
        ("ubuntu-24.04", "6.8.0-31-generic"),
        ("ubuntu-26.04", "6.8.0-31-generic"),
        ("rhel-8.8", "4.18.0-477.10.1.el8_8.x86_64"),
        ("rocky-8.8", "4.18.0-477.10.1.el8_8.x86_64"),
        ("almalinux-8.6", "4.18.0-553.el8_10.x86_64"),
        ("rhel-9.2", "5.14.0-570.12.1.el9_6.x86_64"),
        ("sles-15.5", "6.4.0-150600.21-default"),
        ("sles-16.0", "6.4.0-150600.21-default"),
        (None, "5.15.0-102-generic"),
    ],
)
def test_a_host_runs_a_kernel_of_its_family(system: str | None, release: str) -> None:
    assert choose_kernel_release(system) == release

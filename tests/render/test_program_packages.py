"""The step that installs the tool with which the NIC's traffic classes are set, run against stand-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from render.test_software_scripts import CLUSTER, System, install

PACKAGES = "{netxtreme-peer-mem: 234.0.154.0, libbnxt_re: 234.0.154.0}"


def build_system(root: Path, packages: str) -> System:
    assert PACKAGES in CLUSTER
    system = System(root, CLUSTER.replace(PACKAGES, f"{{netxtreme-peer-mem: 234.0.154.0, {packages}}}"))
    # ROCm/mori, deployment guide: niccli-237.1.145.0_linux.zip contains niccli_*_x86_64.deb
    (root / "release/niccli_234.0.154.0_x86_64.deb").touch()
    return system


def install_packages(system: System) -> list[str]:
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    return [line for line in system.changes() if "DIR/" in line and "netxtreme" not in line]


def test_niccli_is_installed_from_its_package(tmp_path: Path) -> None:
    system = build_system(tmp_path, "niccli: 234.0.154.0")
    assert install_packages(system) == ["apt-get install -y DIR/niccli_234.0.154.0_x86_64.deb"]
    assert install_packages(system) == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_program_without_a_known_package_is_not_installed(is_there: bool, tmp_path: Path) -> None:
    """The lossless guide has an RPM of bnxtqos; no source has a package for Debian."""
    system = build_system(tmp_path, "bnxtqos: 227.0.130.0")
    if is_there:
        system.tool("bnxtqos", "")
    assert install_packages(system) == []
    output = system.run("software-install.sh").stdout
    assert ("  no deb package of bnxtqos is known: install it by hand\n" in output) is not is_there

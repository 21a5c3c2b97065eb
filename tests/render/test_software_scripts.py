"""The rendered install and remove scripts, run for real against a system of stand-ins: packages are lines in a file."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import fake_sysfs
from wirespeed import render
from wirespeed.catalogue import Catalogue
from wirespeed.cluster import read_text
from wirespeed.collect.simulated_addresses import assign_addresses
from wirespeed.plan import build

CLUSTER = """version: 1
name: small
hosts:
  node1:
    model: dell-xe9680-mi300x
    os: ubuntu-22.04
    nics: 8 x broadcom-bcm957608-p1400gd
    software: {kernel: 6.8.0-111-generic, nic_packages: {netxtreme-peer-mem: 234.0.154.0, libbnxt_re: 234.0.154.0}}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
"""

TOOLS = {  # what the scripts call, which keep their state in $ROOT and record their arguments
    "dkms": """case "$1" in
status) cat "$ROOT/dkms" ;;
remove)
  grep -v "^${2%%/*}/" "$ROOT/dkms" >"$ROOT/dkms.new" || :
  mv "$ROOT/dkms.new" "$ROOT/dkms"
  rm -r "$ROOT/var/lib/dkms/${2%%/*}"
  ;;
install)
  grep -v "^$2" "$ROOT/dkms" >"$ROOT/dkms.new" || :
  mv "$ROOT/dkms.new" "$ROOT/dkms"
  echo "$2, $4, x86_64: installed" >>"$ROOT/dkms"
  ;;
esac""",
    "apt-get": """shift 2
for one; do basename "$one" | sed 's/_.*//' >>"$ROOT/installed"; done""",
    "dpkg-deb": """[ "$3" = Package ] && basename "$2" | sed 's/_.*//' || echo 234.0.154.0""",
    "dpkg-query": """for name; do :; done
grep -qx "$name" "$ROOT/installed" || exit 1
case "$2" in *Version*) printf 'ii 234.0.154.0' ;; *) printf 'ii ' ;; esac""",
    "apt-cache": "echo '  Candidate: 1'",
    "ldconfig": "",
    "update-initramfs": "",
    "make": """if [ "${1-}" = install ]; then
  mkdir -p "$ROOT/usr/local/lib"
  : >"$ROOT/usr/local/lib/libbnxt_re-rdmav34.so"
fi""",
}


class System:
    """A folder that the scripts take for the machine."""

    def __init__(self, root: Path, cluster: str = CLUSTER, catalogue: Catalogue | None = None) -> None:
        self.root, self.bin = root, root / "bin"
        self.runs_planned_kernel = True
        self.bin.mkdir()
        for name, text in TOOLS.items():
            self.tool(name, text)
        for folder in (
            "usr/lib/libibverbs",
            "usr/lib64",
            "etc/libibverbs.d",
            "etc/ld.so.conf.d",
            "usr/sbin",
            "release",
        ):
            (root / folder).mkdir(parents=True)
        (root / "usr/lib/libibverbs/libbnxt_re-rdmav34.so").touch()
        (root / "installed").touch()
        self.dkms("bnxt_en/1.10.3.234.0.171.0", "bnxt_re/234.0.171.0")
        (root / "release/netxtreme-peer-mem-dkms_234.0.154.0_all.deb").touch()
        source = root / "libbnxt_re-234.0.154.0"
        source.mkdir()
        for name in ("autogen.sh", "configure"):
            (source / name).write_text("#!/bin/sh\n")
            (source / name).chmod(0o755)
        (source / "bnxt_re.driver").write_text("driver bnxt_re\n")
        archive = root / "release" / f"{source.name}.tar.gz"
        subprocess.run(["tar", "-czf", archive, "-C", root, source.name], check=True)
        plan = build(read_text(cluster, "small.yaml"), catalogue)
        for interface, nic in assign_addresses(plan.hosts["node1"]).nics.items():
            fake_sysfs.add_interface(root / "sys", interface, f"0000:00:01.0/{nic.pcie}")
        self.scripts = {
            file.path: file.text for file in render.files(plan, ["node1"]) if file.path.startswith("software")
        }

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"$ROOT/log"\n{text}\n')
        (self.bin / name).chmod(0o755)

    def dkms(self, *modules: str) -> None:
        (self.root / "dkms").write_text(
            "".join(f"{module}, 6.8.0-111-generic, x86_64: installed\n" for module in modules)
        )
        for module_folder in modules:
            (self.root / "var/lib/dkms" / module_folder).mkdir(parents=True)

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script with every path of the machine below the root."""
        text = re.sub(r"(?<![\w.*/}])/(usr|etc|var|lib/modules)/", rf"{self.root}/\1/", self.scripts[script])
        if self.runs_planned_kernel:
            text = re.sub(r'"\$\(uname -r\)" != \S+', f'"$(uname -r)" != {os.uname().release}', text)
        text = fake_sysfs.use(text, self.root / "sys")
        text = text.replace("find /usr/lib64 /usr/lib ", f"find {self.root}/usr/lib64 {self.root}/usr/lib ")
        file = self.root / script
        file.write_text(text)
        (self.root / "log").write_text("")
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "ROOT": str(self.root)}
        return subprocess.run(["sh", file, *arguments], capture_output=True, text=True, env=environment, check=False)

    def changes(self) -> list[str]:
        """What was changed, in order."""
        lines = (self.root / "log").read_text().replace(f"{self.root}/release/", "DIR/").splitlines()
        query_commands = ("dkms status", "dpkg-", "apt-cache")
        return [line for line in lines if line and not line.startswith(query_commands)]


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def install(system: System) -> subprocess.CompletedProcess[str]:
    takes_folder = "--from DIR" in system.scripts["software-install.sh"]
    folder = ("--from", str(system.root / "release")) if takes_folder else ()
    return system.run("software-install.sh", "--yes", *folder)


def test_nothing_is_done_without_yes(system: System) -> None:
    result = system.run("software-install.sh")
    assert (result.returncode, result.stderr) == (0, "")
    assert system.changes() == []
    assert result.stdout.splitlines()[-1] == (
        "dry run: nothing was changed; to make the changes: ./software-install.sh --from DIR --yes"
    )
    assert (system.root / "usr/lib/libibverbs/libbnxt_re-rdmav34.so").exists()


def test_nothing_is_installed_below_another_kernel_than_planned(system: System) -> None:
    system.runs_planned_kernel = False
    text = f"the kernel {os.uname().release} is running, and 6.8.0-111-generic is planned: boot that one first\n"
    dry_run = system.run("software-install.sh")
    assert dry_run.returncode == 0 and text in dry_run.stdout
    result = install(system)
    assert (result.returncode, result.stderr) == (1, f"software-install.sh: {text}")
    assert system.changes() == []


def test_a_script_without_package_files_takes_no_folder(tmp_path: Path) -> None:
    software = "{kernel: 6.8.0-111-generic, nic_packages: {netxtreme-peer-mem: 234.0.154.0, libbnxt_re: 234.0.154.0}}"
    system = System(tmp_path, CLUSTER.replace(software, "{ucx: 1.19.0, openmpi: 5.0.8}"))
    result = system.run("software-install.sh")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == (
        "dry run: nothing was changed; to make the changes: ./software-install.sh --yes"
    )
    assert "DIR" not in system.scripts["software-install.sh"].partition("\nset -eu")[0]
    refused = system.run("software-install.sh", "--from", str(tmp_path))
    assert (refused.returncode, refused.stderr) == (
        2,
        "usage: software-install.sh [--yes]\n"
        "Without --yes it is a dry run: it prints what it would do, and changes nothing.\n",
    )


def test_the_steps_are_done_in_order_and_once(system: System) -> None:
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    changes = system.changes()
    assert changes[:2] == ["dkms remove bnxt_en/1.10.3.234.0.171.0 --all", "dkms remove bnxt_re/234.0.171.0 --all"]
    assert changes[2].startswith("apt-get install -y linux-headers-")
    assert changes[3:] == [
        "apt-get install -y DIR/netxtreme-peer-mem-dkms_234.0.154.0_all.deb",
        "make ",
        "make install all",
        "ldconfig ",
        "ldconfig ",
        f"update-initramfs -u -k {os.uname().release}",
    ]
    inbox = system.root / "usr/lib/libibverbs"
    assert [file.name for file in inbox.iterdir()] == ["libbnxt_re-rdmav34.so.inbox"]
    assert (system.root / "etc/libibverbs.d/bnxt_re.driver").exists()
    second_result = install(system)
    assert (second_result.returncode, system.changes()) == (0, [])
    assert "reboot now" in result.stdout and "reboot now" not in second_result.stdout
    assert "rmmod bnxt_en; modprobe bnxt_en" in result.stdout  # 957608-AN210, appendix A


@pytest.mark.parametrize("state", [": added", ", 5.15.0-91-generic, x86_64: installed"])
def test_a_module_that_is_not_built_for_the_running_kernel_is_built(state: str, system: System) -> None:
    """dkms(8): a module is added, built and installed; its package is installed in each of these states."""
    install(system)
    (system.root / "dkms").write_text(f"netxtreme-peer-mem/234.0.154.0{state}\n")
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    kernel = os.uname().release
    assert system.changes() == [
        f"dkms install netxtreme-peer-mem/234.0.154.0 -k {kernel}",
        f"update-initramfs -u -k {kernel}",
    ]
    assert (install(system).returncode, system.changes()) == (0, [])


def test_the_rollback(system: System) -> None:
    install(system)
    result = system.run("software-remove.sh", "--yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert "apt-get purge -y netxtreme-peer-mem-dkms" in system.changes()
    assert [file.name for file in (system.root / "usr/lib/libibverbs").iterdir()] == ["libbnxt_re-rdmav34.so"]
    assert not list((system.root / "usr/local/lib").iterdir())
    assert not (system.root / "etc/ld.so.conf.d/00-wirespeed.conf").exists()


LOADED = """echo 'openat(AT_FDCWD, "/lib/libbnxt_re-rdmav34.so", O_RDONLY) = -1 ENOENT (No such file)' >&2
echo "openat(AT_FDCWD, \\"%s\\", O_RDONLY|O_CLOEXEC) = 4" >&2"""


def test_the_loaded_library_is_compared_with_the_one_that_was_built(system: System) -> None:
    library = system.root / "usr/local/lib/libbnxt_re-rdmav34.so"
    system.tool(
        "make",
        """if [ "${1-}" = install ]; then cp built.so "$ROOT/usr/local/lib/libbnxt_re-rdmav34.so"
else mkdir -p "$ROOT/usr/local/lib"; echo built >built.so; fi""",
    )
    system.tool("strace", LOADED % library)
    assert f"  ibv_devinfo loads {library}, which was built here\n" in install(system).stdout
    library.write_text("of the distribution")
    result = install(system)
    assert result.returncode == 1
    assert result.stderr.endswith("which is not the library that was built\n")
    system.tool("strace", "")
    assert (
        "  ibv_devinfo loads no libbnxt_re-rdmav yet: run this script again after the reboot\n"
        in install(system).stdout
    )


ROCM = CLUSTER.replace("{kernel", "{rocm: 7.1.0, kernel")


@pytest.mark.parametrize(
    ("os", "repository"),
    [
        ("rhel-9.4", "EPEL: install epel-release of dl.fedoraproject.org/pub/epel, then run crb enable"),
        ("sles-15.6", "PackageHub: SUSEConnect -p PackageHub/VERSION/x86_64"),
    ],
)
def test_the_repository_of_dkms_is_named_if_the_system_lacks_it(tmp_path: Path, os: str, repository: str) -> None:
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", os).replace("6.8.0-111-generic", "5.14.0-427.el9.x86_64"))
    system.tool("rpm", "exit 1")
    for name in ("dnf", "zypper"):
        system.tool(name, "exit 0")
    (system.root / "release/amdgpu-install-7.1.70100-1.el9.noarch.rpm").touch()
    assert f"  the repositories have no dkms; add {repository}\n" in system.run("software-install.sh").stdout


RPM = """case "$*" in
"-q --provides --whatprovides kernel-devel-uname-r") cat <<'EOF'
kernel-devel = 5.14.0-427.el9
kernel-devel-uname-r = 5.14.0-427.el9.x86_64
EOF
;;
"-q --whatprovides rdma-core") echo rdma-core-48.0-1.el9.x86_64 ;;
*) echo "no package provides $3"; exit 1 ;;
esac"""


@pytest.mark.parametrize(
    ("name", "is_installed"),
    [
        ("kernel-devel-uname-r == 5.14.0-427.el9.x86_64", True),
        ("kernel-devel-uname-r == 5.14.0-428.el9.x86_64", False),
        ("rdma-core", True),
        ("dkms", False),
    ],
)
def test_installed_packages_of_rpm_are_found(tmp_path: Path, name: str, is_installed: bool) -> None:
    """Answers of rpm 4.18: it finds no capability by its version, only by its name."""
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", "rhel-9.4"))
    system.tool("rpm", RPM)
    function = system.scripts["software-install.sh"].partition("\nhas() {")[2].partition("\n}\n")[0]
    system.scripts["has.sh"] = f"#!/bin/sh\nhas() {{{function}\n}}\nhas '{name}'\n"
    assert (system.run("has.sh").returncode == 0) is is_installed


def test_the_repositories_of_rocm_come_with_the_vendors_package(tmp_path: Path) -> None:
    """The file of ROCm 7.1.0 for Ubuntu 22.04, as AMD's installation page names it."""
    system = System(tmp_path, ROCM)
    (system.root / "release/amdgpu-install_6.3.60301-1_all.deb").touch()
    assert "no file amdgpu-install_*70100-*_all.deb in" in system.run("software-install.sh").stdout
    (system.root / "release/amdgpu-install_7.1.70100-1_all.deb").touch()
    system.tool(
        "apt-get",
        """[ "$1" = update ] && { : >"$ROOT/updated"; exit; }
shift 2
for one; do basename "$one" | sed 's/_.*//' >>"$ROOT/installed"; done""",
    )
    system.tool("apt-cache", """[ -e "$ROOT/updated" ] && echo '  Candidate: 7.1.0.70100-20~22.04'""")
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    headers = f"linux-headers-{os.uname().release}"
    assert system.changes()[:4] == [
        "apt-get install -y DIR/amdgpu-install_7.1.70100-1_all.deb",
        "apt-get update",
        f"apt-get install -y {headers} dkms gcc make linux-modules-extra-{os.uname().release} python3-setuptools"
        " python3-wheel",
        "apt-get install -y amdgpu-dkms rocm",
    ]
    assert "  next, for every user of jobs: usermod -a -G render,video USER\n" in result.stdout
    assert system.run("software-remove.sh", "--yes").returncode == 0
    assert "apt-get purge -y amdgpu-install" in system.changes()


@pytest.mark.parametrize("key", ["https://repo.radeon.com/rocm/rocm.gpg.key", "DIR/rocm.gpg.key"])
def test_zypper_has_amds_key_before_it_takes_a_package(tmp_path: Path, key: str) -> None:
    """zypper 1.14.42 aborts at packages and repositories with an unknown key. The key of ROCm: AMD, ROCm installation
    on Linux, SUSE Linux Enterprise native installation; a machine without a network has it in DIR."""
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", "sles-15.7"))
    (system.root / "release/amdgpu-install-7.1.70100-1.noarch.rpm").touch()
    if key.startswith("DIR"):
        (system.root / "release/rocm.gpg.key").touch()
    system.tool("rpm", '[ "$1" = --import ] && : >"$ROOT/trusted"')
    system.tool(
        "zypper",
        """case "$*" in
*info*rocm) [ ! -e "$ROOT/trusted" ] || echo 'Version : 7.1.0.70100-20' ;;
*info*) echo 'Version : 1' ;;
*) [ -e "$ROOT/trusted" ] ;;
esac""",
    )
    result = system.run("software-install.sh", "--yes", "--from", str(system.root / "release"))
    lines = [line.replace(f"{system.root}/release", "DIR") for line in result.stdout.splitlines()]
    runs = [line for line in lines if line.startswith("  run: ")]
    first = runs.index(f"  run: rpm --import {key}")
    assert runs[first + 1 : first + 3] == [
        "  run: zypper --non-interactive install DIR/amdgpu-install-7.1.70100-1.noarch.rpm",
        "  run: zypper --non-interactive refresh",
    ]
    assert "  run: zypper --non-interactive install amdgpu-dkms rocm" in runs


@pytest.mark.parametrize("is_imported", [True, False])
def test_zypper_has_amds_key_for_repositories_that_are_set_up(tmp_path: Path, is_imported: bool) -> None:
    """A key that cannot be loaded may be trusted already: zypper decides."""
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", "sles-15.7"))
    system.tool("rpm", f'[ "$1" = --import ] && exit {0 if is_imported else 1}; exit 1')
    system.tool(
        "zypper", """case "$*" in *info*rocm) echo 'Version : 7.1.0.70100-20' ;; *info*) echo 'Version : 1' ;; esac"""
    )
    lines = install(system).stdout.splitlines()
    first = lines.index("  run: rpm --import https://repo.radeon.com/rocm/rocm.gpg.key")
    assert any("the repositories that are set up are used" in line for line in lines[first:])
    assert "  run: zypper --non-interactive install amdgpu-dkms rocm" in lines[first:]
    message = "  AMD's key was not imported: put rocm.gpg.key into DIR, or import it by hand"
    assert (message in lines) is not is_imported


def test_zypper_verifies_the_package_that_adds_repositories(tmp_path: Path) -> None:
    """zypper 1.14.42 exits with 8 at a package file without a signature."""
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", "sles-15.7"))
    (system.root / "release/amdgpu-install-7.1.70100-1.noarch.rpm").touch()
    system.tool("rpm", '[ "$1" = --import ]')
    system.tool("zypper", """case "$*" in *--allow-unsigned-rpm*) ;; *amdgpu-install*) exit 8 ;; esac""")
    assert install(system).returncode == 8
    assert not [line for line in system.changes() if "refresh" in line]


VERSIONED_DPKG_QUERY = """for name; do :; done
version=$(sed -n "s/^$name //p" "$ROOT/versions")
[ -n "$version" ] || exit 1
case "$2" in
*Abbrev*Version*) printf 'ii %s' "$version" ;;
*Version*) printf %s "$version" ;;
*) printf 'ii ' ;;
esac"""


@pytest.mark.parametrize(
    ("installed", "error"),
    [
        pytest.param("6.3.1.60301-48~22.04", True, id="older"),
        pytest.param("7.1.0.70100-20~22.04", False, id="planned"),
        pytest.param("7.10.0.71000-1~22.04", True, id="7.10"),
        pytest.param("1:7.1.0.70100-20", False, id="epoch"),
    ],
)
def test_rocm_of_another_version_stops_the_installation(tmp_path: Path, installed: str, error: bool) -> None:
    """Its removal: AMD, ROCm installation on Linux, uninstalling with the package manager."""
    system = System(tmp_path, ROCM)
    names = ("amdgpu-dkms", "dkms", "gcc", "make", "python3-setuptools", "python3-wheel")
    kernel = (f"linux-headers-{os.uname().release}", f"linux-modules-extra-{os.uname().release}")
    (system.root / "versions").write_text(
        "\n".join([f"rocm {installed}", *(f"{name} 1" for name in (*names, *kernel))])
    )
    system.tool("dpkg-query", VERSIONED_DPKG_QUERY)
    message = (
        f"  rocm {installed} is installed, and 7.1.0 is planned: remove it (apt-get autoremove -y rocm rocm-core "
        "amdgpu-dkms), then run this script again\n"
    )
    dry_run = system.run("software-install.sh")
    assert (message in dry_run.stdout) is error and dry_run.returncode == 0
    result = install(system)
    assert (message in result.stdout, result.returncode != 0) == (error, error)
    assert not [change for change in system.changes() if "install" in change and "rocm" in change]


@pytest.mark.parametrize(
    ("planned", "offer", "is_refused"),
    [
        ("7.1.0", "7.1.0.70100-20~22.04", False),
        ("7.1", "7.1.0.70100-20~22.04", False),
        ("7.1", "1:7.1.0.70100-20", False),
        ("7.1", "7.10.0.71000-1~22.04", True),
        ("7.1", "(none)", True),
    ],
)
def test_the_repositories_have_the_planned_version(tmp_path: Path, planned: str, offer: str, is_refused: bool) -> None:
    """A version of more digits is another release."""
    system = System(tmp_path, ROCM.replace("7.1.0", planned))
    system.tool("apt-cache", f"echo '  Candidate: {offer}'")
    message = f"  the repositories have {offer} rocm, and {planned} is planned: set up a repository with that version"
    result = install(system)
    assert (message in result.stdout, result.returncode != 0) == (is_refused, is_refused)
    assert any("apt-get install" in change and "rocm" in change for change in system.changes()) is not is_refused


def test_rocm_of_another_version_is_found_with_rpm(tmp_path: Path) -> None:
    system = System(tmp_path, ROCM.replace("ubuntu-22.04", "rhel-9.4"))
    system.tool("rpm", """case "$*" in *--qf*rocm) echo 6.3.1.60301-48.el9 ;; esac""")
    assert "  rocm 6.3.1.60301-48.el9 is installed, and 7.1.0 is planned: remove it (dnf" in (
        system.run("software-install.sh").stdout
    )


@pytest.mark.parametrize(
    ("installed", "removed"),
    [
        # apt-get autoremove takes packages that only rocm needed with it: rocm-core is then gone
        (("rocm", "amdgpu-dkms"), ["apt-get autoremove -y rocm", "apt-get autoremove -y amdgpu-dkms"]),
        # rocm was installed by hand before: its packages are not those that nothing needs
        (
            ("rocm", "rocm-core", "amdgpu-dkms"),
            [f"apt-get autoremove -y {name}" for name in ("rocm", "rocm-core", "amdgpu-dkms")],
        ),
        (("amdgpu-dkms",), ["apt-get autoremove -y amdgpu-dkms"]),
        ((), []),
    ],
)
def test_rocm_is_removed_with_what_its_meta_package_installed(
    tmp_path: Path, installed: tuple[str, ...], removed: list[str]
) -> None:
    system = System(tmp_path, ROCM)
    (system.root / "installed").write_text("".join(f"{name}\n" for name in installed))
    assert system.run("software-remove.sh", "--yes").returncode == 0
    assert [line for line in system.changes() if "rocm" in line or "amdgpu" in line] == removed


@pytest.mark.parametrize(
    ("os", "names", "command"),
    [
        ("rhel-9.4", "rocm rocm-core amdgpu-core amdgpu-dkms", "dnf remove -y"),
        (
            "sles-15.6",
            "rocm rocm-core amdgpu-core amdgpu-dkms amdgpu-dkms-firmware",
            "zypper --non-interactive remove",
        ),
    ],
)
def test_rocm_is_removed_as_amd_documents_it(tmp_path: Path, os: str, names: str, command: str) -> None:
    script = System(tmp_path, ROCM.replace("ubuntu-22.04", os)).scripts["software-remove.sh"]
    assert f'for package in {names}; do\n  if has "$package"; then run {command} "$package"; fi\n' in script


def test_only_what_the_steps_need_is_installed(tmp_path: Path) -> None:
    """Tools of modules and libraries for packages that contain them; the distribution's perftest unless it is built."""
    scripts = System(tmp_path, CLUSTER.replace("{kernel", "{perftest: 25.07.0, kernel")).scripts["software-install.sh"]
    (rdma,) = (line for line in scripts.splitlines() if line.startswith("install_named") and "ibverbs-utils" in line)
    assert "perftest" not in rdma and "libibverbs-dev" in rdma and "dkms" in rdma
    (programs,) = (line for line in scripts.splitlines() if line.startswith("install_named") and "libpci-dev" in line)
    assert "libibumad-dev" in programs and "flex" not in programs


def test_another_stack_goes_first_and_alone(system: System) -> None:
    uninstaller = system.root / "usr/sbin/ofed_uninstall.sh"
    uninstaller.write_text('#!/bin/sh\necho uninstalled >>"$ROOT/log"\nrm -- "$0"\n')
    uninstaller.chmod(0o755)
    result = install(system)
    assert (result.returncode, system.changes()) == (3, ["uninstalled", "apt-get autoremove -y"])
    assert result.stdout.splitlines()[-1] == "reboot, then run this script again"
    assert install(system).returncode == 0


def test_a_missing_package_stops_it(system: System) -> None:
    (system.root / "release/netxtreme-peer-mem-dkms_234.0.154.0_all.deb").unlink()
    result = install(system)
    assert result.returncode == 1
    assert "no file netxtreme-peer-mem-dkms_*_all.deb of version 234.0.154.0 in" in result.stderr
    assert not (system.root / "usr/lib/libibverbs/libbnxt_re-rdmav34.so.inbox").exists()


def test_a_build_that_fails_leaves_the_library_in_use(system: System) -> None:
    system.tool("make", "exit 1")
    assert install(system).returncode == 1
    assert (system.root / "usr/lib/libibverbs/libbnxt_re-rdmav34.so").exists()
    assert not list((system.root / "var/lib/wirespeed/software").glob("built-*"))


@pytest.mark.parametrize("script", ["software-install.sh", "software-remove.sh"])
def test_a_wrong_option_does_nothing(system: System, script: str) -> None:
    result = system.run(script, "--force")
    assert result.returncode == 2
    assert result.stderr.startswith(f"usage: {script}")
    assert system.changes() == []


def test_firmware_is_flashed_where_it_is_another(tmp_path: Path) -> None:
    system = System(tmp_path, CLUSTER.replace("software: {", "software: {nic_firmware: 236.1.173.0, "))
    system.tool(
        "ethtool", 'cat "$ROOT/firmware-$2" 2>/dev/null || echo "firmware-version: 234.0.154.0/pkg 234.0.154.0"'
    )
    system.tool("niccli", "")
    missing = system.run("software-install.sh", "--yes", "--from", str(tmp_path / "release"))
    assert missing.returncode == 1
    assert "no firmware file for enp29s0np0" in missing.stderr
    (tmp_path / "release" / "BCM957608-P1400GDF00.pkg").touch()
    (tmp_path / "firmware-enp67s0np0").write_text("firmware-version: 236.1.173.0/pkg 236.1.155.0\n")
    result = system.run("software-install.sh", "--yes", "--from", str(tmp_path / "release"))
    assert result.returncode == 0, result.stderr
    flashed = [line for line in system.changes() if line.startswith("niccli")]
    assert len(flashed) == 7  # of eight, one has it
    assert flashed[0] == "niccli --dev 0000:1d:00.0 fw --update -f DIR/BCM957608-P1400GDF00.pkg --yes"
    assert "reboot now" in result.stdout


_KEPLER = "{model: supermicro-x9drg-hf-qpi, os: ubuntu-20.04, nics: 1 x dolphin-pxh810"
SDK = f"""version: 1
name: kepler
hosts:
  node1: {_KEPLER}, ntb: {{node_id: 4}}, software: {{cuda: 11.4, nvhpc: 21.9}}}}
  node2: {_KEPLER}, ntb: {{node_id: 8}}}}
switches: {{}}
cabling: {{pattern: back-to-back}}
addresses: {{scheme: link-31, pool: 10.9.0.0/24}}
"""
SDK_LINE = (  # Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.8
    "deb [signed-by=ROOT/usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg] "
    "https://developer.download.nvidia.com/hpc-sdk/ubuntu/amd64 /\n"
)


def test_the_repository_of_the_hpc_sdk_is_set_up_where_none_has_it(tmp_path: Path) -> None:
    system = System(tmp_path, SDK)
    sources = tmp_path / "etc/apt/sources.list.d/nvhpc.list"
    keyring = tmp_path / "usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg"
    for file in (sources, keyring):
        file.parent.mkdir(parents=True)
    system.tool("curl", "")
    system.tool("gpg", 'shift 4\n: >"$1"')
    system.tool("apt-cache", f"[ ! -e {sources} ] || echo '  Candidate: 21.9'")
    system.tool("apt-get", '[ "$1" = update ] || { shift 2; for one; do echo "$one" >>"$ROOT/installed"; done; }')
    result = install(system)
    assert (result.returncode, result.stderr) == (0, "")
    assert sources.read_text() == SDK_LINE.replace("ROOT", str(tmp_path))
    assert sorted(system.changes()[:2]) == [
        "curl -fsSL https://developer.download.nvidia.com/hpc-sdk/ubuntu/DEB-GPG-KEY-NVIDIA-HPC-SDK",
        f"gpg --batch --yes --dearmor -o {keyring}",
    ]
    assert system.changes()[2:4] == ["apt-get update", "apt-get install -y environment-modules nvhpc-21-9"]
    assert (install(system).returncode, system.changes()) == (0, [])
    assert system.run("software-remove.sh", "--yes").returncode == 0
    assert not sources.exists() and not keyring.exists()


@pytest.mark.parametrize(
    ("versions", "package", "path"),
    [
        ("{cuda: 11.7, nvhpc: 22.9}", "nvhpc-22-9", None),
        ("{cuda: 11.0, nvhpc: 22.9, gcc: 9}", "nvhpc-22-9-cuda-multi", "/22.9/cuda/11.0/bin:$PATH"),
    ],
)
def test_an_older_toolkit_of_the_hpc_sdk_is_in_its_package_of_several(
    tmp_path: Path, versions: str, package: str, path: str | None
) -> None:
    """Johansen, section 3.2.2: the multipack of 22.9 has CUDA 10.2, 11.0 and 11.7, its module is that of 11.7."""
    system = System(tmp_path, SDK.replace("{cuda: 11.4, nvhpc: 21.9}", versions))
    system.tool("apt-cache", "echo '  Candidate: 22.9'")
    assert install(system).returncode == 0
    assert system.changes()[0] == f"apt-get install -y environment-modules {package}"
    plan = build(read_text(SDK.replace("{cuda: 11.4, nvhpc: 21.9}", versions), "small.yaml"))
    (profile,) = [file.text for file in render.files(plan, ["node1"]) if file.path.endswith("wirespeed-nvhpc.sh")]
    assert ("PATH=" in profile) is (path is not None)
    assert (path or "") in profile


def test_a_repository_that_has_the_hpc_sdk_is_used(tmp_path: Path) -> None:
    system = System(tmp_path, SDK)
    system.tool("apt-cache", "echo '  Candidate: 21.9'")
    assert install(system).returncode == 0
    assert system.changes()[0] == "apt-get install -y environment-modules nvhpc-21-9"

"""The rendered script that builds programs of jobs, run with tools that record their calls."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.plan.test_programs import MI300X, build_plan
from tests.plan.test_software_files import WITHOUT_GPUS

from wirespeed import render

PROGRAMS = "perftest: 25.07.0, ucx: 1.19, openmpi: 5.0.8, rccl_tests: 77ae744, osu: 7.5.1"
OSU = "osu-micro-benchmarks-7.5.1"
TOOLS = {  # a clone or archive contains programs that record their calls; make writes the program that is verified
    "git": """case "$1" in
clone)
  for name in autogen.sh autogen.pl configure contrib/configure-release; do
    mkdir -p "$4/contrib"
    printf '#!/bin/sh\\necho "%s $*" >>"$LOG"\\n' "$name" >"$4/$name"
    chmod +x "$4/$name"
  done
  ;;
esac""",
    "tar": f"""mkdir -p {OSU}
printf '#!/bin/sh\\necho "configure $*" >>"$LOG"\\n' >{OSU}/configure
chmod +x {OSU}/configure""",
    "make": """case "${PWD#"$HOME"/}" in
perftest) file=perftest/bin/ib_write_bw ;;
ucx/*) file=ucx/ucx_install/bin/ucx_info ;;
ompi/*) file=ompi/ompi_install/bin/ompi_info ;;
rccl-tests) file=rccl-tests/build/all_reduce_perf ;;
osu/*) file=osu/osu_install/osu_latency ;;
esac
mkdir -p "$HOME/$(dirname "$file")"
printf '#!/bin/sh\\necho " --use_rocm=<device> configure --report_gbits"\\n' >"$HOME/$file"
chmod +x "$HOME/$file\"""",
    "curl": "",
    "nproc": "echo 4",
    "id": "echo 1000",
}


class Home:
    """A home folder, and the tools in PATH before those of the system."""

    def __init__(self, root: Path, script: str) -> None:
        self.log, self.home, self.bin, self.file = root / "log", root / "home", root / "bin", root / "job-programs.sh"
        self.home.mkdir()
        self.bin.mkdir()
        for name, text in TOOLS.items():
            self.add_tool(name, text)
        self.file.write_text(script)

    def add_tool(self, name: str, text: str) -> None:
        quiet = name in ("id", "nproc")
        record = "" if quiet else f'echo "{name} $*" >>"$LOG"\n'
        (self.bin / name).write_text(f"#!/bin/sh\n{record}{text}\n")
        (self.bin / name).chmod(0o755)

    def run(self, *arguments: str) -> tuple[int, list[str], str]:
        """Exit code, calls of the tools, and what was printed."""
        self.log.write_text("")
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.home), "LOG": str(self.log)}
        result = subprocess.run(
            ["sh", self.file, *arguments], capture_output=True, text=True, env=environment, check=False
        )
        calls = self.log.read_text().replace(str(self.home), "~").splitlines()
        return result.returncode, calls, result.stdout + result.stderr


def render_script(text: str, software: str) -> str:
    files = {file.path: file.text for file in render.files(build_plan(text, software), ["node1"])}
    return files["job-programs.sh"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, render_script(MI300X, PROGRAMS))


def test_each_program_is_built_once(home: Home) -> None:
    code, calls, output = home.run("--yes")
    assert (code, calls) == (
        0,
        [
            "git clone --recursive https://github.com/linux-rdma/perftest.git perftest",
            "git checkout 25.07.0",
            "git submodule update --init --recursive",
            "autogen.sh ",
            "configure --prefix=~/perftest --enable-rocm --with-rocm=/opt/rocm",
            "make -j 4",
            "make install",
            "git clone --recursive https://github.com/openucx/ucx.git ucx",
            "git checkout v1.19.x",
            "git submodule update --init --recursive",
            "autogen.sh ",
            "contrib/configure-release --with-rocm=/opt/rocm --with-rc --with-ud --with-dc --with-dm --with-ib-hw-tm "
            "--prefix=~/ucx/ucx_install",
            "make -j 4",
            "make install",
            "git clone --recursive https://github.com/open-mpi/ompi.git ompi",
            "git checkout v5.0.8",
            "git submodule update --init --recursive",
            "autogen.pl ",
            "configure --prefix=~/ompi/ompi_install --with-ucx=~/ucx/ucx_install --enable-mca-no-build=btl-uct "
            "--with-rocm=/opt/rocm",
            "make -j 4",
            "make install",
            "git clone --recursive https://github.com/ROCm/rccl-tests.git rccl-tests",
            "git checkout 77ae744",
            "git submodule update --init --recursive",
            "make -j 4 MPI=1 MPI_HOME=~/ompi/ompi_install HIP_HOME=/opt/rocm NCCL_HOME=/opt/rocm",
            f"curl -fLO https://mvapich.cse.ohio-state.edu/download/mvapich/{OSU}.tar.gz",
            f"tar -xzf {OSU}.tar.gz",
            "configure CC=~/ompi/ompi_install/bin/mpicc CXX=~/ompi/ompi_install/bin/mpicxx --prefix=~/osu/osu_install "
            "--enable-rocm --with-rocm=/opt/rocm",
            "make -j 4",
            "make install",
        ],
    )
    path = "$HOME/rccl-tests/build:$HOME/ompi/ompi_install/bin:$HOME/ucx/ucx_install/bin:$HOME/perftest/bin:$PATH"
    assert f"  export PATH={path}\n" in output
    code, calls, output = home.run("--yes")
    assert (code, calls, output.count("done already")) == (0, [], 5)


def test_nothing_is_done_without_yes(home: Home) -> None:
    code, calls, output = home.run()
    assert (code, calls, list(home.home.iterdir())) == (0, [], [])
    assert "  would run in ~/ucx: git checkout v1.19.x\n" in output


def test_a_clone_that_is_there_is_used(home: Home) -> None:
    home.run("--yes")
    (home.home / "ucx/.wirespeed-built").unlink()
    code, calls, _ = home.run("--yes")
    assert (code, calls[0]) == (0, "git checkout v1.19.x")


def test_a_build_that_fails_stops(home: Home) -> None:
    home.add_tool("make", "exit 2")
    code, calls, _ = home.run("--yes")
    assert (code, calls[-1]) == (2, "make -j 4")
    assert not (home.home / "perftest/.wirespeed-built").exists()


def test_a_program_without_the_memory_of_gpus_stops(home: Home) -> None:
    home.add_tool("make", TOOLS["make"].replace("--use_rocm", "--use_hugepages"))
    code, _, output = home.run("--yes")
    assert code == 1
    assert output.endswith(
        "job-programs.sh: perftest 25.07.0 for rocm was not built as planned: "
        "perftest/bin/ib_write_bw --help | grep -e --use_rocm\n"
    )


def test_root_builds_nothing(home: Home) -> None:
    home.add_tool("id", "echo 0")
    assert home.run("--yes") == (1, [], "job-programs.sh: run it as the user of the jobs, not as root\n")


def test_without_gpus_and_with_an_older_open_mpi(tmp_path: Path) -> None:
    script = render_script(WITHOUT_GPUS, "perftest: 25.07.0, openmpi: 4.1.6")
    assert '--prefix="$HOME/perftest"\n' in script and "rocm" not in script
    assert "--with-ucx --enable-mca-no-build=btl-uct\n" in script
    devices = "/^\\[Broadcom BCM57XXX\\]/,/^\\[/s/^vendor_part_id = .*/&,0x1750/"
    assert (
        f"run . sed -i '{devices}' \"$HOME/ompi/ompi_install/share/openmpi/mca-btl-openib-device-params.ini\"" in script
    )
    parameters = tmp_path / "mca-btl-openib-device-params.ini"  # two sections of the file of Open MPI 4.1.4
    parameters.write_text(
        "[Broadcom BCM57XXX]\nvendor_part_id = 0x1605\n[Broadcom BCM58XXX]\nvendor_part_id = 0xd800\n"
    )
    subprocess.run(["sed", "-i", devices, parameters], check=True)
    assert parameters.read_text().splitlines()[1::2] == ["vendor_part_id = 0x1605,0x1750", "vendor_part_id = 0xd800"]

"""Programs and libraries of jobs that are built from source, as the commands that build them.

Sources: Broadcom 957608-AN210, sections 2.7 and 8.2 to 8.4; perftest, README and configure.ac (CUDA_H_PATH); UCX 1.19,
contrib/configure-release, src/uct/ib/configure.m4 and config/m4; Open MPI 5.0, "Building Open MPI with ROCm support"
and "CUDA"; RCCL tests, README; OSU micro-benchmarks, README; ROCm, "GPU-enabled MPI".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.settings import Host

_ROCM = "/opt/rocm"
_SM = re.compile(r"\bsm_([0-9]+[a-z]?)\b")
_OPENIB_DEVICES = '"$HOME/ompi/ompi_install/share/openmpi/mca-btl-openib-device-params.ini"'


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its folder in the user's home. Commands are words of a POSIX shell."""

    title: str
    folder: str
    source: str  # command of job-programs.sh that fetches the source
    commands: tuple[tuple[str, str], ...]  # folder, command
    verify: str  # command, run in the home folder, that succeeds if the program was built as planned
    prefix: str | None = None  # folder of bin and lib
    has_libraries: bool = False
    build: str | None = None  # folder of the programs, if they are not installed below a prefix

    @property
    def executables(self) -> str | None:
        """The folder of the programs that jobs start by name."""
        return f"{self.prefix}/bin" if self.prefix else self.build


def list_programs(host: Host) -> list[Program]:
    """The planned programs, each after those that it is built with."""
    return list(_iterate_programs(host))


def list_sms(host: Host) -> tuple[str, ...]:
    """Compute capabilities of the GPUs that nvcc compiles for, without the point: 35, as makefiles of NVIDIA's samples
    take them."""
    return tuple(dict.fromkeys(_SM.findall(" ".join(host.software.gencode or ()))))


def _iterate_programs(host: Host) -> Iterator[Program]:
    software = host.software
    uses_rocm = "amdgpu" in host.modules
    cuda = f"/usr/local/cuda-{software.cuda[0]}" if software.cuda else None
    if software.perftest:
        yield _perftest(software.perftest, software.perftest_memory, cuda)
    gpu = f" --with-rocm={_ROCM}" if uses_rocm else f" --with-cuda={cuda}" if host.gpus and cuda else ""
    if software.ucx:
        yield Program(
            title=f"UCX {software.ucx}",
            folder="ucx",
            source=_clone("ucx", "https://github.com/openucx/ucx.git", _branch(software.ucx)),
            commands=(
                ("ucx", "./autogen.sh"),
                ("ucx", "mkdir -p build"),
                # configure-release disables logging, debugging, assertions and checks of parameters.
                (
                    "ucx/build",
                    f"../contrib/configure-release{gpu} --with-rc --with-ud --with-dc --with-dm --with-ib-hw-tm "
                    '--prefix="$HOME/ucx/ucx_install"',
                ),
                *_make("ucx/build"),
            ),
            verify="ucx/ucx_install/bin/ucx_info -d",
            prefix="ucx/ucx_install",
            has_libraries=True,
        )
    if software.openmpi:
        yield _openmpi(host, software.openmpi, gpu)
    if software.rccl_tests:
        yield Program(
            title=f"rccl-tests {software.rccl_tests}",
            folder="rccl-tests",
            source=_clone("rccl-tests", "https://github.com/ROCm/rccl-tests.git", software.rccl_tests),
            commands=(
                (
                    "rccl-tests",
                    f'make -j "$(nproc)" MPI=1 MPI_HOME="$HOME/ompi/ompi_install" HIP_HOME={_ROCM} NCCL_HOME={_ROCM}',
                ),
            ),
            verify="test -x rccl-tests/build/all_reduce_perf",
            build="rccl-tests/build",
        )
    if software.osu:
        archive = f"osu-micro-benchmarks-{software.osu}"
        gpu = f" --enable-rocm{gpu}" if uses_rocm else f" --enable-cuda{gpu}" if gpu else ""
        yield Program(
            title=f"OSU micro-benchmarks {software.osu}",
            folder="osu",
            source=f"download osu https://mvapich.cse.ohio-state.edu/download/mvapich/{archive}.tar.gz",
            commands=(
                (
                    f"osu/{archive}",
                    './configure CC="$HOME/ompi/ompi_install/bin/mpicc" CXX="$HOME/ompi/ompi_install/bin/mpicxx" '
                    f'--prefix="$HOME/osu/osu_install"{gpu}',
                ),
                *_make(f"osu/{archive}"),
            ),
            verify="find osu/osu_install -name osu_latency | grep osu_latency",
        )


def _perftest(revision: str, memory: str | None, cuda: str | None) -> Program:
    """perftest, for memory of GPUs if they are planned. The help of old releases ends with 1."""
    options = {
        "rocm": f" --enable-rocm --with-rocm={_ROCM}",
        "cuda": f" CUDA_H_PATH={cuda or '/usr/local/cuda'}/include/cuda.h",
    }
    return Program(
        title=f"perftest {revision}{f' for {memory}' if memory else ''}",
        folder="perftest",
        source=_clone("perftest", "https://github.com/linux-rdma/perftest.git", revision),
        commands=(
            ("perftest", "./autogen.sh"),
            ("perftest", f'./configure --prefix="$HOME/perftest"{options.get(memory or "", "")}'),
            *_make("perftest"),
        ),
        verify=f"perftest/bin/ib_write_bw --help | grep -e {f'--use_{memory}' if memory else '--report_gbits'}",
        prefix="perftest",
    )


def _openmpi(host: Host, version: str, gpu: str) -> Program:
    major = int(version.partition(".")[0])
    ucx = '="$HOME/ucx/ucx_install"' if host.software.ucx else ""
    if major < 5 and "rocm" in gpu:
        gpu = ""  # ROCm came with release 5
    ids = _list_broadcom_ids(host) if major < 5 else []  # release 5 no longer has the openib transport
    numbers = "".join(f",{name}" for name in ids)
    add_ids = f"s/^vendor_part_id = .*/&{numbers}/"
    devices = f"sed -i '/^\\[Broadcom BCM57XXX\\]/,/^\\[/{add_ids}' {_OPENIB_DEVICES}"
    return Program(
        title=f"Open MPI {version}",
        folder="ompi",
        source=_clone("ompi", "https://github.com/open-mpi/ompi.git", _branch(version)),
        commands=(
            ("ompi", "./autogen.pl"),
            ("ompi", "mkdir -p build"),
            (
                "ompi/build",
                f'../configure --prefix="$HOME/ompi/ompi_install" --with-ucx{ucx} --enable-mca-no-build=btl-uct{gpu}',
            ),
            *_make("ompi/build"),
            *(((".", devices),) if ids else ()),
        ),
        verify="ompi/ompi_install/bin/ompi_info | grep -i configure",
        prefix="ompi/ompi_install",
        has_libraries=True,
    )


def _list_broadcom_ids(host: Host) -> list[str]:
    """PCI device ids of the host's NICs from Broadcom, as the openib transport lists them: 0x1760."""
    functions = [host.pcie[nic.pcie] for nic in host.nics.values() if nic.pcie and nic.pcie in host.pcie]
    device_ids = {name for function in functions for name in function.device_ids or () if name.startswith("14e4:")}
    return [f"0x{name.partition(':')[2]}" for name in sorted(device_ids)]


def _clone(folder: str, url: str, revision: str) -> str:
    return f"clone {folder} {url} {revision}"


def _branch(version: str) -> str:
    """The tag of a release, v1.19.0, or the branch of a series, v1.19.x."""
    return f"v{version}{'.x' if version.count('.') == 1 else ''}"


def _make(folder: str) -> tuple[tuple[str, str], ...]:
    return (folder, 'make -j "$(nproc)"'), (folder, "make install")

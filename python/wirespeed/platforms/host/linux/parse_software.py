"""Packages and versions: modules built for the running kernel, GPU drivers, toolkits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place

# dkms 2: "bnxt_en, 1.10.3, 5.15.0-102-generic, x86_64: installed"; dkms 3: "bnxt_en/1.10.3, 5.15.0-102-generic, ..."
_DKMS = re.compile(r"([A-Za-z0-9_+.-]+)(?:/|, )([^,:/ ]+), ([^,: ]+), [^,: ]+: ([a-z]+)(?: .*)?")
_NOT_BUILT = re.compile(r"[A-Za-z0-9_+.-]+(?:/|, )[^,:/ ]+: added")
_CUDA = re.compile(r"/(?:\S*/)?cuda[-/]([0-9]+\.[0-9]+)/(?:\S*/)?bin/nvcc")
_NCCL = re.compile(r"/\S+/libnccl\.so\.([0-9]+(?:\.[0-9]+){2})")
# ofed_info -s: "MLNX_OFED_LINUX-24.10-0.7.0.0:", of DOCA "OFED-internal-25.10-1.7.1:"
_OFED = re.compile(r"((?:MLNX_OFED_LINUX|OFED-internal)-[0-9][0-9.-]*[0-9]):")
# rccl.h of ROCm: "#define NCCL_MAJOR 2"
_RCCL = re.compile(r"\s*#\s*define NCCL_(MAJOR|MINOR|PATCH) (\d{1,4})\s*")
# ucx_info -v: "# Library version: 1.19.0" since 1.14, "# Version 1.13.1", "# UCT version=1.10.0 revision 7477e81"
_UCX = re.compile(r"# (?:Library version: |Version |UCT version=)(\d+(?:\.\d+)+).*")
_OPEN_MPI = re.compile(r"Open MPI v(\d+(?:\.\d+)+\w*)")
_GPU_MEMORY = re.compile(r"\s*--use_(rocm|cuda)=.*")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of packages and software."""
    host = Place(outputs.device)
    if output := outputs.get("dkms"):
        yield from _read_packages(host, output, outputs.get("uname"))
    if output := outputs.get("ofed-info"):
        yield from _read_stack(host, output)
    if output := outputs.get("nvidia-driver"):
        yield from _read_first(host, "host.software.gpu_driver", output)
    if output := outputs.get("rocm-version"):
        yield from _read_first(host, "host.software.rocm", output)
    if output := outputs.get("cuda-toolkits"):
        yield from _versions_of_files(host, "host.software.cuda", _CUDA, output)
    if output := outputs.get("rccl"):
        yield from _read_rccl(host, output)
    if output := outputs.get("ucx-info"):
        yield from _read_match(host, "host.software.ucx", _UCX, output)
    if output := outputs.get("ompi-info"):
        yield from _read_match(host, "host.software.openmpi", _OPEN_MPI, output)
    if output := outputs.get("perftest"):
        yield from _read_perftest(host, output)
    if output := outputs.get("nccl"):
        yield from _versions_of_files(host, "host.software.nccl", _NCCL, output)


def _read_stack(host: Place, output: Output) -> Iterator[Observation]:
    """The stack's only line. With other lines the stack is unknown."""
    lines = [(number, text) for number, text in number_lines(output) if text.strip()]
    if len(lines) == 1 and (match := _OFED.fullmatch(lines[0][1].strip())):
        yield observe(host, "host.software.rdma_stack", match[1], output, lines[0][0])


def _versions_of_files(host: Place, path: str, name: re.Pattern[str], output: Output) -> Iterator[Observation]:
    """The versions in the names of the files that were found."""
    versions = sorted({match[1] for _, text in number_lines(output) if (match := name.fullmatch(text))})
    if versions or not output.text.strip():
        yield observe(host, path, tuple(versions), output, 1 if versions else None)


def _read_rccl(host: Place, output: Output) -> Iterator[Observation]:
    """The version that the header states in three lines."""
    parts = {match[1]: match[2] for _, text in number_lines(output) if (match := _RCCL.fullmatch(text))}
    if len(parts) == 3:
        yield observe(
            host, "host.software.rccl", ".".join(parts[name] for name in ("MAJOR", "MINOR", "PATCH")), output, 1
        )


def _read_match(host: Place, path: str, pattern: re.Pattern[str], output: Output) -> Iterator[Observation]:
    """The version in the first line that has this form."""
    for number, text in number_lines(output):
        if match := pattern.fullmatch(text.strip()):
            yield observe(host, path, match[1], output, number)
            return


def _read_perftest(host: Place, output: Output) -> Iterator[Observation]:
    """The GPU memory that the program's help offers; ``none`` if that is another or no memory."""
    lines = [(number, text) for number, text in number_lines(output) if text.strip()]
    for number, text in lines:
        if match := _GPU_MEMORY.fullmatch(text):
            yield observe(host, "host.software.perftest_memory", match[1], output, number)
            return
    if any("--report_gbits" in text for _, text in lines):
        yield observe(host, "host.software.perftest_memory", "none", output)


def _read_packages(host: Place, output: Output, uname: Output | None) -> Iterator[Observation]:
    """The modules that dkms built for the running kernel; without any of a package, those for other kernels."""
    release = uname.text.strip() if uname else ""
    if not release:
        return
    whole = True
    for_running: set[str] = set()
    for_others: dict[str, list[tuple[str, str, int]]] = {}
    for number, text in number_lines(output):
        if not text:
            continue
        match = _DKMS.fullmatch(text)
        if match is None:
            whole = whole and _NOT_BUILT.fullmatch(text) is not None
            continue
        name, version, kernel, state = match.groups()
        if kernel == release:
            for_running.add(name)
            place = host.child("package", name)
            yield observe(place, "package.installed", state == "installed", output, number)
            yield observe(place, "package.version", version, output, number)
        elif state == "installed":
            for_others.setdefault(name, []).append((kernel, version, number))
    for name, builds in for_others.items():
        if name not in for_running:
            place = host.child("package", name)
            _, version, number = builds[-1]
            yield observe(place, "package.installed", False, output, number)
            yield observe(place, "package.version", version, output, number)
            kernels = tuple(dict.fromkeys(kernel for kernel, _, _ in builds))
            yield observe(place, "package.other_kernels", kernels, output, number)
    if whole:
        yield observe(host, "host.packages", COMPLETE, output)


def _read_first(host: Place, path: str, output: Output) -> Iterator[Observation]:
    """The version that the first line holds; more lines are further GPUs of one driver."""
    for number, text in number_lines(output):
        match = _VERSION.match(text)
        if match:
            yield observe(host, path, match[0], output, number)
            return

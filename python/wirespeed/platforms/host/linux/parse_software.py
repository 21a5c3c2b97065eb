"""Packages and versions: modules built for the running kernel, GPU drivers, toolkits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import complete_lines, number_lines, observe
from wirespeed.settings import Place
from wirespeed.settings.software import name_toolkit

# dkms 2: "bnxt_en, 1.10.3, 5.15.0-102-generic, x86_64: installed"; dkms 3: "bnxt_en/1.10.3, 5.15.0-102-generic, ..."
_DKMS = re.compile(r"([A-Za-z0-9_+.-]+)(?:/|, )([^,:/ ]+), ([^,: ]+), [^,: ]+: ([a-z]+)(?: .*)?")
# dkms(8), status: "added" without a kernel is a module whose source is registered, and that was built for no kernel.
_NOT_BUILT = re.compile(r"([A-Za-z0-9_+.-]+)(?:/|, )([^,:/ ]+): added")
# The folders of toolkits that the rendered scripts use.
_SDK_TOOLKIT = re.compile(r"/opt/nvidia/hpc_sdk/Linux_[a-z0-9_]+/([0-9.]+)/cuda/([0-9]+\.[0-9]+)/bin/nvcc")
_TOOLKIT = re.compile(r"/usr/local/cuda-([0-9]+\.[0-9]+)/bin/nvcc")
_OTHER_TOOLKIT = re.compile(r"(/(?:\S*/)?cuda\S*)/bin/nvcc")
_NCCL = re.compile(r"/\S+/libnccl\.so\.([0-9]+(?:\.[0-9]+){2})")
# ofed_info -s: "MLNX_OFED_LINUX-24.10-0.7.0.0:", of DOCA "OFED-internal-25.10-1.7.1:"
_OFED = re.compile(r"((?:MLNX_OFED_LINUX|OFED-internal)-[0-9][0-9.-]*[0-9]):")
# rccl.h of ROCm: "#define NCCL_MAJOR 2"
_IPERF3 = re.compile(r"iperf (3\.[0-9][0-9A-Za-z.+_-]{0,40})(?: \(cJSON [0-9.]+\))?")
_RCCL = re.compile(r"\s*#\s*define NCCL_(MAJOR|MINOR|PATCH) (\d{1,4})\s*")
# ucx_info -v: "# Library version: 1.19.0" since 1.14, "# Version 1.13.1", "# UCT version=1.10.0 revision 7477e81"
_UCX = re.compile(r"# (?:Library version: |Version |UCT version=)(\d+(?:\.\d+)+).*")
_WITHOUT_VERBS = re.compile(r"# [Cc]onfigured with: (?:.*\s)?(?:--without-verbs|--with-verbs=no)(?:\s.*)?")
_INSTALLED = re.compile(r"Version: (\d+(?:\.\d+)+\w*)")  # of pkg-config
# grep: /home/alice/ucx/ucx_install/lib/pkgconfig/ucx.pc: No such file or directory
_NO_FILE = re.compile(r"^grep: (/.+): (?:No such file or directory|Not a directory)$", re.MULTILINE)
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
        yield from _read_toolkits(host, output)
    if output := outputs.get("rccl"):
        yield from _read_rccl(host, output)
    if output := outputs.get("iperf3"):
        yield from _read_iperf3(host, output)
    yield from _read_job_programs(host, outputs)
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


def _read_toolkits(host: Place, output: Output) -> Iterator[Observation]:
    """The toolkits in the folders that scripts use, by release; other toolkits by folder."""
    toolkits = set()
    for _, text in number_lines(output):
        if match := _SDK_TOOLKIT.fullmatch(text):
            toolkits.add(name_toolkit(match[2], match[1]))
        elif match := _TOOLKIT.fullmatch(text) or _OTHER_TOOLKIT.fullmatch(text):
            toolkits.add(match[1])
    if toolkits or not output.text.strip():
        path = "host.software.cuda_toolkits"
        yield observe(host, path, tuple(sorted(toolkits)), output, 1 if toolkits else None)


def _read_rccl(host: Place, output: Output) -> Iterator[Observation]:
    """The version that the header states in three lines."""
    parts = {match[1]: match[2] for _, text in number_lines(output) if (match := _RCCL.fullmatch(text))}
    if len(parts) == 3:
        yield observe(
            host, "host.software.rccl", ".".join(parts[name] for name in ("MAJOR", "MINOR", "PATCH")), output, 1
        )


def _read_iperf3(host: Place, output: Output) -> Iterator[Observation]:
    """The version in the first line, "iperf 3.9 (cJSON 1.7.13)"; ESnet, 400G Testbed Configuration, has a build."""
    for number, text in number_lines(output):
        if match := _IPERF3.fullmatch(text.strip()):
            yield observe(host, "host.software.iperf3", match[1], output, number)
            return


Lines = Iterable[tuple[int, str]]
Value = tuple[int | None, str]
"""A value, and the number of its line."""


def _read_version(pattern: re.Pattern[str]) -> Callable[[Lines], Value | None]:
    """A reader of the version in the first line that has this form."""

    def read(lines: Lines) -> Value | None:
        matches = ((number, pattern.fullmatch(text.strip())) for number, text in lines)
        return next(((number, match[1]) for number, match in matches if match), None)

    return read


def _read_ucx(lines: Lines) -> Value | None:
    """The version, marked where UCX was configured without verbs: such a build has no transport over RDMA.

    Source: UCX, src/tools/info/version_info.c and config/m4/verbs.m4.
    """
    rows = list(lines)
    version = _read_version(_UCX)(rows)
    is_without_verbs = any(_WITHOUT_VERBS.fullmatch(text.strip()) for _, text in rows)
    return (version[0], f"built --without-verbs: {version[1]}") if version and is_without_verbs else version


def _read_memory(lines: Lines) -> Value | None:
    """The GPU memory that options of the program name; ``none`` if that is another or no memory."""
    is_perftest = False
    for number, text in lines:
        if match := _GPU_MEMORY.fullmatch(text):
            return number, match[1]
        is_perftest = is_perftest or "--report_gbits" in text
    return (None, "none") if is_perftest else None


@dataclass(frozen=True, slots=True)
class _JobProgram:
    """A program of jobs: the file that job-programs.sh installs in the home folder, and the same program in PATH."""

    setting: str
    file: str
    program: str
    command: str  # id of the command that runs it
    read_file: Callable[[Lines], Value | None]
    read_output: Callable[[Lines], Value | None]


# Sources: UCX, ucx.pc.in and VERSION of configure.ac; Open MPI, ompi/tools/wrappers/ompi.pc.in; linux-rdma/perftest,
# src/perftest_parameters.c, which has the text of an option only if it was configured with it.
_JOB_PROGRAMS = (
    _JobProgram(
        "ucx",
        "/ucx/ucx_install/lib/pkgconfig/ucx.pc",
        "ucx_info",
        "ucx-info",
        _read_version(_INSTALLED),
        _read_ucx,
    ),
    _JobProgram(
        "openmpi",
        "/ompi/ompi_install/lib/pkgconfig/ompi.pc",
        "ompi_info",
        "ompi-info",
        _read_version(_INSTALLED),
        _read_version(_OPEN_MPI),
    ),
    _JobProgram("perftest_memory", "/perftest/bin/ib_write_bw", "ib_write_bw", "perftest", _read_memory, _read_memory),
)
_IN_PATH = ("ucx", "openmpi")
"""Programs whose version counts in PATH too: jobs start mpirun by its name, and load the UCX of the libraries there."""


@dataclass(frozen=True, slots=True)
class _Benchmark:
    """Benchmarks that job-programs.sh builds: the file in which it records their revision, and one of the programs."""

    setting: str
    title: str
    record: str
    program: str


_BENCHMARKS = (
    _Benchmark("rccl_tests", "rccl-tests", "/rccl-tests/.wirespeed-built", "/rccl-tests/build/all_reduce_perf"),
    _Benchmark(
        "osu",
        "OSU micro-benchmarks",
        "/osu/.wirespeed-built",
        "/osu/osu_install/libexec/osu-micro-benchmarks/mpi/pt2pt/osu_latency",
    ),
)


def _read_benchmarks(host: Place, output: Output, files: dict[str, str]) -> Iterator[Observation]:
    """Benchmarks with the revision they were built from. Programs without a record are of an unknown revision."""
    absent_files = _NO_FILE.findall(output.errors)
    for benchmark in _BENCHMARKS:
        setting = f"host.software.{benchmark.setting}"
        name, lines = _list_matches(output, benchmark.record)
        prefix = f"{benchmark.title} "
        value = next(((number, text[len(prefix) :]) for number, text in lines if text.startswith(prefix)), None)
        if value is not None:
            files[benchmark.setting] = name
            yield observe(host, setting, value[1], output, value[0])
            continue
        absent = [
            next((name for name in absent_files if name.endswith(file)), None)
            for file in (benchmark.record, benchmark.program)
        ]
        if all(absent):
            files[benchmark.setting] = f"no {absent[-1]}"
            yield observe(host, setting, "none", output)


def _read_job_programs(host: Place, outputs: Outputs) -> Iterator[Observation]:
    """What jobs find: the files of job-programs.sh, and for those that do not exist programs in PATH. A file
    that cannot be read shows nothing; one without a match and without an error is not that program."""
    installed = outputs.get("job-programs")
    absent_files = _NO_FILE.findall(installed.errors) if installed else []
    files: dict[str, str] = {}
    path_versions: dict[str, str] = {}
    for program in _JOB_PROGRAMS:
        setting = f"host.software.{program.setting}"
        absent = next((name for name in absent_files if name.endswith(program.file)), None)
        output = outputs.get(program.command)
        first = program.read_output(number_lines(output)) if output else None
        if installed is not None and absent is None:
            name, lines = _list_matches(installed, program.file)
            value = program.read_file(lines)
            if value is not None:
                files[program.setting] = name
                yield observe(host, setting, value[1], installed, value[0])
                if output is not None and first is not None and program.setting in _IN_PATH:
                    path_versions[program.setting] = first[1]
            is_cut_short = installed.text != "" and not installed.text.endswith("\n")
            if lines or is_cut_short or program.file in installed.errors:
                continue
        if output is not None and first is not None:
            files[program.setting] = f"{program.program} of PATH{f', no {absent}' if absent else ''}"
            yield observe(host, setting, first[1], output, first[0])
        elif installed is not None and absent is not None:
            files[program.setting] = f"no {absent}"
            yield observe(host, setting, "none", installed)
    if installed is not None:
        yield from _read_benchmarks(host, installed, files)
    sources = [outputs.outputs[program.command] for program in _JOB_PROGRAMS if program.setting in path_versions]
    if sources:
        yield observe(host, "host.software.path_versions", path_versions, sources[0])
    if installed is not None and files:
        yield observe(host, "host.software.program_files", files, installed)


def _list_matches(output: Output, file: str) -> tuple[str, list[tuple[int, str]]]:
    """The name of this file with its folder, and what grep found in it."""
    name, lines = file, []
    for number, text in complete_lines(output):
        folder, separator, match = text.partition(f"{file}:")
        if separator:
            name = folder + file
            lines.append((number, match))
    return name, lines


def _read_packages(host: Place, output: Output, uname: Output | None) -> Iterator[Observation]:
    """The modules that dkms built for the running kernel; without any of a package, those for other kernels or none."""
    release = uname.text.strip() if uname else ""
    if not release:
        return
    whole = True
    for_running: set[str] = set()
    for_others: dict[str, list[tuple[str, str, int]]] = {}
    for_none: dict[str, tuple[str, int]] = {}
    for number, text in number_lines(output):
        if not text:
            continue
        match = _DKMS.fullmatch(text)
        if match is None:
            not_built = _NOT_BUILT.fullmatch(text)
            whole = whole and not_built is not None
            if not_built is not None:
                for_none[not_built[1]] = not_built[2], number
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
    for name, (version, number) in for_none.items():
        if name not in for_running and name not in for_others:
            place = host.child("package", name)
            yield observe(place, "package.installed", False, output, number)
            yield observe(place, "package.version", version, output, number)
            yield observe(place, "package.other_kernels", (), output, number)
    if whole:
        yield observe(host, "host.packages", COMPLETE, output)


def _read_first(host: Place, path: str, output: Output) -> Iterator[Observation]:
    """The version that the first line holds; more lines are further GPUs of one driver."""
    for number, text in number_lines(output):
        match = _VERSION.match(text)
        if match:
            yield observe(host, path, match[0], output, number)
            return

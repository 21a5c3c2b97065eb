"""Packages and versions as Linux hosts print them."""

from __future__ import annotations

import pytest

from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Output, Outputs, platforms
from wirespeed.platforms.host.linux.parse_software import parse
from wirespeed.platforms.host.linux.programs import list_programs
from wirespeed.settings import Host, Place, Software

HOST = Place("node1")
# As Broadcom 957608-AN210 prints it in section 2.2.2.1.
DKMS = """bnxt_en/1.10.3.234.0.171.0, 6.8.0-111-generic, x86_64: installed
bnxt_re/234.0.171.0, 6.8.0-111-generic, x86_64: installed
netxtreme-peer-mem/234.0.154.0, 6.8.0-111-generic, x86_64: installed
"""


def read(**texts: str):  # type: ignore[no-untyped-def]
    outputs = {
        name.replace("_", "-"): Output(name, text, Source("node1", name, f"{name}.out")) for name, text in texts.items()
    }
    return assemble_facts(parse(Outputs("node1", outputs)), devices=["node1"])


def packages(dkms: str, uname: str = "6.8.0-111-generic\n") -> dict[str, tuple[bool | None, str | None]]:
    packages = read(dkms=dkms, uname=uname).devices["node1"].packages
    return {name: (package.installed, package.version) for name, package in packages.items()}


def test_what_is_built_for_the_running_kernel() -> None:
    assert packages(DKMS) == {
        "bnxt_en": (True, "1.10.3.234.0.171.0"),
        "bnxt_re": (True, "234.0.171.0"),
        "netxtreme-peer-mem": (True, "234.0.154.0"),
    }


@pytest.mark.parametrize(
    ("text", "expected", "whole"),
    [
        ("", {}, True),
        (
            "netxtreme-peer-mem/234.0.154.0, 6.5.0-1-generic, x86_64: installed\n",
            {"netxtreme-peer-mem": (False, "234.0.154.0")},
            True,
        ),  # another kernel's
        ("netxtreme-peer-mem/234.0.154.0, 6.5.0-1-generic, x86_64: built\n", {}, True),
        (
            "netxtreme-peer-mem, 234.0.154.0, 6.8.0-111-generic, x86_64: installed\n",
            {"netxtreme-peer-mem": (True, "234.0.154.0")},
            True,
        ),  # dkms 2
        (
            "netxtreme-peer-mem/234.0.154.0, 6.8.0-111-generic, x86_64: built\n",
            {"netxtreme-peer-mem": (False, "234.0.154.0")},
            True,
        ),
        ("netxtreme-peer-mem/234.0.154.0: added\n", {"netxtreme-peer-mem": (False, "234.0.154.0")}, True),
        ("netxtreme-peer-mem/234.0.154.0, 6.8.0-111-gen", {}, False),  # cut short
        (
            "netxtreme-peer-mem/234.0.154.0, 6.8.0-111-generic, x86_64: installed (WARNING! Differ)\n",
            {"netxtreme-peer-mem": (True, "234.0.154.0")},
            True,
        ),
    ],
)
def test_lines_of_dkms(text: str, expected: dict[str, tuple[bool, str]], whole: bool) -> None:
    assert packages(text) == expected
    facts = read(dkms=text, uname="6.8.0-111-generic\n")
    assert facts.complete(HOST, "host.packages") == whole


def test_without_the_kernels_release_nothing_is_known() -> None:
    facts = read(dkms=DKMS)
    assert facts.devices["node1"].packages == {}
    assert not facts.complete(HOST, "host.packages")


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        ("nvidia_driver", "470.182.03\n470.182.03\n", "host.software.gpu_driver", "470.182.03"),
        ("nvidia_driver", "", "host.software.gpu_driver", None),
        ("rocm_version", "7.1.0\n", "host.software.rocm", "7.1.0"),
        ("rocm_version", "6.3.1-48\n", "host.software.rocm", "6.3.1"),
        (
            "cuda_toolkits",
            "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4/bin/nvcc\n/usr/local/cuda-12.4/bin/nvcc\n",
            "host.software.cuda_toolkits",
            ("11.4 of HPC SDK 21.9", "12.4"),
        ),
        (
            "cuda_toolkits",
            "/opt/nvidia/cuda-11.4/bin/nvcc\n",
            "host.software.cuda_toolkits",
            ("/opt/nvidia/cuda-11.4",),
        ),
        ("cuda_toolkits", "", "host.software.cuda_toolkits", ()),
        ("cuda_toolkits", "/usr/local/share/nvcc\n", "host.software.cuda_toolkits", None),
    ],
)
def test_versions(command: str, text: str, path: str, value: object) -> None:
    assert read(**{command: text}).value(HOST, path) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "/usr/lib/x86_64-linux-gnu/libnccl.so.2.18.3\n/usr/local/lib/libnccl.so.2.10.3\n",
            ("2.10.3", "2.18.3"),
        ),  # the former as Ubuntu's list of files of libnccl2 has it
        ("", ()),
        ("find: ‘/usr/lib64’: No such file or directory\n", None),
    ],
)
def test_nccl_by_its_files(text: str, value: object) -> None:
    assert read(nccl=text).value(HOST, "host.software.nccl") == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MLNX_OFED_LINUX-24.10-0.7.0.0:\n", "MLNX_OFED_LINUX-24.10-0.7.0.0"),
        ("OFED-internal-25.10-1.7.1:\n", "OFED-internal-25.10-1.7.1"),  # DOCA-OFED 3.2.1
        ("OFED-internal-25.10-1.7", None),  # cut short
        ("OFED-internal-25.10-1.7.1:\nOFED-internal-25.10-1.2.8:\n", None),
        ("bash: line 1: ofed_info: command not found\n", None),
        ("", None),
    ],
)
def test_the_rdma_stack(text: str, expected: str | None) -> None:
    assert read(ofed_info=text).devices["node1"].software.rdma_stack == expected


RCCL = "#define NCCL_MAJOR 2\n#define NCCL_MINOR 27\n#define NCCL_PATCH 7\n"
UCX_OLD = "# UCT version=1.10.0 revision 7477e81\n# configured with: --prefix=/usr\n"
HELP = "  ib_write_bw            start a server\n      --report_gbits Report Max/Average BW\n"


@pytest.mark.parametrize(
    ("command", "text", "setting", "value"),
    [
        ("rccl", RCCL, "rccl", "2.27.7"),
        ("rccl", RCCL.replace("7\n", "7-alpha\n"), "rccl", None),
        ("rccl", "#define NCCL_MAJOR 2\n", "rccl", None),
        ("iperf3", "iperf 3.13-mt-beta2 (cJSON 1.7.15)\nLinux a 5.15.0 x86_64\n", "iperf3", "3.13-mt-beta2"),
        ("iperf3", "iperf 3.10.1+ (cJSON 1.7.13)\n", "iperf3", "3.10.1+"),
        ("iperf3", "iperf version 2.1.8 (12 August 2022) pthreads\n", "iperf3", None),
        ("ucx_info", "# Library version: 1.19.0\n# Library path: /usr/lib/libucs.so.0\n", "ucx", "1.19.0"),
        ("ucx_info", "# Version 1.13.1\n# Git branch '<unknown>', revision 0000000\n", "ucx", "1.13.1"),  # Debian 12
        ("ucx_info", UCX_OLD, "ucx", "1.10.0"),
        (
            "ucx_info",
            "# UCT version=1.10.0 revision 7477e81\n# configured with: --disable-logging --without-verbs\n",
            "ucx",
            "built --without-verbs: 1.10.0",
        ),
        (
            "ucx_info",
            "# Library version: 1.19.0\n# Configured with: --with-verbs --without-verbs-dv\n",
            "ucx",
            "1.19.0",
        ),
        ("ucx_info", "ucx_info: command not found\n", "ucx", None),
        ("ompi_info", "Open MPI v4.1.4\n\nhttp://www.open-mpi.org/community/help/\n", "openmpi", "4.1.4"),  # Debian 12
        ("ompi_info", "Open MPI v5.0.0rc12\n", "openmpi", "5.0.0rc12"),
        ("ompi_info", "ompi_info: error while loading shared libraries\n", "openmpi", None),
        ("perftest", HELP + "      --use_rocm=<rocm device id> Use selected ROCm device\n", "perftest_memory", "rocm"),
        ("perftest", HELP + "      --use_cuda=<cuda device id>  Use CUDA\n", "perftest_memory", "cuda"),
        ("perftest", HELP, "perftest_memory", "none"),
        ("perftest", "", "perftest_memory", None),
        ("perftest", "  ib_write_bw            start a server\n", "perftest_memory", None),  # cut short
    ],
)
def test_programs_of_jobs(command: str, text: str, setting: str, value: str | None) -> None:
    assert read(**{command: text}).value(HOST, f"host.software.{setting}") == value


UCX_FILE = "/home/alice/ucx/ucx_install/lib/pkgconfig/ucx.pc"
OMPI_FILE = "/home/alice/ompi/ompi_install/lib/pkgconfig/ompi.pc"
PERFTEST_FILE = "/home/alice/perftest/bin/ib_write_bw"


def _absent(*names: str) -> str:
    return "".join(f"grep: {name}: No such file or directory\n" for name in names)


@pytest.mark.parametrize(
    ("found", "errors", "expected", "files"),
    [
        pytest.param(
            f"{UCX_FILE}:Version: 1.19.1\n{OMPI_FILE}:Version: 5.0.8\n"
            f"{PERFTEST_FILE}:--report_gbits\n{PERFTEST_FILE}:--use_rocm=\n",
            "",
            ("1.19.1", "5.0.8", "rocm"),
            {"ucx": UCX_FILE, "openmpi": OMPI_FILE, "perftest_memory": PERFTEST_FILE},
            id="all of job-programs.sh, others in PATH",
        ),
        pytest.param(
            f"{OMPI_FILE}:Version: 5.0.8\n{PERFTEST_FILE}:--report_gbits\n",
            _absent(UCX_FILE),
            ("1.13.1", "5.0.8", "none"),
            {
                "ucx": f"ucx_info of PATH, no {UCX_FILE}",
                "openmpi": OMPI_FILE,
                "perftest_memory": PERFTEST_FILE,
            },
            id="one not built, one without ROCm",
        ),
        pytest.param(
            "",
            _absent(UCX_FILE, PERFTEST_FILE) + f"grep: {OMPI_FILE}: Permission denied\n",
            ("1.13.1", None, "none"),
            {"ucx": f"ucx_info of PATH, no {UCX_FILE}", "perftest_memory": f"no {PERFTEST_FILE}"},
            id="unreadable, and neither in the home folder nor in PATH",
        ),
        pytest.param(
            f"{UCX_FILE}:Version: 1.1",
            _absent(OMPI_FILE, PERFTEST_FILE),
            (None, "4.1.4", "none"),
            {"openmpi": f"ompi_info of PATH, no {OMPI_FILE}", "perftest_memory": f"no {PERFTEST_FILE}"},
            id="cut short",
        ),
        pytest.param(
            f"{UCX_FILE}:Version: 1.19.1\n",
            "",
            ("1.19.1", "4.1.4", "none"),
            {"ucx": UCX_FILE, "openmpi": "ompi_info of PATH", "perftest_memory": "ib_write_bw of PATH"},
            id="without the messages about missing files",
        ),
    ],
)
def test_programs_of_jobs_are_those_of_job_programs(
    found: str, errors: str, expected: tuple[str | None, ...], files: dict[str, str]
) -> None:
    texts = {
        "job-programs": (found, errors),
        "ucx-info": ("# Version 1.13.1\n", ""),
        "ompi-info": ("Open MPI v4.1.4\n", ""),
    }
    if not errors and PERFTEST_FILE not in found:
        texts["perftest"] = (HELP, "")
    outputs = {
        name: Output(name, text, Source("node1", name, f"{name}.out"), 2, error)
        for name, (text, error) in texts.items()
    }
    software = assemble_facts(parse(Outputs("node1", outputs)), devices=["node1"]).devices["node1"].software
    assert (software.ucx, software.openmpi, software.perftest_memory) == expected
    assert software.program_files == files
    in_path = {"ucx": "1.13.1", "openmpi": "4.1.4"}
    built = [name for name in in_path if files.get(name, "no").startswith("/")]
    assert (software.path_versions or {}) == {name: in_path[name] for name in built}


RCCL_TESTS, OSU = "/home/alice/rccl-tests", "/home/alice/osu"
RCCL_PROGRAM = f"{RCCL_TESTS}/build/all_reduce_perf"
OSU_PROGRAM = f"{OSU}/osu_install/libexec/osu-micro-benchmarks/mpi/pt2pt/osu_latency"


@pytest.mark.parametrize(
    ("found", "errors", "expected", "files"),
    [
        pytest.param(
            f"{RCCL_TESTS}/.wirespeed-built:rccl-tests 77ae744\n{OSU}/.wirespeed-built:OSU micro-benchmarks 7.5.1\n",
            "",
            ("77ae744", "7.5.1"),
            {"rccl_tests": f"{RCCL_TESTS}/.wirespeed-built", "osu": f"{OSU}/.wirespeed-built"},
            id="built by job-programs.sh",
        ),
        pytest.param(
            "",
            _absent(f"{RCCL_TESTS}/.wirespeed-built", RCCL_PROGRAM, f"{OSU}/.wirespeed-built", OSU_PROGRAM),
            ("none", "none"),
            {"rccl_tests": f"no {RCCL_PROGRAM}", "osu": f"no {OSU_PROGRAM}"},
            id="not built",
        ),
        pytest.param(
            "", _absent(f"{RCCL_TESTS}/.wirespeed-built", f"{OSU}/.wirespeed-built"), (None, None), {}, id="by hand"
        ),
    ],
)
def test_revisions_of_benchmarks(
    found: str, errors: str, expected: tuple[str | None, ...], files: dict[str, str]
) -> None:
    errors += _absent(UCX_FILE, OMPI_FILE, PERFTEST_FILE)
    outputs = {"job-programs": Output("job-programs", found, Source("node1", "job-programs", "p.out"), 2, errors)}
    software = assemble_facts(parse(Outputs("node1", outputs)), devices=["node1"]).devices["node1"].software
    assert (software.rccl_tests, software.osu) == expected
    assert {key: name for key, name in software.program_files.items() if key in ("rccl_tests", "osu")} == files


def test_the_files_are_those_that_job_programs_installs() -> None:
    """The prefixes of the script, and the paths of the command that reads them."""
    command = next(command for command in platforms()["host", "ubuntu"].commands if command.id == "job-programs")
    software = Software(perftest="25.07.0", ucx="1.19.0", openmpi="5.0.8")
    prefixes = {f"{{home}}/{program.prefix}" for program in list_programs(Host(software=software)) if program.prefix}
    files = [argument for argument in command.run if argument.startswith("{home}")]
    assert {prefix for prefix in prefixes if any(file.startswith(f"{prefix}/") for file in files)} == prefixes
    benchmarks = list_programs(Host(software=Software(openmpi="5.0.8", rccl_tests="77ae744", osu="7.5.1")))[1:]
    records = {f"{{home}}/{program.folder}/.wirespeed-built" for program in benchmarks}
    assert records <= set(files)
    assert len(files) == len(prefixes) + 2 * len(records)
    assert [program.title for program in benchmarks] == ["rccl-tests 77ae744", "OSU micro-benchmarks 7.5.1"]

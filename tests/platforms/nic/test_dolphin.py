"""Dolphin's tools: what they print, and the order in which devices are lent and given back."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from platforms.round_trip import find_losses
from wirespeed import render
from wirespeed.cluster import read, read_text
from wirespeed.facts import Facts, Source, assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.nic.dolphin.parse import parse
from wirespeed.settings import Place
from wirespeed.units import Size

EXAMPLE = Path(__file__).parents[3] / "examples" / "pcie-lending" / "cluster.yaml"
HOST = Place("abel1")

ORDER = {  # as in Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6
    ("abel1", "ntb-prefetch.sh"): ["dis_config -gpms", "dis_config -a 1 -spms 4096"],
    ("abel2", "lend.sh"): [
        "smartio_tool connect 4",
        "smartio_tool add 04:00.0",
        "smartio_tool add 05:00.0",
        "smartio_tool available 04:00.0",
        "smartio_tool available 05:00.0",
        "smartio_tool list",
    ],
    ("abel1", "borrow.sh"): [
        "systemctl stop dis_sisci",
        "smartio_tool list",
        "smartio_tool borrow 80400 1024",
        "smartio_tool borrow 80500 1024",
        "smartio_tool enable-p2p 80400 80500",
        "smartio_tool enable-p2p 80500 80400",
        "modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
        "modprobe nvidia",
        "systemctl start dis_sisci",
        "nvidia-smi",
    ],
    ("abel1", "return.sh"): [
        "systemctl stop dis_sisci",
        "modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
        "smartio_tool return 80500",
        "smartio_tool return 80400",
        "modprobe nvidia",
        "systemctl start dis_sisci",
        "nvidia-smi",
    ],
    ("abel2", "take-back.sh"): ["smartio_tool remove 05:00.0", "smartio_tool remove 04:00.0", "smartio_tool list"],
    ("abel1", "nccl-tests.sh"): [
        "git checkout 8274cb4",
        "make -j4 MPI=1 BUILDDIR=FOLDER/build MPI_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/comm_libs/mpi "
        "CUDA_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4 "
        "NCCL_HOME=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/comm_libs/nccl "
        "NVCC_GENCODE=-gencode=arch=compute_35,code=sm_35",
    ],
    ("abel1", "cuda-samples.sh"): [  # appendix A.3.8
        "git checkout v11.4",
        "make -C Samples/p2pBandwidthLatencyTest NVCC=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/compilers/bin/nvcc "
        "CUDA_PATH=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4 SMS=35 -j4",
    ],
}


@cache
def plan() -> Plan:
    return build(read(EXAMPLE))


@cache
def scripts(host: str) -> dict[str, str]:
    return {file.path: file.text for file in render.files(plan(), [host])}


GPUS = r"00000000:03:04.0\n00000000:03:05.0\n00000000:05:00.0\n00000000:85:00.0\n"  # section 3.2.6 of the thesis


def run(
    folder: Path, host: str, script: str, *arguments: str, lists: str = "", tools: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A script with stand-ins for the tools, which begin with lines of ``tools``; the waits are cut out."""
    folder.mkdir(exist_ok=True)
    (folder / "nproc").write_text("#!/bin/sh\necho 4\n")
    (folder / "nproc").chmod(0o755)
    for tool in ("smartio_tool", "dis_config", "systemctl", "modprobe", "nvidia-smi", "git", "make"):
        output = (
            f'[ "$*" = "" ] || printf "{GPUS}"' if tool == "nvidia-smi" else f'[ "$*" != list ] || printf "{lists}"'
        )
        (folder / tool).write_text(f"#!/bin/sh\n{output}\n")
        (folder / tool).chmod(0o755)
    for tool, lines in (tools or {}).items():
        is_whole = tool in ("nvidia-smi", "p2pBandwidthLatencyTest")
        (folder / tool).write_text(f"#!/bin/sh\n{lines}\n{'' if is_whole else (folder / tool).read_text()}")
        (folder / tool).chmod(0o755)
    modules = folder / "modules"
    if not modules.exists():
        modules.write_text("nvidia 35287040 0 - Live 0x0\n")
    text = scripts(host)[script].replace("PATH=/opt/DIS/sbin:", f"PATH={folder}:").replace("sleep 2", "echo wait")
    file = folder / script
    file.write_text(text.replace("/proc/modules", str(modules)))
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    return subprocess.run(
        ["sh", file, *arguments], capture_output=True, text=True, env=environment, cwd=folder, check=False
    )


def test_nccl_tests_are_built_without_mpi_in_a_folder_of_their_own(tmp_path: Path) -> None:
    result = run(tmp_path, "abel1", "nccl-tests.sh", "--without-mpi", "--yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"run: make -j4 MPI=0 BUILDDIR={tmp_path}/build-without-mpi MPI_HOME=" in result.stdout
    refused = run(tmp_path, "abel1", "nccl-tests.sh", "--mpi")
    assert (refused.returncode, refused.stderr) == (
        2,
        "usage: nccl-tests.sh [--without-mpi] [--yes]\n"
        "Without --yes it is a dry run: it prints what it would do, and changes nothing.\n",
    )


@pytest.mark.parametrize(("host", "script"), list(ORDER))
def test_the_order_of_commands(tmp_path: Path, host: str, script: str) -> None:
    result = run(tmp_path, host, script)
    assert (result.returncode, result.stderr) == (0, "")
    output = result.stdout.replace(str(tmp_path), "FOLDER")
    commands = [line.removeprefix("would run: ") for line in output.splitlines() if line.startswith("would run: ")]
    assert commands == ORDER[host, script]
    assert result.stdout.splitlines()[-1] == f"dry run: nothing was changed; to make the changes: ./{script} --yes"


DRIVE = """\
lending:
  - {lender: abel2, device: nvme0, borrower: abel1, pcie: "06:00.0", bars: [16 KiB], numa_node: 0}
"""


def test_a_drive_is_lent_without_commands_for_gpus() -> None:
    """Its driver finds it when it appears: Dolphin, PCIe Device Lending 1.0 application note. GPUs alone need nvidia's
    module, and copies from peer to peer are documented for GPUs only."""
    text = EXAMPLE.read_text(encoding="utf-8").partition("lending:")[0] + DRIVE
    with_drive = build(read_text(text, "cluster.yaml"))
    commands = {
        (host, Path(file.path).name): [
            line.split(" ", 1)[1] for line in file.text.splitlines() if line.startswith(("run ", "slowly "))
        ]
        for host in ("abel1", "abel2")
        for file in render.files(with_drive, [host])
        if Path(file.path).name in ("borrow.sh", "lend.sh", "return.sh")
    }
    assert commands == {
        ("abel1", "borrow.sh"): [
            "systemctl stop dis_sisci",
            "smartio_tool borrow 80600 1024",
            "systemctl start dis_sisci",
            "smartio_tool list",
        ],
        ("abel1", "return.sh"): [
            "systemctl stop dis_sisci",
            "smartio_tool return 80600",
            "systemctl start dis_sisci",
            "smartio_tool list",
        ],
        ("abel2", "lend.sh"): [
            "smartio_tool connect 4",
            "smartio_tool add 06:00.0",
            "smartio_tool available 06:00.0",
            "smartio_tool list",
        ],
    }
    texts = "".join(
        file.text
        for host in ("abel1", "abel2")
        for file in render.files(with_drive, [host])
        if "lend" in file.path or "borrow" in file.path
    )
    assert "nvidia" not in texts


def test_there_is_a_wait_after_each_command_of_a_loan(tmp_path: Path) -> None:
    lists = r"80400: 3D controller [available]\n80500: 3D controller [available]\n"
    result = run(tmp_path, "abel1", "borrow.sh", "--yes", lists=lists)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    loans = [index for index, line in enumerate(lines) if "smartio_tool borrow" in line or "enable-p2p" in line]
    assert len(loans) == 4
    assert all(lines[index + 1] == "wait" for index in loans)
    assert lines[loans[0] - 1] == "wait", "between the list of devices and the first loan"
    assert lines.count("run: smartio_tool list") == result.stdout.count("80400: 3D controller") == 1


OFFERED = r"80400: 3D controller [available]\n80500: 3D controller [available]\n"
RETURNED = [
    "roll back: smartio_tool return 80500",
    "roll back: smartio_tool return 80400",
    "roll back: modprobe nvidia",
    "roll back: systemctl start dis_sisci",
]


@pytest.mark.parametrize(
    ("tool", "script", "rollback"),
    [
        ("smartio_tool", 'case "$*" in "borrow 80500"*) exit 1 ;; esac', RETURNED),
        ("smartio_tool", 'case "$*" in enable-p2p*) exit 1 ;; esac', RETURNED),
        ("systemctl", '[ "$1" = start ] || exit 1', RETURNED[-1:]),
        (
            "nvidia-smi",  # the GPUs of the other host do not appear
            '[ "$*" = "" ] || echo 00000000:05:00.0',
            [
                "roll back: systemctl stop dis_sisci",
                "roll back: modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
                *RETURNED,
            ],
        ),
        (
            "p2pBandwidthLatencyTest",  # "unknown error" of section 3.2.6
            "exit 1",
            [
                "roll back: systemctl stop dis_sisci",
                "roll back: modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
                *RETURNED,
            ],
        ),
    ],
)
def test_a_failed_loan_is_rolled_back(tmp_path: Path, tool: str, script: str, rollback: list[str]) -> None:
    result = run(tmp_path, "abel1", "borrow.sh", "--yes", lists=OFFERED, tools={tool: script})
    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("roll back:")] == rollback
    assert "borrow.sh: failed; rolling back" in result.stderr


@pytest.mark.parametrize(
    ("tool", "script", "rollback"),
    [
        (
            "smartio_tool",
            '[ "$*" != "return 80500" ] || exit 1',
            ["roll back: modprobe nvidia", "roll back: systemctl start dis_sisci"],
        ),
        (
            "smartio_tool",
            '[ "$*" != "return 80400" ] || exit 1',
            [
                "roll back: smartio_tool borrow 80500 1024",
                "roll back: smartio_tool enable-p2p 80500 80400",
                "roll back: smartio_tool enable-p2p 80400 80500",
                "roll back: modprobe nvidia",
                "roll back: systemctl start dis_sisci",
            ],
        ),
        ("modprobe", '[ "$*" != nvidia ] || exit 1', ["roll back: systemctl start dis_sisci"]),
    ],
)
def test_a_failed_return_is_rolled_back(tmp_path: Path, tool: str, script: str, rollback: list[str]) -> None:
    result = run(tmp_path, "abel1", "return.sh", "--yes", tools={tool: script})
    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("roll back:")] == rollback
    assert "return.sh: failed; rolling back" in result.stderr


def test_a_script_without_rollback_states_it(tmp_path: Path) -> None:
    tools = {"smartio_tool": '[ "$*" != "remove 04:00.0" ] || exit 1'}
    result = run(tmp_path, "abel2", "take-back.sh", "--yes", tools=tools)
    assert result.returncode == 1
    assert "take-back.sh: failed; no rollback: the commands before stay in effect" in result.stderr


def test_a_failed_offer_is_rolled_back(tmp_path: Path) -> None:
    tools = {"smartio_tool": '[ "$*" != "available 05:00.0" ] || exit 1'}
    result = run(tmp_path, "abel2", "lend.sh", "--yes", tools=tools)
    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("roll back:")] == [
        "roll back: smartio_tool remove 05:00.0",
        "roll back: smartio_tool remove 04:00.0",
    ]


def test_what_is_not_offered_is_not_borrowed(tmp_path: Path) -> None:
    result = run(tmp_path, "abel1", "borrow.sh", "--yes", lists=r"80400: 3D controller [available]\n")
    assert result.returncode == 1
    assert "does not show 80500 as available" in result.stderr
    assert "smartio_tool borrow" not in result.stdout
    rollbacks = [line for line in result.stdout.splitlines() if line.startswith("roll back:")]
    assert rollbacks == ["roll back: systemctl start dis_sisci"]


def test_a_lender_without_the_gpus_module_would_freeze(tmp_path: Path) -> None:
    (tmp_path / "modules").write_text("ext4 1 0 - Live 0x0\n")
    result = run(tmp_path, "abel2", "lend.sh", "--yes")
    assert result.returncode == 1
    assert "run:" not in result.stdout


@pytest.mark.parametrize(
    ("text", "inactive"),
    [
        ("active\nactive\nactive\n", ()),
        ("active\nfailed\nactive\n", ("dis_nodemgr",)),
        ("inactive\nactivating\ninactive\n", ("dis_irm", "dis_nodemgr", "dis_sisci")),
        ("active\nactive\n", None),
        ("active\nrunning well\n", None),
        ("", None),
    ],
)
def test_services_that_are_not_active(text: str, inactive: tuple[str, ...] | None) -> None:
    """States of systemctl is-active, a line for each unit of the command."""
    assert facts(bridge_services=text).value(HOST, "host.inactive_services") == inactive


def facts(**texts: str) -> Facts:
    outputs = {
        name.replace("_", "-"): Output(name, text, Source("abel1", name, f"{name}.out")) for name, text in texts.items()
    }
    return assemble_facts(parse(Outputs("abel1", outputs)), devices=["abel1"])


def test_what_the_tools_print() -> None:
    read_values = facts(
        ntb_node="Card 1 - NodeId:  8\n",
        ntb_prefetch="Card 1 - Prefetch memory space size: 512\n",
        loans="80000: Non-Volatile memory controller Intel Corporation Device f1a5 [available]\n",
        usable_gpus="00000000:03:04.0\n00000000:05:00.0\n",
    )
    host = read_values.devices["abel1"]
    assert (host.ntbs["1"].node_id, host.ntbs["1"].prefetch) == (8, Size.parse("512 MiB"))
    assert (host.loans["80000"].listed, host.loans["80000"].state) == (True, "available")
    assert read_values.complete(HOST, "host.loans") and read_values.complete(HOST, "host.ntbs")
    assert host.usable_gpus == 2


@pytest.mark.parametrize("text", ["80000: Non-Volatile memory", "error: no such card\n"])
def test_an_output_that_is_not_whole_shows_no_absence(text: str) -> None:
    assert not facts(loans=text).complete(HOST, "host.loans")


def test_no_device_is_an_answer() -> None:
    assert facts(loans="").complete(HOST, "host.loans")
    assert facts(usable_gpus="No devices were found\n").devices["abel1"].usable_gpus == 0
    assert facts(usable_gpus="").devices["abel1"].usable_gpus is None
    assert facts(usable_gpus="NVIDIA-SMI has failed\n").devices["abel1"].usable_gpus is None


def test_settings_come_back() -> None:
    for name, host in plan().hosts.items():
        assert find_losses(platform("nic", "dolphin"), name, host) == []


PROFILE = [  # Johansen, appendices A.3.8 and A.3.10, lines of .profile: file, folder that it looks for, its effect
    ("wirespeed-nvhpc.sh", "/opt/nvidia/hpc_sdk/modulefiles", "use FOLDER load nvhpc/21.9 "),
    ("wirespeed-dis.sh", "/opt/DIS/sbin", "FOLDER:/usr/bin"),
]


@pytest.mark.parametrize(("name", "folder", "expected"), PROFILE)
def test_login_shells_find_the_programs_that_are_installed(
    tmp_path: Path, name: str, folder: str, expected: str
) -> None:
    text = scripts("abel1")[f"/etc/profile.d/{name}"].replace(folder, str(tmp_path / "sdk"))
    (tmp_path / name).write_text(text)
    line = f'module() {{ printf "%s " "$@"; }}; PATH=/usr/bin; . {tmp_path / name}; echo "$PATH"'
    for is_installed in (False, True):
        if is_installed:
            (tmp_path / "sdk").mkdir()
        result = subprocess.run(["sh", "-euc", line], capture_output=True, text=True, check=True)
        assert (expected.replace("FOLDER", str(tmp_path / "sdk")) in result.stdout) is is_installed


STEPS = [  # Johansen, appendices A.3.1 and A.3.10, in their order
    "bash Dolphin_eXpressWare-Linux-x86_64-PX-*.ubuntu20.04.sh --disable-gui --enable-smartio --enable-supersockets",
    "upgrade_eeprom.sh",
    "./ntb-prefetch.sh --yes",
    "/opt/DIS/sbin/dis_mkconf -fabrics 2 -stt 2 -nodes abel1 abel2",
    "/opt/DIS/sbin/dis_services restart",
    "/opt/DIS/sbin/dis_services status -l",
    "./configure --with-adapter=PX --with-cuda-api=/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4/ \\",
    "--with-cuda-driv=/usr/src/nvidia-srv-470.182.03 --disable-gui --enable-sisci-development \\",
    "for i in *-setup; do ./$i -i; done",
]


def test_the_steps_by_hand_are_those_of_the_author() -> None:
    lines = [line.strip() for line in scripts("abel2")["expressware.txt"].splitlines()]
    assert [line for line in lines if line in STEPS] == STEPS
    assert "7. On abel2, the node ID must be 8, as in the cluster file:" in lines

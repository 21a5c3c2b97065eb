"""apply.sh and rollback.sh: they only print commands by default, and rollback restores the state before apply."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import fake_sysfs
from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.platforms import platforms

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """The rendered folder of node1."""
    plan = build(read(CLUSTER))
    render.write(render.files(plan, ["node1"]), tmp_path / "out", plan.name)
    return tmp_path / "out" / "node1"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A system image with two of the files there already, one of them as it should be."""
    root = tmp_path / "image"
    (root / "etc/bnxt_re").mkdir(parents=True)
    (root / "etc/bnxt_re/bnxt_re.conf").write_text("ENABLE_FC=0\n")
    (root / "etc/bnxt_re/bnxt_re.conf").chmod(0o640)
    return root


def contents(root: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of every file."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in root.rglob("*")
        if path.is_file()
    }


NOT_INSTALLED = ("apply.sh", "rollback.sh", "bios-checklist.txt")


def sh(script: Path, *arguments: str) -> str:
    process = subprocess.run(["sh", script, *arguments], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


def test_nothing_is_done_without_yes(device: Path, image: Path) -> None:
    installed_files = contents(image)
    output = sh(device / "apply.sh", "--root", str(image))
    assert output.startswith(
        "dry run: nothing is changed\nwould install: /etc/netplan/60-wirespeed.yaml\n"
        "not run (--root): sh -c if [ -t 0 ]; then exec netplan try "
    )
    assert contents(image) == installed_files


@pytest.mark.parametrize("script", ["apply.sh", "rollback.sh"])
def test_the_printed_command_keeps_the_image(device: Path, image: Path, script: str) -> None:
    """The last line of a dry run is copied to a shell: it must act on the image, not on the live host."""
    root = image.rename(image.with_name("an image"))
    *_, last = sh(device / script, "--root", f"{root}/").splitlines()
    assert last == f"dry run: nothing was changed; to make the changes: ./{script} --yes --root '{root}'"
    command = last.removeprefix("dry run: nothing was changed; to make the changes: ")
    process = subprocess.run(["sh", "-c", command], cwd=device, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert "\nrun:" not in f"\n{process.stdout}"
    assert (root / "var/lib/wirespeed/rollback.sh").exists() == (script == "apply.sh")


def test_the_printed_command_keeps_the_image_after_an_error(device: Path, image: Path) -> None:
    (image / "var").write_text("not a folder\n")
    process = subprocess.run(
        ["sh", device / "apply.sh", "--yes", "--root", image], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stderr.endswith(f"files installed before it stay; ./rollback.sh --yes --root '{image}' rolls back\n")


def test_apply_installs_every_file_and_rollback_takes_every_file_back(device: Path, image: Path) -> None:
    installed_files = contents(image)
    sh(device / "apply.sh", "--yes", "--root", str(image))
    installed = {path: text for path, text in contents(image).items() if not path.startswith("var/lib/wirespeed/")}
    text_by_path = {path: text for path, text in contents(device).items() if path not in NOT_INSTALLED}
    assert installed == text_by_path
    second_result = sh(device / "apply.sh", "--yes", "--root", str(image))
    *lines, last = second_result.splitlines()
    assert {line.partition(":")[0] for line in lines} == {"unchanged"}
    assert last == f"the files are installed in {image}; no command was run"
    sh(device / "rollback.sh", "--yes", "--root", str(image))
    assert contents(image) == installed_files
    output = sh(device / "rollback.sh", "--yes", "--root", str(image))
    assert output.splitlines()[0] == (
        "nothing to restore: /usr/local/bin/wirespeed-mpirun (not installed, or already rolled back)"
    )
    assert "run:" not in output


def test_a_second_apply_keeps_what_was_there_first(device: Path, image: Path) -> None:
    installed_files = contents(image)
    sh(device / "apply.sh", "--yes", "--root", str(image))
    (device / "etc/bnxt_re/bnxt_re.conf").write_text("ENABLE_FC=1\n")
    sh(device / "apply.sh", "--yes", "--root", str(image))
    assert (image / "etc/bnxt_re/bnxt_re.conf").read_text() == "ENABLE_FC=1\n"
    sh(device / "rollback.sh", "--yes", "--root", str(image))
    assert contents(image) == installed_files


def test_the_script_states_what_it_interrupts(device: Path) -> None:
    text = (device / "apply.sh").read_text()
    assert "# /etc/default/grub.d/90-wirespeed.cfg: takes effect after a reboot\n" in text
    assert (
        "# /etc/netplan/60-wirespeed.yaml: addresses and routes of the planned interfaces are reconfigured\n"
        "#   jobs on them lose their connections\n"
        "#   at a terminal, press ENTER within 120 s to keep the new configuration\n"
        "#   without ENTER, netplan restores the previous one\n"
        "#   without a terminal, no timer restores it\n"
        "#   after a rollback, the MTU stays changed until the next reboot\n"
    ) in text


@pytest.mark.parametrize("script", ["apply.sh", "rollback.sh"])
@pytest.mark.parametrize("arguments", [["--no"], ["--root"], ["--root", ""], ["--root", "/"]])
def test_wrong_usage_does_nothing(device: Path, script: str, arguments: list[str]) -> None:
    assert subprocess.run(["sh", device / script, *arguments], capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize("script", ["apply.sh", "rollback.sh"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_explains_the_dry_run(device: Path, script: str, option: str) -> None:
    usage, explanation = sh(device / script, option).splitlines()
    assert usage.startswith(f"usage: {script} [")
    assert explanation == "Without --yes it is a dry run: it prints what it would do, and changes nothing."


def dry_run(device: Path, root: Path, script: str) -> str:
    """Output of a script without options, as on a device whose root is a folder."""
    path = root.parent / "moved" / device.name / script
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(device, path.parent, dirs_exist_ok=True)
    for name in ("apply.sh", "rollback.sh"):
        text = (path.parent / name).read_text().replace("$root$1", f"{root}$1").replace("=$root/", f"={root}/")
        (path.parent / name).write_text(text)
    return sh(path)


NETPLAN = "/etc/netplan/60-wirespeed.yaml"
AFTER_REBOOT = (
    "/etc/default/grub.d/90-wirespeed.cfg",
    "/etc/modules-load.d/90-wirespeed.conf",
    "/etc/udev/rules.d/60-rdma-persistent-naming.rules",
    "/etc/bnxt_re/bnxt_re.conf",
)
NO_TRAFFIC = {
    "apply.sh": "installing these files interrupts no traffic\n",
    "rollback.sh": "the rollback interrupts no traffic\n",
}


def test_a_dry_run_ends_with_what_is_interrupted(device: Path, image: Path) -> None:
    last = "dry run: nothing was changed; to make the changes: ./apply.sh --yes\n"
    output = dry_run(device, image, "apply.sh")
    begin = f"installing these files interrupts traffic:\n  {NETPLAN}: addresses and routes of the planned "
    files = "".join(f"  {path}\n" for path in AFTER_REBOOT)
    assert begin in output and output.endswith(f"these files take effect after a reboot:\n{files}{last}")
    assert [line for line in output.partition(begin)[2].splitlines() if re.match(r"  \S", line)] == files.splitlines()
    assert dry_run(device, image, "rollback.sh").endswith(
        f"{NO_TRAFFIC['rollback.sh']}dry run: nothing was changed; to make the changes: ./rollback.sh --yes\n"
    )
    assert act(device, image, "apply.sh")[0] == 0
    assert dry_run(device, image, "apply.sh").endswith(NO_TRAFFIC["apply.sh"] + last)
    files = "".join(f"  {path}\n" for path in reversed(AFTER_REBOOT))
    assert (
        f"\nrestoring or removing these files interrupts traffic:\n  {NETPLAN}\n"
        f"the earlier state of these files returns after a reboot:\n{files}dry run: "
    ) in dry_run(device, image, "rollback.sh")


def test_a_dry_run_names_traffic_that_files_of_an_earlier_plan_interrupt(device: Path, image: Path) -> None:
    assert act(device, image, "apply.sh")[0] == 0
    script = device / "apply.sh"
    steps = script.read_text().replace(f"\n{NETPLAN}\n", "\n").replace(f"if put {NETPLAN} ", "if false ")
    script.write_text(steps)
    (device / "rollback.sh").write_text("#!/bin/sh\n# of a plan without addresses\n")
    output = dry_run(device, image, "apply.sh")
    assert output.startswith(f"dry run: nothing is changed\nwould remove: {NETPLAN}\n")
    assert f"\nrestoring or removing these files interrupts traffic:\n  {NETPLAN}\nunchanged: " in output


def act(
    device: Path, root: Path, script: str, failing: str = "", stdin: int = subprocess.DEVNULL
) -> tuple[int, list[str]]:
    """Run a script as on the device itself, moved below a folder; its exit code, and the commands that were run."""
    tools, log = root.parent / "tools", root.parent / "log"
    tools.mkdir(exist_ok=True)
    log.write_text("")
    for name in ("netplan", "networkctl", "sysctl", "update-grub", "systemctl", "udevadm"):
        fails = "exit 1" if name == failing else "exit 0"
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{log}\n{fails}\n')
        (tools / name).chmod(0o755)
    moved = root.parent / "moved" / device.name
    shutil.rmtree(moved, ignore_errors=True)
    shutil.copytree(device, moved)
    for name in ("apply.sh", "rollback.sh"):
        text = (moved / name).read_text().replace("$root$1", f"{root}$1").replace("=$root/", f"={root}/")
        (moved / name).write_text(text.replace("run rm -f /etc", f"run rm -f {root}/etc"))
    process = subprocess.run(
        ["sh", moved / script, "--yes"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tools}:/usr/bin:/bin"},
        stdin=stdin,
        check=False,
    )
    return process.returncode, log.read_text().splitlines()


def test_files_that_take_effect_after_a_reboot_are_marked() -> None:
    files = [file for entry in platforms().values() for file in entry.files]
    texts = ("takes effect after a reboot", "new names after a reboot")
    assert {file.path for file in files if file.after_reboot} == {
        file.path for file in files if any(text in (file.consequence or "").split(";")[0] for text in texts)
    }


def test_who_sits_at_the_host_confirms_its_network(device: Path, image: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        code, ran = act(device, image, "apply.sh", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert code == 0
    assert [line for line in ran if line.startswith("netplan")] == ["netplan try --timeout 120"]


def test_a_command_that_failed_is_run_again(device: Path, image: Path) -> None:
    installed_files = contents(image)
    code, ran = act(device, image, "apply.sh", failing="netplan")
    assert code == 1
    assert "netplan generate" in ran and "netplan apply" not in ran  # what the first does not take is not applied
    assert "update-grub " in ran  # the other files do not wait for it
    assert act(device, image, "apply.sh") == (0, ["netplan generate", "netplan apply"])
    assert act(device, image, "apply.sh") == (0, [])
    assert act(device, image, "rollback.sh", failing="sysctl")[0] == 1
    assert contents(image) == installed_files


def test_a_device_that_cannot_be_written_is_not_called_done(device: Path, tmp_path: Path) -> None:
    (tmp_path / "image").mkdir()
    (tmp_path / "image" / "etc").write_text("a file where a folder must be")
    process = subprocess.run(
        ["sh", device / "apply.sh", "--yes", "--root", tmp_path / "image"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].startswith("apply.sh: stopped at /etc/netplan/60-wirespeed.yaml; ")
    assert process.stdout == "install: /etc/netplan/60-wirespeed.yaml\n"


SWITCHES = {  # root port, PCIe switch, and the device below each of its downstream ports
    f"0000:{bus:02x}:01.1": (
        f"0000:{bus + 1:02x}:00.0",
        {f"0000:{bus + 2:02x}:0{port}.0": f"0000:{bus + 3 + port:02x}:00.0" for port in range(4)},
    )
    for bus in (0x30, 0x50, 0x90, 0xB0)
}
PORTS = [port for _, ports in SWITCHES.values() for port in ports]
NICS = (29, 67, 86, 105, 159, 195, 213, 231)


def build_sysfs(root: Path) -> None:
    """Four PCIe switches, each with GPU, NIC, GPU and NIC; a GPU contains a switch, as an MI300X does; a disk."""
    interfaces = iter(NICS)
    for bus, (root_port, (upstream, ports)) in enumerate(SWITCHES.items(), 0xE0):
        for number, (port, device) in enumerate(ports.items()):
            path = f"{root_port}/{upstream}/{port}"
            if number % 2:
                fake_sysfs.add_interface(root, f"enp{next(interfaces)}s0np0", f"{path}/{device}")
            elif number == 0:
                inner = f"0000:{bus:02x}:00.0/0000:{bus:02x}:02.0"
                fake_sysfs.add_device(root, f"{path}/{inner}/{device}", "0x120000", "0x1002")
            else:
                fake_sysfs.add_device(root, f"{path}/{device}", "0x120000", "0x1002")
    fake_sysfs.add_device(root, "0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", "0x010802", "0x144d")


INNER_PORTS = [f"0000:{bus:02x}:02.0" for bus in range(0xE0, 0xE4)]


def acs(
    device: Path, tmp_path: Path, registers: dict[str, str], action: str, stuck: str = "", user: int = 0
) -> tuple[int, str, dict[str, str]]:
    """Run the ACS script against registers kept as files; its exit code, errors, and the registers afterwards."""
    devices, tools, sysfs = (tmp_path / name for name in ("devices", "tools", "sys"))
    for folder in (devices, tools):
        folder.mkdir()
    if not sysfs.exists():
        build_sysfs(sysfs)
    for address, value in registers.items():
        (devices / address).write_text(value)
    (tools / "setpci").write_text(
        f"""#!/bin/sh
file={devices}/$2
[ -s "$file" ] || exit 1
case $3 in
*=*) [ "$2" = "{stuck}" ] || printf %s "${{3#*=}}" >"$file" ;;
*) cat "$file" ;;
esac
"""
    )
    (tools / "setpci").chmod(0o755)
    (tools / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (tools / "id").chmod(0o755)
    script = tmp_path / "wirespeed-acs"
    text = (device / "usr/local/sbin/wirespeed-acs").read_text()
    script.write_text(fake_sysfs.use(text, sysfs))
    process = subprocess.run(
        ["sh", script, action], capture_output=True, text=True, env={"PATH": f"{tools}:/usr/bin:/bin"}, check=False
    )
    return process.returncode, process.stderr, {path.name: path.read_text() for path in devices.iterdir()}


def test_acs_is_switched_off_at_nics_and_gpus_and_above_them_alone(device: Path, tmp_path: Path) -> None:
    root_port, (upstream, ports) = next(iter(SWITCHES.items()))
    disk = {"0000:02:00.0": "001d", "0000:00:01.0": "001d"}
    without_capability = {PORTS[5]: ""}
    served = [*PORTS, *INNER_PORTS, root_port, upstream, *ports.values()]
    code, errors, final_registers = acs(
        device, tmp_path, {**dict.fromkeys(served, "001d"), **disk, **without_capability}, "set"
    )
    assert (code, errors) == (0, "")
    assert final_registers == {**dict.fromkeys(served, "0000"), **disk, **without_capability}


def test_a_bridge_that_does_not_obey_is_named(device: Path, tmp_path: Path) -> None:
    registers = dict.fromkeys([*PORTS, *INNER_PORTS], "001d")
    code, errors, _ = acs(device, tmp_path, registers, "set", stuck=PORTS[10])
    assert (code, errors) == (1, f"wirespeed-acs: {PORTS[10]}: ACS control is 001d, planned 0000\n")


def test_verify_only_reads_and_a_missing_nic_is_named(device: Path, tmp_path: Path) -> None:
    build_sysfs(tmp_path / "sys")
    (tmp_path / "sys/class/net/enp67s0np0/device").unlink()
    registers = {**dict.fromkeys([*PORTS, *INNER_PORTS], "0000"), PORTS[3]: "001d", PORTS[4]: "0001"}
    code, errors, final_registers = acs(device, tmp_path, registers, "verify")
    assert (code, final_registers) == (1, registers)
    assert errors == (  # nothing shows what is behind the port of the missing NIC
        "wirespeed-acs: enp67s0np0: no PCIe device behind this interface\n"
        f"wirespeed-acs: {PORTS[4]}: ACS control is 0001, planned 0000\n"
    )


def test_firmware_without_acs_leaves_nothing_to_switch_off(device: Path, tmp_path: Path) -> None:
    for number in NICS:
        fake_sysfs.add_interface(
            tmp_path / "sys", f"enp{number}s0np0", f"0000:{number:02x}:01.0/0000:{number:02x}:00.0"
        )
    code, errors, _ = acs(device, tmp_path, {}, "set")
    assert (code, errors) == (0, "wirespeed-acs: no NIC, no GPU and no bridge above them has ACS\n")


def test_acs_reports_nothing_for_bridges_that_it_cannot_read(device: Path, tmp_path: Path) -> None:
    code, errors, _ = acs(device, tmp_path, {}, "verify", user=1000)
    assert (code, errors) == (1, "wirespeed-acs: must be run as root\n")


def test_acs_needs_its_tool(device: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    process = subprocess.run(
        ["/bin/sh", device / "usr/local/sbin/wirespeed-acs", "verify"],
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path / "bin")},
        check=False,
    )
    assert (process.returncode, process.stderr) == (1, "wirespeed-acs: setpci is missing (pciutils)\n")

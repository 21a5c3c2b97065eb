"""The rendered scripts of a Broadcom NIC, run with stand-ins for the vendor's tools."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import fake_sysfs
from wirespeed.errors import Refusal
from wirespeed.platforms import platform
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import (
    Congestion,
    Discipline,
    Driver,
    Dscp,
    Ect,
    Host,
    Nic,
    NicQos,
    NicTrafficClass,
    Nvm,
    Priority,
)

BNXT = platform("nic", "bnxt")
QOS = NicQos(
    pfc=frozenset({Priority(3)}),
    tc_discipline={NicTrafficClass(1): Discipline.DWRR, NicTrafficClass(2): Discipline.STRICT},
    roce_dscp=Dscp(26),
    roce_priority=Priority(3),
    cnp_dscp=Dscp(48),
    cnp_priority=Priority(7),
    roce_share=50,
    congestion=Congestion.DCQCN_P,
    ecn=True,
    ect=Ect.ECT1,
    configure=True,
)
NIC = Nic(
    pcie="root1.1",
    rdma_device="bnxt_re0",
    driver=Driver(name="bnxt_en"),
    qos=QOS,
    nvm=Nvm(rdma=True, performance_profile="roce"),
)


def host(**changes: object) -> Host:
    return Host(nics={"ens1f1np1": replace(NIC, qos=replace(QOS, **changes))})  # type: ignore[arg-type]


def script(tmp_path: Path, template: str, tools: dict[str, str]) -> Path:
    """The script, beside tools of these shell bodies; what it keeps lies in the same folder."""
    text = fill_template(BNXT, template, "node1", host()).replace("/var/lib/wirespeed", str(tmp_path / "kept"))
    text = fake_sysfs.use(text, tmp_path / "sys")
    if not (tmp_path / "sys").exists():
        fake_sysfs.add_interface(tmp_path / "sys", "ens1f1np1", "0000:00:01.0/0000:1d:00.1")
    path = tmp_path / template.removesuffix(".j2")
    path.write_text(text)
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name, body in tools.items():
        tool = folder / name
        tool.write_text(f'#!/bin/sh\n{body}\necho "{name} $*" >>{tmp_path}/typed\n')
        tool.chmod(0o755)
    return path


def run(tmp_path: Path, path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "LC_ALL": "C"}
    return subprocess.run(["sh", str(path), *arguments], env=environment, capture_output=True, text=True, check=False)


def read_calls(tmp_path: Path) -> list[str]:
    """The commands that the tools received, without the query of their release."""
    file = tmp_path / "typed"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return [line for line in lines if "--version" not in line]


TOOLS = {
    "niccli 236": {
        "niccli": '[ "$1" != --version ] || echo niccli v236; echo "$*" | grep -q etoption && echo "= Disabled"'
    },
    "niccli 233": {"niccli": '[ "$1" != --version ] || echo 233.1; echo "$*" | grep -q etoption && echo "x : 0"'},
    "bnxtnvm": {"bnxtnvm": 'echo "$*" | grep -q getoption && echo "Default"'},
}
SET = {
    "niccli 236": [
        "niccli --dev 0000:1d:00.1 nvm --setoption support_rdma --scope 1 --value 1",
        "niccli --dev 0000:1d:00.1 nvm --setoption performance_profile --value 1",
    ],
    "niccli 233": [
        "niccli -dev 0000:1d:00.1 nvm -setoption support_rdma -value 1 -scope 1",
        "niccli -dev 0000:1d:00.1 nvm -setoption performance_profile -value 1",
    ],
    # Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, "Configuring NVRAM"
    "bnxtnvm": [
        "bnxtnvm -dev=ens1f1np1 setoption=support_rdma:1#1",
        "bnxtnvm -dev=ens1f1np1 setoption=performance_profile#1",
    ],
}


@pytest.mark.parametrize("release", TOOLS)
def test_options_are_set_with_the_tool_there_is_and_put_back(release: str, tmp_path: Path) -> None:
    path = script(tmp_path, "nvm.sh.j2", TOOLS[release])
    assert run(tmp_path, path, "set").returncode == 0
    assert [line for line in read_calls(tmp_path) if "setoption" in line] == SET[release]
    assert run(tmp_path, path, "restore").returncode == 0
    restored = [line for line in read_calls(tmp_path) if "setoption" in line]
    assert restored == [line.replace("value 1", "value 0").replace("#1", "#0") for line in SET[release]]
    assert run(tmp_path, path, "restore").stdout.count("never written") == 2
    assert read_calls(tmp_path) == []


def test_what_could_not_be_put_back_is_not_written(tmp_path: Path) -> None:
    path = script(tmp_path, "nvm.sh.j2", {"niccli": 'echo "support_rdma = as shipped"'})
    result = run(tmp_path, path, "set")
    assert result.returncode == 1
    assert "no number of support_rdma on 0000:1d:00.1 found" in result.stderr
    assert [line for line in read_calls(tmp_path) if "setoption" in line] == []


def test_without_the_interface_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    path = script(tmp_path, "nvm.sh.j2", TOOLS["niccli 236"])
    message = "nvm.sh: ens1f1np1: no PCIe device behind this interface\n"
    result = run(tmp_path, path, "set")
    assert (result.returncode, result.stderr) == (1, f"{message}wirespeed-nvm: nothing was written\n")
    result = run(tmp_path, path, "restore")
    assert (result.returncode, result.stderr) == (1, message)
    assert read_calls(tmp_path) == []


def test_no_tool_is_reported(tmp_path: Path) -> None:
    result = run(tmp_path, script(tmp_path, "nvm.sh.j2", {}), "show")
    assert (result.returncode, result.stderr) == (1, "nvm.sh: neither niccli nor bnxtnvm is installed\n")


def test_capture_is_prepared_run_and_undone(tmp_path: Path) -> None:
    tools = {**TOOLS["niccli 236"], "tcpdump": ":"}
    path = script(tmp_path, "capture.sh.j2", tools)
    undo = script(tmp_path, "capture-undo.sh.j2", tools)
    assert run(tmp_path, path, "prepare", "ens1f1np1").returncode == 0
    assert [line for line in read_calls(tmp_path) if "setoption" in line] == [
        "niccli --dev 0000:1d:00.1 nvm --setoption enable_sriov --value 0",
        "niccli --dev 0000:1d:00.1 nvm --setoption default_evb_mode --scope 1 --value 3",
    ]
    assert run(tmp_path, path, "run", "ens1f1np1").returncode == 0
    assert read_calls(tmp_path) == ["tcpdump -i bnxt_re0 -w roce-ens1f1np1.pcap udp"]
    (tmp_path / "kept" / "capture" / "0000:1d:00.1.default_evb_mode").write_text("1\n")  # as it was before
    assert run(tmp_path, undo).returncode == 0
    assert [line for line in read_calls(tmp_path) if "setoption" in line] == [
        "niccli --dev 0000:1d:00.1 nvm --setoption enable_sriov --value 0",
        "niccli --dev 0000:1d:00.1 nvm --setoption default_evb_mode --scope 1 --value 1",
    ]
    assert run(tmp_path, path, "prepare", "eth0").returncode == 2


def test_before_release_234_the_ethernet_interface_is_captured(tmp_path: Path) -> None:
    path = script(tmp_path, "capture.sh.j2", {**TOOLS["niccli 233"], "tcpdump": ":"})
    assert run(tmp_path, path, "run", "ens1f1np1", "-c", "5").returncode == 0
    assert read_calls(tmp_path) == ["tcpdump -i ens1f1np1 -c 5"]


class CongestionScript:
    """wirespeed-congestion on a folder that replaces configfs and has the values of a NIC after a boot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.attributes = folder / "configfs" / "bnxt_re0" / "ports" / "1" / "cc"
        self.attributes.mkdir(parents=True)
        for name, value in {"cc_mode": "0x1", "ecn_marking": "0x1", "g": "0x40", "rtt": "0x14"}.items():
            (self.attributes / name).write_text(f"{value}\n")
        (folder / "bin").mkdir()
        (folder / "bin" / "rmdir").write_text("#!/bin/sh\n")  # removes a folder of configfs, not its attributes
        (folder / "bin" / "rmdir").chmod(0o755)

    def run(self, action: str, **changes: object) -> dict[str, str]:
        """The attributes afterwards."""
        text = fill_template(BNXT, "congestion.sh.j2", "node1", host(**changes))
        text = text.replace("/sys/kernel/config/bnxt_re", str(self.folder / "configfs"))
        script = self.folder / "wirespeed-congestion"
        script.write_text(text.replace("/run/wirespeed", str(self.folder / "run")))
        environment = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}
        subprocess.run(["sh", script, action], env=environment, check=True)
        return {path.name: path.read_text().strip() for path in self.attributes.iterdir()}


BOOTED = {"cc_mode": "0x1", "ecn_marking": "0x1", "g": "0x40", "rtt": "0x14"}


@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({"congestion": Congestion.DCQCN_D}, {"cc_mode": "0x0"}),
        ({"ect": Ect.ECT0}, {"ecn_marking": "0x2"}),
        (
            {"congestion": Congestion.DCQCN_D, "congestion_parameters": {"rtt": 40, "g": 8}},
            {"cc_mode": "0x0", "advanced": "0x1", "g": "0x8", "rtt": "0x28"},
        ),
    ],
)
def test_congestion_control_beyond_the_package(
    changes: dict[str, object], values: dict[str, str], tmp_path: Path
) -> None:
    """Older drivers read every number as hexadecimal, so that 40 is written 0x28. Proves consistency only."""
    script = CongestionScript(tmp_path)
    assert script.run("set", **changes) == {**BOOTED, **values, "apply": "0x1"}
    assert {name: script.run("restore", **changes)[name] for name in BOOTED} == BOOTED


def test_the_package_alone_sets_dcqcn_p() -> None:
    assert fill_template(BNXT, "congestion.sh.j2", "node1", host()).strip() == ""


def test_a_parameter_of_an_earlier_plan_gets_its_earlier_value(tmp_path: Path) -> None:
    """The service is restarted with the next plan's script, which first restores."""
    script = CongestionScript(tmp_path)
    script.run("set", congestion=Congestion.DCQCN_D, congestion_parameters={"g": 8})
    script.run("restore", congestion_parameters={"rtt": 40})
    changed = script.run("set", congestion_parameters={"rtt": 40})
    assert {name: changed[name] for name in BOOTED} == {**BOOTED, "rtt": "0x28"}


@pytest.mark.parametrize(
    ("parameters", "found", "expected", "hint"),
    [
        (
            {"init_crr": 1},
            "the congestion parameter 'init_crr'",
            "an attribute of configfs bnxt_re/…/cc",
            "did you mean 'init_cr'?",
        ),
        ({"time_pph": 16}, "time_pph = 16", "1 to 15, which the driver can hold", None),
        ({"inact_th": 0x400000}, "inact_th = 4194304", "0 to 4194303, which the driver can hold", None),
    ],
)
def test_parameters_the_driver_lacks_are_refused(
    parameters: dict[str, int], found: str, expected: str, hint: str | None
) -> None:
    with pytest.raises(Refusal) as caught:
        fill_template(BNXT, "congestion.sh.j2", "node1", host(congestion_parameters=parameters))
    (problem,) = caught.value.problems
    assert (problem.found, problem.expected, problem.hint) == (found, expected, hint)

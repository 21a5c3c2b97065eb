"""Settings of NICs in a cluster file beyond the classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.platforms.launcher.library_variables import library_variables
from wirespeed.render import check
from wirespeed.settings import Ect, Nic
from wirespeed.units import Length, Size

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
ROCE = "share: 50%, congestion: dcqcn-p"
BROADCOM, NVIDIA = "broadcom-bcm957608-p1400gd", "nvidia-mcx75310aas-neat"


def nic(folder: Path, *changes: tuple[str, str]) -> Nic:
    text = CLUSTER.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "cluster.yaml"
    file.write_text(text)
    return next(iter(build(read(file), load()).hosts["node1"].nics.values()))


def test_commands_for_each_model(tmp_path: Path) -> None:
    broadcom, nvidia = nic(tmp_path), nic(tmp_path, (BROADCOM, NVIDIA))
    assert (broadcom.qos.ect, nvidia.qos.ect) == (Ect.ECT1, Ect.ECT0)
    assert (broadcom.qos.configure, nvidia.qos.configure) == (True, None)
    assert (broadcom.qos.ecn_priorities, nvidia.qos.ecn_priorities) == (None, frozenset({3}))
    assert (broadcom.cable_length, nvidia.cable_length) == (None, Length(3000))
    assert (broadcom.nvm.link_type, nvidia.nvm.link_type) == (None, "ethernet")


def test_congestion_control_that_the_driver_decides_on_is_not_planned(tmp_path: Path) -> None:
    """Without `congestion` it is off on NICs that can have it; a check of it on others could never be read."""
    change = (", congestion: dcqcn-p", "")
    assert nic(tmp_path, change).qos.ecn is False
    cnp = "  cnp: {dscp: 48, priority: 7, strict: true}\n"
    assert nic(tmp_path, change, (BROADCOM, "intel-e810-cqda2"), (cnp, "")).qos.ecn is None


def test_parameters_marks_and_buffers_from_the_file(tmp_path: Path) -> None:
    settings = "{ect: ect0, congestion_parameters: {rtt: 40, g: 8}, buffer: 1, buffer_size: 256 KiB}"
    qos = nic(tmp_path, (ROCE, f"{ROCE}, nic: {settings}")).qos
    assert qos.ect is Ect.ECT0
    assert qos.congestion_parameters == {"rtt": 40, "g": 8}
    assert qos.priority_buffer == {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 0}
    assert qos.buffer_size == {1: Size(262144)}


def test_options_in_the_memory_of_the_nics(tmp_path: Path) -> None:
    settings = f"8 x {NVIDIA}, nvm: {{relaxed_ordering: true, sriov: false, outstanding_reads: 44}}"
    nvm = nic(tmp_path, (f"8 x {BROADCOM}", settings)).nvm
    assert (nvm.relaxed_ordering, nvm.sriov, nvm.outstanding_reads, nvm.rdma) == (True, False, 44, True)


@pytest.mark.parametrize(
    ("old", "new", "found", "expected"),
    [
        (
            "strict: true}",
            "strict: true, nic: {ect: ect0}}",
            "congestion control of class cnp",
            "ect and congestion_parameters of class roce alone",
        ),
        (
            ROCE,
            "share: 50%, nic: {congestion_parameters: {g: 8}}",
            "ect or congestion_parameters",
            "class roce with congestion: dcqcn-p or dcqcn-d",
        ),
        (ROCE, f"{ROCE}, nic: {{buffer: 8}}", "receive buffer 8", "0 to 7"),
        (
            ROCE,
            f"{ROCE}, nic: {{buffer_size: 1 MiB}}",
            "buffer_size without buffer",
            "buffer: the number of the buffer",
        ),
    ],
)
def test_refusals(tmp_path: Path, old: str, new: str, found: str, expected: str) -> None:
    with pytest.raises(Refusal) as caught:
        nic(tmp_path, (old, new))
    problem = caught.value.problems[0]
    assert (problem.found, problem.expected) == (found, expected)


@pytest.mark.parametrize(
    ("nvm", "launch", "planned"),
    [
        ("", "", "1"),  # of the library
        ("nvm: {relaxed_ordering: true}, ", "", "1"),
        ("nvm: {relaxed_ordering: false}, ", "", "0"),
        ("nvm: {relaxed_ordering: false}, ", "launch: {relaxed_ordering: true}\n", "1"),
        ("nvm: {relaxed_ordering: false}, ", "launch: {library: openmpi}\n", None),  # no variable of it
    ],
)
def test_jobs_register_no_memory_for_an_ordering_that_the_nics_lack(nvm: str, launch: str, planned: str | None) -> None:
    """NCCL, src/transport/net_ib: 0 is off, 1 is on, 2 is automatic and the default."""
    text = CLUSTER.read_text().replace("nics: 8 x", f"{nvm}nics: 8 x") + launch
    plan = build(read_text(text, "cluster.yaml"))
    check(plan)
    variables = dict(library_variables(plan.hosts["node1"].launch))
    assert variables.get("NCCL_IB_PCI_RELAXED_ORDERING") == planned

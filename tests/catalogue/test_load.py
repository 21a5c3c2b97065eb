"""The catalogue that comes with wirespeed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from wirespeed.catalogue import load
from wirespeed.catalogue.load import _read_folder
from wirespeed.catalogue.model import CableModel, ServerModel, SourcedValue
from wirespeed.errors import Refusal
from wirespeed.plan.pcie_tree import gpu_positions, list_positions, nic_position
from wirespeed.settings import is_address
from wirespeed.units import Bandwidth, Size

SERVERS = sorted(load().servers)


def test_the_example_hardware_is_there() -> None:
    catalogue = load()
    assert catalogue.nics["broadcom-bcm957608-p1400gd"].speed.value == Bandwidth.gbps(400)
    assert catalogue.switches["dell-z9664f"].ports.value == 64
    assert catalogue.switch_systems["dell-sonic"].ecn.minimum.value == Size(1_048_000)
    assert catalogue.gpus["mi300x"].links is not None


def test_a_number_without_a_source_is_refused() -> None:
    with pytest.raises(ValidationError):
        SourcedValue[int].model_validate({"value": 1, "source": ""})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "medium: dac\ntitel: A cable\n",
            "own.yaml: found the key 'titel'; expected one of delay_ns_per_m, max_length, speed, title, training\n"
            "  hint: did you mean 'title'?",
        ),
        ("medium: dac\n", "own.yaml: missing key 'title'"),
        ("title: 3\n", "own.yaml: title: found 3; expected a valid string"),
        ("title: 'A cable\n", "own.yaml:2: YAML syntax error: found unexpected end of stream"),
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(Refusal) as refusal:
        _read_folder(tmp_path, CableModel)
    assert message in [str(problem).removeprefix(f"{tmp_path}/") for problem in refusal.value.problems]


@pytest.mark.parametrize("name", SERVERS)
def test_every_position_is_below_a_bridge(name: str) -> None:
    server = load().servers[name]
    positions = {position.name: position for position in list_positions(server)}
    assert len(positions) == len(list_positions(server))
    for position in positions.values():
        assert (position.parent is None) == (position.role == "root-port")
        assert position.parent is None or positions[position.parent].role != "endpoint"
        assert not is_address(position.name)
    assert sorted(position.nic for position in positions.values() if position.nic) == [
        number for number, _ in enumerate(server.nic_slots, 1)
    ]
    assert list(gpu_positions(server)) == [f"GPU{index}" for index in range(server.gpu_count)]


@pytest.mark.parametrize("name", SERVERS)
def test_a_nic_and_its_gpu_share_a_pcie_switch(name: str) -> None:
    server = load().servers[name]
    gpus = gpu_positions(server)
    for number, slot in enumerate(server.nic_slots, 1):
        if slot.gpu is not None:
            switch = nic_position(server, number).switch
            assert switch is not None and switch == gpus[f"GPU{slot.gpu}"].switch


TREES = [
    ("[{nics: [1]}, {nics: [1]}]", "NIC 1 twice in pcie; expected each of 1 nic_slots once"),
    ("[{nics: [2]}]", "NIC 2 in pcie; expected each of 1 nic_slots once"),
    ("[{nics: [1]}, {gpu: 1}]", "GPU 1 in pcie; expected GPU 0, 1, 2, … once each"),
    ("[{nics: [1], gpu: 0}]", "a PCIe port with nics and gpu; expected exactly one of nics, gpu, switch"),
    ("[{}]", "a PCIe port with nothing; expected exactly one of nics, gpu, switch"),
    ("[{switch: [{nics: [1], numa_node: 0}]}]", "a numa_node below a PCIe switch; expected it at the root port"),
]


@pytest.mark.parametrize(("tree", "message"), TREES)
def test_a_tree_has_each_device_once(tree: str, message: str, tmp_path: Path) -> None:
    source = "{value: 1, source: a}"
    (tmp_path / "server.yaml").write_text(
        f"title: a\nvendor: a\ncpu_vendor: amd\nsource: a\nslot_pcie: {{speed: {source}, width: {source}}}\n"
        f"nic_slots: [{{}}]\npcie: {tree}\n"
    )
    with pytest.raises(Refusal) as refusal:
        _read_folder(tmp_path, ServerModel)
    assert message in str(refusal.value)


def test_every_switch_runs_a_known_system() -> None:
    catalogue = load()
    for switch in catalogue.switches.values():
        assert set(switch.systems) <= set(catalogue.switch_systems)


def test_every_nic_with_a_qos_package_has_a_program_for_it() -> None:
    catalogue = load()
    drivers = {nic.driver for nic in catalogue.nics.values() if nic.qos_package}
    programs = {driver: list(catalogue.drivers[driver or ""].qos_programs) for driver in drivers}
    assert programs == {"bnxt_en": ["bnxtqos", "dcb", "niccli", "lldptool"]}

"""The catalogue that comes with wirespeed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from wirespeed.catalogue import load
from wirespeed.catalogue.load import _read_folder
from wirespeed.catalogue.model import CableModel, SourcedValue
from wirespeed.errors import Refusal
from wirespeed.settings import bdf
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
        ("medium: dac\n", "own.yaml: no 'title'; expected one"),
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
def test_every_slot_hangs_in_the_tree(name: str) -> None:
    server = load().servers[name]
    bridges = {bdf(bridge.address): bridge for bridge in server.bridges}
    assert len(bridges) == len(server.bridges)
    # GPUs hang on PCIe switches, and so do the NICs that serve them; a host without any has its NICs on root ports.
    role = "switch-downstream" if any(slot.gpu is not None for slot in server.nic_slots) else "root-port"
    for slot in (*server.nic_slots, *server.gpu_slots):
        assert bridges[bdf(slot.parent)].role == role
    for bridge in server.bridges:
        assert (bridge.parent is None) == (bridge.role == "root-port")
        assert bridge.parent is None or bdf(bridge.parent) in bridges


@pytest.mark.parametrize("name", SERVERS)
def test_a_nic_and_its_gpu_share_a_pcie_switch(name: str) -> None:
    server = load().servers[name]
    above = {bdf(bridge.address): bridge.parent for bridge in server.bridges}
    for slot in server.nic_slots if server.gpu_slots else ():
        if server.gpu and slot.gpu is None:  # its GPUs hang on root ports
            assert all(bridge.role == "root-port" for bridge in server.bridges)
            continue
        assert slot.gpu is not None
        assert above[bdf(slot.parent)] == above[bdf(server.gpu_slots[slot.gpu].parent)]


def test_every_switch_runs_a_known_system() -> None:
    catalogue = load()
    for switch in catalogue.switches.values():
        assert set(switch.systems) <= set(catalogue.switch_systems)

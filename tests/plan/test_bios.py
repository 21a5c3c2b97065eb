"""Which firmware attributes a host is planned with, and what of them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.catalogue.model import BiosRow, TuningProfile
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.settings import Host

EXAMPLES = Path(__file__).parents[2] / "examples"


def host(tmp_path: Path, bios: str, example: str = "mi300x-4node") -> Host:
    """The example's first host with this firmware part in its cluster file."""
    text = (EXAMPLES / example / "cluster.yaml").read_text(encoding="utf-8")
    changed_file = tmp_path / "cluster.yaml"
    changed_file.write_text(text.replace("os: ubuntu-22.04", f"os: ubuntu-22.04, bios: {bios}", 1), encoding="utf-8")
    return build(read(changed_file)).hosts["node1"]


def test_a_server_model_brings_its_table() -> None:
    bios = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml")).hosts["node1"].bios
    assert {name: (bio.value, bio.menu_value) for name, bio in bios.items()} == {
        "smt": ("disabled", "Disable"),
        "virtualization": ("disabled", "Disable"),
        "sub-numa": ("disabled", "Disable"),
        "core-enumeration": ("linear", "Linear"),
        "sr-iov": ("disabled", "Disable"),
        "system-profile": ("performance", "Performance"),
        "workload-profile": ("not-configured", "Not Configured"),
        "power-on-delay": ("random", "Random (highly recommended)"),
    }


def test_a_tuning_profile_brings_its_own() -> None:
    hosts = build(read(EXAMPLES / "esnet-400g" / "cluster.yaml")).hosts
    assert {name: bio.value for name, bio in hosts["node2"].bios.items()} == {
        "nps": "1",
        "determinism": "performance",
        "power-limit-control": "disabled",
        "fixed-p-state": "enabled",
        "c-states": "disabled",
        "iommu": "enabled",
        "sr-iov": "enabled",
        "x2apic": "enabled",
    }


def build_tuned_host(server: str, tmp_path: Path, bios: str = "{}") -> Host:
    """A host of a server with the tuning profile for AMD's processors."""
    (tmp_path / "cluster.yaml").write_text(
        "version: 1\nname: tuned\n"
        f"hosts: {{node1: {{model: {server}, os: ubuntu-22.04, nics: nvidia-mcx75310aas-neat, tuning: esnet-dtn,"
        f" bios: {bios}, interfaces: [ens1np0]}}}}\n"
        "switches: {leaf1: {model: nvidia-sn5600, os: cumulus, role: leaf}}\n"
        "cabling: {pattern: by-host, length: 3 m}\naddresses: {scheme: link-31, pool: 10.1.0.0/24}\n"
    )
    return build(read(tmp_path / "cluster.yaml")).hosts["node1"]


def test_a_profile_leaves_out_what_the_processors_lack(tmp_path: Path) -> None:
    """Nodes per socket, determinism, power limits and fixed P-states are settings of AMD's firmware."""
    bios = build_tuned_host("nvidia-dgx-h100", tmp_path).bios
    assert sorted(bios) == ["c-states", "iommu", "sr-iov", "x2apic"]
    with pytest.raises(Refusal, match="found nps on a server with intel processors; expected one of smt, "):
        build_tuned_host("nvidia-dgx-h100", tmp_path, "{nps: 2}")


@pytest.mark.parametrize(
    ("bios", "nodes"), [("{nps: 0}", {0}), ("{nps: 1}", {0, 1}), ("{nps: 2}", {None}), ("{nps: 4}", {1, 3, 5, 7})]
)
def test_nodes_of_devices_follow_the_firmware(bios: str, nodes: set[int | None], tmp_path: Path) -> None:
    """The catalogue has the nodes of four for each socket; with one, a device is on that of its socket."""
    host = build_tuned_host("nvidia-dgx-a100", tmp_path, bios)
    endpoints = [function for function in host.pcie.values() if function.role == "endpoint"]
    assert {function.numa_node for function in endpoints} == nodes
    assert {function.socket for function in endpoints} == {0, 1}


def test_nodes_of_the_profile_are_those_of_its_servers() -> None:
    catalogue = load()
    nps = catalogue.tunings["esnet-dtn"].bios["nps"].value
    for model in ("supermicro-as-2124us-tnrp", "gigabyte-r19"):
        cpus = catalogue.servers[model].cpus
        assert cpus is not None
        assert str(cpus.numa_nodes.value) == nps


def test_the_cluster_file_goes_before_the_table(tmp_path: Path) -> None:
    bios = host(tmp_path, "{smt: enabled, sr-iov: any, iommu: enabled}").bios
    assert (bios["smt"].value, bios["smt"].menu_value) == ("enabled", "enabled")
    assert bios["smt"].menu == "BIOS > Processor Settings > Logical Processor"
    assert bios["smt"].source == "the cluster file"
    assert "sr-iov" not in bios
    assert (bios["iommu"].value, bios["iommu"].menu) == ("enabled", None)


@pytest.mark.parametrize(
    ("bios", "message"),
    [
        ("{smt: on}", ":5: found 'on'; expected one of enabled, disabled, any"),
        ("{smd: enabled}", ":5: found 'smd'; expected one of smt, virtualization, sub-numa, nps, "),
    ],
)
def test_what_is_refused(tmp_path: Path, bios: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        host(tmp_path, bios)
    assert message in str(refusal.value)


def test_a_table_with_an_unknown_value_is_refused() -> None:
    row = BiosRow(value="off", menu_value="Off", why="w", source="s")
    with pytest.raises(ValueError, match="smt: off is not known; known: enabled, disabled"):
        TuningProfile(title="t", bios={"smt": row})

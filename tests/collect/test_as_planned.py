"""``collect --as-planned``: its bundle passes its own check; a plan that cannot be rendered is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from collect.schema_options import (
    CONTROL,
    ONE_HOST,
    class_options,
    cluster,
    host_cluster,
    host_options,
    launch_options,
    switch_options,
)
from platforms.cluster_files import switch_files
from wirespeed.catalogue import load
from wirespeed.checks import checks, run
from wirespeed.cli.app import app
from wirespeed.cluster import read, read_text
from wirespeed.cluster.launch import Launcher
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.platforms.host.linux.bios import find_name
from wirespeed.render import check
from wirespeed.results.findings import Status

EXAMPLES = Path(__file__).parents[2] / "examples"
LARGE = {"scale-1024", "scale-32768"}
"""Examples that take minutes; their devices are those of the others."""
CLUSTERS = sorted(path for path in EXAMPLES.glob("*/cluster*.yaml") if path.parent.name not in LARGE)

HOST = {"model": "dell-xe9680-mi300x", "os": "ubuntu-22.04", "nics": "broadcom-bcm957608-p1400gd"}
SWITCH = {"model": "dell-z9664f", "os": "dell-sonic"}
HOSTS = [
    *(HOST | {"os": os} for os in ("ubuntu-22.04", "rhel-9.6", "sles-15.6")),
    *(HOST | {"os": os, "nics": "nvidia-mcx75310aas-neat"} for os in ("ubuntu-22.04", "rhel-9.6", "sles-16.0")),
    *(
        {"model": "supermicro-x9drg-hf-p2p", "os": os, "nics": "nvidia-mcx623105an-vdat"}
        for os in ("ubuntu-20.04", "rhel-8.8")
    ),
    {"model": "supermicro-as-2124us-tnrp", "os": "ubuntu-22.04", "nics": "nvidia-mcx613106a-vdat"},
]
"""Every renderer of network settings, NIC drivers with and without a vendor's stack, GPUs of both vendors, tuning."""

LAUNCHED_ON = {"rccl": HOST, "nccl": HOSTS[-2]}
"""Hosts with GPUs of the vendor."""


def build_plan(text: str) -> Plan | None:
    """The plan of a cluster file; None where a platform lacks an option of it."""
    try:
        plan = build(read_text(text, "cluster.yaml"))
        check(plan)
    except Refusal:
        return None
    return plan


def differences(plan: Plan, folder: Path) -> set[tuple[str, Status]]:
    """Checks that do not pass on the bundle of the planned devices."""
    write_planned_bundle(plan, folder / "bundle")
    facts = read_facts(folder / "bundle")
    findings = run(locate(plan, facts), facts, checks().values())
    return {(finding.check, finding.status) for finding in findings if finding.status not in (Status.PASS, Status.SKIP)}


def renderable(system: str) -> Iterator[tuple[str, Plan]]:
    """Plans with every option that the operating system has, by their cluster file."""
    for text in switch_files(system):
        if (plan := build_plan(text)) is not None:
            yield text, plan


@pytest.mark.slow
@pytest.mark.parametrize("system", sorted(load().switch_systems))
def test_every_option_passes_its_own_check(system: str, tmp_path: Path) -> None:
    checked = 0
    for text, plan in renderable(system):
        assert differences(plan, tmp_path) == set(), text
        checked += 1
    assert checked > 3


@pytest.mark.slow
@pytest.mark.parametrize("path", CLUSTERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_example_passes_its_own_check(path: Path, tmp_path: Path) -> None:
    """Jobs over RC of all ranks may need more queue pairs than the NIC has, of which a plan warns, too."""
    few_queue_pairs = path.parent.name == "bluebonnet-64node" and path.stem in ("cluster-openmpi", "cluster-rc")
    expected = {("launch.queue-pairs", Status.WARN)} if few_queue_pairs else set()
    assert differences(build(read(path)), tmp_path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("system", sorted(load().switch_systems))
def test_every_key_of_a_switch(system: str, tmp_path: Path) -> None:
    model = next(name for name, switch_model in load().switches.items() if system in switch_model.lossless_systems)
    switch = {"model": model, "os": system}
    plan = build_plan(cluster(HOST, switch, {}, {}))
    assert plan is not None
    port = next(iter(plan.switches["leaf1"].ports))
    files = ((path, cluster(HOST, switch | value, {}, {})) for path, value in switch_options(port))
    assert len(_check_each(files, tmp_path)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: "-".join((host["os"], host["nics"])))
def test_every_key_of_a_host(host: Mapping[str, str], tmp_path: Path) -> None:
    values = [
        value
        for path, value in host_options()
        if build_plan(host_cluster(pair_of_hosts(host, path, value), SWITCH, {}, {})) is not None
    ]
    hosts = {f"node{number}": {**host, **value} for number, value in enumerate(values, 1)}
    plan = build_plan(host_cluster(hosts, SWITCH, {}, {}))
    assert plan is not None, "what each host can have, several hosts of a cluster can have"
    without_name = any(
        find_name(device, attribute) is None for device in plan.hosts.values() for attribute in device.bios
    )
    unread = {("host.bios", Status.UNKNOWN)} if without_name else set()  # a person reads it in the menu
    assert differences(plan, tmp_path) == unread
    assert len(hosts) > 15


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: "-".join((host["os"], host["nics"])))
def test_every_key_of_a_class(host: Mapping[str, str], tmp_path: Path) -> None:
    files = ((path, host_cluster({"node[1-2]": host}, SWITCH, value, {})) for path, value in class_options())
    assert len(_check_each(files, tmp_path)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("library", sorted(load().libraries))
def test_every_key_of_a_launch(library: str, tmp_path: Path) -> None:
    host = LAUNCHED_ON.get(library, HOST | {"model": "dell-r6525"}) | {"control_interface": CONTROL}
    launches = (
        (path, {"library": library, "launcher": launcher.value, **value})
        for launcher in Launcher
        for path, value in launch_options()
    )
    files = ((path, host_cluster({"node[1-2]": host}, SWITCH, {}, launch)) for path, launch in launches)
    assert len(_check_each(files, tmp_path)) > 5


def pair_of_hosts(host: Mapping[str, str], path: str, value: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Two hosts with a value, one where no two hosts can share it."""
    return {"node1": {**host, **value}, "node2": host if path in ONE_HOST else {**host, **value}}


def _check_each(files: Iterable[tuple[str, str]], folder: Path) -> set[str]:
    """The keys whose files can be planned and rendered; what is collected of them passes."""
    keys: set[str] = set()
    for path, text in files:
        if (plan := build_plan(text)) is not None:
            assert differences(plan, folder) == set(), text
            keys.add(path)
    return keys


@pytest.mark.slow
def test_every_key_can_be_planned_somewhere() -> None:
    """A value that all platforms refuse would test nothing."""
    files: list[tuple[str, str]] = []
    for host in HOSTS:
        files += [
            (path, host_cluster(pair_of_hosts(host, path, value), SWITCH, {}, {})) for path, value in host_options()
        ]
        files += [(path, cluster(host, SWITCH, value, {})) for path, value in class_options()]
    for system in sorted(load().switch_systems):
        model = next(name for name, switch_model in load().switches.items() if system in switch_model.lossless_systems)
        first = load().switch_systems[system].port_name.format(port=1, index=0, lane=0)
        switch = {"model": model, "os": system}
        files += [(path, cluster(HOST, switch | value, {}, {})) for path, value in switch_options(first)]
    refused: dict[str, bool] = {}
    for path, text in files:
        if refused.get(path, True):
            refused[path] = build_plan(text) is None
    assert {path for path, is_refused in refused.items() if is_refused} == set()


def test_a_host_whose_bios_disables_the_iommu(tmp_path: Path) -> None:
    """It has no IOMMU groups: the kernel makes them of the IOMMUs in the firmware's tables."""
    host = HOST | {"bios": {"iommu": "disabled"}}
    plan = build_plan(host_cluster({"node[1-2]": host}, SWITCH, {}, {}))
    assert plan is not None
    assert differences(plan, tmp_path) == set()
    groups = [path.read_text() for path in tmp_path.glob("bundle/node*/*iommu-groups*")]
    assert groups == ["", ""]


def test_what_no_device_can_be_is_refused(tmp_path: Path) -> None:
    """Enterprise SONiC has no watchdog that disables the port."""
    switch = {"model": "dell-z9664f", "os": "dell-sonic", "watchdog": {"action": "errdisable"}}
    (tmp_path / "cluster.yaml").write_text(cluster(HOST, switch, {}, {}))
    result = CliRunner().invoke(
        app, ["collect", "--as-planned", str(tmp_path / "cluster.yaml"), "-o", str(tmp_path / "b")]
    )
    assert isinstance(result.exception, Refusal)
    assert "port.qos.watchdog.action" in str(result.exception)
    assert not (tmp_path / "b").exists()


def test_each_range_on_a_line_is_tried(tmp_path: Path) -> None:
    """Devices of one line of the cluster file are of one kind only if role, model and system are the same."""
    switch = {"model": "dell-z9664f", "os": "dell-sonic", "watchdog": {"action": "errdisable"}}
    text = cluster(HOST, switch, {}, {})
    assert build_plan(" ".join(text.split("\n"))) is None

"""Of every setting of a host that a platform claims to render, another value gives other files, or is refused."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from platforms.launches import LAUNCHES
from platforms.round_trip import with_nic
from wirespeed import render
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.platforms import platforms
from wirespeed.settings import (
    ENTITIES,
    Action,
    Bond,
    InstallStep,
    Nic,
    Priority,
    Resolver,
    Software,
    list_collections,
    list_settings,
)
from wirespeed.units import Duration, Size

CLUSTER = Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster-rail24.yaml"
LENDING = Path(__file__).parents[3] / "examples" / "pcie-lending" / "cluster.yaml"
KINDS = {entity.kind: entity for entity in ENTITIES}
DECLARED = sorted(
    (f"{kind}/{name}", path)
    for (kind, name), platform_entry in platforms().items()
    if kind != "switch"
    for path, support in platform_entry.settings.items()
    if support.rendered
)

CHANGED_VALUES: dict[str, Any] = {
    "host.renderer": "networkd",
    "nic.nvm.sriov": False,
    "nic.nvm.dcbx": False,
    "nic.nvm.lldp_nearest_bridge": False,
    "nic.nvm.lldp_nearest_non_tpmr_bridge": False,
    "nic.nvm.relaxed_ordering": True,
    "nic.nvm.outstanding_reads": 44,
    "nic.nvm.link_type": "ethernet",
    "nic.qos.congestion_parameters": {"rtt": 40},
    "nic.qos.priority_buffer": {Priority(3): 1},
    "nic.qos.buffer_size": {1: Size(262144)},
    "host.governor": "performance",
    "host.launch.gpu_memory": "cuda",
    "host.launch.gpu_direct": "SYS",
    "host.idle_states": frozenset({"POLL"}),
    "host.irq_balancing": False,
    "nic.ring.rx": 8192,
    "nic.ring.tx": 8192,
    "nic.coalescing.adaptive_rx": True,
    "nic.coalescing.adaptive_tx": True,
    "nic.coalescing.rx_usecs": 8,
    "nic.coalescing.rx_frames": 64,
    "nic.coalescing.tx_usecs": 8,
    "nic.coalescing.tx_frames": 64,
    "nic.interrupt_cores": frozenset({1, 2}),
    "nic.qdisc": "fq",
    "route.metric": 2002,
}
"""Settings that the example has no intent for."""


@cache
def plan(owner: str) -> Plan:
    """The example with hosts of the platform, launching what it launches, or with its NICs."""
    if owner == "nic/dolphin":
        return build(read(LENDING))
    kind, _, name = owner.partition("/")
    built_plan = with_nics(name) if kind == "nic" else build(read(CLUSTER))
    formats = ("deb", "rpm") if owner == "host/ubuntu" else ("rpm", "deb")
    steps = {
        "1": InstallStep(Action.INSTALL, "netxtreme-peer-mem", "1", dict.fromkeys(formats, "*"), "drivers"),
        "2": InstallStep(Action.STACK, "doca-ofed", "3.2.1", {"repository": "*"}),
    }
    versions = Software(
        rdma_stack="OFED-internal-25.10",
        cuda=("11.4",),
        nccl=("2.10.3",),
        nvhpc="21.9",
        gcc="9",
        nccl_tests="8274cb4",
        perftest="25.07.0",
        perftest_memory="rocm",
        ucx="1.19.0",
        openmpi="5.0.8",
        rccl_tests="77ae744",
        osu="7.5.1",
        gencode=("-gencode=1",),
    )
    hosts = {name: replace(host, steps=steps, software=versions) for name, host in built_plan.hosts.items()}
    built_plan = replace(built_plan, hosts=hosts)
    if kind == "launcher":
        launch = LAUNCHES[name][0]
        return replace(built_plan, hosts={key: replace(host, launch=launch) for key, host in built_plan.hosts.items()})
    if kind != "host":
        return built_plan
    system = platforms()[kind, name].systems[0]
    bond = {
        "bond0": Nic(addresses=("192.0.2.1/24",), bond=Bond("active-backup", Duration.parse("100 ms"))),
        "eth8": Nic(controller="bond0"),
    }
    hosts = {key: replace(host, os=system, nics={**host.nics, **bond}) for key, host in built_plan.hosts.items()}
    manager = "networkmanager" if name == "sles" else None  # wicked has no name servers of an interface
    hosts["node2"] = replace(hosts["node2"], resolver=RESOLVER, renderer=manager)
    return replace(built_plan, hosts=hosts)


RESOLVER = Resolver("bond0", ("192.0.2.53",), ("cluster.example",), ("192.0.2.1 alpha",))


def with_nics(system: str) -> Plan:
    """The example with the first NIC model of a platform that has NVRAM settings, or its first."""
    models = {name: model for name, model in load().nics.items() if model.system == system}
    name, model = min(models.items(), key=lambda entry: not entry[1].nvm)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / CLUSTER.name
        file.write_text(with_nic(CLUSTER.read_text(), name, model))
        return build(read(file))


def change_value(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next(member for member in type(value) if member is not value)
    if isinstance(value, Size | Duration):
        return type(value)(value * 2)
    if isinstance(value, int):
        return type(value)(int(value) + 1 if int(value) != 7 else 5)
    if isinstance(value, str):
        return {"roce": "default", "": "10.9.9.9", "hybrid": "rc", "rc": "ud"}.get(value, f"{value}0")
    if isinstance(value, tuple):
        return value[:-1]
    if isinstance(value, frozenset):
        return frozenset() if value else frozenset({"ReqRedir"})
    if isinstance(value, Mapping):
        return {key: change_value(inner) if index == 0 else inner for index, (key, inner) in enumerate(value.items())}
    raise TypeError(f"no other value of {value!r}")


def change_setting(entity: Any, path: str, new: Any = None) -> Any:
    """The entity, or the first entity of its kind within, with another value at the path; None if none has one."""
    if path in list_settings(type(entity)):
        return _set(entity, path.split(".")[1:], new)
    for collection in list_collections(type(entity)):
        name = collection.rpartition(".")[2]
        for key, inner in getattr(entity, name).items():
            setting = change_setting(inner, path, new)
            if setting is not None:
                return replace(entity, **{name: {**getattr(entity, name), key: setting}})
    return None


def _set(entity: Any, names: list[str], new: Any) -> Any:
    assert is_dataclass(entity)
    assert names[0] in {field.name for field in fields(entity)}
    value = getattr(entity, names[0])
    if len(names) > 1:
        inner = _set(value, names[1:], new)
        return None if inner is None else replace(entity, **{names[0]: inner})
    if value is None and new is None:
        return None
    return replace(entity, **{names[0]: new if value is None else change_value(value)})


def files(built_plan: Plan, host: str) -> dict[str, str] | str:
    """Rendered text by path, or the refusal."""
    try:
        return {file.path: file.text for file in render.files(built_plan, [host])}
    except Refusal as refusal:
        return str(refusal)


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "path"), DECLARED)
def test_another_value_gives_other_files(owner: str, path: str) -> None:
    built_plan = plan(owner)
    hosts = {
        name: change_setting(host, path, CHANGED_VALUES.get(path)) for name, host in list(built_plan.hosts.items())[:2]
    }
    assert any(hosts.values()), f"{owner}: the example has no intent for {path}"
    assert any(
        files(replace(built_plan, hosts={**built_plan.hosts, name: host}), name) != files(built_plan, name)
        for name, host in hosts.items()
        if host is not None
    )


def test_each_setting_has_one_owner() -> None:
    """A host is a stack of one platform of each kind."""
    kinds: dict[str, set[str]] = {}
    for owner, path in DECLARED:
        kinds.setdefault(path, set()).add(owner.partition("/")[0])
    assert {path: owners for path, owners in kinds.items() if len(owners) > 1} == {}

"""What the launch files of a host say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation, Source, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.settings import Dscp, Place

_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_HOST = re.compile(r"(\S+)(?:\s+slots\s*=\s*([0-9]+))?(?:\s.*)?")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The launch settings that both files show."""
    place = Place(outputs.device)
    if (output := outputs.get("rccl-conf")) is not None:
        yield from _rccl(place, output)
    if (output := outputs.get("hostfile")) is not None:
        yield from _hostfile(place, output)


def _rccl(place: Place, output: Output) -> Iterator[Observation]:
    """RCCL's own reading: NAME=VALUE, the first line of a name counts (setenv without overwriting)."""
    lines: dict[str, tuple[str, Source]] = {}
    for number, line in enumerate(output.text.splitlines(), start=1):
        match = _VARIABLE.fullmatch(line)
        if match is not None:
            lines.setdefault(match[1], (match[2], output.at(number)))
    environment = {variable: value for variable, (value, _) in lines.items()}
    yield _configured(place, "environment", environment, output.source)
    if "NCCL_IB_HCA" in lines:
        value, source = lines["NCCL_IB_HCA"]
        devices = _devices(value)
        if devices is not None:
            yield _configured(place, "rdma_devices", devices, source)
    if "NCCL_IB_GID_INDEX" in lines:
        value, source = lines["NCCL_IB_GID_INDEX"]
        if re.fullmatch(r"-?[0-9]{1,4}", value):
            yield _configured(place, "gid_index", int(value), source)
    if "NCCL_IB_TC" in lines:
        value, source = lines["NCCL_IB_TC"]
        if re.fullmatch(r"[0-9]{1,3}", value) and int(value) <= 255:
            yield _configured(place, "dscp", Dscp(int(value) >> 2), source)
    if "NCCL_SOCKET_IFNAME" in lines:
        value, source = lines["NCCL_SOCKET_IFNAME"]
        if re.fullmatch(r"=?[^\s,^=]+", value):
            yield _configured(place, "control_interface", value.removeprefix("="), source)


def _devices(value: str) -> tuple[str, ...] | None:
    """Device names of ``=bnxt_re0:1,bnxt_re1:1``; None for a list of exclusions, which names none."""
    if value.startswith("^"):
        return None
    names = tuple(entry.partition(":")[0] for entry in value.removeprefix("=").split(","))
    return names if all(names) else None


def _hostfile(place: Place, output: Output) -> Iterator[Observation]:
    hosts: list[str] = []
    slots: set[int | None] = set()
    for line in output.text.splitlines():
        match = _HOST.fullmatch(line.partition("#")[0].strip())
        if match is not None:
            hosts.append(match[1])
            slots.add(int(match[2]) if match[2] else None)
    yield _configured(place, "hosts", tuple(hosts), output.source)
    common = slots.pop() if len(slots) == 1 else None
    if common is not None:
        yield _configured(place, "ranks_per_host", common, output.source)


def _configured(place: Place, name: str, value: object, source: Source) -> Observation:
    return Observation(place, f"host.launch.{name}", value, source, State.CONFIGURED)

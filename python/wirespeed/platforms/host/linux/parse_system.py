"""The system around the kernel: limits, firewall, device naming, boot services, software stacks, GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.host.linux.firewall import filters_iptables, filters_nft, is_whole
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_whole
from wirespeed.settings import Place, bdf
from wirespeed.units import Size

_LIMIT = re.compile(r"[^:]*:\s*(\*|@\S+)\s+(soft|hard|-)\s+memlock\s+(\S+)\s*(?:#.*)?")
_OWN_LIMIT = re.compile(r"Max locked memory\s+(\S+)\s+(\S+)\s+bytes\s*")
_NAMING_RULE = re.compile(r"([^:]*):[^#]*\brdma_rename %k (NAME_[A-Z_]+)")
_DKMS = re.compile(r"([A-Za-z0-9_+.-]+)[/,]\s*([^,: ]+).*: *(?:installed|built|added)")
_BUS = re.compile(r"GPU\[([0-9]{1,4})\]\s*:\s*PCI Bus:\s*(\S+)\s*")
_NVIDIA_BUS = re.compile(r"([0-9]{1,3}), ([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])")

_NO_AMD_GPU = re.compile(
    r"\s*(?:=+ ROCm System Management Interface =+\n(?:.*\n)*=+ End of ROCm SMI Log =+\s*)?"
    r"|(?:.*\n)*(?:WARNING: No AMD GPUs specified|ERROR:root:Driver not initialized \(amdgpu not found in modules\))\s*"
    r"(?:\n.*)*"
)
"""What rocm-smi prints without a GPU: a whole list without a row, or its message, which goes to standard error.

Without the module amdgpu it prints nothing else, and exits with 0.
Source: rocm_smi.py of ROCm/rocm_smi_lib, initializeRsmi and main; 957608-AN210, 7.
"""

_NO_NVIDIA_GPU = re.compile(
    r"No devices were found\s*|NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\.[^\0]*"
)
"""What nvidia-smi prints with exit code 6 (no object found) and 9 (driver not loaded); source: nvidia-smi(1)."""

_UNIT_STATES = (
    *("enabled", "enabled-runtime", "linked", "linked-runtime", "alias", "masked", "masked-runtime", "static"),
    *("indirect", "disabled", "generated", "transient", "bad", "not-found"),
)
"""What ``systemctl is-enabled`` prints; source: systemctl(1)."""

_MEMORY = re.compile(r"MemTotal:\s+([0-9]{1,15}) kB")
_OFED = re.compile(r"/\S*/ofed_uninstall\.sh")
_PEER_MEM_PACKAGE = "netxtreme-peer-mem"
_REDUNDANT = ("bnxt-en", "bnxt-re")
"""Packages that conflict with netxtreme-peer-mem, which contains the same modules (957608-AN210 2.2.2)."""


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of the system."""
    host = Place(outputs.device)
    if output := outputs.get("os-release"):
        yield from _read_os(host, output)
    if output := outputs.get("meminfo"):
        for number, text in number_lines(output):
            if match := _MEMORY.fullmatch(text):
                yield observe(host, "host.memory", Size(1024 * int(match[1])), output, number)
    yield from _read_memlock(host, outputs)
    yield from _read_firewall(host, outputs)
    if output := outputs.get("udev-rdma"):
        yield from _rdma_naming(host, output)
    if output := outputs.get("acs-service"):
        word = output.text.strip()
        if word in _UNIT_STATES or (
            not word and output.exit_code
        ):  # an exit code without a state: the unit does not exist
            yield observe(host, "host.acs_service", word == "enabled", output, 1 if word else None)
    yield from _read_stacks(host, outputs)
    yield from _read_gpus(host, outputs)


def _read_os(host: Place, output: Output) -> Iterator[Observation]:
    values: dict[str, tuple[str, int]] = {}
    for number, text in number_lines(output):
        key, _, value = text.partition("=")
        values[key.strip()] = (value.strip().strip("\"'"), number)
    if "ID" in values:
        name, line = values["ID"]
        version = values.get("VERSION_ID", ("", 0))[0]
        yield observe(host, "host.os", f"{name}-{version}" if version else name, output, line)
        ancestors, ancestors_line = values.get("ID_LIKE", ("", line))
        yield observe(host, "host.os_like", tuple(ancestors.split()), output, ancestors_line)


def _read_memlock(host: Place, outputs: Outputs) -> Iterator[Observation]:
    """The limit of jobs: of all users in limits.conf, else of this process.

    The process that collects is often root's, to whom a rule for ``*`` does not apply (limits.conf(5)). A rule for a
    group counts where there is none for all: who runs the jobs is not known.
    """
    if output := outputs.get("limits"):
        values: dict[bool, tuple[str, int]] = {}
        for number, text in number_lines(output):
            if (match := _LIMIT.fullmatch(text)) and match[2] != "hard":
                values[match[1] == "*"] = (_parse_memory(match[3]), number)
        if values:
            value, line = values[max(values)]
            yield observe(host, "host.memlock", value, output, line, State.CONFIGURED)
            return
    if output := outputs.get("own-limits"):
        for number, text in number_lines(output):
            if match := _OWN_LIMIT.fullmatch(text):
                size = parse_whole(match[1])
                value = "unlimited" if size is None else str(size // 1024)
                if size is not None or match[1] == "unlimited":
                    yield observe(host, "host.memlock", value, output, number)


def _parse_memory(text: str) -> str:
    return "unlimited" if text in ("unlimited", "infinity", "-1") else text


def _read_firewall(host: Place, outputs: Outputs) -> Iterator[Observation]:
    """Filtering as either tool shows it; none only if nft shows none, since iptables does not list nft's own chains."""
    answers = [
        (output, rule(output.text))
        for command, rule in (("nft", filters_nft), ("iptables", filters_iptables))
        if (output := outputs.get(command)) and is_whole(output.text)
    ]
    for output, line in answers:
        if line is not None:
            yield observe(host, "host.firewall", True, output, line)
            return
    for output, _ in answers:
        if output.command == "nft":
            yield observe(host, "host.firewall", False, output)


def _rdma_naming(host: Place, output: Output) -> Iterator[Observation]:
    """The naming of the rules file that counts: one under /etc replaces one of its name under /usr/lib (udev(7))."""
    values: dict[str, tuple[str, int]] = {}
    for number, text in number_lines(output):
        if (match := _NAMING_RULE.match(text)) and not text.partition(":")[2].lstrip().startswith("#"):
            path, word = match.groups()
            name = path.rpartition("/")[2]
            if name not in values or not path.startswith("/usr/lib"):
                values[name] = (word, number)
    if values:
        word, line = values[min(values)]
        yield observe(host, "host.rdma_naming", word, output, line)
    elif output.exit_code in (1, 2):  # grep found no line, or no such folder
        yield observe(host, "host.rdma_naming", "none", output)


def _read_stacks(host: Place, outputs: Outputs) -> Iterator[Observation]:
    conflicts: list[str] = []
    first: tuple[Output, int] | None = None
    output = outputs.get("ofed")
    if output is None:
        return
    lines = [(number, text) for number, text in number_lines(output) if text.strip()]
    line_number = next((number for number, text in lines if _OFED.fullmatch(text.strip())), None)
    if lines and line_number is None:  # neither the file's name nor empty: unknown
        return
    if line_number is not None:
        conflicts.append("MLNX_OFED")
        first = (output, line_number)
    if dkms := outputs.get("dkms"):
        packages: dict[tuple[str, str], int] = {}
        for number, text in number_lines(dkms):
            if match := _DKMS.match(text):
                packages.setdefault((match[1], match[2]), number)
        peer_mem = next((f"{name}/{version}" for name, version in packages if name == _PEER_MEM_PACKAGE), None)
        for (name, version), number in packages.items():
            if peer_mem and name.replace("_", "-") in _REDUNDANT:
                conflicts.append(f"DKMS package {name}/{version} beside {peer_mem}")
                first = first or (dkms, number)
    source, line = first or (output, None)
    yield observe(host, "host.conflicting_stacks", tuple(conflicts), source, line)


def _read_gpus(host: Place, outputs: Outputs) -> Iterator[Observation]:
    """The GPUs that the vendors' tools list. A tool lists none only if the other vendor's driver is not loaded."""
    modules = outputs.get("modules")
    loaded = {text.partition(" ")[0] for _, text in number_lines(modules)} if modules else set()
    for command, pattern, no_gpu, other_driver in (
        ("rocm-smi", _BUS, _NO_AMD_GPU, "nvidia"),
        ("nvidia-gpus", _NVIDIA_BUS, _NO_NVIDIA_GPU, "amdgpu"),
    ):
        if output := outputs.get(command):
            yield from _list_gpus(host, output, pattern, None if other_driver in loaded else no_gpu)


def _list_gpus(
    host: Place, output: Output, pattern: re.Pattern[str], no_gpu: re.Pattern[str] | None
) -> Iterator[Observation]:
    values, whole = False, True
    for number, text in number_lines(output):
        if match := pattern.fullmatch(text):
            try:
                address = bdf(match[2])
            except ValueError:
                continue
            values = True
            yield observe(host.child("gpu", f"GPU{int(match[1])}"), "gpu.pcie", address, output, number)
        elif pattern is _NVIDIA_BUS and text.strip():  # "Unable to determine the device handle …" of a lost GPU
            whole = False
    if (values and whole) or (not values and no_gpu and no_gpu.fullmatch(output.text)):
        yield observe(host, "host.gpus", COMPLETE, output)

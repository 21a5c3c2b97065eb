"""The kernel: release, command line, parameters, modules, IOMMU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place

_SYSCTL = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_./@:-]*)\s*=\s?(.*)")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+[^\s:]*")
_MODULE = re.compile(r"([A-Za-z0-9_]+) [0-9]+ -?[0-9]+ ")
_VERSION = re.compile(r"/sys/module/([A-Za-z0-9_]+)/version:(\S+)")
_GROUP = re.compile(r"/sys/kernel/iommu_groups/[0-9]+/type:(\S+)")
_VENDORS = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of the kernel."""
    host = Place(outputs.device)
    if (output := outputs.get("uname")) and (match := _RELEASE.fullmatch(output.text.strip())):
        yield observe(host, "host.kernel.version", match[0], output, 1)
    if output := outputs.get("cmdline"):
        words = output.text.split()
        # The kernel prints one line, in which every boot loader has at least its root=, BOOT_IMAGE= or initrd=.
        if "\n" not in output.text.strip() and any(re.match(r"[\w.-]+=\S", word) for word in words):
            yield observe(host, "host.kernel.command_line", tuple(words), output, 1)
    if output := outputs.get("cpu"):
        yield from _read_cpu(host, output)
    if output := outputs.get("sysctl"):
        yield from _read_sysctls(host, output)
    if output := outputs.get("modules"):
        yield from _read_modules(host, output)
    if output := outputs.get("module-versions"):
        yield from _read_versions(host, output)
    if output := outputs.get("kallsyms"):
        line = next((number for number, text in number_lines(output) if "ib_register_peer_memory_client" in text), None)
        if line is not None or output.exit_code == 1:  # grep found nothing; a truncated output has exit code 0
            yield observe(host, "host.peer_memory", line is not None, output, line)
    if output := outputs.get("iommu-groups"):
        yield from _read_iommu(host, output)


def _read_cpu(host: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        vendor = _VENDORS.get(text.partition(":")[2].strip())
        if vendor:
            yield observe(host, "host.cpu_vendor", vendor, output, number)
            return


def _read_sysctls(host: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        if match := _SYSCTL.fullmatch(text):
            key, value = match.groups()
            yield observe(host.child("sysctl", key), "sysctl.value", " ".join(value.split()), output, number)


def _read_modules(host: Place, output: Output) -> Iterator[Observation]:
    is_found = False
    for number, text in number_lines(output):
        if match := _MODULE.match(text):
            is_found = True
            yield observe(host.child("module", match[1]), "module.loaded", True, output, number)
    if is_found:
        yield observe(host, "host.modules", COMPLETE, output)


def _read_versions(host: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        if match := _VERSION.fullmatch(text):
            yield observe(host.child("module", match[1]), "module.version", match[2], output, number)


def _read_iommu(host: Place, output: Output) -> Iterator[Observation]:
    """No group at all means no IOMMU; one group that is translated means DMA through it pays for it."""
    types = [(number, match[1]) for number, text in number_lines(output) if (match := _GROUP.fullmatch(text))]
    if not types:
        if output.exit_code in (1, 2):  # grep found no line, or no such folder
            yield observe(host, "host.kernel.iommu", "off", output)
        return
    translated_line = next((number for number, kind in types if kind != "identity"), None)
    value = "passthrough" if translated_line is None else "translated"
    yield observe(host, "host.kernel.iommu", value, output, translated_line or types[0][0])

"""Links between the GPUs of a host: xGMI of AMD, NVLink of NVIDIA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place

_GPU = re.compile(r"GPU([0-9]{1,3})")
_NVLINK_GPU = re.compile(r"\s*GPU ([0-9]{1,3}): \S.*")
_NVLINK = re.compile(r"\s*Link [0-9]{1,3}: (<inactive>|[0-9]{1,4}(?:\.[0-9]{1,6})? GB/s)\s*")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The number of working links of each GPU."""
    host = Place(outputs.device)
    if output := outputs.get("rocm-topology"):
        yield from _read_types(host, output)
    if output := outputs.get("nvlink"):
        yield from _read_nvlink(host, output)


def _read_types(host: Place, output: Output) -> Iterator[Observation]:
    """A row per GPU, with the type of its link to each GPU: XGMI, or PCIE where they have none."""
    columns = 0
    for number, text in number_lines(output):
        cells = text.split()
        if cells and all(_GPU.fullmatch(cell) for cell in cells):
            columns = len(cells)
        elif columns and len(cells) == columns + 1 and _GPU.fullmatch(cells[0]):
            yield observe(host.child("gpu", cells[0]), "gpu.links", cells[1:].count("XGMI"), output, number)


def _read_nvlink(host: Place, output: Output) -> Iterator[Observation]:
    """A paragraph per GPU, with a line per link."""
    lines = {}
    links: dict[str, int] = {}
    current = None
    for number, text in number_lines(output):
        if match := _NVLINK_GPU.fullmatch(text):
            current = f"GPU{match[1]}"
            lines[current] = number
        elif current is not None and (match := _NVLINK.fullmatch(text)):
            links[current] = links.get(current, 0) + (match[1] != "<inactive>")
    for name, count in links.items():
        yield observe(host.child("gpu", name), "gpu.links", count, output, lines[name])

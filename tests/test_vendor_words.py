"""Only `platforms` and `catalogue` contain words of vendors, drivers and kernels.

Docstrings may contain them: the manual page of a check shows what a device prints, and names its source. A string may
contain them for a reason, which `EXCEPTIONS` states; one that no longer occurs is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import wirespeed

ROOT = Path(wirespeed.__file__).parent

KNOWS_VENDORS = {
    "platforms": "what devices print and are configured with",
    "catalogue": "data of hardware and software",
    "lab": "builds Linux hosts and switches itself",
    "reach": "starts processes on Linux",
    "benchmarks/tools": "output of benchmark tools, whose debug output names drivers",
    "benchmarks/logs": "error messages of benchmarks, as libraries and drivers print them",
}

FORBIDDEN = {
    "driver": r"\b(?:mlx[45]|bnxt|ionic|irdma|ib_peer_mem|nvidia[-_]peermem|amdgpu|amdkfd)",
    "program of a vendor": r"\b(?:niccli|bnxtqos|bnxtnvm|lldptool|mlnx_\w+|cma_roce_\w+|mlxconfig|mstconfig|mlxlink"
    r"|mlxfwreset|nvidia-smi|rocm-smi|amd-smi|dkms|sonic-cli|vtysh)\b|\bdcb (?:app|ets|pfc)\b|^dcb$",
    "command of a switch": r"(?:^|[`\"(])(?:show (?:run|int|ip |lldp|prio|qos|queue|version)"
    r"|configure terminal|nv set )",
    "file of Linux": r"/(?:sys|proc|etc)/",
    "message of a kernel": r"Hardware Error|\bEDAC\b|\bS?Xid\b|\bGT/s PCIe|\bsetets\b|\bsegfault at\b|Killed process",
}

EXCEPTIONS = {
    ("checks/software/conflicting_stacks.py", "dkms"): "the fix is a command with a package's name, of any vendor",
    ("cluster/host.py", "nvidia-smi"): "describes the form of an address, of which the user has a printed example",
    ("plan/drivers.py", "/proc/"): "the hint of a refusal: how the user finds the value of a key of the cluster file",
    ("plan/gpu_memory.py", "nvidia-peermem"): "a refusal names the module that a GPU driver lacks",
    ("plan/gpu_memory.py", "nvidia_peermem"): "the module that the plan loads, with the release that contains it",
    ("plan/software.py", "amdgpu"): "the package that the plan expects after an installation step",
    ("plan/stacks.py", "nvidia-peermem"): "the subject of an installation step",
    ("simulation/memory.py", "/proc/"): "measures this process, no device of a cluster",
    ("store/engine.py", "/proc/"): "asks for the file system of the store, on this machine",
}
"""File and text to the reason why the text stays there."""


def _list_strings(path: Path) -> Iterator[tuple[int, str]]:
    """Strings of a file with their lines, without docstrings, which are statements."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node.lineno, node.value


def _list_files() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(tuple(f"{package}/" for package in KNOWS_VENDORS)):
            yield name, path


@cache
def _read_strings() -> tuple[tuple[str, int, str], ...]:
    """The strings of all files, with file and line."""
    return tuple((name, line, text) for name, path in _list_files() for line, text in _list_strings(path))


def _find(pattern: str) -> dict[tuple[str, str], str]:
    """File and matching text to the line of each match."""
    return {
        (name, match[0]): f"{name}:{line} {text[:80]!r}"
        for name, line, text in _read_strings()
        for match in re.finditer(pattern, text, re.M)
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORBIDDEN)
def test_only_platforms_and_catalogue_contain_words_of_vendors(kind: str) -> None:
    places = [place for key, place in _find(FORBIDDEN[kind]).items() if key not in EXCEPTIONS]
    assert places == []


def test_no_exception_is_obsolete() -> None:
    matches = {key for pattern in FORBIDDEN.values() for key in _find(pattern)}
    assert EXCEPTIONS.keys() <= matches
    assert all((ROOT / package).is_dir() for package in KNOWS_VENDORS)

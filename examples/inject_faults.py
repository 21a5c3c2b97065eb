"""Write the bundle of an example with faults: what its healthy devices print, edited by the example's ``faults.py``.

    python inject_faults.py EXAMPLE OUT [FAULT ...]     numbers; default: all faults that do not hide each other

The healthy bundle alone is written by ``wirespeed collect --as-planned EXAMPLE/cluster.yaml -o OUT``.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from output_edits import Edit

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build

Fault = tuple[str, Mapping[str, Edit]]
"""Its name, ``02-nic-x8``, and its edits by file of the bundle."""


def main(arguments: list[str]) -> None:
    """As a command."""
    if len(arguments) < 2:
        sys.exit(__doc__)
    example = Path(arguments[0])
    inject(example, Path(arguments[1]), arguments[2:] or load_faults(example).COMBINABLE)


def inject(example: Path, target: Path, numbers: Sequence[str]) -> None:
    """Write the bundle of an example with the faults of these numbers.

    Raises:
        ValueError: no such fault, or it does not fit the bundle.
    """
    faults = [find_fault(example, number) for number in numbers]
    write_healthy(example, target)
    edit_bundle(target, faults)


def write_healthy(example: Path, target: Path) -> None:
    """Write the bundle of an example whose devices are exactly as planned."""
    write_planned_bundle(build(read(example / "cluster.yaml"), load()), target)


def edit_bundle(bundle: Path, faults: Sequence[Fault]) -> None:
    """Change a healthy bundle to what devices with these faults print.

    Raises:
        ValueError: a fault does not fit the bundle.
    """
    for name, edits in faults:
        for file, edit in edits.items():
            _edit(bundle / file, edit, f"{name}: {file}")


def find_fault(example: Path, number: str) -> Fault:
    """Return the fault of this number, with its name.

    Raises:
        ValueError: no such fault.
    """
    faults = load_faults(example).FAULTS
    names = [name for name in faults if name.startswith(f"{number}-")]
    if len(names) != 1:
        raise ValueError(f"no fault {number!r}; there are {', '.join(sorted(faults))}")
    return names[0], faults[names[0]]


def load_faults(example: Path) -> ModuleType:
    """``faults.py`` of an example: ``FAULTS``, and the numbers of those that are ``COMBINABLE``.

    Raises:
        FileNotFoundError: the example has no faults.
    """
    spec = importlib.util.spec_from_file_location(f"faults_of_{example.name}", example / "faults.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _edit(path: Path, edit: Edit, location: str) -> None:
    before = path.read_text(encoding="utf-8")
    try:
        after = edit(before)
    except ValueError as error:
        raise ValueError(f"{location}: the fault does not fit: {error}") from error
    if after == before:
        raise ValueError(f"{location}: the fault changes nothing")
    path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

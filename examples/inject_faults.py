"""Put faults into an example's healthy bundle: each is a patch on what the devices print.

    python inject_faults.py EXAMPLE OUT [FAULT ...]     by number; without any, all that do not hide each other

A patch must fit line for line; patches that touch the same lines cannot be combined.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import whatthepatch

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build

Line = tuple[int | None, str]  # its number in the healthy file, None when a patch added it


def main(arguments: list[str]) -> None:
    """As a command."""
    if len(arguments) < 2:
        sys.exit(__doc__)
    example = Path(arguments[0])
    apply(example, Path(arguments[1]), tuple(arguments[2:]) or faults_of(example).TOGETHER)


def faults_of(example: Path) -> ModuleType:
    """``faults.py`` of an example: ``FAULTS``, and the numbers of those ``TOGETHER``.

    Raises:
        FileNotFoundError: the example has no faults.
    """
    sys.path.insert(0, str(Path(__file__).parent))  # its faults are made of output_edits.py
    try:
        spec = importlib.util.spec_from_file_location(f"faults_of_{example.name}", example / "faults.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def healthy_of(example: Path, out: Path) -> None:
    """Write the healthy bundle of an example: the one it keeps, or what it prints when it is as planned."""
    kept = example / "bundles" / "healthy"
    if kept.is_dir():
        shutil.copytree(kept, out)
    else:
        as_planned_of(example, out)


def as_planned_of(example: Path, out: Path) -> None:
    """Write what an example's devices print when they are exactly as planned."""
    write_planned_bundle(build(read(example / "cluster.yaml"), load()), out)


def apply(example: Path, out: Path, faults: tuple[str, ...]) -> None:
    """Write a bundle with these faults.

    Raises:
        ValueError: there is no such fault, or a patch does not fit.
    """
    patches = [(fault, _patch(example, fault).read_text(encoding="utf-8")) for fault in faults]
    healthy_of(example, out)
    files: dict[str, list[Line]] = {}
    for fault, patch in patches:
        for diff in whatthepatch.parse_patch(patch):
            name = diff.header.old_path.removeprefix("a/")
            if name not in files:
                files[name] = list(enumerate((out / name).read_text(encoding="utf-8").split("\n"), 1))
            _change(files[name], diff.changes, f"{fault}: {name}")
    for name, lines in files.items():
        (out / name).write_text("\n".join(text for _, text in lines), encoding="utf-8")


def _patch(example: Path, fault: str) -> Path:
    known = sorted((example / "bundles" / "faults").glob("*.patch"))
    found = [path for path in known if path.stem.startswith(f"{fault}-")]
    if len(found) != 1:
        raise ValueError(f"no fault {fault!r}; there are {', '.join(path.stem for path in known)}")
    return found[0]


def _change(lines: list[Line], changes: list[whatthepatch.patch.Change], where: str) -> None:
    """Apply one file's changes; numbers are of the healthy file, so other patches may have moved the lines."""
    after = 0
    for change in changes:
        if change.old is None:
            lines.insert(after, (None, change.line))
            after += 1
            continue
        if (change.old, change.line) not in lines:
            raise ValueError(f"{where}:{change.old}: the patch does not fit: no line {change.line!r}")
        index = lines.index((change.old, change.line))
        if change.new is None:
            del lines[index]
        after = index if change.new is None else index + 1


if __name__ == "__main__":
    main(sys.argv[1:])

"""Put faults into the healthy bundle: each is a patch on what the devices print.

    python faulty.py BUNDLES OUT [FAULT ...]     a fault by its number; without any, the twelve

A patch must fit line for line; patches that touch the same lines cannot be combined.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import whatthepatch

TWELVE = tuple(f"{number:02}" for number in range(1, 13))

Line = tuple[int | None, str]  # its number in the healthy file, None when a patch added it


def main(arguments: list[str]) -> None:
    """As a command."""
    if len(arguments) < 2:
        sys.exit(__doc__)
    apply(Path(arguments[0]), Path(arguments[1]), tuple(arguments[2:]) or TWELVE)


def apply(bundles: Path, out: Path, faults: tuple[str, ...]) -> None:
    """Write a bundle with these faults.

    Raises:
        ValueError: there is no such fault, or a patch does not fit.
    """
    files: dict[str, list[Line]] = {}
    for fault in faults:
        for diff in whatthepatch.parse_patch(_patch(bundles, fault).read_text(encoding="utf-8")):
            name = diff.header.old_path.removeprefix("a/")
            if name not in files:
                text = (bundles / "healthy" / name).read_text(encoding="utf-8")
                files[name] = list(enumerate(text.split("\n"), 1))
            _change(files[name], diff.changes, f"{fault}: {name}")
    shutil.copytree(bundles / "healthy", out)
    for name, lines in files.items():
        (out / name).write_text("\n".join(text for _, text in lines), encoding="utf-8")


def _patch(bundles: Path, fault: str) -> Path:
    found = sorted((bundles / "faults").glob(f"{fault}-*.patch"))
    if len(found) != 1:
        raise ValueError(f"no fault {fault!r}; there are {', '.join(sorted(p.stem for p in _all(bundles)))}")
    return found[0]


def _all(bundles: Path) -> list[Path]:
    return list((bundles / "faults").glob("*.patch"))


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

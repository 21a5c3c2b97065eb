"""Make an example's bundles anew: the healthy one from its cluster file, and each fault's patch on its text.

    python make_bundles.py EXAMPLE ...

Run it when a platform answers otherwise, and read the difference. A fault is a few replacements in what the devices
print (``EXAMPLE/faults.py``); ``inject_faults.py`` applies the patches. The healthy bundle is kept in the example where
it is small; ``inject_faults.py`` makes it where it is not.
"""

from __future__ import annotations

import difflib
import shutil
import sys
import tempfile
from pathlib import Path

from inject_faults import as_planned_of, faults_of
from output_edits import Edit, Faults

MOST_DEVICES = 8
"""Devices up to which the healthy bundle is kept: each host is some 0.7 MB of text."""


def main(examples: list[str]) -> None:
    """Write all bundles of the examples."""
    if not examples:
        sys.exit(__doc__)
    for example in examples:
        make(Path(example))


def make(example: Path) -> None:
    """Write the bundles of one example."""
    bundles = example / "bundles"
    shutil.rmtree(bundles / "healthy", ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        healthy = Path(folder) / "healthy"
        as_planned_of(example, healthy)
        for name, text in patches(healthy, faults_of(example).FAULTS).items():
            (bundles / "faults").mkdir(parents=True, exist_ok=True)
            (bundles / "faults" / f"{name}.patch").write_text(text, encoding="utf-8")
        if sum(path.is_dir() for path in healthy.iterdir()) <= MOST_DEVICES:
            shutil.copytree(healthy, bundles / "healthy")
    for old in (bundles / "faults").glob("*.patch"):
        if old.stem not in faults_of(example).FAULTS:
            old.unlink()


def patches(healthy: Path, faults: Faults) -> dict[str, str]:
    """The patch of each fault.

    Raises:
        ValueError: a fault changes nothing.
    """
    return {
        name: "".join(_patch(healthy, file, edit) for file, edit in edits.items()) for name, edits in faults.items()
    }


def _patch(healthy: Path, file: str, edit: Edit) -> str:
    before = (healthy / file).read_text(encoding="utf-8")
    after = edit(before)
    if before == after:
        raise ValueError(f"{file}: the fault changes nothing")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{file}", f"b/{file}"
    )
    return f"diff --git a/{file} b/{file}\n" + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


if __name__ == "__main__":
    main(sys.argv[1:])

"""What an example's healthy devices print is reviewed here; the bundles themselves are written when they are needed.

``output/<example>.txt`` holds, for each role and command, the first output in full and a digest of all its outputs, so
that a change of any of them is seen; of a cluster without a switch, whose hosts have different parts, each output in
full. After a change of what devices print ``WIRESPEED_ACCEPT=1 pytest tests/examples`` writes it again; read the
difference.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import inject_faults
import pytest

from wirespeed.cluster import read
from wirespeed.plan import build

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/faults.py"))
GOLDEN = Path(__file__).parent / "output"


@pytest.mark.parametrize("name", NAMES)
def test_devices_print_what_was_reviewed(name: str, healthy_bundle: Callable[[str], Path]) -> None:
    text = "".join(summary(EXAMPLES / name / "cluster.yaml", healthy_bundle(name)))
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_the_same_cluster_file_gives_the_same_bundle(healthy_bundle: Callable[[str], Path], tmp_path: Path) -> None:
    inject_faults.write_healthy(EXAMPLES / "mi300x-4node", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(healthy_bundle("mi300x-4node"))


def summary(cluster: Path, bundle: Path) -> Iterator[str]:
    """For each role and command the first output, or all without a switch, and a digest of all."""
    plan = build(read(cluster))
    outputs: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {}
    for device in json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))["devices"]:
        for output in device["outputs"]:
            command = output["command"].partition("@")[0]
            outputs.setdefault((plan.roles[device["name"]], command), []).append((device["name"], output))
    for (role, command), entries in outputs.items():
        digest = hashlib.sha256()
        for device, entry in entries:
            digest.update(f"{device} {json.dumps(entry)}\n{print_output(bundle, entry)}".encode())
        yield f"=== {role} {command}: {len(entries)} outputs, sha256 {digest.hexdigest()[:16]}\n"
        for device, entry in entries[:1] if plan.switches else entries:
            yield f"{device}$ {entry['run']}\n"
            if entry["status"] != "ok" or entry["exit_code"]:
                yield f"({entry['status']}, exit code {entry['exit_code']}, {entry['detail']})\n"
            yield print_output(bundle, entry).removesuffix("\n") + "\n"


def print_output(bundle: Path, entry: dict[str, Any]) -> str:
    """The text of an output."""
    return (bundle / entry["file"]).read_text(encoding="utf-8") if entry["file"] else ""


def contents(bundle: Path) -> dict[str, str]:
    """Text by file name, whichever version of wirespeed wrote the manifest."""
    texts = {
        str(path.relative_to(bundle)): path.read_text(encoding="utf-8") for path in bundle.rglob("*") if path.is_file()
    }
    manifest = json.loads(texts["manifest.json"])
    assert manifest.pop("tool")
    return {**texts, "manifest.json": json.dumps(manifest)}

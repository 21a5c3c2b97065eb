"""A build is reproduced without ``Cargo.lock``: every crate that cargo resolves is pinned in a manifest."""

from __future__ import annotations

import os
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_crates_that_are_used_directly_are_pinned() -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    versions = {
        name: crate if isinstance(crate, str) else crate["version"]
        for name, crate in manifest["workspace"]["dependencies"].items()
        if isinstance(crate, str) or "path" not in crate
    }
    assert versions
    assert [name for name, version in versions.items() if not version.startswith("=")] == []


def test_all_other_crates_are_pinned() -> None:
    if not (ROOT / "Cargo.lock").exists():
        (pytest.fail if os.environ.get("WIRESPEED_REQUIRE_ALL") == "1" else pytest.skip)(
            "no Cargo.lock: cargo has not run"
        )
    tool = runpy.run_path(str(ROOT / "tools" / "pin_crates.py"))
    text = tool["MANIFEST"].read_text(encoding="utf-8")
    assert text.endswith(tool["TABLE"] + tool["pins"](ROOT)), "run tools/pin_crates.py"

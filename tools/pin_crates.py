"""Pin every crate: write the versions that ``Cargo.lock`` has into ``crates/python/Cargo.toml``.

    python tools/pin_crates.py

``Cargo.lock`` names the registry it was resolved with and is not committed. With these pins cargo resolves the same
versions again from any registry or mirror. The table is for a target that does not exist: it takes part in resolving
versions and is never built.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / "crates" / "python" / "Cargo.toml"
TABLE = "[target.'cfg(any())'.dependencies]\n"


def main() -> None:
    """Write the pins into Cargo.toml."""
    text, _, _ = MANIFEST.read_text(encoding="utf-8").partition(TABLE)
    MANIFEST.write_text(f"{text}{TABLE}{pins(ROOT)}", encoding="utf-8")


def pins(root: Path) -> str:
    """A line for each crate that other crates depend on."""
    direct = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["dependencies"]
    locked = tomllib.loads((root / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    crates = [crate for crate in locked if "source" in crate and crate["name"] not in direct]
    versions = Counter(crate["name"] for crate in crates)
    return "".join(
        _format_pin(crate["name"], crate["version"], versions[crate["name"]] > 1)
        for crate in sorted(crates, key=lambda crate: (crate["name"], crate["version"]))
    )


def _format_pin(name: str, version: str, several: bool) -> str:
    """A pin without default features, which would add unused crates."""
    pin = f'version = "={version}", default-features = false'
    if not several:
        return f"{name} = {{ {pin} }}\n"
    return f'{name}-{version.replace(".", "-")} = {{ package = "{name}", {pin} }}\n'


if __name__ == "__main__":
    main()

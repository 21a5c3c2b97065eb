"""Make the bundles of this example anew: the healthy one from the cluster file, and each fault's patch on its text.

    python make_bundles.py

Run it when a platform answers otherwise, and read the difference. A fault is a few replacements in what the devices
print; ``faulty.py`` applies the patches.
"""

from __future__ import annotations

import difflib
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.collect.planned import as_planned
from wirespeed.plan import build

HERE = Path(__file__).parent

Edit = Callable[[str], str]
"""The text of a file as the fault leaves it."""


def main() -> None:
    """Write all bundles."""
    bundles = HERE / "bundles"
    healthy = bundles / "healthy"
    shutil.rmtree(healthy, ignore_errors=True)
    as_planned(build(read(HERE / "cluster.yaml"), load()), healthy)
    for old in sorted((bundles / "faults").glob("*.patch")):
        old.unlink()
    for name, edits in FAULTS.items():
        text = "".join(_patch(healthy, file, edit) for file, edit in edits.items())
        (bundles / "faults" / f"{name}.patch").write_text(text, encoding="utf-8")


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


def replace(pattern: str, new: str, *, after: str = "") -> Edit:
    """Replace the one match of a pattern, the first one after a line when ``after`` names it."""

    def edit(text: str) -> str:
        start = text.index(after) if after else 0
        found = re.compile(pattern, re.MULTILINE).search(text, start)
        if found is None:
            raise ValueError(f"no {pattern!r}")
        return text[: found.start()] + found.expand(new) + text[found.end() :]

    return edit


def both(*edits: Edit) -> Edit:
    """One edit after the other."""

    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


def denied(device: str, command: str, reason: str) -> Edit:
    """In the manifest: the command ended for lack of permission, and left no output."""

    def edit(text: str) -> str:
        manifest = json.loads(text)
        outputs = next(entry["outputs"] for entry in manifest["devices"] if entry["name"] == device)
        entry = next(entry for entry in outputs if entry["command"] == command)
        entry.update(status="permission", file=None, exit_code=1, detail=reason)
        return json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"

    return edit


def without_root(text: str) -> str:
    """What lspci prints of each function when root did not ask."""
    blocks = text.split("\n\n")
    return "\n\n".join(re.sub(r"\tCapabilities: (?s:.*)", "\tCapabilities: <access denied>", block) for block in blocks)


FAULTS: Mapping[str, Mapping[str, Edit]] = {
    "01-acs-reqredir": {"node1/lspci.out": replace(r"(ACSCtl:.*)ReqRedir-", r"\1ReqRedir+", after="0000:19:01.0")},
    "02-nic-x8": {
        "node2/lspci.out": both(
            # both ends of the link say so; only the lower one that it is less than it could be
            replace(r"LnkSta:\t(.*) Width x16", r"LnkSta:\t\1 Width x8", after="0000:19:03.0"),
            replace(r"LnkSta:\t(.*) Width x16", r"LnkSta:\t\1 Width x8 (downgraded)", after="0000:43:00.0 Ethernet"),
        ),
        "node2/pcie-sysfs@enp67s0np0.out": replace(r"(current_link_width):16", r"\1:8"),
    },
    "03-rp-filter-strict": {"node3/sysctl.out": replace(r"(enp86s0np0\.rp_filter) = 2", r"\1 = 1")},
    "04-no-source-rule": {
        "node4/ip-rule.out": replace(r"\{\n *\"priority\": 1004,\n.*\n.*\n +\},", ""),
    },
    "05-roce-dscp-lossy": {
        "leaf1/running-config.out": both(
            replace(
                r"^qos map dscp-tc ROCE$",
                "qos map dscp-tc PLAIN\n dscp 0-47,49-63 traffic-class 0\n dscp 48 traffic-class 6\n!\n\\g<0>",
            ),
            replace(r"qos-map dscp-tc ROCE", "qos-map dscp-tc PLAIN", after="interface Eth1/10\n"),
        )
    },
    "06-pfc-off": {
        "leaf1/running-config.out": replace(r" priority-flow-control priority 3\n", "", after="interface Eth1/12\n")
    },
    "07-no-ecn": {"leaf1/running-config.out": replace(r" queue 3 wred-policy ROCE\n", "", after="interface Eth1/18\n")},
    "08-port-mtu": {
        "leaf1/running-config.out": replace(r" mtu 9100$", " mtu 1500", after="interface Eth1/21\n"),
        "leaf1/interface-status.out": replace(r"9100( .*)$", r"1500\1", after="Eth1/21 "),
    },
    "09-relaxed-ordering-off": {
        "node3/nvm-relaxed-ordering@enp195s0np0.out": replace("Enabled", "Disabled"),
    },
    "10-cc-mode-0": {
        "node4/cc@enp213s0np0.out": replace(r"cc_mode=0x1(.*)DCQCN-P", r"cc_mode=0x0\1DCQCN-D"),
    },
    "11-cables-swapped": {
        "leaf1/lldp-table.out": both(
            replace(r"enp159s0np0( +R +)enp159s0np0", r"enp195s0np0\1enp195s0np0", after="Eth1/29 "),
            replace(r"enp195s0np0( +R +)enp195s0np0", r"enp159s0np0\1enp159s0np0", after="Eth1/30 "),
        )
    },
    "12-gid-index": {
        # a second address came first, so the planned one went two rows down
        "node1/ip-addr.out": replace(
            r"\{\n( +\"family\": \"inet\",\n +\"local\": )\"10\.1\.0\.15\"(,\n +\"prefixlen\": )31((?s:.*?)\n +\})",
            '{\n\\1"192.168.77.8"\\g<2>24\\3,\\g<0>',
        ),
        "node1/gid-table@enp231s0np0.out": lambda text: (
            text.replace("0a01:000f", "c0a8:4d08")
            + "".join(line.replace("/3:", "/5:") for line in text.splitlines(keepends=True))
        ),
    },
    "13-no-permission": {
        "manifest.json": both(
            denied("node1", "dmesg", "dmesg: read kernel buffer failed: Operation not permitted"),
            denied("node3", "niccli-qos@enp29s0np0", "niccli: this command needs root"),
        ),
        "node2/lspci.out": without_root,
    },
}


if __name__ == "__main__":
    main()

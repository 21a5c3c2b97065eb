"""Names in /etc/hosts: apply writes those of the plan between markers, rollback removes them; other lines stay."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import build

CLUSTER = Path(__file__).parents[2] / "examples" / "pcie-lending" / "cluster-bond.yaml"
STOCK = "127.0.0.1 localhost"  # without an end of line, as an editor may leave it
LINES = [  # Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.6
    "# wirespeed: begin",
    "10.174.0.55 abel1.simula.no abel1",
    "10.174.0.56 abel1-bmc.simula.no abel1-bmc",
    "10.174.0.57 abel2.simula.no abel2",
    "10.174.0.58 abel2-bmc.simula.no abel2-bmc",
    "10.0.0.4 abel1-dis.cluster abel1-dis0",
    "10.0.0.8 abel2-dis.cluster abel2-dis0",
    "# wirespeed: end",
]


def test_names_are_added_once_and_removed(tmp_path: Path) -> None:
    files = {file.path: file.text for file in render.files(build(read(CLUSTER)), ["abel2"])}
    (tmp_path / "wirespeed").mkdir()
    (tmp_path / "wirespeed" / "hosts").write_text(files["/etc/wirespeed/hosts"])
    (tmp_path / "hosts").write_text(STOCK)
    for script in ("apply.sh", "apply.sh", "rollback.sh"):
        (command,) = re.findall(r"run (sh -c 'sed .*?>>/etc/hosts')", files[script])
        if script == "rollback.sh":
            (tmp_path / "wirespeed" / "hosts").unlink()
        subprocess.run(["sh", "-euc", command.replace("/etc/", f"{tmp_path}/")], check=True)
        expected = [STOCK, *(LINES if script == "apply.sh" else [])]
        assert (tmp_path / "hosts").read_text().splitlines() == expected

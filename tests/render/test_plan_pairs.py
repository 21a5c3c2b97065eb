"""A plan applied after any other one leaves nothing of it, and one rollback restores the host from before both."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import build

EXAMPLES = Path(__file__).parents[2] / "examples"
STATE = "var/lib/wirespeed"
CLUSTERS: dict[str, tuple[str, dict[str, str]]] = {
    "dcqcn-p": ("mi300x-4node/cluster.yaml", {}),
    "dcqcn-d": ("mi300x-4node/cluster.yaml", {"dcqcn-p": "dcqcn-d"}),
    "ipv6": ("mi300x-4node/cluster-ipv6.yaml", {}),
    "rhel": ("mi300x-4node/cluster.yaml", {"ubuntu-22.04": "rhel-9"}),
    "tuned": ("esnet-400g/cluster.yaml", {}),
    "lending": ("pcie-lending/cluster.yaml", {}),
    "bond": ("pcie-lending/cluster-bond.yaml", {}),
    "dscps": ("mi300x-4node/cluster.yaml", {"dscp: 26,": "dscp: [24, 26], nic: {dscp: 26},"}),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The rendered folder of the first host of every cluster."""
    folder = tmp_path_factory.mktemp("plans")
    by_name = {}
    for name, (file, changes) in CLUSTERS.items():
        text = (EXAMPLES / file).read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (folder / "cluster.yaml").write_text(text)
        plan = build(read(folder / "cluster.yaml"))
        host = next(iter(plan.hosts))
        render.write(render.files(plan, [host]), folder / name, plan.name)
        by_name[name] = folder / name / host
    return by_name


def run(script: Path, root: Path, *arguments: str) -> str:
    process = subprocess.run(["sh", script, *arguments, "--root", root], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


def contents(root: Path, state: bool = False) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of every file, those of wirespeed's state only on request."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in root.rglob("*")
        if path.is_file() and (state or not path.is_relative_to(root / STATE))
    }


def make_image(folder: Path) -> Path:
    """A system with a file that some of the plans replace."""
    (folder / "etc/bnxt_re").mkdir(parents=True)
    (folder / "etc/bnxt_re/bnxt_re.conf").write_text("ENABLE_FC=0\n")
    return folder


@pytest.fixture(scope="module")
def systems(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A system with each plan applied; tests copy it."""
    images = {}
    for name, folder in folders.items():
        images[name] = make_image(tmp_path_factory.mktemp(name) / "image")
        run(folder / "apply.sh", images[name], "--yes")
    return images


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(CLUSTERS, 2)))
def test_a_plan_leaves_nothing_of_the_one_before(
    folders: dict[str, Path], systems: dict[str, Path], first: str, second: str, tmp_path: Path
) -> None:
    initial_contents = contents(make_image(tmp_path / "initial"), state=True)
    image = tmp_path / "image"
    shutil.copytree(systems[first], image, symlinks=True)
    preview = run(folders[second] / "apply.sh", image)
    run(folders[second] / "apply.sh", image, "--yes")
    assert contents(image) == contents(systems[second])
    removed = contents(folders[first]).keys() - contents(image).keys()
    assert {f"would remove: /{path}" for path in removed if (folders[first] / path).parent != folders[first]} <= set(
        preview.splitlines()
    )
    run(folders[second] / "rollback.sh", image, "--yes")
    assert contents(image, state=True) == initial_contents


def test_the_commands_of_removed_files_are_run(folders: dict[str, Path], tmp_path: Path) -> None:
    """The service of DCQCN-D writes the earlier mode when it stops, before its script is gone."""
    image = make_image(tmp_path / "image")
    run(folders["dcqcn-d"] / "apply.sh", image, "--yes")
    lines = run(folders["dcqcn-p"] / "apply.sh", image, "--yes").splitlines()
    assert lines[:5] == [
        "not run (--root): systemctl stop wirespeed-congestion.service",
        "remove: /usr/local/sbin/wirespeed-congestion",
        "remove: /etc/systemd/system/wirespeed-congestion.service",
        "not run (--root): rm -f /etc/systemd/system/multi-user.target.wants/wirespeed-congestion.service",
        "not run (--root): systemctl daemon-reload",
    ]


def test_rollback_of_a_plan_that_was_not_applied_last(folders: dict[str, Path], tmp_path: Path) -> None:
    image = make_image(tmp_path / "image")
    initial_contents = contents(image, state=True)
    run(folders["dcqcn-d"] / "apply.sh", image, "--yes")
    output = run(folders["tuned"] / "rollback.sh", image, "--yes")
    assert output.startswith("another plan was applied last: running its rollback script, ")
    assert contents(image, state=True) == initial_contents


@pytest.mark.parametrize(
    ("first", "second", "commands"),
    [
        ("bond", "lending", ["sh -c ip link delete dev bond0 2>/dev/null || :", "netplan generate", "netplan apply"]),
        ("dscps", "dcqcn-p", ["systemctl stop wirespeed-dscp.service"]),
    ],
)
def test_what_a_removed_file_made_is_removed(
    folders: dict[str, Path], tmp_path: Path, first: str, second: str, commands: list[str]
) -> None:
    """netplan keeps a bond without a file, and the NIC its DSCPs."""
    image = make_image(tmp_path / "image")
    run(folders[first] / "apply.sh", image, "--yes")
    lines = run(folders[second] / "apply.sh", image, "--yes").splitlines()
    start = lines.index(f"not run (--root): {commands[0]}")
    assert lines[start : start + len(commands)] == [f"not run (--root): {command}" for command in commands]

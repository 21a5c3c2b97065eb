"""Rendered scripts, read by ShellCheck."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from needs import find, needs
from platforms.cluster_files import host_files, launch_files, nic_files
from wirespeed import render
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = sorted(path for path in EXAMPLES.glob("*/cluster*.yaml") if not path.parent.name.startswith("scale-"))

INTENTIONAL = {
    "SC2034": "scripts share functions and flags, and some use fewer of them",
    "SC2043": "a loop over the NICs of a host with one NIC",
    "SC2209": "action=set assigns the word, not the output of the shell's set",
}
"""Warnings about correct lines, each with the reason."""


def list_scripts(plan: Plan) -> set[str]:
    """The scripts of the first host of each combination of model and operating system."""
    names = {(host.model, host.os): name for name, host in reversed(plan.hosts.items())}.values()
    return {file.text for file in render.files(plan, list(names)) if file.text.startswith(("#!/bin/sh", "#!/bin/bash"))}


def run_shellcheck(scripts: Iterable[str], folder: Path) -> str:
    """What it reports, a line each."""
    paths = []
    for number, text in enumerate(sorted(scripts)):
        paths.append(str(folder / f"{number}.sh"))
        Path(paths[-1]).write_text(text)
    assert paths
    options = ["--norc", "--severity=warning", "--format=gcc", f"--exclude={','.join(INTENTIONAL)}"]
    process = subprocess.run([str(find("shellcheck")), *options, *paths], capture_output=True, text=True, check=False)
    assert process.returncode in (0, 1), process.stderr
    return process.stdout


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_shellcheck_accepts_the_scripts_of_every_example(cluster: Path, tmp_path: Path) -> None:
    needs("shellcheck")
    assert run_shellcheck(list_scripts(build(read(cluster))), tmp_path) == ""


@pytest.mark.slow
def test_shellcheck_accepts_the_scripts_of_every_option(tmp_path: Path) -> None:
    needs("shellcheck")
    scripts: set[str] = set()
    for text in (*host_files(), *nic_files(), *launch_files()):
        try:
            scripts |= list_scripts(build(read_text(text, "one.yaml")))
        except Refusal:
            continue  # not every system has every option
    assert run_shellcheck(scripts, tmp_path) == ""

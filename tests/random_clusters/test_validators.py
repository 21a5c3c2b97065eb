"""What is rendered for random clusters, read by the programs that read it on a host."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml

from needs import find, needs
from platforms.switch.sonic_yang import find_objections, list_files, write_module
from platforms.switch.test_avd import list_unconfirmed
from random_clusters.generator import SEEDS, make_cluster
from render.test_ansible import ANSIBLE, ENVIRONMENT
from render.test_shellcheck import run_shellcheck
from render.test_units_and_keyfiles import needs_libnm, read_keyfiles, read_units
from wirespeed import render
from wirespeed.render import RenderedFile

pytestmark = pytest.mark.random


@cache
def render_devices(seed: int) -> tuple[RenderedFile, ...]:
    """The files of the first and the last host, whose settings may differ, and of every switch."""
    plan = make_cluster(seed).plan
    hosts = dict.fromkeys((next(iter(plan.hosts)), list(plan.hosts)[-1]))
    return tuple(render.files(plan, [*hosts, *plan.switches]))


def select_files(seed: int, part: str) -> dict[str, str]:
    """Files with this part in their path, by device and path; a file that another device has too is left out."""
    texts: dict[str, str] = {}
    for file in render_devices(seed):
        if part in file.path and file.text not in texts.values():
            texts[f"{file.device}:{file.path}"] = file.text
    return texts


@pytest.mark.parametrize("seed", SEEDS)
def test_shellcheck_accepts_every_script(seed: int, tmp_path: Path) -> None:
    needs("shellcheck")
    texts = {file.text for file in render_devices(seed)}
    assert run_shellcheck({text for text in texts if text.startswith(("#!/bin/sh", "#!/bin/bash"))}, tmp_path) == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_systemd_accepts_every_unit(seed: int, tmp_path: Path) -> None:
    needs("systemd-analyze")
    for number, (name, text) in enumerate(select_files(seed, "/etc/systemd/system/wirespeed-").items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert read_units({Path(name).name: text}, folder) == [], name


def test_libnm_accepts_every_keyfile(tmp_path: Path) -> None:
    needs_libnm()
    keyfiles = [text for seed in SEEDS for text in select_files(seed, ".nmconnection").values()]
    assert read_keyfiles(keyfiles, tmp_path) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_netplan_accepts_every_file(seed: int, tmp_path: Path) -> None:
    """And writes a file for networkd for each interface."""
    needs("netplan")
    for number, (name, text) in enumerate(select_files(seed, "/etc/netplan/").items()):
        root = tmp_path / str(number)
        (root / "etc/netplan").mkdir(parents=True)
        (root / "etc/netplan/60-wirespeed.yaml").write_text(text)
        (root / "etc/netplan/60-wirespeed.yaml").chmod(0o600)
        command = [str(find("netplan")), "generate", "--root-dir", str(root)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (process.returncode, process.stderr) == (0, ""), name
        files = {path.name for path in (root / "run/systemd/network").glob("*.network")}
        interfaces = yaml.safe_load(text)["network"]["ethernets"]
        assert files == {f"10-netplan-{interface}.network" for interface in interfaces}, name


@pytest.mark.parametrize("seed", SEEDS[::5])
def test_ansible_accepts_the_playbooks(seed: int, tmp_path: Path) -> None:
    plan = make_cluster(seed).plan
    render.write(
        render_devices(seed), tmp_path / "out", plan.name, extra_files=lambda names: render.ansible(plan, names)
    )
    inventory = str(tmp_path / "out" / render.INVENTORY)
    for book in ("ansible-apply.yaml", "ansible-rollback.yaml"):
        command = [str(ANSIBLE), "-i", inventory, str(tmp_path / "out" / book), "--syntax-check"]
        process = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert process.returncode == 0 and "WARNING" not in process.stderr, process.stderr


@pytest.mark.parametrize("seed", SEEDS)
def test_python_and_json_of_switches_are_well_formed(seed: int) -> None:
    for name, text in select_files(seed, "/home/admin/wirespeed-merge.py").items():
        compile(text, name, "exec")
    for text in select_files(seed, "/home/admin/wirespeed.json").values():
        json.loads(text)


@pytest.mark.parametrize("seed", SEEDS)
def test_avd_writes_every_line_of_eos(seed: int) -> None:
    for name, text in select_files(seed, "/mnt/flash/wirespeed.cfg").items():
        assert list_unconfirmed(text) == set(), name


@pytest.mark.parametrize("seed", SEEDS)
def test_yanglint_accepts_the_files_of_sonic(seed: int, tmp_path: Path) -> None:
    needs("yanglint")
    for release, files in list_files(make_cluster(seed).plan).items():
        assert find_objections(write_module(release, tmp_path), files, tmp_path) == {}

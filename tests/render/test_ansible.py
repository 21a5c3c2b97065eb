"""The playbooks, accepted and run by the real Ansible, on a host that is a namespace with its own /etc and /usr."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from needs import needs
from wirespeed import render
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import Plan, build

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
ANSIBLE = Path(sys.executable).with_name("ansible-playbook")
ENVIRONMENT = {
    **os.environ,
    "ANSIBLE_NOCOLOR": "1",
    "ANSIBLE_LOCALHOST_WARNING": "0",
    "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
}
NAMESPACE = """
set -e
mount -t tmpfs tmpfs "$1"
for folder in etc usr var; do
    mkdir "$1/$folder" "$1/$folder.work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/$folder,workdir=$1/$folder.work" "/$folder"
done
shift
eval "$1"
"""
"""Runs a command on a separate host: what it writes is gone with it."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read(CLUSTER), load())


@pytest.fixture(scope="module")
def output_folder(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rendered") / "out"
    rendered = render.files(plan, ["node1", "leaf1"])
    render.write(rendered, folder, plan.name, extra_files=lambda names: render.ansible(plan, names))
    return folder


def play(output_folder: Path, book: str, *options: str) -> str:
    """A playbook's command line on the one host that is this machine."""
    arguments = [
        str(ANSIBLE),
        "-i",
        str(output_folder / render.INVENTORY),
        str(output_folder / book),
        "-l",
        "node1",
        "-c",
        "local",
        *options,
    ]
    return " ".join(arguments)


def on_a_host(tmp_path: Path, *commands: str) -> str:
    """What the commands print on a host with its own files."""
    needs("unshare", root=True)
    upper = tmp_path / "upper"
    upper.mkdir()
    script = "\n".join(commands)
    process = subprocess.run(
        ["unshare", "--mount", "--net", "--uts", "sh", "-c", NAMESPACE, "host", str(upper), script],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def recap(text: str) -> list[dict[str, int]]:
    """Counts of node1 at the end of each run."""
    matches = re.findall(r"^node1 +: (.*)$", text, re.MULTILINE)
    return [{key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)} for line in matches]


@pytest.mark.slow
@pytest.mark.parametrize("book", ["ansible-apply.yaml", "ansible-rollback.yaml"])
def test_ansible_accepts_the_playbooks(output_folder: Path, book: str) -> None:
    process = subprocess.run(
        [str(ANSIBLE), "-i", str(output_folder / render.INVENTORY), str(output_folder / book), "--syntax-check"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "WARNING" not in process.stderr


@pytest.mark.slow
def test_a_host_is_shown_what_differs_and_left_alone(output_folder: Path, tmp_path: Path) -> None:
    text = on_a_host(
        tmp_path,
        play(output_folder, "ansible-apply.yaml", "--check", "--diff"),
        "test ! -e /etc/netplan/60-wirespeed.yaml",
        "test ! -e /var/lib/wirespeed",
        f"cp -a {output_folder}/node1/etc {output_folder}/node1/usr /",
        play(output_folder, "ansible-apply.yaml"),  # without a yes it does no more
        "test ! -e /var/lib/wirespeed",
    )
    before, after = recap(text)
    assert before["failed"] == 0 and before["changed"] == 1
    assert '"would install: /etc/sysctl.d/90-wirespeed.conf"' in text
    assert '"+net.ipv4.conf.all.arp_ignore = 1"' in text
    assert after["failed"] == 0 and after["changed"] == 0


def test_the_inventory_has_every_device_by_its_role(plan: Plan) -> None:
    odd = replace(plan, roles={**plan.roles, "leaf1": "super-spine"})
    text = dict(render.ansible(odd, ["node1", "leaf1"]))[render.INVENTORY]
    assert yaml.safe_load(text) == {
        "all": {
            "children": {
                "wirespeed_hosts": {"hosts": {"node1": {}}},
                "wirespeed_switches": {"children": {"wirespeed_super_spine": {"hosts": {"leaf1": {}}}}},
            }
        }
    }


def test_a_part_rendered_anew_keeps_the_others_in_the_inventory(plan: Plan, tmp_path: Path) -> None:
    for names in (["node1", "leaf1"], ["node2"]):
        rendered = render.files(plan, names)
        render.write(
            rendered, tmp_path / "out", plan.name, extra_files=lambda file_names: render.ansible(plan, file_names)
        )
    hosts = yaml.safe_load((tmp_path / "out" / render.INVENTORY).read_text())["all"]["children"]["wirespeed_hosts"]
    assert list(hosts["hosts"]) == ["node1", "node2"]

"""Rendered systemd units, read by systemd-analyze, and NetworkManager keyfiles, read by libnm."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from needs import find, needs
from platforms.cluster_files import host_files, nic_files
from wirespeed import render
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = sorted(path for path in EXAMPLES.glob("*/cluster*.yaml") if not path.parent.name.startswith("scale-"))

READER = """
import json, sys
import gi
gi.require_version("NM", "1.0")
from gi.repository import GLib, NM

problems = []
def report(keyfile, connection, kind, data, user_data):
    problems.append(f"{path}: {int(kind)}")
    return True

for path in sys.argv[1:]:
    keyfile = GLib.KeyFile()
    keyfile.load_from_file(path, GLib.KeyFileFlags.NONE)
    connection = NM.keyfile_read(keyfile, "/etc/NetworkManager/system-connections", 0, report, None)
    connection.normalize(None)
    connection.verify()
    ip = connection.get_setting_ip4_config(), connection.get_setting_ip6_config()
    addresses = sum(setting.get_num_addresses() for setting in ip)
    if not addresses:
        problems.append(f"{path}: no address")
print(json.dumps(problems))
"""
"""Prints the warnings of libnm about the keyfiles; a keyfile that it refuses raises. For the distribution's Python."""


def list_texts(plan: Plan, suffix: str) -> dict[str, str]:
    """Files by name, of the first host of each combination of model and operating system."""
    names = {(host.model, host.os): name for name, host in reversed(plan.hosts.items())}.values()
    return {Path(file.path).name: file.text for file in render.files(plan, list(names)) if file.path.endswith(suffix)}


def read_units(units: dict[str, str], folder: Path) -> list[str]:
    """What systemd-analyze reports, save that the scripts are not installed on this machine."""
    for name, text in units.items():
        (folder / name).write_text(text)
    command = [str(find("systemd-analyze")), "verify", "--man=no", *(str(folder / name) for name in units)]
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"}
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return [line for line in process.stderr.splitlines() if "is not executable: No such file or directory" not in line]


def read_keyfiles(texts: Iterable[str], folder: Path) -> list[str]:
    """What libnm reports."""
    paths = []
    for number, text in enumerate(sorted(texts)):
        paths.append(str(folder / f"{number}.nmconnection"))
        Path(paths[-1]).write_text(text)
    assert paths
    command = ["/usr/bin/python3", "-c", READER, *paths]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)  # type: ignore[no-any-return]


def needs_libnm() -> None:
    """Skip without the introspection data of libnm; fail where everything is required."""
    probe = ["/usr/bin/python3", "-c", "import gi; gi.require_version('NM', '1.0')"]
    if Path(probe[0]).exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return
    reason = "needs libnm for Python (packages python3-gi and gir1.2-nm-1.0)"
    if os.environ.get("WIRESPEED_REQUIRE_ALL") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def build_plans() -> Iterable[Plan]:
    """Plans of host options that are not refused."""
    for text in (*host_files(), *nic_files()):
        try:
            plan = build(read_text(text, "one.yaml"))
            render.check(plan)
        except Refusal:
            continue  # not every system has every option
        yield plan


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_systemd_accepts_the_units_of_every_example(cluster: Path, tmp_path: Path) -> None:
    needs("systemd-analyze")
    if units := list_texts(build(read(cluster)), ".service"):
        assert read_units(units, tmp_path) == []


def test_systemd_names_an_unknown_key(tmp_path: Path) -> None:
    needs("systemd-analyze")
    (line,) = read_units({"odd.service": "[Service]\nType=oneshot\nExecStart=/bin/true\nRestrat=no\n"}, tmp_path)
    assert "Restrat" in line


@pytest.mark.parametrize("name", ["cluster", "cluster-rail24", "cluster-ipv6"])
def test_libnm_accepts_the_keyfiles_of_every_scheme(name: str, tmp_path: Path) -> None:
    needs_libnm()
    text = (EXAMPLES / "mi300x-4node" / f"{name}.yaml").read_text().replace("ubuntu-22.04", "rhel-9.4")
    assert read_keyfiles(list_texts(build(read_text(text, "one.yaml")), ".nmconnection").values(), tmp_path) == []


def test_libnm_names_a_value_that_is_no_mtu(tmp_path: Path) -> None:
    needs_libnm()
    keyfile = (
        "[connection]\nid=one\ntype=ethernet\n[ethernet]\nmtu=large\n[ipv4]\nmethod=manual\naddress1=10.1.0.1/31\n"
    )
    (line,) = read_keyfiles([keyfile], tmp_path)
    assert line.endswith(".nmconnection: 1")


@pytest.mark.slow
def test_units_and_keyfiles_of_every_option_are_accepted(tmp_path: Path) -> None:
    needs("systemd-analyze")
    needs_libnm()
    keyfiles: set[str] = set()
    accepted: set[str] = set()
    for plan in build_plans():
        keyfiles |= set(list_texts(plan, ".nmconnection").values())
        units = {name: text for name, text in list_texts(plan, ".service").items() if text not in accepted}
        assert not units or read_units(units, tmp_path) == []
        accepted |= set(units.values())
    assert accepted
    assert read_keyfiles(keyfiles, tmp_path) == []

"""A wheelhouse is enough: without a route, the commands of the install guide install it, and the demo runs."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from needs import needs

pytestmark = pytest.mark.lab

ROOT = Path(__file__).parents[2]
_SECTION = "## Without Internet access\n"

# Proof that nothing is reachable: the kernel has no routes, and a connection fails.
_WITHOUT_NETWORK = """
test -z "$(ip route show table all; ip -6 route show table all)"
python3 -c '
import errno, socket
with socket.socket() as client:
    client.settimeout(5)
    code = client.connect_ex(("192.0.2.1", 443))
    assert code == errno.ENETUNREACH, errno.errorcode[code]
'
"""


def run_without_network(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a new network namespace, without this machine's settings for pip and Python."""
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    base = Path(sys.base_prefix) / "bin"
    return subprocess.run(
        ["unshare", *rights, "--net", "bash", "-euo", "pipefail", "-c", _WITHOUT_NETWORK + script],
        cwd=folder,
        env={
            "PATH": f"{base}:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(folder),
            "PIP_CONFIG_FILE": os.devnull,
            "LC_ALL": "C.UTF-8",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def guide_commands() -> list[str]:
    """The two blocks of commands in the guide's section: with a network, and without one."""
    section = (ROOT / "docs" / "guides" / "install.md").read_text(encoding="utf-8").split(_SECTION)[1]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[:2]


@pytest.fixture(scope="module")
def head_node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheelhouse in it and wirespeed installed from it, as the guide describes."""
    needs("unshare", "ip", "cargo")
    folder = tmp_path_factory.mktemp("head-node")
    fill = [sys.executable, ROOT / "tools" / "wheelhouse.py", folder / "wheelhouse"]
    filled = subprocess.run(fill, capture_output=True, text=True, check=False)
    assert filled.returncode == 0, filled.stderr
    completed = run_without_network(folder, guide_commands()[1])
    assert completed.returncode == 0, completed.stdout
    return folder


def test_make_builds_the_wheelhouse_as_the_guide_describes() -> None:
    with_network, _ = guide_commands()
    assert with_network == "make wheelhouse\n"
    recipe = subprocess.run(
        [
            "make",
            "--no-print-directory",
            "--dry-run",
            "--old-file=.venv/.built",
            "wheelhouse",
            "WHEELHOUSE_PYTHON=3.12",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert recipe.stdout.splitlines()[-1] == ".venv/bin/python tools/wheelhouse.py --python 3.12 build/wheelhouse"


def test_the_wheelhouse_lists_its_target_and_the_hash_of_each_wheel(head_node: Path) -> None:
    folder = head_node / "wheelhouse"
    wheels = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.whl")}
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert {name: digest for digest, name in (line.split("  ") for line in lines)} == wheels
    hashes = re.findall(r"--hash=sha256:(\w+)$", (folder / "requirements.txt").read_text(), re.MULTILINE)
    assert sorted(hashes) == sorted(wheels.values())
    readme = (folder / "README.txt").read_text()
    python = "{}.{}".format(*sys.version_info)
    machine = rf"Python {python} \(CPython\) on Linux {os.uname().machine} with glibc 2\.(\d+) or later"
    match = re.match(rf"wirespeed and all it needs, for {machine}\.", readme)
    assert match is not None, readme
    # No wheel requires a newer glibc than the one listed.
    oldest_release = int(match[1])
    for name in wheels:
        tags = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", name)]
        assert not tags or min(tags) <= oldest_release, name


def test_the_demo_has_the_same_output_without_a_network(head_node: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", head_node / "examples")
    (head_node / ".venv").symlink_to("wirespeed")  # where the demo expects it
    completed = run_without_network(head_node, "examples/mi300x-4node/demo.sh")
    assert completed.returncode == 0, completed.stdout

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    # Without COLUMNS, which another test may have set: text is wrapped as in the pipe of the head node.
    variables = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with_network = subprocess.run(
        [tmp_path / "examples/mi300x-4node/demo.sh"],
        env={**variables, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert completed.stdout.replace(str(head_node), str(tmp_path)) == with_network.stdout
    report = Path(completed.stdout.splitlines()[-1])
    assert report == head_node / "build/demo/report.html"
    assert report.read_bytes() == (tmp_path / "build/demo/report.html").read_bytes()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(
            "python -c 'import wirespeed; print(wirespeed.__file__)'",
            "{node}/wirespeed/lib/python{python}/site-packages/wirespeed/__init__.py",
            id="what-was-installed-is-what-runs",
        ),
        pytest.param("wirespeed sim run examples/simulator/incast.json", "4 of 4 completed", id="the-simulator"),
        pytest.param(
            "wirespeed bench parse examples/mi300x-4node/bench --store here.db --label first",
            "stored in here.db",
            id="the-store-and-its-migrations",
        ),
        pytest.param("python -c 'import psycopg; print(psycopg.pq.__impl__)'", "binary", id="PostgreSQL"),
        pytest.param("wirespeed init && wirespeed validate cluster.yaml", "0 warnings", id="a-first-cluster-file"),
        pytest.param("wirespeed explain nic.pcie-width", "nic.pcie-width", id="the-manual"),
    ],
)
def test_commands_outside_the_demo_work_without_a_network(
    head_node: Path, tmp_path: Path, command: str, output: str
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    completed = run_without_network(tmp_path, f'PATH="{head_node}/wirespeed/bin:$PATH"\n{command}')
    assert completed.returncode == 0, completed.stdout
    assert output.format(node=head_node, python="{}.{}".format(*sys.version_info)) in completed.stdout


def test_a_changed_wheel_is_refused(head_node: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(head_node / "wheelhouse", tmp_path / "wheelhouse")
    with next(folder.glob("jinja2-*.whl")).open("ab") as wheel:
        wheel.write(b"\0")
    check, *remainder = guide_commands()[1].splitlines()
    assert "jinja2" in run_without_network(tmp_path, check).stdout
    install = remainder[1].replace(
        "wirespeed/bin/pip install", f"{head_node}/wirespeed/bin/pip install --force-reinstall"
    )
    completed = run_without_network(tmp_path, install)
    assert completed.returncode == 1
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in completed.stdout

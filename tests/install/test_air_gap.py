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

# What nothing can be reached from: no route, not even to itself; said by the kernel, and by a connection that fails.
_NOWHERE = """
test -z "$(ip route show table all; ip -6 route show table all)"
python3 -c '
import errno, socket
with socket.socket() as one:
    one.settimeout(5)
    found = one.connect_ex(("192.0.2.1", 443))
    assert found == errno.ENETUNREACH, errno.errorcode[found]
'
"""


def alone(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a new network namespace, with nothing of this machine's settings for pip and Python."""
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    base = Path(sys.base_prefix) / "bin"
    return subprocess.run(
        ["unshare", *rights, "--net", "bash", "-euo", "pipefail", "-c", _NOWHERE + script],
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


def typed() -> list[str]:
    """The two blocks of commands of the guide's section: where there is a network, and where there is none."""
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
    done = alone(folder, typed()[1])
    assert done.returncode == 0, done.stdout
    return folder


def test_make_fills_it_as_the_guide_describes() -> None:
    here, _ = typed()
    assert here == "make wheelhouse\n"
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


def test_it_says_what_it_is_for_and_names_each_wheel_with_its_hash(head_node: Path) -> None:
    folder = head_node / "wheelhouse"
    wheels = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.whl")}
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert {name: digest for digest, name in (line.split("  ") for line in lines)} == wheels
    hashes = re.findall(r"--hash=sha256:(\w+)$", (folder / "requirements.txt").read_text(), re.MULTILINE)
    assert sorted(hashes) == sorted(wheels.values())
    said = (folder / "README.txt").read_text()
    python = "{}.{}".format(*sys.version_info)
    machine = rf"Python {python} \(CPython\) on Linux {os.uname().machine} with glibc 2\.(\d+) or later"
    found = re.match(rf"wirespeed and all it needs, for {machine}\.", said)
    assert found is not None, said
    # No wheel asks for a newer glibc than is said.
    least = int(found[1])
    for name in wheels:
        tags = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", name)]
        assert not tags or min(tags) <= least, name


def test_the_main_job_does_the_same_without_a_network(head_node: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", head_node / "examples")
    (head_node / ".venv").symlink_to("wirespeed")  # where the demo looks for it
    done = alone(head_node, "examples/mi300x-4node/demo.sh")
    assert done.returncode == 0, done.stdout

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    here = subprocess.run(
        [tmp_path / "examples/mi300x-4node/demo.sh"],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.stdout.replace(str(head_node), str(tmp_path)) == here.stdout
    report = Path(done.stdout.splitlines()[-1])
    assert report == head_node / "build/demo/report.html"
    assert report.read_bytes() == (tmp_path / "build/demo/report.html").read_bytes()


@pytest.mark.parametrize(
    ("command", "says"),
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
def test_what_the_demo_does_not_show(head_node: Path, tmp_path: Path, command: str, says: str) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = alone(tmp_path, f'PATH="{head_node}/wirespeed/bin:$PATH"\n{command}')
    assert done.returncode == 0, done.stdout
    assert says.format(node=head_node, python="{}.{}".format(*sys.version_info)) in done.stdout


def test_a_wheel_that_was_changed_on_the_way_is_refused(head_node: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(head_node / "wheelhouse", tmp_path / "wheelhouse")
    with next(folder.glob("jinja2-*.whl")).open("ab") as wheel:
        wheel.write(b"\0")
    check, *rest = typed()[1].splitlines()
    assert "jinja2" in alone(tmp_path, check).stdout
    install = rest[1].replace("wirespeed/bin/pip install", f"{head_node}/wirespeed/bin/pip install --force-reinstall")
    done = alone(tmp_path, install)
    assert done.returncode == 1
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stdout

"""The guide to a new switch operating system: its code blocks are a platform that passes the tests of all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, ROOT

pytestmark = pytest.mark.slow

_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(_FILE.findall((DOCS / "guides" / "add-a-switch-os.md").read_text(encoding="utf-8")))
COPIED = ("python/wirespeed", "tests/platforms", "tests/collect", "tests/fuzzing")
LINKED = ("examples", "tests/samples", "tests/benchmarks")
TESTS = (
    "tests/platforms/switch/test_lantern.py",
    "tests/platforms/test_round_trip.py",
    "tests/platforms/test_rendered_settings.py",
    "tests/collect/test_as_planned.py",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the files of the guide."""
    root = tmp_path_factory.mktemp("copy")
    for path in COPIED:
        shutil.copytree(ROOT / path, root / path, ignore=shutil.ignore_patterns("__pycache__"))
    for path in LINKED:
        (root / path).symlink_to(ROOT / path)
    shutil.copy(ROOT / "pyproject.toml", root)
    for path, text in FILES.items():
        assert not (ROOT / path).exists(), "the guide's operating system is not part of the product"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def in_copy(copy: Path, *arguments: str) -> str:
    """The output of a Python module that imports the package and tests of the copy."""
    environment = os.environ | {"PYTHONPATH": str(copy / "python")}
    result = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_tests_of_every_platform_include_it(copy: Path) -> None:
    # test_every_key_of_a_switch plans a cluster that the guide's system refuses.
    chosen = "(lantern or every_rendered_setting) and not test_every_key_of_a_switch"
    output = in_copy(copy, "pytest", "-vv", "-p", "no:xdist", "-m", "not lab", "-k", chosen, *TESTS)
    passed = {name for name in TESTS if re.search(rf"^{re.escape(name)}::.* PASSED", output, re.MULTILINE)}
    assert passed == set(TESTS)


def test_seeds_of_fuzzing_hold_every_property(copy: Path) -> None:
    program = (
        "from fuzzing.targets import targets\n"
        "target = targets()['platform_switch_lantern']\n"
        "seeds = target.seeds()\n"
        "assert seeds\n"
        "[target.check(content) for content in seeds]\n"
    )
    (copy / "tests" / "seeds_of_lantern.py").write_text(program, encoding="utf-8")
    modules = ("tests/benchmarks", "tests/benchmarks/peers", "tests/report", "examples", ".")  # of other seeds
    folders = [*(copy / path for path in ("python", "tests", "tests/platforms")), *(ROOT / path for path in modules)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    subprocess.run([sys.executable, "tests/seeds_of_lantern.py"], cwd=copy, env=environment, check=True)


def test_its_devices_pass_their_check(copy: Path) -> None:
    in_copy(copy, "wirespeed", "render", "cluster.yaml", "-o", "out")
    configuration = next((copy / "out").rglob("wirespeed.cfg")).read_text(encoding="utf-8")
    assert configuration.startswith("hostname leaf1\n")
    in_copy(copy, "wirespeed", "collect", "--as-planned", "cluster.yaml", "-o", "bundle")
    in_copy(copy, "wirespeed", "check", "cluster.yaml", "bundle")
    assert "lantern" in in_copy(copy, "wirespeed", "list", "platforms")

"""Fill a folder with every wheel that an installation of wirespeed needs without a network: ``make wheelhouse``.

The wheels are for Linux with this machine's processor, for one release of Python (``--python``, by default the one that
runs this), and for the oldest glibc that the wheel built here runs with; requirements.txt has their hashes.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import Refusal, refuse

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS, SUMS, README = "requirements.txt", "SHA256SUMS", "README.txt"
EXTRAS = ("postgres",)  # small, and not available later

_OLDEST_GLIBC = 5  # 2.5: manylinux1, the oldest glibc of wheels (PEP 513)
_NAMED = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}  # older names of 2.17, 2.12 and 2.5 (PEP 600)


@dataclass(frozen=True, slots=True)
class Target:
    """The target machines of the wheels."""

    python: str
    glibc: int  # 2.N
    machine: str

    @property
    def platforms(self) -> list[str]:
        """Tags of wheels that run on the target, newest first."""
        tags = []
        for minor in range(self.glibc, _OLDEST_GLIBC - 1, -1):
            tags.append(f"manylinux_2_{minor}_{self.machine}")
            if minor in _NAMED:
                tags.append(f"{_NAMED[minor]}_{self.machine}")
        return tags

    def __str__(self) -> str:
        return f"Python {self.python} (CPython) on Linux {self.machine} with glibc 2.{self.glibc} or later"


def main() -> None:
    """Read the command line, fill the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="is made, or replaced where it is a wheelhouse")
    parser.add_argument(
        "--python",
        metavar="3.N",
        default="{}.{}".format(*sys.version_info),
        help="Python there, where it is another than here",
    )
    arguments = parser.parse_args()
    try:
        fill(arguments.folder, arguments.python)
    except Refusal as refusal:
        sys.exit("\n".join(str(problem) for problem in refusal.problems))


def fill(folder: Path, python: str) -> None:
    """Build and fetch wheels, then replace the folder atomically: after a failure an older wheelhouse is unchanged.

    Raises:
        Refusal: the folder is not a wheelhouse, wirespeed does not support this Python, or a tool failed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _check_arguments(folder, python, project["requires-python"])
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        new_folder = Path(scratch) / folder.name
        new_folder.mkdir()
        target = _find_target(_build_wheel(new_folder), python)
        extras = [requirement for extra in EXTRAS for requirement in project["optional-dependencies"][extra]]
        _fetch_wheels(new_folder, target, [*project["dependencies"], *extras])
        _write_down(new_folder, target)
        if folder.exists():
            folder.rename(Path(scratch) / "before")
        new_folder.rename(folder)
    wheels = list(folder.glob("*.whl"))
    size = sum(wheel.stat().st_size for wheel in wheels) / 1e6
    sys.stdout.write(f"{folder}: {len(wheels)} wheels, {size:.0f} MB, for {target}\n")


def _check_arguments(folder: Path, python: str, needed: str) -> None:
    if folder.exists() and not (folder.is_dir() and (not any(folder.iterdir()) or (folder / SUMS).is_file())):
        raise refuse(f"{folder}", "something that is no wheelhouse", "a folder to make, or an earlier wheelhouse")
    requested, minimum = re.fullmatch(r"3\.(\d+)", python), re.fullmatch(r">=3\.(\d+)", needed)
    assert minimum is not None, f"pyproject.toml: requires-python {needed!r}"
    if requested is None or int(requested[1]) < int(minimum[1]):
        raise refuse("--python", repr(python), f"3.{minimum[1]} or later, such as 3.12")


def _build_wheel(folder: Path) -> Path:
    """Build the wheel of wirespeed, which is for every Python from 3.11 on (abi3)."""
    maturin = Path(sys.executable).parent / "maturin"
    _run_command([str(maturin), "build", "--release", "--quiet", "--interpreter", sys.executable, "--out", str(folder)])
    return next(folder.glob("wirespeed-*.whl"))


def _find_target(wheel: Path, python: str) -> Target:
    """The platform of the wheel, which maturin determines from its symbols."""
    tag = re.search(r"-manylinux_2_(\d+)_(\w+)\.whl$", wheel.name)
    if tag is None:
        raise refuse(wheel.name, "a wheel for this very machine alone", "one for every Linux with its glibc")
    return Target(python, int(tag[1]), tag[2])


def _fetch_wheels(folder: Path, target: Target, requirements: list[str]) -> None:
    arguments = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ]
    arguments += ["--dest", str(folder), "--constraint", str(ROOT / "constraints.txt")]
    arguments += ["--implementation", "cp", "--python-version", target.python]
    arguments += [word for platform in target.platforms for word in ("--platform", platform)]
    _run_command([*arguments, *requirements])


def _write_down(folder: Path, target: Target) -> None:
    sums = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.whl"), key=lambda path: path.name.lower())
    }
    pinned = [f"{_parse_requirement(name)} --hash=sha256:{digest}" for name, digest in sums.items()]
    (folder / REQUIREMENTS).write_text("".join(f"{line}\n" for line in pinned), encoding="utf-8")
    (folder / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()), encoding="utf-8")
    (folder / README).write_text(_INSTALL.format(target=target, sums=SUMS), encoding="utf-8")


def _parse_requirement(wheel: str) -> str:
    """``name==version`` of a wheel's file name."""
    name, version = wheel.split("-")[:2]
    return f"{name}=={version}"


_INSTALL = """\
wirespeed and all it needs, for {target}.

    sha256sum --check {sums}       in this folder, after it was carried
    python3 -m venv DIR
    DIR/bin/pip install --no-index --find-links . --require-hashes -r requirements.txt
    DIR/bin/wirespeed --version
"""


def _run_command(arguments: list[str]) -> None:
    completed = subprocess.run(
        arguments, cwd=ROOT, stdout=subprocess.DEVNULL, check=False
    )  # the command prints its errors
    if completed.returncode:
        raise refuse(" ".join(arguments[:4]), f"exit code {completed.returncode}", "0")


if __name__ == "__main__":
    main()

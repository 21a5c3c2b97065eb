"""The commands in the README of each example work in a fresh clone."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import inject_faults
import pytest

from command_line import wirespeed

EXAMPLES = Path(__file__).parents[2] / "examples"
READMES = sorted(path for path in EXAMPLES.glob("*/README.md") if path.parent.name != "scale-32768")  # too large


@pytest.mark.slow
@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_commands_of_a_readme_work(readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    commands = [
        shlex.split(line, comments=True)
        for block in re.findall(r"^```sh\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    codes: list[int] = []
    for command in commands:
        if command[:2] == ["python", "examples/inject_faults.py"]:
            inject_faults.main(command[2:])
        elif command[0] == "cargo":
            *arguments, redirection, file = command
            assert redirection == ">", command
            output = subprocess.run(arguments, cwd=EXAMPLES.parent, stdout=subprocess.PIPE, check=True).stdout
            Path(file).write_bytes(output)
        elif command[0] == "wirespeed":
            result = wirespeed(*command[1:])
            has_faults = command[-1].startswith("out/") and command[-1] != "out/healthy"
            assert result.returncode == (1 if command[1] == "check" and has_faults else 0), (command, result.stderr)
            codes.append(result.returncode)
    assert codes

"""Runs commands locally: every possible outcome."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from wirespeed.reach import Status, run


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


@pytest.mark.parametrize(
    ("arguments", "exits", "status", "exit_code", "detail"),
    [
        (["true"], (0,), Status.OK, 0, None),
        (["false"], (0,), Status.FAILED, 1, "exit code 1"),
        (["false"], (0, 1), Status.OK, 1, None),
        (["no-such-program-of-wirespeed"], (0,), Status.MISSING, None, "no-such-program-of-wirespeed is not installed"),
        (["/etc/passwd"], (0,), Status.PERMISSION, None, "/etc/passwd may not be run by this user"),
        (["cat", "/no/such/file"], (0,), Status.FAILED, 1, "cat: /no/such/file: No such file or directory"),
        (
            python("import sys; sys.exit('dmesg: read kernel buffer failed: Operation not permitted')"),
            (0,),
            Status.PERMISSION,
            1,
            "dmesg: read kernel buffer failed: Operation not permitted",
        ),
    ],
)
def test_how_a_command_ends(
    arguments: list[str], exits: tuple[int, ...], status: Status, exit_code: int | None, detail: str | None
) -> None:
    ran = run(arguments, 20, exits)
    assert (ran.status, ran.exit_code, ran.detail) == (status, exit_code, detail)


def test_output_is_raw_and_in_english() -> None:
    ran = run(python("import os,sys; os.write(1, b'\\xff\\x00'); os.write(2, os.environ['LC_ALL'].encode())"), 20)
    assert (ran.stdout, ran.stderr, ran.status) == (b"\xff\x00", b"C", Status.OK)


def test_arguments_never_reach_a_shell() -> None:
    assert run(["echo", "$HOME", "; ls", "`id`"], 20).stdout == b"$HOME ; ls `id`\n"


def test_the_time_is_up_for_a_command_and_its_children(tmp_path: Path) -> None:
    child = "import subprocess,sys,time; p=subprocess.Popen(['sleep','600']); print(p.pid, flush=True); time.sleep(600)"
    ran = run(python(child), 2)
    assert (ran.status, ran.exit_code, ran.detail) == (Status.TIMEOUT, None, "no answer within 2 s")
    deadline = time.monotonic() + 10
    while _runs(int(ran.stdout)) and time.monotonic() < deadline:
        pass
    assert not _runs(int(ran.stdout))


def _runs(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_too_much_output_is_cut_and_reported() -> None:
    ran = run(["yes"], 20, largest=1000)
    assert (ran.status, len(ran.stdout), ran.detail) == (Status.FAILED, 1000, "more than 1000 bytes of output")


def test_nothing_is_read_from_the_terminal() -> None:
    assert run(["cat"], 20).stdout == b""


def test_a_folder_that_may_not_be_searched_is_no_sign_of_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").write_text("not executable")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["plain"], 20).detail == "plain may not be run by this user"
    monkeypatch.setattr("subprocess.Popen", _deny)
    assert run(["elsewhere"], 20).status is Status.MISSING


def _deny(*_: object, **__: object) -> None:
    raise PermissionError

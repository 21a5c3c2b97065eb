"""``wirespeed collect``: the files that it writes, and its messages."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.collect import open_bundle
from wirespeed.errors import Refusal
from wirespeed.reach.local import CommandResult, Status

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


def test_this_machine(tmp_path: Path) -> None:
    target = tmp_path / "here.tar.gz"
    result = CliRunner().invoke(app, ["collect", "--local", "--name", "node1", "-o", str(target)])
    assert (result.exit_code, result.stdout) == (0, f"{target}\n")
    assert " commands: " in result.stderr
    assert [device.name for device in open_bundle(target).manifest.devices] == ["node1"]


def test_as_planned(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["collect", "--as-planned", str(CLUSTER), "-o", str(tmp_path / "b")])
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'b'}\n")
    manifest = open_bundle(tmp_path / "b").manifest
    assert manifest.cluster == "mi300x-4node"
    assert [device.name for device in manifest.devices] == ["node1", "node2", "node3", "node4", "leaf1"]


def test_the_commands_as_one_types_them() -> None:
    lines = CliRunner().invoke(app, ["collect", "--show-commands"]).stdout.splitlines()
    assert "show version | json" in lines
    assert "lspci -D -nn -vvv    # root" in lines
    assert "ethtool -i {interface}    # per NIC" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no source to collect from"),
        (["--local", "--show-commands"], "--local and --show-commands exclude each other"),
    ],
)
def test_one_source_at_a_time(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["collect", *arguments])
    assert isinstance(result.exception, Refusal)
    assert str(result.exception) == (
        f"collect: {message}\n  hint: give one of --local, --lab NAME, --as-planned CLUSTER.yaml, --show-commands"
    )


def test_ctrl_c_names_the_folder_of_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(arguments: tuple[str, ...], *_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["wirespeed.collect.collection"], "run", interrupt)
    result = CliRunner().invoke(app, ["collect", "--local", "-o", str(tmp_path / "b")])
    assert result.exit_code == 130
    assert "interrupted: the output collected so far is in" in result.stderr
    assert open_bundle(tmp_path / "b").manifest.complete is False


def test_failed_commands_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = CommandResult(Status.FAILED, b"", b"", 1, datetime.now(tz=UTC), 0.1, "no such file")
    monkeypatch.setattr(sys.modules["wirespeed.collect.collection"], "run", lambda arguments, *_, **__: failed)
    result = CliRunner().invoke(app, ["collect", "--local", "--name", "node1", "-o", str(tmp_path / "b")])
    lines = result.stderr.splitlines()
    assert lines[0].endswith(" failed")
    assert lines[1].startswith("  failed: `uname -r`, `grep ")
    assert lines[1].endswith(" more; settings that only these commands read are unknown")

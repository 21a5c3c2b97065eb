"""Files that the user names: a device has no end, and is refused before anything is read."""

from __future__ import annotations

import os
import socket
import threading
from io import BytesIO
from pathlib import Path

import pytest

from command_line import wirespeed
from wirespeed.errors import Refusal
from wirespeed.input_files import read_input, read_stream, read_text_input

CLUSTER = Path(__file__).parents[1] / "examples" / "arista-leaf-spine" / "cluster.yaml"
DEVICE = "error: /dev/zero: found a device; expected a regular file or a pipe\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "validate /dev/zero",
        "check {cluster} /dev/zero",
        "diff {cluster} /dev/zero",
        "bench parse /dev/zero",
        "bench judge /dev/zero --cluster {cluster}",
        "bench judge {cluster} --cluster {cluster} --profile /dev/zero",
        "sim run /dev/zero",
        "sim run {cluster} --traffic /dev/zero",
        "sim compare /dev/zero",
        "report /dev/zero",
        "report {cluster} --bench /dev/zero",
    ],
)
def test_a_device_is_refused(arguments: str) -> None:
    result = wirespeed(*arguments.format(cluster=CLUSTER).split())
    assert (result.returncode, result.stderr) == (2, DEVICE)


def test_a_cabling_file_that_is_a_device_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "version: 1\nname: c\nhosts:\n  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04}\n"
        "switches: {leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}}\n"
        "cabling: {pattern: file, file: /dev/zero}\naddresses: {scheme: link-31, pool: 10.1.0.0/16}\n",
        encoding="utf-8",
    )
    result = wirespeed("validate", file)
    assert (result.returncode, result.stderr) == (2, DEVICE)


def test_a_member_of_a_bundle_that_is_a_device_is_missing(tmp_path: Path) -> None:
    """An output of a bundle is a regular file; what it would show is unknown."""
    bundle = tmp_path / "bundle"
    assert wirespeed("collect", "--as-planned", CLUSTER, "-o", bundle).returncode == 0
    output = bundle / "node1" / "ip-addr.out"
    output.unlink()
    output.symlink_to("/dev/zero")
    result = wirespeed("check", CLUSTER, bundle)
    assert result.returncode == 3
    assert "ip-addr: the bundle has no readable node1/ip-addr.out" in " ".join(result.stdout.split())


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a\xff\n",))
    writer.start()
    assert read_text_input(pipe) == "a\ufffd\n"
    writer.join()


def test_a_socket_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        with pytest.raises(Refusal) as refusal:
            read_input(path)
    assert str(refusal.value) == f"{path}: found a socket; expected a regular file or a pipe"


def test_a_larger_input_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1001)
    assert read_stream(BytesIO(b"x" * 1000), "log", 1000) == b"x" * 1000
    for read in (
        lambda: read_input(file, "log", 1000),
        lambda: read_stream(BytesIO(b"x" * 1001), "log", 1000),
    ):
        with pytest.raises(Refusal) as refusal:
            read()
        assert str(refusal.value) == "log: found more than 1,000 bytes; expected at most 1,000 bytes"

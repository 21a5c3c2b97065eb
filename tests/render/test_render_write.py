"""Rendered files on disk: all of them or none, and the same bytes each time."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.errors import Refusal
from wirespeed.render import RenderedFile

FILES = [
    RenderedFile("node1", "/etc/a.conf", "a\n", 0o600),
    RenderedFile("node1", "apply.sh", "#!/bin/sh\n", 0o755),
    RenderedFile("leaf1", "/mnt/flash/b.cfg", "ä\n", 0o644),
]


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of every file."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.is_file()
    }


def names(folder: Path) -> list[str]:
    """What a folder holds, hidden or not."""
    return sorted(path.name for path in folder.iterdir())


MANIFEST = b'{\n "kind": "rendered",\n "schema": 1,\n "cluster": "c",\n "devices": [\n  "leaf1",\n  "node1"\n ]\n}\n'
TREE = {
    "manifest.json": (MANIFEST, 0o644),
    "node1/etc/a.conf": (b"a\n", 0o600),
    "node1/apply.sh": (b"#!/bin/sh\n", 0o755),
    "leaf1/mnt/flash/b.cfg": ("ä\n".encode(), 0o644),
}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_files_have_their_modes_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    old_mask = os.umask(umask)
    try:
        summary = render.write(FILES, tmp_path / "new" / "out", "c")
    finally:
        os.umask(old_mask)
    assert (summary.devices, summary.files, summary.bytes) == (("node1", "leaf1"), 3, 15)
    assert tree(tmp_path / "new" / "out") == TREE
    assert (tmp_path / "new" / "out").stat().st_mode & 0o777 == 0o755


def test_other_devices_stay_and_stale_files_go(tmp_path: Path) -> None:
    target = tmp_path / "out"
    render.write(FILES, target, "c")
    render.write([RenderedFile("node1", "/etc/new", "n\n", 0o644)], target, "c")
    text_by_path = {path: text for path, text in TREE.items() if not path.startswith("node1/")}
    assert tree(target) == {**text_by_path, "node1/etc/new": (b"n\n", 0o644)}
    assert names(tmp_path) == ["out"]


def fail_after_first(error: BaseException) -> Iterator[RenderedFile]:
    """Files, then a failure."""
    yield RenderedFile("node1", "/etc/other", "x\n", 0o644)
    raise error


@pytest.mark.parametrize("exists_before", [True, False])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_a_failure_leaves_everything_as_it_was(error: BaseException, exists_before: bool, tmp_path: Path) -> None:
    target = tmp_path / "out"
    if exists_before:
        render.write(FILES, target, "c")
    with pytest.raises(type(error)):
        render.write(fail_after_first(error), target, "c")
    assert names(tmp_path) == (["out"] if exists_before else [])
    assert not exists_before or tree(target) == TREE


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = count()

    def write(descriptor: int, data: memoryview) -> int:
        if next(writes) >= 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[:2])  # the kernel may take less than it is given

    real = os.write
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left on device"):
        patched.setattr(os, "write", write)
        render.write(FILES, tmp_path / "out", "c")
    assert names(tmp_path) == []


def refusal(folder: Path, cluster: str = "c", device: str = "node1") -> str:
    with pytest.raises(Refusal) as caught:
        render.write([RenderedFile(device, "/etc/a", "a\n", 0o644)], folder, cluster)
    return str(caught.value).replace(str(folder), "OUT")


def test_a_folder_with_anything_else_is_refused(tmp_path: Path) -> None:
    folder_rule = "an empty folder, a new one, or one that render wrote"
    (tmp_path / "file").write_text("")
    assert refusal(tmp_path / "file") == f"OUT: found a file; expected {folder_rule}"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    hint = "\n  hint: give another folder, such as `-o OUT/rendered`"
    assert refusal(tmp_path / "full") == f"OUT: found a folder with other files; expected {folder_rule}{hint}"
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "manifest.json").write_text('{"kind": "bundle"}')
    assert refusal(tmp_path / "foreign") == f"OUT: found a folder with other files; expected {folder_rule}{hint}"


def test_files_of_another_cluster_are_refused(tmp_path: Path) -> None:
    render.write(FILES, tmp_path / "out", "c")
    assert refusal(tmp_path / "out", "d") == (
        "OUT: found files of the cluster 'c'; expected files of 'd'\n"
        "  hint: render into another folder, or remove this one"
    )


@pytest.mark.parametrize("device", ["../x", "a/b", "..", ".", "", "manifest.json", "a\0b"])
def test_a_device_name_never_leads_out_of_the_folder(device: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / "out", device=device) == (
        f"render: found the device name {device!r}; expected a name that is valid for a folder"
    )
    assert names(tmp_path) == []


def test_an_output_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    """The message names the path of the user, not the temporary folder."""
    (tmp_path / "file").write_text("")
    hint = "\n  hint: give a path in a folder that you can write to"
    for path, reason in (
        (tmp_path / "file" / "out", f"{tmp_path / 'file'} is a file"),
        (Path("/proc/x"), "no such file"),
    ):
        with pytest.raises(Refusal) as refusal:
            render.write([], path, "small")
        assert str(refusal.value).startswith(f"{path}: cannot be created: {reason}")
        assert str(refusal.value).endswith(hint)

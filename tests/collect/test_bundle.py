"""Bundles: written whole, read back byte for byte, and refused with the reason when they are not right."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wirespeed.collect.bundle import open_bundle
from wirespeed.collect.bundle_writer import Writer
from wirespeed.collect.manifest import NAME, Entry, from_json
from wirespeed.errors import Refusal

HOST = (("host", "ubuntu"),)


def write(target: Path, text: bytes = b"5.15.0-102-generic\n") -> Path:
    with Writer(target, "lab") as writer:
        writer.add_device("node1", HOST)
        writer.write_output(
            "node1", Entry("cmdline", "cat /proc/cmdline", "ok", None, exit_code=0), b"quiet\n", order=2
        )
        writer.write_output("node1", Entry("uname", "uname -r", "ok", None, exit_code=0), text, b"warning\n", order=1)
        missing = Entry("rdma-link", "rdma -j link", "missing", None, detail="rdma is not installed")
        writer.write_output("node1", missing, None, order=3)
    return target


@pytest.mark.parametrize("name", ["bundle", "bundle.tar.gz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    bundle = open_bundle(write(tmp_path / name, b"\xff\x00raw\n"))
    (device,) = bundle.manifest.devices
    assert (bundle.manifest.cluster, bundle.manifest.complete) == ("lab", True)
    assert (device.name, device.platforms) == ("node1", HOST)
    assert [(entry.command, entry.status, entry.file, entry.errors) for entry in device.outputs] == [
        ("uname", "ok", "node1/uname.out", "node1/uname.err"),
        ("cmdline", "ok", "node1/cmdline.out", None),
        ("rdma-link", "missing", None, None),
    ]
    assert bundle.content["node1/uname.out"] == b"\xff\x00raw\n"
    assert device.outputs[2].detail == "rdma is not installed"
    assert [path.name for path in tmp_path.iterdir()] == [name]  # nothing is left beside it


def test_an_archive_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    assert write(tmp_path / "a.tar.gz").read_bytes() == write(tmp_path / "b.tar.gz").read_bytes()


def test_an_interrupted_bundle_keeps_what_there_is_and_reports_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Writer(tmp_path / "bundle") as writer:
        writer.add_device("node1", HOST)
        writer.write_output("node1", Entry("uname", "uname -r", "ok", None, exit_code=0), b"6.1\n")
        raise KeyboardInterrupt
    bundle = open_bundle(tmp_path / "bundle")
    assert bundle.manifest.complete is False
    assert bundle.content == {"node1/uname.out": b"6.1\n"}


def test_an_older_bundle_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    target = write(tmp_path / "bundle")
    assert open_bundle(write(target, b"new\n")).content["node1/uname.out"] == b"new\n"
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work")
    with pytest.raises(Refusal) as refusal:
        write(home)
    assert str(refusal.value) == (
        f"{home}: found something that is not a bundle; expected a path that is free, or an older bundle\n"
        "  hint: give another path with --output"
    )
    assert (home / "thesis.tex").read_text() == "years of work"


def _without_manifest(folder: Path) -> None:
    (folder / NAME).unlink()


def _cut_manifest(folder: Path) -> None:
    text = (folder / NAME).read_text()
    (folder / NAME).write_text(text[: len(text) // 2])


def _lose_outputs(folder: Path) -> None:
    for name in ("uname.out", "uname.err", "cmdline.out"):
        (folder / "node1" / name).unlink()


def _edit(**keys: Any) -> Any:
    def edit(folder: Path) -> None:
        document = json.loads((folder / NAME).read_text())
        (folder / NAME).write_text(json.dumps({**document, **keys}))

    return edit


def _escape(folder: Path) -> None:
    text = (folder / NAME).read_text()
    (folder / NAME).write_text(text.replace("node1/uname.out", "../../etc/passwd"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            _without_manifest,
            "B: found a folder without manifest.json; expected a bundle\n"
            "  hint: give a bundle that `wirespeed collect` wrote",
        ),
        (
            _cut_manifest,
            "B/manifest.json:29: found JSON that is cut or damaged; expected a complete manifest\n"
            "  hint: copy the bundle again, or collect again",
        ),
        (
            _lose_outputs,
            "B: manifest.json: none of its 3 output files; expected the output files of its commands\n"
            "  hint: copy the whole bundle, or collect again",
        ),
        (
            _edit(kind="findings"),
            "B/manifest.json: found a document of kind 'findings'; expected kind 'bundle'\n"
            "  hint: give a bundle that `wirespeed collect` wrote",
        ),
        (
            _edit(schema=2, tool="wirespeed 9.0"),
            "B/manifest.json: found schema 2; expected schema 1 or lower\n"
            "  hint: a newer wirespeed (wirespeed 9.0) wrote it; read it with that one",
        ),
        (_edit(schema="one"), "B/manifest.json: found schema 'one'; expected a number from 1 to 1"),
        (_escape, "B/manifest.json: found file name '../../etc/passwd'; expected a manifest of schema 1"),
        (
            _edit(devices=None),
            "B/manifest.json: found 'NoneType' object is not iterable; expected a manifest of schema 1",
        ),
    ],
)
def test_a_spoilt_bundle_is_refused_with_the_reason(tmp_path: Path, spoil: Any, message: str) -> None:
    folder = write(tmp_path / "bundle")
    spoil(folder)
    with pytest.raises(Refusal) as refusal:
        open_bundle(folder)
    assert str(refusal.value).replace(str(folder), "B") == message


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:
    folder = write(tmp_path / "bundle")
    _edit(weather="fine")(folder)
    assert open_bundle(folder).manifest.cluster == "lab"


def _archive(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def _member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    member.size = 1 if kind == tarfile.REGTYPE else 0
    return member


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (_member("/etc/cron.d/x"), "'/etc/cron.d/x': found a name outside the archive"),
        (_member("a/../../x"), "'a/../../x': found a name outside the archive"),
        (_member("manifest.json", tarfile.SYMTYPE, "/etc/shadow"), "'manifest.json': found a link or device"),
        (_member("node1/x", tarfile.LNKTYPE, "/etc/shadow"), "'node1/x': found a link or device"),
        (_member("node1/fifo", tarfile.FIFOTYPE), "'node1/fifo': found a link or device"),
        (_member("node1/x"), "found an archive without manifest.json; expected a bundle"),
    ],
)
def test_an_archive_with_tricks_is_refused(tmp_path: Path, member: tarfile.TarInfo, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        open_bundle(_archive(tmp_path / "x.tar.gz", member))
    assert message in str(refusal.value)


def _header(kind: bytes, size: bytes, more_follows: bytes = b"\0") -> bytes:
    """The header of a member whose size field is any bytes; ``more_follows`` is the flag of a sparse member."""
    header = bytearray(tarfile.TarInfo("node1/x").tobuf(tarfile.GNU_FORMAT))
    header[124:136], header[156:157], header[148:156] = size, kind, b" " * 8
    header[482:483] = more_follows
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


SPARSE_WITHOUT_END = _header(tarfile.GNUTYPE_SPARSE, b"0" * 11 + b"\0", more_follows=b"\x01")
NEGATIVE = b"\xff" * 10 + b"\xfe\x00"  # -512; a reader that trusts it reads the same header for ever
TERABYTE = b"\x80" + bytes(5) + (2**40).to_bytes(6, "big")


@pytest.mark.parametrize(
    ("content", "problem_text"),
    [(b"# a cluster\n", "a YAML file, such as a cluster file"), (b"", "an empty file")],
)
def test_a_file_that_is_no_bundle_is_refused(tmp_path: Path, content: bytes, problem_text: str) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_bytes(content)
    with pytest.raises(Refusal) as refusal:
        open_bundle(path)
    assert str(refusal.value) == (
        f"{path}: found {problem_text}; expected a bundle (.tar.gz or folder)\n"
        "  hint: `wirespeed collect` writes a bundle"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_header(tarfile.REGTYPE, NEGATIVE), "a header announces -512 bytes"),
        (_header(tarfile.DIRTYPE, NEGATIVE), "a header announces -512 bytes"),
        (_header(tarfile.GNUTYPE_LONGNAME, NEGATIVE), "a header announces -512 bytes"),
        (_header(tarfile.GNUTYPE_LONGNAME, TERABYTE), "a header announces 1099511627776 bytes"),
        (_header(tarfile.XHDTYPE, TERABYTE), "a header announces 1099511627776 bytes"),
        (_header(tarfile.GNUTYPE_LONGNAME, b"0" * 11 + b"\0") * 2000, "maximum recursion depth exceeded"),
        (
            _header(tarfile.XHDTYPE, b"%011o\0" % 9) + b"9 size=-\n".ljust(512, b"\0") * 2,
            "an archive that cannot be read",
        ),
        (SPARSE_WITHOUT_END, "an archive that cannot be read: index out of range"),
        (
            _header(tarfile.GNUTYPE_SPARSE, b"0" * 11 + b"\0"),
            "'node1/x': found a sparse file; expected plain files only",
        ),
    ],
)
def test_an_archive_with_hostile_headers_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(content + bytes(0 if content is SPARSE_WITHOUT_END else 1024)))
    with pytest.raises(Refusal) as refusal:
        open_bundle(path)
    assert message in str(refusal.value)


def test_links_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "bundle")
    (folder / "node1" / "uname.out").unlink()
    (folder / "node1" / "uname.out").symlink_to("uname.out")
    bundle = open_bundle(folder)
    assert bundle.missing_files == ("node1/uname.out",)
    assert sorted(bundle.content) == ["node1/cmdline.out", "node1/uname.err"]


@pytest.mark.parametrize("target", ["manifest.json", "x" * 300, "/dev/zero"])
def test_a_link_as_manifest_is_refused(tmp_path: Path, target: str) -> None:
    folder = write(tmp_path / "bundle")
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to(target)
    with pytest.raises(Refusal, match=r"a folder without manifest\.json"):
        open_bundle(folder)


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "bundle")
    (tmp_path / "secret").write_text("secret")
    (folder / "node1" / "uname.out").unlink()
    (folder / "node1" / "uname.out").symlink_to(tmp_path / "secret")
    bundle = open_bundle(folder)
    assert bundle.missing_files == ("node1/uname.out",)
    assert sorted(bundle.content) == ["node1/cmdline.out", "node1/uname.err"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.data())
def test_a_cut_archive_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    whole = write(tmp_path / "bundle.tar.gz").read_bytes()
    truncated_file = tmp_path / "cut.tar.gz"
    truncated_file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 20))])
    with pytest.raises(Refusal):
        open_bundle(truncated_file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "noise.tar.gz"
    path.write_bytes(content)
    with pytest.raises(Refusal):
        open_bundle(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["wirespeed.collect.bundle"], "LARGEST_FILE", 10)
    member = _member("node1/zeros")
    member.size = 11
    with pytest.raises(Refusal) as refusal:
        open_bundle(_archive(tmp_path / "x.tar.gz", member))
    assert "'node1/zeros': found 11 bytes, 11 so far; expected at most 10 bytes a file" in str(refusal.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "platforms", "outputs", "kind", "command", "run", "status", "file"]),
            inner,
            max_size=8,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(_JSON, st.sampled_from([1, 0, 2, True, "1"]))
def test_a_manifest_of_any_shape_is_read_or_refused(devices: Any, schema: Any) -> None:
    text = json.dumps({"kind": "bundle", "schema": schema, "tool": "wirespeed 0", "devices": devices})
    with contextlib.suppress(Refusal):
        assert from_json(text, "manifest.json").tool == "wirespeed 0"
    with pytest.raises(Refusal):
        from_json(text[:-1], "manifest.json")


def test_a_manifest_nested_without_end_is_refused() -> None:
    with pytest.raises(Refusal):
        from_json("[" * 200_000, "manifest.json")

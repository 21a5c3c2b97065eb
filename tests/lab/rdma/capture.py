"""Frames as they pass a switch's port, and what tshark reads in them."""

from __future__ import annotations

import contextlib
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirespeed import lab
from wirespeed.results.lab import LabLink
from wirespeed.wire import Packet

_MAGIC = 0xA1B2C3D4  # microseconds, in the order of this machine (draft-ietf-opsawg-pcap, section 4)
_ROCE = 4791
_LIMIT = 5000
_FIELDS = {  # of Wireshark 4.0, by ours
    "source_mac": "eth.src",
    "destination_mac": "eth.dst",
    "source": "ip.src",
    "destination": "ip.dst",
    "dscp": "ip.dsfield.dscp",
    "ecn": "ip.dsfield.ecn",
    "ttl": "ip.ttl",
    "udp_source_port": "udp.srcport",
    "opcode": "infiniband.bth.opcode",
    "solicited_event": "infiniband.bth.se",
    "migrated": "infiniband.bth.m",
    "partition_key": "infiniband.bth.p_key",
    "destination_qp": "infiniband.bth.destqp",
    "acknowledge_request": "infiniband.bth.a",
    "psn": "infiniband.bth.psn",
    "remote_address": "infiniband.reth.va",
    "remote_key": "infiniband.reth.r_key",
    "length": "infiniband.reth.dmalen",
    "syndrome": "infiniband.aeth.syndrome",
    "msn": "infiniband.aeth.msn",
    "queue_key": "infiniband.deth.q_key",
    "source_qp": "infiniband.deth.srcqp",
}
_TEXT = {"source_mac", "destination_mac", "source", "destination"}
_FLAGS = {"solicited_event", "migrated", "acknowledge_request"}
_UNREAD = {"fecn": False, "becn": False}
"""Wireshark 4.0 has no field for them, and soft-RoCE no congestion control to set them."""

_SIZES = ("udp.length", "infiniband.bth.padcnt")
_HEADERS = {"reth": 16, "aeth": 4, "deth": 8}
"""Bytes of the headers after the base transport header (IBTA volume 1, section 9.3)."""


@dataclass(frozen=True)
class Capture:
    """A capture file in the classic format."""

    file: Path

    def roce(self) -> list[bytes]:
        """The frames that go to RoCEv2's port, whole ones."""
        data = self.file.read_bytes()
        (magic,) = struct.unpack_from("=I", data)
        assert magic == _MAGIC
        frames, offset = [], 24
        while offset + 16 <= len(data):
            captured_bytes, length = struct.unpack_from("=II", data, offset + 8)
            frame = data[offset + 16 : offset + 16 + captured_bytes]
            offset += 16 + captured_bytes
            if len(frame) < captured_bytes:
                break  # cut where the capture ended
            assert captured_bytes == length
            if frame[12:14] == b"\x08\x00" and frame[23] == 17 and struct.unpack_from("!H", frame, 36) == (_ROCE,):
                frames.append(frame)
        return frames


@contextlib.contextmanager
def capture_port(built_lab: lab.Lab, switch: str, link: LabLink, file: Path) -> Iterator[Capture]:
    """What passes a port while the context is open, at most some thousand frames of RoCEv2."""
    port = link.end(switch).interface
    command = [
        *built_lab.prefix(switch),
        "tcpdump",
        "-Z",
        "root",
        "-Uni",
        port,
        "-s0",
        "-c",
        str(_LIMIT),
        "-w",
        str(file),
    ]
    process = subprocess.Popen([*command, f"udp dst port {_ROCE}"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        while b"listening on" not in process.stderr.readline():
            assert process.poll() is None, "tcpdump ended"
        yield Capture(file)
        time.sleep(0.2)  # what the kernel still holds
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def decode_frames(file: Path) -> list[Packet]:
    """What tshark reads in every frame of a capture."""
    names = [*_FIELDS.values(), *_SIZES]
    command = ["tshark", "-r", str(file), "-T", "fields", "-E", "separator=,", "-E", "occurrence=f"]
    # Guesses at what a payload holds (crates/wire/src/packet.rs, FILLER).
    for guess in ("rpcrdma_infiniband", "mellanox_eoib"):
        command += ["--disable-heuristic", guess]
    for name in names:
        command += ["-e", name]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    return [_packet(dict(zip(names, line.split(","), strict=True))) for line in text.splitlines()]


def _packet(row: dict[str, str]) -> Packet:
    values = {ours: _value(ours, row[theirs]) for ours, theirs in _FIELDS.items() if row[theirs]}
    headers = sum(size for name, size in _HEADERS.items() if any(row[field] for field in list_fields(name)))
    # UDP header, base transport header and invariant CRC.
    payload = int(row["udp.length"]) - 8 - 12 - 4 - headers - int(row["infiniband.bth.padcnt"])
    return Packet(payload=payload, **_UNREAD, **values)  # type: ignore[arg-type]


def list_fields(header: str) -> list[str]:
    """The fields of a header."""
    return [name for name in _FIELDS.values() if name.startswith(f"infiniband.{header}.")]


def _value(ours: str, text: str) -> str | int | bool:
    if ours in _TEXT:
        return text
    if ours in _FLAGS:
        return text in ("1", "True")
    return int(text, 0)

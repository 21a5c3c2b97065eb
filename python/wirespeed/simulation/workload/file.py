"""The traffic file: senders, receivers, sizes and times. It is YAML, read and checked like the cluster file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from wirespeed.cluster import Origin
from wirespeed.cluster.document import load
from wirespeed.cluster.fields import BandwidthText, DurationText, Line, Positive, SizeText, UdpPort
from wirespeed.cluster.part import Part
from wirespeed.cluster.reader import check_version, read_file
from wirespeed.cluster.refusals import list_problems
from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.simulation.workload.fault_entries import Fault
from wirespeed.simulation.workload.traffic_names import TrafficNames, select_names
from wirespeed.units import Duration

VERSION = 1
LATEST = Duration(10**18)
"""The latest time that the simulator accepts: 11 days."""


class Pattern(StrEnum):
    """Which hosts send to which."""

    PAIRS = "pairs"  # the first of ``from`` to the first of ``to``, and so on
    PERMUTATION = "permutation"  # each of ``hosts`` to one other, chosen by the seed, and from one other
    INCAST = "incast"  # all of ``from``, or all other hosts, to the one in ``to``
    ALL_TO_ALL = "all-to-all"  # each of ``hosts`` to every other
    BACKGROUND = "background"  # as pairs, a message after the other at ``rate``


class Verb(StrEnum):
    """The RDMA operation."""

    WRITE = "write"
    READ = "read"
    SEND = "send"


class Protocol(StrEnum):
    """The protocol of the messages."""

    RDMA = "rdma"
    TCP = "tcp"
    UDP = "udp"


class Entry(Part):
    """One entry of `traffic`."""

    pattern: Annotated[Pattern, Field(description="Which hosts send to which.")]
    senders: Annotated[
        str | None, Field(alias="from", description="Sending hosts, as a node range, or one NIC: node1:ens10f0np0.")
    ] = None
    receivers: Annotated[str | None, Field(alias="to", description="Receiving hosts, in the same form.")] = None
    hosts: Annotated[str | None, Field(description="Hosts of a permutation or an all-to-all. Default: all.")] = None
    rails: Annotated[
        list[Positive] | None, Field(description="Rails that are used. Data stays in its rail. Default: all.")
    ] = None
    traffic_class: Annotated[
        Line | None,
        Field(
            alias="class",
            description="Traffic class. Default: the first lossless class; for tcp and udp the first lossy class.",
        ),
    ] = None
    protocol: Annotated[
        Protocol,
        Field(description="Protocol. TCP adapts its rate to the bandwidth that is available; UDP does not."),
    ] = Protocol.RDMA
    verb: Annotated[Verb, Field(description="RDMA operation.")] = Verb.WRITE
    size: Annotated[SizeText, Field(description="Size of each message; every queue pair sends `messages` of them.")]
    messages: Annotated[Positive, Field(description="Messages of each queue pair, posted one after the other.")] = 1
    queue_pairs: Annotated[Positive, Field(description="Queue pairs of each pair of NICs, each with its messages.")] = 1
    start: Annotated[DurationText | None, Field(description="Earliest start. Default: 0.")] = None
    rate: Annotated[BandwidthText | None, Field(description="With background: rate of each queue pair.")] = None
    until: Annotated[DurationText | None, Field(description="With background: end of the traffic.")] = None
    udp_source_port: Annotated[
        UdpPort | None,
        Field(description="UDP source port of the first queue pair. Each further queue pair uses the next number."),
    ] = None


class HostPipe(Part):
    """Properties of NICs and PCIe that a plan does not contain. Used where a slot may be slower than its port."""

    receive_buffer: Annotated[
        SizeText | None,
        Field(
            description="Receive buffer of each NIC port. Default: as planned, or the minimum for lossless operation."
        ),
    ] = None
    tags: Annotated[
        Positive | None,
        Field(description="Outstanding PCIe reads. Default: the value in the NIC's NVRAM settings, or 256."),
    ] = None
    round_trip: Annotated[
        DurationText | None, Field(description="Time from a PCIe read to its data. Default: 547 ns.")
    ] = None


class TrafficFile(Part):
    """Traffic on a cluster."""

    version: Positive
    name: Annotated[Line | None, Field(description="Name in results. Default: the file name.")] = None
    traffic: Annotated[list[Entry], Field(description="Entries, all active at the same time.")]
    host_pipe: Annotated[
        HostPipe | None, Field(description="Properties of NICs and PCIe that a plan does not contain.")
    ] = None
    faults: Annotated[list[Fault] | None, Field(description="Faults during the run.")] = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """A traffic file that was read."""

    name: str
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    host_pipe: HostPipe | None
    origin: Origin
    sha256: str


def read_traffic(path: Path, list_unknown: Callable[[TrafficNames], Iterable[Problem]] | None = None) -> Traffic:
    """Read a traffic file. If values are wrong, ``list_unknown`` adds the problems of its names.

    Raises:
        Refusal: the file is missing, unreadable or malformed; every problem with its line, first values, then names.
    """
    text = read_file(path, str(path), "a traffic file")
    raw, lines = load(text, str(path), "a traffic file", "`wirespeed sim run --help` shows one")
    origin = Origin(str(path), lines)
    if not isinstance(raw, dict):
        content = "a list" if isinstance(raw, list) else "plain text"
        raise refuse(origin.locate(), content, "a mapping with version and traffic")
    check_version(raw.get("version"), origin)
    try:
        parsed = TrafficFile.model_validate(raw)
    except ValidationError as error:
        unknown = list_unknown(select_names(raw, error, Entry, origin)) if list_unknown else ()
        raise Refusal([*list_problems(error, origin, TrafficFile), *unknown]) from None
    if not parsed.traffic:
        raise refuse(origin.locate("traffic"), "no traffic", "at least one entry")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Traffic(
        parsed.name or path.stem, tuple(parsed.traffic), tuple(parsed.faults or ()), parsed.host_pipe, origin, digest
    )


def traffic_schema() -> dict[str, Any]:
    """The schema of the file, as JSON Schema 2020-12. It describes the file as YAML 1.2 parsers see it."""
    schema = TrafficFile.model_json_schema(by_alias=True)
    schema["properties"]["version"]["const"] = VERSION
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "wirespeed traffic file",
        "description": "Traffic on a simulated cluster: patterns, sizes, times, faults.",
    }


def list_late_times(**times: Duration | None) -> list[tuple[str, str, str]]:
    """The times after `LATEST`: each with its key, what was found, and what is expected."""
    limit = f"at most {LATEST.whole('s'):,} s"
    return [(key, f"{key} {time.seconds:,} s", limit) for key, time in times.items() if time and time > LATEST]


def nanoseconds(time: Duration | None) -> int:
    """Whole nanoseconds, not before the time."""
    return 0 if time is None else -(-int(time) // 1000)

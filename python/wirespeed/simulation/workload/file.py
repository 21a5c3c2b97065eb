"""The traffic file: who writes how much to whom, when. YAML as the cluster file is, with the same refusals."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from wirespeed.cluster import Origin
from wirespeed.cluster.document import load
from wirespeed.cluster.fields import BandwidthText, DurationText, Line, Positive, SizeText, UdpPort
from wirespeed.cluster.model import Part
from wirespeed.cluster.reader import check_version, text_of
from wirespeed.cluster.refusals import problems_of
from wirespeed.errors import Refused, refuse
from wirespeed.simulation.workload.fault_entries import Fault
from wirespeed.units import Duration

VERSION = 1
LATEST = Duration(10**18)
"""The latest time that the simulator takes: 11 days."""


class Pattern(StrEnum):
    """Who sends to whom."""

    PAIRS = "pairs"  # the first of ``from`` to the first of ``to``, and so on
    PERMUTATION = "permutation"  # each of ``hosts`` to one other, chosen by the seed, and from one other
    INCAST = "incast"  # all of ``from``, or all other hosts, to the one in ``to``
    ALL_TO_ALL = "all-to-all"  # each of ``hosts`` to every other
    BACKGROUND = "background"  # as pairs, a message after the other at ``rate``


class Verb(StrEnum):
    """How data is moved."""

    WRITE = "write"
    READ = "read"
    SEND = "send"


class Protocol(StrEnum):
    """What carries it."""

    RDMA = "rdma"
    TCP = "tcp"
    UDP = "udp"


class Entry(Part):
    """One kind of traffic."""

    pattern: Annotated[Pattern, Field(description="Who sends to whom.")]
    senders: Annotated[
        str | None, Field(alias="from", description="Hosts, as a node range, or one NIC: node1:ens10f0np0.")
    ] = None
    receivers: Annotated[str | None, Field(alias="to", description="As from.")] = None
    hosts: Annotated[str | None, Field(description="Hosts of a permutation or an all-to-all; all without it.")] = None
    rails: Annotated[
        list[Positive] | None, Field(description="NICs by their rail; all without it. Data stays in its rail.")
    ] = None
    traffic_class: Annotated[
        Line | None,
        Field(
            alias="class", description="Traffic class; without it the first that is lossless, of sockets that is not."
        ),
    ] = None
    protocol: Annotated[
        Protocol,
        Field(description="RDMA, or the hosts' sockets: TCP fills what it is left, UDP sends whatever happens."),
    ] = Protocol.RDMA
    verb: Annotated[Verb, Field(description="How data is moved.")] = Verb.WRITE
    size: Annotated[SizeText, Field(description="Of a message.")]
    messages: Annotated[
        Positive, Field(description="Of each queue pair, each posted when the one before has completed.")
    ] = 1
    queue_pairs: Annotated[Positive, Field(description="Of each pair of NICs.")] = 1
    start: Annotated[DurationText | None, Field(description="Not before; 0 without it.")] = None
    rate: Annotated[BandwidthText | None, Field(description="Of each queue pair of a background.")] = None
    until: Annotated[DurationText | None, Field(description="A background posts nothing from then on.")] = None
    udp_source_port: Annotated[
        UdpPort | None, Field(description="Of the first queue pair, and one more for each further one.")
    ] = None


class HostPipe(Part):
    """What no plan says of NICs and PCIe. It counts where a slot may be slower than its port."""

    receive_buffer: Annotated[
        SizeText | None,
        Field(description="Of every NIC port; without it the plan's, or the least with which PFC loses nothing."),
    ] = None
    tags: Annotated[
        Positive | None,
        Field(description="PCIe reads outstanding at one time; without it the NIC's own option, or 256."),
    ] = None
    round_trip: Annotated[
        DurationText | None, Field(description="From a PCIe read to its data; 547 ns without it.")
    ] = None


class TrafficFile(Part):
    """What is sent over a cluster."""

    version: Positive
    name: Annotated[Line | None, Field(description="What results call it; the file's name without it.")] = None
    traffic: Annotated[list[Entry], Field(description="All of it goes on at the same time.")]
    host_pipe: Annotated[HostPipe | None, Field(description="What no plan says of NICs and PCIe.")] = None
    faults: Annotated[list[Fault] | None, Field(description="What goes wrong meanwhile, and when.")] = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """A traffic file that was read."""

    name: str
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    host_pipe: HostPipe | None
    origin: Origin
    sha256: str


def read_traffic(path: Path) -> Traffic:
    """Read a traffic file.

    Raises:
        Refused: the file is missing, unreadable or malformed; every problem with its line.
    """
    text = text_of(path, str(path), "a traffic file")
    if not text.strip():
        raise refuse(str(path), "an empty file", "a traffic file", "`wirespeed sim run --help` shows one")
    raw, lines = load(text, str(path))
    origin = Origin(str(path), lines)
    if not isinstance(raw, dict):
        found = "a list" if isinstance(raw, list) else "plain text"
        raise refuse(origin.locate(), found, "a mapping with version and traffic")
    check_version(raw.get("version"), origin)
    try:
        parsed = TrafficFile.model_validate(raw)
    except ValidationError as error:
        raise Refused(problems_of(error, origin, TrafficFile)) from None
    if not parsed.traffic:
        raise refuse(origin.locate("traffic"), "no traffic", "at least one entry")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Traffic(
        parsed.name or path.stem, tuple(parsed.traffic), tuple(parsed.faults or ()), parsed.host_pipe, origin, digest
    )


def traffic_schema() -> dict[str, Any]:
    """The schema of the file, as JSON Schema 2020-12. It describes the file as YAML 1.2 parsers see it."""
    found = TrafficFile.model_json_schema(by_alias=True)
    found["properties"]["version"]["const"] = VERSION
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **found,
        "title": "wirespeed traffic file",
        "description": "What is sent over a simulated cluster: patterns, sizes, times.",
    }

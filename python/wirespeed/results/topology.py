"""The cluster as a graph of devices and cables, for drawing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A device."""

    name: str
    role: str  # host, leaf, spine, …
    model: str
    parts: tuple[str, ...] = ()  # GPUs, NICs and Ethernet interfaces of a host, a line for each socket or interface


@dataclass(frozen=True, slots=True)
class Edge:
    """A cable between two ports."""

    a: str
    a_port: str
    b: str
    b_port: str
    speed: str
    rail: int | None


@dataclass(frozen=True, slots=True)
class Topology:
    """All devices and cables."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

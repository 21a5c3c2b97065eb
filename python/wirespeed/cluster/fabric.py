"""The cables in the cluster file: between switches, and from hosts to leaves."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from wirespeed.cluster.fields import BandwidthText, LengthText, ModelName, Positive
from wirespeed.cluster.part import Part


class Pattern(StrEnum):
    """Pattern of the cables between NICs and leaf ports."""

    BY_HOST = "by-host"
    BY_RAIL = "by-rail"
    FILE = "file"
    BACK_TO_BACK = "back-to-back"


class LinkPart(Part):
    """Cables between switches: every switch of one set to every switch of another."""

    a: str = Field(description="a switch range, such as leaf[1-4]")
    b: str = Field(description="a switch range, such as spine[1-2]")
    count: Positive = Field(default=1, description="parallel cables between each pair")
    speed: BandwidthText | None = Field(
        default=None, description="speed of each cable; default: that of the slower switch"
    )
    cable: ModelName | None = Field(default=None, description="cable model: `wirespeed list cables`")
    length: LengthText | None = Field(default=None, description="length of each cable")


class TierPart(Part):
    """Cables from each switch of one tier up to the next."""

    uplinks: Positive = Field(description="cables from each switch, divided evenly among the switches above it")
    speed: BandwidthText | None = Field(
        default=None, description="speed of each cable; default: that of the slower switch"
    )
    cable: ModelName | None = Field(default=None, description="cable model: `wirespeed list cables`")
    length: LengthText | None = Field(default=None, description="length of each cable")


class FabricPart(Part):
    """A fabric by its pattern, instead of `links`: switches with the roles leaf, spine and core, in file order."""

    planes: Positive = Field(
        default=1, description="parallel fabrics: rail r is in plane 1 + (r - 1) mod planes, on separate leaves"
    )
    pods: Positive = Field(
        default=1, description="number of groups; leaves, spines and hosts are divided evenly among them"
    )
    leaf_spine: TierPart = Field(description="cables from each leaf to the spines of its pod")
    spine_core: TierPart | None = Field(
        default=None, description="cables from each spine to the cores; without it, one pod of two tiers"
    )


class CablingPart(Part):
    """Cables between hosts and leaves."""

    pattern: Pattern | None = Field(
        default=None,
        description="by-host: the hosts are divided evenly among the leaves; by-rail: the rails are divided evenly "
        "among the leaves; file: the cables are those in `file`; back-to-back: pairs of hosts are cabled without a "
        "switch (refused with RDMA NICs: wirespeed plans them only on leaves)",
    )
    file: str | None = Field(
        default=None,
        description="CSV file of cables, as `wirespeed plan --cables --format csv` writes it. Used: the ends, the "
        "length and the cable model; an empty length or model has the value given here",
    )
    cable: ModelName | None = Field(default=None, description="cable model: `wirespeed list cables`")
    length: LengthText | None = Field(
        default=None, description="length of every host cable; with hosts in several racks, that of the longest"
    )

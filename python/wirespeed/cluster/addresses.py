"""Addresses and routing in the cluster file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from wirespeed.cluster.fields import ArpMode, DomainName, Flag, HostAddress, Network, Network4, Positive, VlanNumber
from wirespeed.cluster.part import Part


class Scheme(StrEnum):
    """Scheme of the addresses of NICs."""

    LINK_31 = "link-31"
    RAIL_24 = "rail-24"
    LEAF_26 = "leaf-26"
    LINK_127 = "link-127"
    RAIL_64 = "rail-64"
    LEAF_64 = "leaf-64"

    @property
    def shape(self) -> str:
        """The unit with a separate subnet: ``link``, ``rail``, or ``leaf`` (each rail on each leaf)."""
        return self.value.partition("-")[0]

    @property
    def prefix(self) -> int:
        """Prefix length of a subnet."""
        return int(self.value.partition("-")[2])

    @property
    def version(self) -> int:
        """IP version."""
        return 4 if self.prefix <= 32 else 6


class Underlay(StrEnum):
    """Routing protocol between switches."""

    BGP_UNNUMBERED = "bgp-unnumbered"
    BGP_NUMBERED = "bgp-numbered"
    NONE = "none"


class AsnPer(StrEnum):
    """Unit with one autonomous system number."""

    TIER = "tier"
    SWITCH = "switch"


class AddressPart(Part):
    """Addresses of the RDMA NICs."""

    scheme: Scheme = Field(
        description="link-31, or IPv6 link-127: a subnet per cable; rail-24, rail-64: a subnet and a VLAN per rail;"
        " leaf-26, leaf-64: a subnet and a VLAN per rail on each leaf"
    )
    pool: Network | None = Field(
        default=None, description="pool of the addresses; default with rail-24: 192.168.0.0/16"
    )
    subnets: list[Network] | None = Field(
        default=None, description="rail-24, rail-64: the subnet of each rail, instead of the pool's"
    )
    first_vlan: VlanNumber | None = Field(
        default=None, description="VLAN of rail 1; each further rail has the next number; default: 11"
    )
    fabric: Network | None = Field(default=None, description="pool of the /31s or /127s between switches")
    loopbacks: Network4 | None = Field(default=None, description="pool of the loopback addresses of the switches")
    management: Network | None = Field(
        default=None, description="network of the control interfaces; it must not overlap the others"
    )
    names: dict[HostAddress, list[DomainName]] = Field(
        default_factory=dict,
        description="names that apply.sh gives to addresses on every host, where DNS has none: each key is an IP "
        "address, its value a list of names; the first name is the canonical one",
    )
    arp_announce: ArpMode = Field(
        default=2,
        description="net.ipv4.conf.all.arp_announce, source address of ARP requests: 1 avoids addresses that are not "
        "in the target's subnet; 2 selects an address in the target's subnet, whatever the source of the packet is",
    )
    arp_ignore: ArpMode = Field(
        default=1,
        description="net.ipv4.conf.all.arp_ignore: 1 replies only for addresses of the interface that received the "
        "request; 2 also requires that the sender is in the subnet of this address",
    )


class AsnPart(Part):
    """Autonomous system numbers of the switches."""

    base: Positive = Field(default=4_200_000_000, description="AS number of the first spine (RFC 6996)")
    leaves: Positive | None = Field(default=None, description="AS number of the first leaf; default: base + 10000")
    per: AsnPer = Field(
        default=AsnPer.TIER,
        description="tier: one AS number per leaf, one per pod for its spines, one for the top tier (RFC 7938, 5.2.1);"
        " switch: one per switch",
    )


class RoutingPart(Part):
    """Routing between switches."""

    underlay: Underlay | None = Field(
        default=None,
        description="bgp-numbered (needs addresses.fabric), bgp-unnumbered, or none: routes are configured by other "
        "means; default: numbered with addresses.fabric, else unnumbered",
    )
    asn: AsnPart = Field(default_factory=AsnPart, description="autonomous system numbers")
    bfd: Flag | None = Field(default=None, description="whether sessions use BFD")
    ecmp: Positive | None = Field(
        default=None, description="largest number of equal-cost paths of a route; default: as cabled"
    )

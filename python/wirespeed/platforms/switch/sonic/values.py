"""Values of settings in CONFIG_DB.

Tables and fields: sonic-buildimage qos_config.j2, sonic-swss schema, sonic-utilities tests; of BGP the design document
of the unified FRR management framework (sonic-net/SONiC).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.declaration import find_declared_default
from wirespeed.settings import Dscp, Priority, PriorityGroup, SwitchQueue, SwitchTrafficClass
from wirespeed.settings.qos import Discipline

DEFAULT_MTU: int = find_declared_default("switch/sonic", "port.link.mtu")
"""Of a port, bytes of the IP packet: Ethernet header, VLAN tag and checksum are added to it (sonic-swss)."""

PORT_NAME = re.compile(r"Ethernet[0-9]+")

VRF = "default"
"""The VRF that the tables of the FRR management framework name the main routing table by."""

CABLES = "AZURE"
"""The one row of CABLE_LENGTH: the buffer manager reads whichever there is, and the platforms' own files make this."""


@dataclass(frozen=True, slots=True)
class QosMap:
    """A map: its table, and the field of PORT_QOS_MAP that refers to it."""

    table: str
    field: str
    key: Callable[[int], Any]
    value: Callable[[int], Any]


MAPS: Mapping[str, QosMap] = {
    "port.qos.dscp_tc": QosMap("DSCP_TO_TC_MAP", "dscp_to_tc_map", Dscp, SwitchTrafficClass),
    "port.qos.dot1p_tc": QosMap("DOT1P_TO_TC_MAP", "dot1p_to_tc_map", Priority, SwitchTrafficClass),
    "port.qos.tc_queue": QosMap("TC_TO_QUEUE_MAP", "tc_to_queue_map", SwitchTrafficClass, SwitchQueue),
    "port.qos.tc_pg": QosMap("TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", SwitchTrafficClass, PriorityGroup),
    "port.qos.tc_dscp": QosMap("TC_TO_DSCP_MAP", "tc_to_dscp_map", SwitchTrafficClass, Dscp),
    "port.qos.pfc_queue": QosMap("MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", Priority, SwitchQueue),
    "port.qos.pfc_pg": QosMap("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pfc_to_pg_map", Priority, PriorityGroup),
}

FAMILIES = {"ipv4_unicast": "peer.ipv4", "ipv6_unicast": "peer.ipv6"}
"""Address families of BGP tables, and the setting of a session that enables each."""

DEFAULT_FAMILY = "ipv4_unicast"
"""The family that sessions exchange without a row if ``default_ipv4_unicast`` of the speaker is true."""

PERMIT_ALL = "PERMIT-ALL"
"""Name of the AS path set with every path."""

ON_OFF = {"on": True, "off": False}
TRUE_FALSE = {"true": True, "false": False}
TYPES = {"DWRR": Discipline.DWRR, "STRICT": Discipline.STRICT}
FEC_KEYWORDS = frozenset({"rs", "fc", "none"})
"""Those of sonic-port.yang without ``auto``, which leaves the choice to the switch: it is no value to compare."""

MARKS_GREEN = frozenset({"ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red"})
MARKS_NOT = frozenset({"ecn_none", "ecn_yellow", "ecn_red", "ecn_yellow_red"})
"""Values of ``ecn``. RoCE packets are green: nothing polices them."""


def computes_headroom(chip: str | None) -> bool:
    """Whether the image uses the dynamic buffer model, which computes headroom for rows of BUFFER_PG.

    On NVIDIA's chips it is, and PFC priorities have a map to groups (sonic-buildimage, qos_config.j2). Elsewhere the
    buffer manager makes those rows itself from the port's speed, cable length and lossless priorities.
    """
    return (chip or "").startswith("spectrum")


def format_family(prefix: str) -> str:
    """The BGP address family of a prefix."""
    return "ipv6_unicast" if ":" in prefix else "ipv4_unicast"

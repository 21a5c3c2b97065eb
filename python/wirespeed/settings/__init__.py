"""The vocabulary of settings, shared by the intended state (plan) and the observed state (facts)."""

from wirespeed.settings.address import Gid, Neighbour, NeighbourEntry, Route, Rule
from wirespeed.settings.bios import BiosAttribute
from wirespeed.settings.distinct import DistinctValues
from wirespeed.settings.host import Gpu, Host, Kernel, Module, Sysctl
from wirespeed.settings.launch import Cores, Launch
from wirespeed.settings.lending import Loan, Ntb
from wirespeed.settings.link import Link
from wirespeed.settings.model import (
    Compare,
    Place,
    Setting,
    get,
    iterate_entities,
    list_collections,
    list_group_settings,
    list_setting_types,
    list_settings,
    walk,
)
from wirespeed.settings.nic import Coalescing, Counters, Driver, Nic, Nvm, Ring
from wirespeed.settings.pcie import PcieFunction, PcieLink, bdf
from wirespeed.settings.qos import (
    Congestion,
    Discipline,
    Dscp,
    Ecn,
    Ect,
    NicCosQueue,
    NicQos,
    NicTrafficClass,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    SwitchQueue,
    SwitchTrafficClass,
    TrafficClass,
    Watchdog,
    WatchdogAction,
)
from wirespeed.settings.routing import Bgp, BgpPeer
from wirespeed.settings.software import Action, InstallStep, Package, Software
from wirespeed.settings.switch import Port, Switch, Vlan

ENTITIES = (
    Host,
    BiosAttribute,
    Sysctl,
    Module,
    Package,
    InstallStep,
    Ntb,
    Loan,
    Nic,
    Gid,
    Gpu,
    PcieFunction,
    Rule,
    Route,
    NeighbourEntry,
    Switch,
    BgpPeer,
    Vlan,
    Port,
    Queue,
)
"""Every kind of entity that carries settings."""

Device = Host | Switch

__all__ = [
    "ENTITIES",
    "Action",
    "Bgp",
    "BgpPeer",
    "BiosAttribute",
    "Coalescing",
    "Compare",
    "Congestion",
    "Cores",
    "Counters",
    "Device",
    "Discipline",
    "DistinctValues",
    "Driver",
    "Dscp",
    "Ecn",
    "Ect",
    "Gid",
    "Gpu",
    "Host",
    "InstallStep",
    "Kernel",
    "Launch",
    "Link",
    "Loan",
    "Module",
    "Neighbour",
    "Nic",
    "NicCosQueue",
    "NicQos",
    "NicTrafficClass",
    "Ntb",
    "Nvm",
    "Package",
    "PcieFunction",
    "PcieLink",
    "Place",
    "Port",
    "PortQos",
    "Priority",
    "PriorityGroup",
    "Queue",
    "Resolved",
    "Ring",
    "Route",
    "Rule",
    "Setting",
    "Software",
    "Switch",
    "SwitchQueue",
    "SwitchTrafficClass",
    "Sysctl",
    "TrafficClass",
    "Vlan",
    "Watchdog",
    "WatchdogAction",
    "bdf",
    "get",
    "iterate_entities",
    "list_collections",
    "list_group_settings",
    "list_setting_types",
    "list_settings",
    "walk",
]

"""What the templates of a Broadcom NIC need computed: the one QoS setting all its NICs share, and the NVM options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem, Refused
from wirespeed.settings import Congestion, Device, Discipline, Dscp, Host, Nic, NicQos, NicTrafficClass, Nvm, Priority

DRIVER = "bnxt_en"

ROCE_TC, CNP_TC, DEFAULT_TC = NicTrafficClass(1), NicTrafficClass(2), NicTrafficClass(0)
"""Where bnxt_setupcc.sh 236.1.155.0 puts RoCE, congestion notifications and the rest; it takes no other numbers."""


@dataclass(frozen=True, slots=True)
class Qos:
    """What /etc/bnxt_re/bnxt_re.conf says; the file is one for all NICs of a host."""

    flow_control: int  # FC_MODE: 1 PFC, 2 congestion control, 3 both
    roce_priority: Priority
    roce_dscp: Dscp
    cnp_priority: Priority
    cnp_dscp: Dscp
    roce_share: int  # percent
    congestion: Congestion | None


@dataclass(frozen=True, slots=True)
class Option:
    """One NVM option as niccli takes it. A scope of None says the option is the card's, not a function's."""

    name: str
    value: int
    scope: int | None

    @property
    def scoped(self) -> str:
        """The command's scope words, empty for an option of the card."""
        return "" if self.scope is None else f" --scope {self.scope}"


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {"qos": lambda: qos(name, device), "cards": lambda: list(cards(device)), "nics": lambda: own(device)}


def own(host: Host) -> dict[str, Nic]:
    """The NICs of this platform."""
    return {interface: nic for interface, nic in host.nics.items() if nic.driver.name in (DRIVER, None)}


def qos(name: str, host: Host) -> Qos | None:
    """The QoS settings of the host's NICs; None where no RoCE is intended.

    Raises:
        Refused: the NICs differ, or are to do what the configuration package cannot say.
    """
    settings = [(interface, nic.qos) for interface, nic in own(host).items() if nic.qos.configure]
    if not settings:
        return None
    first_interface, first = settings[0]
    problems = [
        Problem(
            f"{name} {interface}",
            f"other QoS settings than {first_interface}",
            "the same on every NIC of a host",
            "/etc/bnxt_re/bnxt_re.conf is one file for all of them",
        )
        for interface, other in settings
        if other != first
    ]
    problems += _unsayable(name, first)
    if problems:
        raise Refused(problems)
    return _qos(first)


def _qos(said: NicQos) -> Qos:
    assert said.roce_priority is not None  # _unsayable refuses these
    assert said.roce_dscp is not None
    assert said.cnp_priority is not None
    assert said.cnp_dscp is not None
    assert said.roce_share is not None
    return Qos(
        flow_control=(1 if said.pfc else 0) + (2 if said.ecn else 0),
        roce_priority=said.roce_priority,
        roce_dscp=said.roce_dscp,
        cnp_priority=said.cnp_priority,
        cnp_dscp=said.cnp_dscp,
        roce_share=said.roce_share,
        congestion=said.congestion,
    )


def _unsayable(name: str, said: NicQos) -> Iterator[Problem]:
    """What bnxt_setupcc.sh cannot be told: it knows one RoCE class, one CNP class, and the rest."""
    place = f"{name}: RoCE configuration package"
    numbers = (said.roce_priority, said.roce_dscp, said.cnp_priority, said.cnp_dscp, said.roce_share)
    if None in numbers:
        yield Problem(place, "no roce or no cnp class", "DSCP and priority of both, and a share for roce")
        return
    priorities = {Priority(value): DEFAULT_TC for value in range(8)}
    priorities |= {said.roce_priority: ROCE_TC, said.cnp_priority: CNP_TC}  # type: ignore[dict-item]
    if said.priority_tc is not None and said.priority_tc != priorities:
        yield Problem(
            place,
            f"priorities to NIC traffic classes {_pairs(said.priority_tc)}",
            f"{_pairs(priorities)}, the only map it makes",
        )
    if said.pfc and said.pfc != {said.roce_priority}:
        yield Problem(
            place,
            f"PFC on priorities {', '.join(str(int(value)) for value in sorted(said.pfc))}",
            f"PFC on {int(said.roce_priority or 0)}, the RoCE priority, alone",
        )
    if said.dscp_priority is not None and said.dscp_priority != {
        said.roce_dscp: said.roce_priority,
        said.cnp_dscp: said.cnp_priority,
    }:
        yield Problem(
            place,
            f"DSCP to priorities {_pairs(said.dscp_priority)}",
            f"{said.roce_dscp}:{said.roce_priority} {said.cnp_dscp}:{said.cnp_priority}, one DSCP for each class",
        )
    disciplines = said.tc_discipline or {}
    if disciplines.get(ROCE_TC) is Discipline.STRICT or disciplines.get(CNP_TC) is Discipline.DWRR:
        yield Problem(place, "a strict roce or a shared cnp class", "roce with a share, cnp strict")
    if not (said.pfc or said.ecn):
        yield Problem(
            place, "neither PFC nor congestion control", "one of them", "make roce lossless or congestion-controlled"
        )


def _pairs(numbers: Mapping[Any, Any]) -> str:
    return " ".join(f"{int(key)}:{int(value)}" for key, value in sorted(numbers.items()))


def cards(host: Host) -> Iterator[tuple[str, str, list[Option]]]:
    """Every NIC with intended NVM options: interface, what niccli selects it by, options."""
    for interface, nic in own(host).items():
        wanted = list(options(nic))
        if wanted:
            yield interface, nic.pcie or interface, wanted


def options(nic: Nic) -> Iterator[Option]:
    """The NVM options of a NIC; names, scopes and values are those of Broadcom 957608-AN210, section 2.2.4."""
    function = int(nic.pcie[-1]) if nic.pcie else 0
    nvm: Nvm = nic.nvm
    if nvm.rdma is not None:
        yield Option("support_rdma", int(nvm.rdma), function)
    if nvm.performance_profile is not None:
        yield Option("performance_profile", int(nvm.performance_profile == "roce"), None)
    if nvm.relaxed_ordering is not None:
        yield Option("pcie_relaxed_ordering", int(nvm.relaxed_ordering), None)
    for option, value in (
        ("dcbx_mode", nvm.dcbx),
        ("lldp_nearest_bridge", nvm.lldp_nearest_bridge),
        ("lldp_nearest_non_tpmr_bridge", nvm.lldp_nearest_non_tpmr_bridge),
    ):
        if value is not None and (option != "dcbx_mode" or not value):  # which mode "on" is, is the site's choice
            yield Option(option, int(value), function)

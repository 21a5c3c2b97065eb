"""Values for the templates of a Broadcom NIC: the common QoS settings of all NICs, and the NVM options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.platforms.nic.bnxt import nvm
from wirespeed.platforms.nic.bnxt.congestion import LINE_FORMATS, MARKS, PARAMETERS, inbox_name
from wirespeed.settings import Congestion, Device, Discipline, Dscp, Ect, Host, Nic, NicQos, NicTrafficClass, Priority

DRIVER = "bnxt_en"

ROCE_TC, CNP_TC, DEFAULT_TC = NicTrafficClass(1), NicTrafficClass(2), NicTrafficClass(0)
"""Traffic classes of RoCE, congestion notifications and other traffic in bnxt_setupcc.sh 236.1.155.0, which are
fixed."""


@dataclass(frozen=True, slots=True)
class Qos:
    """Content of /etc/bnxt_re/bnxt_re.conf, one file for all NICs of a host."""

    flow_control: int  # FC_MODE: 1 PFC, 2 congestion control, 3 both
    roce_priority: Priority
    roce_dscp: Dscp
    cnp_priority: Priority
    cnp_dscp: Dscp
    roce_share: int  # percent
    utility: int  # UTILITY: the program that bnxt_setupcc.sh calls
    congestion: Congestion | None
    mark: int | None  # ecn_marking, if it differs from the package's default
    parameters: Mapping[str, int]  # of congestion control, by the driver's names
    other_dscps: Mapping[Dscp, Priority]  # beside roce_dscp and cnp_dscp, for which bnxt_re.conf has no key

    @property
    def beyond_package(self) -> bool:
        """Whether something is wanted that bnxt_re.conf has no key for."""
        return self.congestion is Congestion.DCQCN_D or self.mark is not None or bool(self.parameters)


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {
        "conf": lambda: list(conf(qos(name, device))),
        "qos": lambda: qos(name, device),
        "cards": lambda: list(nvm.cards(select_nics(device))),
        "nics": lambda: select_nics(device),
        "shown": LINE_FORMATS,
        "marks": {ect: bits for bits, ect in MARKS.items()},
        "inbox_name": inbox_name,
        "other_dscps": lambda: format_dscps(qos(name, device)),
    }


def select_nics(host: Host) -> dict[str, Nic]:
    """The NICs of this platform."""
    return {interface: nic for interface, nic in host.nics.items() if nic.driver.name in (DRIVER, None)}


def qos(name: str, host: Host) -> Qos | None:
    """The QoS settings of the host's NICs. None if no RoCE is intended.

    Raises:
        Refusal: the NICs differ, or have a setting that the configuration package cannot express.
    """
    settings = [(interface, nic.qos) for interface, nic in select_nics(host).items() if nic.qos.configure is not None]
    configured = [entry for entry in settings if entry[1].configure]
    if not configured:
        return None
    first_interface, first = configured[0]
    problems = [
        Problem(
            f"{name} {interface}",
            f"other QoS settings than {first_interface}",
            "the same on every NIC of the host",
            "/etc/bnxt_re/bnxt_re.conf applies to all of them",
        )
        for interface, other_entry in settings
        if other_entry != first
    ]
    problems += _find_unsupported(name, first)
    problems += [
        Problem(f"{name} {interface}", "global pause on", "global pause off, the only state the package sets")
        for interface, nic in select_nics(host).items()
        if nic.qos.configure and (nic.link.pause_receive or nic.link.pause_send)
    ]
    if problems:
        raise Refusal(problems)
    programs = (host.qos_tools or ()) if host.qos_program is None else (host.qos_program,)
    utilities = [number for program, number in UTILITIES.items() if program in programs]
    utility = utilities[0] if utilities else UTILITIES["dcb"]
    package_qos = _build_qos(first, utility)
    if package_qos.other_dscps and utility != UTILITIES["dcb"]:
        found = f"several DSCPs of a class without dcb, {format_dscps(package_qos)} beside {first.roce_dscp}"
        hint = (
            "plan a driver release whose QoS package calls dcb"
            if utility == UTILITIES["bnxtqos"]
            else "dcb is part of iproute2 from release 5.11 on: use a newer operating system"
        )
        raise Refusal([Problem(f"{name}: {_PACKAGE}", found, "one DSCP for each class", hint)])
    return package_qos


_PACKAGE = "bnxt_re.conf"
"""The file of Broadcom's package that configures QoS of the NICs when the driver is loaded."""
UTILITIES = {"dcb": 4, "niccli": 3, "lldptool": 2, "bnxtqos": 1}
"""Program to its number in bnxt_setupcc.sh 236.1.155.0, which ends if the program is missing. An older copy of the
script has 1 and 2 only."""


def format_dscps(package_qos: Qos | None) -> str:
    """The DSCPs beside those of bnxt_re.conf, as ``dcb app`` takes them: ``24:3 25:3``."""
    return "" if package_qos is None else _format_pairs(package_qos.other_dscps)


def conf(nic_qos: Qos | None) -> Iterator[tuple[str, int]]:
    """Keys and values of bnxt_re.conf."""
    if nic_qos is None:
        return
    yield "ENABLE_FC", 1
    yield "FC_MODE", nic_qos.flow_control
    yield "ROCE_PRI", int(nic_qos.roce_priority)
    yield "ROCE_DSCP", int(nic_qos.roce_dscp)
    yield "CNP_PRI", int(nic_qos.cnp_priority)
    yield "CNP_DSCP", int(nic_qos.cnp_dscp)
    yield "ROCE_BW", nic_qos.roce_share
    yield "UTILITY", nic_qos.utility


def _build_qos(nic_qos: NicQos, utility: int) -> Qos:
    assert nic_qos.roce_priority is not None  # _find_unsupported refuses these
    assert nic_qos.roce_dscp is not None
    assert nic_qos.cnp_priority is not None
    assert nic_qos.cnp_dscp is not None
    assert nic_qos.roce_share is not None
    return Qos(
        flow_control=(1 if nic_qos.pfc else 0) + (2 if nic_qos.ecn else 0),
        roce_priority=nic_qos.roce_priority,
        roce_dscp=nic_qos.roce_dscp,
        cnp_priority=nic_qos.cnp_priority,
        cnp_dscp=nic_qos.cnp_dscp,
        roce_share=nic_qos.roce_share,
        utility=utility,
        congestion=nic_qos.congestion,
        mark=None
        if nic_qos.ect in (None, Ect.ECT1)
        else next(bits for bits, ect in MARKS.items() if ect is nic_qos.ect),
        parameters=dict(sorted((nic_qos.congestion_parameters or {}).items())),
        other_dscps={
            dscp: priority
            for dscp, priority in sorted((nic_qos.dscp_priority or {}).items())
            if dscp not in (nic_qos.roce_dscp, nic_qos.cnp_dscp)
        },
    )


def _find_unsupported(name: str, nic_qos: NicQos) -> Iterator[Problem]:
    """Settings that bnxt_setupcc.sh lacks: it has one RoCE class, one CNP class, and a default class."""
    location = f"{name}: {_PACKAGE}"
    missing_values = list(_list_missing_classes(nic_qos))
    if missing_values:
        expected = "the classes roce (with DSCP, priority and share) and cnp, which Broadcom NICs need"
        yield Problem(f"{name}: classes", f"no {missing_values[0]}", expected, *missing_values[1:])
        return
    priorities = {Priority(value): DEFAULT_TC for value in range(8)}
    priorities |= {nic_qos.roce_priority: ROCE_TC, nic_qos.cnp_priority: CNP_TC}  # type: ignore[dict-item]
    if nic_qos.priority_tc is not None and nic_qos.priority_tc != priorities:
        yield Problem(
            location,
            f"priorities to NIC traffic classes {_format_pairs(nic_qos.priority_tc)}",
            f"{_format_pairs(priorities)}, the only map it sets",
        )
    if nic_qos.pfc and nic_qos.pfc != {nic_qos.roce_priority}:
        yield Problem(
            location,
            f"PFC on priorities {', '.join(str(int(value)) for value in sorted(nic_qos.pfc))}",
            f"PFC on {int(nic_qos.roce_priority or 0)}, the priority of class roce, only",
            "write `lossless: false` in every class but roce",
        )
    planned = nic_qos.dscp_priority or {}
    foreign = sorted(set(planned.values()) - {nic_qos.roce_priority, nic_qos.cnp_priority})
    if foreign or (planned and planned.get(nic_qos.roce_dscp) != nic_qos.roce_priority):  # type: ignore[arg-type]
        yield Problem(
            location,
            f"DSCP to priorities {_format_pairs(planned)}",
            f"priorities {nic_qos.roce_priority} of roce and {nic_qos.cnp_priority} of cnp, the only ones it sets",
        )
    disciplines = nic_qos.tc_discipline or {}
    if disciplines.get(ROCE_TC) is Discipline.STRICT or disciplines.get(CNP_TC) is Discipline.DWRR:
        yield Problem(location, "a strict roce or a shared cnp class", "roce with a share, cnp strict")
    yield from _unknown_parameters(location, nic_qos)
    if not (nic_qos.pfc or nic_qos.ecn):
        yield Problem(
            location,
            "neither PFC nor congestion control",
            "one of them",
            "write `lossless: true` or `congestion: dcqcn-p` in class roce",
        )


def _list_missing_classes(nic_qos: NicQos) -> Iterator[str]:
    """The missing class, and a hint."""
    if nic_qos.roce_priority is None or nic_qos.roce_dscp is None:
        yield from ("class roce", "add `roce: {dscp: 26, priority: 3, lossless: true, share: 50%}` to classes")
    elif nic_qos.cnp_priority is None or nic_qos.cnp_dscp is None:
        yield from ("class cnp", "add `cnp: {dscp: 48, priority: 7, strict: true}` to classes")
    elif nic_qos.roce_share is None:
        yield from ("share of class roce", "add `share: 50%` to the class roce")


def _unknown_parameters(location: str, nic_qos: NicQos) -> Iterator[Problem]:
    """Refuse numbers that the driver would truncate."""
    for name, value in sorted((nic_qos.congestion_parameters or {}).items()):
        if name not in PARAMETERS:
            yield Problem(
                location,
                f"the congestion parameter {name!r}",
                "an attribute of configfs bnxt_re/…/cc",
                did_you_mean(name, list(PARAMETERS)),
            )
            continue
        minimum, maximum = PARAMETERS[name]
        if not minimum <= value <= maximum:
            yield Problem(location, f"{name} = {value}", f"{minimum} to {maximum}, which the driver can hold")


def _format_pairs(numbers: Mapping[Any, Any]) -> str:
    return " ".join(f"{int(key)}:{int(value)}" for key, value in sorted(numbers.items()))

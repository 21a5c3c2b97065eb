"""The limits between two places that `wirespeed plan --limits SOURCE TARGET` prints, and its what-if options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from wirespeed.cluster.fields import SlotSize
    from wirespeed.limits.end_to_end import PathEnd
    from wirespeed.limits.paths import PathLimit
    from wirespeed.plan import Plan
    from wirespeed.results.verdicts import Bound
    from wirespeed.units import Duration, Quantity, Size

    _Quantity = TypeVar("_Quantity", bound=Quantity)

_PAYLOADS = tuple(2**power for power in range(6, 13))
"""64 B is what CPUs write at once to a device (a cache line, combined); 128 to 4096 are values of MaxPayload."""
_PLACE = "HOST, HOST:NIC or HOST:GPU0"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The ends of a path, and the conditions that differ from the plan."""

    source: str | None
    target: str | None
    slot: SlotSize | None
    pcie_payload: int | None
    message_size: Size | None
    streams: int | None
    round_trip: Duration | None

    def change(self, plan: Plan) -> Plan:
        """The plan under these conditions."""
        from wirespeed.limits.end_to_end import override_pcie
        from wirespeed.settings import PcieLink

        if self.slot is None and self.pcie_payload is None:
            return plan
        link = PcieLink(self.slot.speed, self.slot.width) if self.slot is not None else None
        return override_pcie(plan, link, self.pcie_payload)


def parse_what_if(
    limits: bool,
    ends: tuple[str | None, str | None],
    hardware: Mapping[str, str | None],
    conditions: Mapping[str, str | int | None],
) -> WhatIf:
    """The arguments of `wirespeed plan --limits`.

    Raises:
        Refusal: a value has another form, or an argument has no effect without another one.
    """
    from wirespeed.cluster.fields import Unfit, parse_slot
    from wirespeed.errors import refuse
    from wirespeed.units import Duration, Size

    source, target = ends
    options = [f"--{name}" for name, value in {**hardware, **conditions}.items() if value is not None]
    if not limits and (options or source is not None):
        raise refuse(options[0] if options else f"SOURCE {source}", "needs --limits", hint="add --limits")
    if source is not None and target is None:
        raise refuse(f"SOURCE {source}", "no TARGET", f"two places: {_PLACE}")
    path_options = [f"--{name}" for name, value in conditions.items() if value is not None]
    if path_options and source is None:
        raise refuse(path_options[0], "no SOURCE and TARGET", f"two places: {_PLACE}")
    try:
        slot = parse_slot(hardware["slot"])
    except Unfit as error:
        raise refuse("--slot", repr(hardware["slot"]), error.expected) from None
    payload = hardware["pcie-payload"]
    if payload is not None and payload not in map(str, _PAYLOADS):
        raise refuse("--pcie-payload", repr(payload), f"one of {', '.join(map(str, _PAYLOADS))}")
    size, streams, round_trip = conditions["message-size"], conditions["streams"], conditions["round-trip"]
    return WhatIf(
        source=source,
        target=target,
        slot=slot,
        pcie_payload=None if payload is None else int(payload),
        message_size=_parse_quantity("--message-size", Size, f"{size} B" if str(size).isdecimal() else size),
        streams=None if streams is None else int(streams),
        round_trip=_parse_quantity("--round-trip", Duration, round_trip),
    )


def _parse_quantity(option: str, kind: type[_Quantity], text: str | int | None) -> _Quantity | None:
    from wirespeed.errors import refuse

    if text is None:
        return None
    value = repr(str(text).removesuffix(" B"))
    expected = f"a {kind.kind} such as {kind.example}"
    try:
        quantity = kind.parse(str(text))
    except ValueError as error:
        raise refuse(option, value, expected, str(error)) from None
    if quantity <= 0:
        raise refuse(option, value, f"{expected}, greater than 0")
    return quantity


def list_between(plan: Plan, what_if: WhatIf) -> list[dict[str, Any]]:
    """One row for all paths between two places with the same terms: the first path, and the number of paths.

    Raises:
        Refusal: a place is not in the plan, or no rate between them is known.
    """
    from wirespeed.errors import refuse
    from wirespeed.limits.end_to_end import Conditions, list_limits_between

    source, target = _find_end(plan, "SOURCE", what_if.source), _find_end(plan, "TARGET", what_if.target)
    if source == target:
        raise refuse(f"TARGET {target}", "the same place as SOURCE", "two places")
    size = None if what_if.message_size is None else int(what_if.message_size)
    conditions = Conditions(size, what_if.streams or 1, what_if.round_trip)
    limits = list_limits_between(plan, source, target, conditions)
    if not limits:
        raise refuse(f"{source} to {target}", "no path with a known rate", "NICs or GPUs that reach each other")
    _refuse_unused(what_if, f"{source} to {target}", [limit.method for limit in limits])
    paths: dict[tuple[object, ...], list[PathLimit]] = {}
    for limit in limits:
        key = (limit.method, *((round(term.value, 3), term.formula, term.source) for term in limit.bound.terms))
        paths.setdefault(key, []).append(limit)
    return [_build_row(members[0], len(members)) for members in paths.values()]


def _refuse_unused(what_if: WhatIf, path: str, methods: Sequence[str]) -> None:
    """Refuse a condition of a protocol that no path uses."""
    from wirespeed.errors import Problem, Refusal

    conditions = [
        ("--message-size", what_if.message_size, "RDMA"),
        ("--streams", what_if.streams, "TCP"),
        ("--round-trip", what_if.round_trip, "TCP"),
    ]
    problems = [
        Problem(option, f"no path from {path} uses {protocol}", hint=f"leave {option} out")
        for option, value, protocol in conditions
        if value is not None and not any(protocol in method for method in methods)
    ]
    if problems:
        raise Refusal(problems)


def _build_row(limit: PathLimit, count: int) -> dict[str, Any]:
    """The row of one of ``count`` paths with the same terms."""
    return {
        "hosts": limit.host,
        "from": limit.source,
        "to": limit.target,
        "method": limit.method,
        "paths": count,
        "limit": round(limit.bound.value, 2),
        "unit": limit.bound.unit,
        "limited by": limit.bound.bottleneck,
        "terms": _list_terms(limit.bound),
        "assumptions": "; ".join(limit.bound.assumptions) or None,
    }


def _list_terms(bound: Bound) -> list[dict[str, Any]]:
    return [
        {"name": term.name, "value": round(term.value, 2), "formula": term.formula, "source": term.source}
        for term in sorted(bound.terms, key=lambda term: term.value)
    ]


def _find_end(plan: Plan, argument: str, text: str | None) -> PathEnd:
    from wirespeed.errors import did_you_mean, format_choices, refuse
    from wirespeed.limits.end_to_end import PathEnd

    host, _, device = (text or "").partition(":")
    if host in plan.switches:
        raise refuse(f"{argument} {text}", "a switch", _PLACE)
    if host not in plan.hosts:
        raise refuse(f"{argument} {text}", f"no host {host!r}", _PLACE, did_you_mean(host, list(plan.hosts)))
    settings = plan.hosts[host]
    if device in ("", "memory"):
        return PathEnd(host)
    interfaces = {nic.rdma_device: name for name, nic in settings.nics.items() if nic.rdma_device}
    devices = [*(name for name, nic in settings.nics.items() if nic.controller is None), *settings.gpus]
    name = interfaces.get(device, device)
    bond = settings.nics[name].controller if name in settings.nics else None
    if bond is not None:
        raise refuse(f"{argument} {text}", f"a port of {bond}", f"{host}:{bond}, which sends over its ports")
    if name not in devices:
        raise refuse(f"{argument} {text}", f"no {device!r}", format_choices(devices), did_you_mean(device, devices))
    return PathEnd(host, name)

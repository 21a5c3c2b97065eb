"""The faults of a traffic file: a model for each kind. Devices and ports have the names of the cluster."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from wirespeed.cluster.fields import BandwidthText, DurationText, Line, SizeText, Unfit
from wirespeed.cluster.part import Part

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]-?[0-9]{1,3})?")


def _parse_share(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    number = text.removesuffix("%").rstrip()
    share = float(number) / (100 if text.endswith("%") else 1) if _NUMBER.fullmatch(number) else None
    if share is None or share > 1:
        raise Unfit("a share from 0 to 1, such as 1e-5 or 0.1%")
    return share


Share = Annotated[
    float,
    BeforeValidator(_parse_share),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string"}], "examples": ["0.1%"]}
    ),
]
CablePort = Annotated[Line, Field(description="A port of the cable: leaf1:Ethernet1/1.")]
NicPort = Annotated[Line, Field(description="A NIC: node1:enp29s0np0.")]


class TimedFault(Part):
    """A fault with a start and an end."""

    start: Annotated[DurationText | None, Field(description="Start of the fault. Default: 0.")] = None
    until: Annotated[DurationText | None, Field(description="End of the fault. Default: the end of the run.")] = None


class LinkDown(TimedFault):
    """A link, or all links of a device, are down."""

    kind: Literal["link-down"]
    node: Annotated[Line | None, Field(description="Host or switch whose links all fail.")] = None
    port: Annotated[
        Line | None,
        Field(description="Instead of node: a port of the cable, leaf1:Ethernet1/1."),
    ] = None
    detection: Annotated[
        DurationText,
        Field(
            description="Time from the failure until the ports report link down (optics, debounce timers).",
            examples=["10 us"],
        ),
    ]
    convergence: Annotated[
        DurationText,
        Field(description="Time from link down or link up until all switches have the new routes.", examples=["1 ms"]),
    ]


class BitErrors(TimedFault):
    """Frames on a cable, PFC frames included, are lost to bit errors, in both directions; long frames more often."""

    kind: Literal["bit-errors"]
    port: CablePort
    ber: Annotated[Share, Field(description="Bit error ratio of the lanes before correction.")]
    fec: Annotated[
        Literal["none", "rs-528", "rs-544", "rs-544-interleaved"],
        Field(
            description="Forward error correction: RS(528,514) for 25 Gb/s lanes, RS(544,514) for 50 Gb/s lanes and "
            "faster, with two interleaved codewords at 200 and 400 Gb/s."
        ),
    ]
    floor_ber: Annotated[Share, Field(description="Bit error ratio that remains after correction.")] = 0.0


class FrameLoss(Part):
    """A cable loses frames of any length during the whole run, in both directions. PFC frames are not lost."""

    kind: Literal["frame-loss"]
    port: CablePort
    probability: Annotated[Share, Field(description="Probability that a frame is lost.")]


class PfcLoss(Part):
    """A cable loses PFC frames, in both directions."""

    kind: Literal["pfc-loss"]
    port: CablePort
    start: Annotated[DurationText | None, Field(description="Start of the fault. Default: 0.")] = None


class Miswiring(Part):
    """Two cables are exchanged. Addresses and routes are as planned."""

    kind: Literal["miswired"]
    ports: Annotated[
        list[Line],
        Field(description="The two ports whose cables are exchanged: [leaf1:Ethernet1/1, leaf2:Ethernet1/1]."),
    ]


class StuckNic(TimedFault):
    """A NIC pauses its switch permanently (pause storm)."""

    kind: Literal["stuck-nic"]
    port: NicPort
    traffic_class: Annotated[
        Line | None, Field(alias="class", description="Paused traffic class. Default: every lossless class.")
    ] = None


class SlowReceiver(TimedFault):
    """A host receives slowly: the receive buffer of the NIC fills and the NIC pauses its switch."""

    kind: Literal["slow-receiver"]
    port: NicPort
    rate: Annotated[BandwidthText, Field(description="Rate at which the host receives payload.")]
    receive_buffer: Annotated[
        SizeText,
        Field(
            description="Receive buffer of the NIC for lossless traffic. The NIC sends XOFF when only the headroom of "
            "its cable is free, and XON one MTU below."
        ),
    ]


class CnpLoss(TimedFault):
    """A cable loses congestion notification packets, in both directions."""

    kind: Literal["cnp-loss"]
    port: CablePort
    probability: Annotated[Share, Field(description="Probability that a CNP is lost.")]


class CnpDelay(TimedFault):
    """A NIC sends its congestion notification packets late."""

    kind: Literal["cnp-delay"]
    port: NicPort
    delay: Annotated[DurationText, Field(description="Additional delay.")]


class WrongSetting(Part):
    """One setting of a device differs from the plan."""

    kind: Literal["wrong-setting"]
    node: Annotated[Line | None, Field(description="Host or switch, with all of its ports.")] = None
    port: Annotated[Line | None, Field(description="Instead of node: one port, leaf1:Ethernet1/1.")] = None
    traffic_class: Annotated[
        Line | None, Field(alias="class", description="With a setting of queues: the queue of this traffic class only.")
    ] = None
    setting: Annotated[
        Line,
        Field(description="Name of the setting: port.qos.pfc, queue.ecn.minimum, nic.qos.ecn."),
    ]
    value: Annotated[Any, Field(description="Value on the device: 20 MB, false, [], 0.")]


Fault = Annotated[
    LinkDown
    | BitErrors
    | FrameLoss
    | PfcLoss
    | Miswiring
    | StuckNic
    | SlowReceiver
    | CnpLoss
    | CnpDelay
    | WrongSetting,
    Field(discriminator="kind"),
]
"""A fault of a traffic file."""
KINDS: tuple[type[Part], ...] = get_args(get_args(Fault)[0])
"""The models of all kinds."""

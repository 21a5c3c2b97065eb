"""What may go wrong in a traffic file: a kind each, with its keys. Devices and ports have the names of the cluster."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from wirespeed.cluster.fields import BandwidthText, DurationText, Line, SizeText, Unfit
from wirespeed.cluster.model import Part

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]-?[0-9]{1,3})?")


def _share(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    number = text.removesuffix("%").rstrip()
    found = float(number) / (100 if text.endswith("%") else 1) if _NUMBER.fullmatch(number) else None
    if found is None or found > 1:
        raise Unfit("a share from 0 to 1, such as 1e-5 or 0.1%")
    return found


Share = Annotated[
    float,
    BeforeValidator(_share),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string"}], "examples": ["0.1%"]}
    ),
]
CablePort = Annotated[Line, Field(description="The cable at this port of a host or switch: leaf1:Ethernet1/1.")]
NicPort = Annotated[Line, Field(description="A NIC: node1:enp29s0np0.")]


class For(Part):
    """Something that goes wrong for a time."""

    start: Annotated[DurationText | None, Field(description="From when on; 0 without it.")] = None
    until: Annotated[DurationText | None, Field(description="Until when; the end without it.")] = None


class LinkDown(For):
    """A cable carries nothing, or none of a device's cables does."""

    kind: Literal["link-down"]
    node: Annotated[Line | None, Field(description="A host or switch, with all of its cables.")] = None
    port: Annotated[
        Line | None,
        Field(description="Instead of a node: the cable at this port of a host or switch, leaf1:Ethernet1/1."),
    ] = None
    detection: Annotated[
        DurationText, Field(description="From the link being down to its ports knowing: optics, debounce timers.")
    ]
    convergence: Annotated[
        DurationText,
        Field(
            description="From its ports knowing, or the link being back, to all switches having the routes that follow."
        ),
    ]


class BitErrors(For):
    """Frames on a cable are lost to bit errors, PFC frames too, the longer the likelier; in both directions."""

    kind: Literal["bit-errors"]
    port: CablePort
    ber: Annotated[Share, Field(description="Bit error ratio of the lanes, before correction.")]
    fec: Annotated[
        Literal["none", "rs-528", "rs-544", "rs-544-interleaved"],
        Field(
            description="What corrects them: RS(528,514) of 25 Gb/s lanes, RS(544,514) of 50 Gb/s lanes and more, the "
            "latter with two codewords interleaved at 200 and 400 Gb/s."
        ),
    ]
    floor_ber: Annotated[Share, Field(description="Bit error ratio that stays after correction.")] = 0.0


class FrameLoss(Part):
    """A cable loses frames of any length, PFC frames aside, from beginning to end; in both directions."""

    kind: Literal["frame-loss"]
    port: CablePort
    probability: Annotated[Share, Field(description="Of each frame.")]


class PfcLoss(Part):
    """A cable loses PFC frames, in both directions."""

    kind: Literal["pfc-loss"]
    port: CablePort
    start: Annotated[DurationText | None, Field(description="From when on; 0 without it.")] = None


class Miswired(Part):
    """Two cables are in each other's port, and nobody knows: addresses and routes are as planned."""

    kind: Literal["miswired"]
    ports: Annotated[
        list[Line],
        Field(description="The two ports, each with the other's cable: [leaf1:Ethernet1/1, leaf2:Ethernet1/1]."),
    ]


class StuckNic(For):
    """A NIC pauses its switch without end, whatever it holds: a pause storm."""

    kind: Literal["stuck-nic"]
    port: NicPort
    traffic_class: Annotated[
        Line | None, Field(alias="class", description="The traffic class it pauses; every lossless one without it.")
    ] = None


class SlowReceiver(For):
    """A host takes less than comes: the NIC's receive buffer fills, and it pauses its switch."""

    kind: Literal["slow-receiver"]
    port: NicPort
    rate: Annotated[BandwidthText, Field(description="What it takes, of payload.")]
    receive_buffer: Annotated[
        SizeText,
        Field(
            description="Of the NIC, for its lossless traffic. It sends XOFF where only the headroom of the cable is "
            "left, and XON an MTU below."
        ),
    ]


class CnpLoss(For):
    """A cable loses congestion notification packets, in both directions."""

    kind: Literal["cnp-loss"]
    port: CablePort
    probability: Annotated[Share, Field(description="Of each.")]


class CnpDelay(For):
    """A NIC sends its congestion notification packets late."""

    kind: Literal["cnp-delay"]
    port: NicPort
    delay: Annotated[DurationText, Field(description="How much later than usual.")]


class WrongSetting(Part):
    """A device is set to something else than planned; all others know nothing of it."""

    kind: Literal["wrong-setting"]
    node: Annotated[Line | None, Field(description="A host or switch, with all of its ports.")] = None
    port: Annotated[
        Line | None, Field(description="Instead of a node: one port of a host or switch, leaf1:Ethernet1/1.")
    ] = None
    traffic_class: Annotated[
        Line | None, Field(alias="class", description="Of queues: only the one of this traffic class.")
    ] = None
    setting: Annotated[
        Line,
        Field(
            description="By the name that `wirespeed check` has for it: port.qos.pfc, queue.ecn.minimum, nic.qos.ecn."
        ),
    ]
    value: Annotated[Any, Field(description="What it is set to: 20 MB, false, [], 0.")]


Fault = Annotated[
    LinkDown | BitErrors | FrameLoss | PfcLoss | Miswired | StuckNic | SlowReceiver | CnpLoss | CnpDelay | WrongSetting,
    Field(discriminator="kind"),
]
"""Something that goes wrong meanwhile."""
KINDS: tuple[type[Part], ...] = get_args(get_args(Fault)[0])
"""All of them."""

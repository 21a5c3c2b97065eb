"""The simulator's reference page: what a scenario file may say, what a run gives, every parameter.

What a parameter means is its doc comment in ``crates/sim``, and its values come from the presets. What keys and columns
mean is said here; the page is refused when they are not those that the simulator has.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from rust_docs import Doc, Enum, Struct, item, module_doc, strings

from wirespeed.errors import refuse

SOURCES = Path(__file__).parents[1] / "crates" / "sim" / "src"

# What several faults say.
WHEN = {
    "from_ns": ("from when on", "ns", "0"),
    "until_ns": ("until when", "ns", "the end"),
}
LINK = {"link": ("which link, both directions: index in `links`", "", "required")}
NIC_PORT = {
    "node": ("which host", "", "required"),
    "nic_port": ("which NIC port of it, in the order of `links`", "", "0"),
}

KEYS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Scenario": {
        "name": ("what reports call it", "", "the file's name"),
        "desc": ("for its readers", "", ""),
        "hosts": ("nodes 0 to `hosts` - 1 are hosts", "", "required"),
        "switches": ("the nodes after the hosts are switches; 0 where hosts are cabled to each other", "", "required"),
        "node_names": (
            "what tables and reports call the nodes, hosts first; a scenario made of a cluster file has its names",
            "",
            "`[]`: `host 0`, `switch 4`",
        ),
        "link_gbps": ("rate of every link that has none of its own; a fraction is allowed", "Gb/s", ""),
        "link_delay_ns": ("propagation of every link that has none of its own: 5 ns for a metre", "ns", ""),
        "links": ("cables, each `[a, b]` or an object", "", "`[]`"),
        "buffer_bytes": (
            "buffer of every switch, or a list with one number for each",
            "bytes",
            "`parameters.switch.buffer_bytes`",
        ),
        "flows": ("connections with one operation each", "", "`[]`"),
        "queue_pairs": ("connections for `operations`", "", "`[]`"),
        "operations": ("work requests that may wait for each other", "", "`[]`"),
        "parameters": ("what differs from the preset, nested as below", "", "`{}`"),
        "devices": ("what differs from that at single devices, laid over it item by item", "", "`[]`"),
        "faults": ("what goes wrong, and when: one object for each, by its `kind`", "", "`[]`"),
        "routes": ("ways of single switches that are not the shortest", "", "`[]`"),
    },
    "`links[]`": {
        "a": ("node at one end", "", "required"),
        "b": ("node at the other end", "", "required"),
        "gbps": ("rate", "Gb/s", "`link_gbps`"),
        "delay_ns": ("propagation in one direction", "ns", "`link_delay_ns`"),
        "loss": ("probability that a frame is lost, PFC frames aside", "0 to 1", "0"),
        "pfc_lost_from_ns": ("from then on PFC frames are lost", "ns", "never"),
        "addresses": (
            "of the NIC ports at both ends, IPv4 or IPv6, null at a switch: what ECMP hashes and a capture shows",
            "",
            "numbers stand for them",
        ),
        "port_names": ("of the ports at both ends, beside `node_names`; options take `leaf1:Eth1/1` then", "", "none"),
    },
    "`flows[]`": {
        "src": ("host the data comes from", "", "required"),
        "dst": ("host the data goes to; with `read` it is the one that posts", "", "required"),
        "bytes": ("payload", "bytes", "required"),
        "start_ns": ("not before", "ns", "0"),
        "verb": ("`write`, `read` or `send`", "", "`write`; with `ud`, `tcp` and `udp` `send`"),
        "src_port": ("which NIC port of `src`, in the order of `links`", "", "0"),
        "dst_port": ("which NIC port of `dst`", "", "0"),
        "priority": ("of its data and acknowledgements", "0 to 7", "`parameters.transport.priority`"),
        "udp_source_port": (
            "by which ECMP tells flows of the same two ports apart",
            "",
            "one each, from 49,152",
        ),
        "service": (
            "`rc` (reliable connection), `uc` (unreliable connection), `ud` (datagrams: sends of one packet); or of "
            "the hosts' own sockets: `tcp`, `udp`",
            "",
            "`rc`",
        ),
    },
    "`queue_pairs[]`": {
        "a": ("host of the one queue pair", "", "required"),
        "b": (
            "host of the other; with `ud` also a list of hosts, to all of which one queue pair sends",
            "",
            "required",
        ),
        "a_port": ("which NIC port of `a`, in the order of `links`", "", "0"),
        "b_port": ("which NIC port of `b`", "", "0"),
        "priority": ("of its data and acknowledgements", "0 to 7", "`parameters.transport.priority`"),
        "udp_source_port": (
            "by which ECMP tells flows of the same two ports apart",
            "",
            "one each, from 49,152",
        ),
        "service": (
            "`rc` (reliable connection), `uc` (unreliable connection), `ud` (datagrams: sends of one packet); or of "
            "the hosts' own sockets: `tcp`, `udp`",
            "",
            "`rc`",
        ),
    },
    "`operations[]`": {
        "queue_pair": ("index in `queue_pairs`", "", "required"),
        "side": ("which end posts: `a` or `b`", "", "`a`"),
        "to": ("with `ud`: which of the hosts of `b`, from 0", "", "required where there are several"),
        "verb": ("`write`, `read` or `send`", "", "`write`; with `ud`, `tcp` and `udp` `send`"),
        "bytes": ("payload", "bytes", "required"),
        "at_ns": ("not before", "ns", "0"),
        "after": ("indices of operations that complete first", "", "`[]`"),
        "delay_ns": ("from the last of those completing, or from `at_ns`, to the post", "ns", "0"),
    },
    "`devices[]`": {
        "nodes": ("hosts or switches, with all of their ports", "", "`[]`"),
        "ports": (
            'ports: `"16-0"` is the one of node 16 that faces node 0, `"16-0.1"` the second where several cables join '
            'the two, `"0"` the only one of node 0; a number is a port\'s own, as tables have it',
            "",
            "`[]`",
        ),
        "priorities": ("only these priorities of the ports", "0 to 7", "all"),
        "parameters": ("what differs, nested as below", "", "required"),
    },
    "`faults[]`: bit errors": {
        "kind": ("`bit-errors`: frames on a link, PFC frames too, are lost, the longer the likelier", "", "required"),
        **WHEN,
        **LINK,
        "ber": ("bit error ratio of its lanes, before correction", "0 to 0.5", "required"),
        "fec": (
            "correction: `none`; `rs-528`, RS(528,514) of 25 Gb/s lanes; `rs-544`, RS(544,514), one codeword at a "
            "time; `rs-544-interleaved`, of two, as 200 and 400 Gb/s have it",
            "",
            "`none`",
        ),
        "floor_ber": ("bit error ratio that stays after correction", "0 to 0.5", "0"),
    },
    "`faults[]`: links down": {
        "kind": (
            "`link-down`: frames on the link are lost; once its ports know, what waits there is dropped; once routing "
            "knows, other ways are taken",
            "",
            "required",
        ),
        "from_ns": ("from when on", "ns", "0"),
        "until_ns": ("until when; then its ports send at once", "ns", "the end"),
        "link": ("which link: index in `links`", "", "this or `node`"),
        "node": ("all links of this node, as if it had failed", "", "this or `link`"),
        "detection_ns": ("from the link being down to its ports knowing", "ns", "required"),
        "convergence_ns": (
            "from its ports knowing, or the link being back, to all switches having the routes that follow",
            "ns",
            "required",
        ),
    },
    "`faults[]`: cables in wrong ports": {
        "kind": (
            "`miswired`: two links have their `b` ends exchanged, and routing has the routes of the links as written",
            "",
            "required",
        ),
        "links": ("the two, by their index in `links`", "", "required"),
    },
    "`faults[]`: stuck NIC": {
        "kind": ("`stuck-nic`: a NIC pauses its switch all the time, whatever it holds: a pause storm", "", "required"),
        **WHEN,
        **NIC_PORT,
        "priority": ("which priority it pauses", "0 to 7", "every lossless one"),
    },
    "`faults[]`: slow receiver": {
        "kind": (
            "`slow-receiver`: what arrives goes to memory at a lower rate; the host needs a `nic.pipe`",
            "",
            "required",
        ),
        **WHEN,
        **NIC_PORT,
        "gbps": ("that rate, of payload", "Gb/s", "required"),
    },
    "`faults[]`: lost CNPs": {
        "kind": ("`cnp-loss`: CNPs are lost on a link", "", "required"),
        **WHEN,
        **LINK,
        "probability": ("of each", "0 to 1", "required"),
    },
    "`faults[]`: late CNPs": {
        "kind": ("`cnp-delay`: a NIC sends its CNPs late", "", "required"),
        **WHEN,
        **NIC_PORT,
        "delay_ns": ("how much later than `notification.delay_ns`", "ns", "required"),
    },
    "`routes[]`": {
        "node": ("the switch", "", "required"),
        "destination": ("the host that the route leads to", "", "required"),
        "ports": ("ports of the switch, of equal cost: `7-4` is the one of node 7 that faces node 4", "", "required"),
    },
}

TABLES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "flows": (
        "One row for each flow, then for each operation.",
        {
            "flow": ("", "its number, as `--series flow:NUMBER` takes it"),
            "queue_pair": ("", "the one it is posted on"),
            "src": ("", "node that posts it (with `read`, the data comes to it)"),
            "dst": ("", "node at the other end"),
            "verb": ("", "`write`, `read` or `send`"),
            "bytes": ("bytes", "payload"),
            "start_ps": ("ps", "when it could be posted; for one that never could, its `at_ns`"),
            "end_ps": (
                "ps",
                "last acknowledgement, with `read` last data, with `uc` and `ud` last packet sent; null: never",
            ),
            "status": ("", "`completed`, `failed` (retries used up) or `unfinished`"),
        },
    ),
    "queue_pairs": (
        "One row for each end of a connection: connection n has the queue pairs 2n and 2n + 1.",
        {
            "queue_pair": ("", "its number"),
            "port": ("", "NIC port it sends from"),
            "packets": ("", "data packets and read requests sent"),
            "retransmissions": ("", "of these, sent before"),
            "delivered_bytes": ("bytes", "payload accepted, each byte once"),
            "delivered_ps": ("ps", "when the last of it stood in memory"),
            "ce_received": ("", "packets received with CE"),
            "cnps_received": ("", "congestion notifications received, as frames or in ACKs"),
            "naks_sent": ("", "negative acknowledgements sent"),
            "timeouts": ("", "ACK timeouts that passed"),
            "rnr_naks_sent": ("", "RNR NAKs sent; only with `parameters.transport.rx_depth`"),
            "messages_received": ("", "messages of `uc` and `ud` that arrived whole; only where there are such"),
        },
    ),
    "ports": (
        "One row for each port: link n is port 2n at its first end and 2n + 1 at its second.",
        {
            "port": ("", "its number"),
            "node": ("", "node it belongs to"),
            "peer": ("", "node at the other end of its cable"),
            "frames": ("", "frames sent, PFC aside"),
            "bytes": ("bytes", "of these frames, header through FCS"),
            "pfc_frames": ("", "PFC frames sent"),
            "drops": ("", "frames that came in and found no buffer"),
            "lost": ("", "frames sent that the link lost"),
        },
    ),
    "queues": (
        "One row for each priority of a port on which something happened. A port's egress queue, its ingress priority "
        "group and its PFC share a row.",
        {
            "port": ("", "number of the port"),
            "priority": ("", "0 to 7"),
            "frames": ("", "frames sent"),
            "bytes": ("bytes", "of these frames"),
            "max_bytes": ("bytes", "most that ever waited for the port, where it came in or here"),
            "ecn_marks": ("", "packets marked here"),
            "max_ingress_bytes": ("bytes", "most ever in guaranteed and shared buffer, in whole cells"),
            "max_headroom_bytes": ("bytes", "most ever in headroom, in whole cells"),
            "drops": ("", "frames that came in and found no buffer"),
            "xoff_sent": ("", "XOFF sent, refreshing ones included"),
            "xon_sent": ("", "XON sent"),
            "xoff_refreshed": ("", "XOFF sent only so that a pause does not run out"),
            "xoff_received": ("", "XOFF received"),
            "xon_received": ("", "XON received"),
            "paused_ps": ("ps", "time for which it was not allowed to send"),
        },
    ),
    "pauses": (
        "One row for each time that a priority of a port was paused, in the order in which the pauses ended.",
        {
            "port": ("", "the port that was paused"),
            "priority": ("", "0 to 7"),
            "start_ps": ("ps", "from when"),
            "end_ps": ("ps", "to when; the end of the run where it still was"),
        },
    ),
    "watchdog": (
        "One row for each queue that the PFC watchdog ever found stuck. Only where there is a `pfc.watchdog`.",
        {
            "port": ("", "the port that was paused"),
            "priority": ("", "0 to 7"),
            "times_stuck": ("", "how often it was found stuck"),
            "times_recovered": ("", "how often it recovered"),
            "stuck_ps": ("ps", "for how long it was stuck"),
            "dropped_frames": ("", "frames that the watchdog dropped"),
            "dropped_bytes": ("bytes", "of these frames"),
        },
    ),
    "voqs": (
        "One row for each virtual output queue that ever held something. Only where a switch has such "
        "(`switch.architecture`).",
        {
            "port": ("", "egress port that it leads to"),
            "priority": ("", "0 to 7"),
            "core": ("", "slice of the switch's buffer in which it is"),
            "frames": ("", "frames that were granted credit"),
            "max_bytes": ("bytes", "most that ever waited in it"),
        },
    ),
    "trims": (
        "One row for each port whose queue, or the buffer before it, had no room for packets that were trimmed. "
        "Only where there is a `switch.trimming`.",
        {
            "port": ("", "the port they were to leave by"),
            "frames": ("", "packets of which only the header went on"),
        },
    ),
    "credits": (
        "One row for each queue pair that needed credit of its peer to send, and sent. Amounts are bytes on the link, "
        "since the beginning. Only where the congestion control is `rccc`.",
        {
            "queue_pair": ("", "the sender's"),
            "asked_bytes": ("bytes", "the most it asked to have been granted"),
            "granted_bytes": ("bytes", "what the receiver granted"),
            "initial_bytes": ("bytes", "what it may send before it hears of the receiver"),
            "received_bytes": ("bytes", "what the sender knows of that"),
            "spent_bytes": ("bytes", "what it sent for it"),
            "requests": ("", "frames that asked for credit and carried nothing else"),
        },
    ),
    "deadlocks": (
        "Queues that wait for each other in a circle: each row for the next of its circle, the last for the first. "
        "Only where the run came to such a standstill.",
        {
            "circle": ("", "number of the circle"),
            "place": ("", "number of the queue in it"),
            "port": ("", "port of the queue, which is paused"),
            "priority": ("", "0 to 7"),
            "node": ("", "node the port belongs to"),
            "peer": ("", "node that pauses it"),
            "bytes": ("bytes", "what waits in the queue"),
        },
    ),
    "series": (
        "What `--series` asks for: one row for each sample. Only with that option.",
        {
            "time_ps": ("ps", "when"),
            "what": (
                "",
                "`queue_bytes`: what the egress queue holds; `paused`: 1 while it is; "
                "`sent_bytes` and `ecn_marks`: what it sent and marked so far; "
                "`rate_bps`: how fast the queue pair may send",
            ),
            "id": ("", "number of the port, with `rate_bps` of the queue pair"),
            "priority": ("", "0 to 7; 0 with `rate_bps`"),
            "value": ("as `what` says", "the sample"),
        },
    ),
}

CONTEXT: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "links": (
        "One row for each cable: row n has port 2n at `a` and port 2n + 1 at `b`.",
        {
            "a": ("", "node at one end"),
            "b": ("", "node at the other end"),
            "a_is_switch": ("", "1 where `a` is a switch, 0 where it is a host"),
            "b_is_switch": ("", "the same of `b`"),
            "rate_bps": ("bit/s", "rate in each direction"),
            "delay_ps": ("ps", "propagation"),
        },
    ),
    "paths": (
        "The way of the data, one row for each port that sends it; none where switches choose while the run goes on.",
        {
            "queue_pair": ("", "that sends"),
            "hop": ("", "0 is the NIC's port"),
            "port": ("", "number of the port"),
        },
    ),
    "limits": (
        "One row for each flow, in the order of `flows`.",
        {
            "least_ps": (
                "ps",
                "no less can pass between its start and its end: the network idle, hosts as fast as the wire; "
                "null where its way is not known before the run",
            )
        },
    ),
    "names": (
        "One row for each port. Only where there are `node_names`.",
        {
            "port": ("", "number of the port"),
            "node": ("", "node it belongs to"),
            "device": ("", "name of the node"),
            "interface": ("", "name of the port; empty where it has none"),
        },
    ),
}

SMALL = {
    "hosts": 2,
    "switches": 1,
    "node_names": ["node1", "node2", "leaf1"],
    "links": [{"a": host, "b": 2, "gbps": 100, "delay_ns": 100} for host in (0, 1)],
    "flows": [
        {"src": 0, "dst": 1, "bytes": 1, "service": "uc"},
        {"src": 0, "dst": 1, "bytes": 1, "priority": 4},
    ],
    "parameters": {
        "switch": {
            "architecture": {"rule": "voq", "credit_bytes": 1024, "credit_latency_ns": 0},
            "trimming": {"priority": 5, "trimmed_bytes": 64, "queue_ns": None},
        },
        "transport": {"rx_depth": 1},
        "pfc": {"watchdog": {"detection_ns": 1, "restoration_ns": 1, "poll_ns": 1, "action": "drop"}},
    },
    "devices": [{"nodes": [0], "priorities": [4], "parameters": {"congestion": {"algorithm": "rccc"}}}],
}
"""A scenario that has every table but that of deadlocks, with every column."""


def page() -> str:
    """The page, below its note."""
    return "".join([*_introduction(), *_keys(), *_traffic_file(), *_tables(), *_parameters()])


def _introduction() -> Iterator[str]:
    yield "# Simulator\n\n[The guide](../concepts/simulator.md) says what is modelled and how to read a result. "
    yield "Where a name ends in a unit, it is that of the value. Everything is numbered from 0.\n"


def _keys() -> Iterator[str]:
    """Scenario files."""
    reader = SOURCES / "reader"
    files = ("mod", "traffic", "devices", "faults", "routes")
    found = [keys for name in files for keys in strings(reader / f"{name}.rs", "KEYS")]
    known = [list(keys) for keys in KEYS.values()]
    if found != known:
        raise refuse(str(reader), f"keys {found}", f"those that docs/{Path(__file__).name} explains: {known}")
    yield "\n## Scenario file\n\nJSON. A key that does not exist is refused.\n"
    for place, keys in KEYS.items():
        if place != "Scenario":
            yield f"\n### {place}\n"
        yield "\n| key | meaning | unit | default |\n| --- | --- | --- | --- |\n"
        for key, (meaning, unit, default) in keys.items():
            yield f"| `{key}` | {meaning} | {unit} | {default} |\n"


def _traffic_file() -> Iterator[str]:
    """The file of `--traffic`."""
    from wirespeed.simulation.faults.settings import SIMULATED
    from wirespeed.simulation.workload.fault_entries import KINDS
    from wirespeed.simulation.workload.file import Entry, TrafficFile

    yield "\n## Traffic file\n\nYAML, for a cluster file, beginning with `version: 1`. "
    yield "Times, sizes and rates have a unit: `20 us`, `1 MiB`.\n"
    yield from _of_model(TrafficFile)
    yield "\n### `traffic[]`\n"
    yield from _of_model(Entry)
    for kind in KINDS:
        word = get_args(kind.model_fields["kind"].annotation)[0]
        yield f"\n### `faults[]`: `kind: {word}`\n\n{' '.join((kind.__doc__ or '').split())}\n"
        yield from _of_model(kind)
    yield "\nSettings that the simulator knows: " + ", ".join(f"`{path}`" for path in SIMULATED) + ".\n"


def _of_model(model: type[BaseModel]) -> Iterator[str]:
    """The keys of a part of the file."""
    yield "\n| key | meaning | |\n| --- | --- | --- |\n"
    fields = sorted(model.model_fields.items(), key=lambda item: not item[1].is_required())
    for name, field in fields:
        if name in ("kind", "version"):
            continue
        needed = "required" if field.is_required() else ""
        kind = field.annotation
        words = list(kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else get_args(kind)
        listed = ", ".join(f"`{word}`" for word in words if isinstance(word, str))
        yield f"| `{field.alias or name}` | {field.description}{' ' if listed else ''}{listed} | {needed} |\n"


def _tables() -> Iterator[str]:
    """What a run gives."""
    found = _columns()
    known = {name: list(columns) for name, (_, columns) in {**TABLES, **CONTEXT}.items()}
    if {name: list(columns) for name, columns in found.items()} != known:
        raise refuse(
            str(SOURCES / "simulation" / "outcome.rs"),
            f"tables {found}",
            f"those that docs/{Path(__file__).name} explains",
        )
    yield "\n## Result tables\n\nParquet files in the folder that `--output` names. Times count from the start.\n"
    yield from _each(TABLES, found)
    yield "\n## Context tables\n\nBeside them, what follows from the scenario alone; not in `tables_sha256`.\n"
    yield from _each(CONTEXT, found)


def _each(tables: dict[str, tuple[str, dict[str, tuple[str, str]]]], found: dict[str, dict[str, str]]) -> Iterator[str]:
    """Tables with their columns."""
    for name, (meaning, columns) in tables.items():
        yield f"\n### {name}\n\n{meaning}\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n"
        for column, (unit, said) in columns.items():
            yield f"| `{column}` | {found[name][column]} | {unit} | {said} |\n"


def _columns() -> dict[str, dict[str, str]]:
    """Tables, their columns and types as a run has them."""
    from wirespeed.simulation import Observe, run

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.json"
        path.write_text(json.dumps(SMALL))
        result = run(path, "roce", 1, Observe(series=("port:0",)))
    standstill = run(SOURCES.parents[2] / "examples" / "simulator" / "deadlock.json", "roce", 1)
    tables = {**standstill.tables, **result.tables, **result.context}
    return {name: {field.name: _type(field.type) for field in table.schema} for name, table in tables.items()}


def _type(arrow: Any) -> str:
    return "text" if str(arrow).startswith("dictionary") else str(arrow)


def _parameters() -> Iterator[str]:
    """Every parameter and what the presets set it to."""
    from wirespeed import _core

    names = sorted(_core.presets(), reverse=True)  # roce, the usual one, first
    values = [json.loads(_core.preset(name)) for name in names]
    yield "\n## Parameters\n\nA scenario's `parameters` are laid over those of the preset, one by one: "
    yield '`{"transport": {"mtu_bytes": 1024}}` changes one. Where a `rule` or an `algorithm` is not '
    yield "that of the preset, the object is a new one; what a new `congestion` leaves out has its published value, "
    yield "the one in brackets.\n"
    for name in names:
        yield f"\n{_linked(module_doc(SOURCES / 'model' / 'preset' / f'{name}.rs'))}\n"
    tree = item(SOURCES / "model" / "parameters.rs", "Parameters")
    assert isinstance(tree, Struct)
    tree.must_have(values)
    for field in tree.fields:
        inner = field.item()
        assert inner is not None
        yield f"\n### {field.name}\n\n{_linked(field.doc)}\n"
        own = [value[field.name] for value in values]
        if isinstance(inner, Enum):
            yield from _algorithms(field.name, inner, names, own)
            continue
        yield _head(names)
        yield from _rows(f"{field.name}.", inner, own)


def _algorithms(path: str, enum: Enum, names: list[str], values: list[Any]) -> Iterator[str]:
    """Congestion control: a table for each algorithm."""
    assert enum.tag is not None
    yield _head(names)
    yield _row(f"{path}.{enum.tag}", _choice(None, enum), [value[enum.tag] for value in values])
    for variant in enum.variants:
        struct = variant.item()
        if struct is None:
            continue
        yield f"\n#### {variant.word}\n\n{_linked(module_doc(struct.path))}\n"
        yield _head(names)
        yield from _rows(f"{path}.", struct, [_body(value, enum, variant.word) for value in values])


def _rows(prefix: str, struct: Struct, values: list[Any]) -> Iterator[str]:
    """A row for each parameter below one; a value is None where the preset has none of them."""
    struct.must_have([value for value in values if value is not None])
    for field in struct.fields:
        path = f"{prefix}{field.name}"
        own: list[Any] = [None if value is None else value[field.name] for value in values]
        inner = field.item()
        shown = ["" if outer is None else _shown(value) for outer, value in zip(values, own, strict=True)]
        if inner is None:
            yield _row(path, field.doc, shown)
        elif isinstance(inner, Struct):
            yield _row(path, field.doc, shown)
            yield from _rows(f"{path}.", inner, own)
        elif inner.tag is None:
            yield _row(path, _choice(field.doc, inner), [value or "" for value in own])
        else:
            chosen = ["" if value is None else value[inner.tag] for value in own]
            yield _row(f"{path}.{inner.tag}", _choice(field.doc, inner), chosen)
            for variant in inner.variants:
                bodies = [_body(value, inner, variant.word) for value in own]
                for part in variant.fields:
                    shown = ["" if body is None else _shown(body[part.name]) for body in bodies]
                    yield _row(f"{path}.{part.name}", f"With `{variant.word}`: {_within(part.doc)}", shown)


def _body(value: Any, enum: Enum, word: str) -> Any:
    """What stands beside the tag, if there is a value and it is of that variant."""
    if value is None:
        return None
    if value[enum.tag] not in [variant.word for variant in enum.variants]:
        raise refuse(str(enum.path), f"the preset's {value[enum.tag]!r}", f"a variant of {enum.name}")
    return {key: one for key, one in value.items() if key != enum.tag} if value[enum.tag] == word else None


def _choice(doc: Doc | None, enum: Enum) -> Doc:
    listed = "; ".join(f"`{variant.word}`: {_within(variant.doc)}" for variant in enum.variants)
    return f"{doc} {listed}" if doc else listed


def _within(doc: Doc) -> str:
    """A sentence as part of another."""
    first = doc[:1].lower() if doc[1:2].islower() else doc[:1]
    return first + doc[1:].removesuffix(".")


def _head(names: list[str]) -> str:
    columns = " | ".join(f"`{name}`" for name in names)
    return f"\n| parameter | meaning | {columns} |\n| --- | --- |{' --- |' * len(names)}\n"


def _row(path: str, doc: Doc, values: list[str]) -> str:
    meaning = re.sub(r"(?<!\.)\.$", "", _linked(doc)).replace("|", "\\|")
    return f"| `{path}` | {meaning} | {' | '.join(values)} |\n"


def _shown(value: Any) -> str:
    """A value as JSON has it, with commas between thousands."""
    if isinstance(value, dict):
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return json.dumps(value)


def _linked(doc: Doc) -> str:
    """A comment in Markdown: a module is linked to its file."""
    said = re.sub(r"\[`crate::(?:\w+::)*(\w+)`\]", r"`\1`", doc)
    if "[`" in said:
        raise refuse(str(SOURCES), said, "links to modules only")
    return said

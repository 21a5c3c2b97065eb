"""Use one name for each parameter, in runs and in the identity of their series."""

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NAMES = {
    "asynchronous": "asynchronous_receives",
    "block_bytes": "message_bytes",
    "bytes": "message_bytes",
    "congestion": "congestion_control",
    "connection": "connection_type",
    "cuda_device": "cuda_device_index",
    "cuda_runtime": "cuda_runtime_version",
    "driver": "gpu_driver",
    "dual_port": "second_port",
    "engine": "copy_engine",
    "executor": "copy_engine",
    "gid_index2": "second_gid_index",
    "gpu": "gpu_model",
    "graph": "graph_launches",
    "groups": "rank_groups",
    "heading": "report_title",
    "integrity": "integrity_check",
    "label": "process_label",
    "library": "library_version",
    "link": "link_type",
    "local": "local_address",
    "max_bytes": "max_message_bytes",
    "max_inline": "max_inline_bytes",
    "min_bytes": "min_message_bytes",
    "mss": "tcp_mss_bytes",
    "mtu": "path_mtu_bytes",
    "mtu_size": "path_mtu_bytes",
    "nccl_headers": "nccl_headers_version",
    "nccl_library": "nccl_library_version",
    "number": "test_number",
    "p2p": "p2p_enabled",
    "part": "transfer_part",
    "port": "server_port",
    "post_list": "send_post_list",
    "qps": "queue_pairs",
    "read": "read_memory",
    "receive_buffer": "receive_memory",
    "recv_post_list": "receive_post_list",
    "redop": "reduction",
    "relaxed_ordering": "pcie_relaxed_ordering",
    "remote": "remote_address",
    "root": "root_rank",
    "rx_depth": "receive_queue_depth",
    "samples": "latency_samples",
    "send_buffer": "send_memory",
    "source": "source_device",
    "srq": "shared_receive_queue",
    "step_bytes": "message_step_bytes",
    "step_factor": "message_step_factor",
    "stream": "one_way_stream",
    "synchronous": "synchronous_sends",
    "tables": "mixed_tables",
    "target": "target_device",
    "target_bitrate": "target_bits_per_second",
    "threads": "threads_per_process",
    "tx_depth": "send_queue_depth",
    "type": "datatype",
    "validation": "validation_iterations",
    "window": "window_creation",
    "window_size": "window_messages",
    "wr_api": "work_request_api",
    "write": "write_memory",
}
_NAMES_OF_TOOL = {
    ("perftest", "device"): "rdma_device",
    ("mesh", "host"): "source_host",
    ("osu-micro-benchmarks", "title"): "report_title",
}
_OTHERWISE = {"device": "gpu_model", "host": "server_address"}
_FLAGS = frozenset(
    {
        *("second_port", "shared_receive_queue", "pcie_relaxed_ordering", "lock_free", "ddp", "work_request_api"),
        "rdma_cm",
    }
)
_MESH = {"exit": "exit_code", "route": "route", "small": "small_packet_exit_code", "says": "message"}
_DROPPED = ("bw_min", "rocm_memory")  # stored as a measurement; as ``memory``
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def upgrade() -> None:
    """Convert names that several tools used for different facts, and facts that had several names."""
    connection = op.get_bind()
    run = sa.table("run", sa.column("id"), sa.column("tool"), sa.column("parameters"))
    changed = [
        {"key": row.id, "text": text}
        for row in connection.execute(sa.select(run)).all()
        if (text := _JSON.encode(_convert_parameters(row.tool, json.loads(row.parameters)))) != row.parameters
    ]
    if changed:
        update = sa.update(run).where(run.c.id == sa.bindparam("key")).values(parameters=sa.bindparam("text"))
        connection.execute(update, changed)
    names = ("id", "hash", "tool", "test", "where", "ranks", "workload", "metric", "unit", "size_bytes", "place")
    series = sa.table("series", *(sa.column(name) for name in names))
    renamed = []
    for row in connection.execute(sa.select(series)).all():
        workload = _JSON.encode(
            sorted([_convert_name(row.tool, name), value] for name, value in json.loads(row.workload))
        )
        if workload == row.workload:
            continue
        run_identity = (row.tool, row.test, row.where, row.ranks, workload)
        identity = (*run_identity, row.metric, row.unit, row.size_bytes, row.place)
        digest = hashlib.blake2b(repr(identity).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        renamed.append({"key": row.id, "text": workload, "digest": digest})
    if renamed:
        update = sa.update(series).where(series.c.id == sa.bindparam("key"))
        update = update.values(workload=sa.bindparam("text"), hash=sa.bindparam("digest"))
        connection.execute(update, renamed)


def _convert_parameters(tool: str, old: dict[str, Any]) -> dict[str, Any]:
    new: dict[str, Any] = {}
    for name, value in old.items():
        kind, _, suffix = name.partition(" ")
        if name in _DROPPED:
            continue
        if kind == "env" and suffix:
            new.setdefault("environment", {})[suffix] = value
        elif tool == "mesh" and kind in _MESH and suffix:
            empty = dict.fromkeys(_MESH.values())
            new.setdefault("mesh_pairs", {}).setdefault(suffix, empty)[_MESH[kind]] = value
        else:
            new_name = _convert_name(tool, name)
            new[new_name] = {"ON": True, "OFF": False}.get(value, value) if new_name in _FLAGS else value
    return new


def _convert_name(tool: str, name: str) -> str:
    return _NAMES_OF_TOOL.get((tool, name)) or _OTHERWISE.get(name) or _NAMES.get(name, name)

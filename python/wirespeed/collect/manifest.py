"""The manifest of a bundle: the commands of each device with time and status."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import refuse

KIND = "bundle"
SCHEMA = 1
"""Number of the format. Readers ignore unknown keys; a change of meaning raises it."""

NAME = "manifest.json"
STATUSES = ("ok", "missing", "permission", "timeout", "failed", "not-applicable")

_SAFE = re.compile(r"[A-Za-z0-9._+@:,=-]+(/[A-Za-z0-9._+@:,=-]+)*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: the files of its output, and its status."""

    command: str  # id, ``name@interface`` for a command that is run once per NIC
    run: str  # as typed
    status: str
    file: str | None  # file with the standard output
    errors: str | None = None  # file with the standard error, if not empty
    exit_code: int | None = None
    started: str | None = None  # ISO 8601, UTC
    duration_ms: int | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """One device: the platforms of its outputs, and the commands."""

    name: str
    platforms: tuple[tuple[str, str], ...]  # (kind, name)
    outputs: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a bundle. ``complete`` is false if the collection was interrupted."""

    tool: str
    cluster: str | None
    devices: tuple[DeviceEntry, ...]
    complete: bool = True


def to_json(manifest: Manifest) -> str:
    """The manifest as a document."""
    document = {
        "kind": KIND,
        "schema": SCHEMA,
        "tool": manifest.tool,
        "cluster": manifest.cluster,
        "complete": manifest.complete,
        "devices": [
            {
                "name": device.name,
                "platforms": [{"kind": kind, "name": name} for kind, name in device.platforms],
                "outputs": [
                    {field: getattr(entry, field) for field in Entry.__dataclass_fields__} for entry in device.outputs
                ],
            }
            for device in manifest.devices
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str, file: str) -> Manifest:
    """Read a manifest; ``file`` is its name in a refusal.

    Raises:
        Refusal: it is truncated, of another kind, of a newer format, or malformed.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        location = f"{file}:{line}" if line else file
        raise refuse(
            location, "JSON that is cut or damaged", "a complete manifest", "copy the bundle again, or collect again"
        ) from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        kind = document.get("kind") if isinstance(document, dict) else None
        description = f"a document of kind {kind!r}" if kind else "a document without kind"
        raise refuse(file, description, f"kind {KIND!r}", "give a bundle that `wirespeed collect` wrote")
    schema = document.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise refuse(file, f"schema {schema!r}", f"a number from 1 to {SCHEMA}")
    if schema > SCHEMA:
        hint = f"a newer wirespeed ({document.get('tool', 'unnamed')}) wrote it; read it with that one"
        raise refuse(file, f"schema {schema}", f"schema {SCHEMA} or lower", hint)
    try:
        return _parse_manifest(document)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        reason = f"no key {error}" if isinstance(error, KeyError) else str(error)
        raise refuse(file, reason, f"a manifest of schema {SCHEMA}") from error


def _parse_manifest(document: Mapping[str, Any]) -> Manifest:
    devices = tuple(_parse_device(device) for device in document["devices"])
    counts = Counter(device.name for device in devices)
    repeated_name = next((name for name, count in counts.items() if count > 1), None)
    if repeated_name is not None:
        raise ValueError(f"device {repeated_name!r} twice")
    cluster = document.get("cluster")
    return Manifest(
        str(document["tool"]), None if cluster is None else str(cluster), devices, _parse_complete(document)
    )


def _parse_complete(document: Mapping[str, Any]) -> bool:
    complete = document.get("complete", True)
    if not isinstance(complete, bool):
        raise ValueError(f"complete {complete!r}")
    return complete


def _parse_device(device: Mapping[str, Any]) -> DeviceEntry:
    platforms = tuple((str(entry["kind"]), str(entry["name"])) for entry in device["platforms"])
    return DeviceEntry(
        _parse_name(device["name"]), platforms, tuple(_parse_entry(entry) for entry in device["outputs"])
    )


def _parse_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise ValueError(f"device name {name!r}")
    return name


def _parse_entry(entry: Mapping[str, Any]) -> Entry:
    if entry["status"] not in STATUSES:
        raise ValueError(f"status {entry['status']!r}")
    return Entry(
        command=str(entry["command"]),
        run=str(entry["run"]),
        status=entry["status"],
        file=_parse_path(entry.get("file")),
        errors=_parse_path(entry.get("errors")),
        exit_code=_parse_number(entry.get("exit_code")),
        started=None if entry.get("started") is None else str(entry["started"]),
        duration_ms=_parse_number(entry.get("duration_ms")),
        detail=None if entry.get("detail") is None else str(entry["detail"]),
    )


def _parse_path(path: object) -> str | None:
    if path is None:
        return None
    if not isinstance(path, str) or not _SAFE.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise ValueError(f"file name {path!r}")
    return path


def _parse_number(number: object) -> int | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{number!r} instead of a number")
    return number


__all__ = ["KIND", "NAME", "SCHEMA", "STATUSES", "DeviceEntry", "Entry", "Manifest", "from_json", "to_json"]

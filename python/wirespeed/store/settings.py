"""Settings stored with campaigns: one compressed text for each state of a device, shared by campaigns."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping

from sqlalchemy import Connection, delete, select

from wirespeed.store.configuration_diff import Settings
from wirespeed.store.tables import device, settings
from wirespeed.store.writer import ids, preserve_order


def keep(connection: Connection, campaign: int, settings_by_device: Mapping[str, Settings]) -> None:
    """Store the settings of devices; earlier settings of the same devices in this campaign are replaced."""
    texts = {name: _serialize(device_settings) for name, device_settings in settings_by_device.items()}
    hashes = {name: hashlib.sha256(text).digest() for name, text in texts.items()}
    new = {hashes[name]: zlib.compress(text) for name, text in sorted(texts.items())}
    if not new:
        return
    rows = [{"sha256": name, "content": content} for name, content in sorted(new.items())]
    connection.execute(preserve_order(connection, settings), rows)
    numbers = ids(connection, settings, settings.c.sha256, list(new))
    connection.execute(delete(device).where(device.c.campaign_id == campaign, device.c.name.in_(list(hashes))))
    connection.execute(
        device.insert(),
        [{"campaign_id": campaign, "name": name, "settings_id": numbers[hashes[name]]} for name in sorted(hashes)],
    )


def list_differing_settings(
    connection: Connection, a: int, b: int
) -> tuple[dict[str, Settings] | None, dict[str, Settings] | None]:
    """The settings of both campaigns, without unchanged devices; None for a campaign without any settings."""
    before, after = _read_states(connection, a), _read_states(connection, b)
    unchanged = {name for name in before.keys() & after.keys() if before[name] == after[name]}
    wanted = {number for states in (before, after) for name, number in states.items() if name not in unchanged}
    contents = {number: _read_content(connection, number) for number in sorted(wanted)}
    return tuple(  # type: ignore[return-value]
        {name: contents[number] for name, number in states.items() if name not in unchanged} if states else None
        for states in (before, after)
    )


def _read_states(connection: Connection, campaign: int) -> dict[str, int]:
    query = select(device.c.name, device.c.settings_id).where(device.c.campaign_id == campaign)
    return {row.name: row.settings_id for row in connection.execute(query)}


def _read_content(connection: Connection, number: int) -> Settings:
    packed = connection.execute(select(settings.c.content).where(settings.c.id == number)).scalar_one()
    content: Settings = json.loads(zlib.decompress(packed))
    return content


def _serialize(device_settings: Settings) -> bytes:
    return json.dumps(device_settings, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )

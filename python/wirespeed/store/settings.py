"""The settings of a campaign's time: one compressed text for each state of a device, shared by campaigns."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping

from sqlalchemy import Connection, delete, select

from wirespeed.store.configuration_diff import Settings
from wirespeed.store.tables import device, settings
from wirespeed.store.writer import ids, preserve_order


def keep(connection: Connection, campaign: int, found: Mapping[str, Settings]) -> None:
    """Store the settings of devices; what a campaign had of the same devices is replaced."""
    texts = {name: _text(known) for name, known in found.items()}
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


def differing_settings(
    connection: Connection, a: int, b: int
) -> tuple[dict[str, Settings] | None, dict[str, Settings] | None]:
    """The settings of both campaigns, without the devices that are unchanged; None where a campaign has none at all."""
    before, after = _states(connection, a), _states(connection, b)
    unchanged = {name for name in before.keys() & after.keys() if before[name] == after[name]}
    wanted = {number for states in (before, after) for name, number in states.items() if name not in unchanged}
    contents = {number: _content(connection, number) for number in sorted(wanted)}
    return tuple(  # type: ignore[return-value]
        {name: contents[number] for name, number in states.items() if name not in unchanged} if states else None
        for states in (before, after)
    )


def _states(connection: Connection, campaign: int) -> dict[str, int]:
    query = select(device.c.name, device.c.settings_id).where(device.c.campaign_id == campaign)
    return {row.name: row.settings_id for row in connection.execute(query)}


def _content(connection: Connection, number: int) -> Settings:
    held = connection.execute(select(settings.c.content).where(settings.c.id == number)).scalar_one()
    known: Settings = json.loads(zlib.decompress(held))
    return known


def _text(known: Settings) -> bytes:
    return json.dumps(known, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")

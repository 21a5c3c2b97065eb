#!/usr/bin/env python3
"""Merge wirespeed.json into the running CONFIG_DB: merge.py running.json wirespeed.json state.json > target.json

Rows of the interfaces that wirespeed.json configures, and its BGP tables, replace the present ones; all other rows
are added or stay. Merging again changes nothing. state.json holds the configuration without wirespeed, and the one of
the last apply: what an earlier wirespeed.json changed is undone first, unless it was changed again since.
"""

import json
import os
import sys

BREAKOUTS = {'Ethernet0': 2, 'Ethernet8': 2}
OF_INTERFACES = {"PORT_QOS_MAP", "QUEUE", "PFC_WD", "INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE"}
WHOLE = {"BGP_GLOBALS", "BGP_GLOBALS_AF", "BGP_GLOBALS_AF_NETWORK", "BGP_NEIGHBOR", "BGP_NEIGHBOR_AF"}


def find_target_key(table, key, row, ours):
    """The key of a present row without the configured interfaces; None if the row is removed."""
    parts = key.split("|")
    if table == "VLAN_MEMBER":
        return None if parts[-1] in ours else key
    computed = row.get("profile", "").strip("[]").startswith(("NULL", "pg_lossless", "BUFFER_PROFILE|pg_lossless"))
    if table not in OF_INTERFACES and not (table == "BUFFER_PG" and computed):
        return key
    other_names = [name for name in parts[0].split(",") if name not in ours]
    return "|".join([",".join(other_names), *parts[1:]]) if other_names else None


def merge(running, wanted):
    ours = {key.split("|")[0] for table in ("PORT", "VLAN", "LOOPBACK_INTERFACE") for key in wanted.get(table, {})}
    target = {}
    for table in sorted({*running, *wanted}):
        rows = {}
        replaced = table in WHOLE and wanted.get("BGP_GLOBALS")
        for key, row in {} if replaced else running.get(table, {}).items():
            target_key = find_target_key(table, key, row, ours)
            if target_key is not None:
                rows[target_key] = row
        for key, row in wanted.get(table, {}).items():
            rows[key] = {**rows.get(key, {}), **row}
        if rows:
            target[table] = rows
    return target


def find_breakout(tables, port):
    """The front-panel port of a port, and its breakout mode: ports are named after their first lane."""
    rows = {int(name.removeprefix("Ethernet")): row for name, row in tables.get("BREAKOUT_CFG", {}).items()}
    first = max((number for number in rows if number <= int(port.removeprefix("Ethernet"))), default=None)
    return (None, None) if first is None else (f"Ethernet{first}", rows[first].get("brkout_mode"))


def undo(running, original, applied):
    """The running configuration without the changes of the last apply, which led from original to applied."""
    base = {}
    for table in sorted({*running, *original}):
        rows = {}
        for key in {**running.get(table, {}), **original.get(table, {})}:
            present, earlier, last = (tables.get(table, {}).get(key) for tables in (running, original, applied))
            row = earlier if present == last else present
            if None not in (present, last) and present != last:  # changed since: undo the fields that were not
                earlier = earlier or {}
                row = {name: source[name] for name in {**present, **earlier}
                       if name in (source := earlier if present.get(name) == last.get(name) else present)} or None
            if row is not None:
                rows[key] = row
        if rows:
            base[table] = rows
    return base


def load(path):
    with open(path) as file:
        return json.load(file)


running, wanted, state_path = load(sys.argv[1]), load(sys.argv[2]), sys.argv[3]
base = undo(running, **load(state_path)) if os.path.exists(state_path) else running
for port in wanted.get("PORT", {}):
    panel, mode = find_breakout(base, port)
    if mode and int(mode.split("x")[0]) != BREAKOUTS.get(panel, 1):
        sys.exit(f"{panel} is split as {mode}, {port} is planned otherwise: roll back the earlier plan first")
missing = sorted({*wanted.get("PORT", {})} - {*base.get("PORT", {})})
if missing:
    sys.exit(f"ports that the switch does not have: {', '.join(missing)}; configure the breakout first")
target = merge(base, wanted)
with open(state_path, "w") as file:
    json.dump({"original": base, "applied": target}, file)
json.dump(target, sys.stdout, indent=4)

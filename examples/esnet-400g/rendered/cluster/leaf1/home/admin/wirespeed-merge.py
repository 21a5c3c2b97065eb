#!/usr/bin/env python3
"""Merge wirespeed.json into the running CONFIG_DB: merge.py running.json wirespeed.json state.json > target.json

Rows of the interfaces that wirespeed.json configures, and its BGP tables, replace the present ones; all other rows
are added or stay. Merging again changes nothing. state.json holds the configuration without wirespeed, and the one of
the last apply: what an earlier wirespeed.json changed is undone first, unless it was changed again since.

If the switch would make no buffer profile for a lossless priority group, this prints the reason and writes nothing. It
reads the buffer model, the lossless pool, and the profiles of the image for the traditional model.
"""

import json
import os
import sys

BREAKOUTS = {'Ethernet0': 2, 'Ethernet8': 2}
OF_INTERFACES = {"PORT_QOS_MAP", "QUEUE", "PFC_WD", "INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE"}
PROFILES = "/usr/share/sonic/device/{platform}/{hwsku}/pg_profile_lookup.ini"
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


def is_lossless(tables, row):
    """Whether a row of BUFFER_PG has a lossless buffer profile."""
    name = row.get("profile", "").strip("[]").rpartition("|")[2]
    profile = tables.get("BUFFER_PROFILE", {}).get(name, {})
    return "xoff" in profile or profile.get("headroom_type") == "dynamic"


def list_groups(key):
    """The ports and priority groups of a row of BUFFER_PG: Ethernet0,Ethernet4|3-4."""
    ports, _, numbers = key.partition("|")
    first, _, last = numbers.partition("-")
    return {(port, number) for port in ports.split(",") for number in range(int(first), int(last or first) + 1)}


def list_own_groups(tables):
    """Priority groups with a lossless profile of the switch's own configuration: they stay."""
    rows = tables.get("BUFFER_PG", {}).items()
    return {group for key, row in rows if is_lossless(tables, row) for group in list_groups(key)}


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
        own_groups = list_own_groups({**running, table: rows}) if table == "BUFFER_PG" else set()
        for key, row in wanted.get(table, {}).items():
            if table == "BUFFER_PG" and list_groups(key) <= own_groups:
                continue
            rows[key] = {**rows.get(key, {}), **row}
        if rows:
            target[table] = rows
    return target


def read_profiles(path):
    """The speeds and cable lengths, as text, for which the image has a lossless buffer profile."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [tuple(line.split()[:2]) for line in file if line.strip() and not line.startswith("#")]


def find_buffer_problem(target, wanted, profiles_path):
    """Why the switch would make no lossless buffer profile, and what to do; None without a reason."""
    lossless = {port: row["pfc_enable"] for port, row in wanted.get("PORT_QOS_MAP", {}).items() if row.get("pfc_enable")}
    if not lossless:
        return None
    if "ingress_lossless_pool" not in target.get("BUFFER_POOL", {}):
        return "the switch has no lossless buffer pool; hint: install an image with buffer files for this hardware"
    metadata = target.get("DEVICE_METADATA", {}).get("localhost", {})
    is_dynamic = metadata.get("buffer_model") == "dynamic"
    if wanted.get("BUFFER_PG") and not is_dynamic:
        return ("the switch uses the traditional buffer model, and this configuration needs the dynamic one; "
                "hint: run `sudo config qos reload`, then apply again")
    if is_dynamic:
        return None if wanted.get("BUFFER_PG") else (
            "the switch uses the dynamic buffer model, and this configuration needs the traditional one; hint: run "
            "`sonic-db-cli CONFIG_DB HSET 'DEVICE_METADATA|localhost' buffer_model traditional`, then apply again")
    path = profiles_path or PROFILES.format(platform=metadata.get("platform"), hwsku=metadata.get("hwsku"))
    profiles, own_groups, cables = read_profiles(path), list_own_groups(target), {}
    for row in target.get("CABLE_LENGTH", {}).values():
        cables.update(row)
    for port, numbers in lossless.items():
        speed, cable = target["PORT"][port].get("speed"), cables.get(port)
        if (speed, cable) in profiles or {(port, int(number)) for number in numbers.split(",")} <= own_groups:
            continue
        metres = int((cable or "0m").removesuffix("m"))
        lengths = [name for other_speed, name in profiles if other_speed == speed and int(name.removesuffix("m")) > metres]
        hint = f"plan a cable length of {' or '.join(lengths)}" if lengths else "use an image with such a profile"
        return f"{path} has no lossless profile for {port}: speed {speed}, cable length {cable or 'none'}; hint: {hint}"
    return None


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
problem = find_buffer_problem(target, wanted, sys.argv[4] if len(sys.argv) > 4 else None)
if problem:
    sys.exit(problem)
with open(state_path, "w") as file:
    json.dump({"original": base, "applied": target}, file)
json.dump(target, sys.stdout, indent=4)

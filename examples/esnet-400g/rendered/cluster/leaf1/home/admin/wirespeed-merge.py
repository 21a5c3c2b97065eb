#!/usr/bin/env python3
"""Merge wirespeed.json into the running CONFIG_DB: merge.py running.json wirespeed.json > target.json

Rows of the interfaces that wirespeed.json configures, and its BGP tables, replace the present ones; all other rows
are added or stay. Merging again changes nothing.
"""

import json
import sys

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


with open(sys.argv[1]) as running, open(sys.argv[2]) as wanted:
    json.dump(merge(json.load(running), json.load(wanted)), sys.stdout, indent=4)

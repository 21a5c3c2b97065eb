"""Ansible for the rendered files: an inventory of the devices, a playbook for apply, and one for rollback.

The playbooks run apply.sh and rollback.sh on many hosts. Without ``-e yes=true`` they only show the differences, with
``--check --diff`` line by line. They copy files to switches; a person enters the commands there, with a commit timer or
checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any

import yaml

from wirespeed.plan import Plan

_PLAYBOOKS = ("ansible-apply.yaml", "ansible-rollback.yaml")
INVENTORY = "ansible-inventory.yaml"


def ansible(plan: Plan, devices: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, text) of the files beside the devices' folders.

    Args:
        plan: plan of the cluster.
        devices: devices that have a folder.
    """
    yield INVENTORY, _format_inventory(plan, devices)
    folder = resources.files(__package__) / "templates"
    for name in _PLAYBOOKS:
        yield name, (folder / name).read_text(encoding="utf-8")


def _format_inventory(plan: Plan, devices: Sequence[str]) -> str:
    roles: dict[str, list[str]] = {}
    for name in plan.devices:
        if name in devices:
            roles.setdefault(plan.roles.get(name, "host"), []).append(name)
    switches = {_format_group(role): _list_hosts(names) for role, names in roles.items() if role != "host"}
    groups: dict[str, Any] = {"wirespeed_hosts": _list_hosts(roles.get("host", [])), "wirespeed_switches": {}}
    if switches:
        groups["wirespeed_switches"] = {"children": switches}
    document = {"all": {"children": groups}}
    head = (
        f"# The devices of {plan.name} in the order of the cluster file. Addresses and users are the site's own: put\n"
        "# ansible_host and ansible_user into host_vars/ or group_vars/ beside this file.\n"
    )
    return head + yaml.safe_dump(document, sort_keys=False, default_flow_style=False)


def _list_hosts(names: Sequence[str]) -> dict[str, Any]:
    return {"hosts": {name: {} for name in names}}


def _format_group(role: str) -> str:
    """A role as a group's name: letters, digits and underscores (Ansible user guide, inventory)."""
    return "wirespeed_" + "".join(sign if sign.isalnum() else "_" for sign in role)

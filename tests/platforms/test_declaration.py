"""``platform.yaml``: what does not fit is refused, with the file, the key and what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed import catalogue
from wirespeed.errors import Refusal
from wirespeed.platforms import platform, platform_of_system, platforms
from wirespeed.platforms.declaration import find_declared_default, list_declared_defaults, read_declaration
from wirespeed.platforms.setting_defaults import describe_default
from wirespeed.settings import ENTITIES, list_setting_types, list_settings
from wirespeed.units import Duration, Size

WHOLE = """\
title: Own OS
include: common
systems: [own]
files:
  - {template: startup.j2, path: /startup, mode: 600}
commands:
  - {id: version, run: show version | json, timeout_s: 60, reads: [switch.os_version]}
  - {id: port, run: "show port {interface}", per_nic: true, exits: [0, 1], reads: [switch.ports, port.link.mtu]}
  - {id: port-old, run: "show port", fallback_for: port, reads: [port.link.mtu], withheld: {denied: [port.link.mtu]}}
settings:
  port.link.mtu: {rendered: true, default: "1500"}
  port.link.fec: {automatic: the driver chooses it}
counters:
  drops: {command: port, meaning: frames dropped}
"""
SHARED = "settings:\n  port.link.mtu: {verified: false}\n  port.link.speed: {rendered: true}\n"

REFUSALS = {
    "unknown key": ("title: Own", "titel: Own", "own: found the key 'titel'; expected one of commands"),
    "meant key": (
        "timeout_s: 60",
        "timout_s: 60",
        "own: commands.0: found the key 'timout_s'; expected one of by_hand, exclusive",
    ),
    "hint": ("timeout_s: 60", "timout_s: 60", "did you mean 'timeout_s'?"),
    "key of a setting": ("rendered: true", "render: true", "own: settings.port.link.mtu: found the key 'render'"),
    "read is derived": ("rendered: true", "read: true", "own: settings.port.link.mtu: found the key 'read'"),
    "key of a file": ("mode: 600", "modus: 600", "own: files.0: found the key 'modus'"),
    "key of a counter": ("meaning: frames", "means: frames", "own: counters.drops: found the key 'means'"),
    "no title": ("title: Own OS\n", "", "own: missing key 'title'"),
    "no id": ("{id: version, ", "{", "own: commands.0: missing key 'id'"),
    "number as text": (
        "timeout_s: 60",
        'timeout_s: "60"',
        "own: commands.0.timeout_s: found '60'; expected a valid",
    ),
    "flag as number": (
        "per_nic: true",
        "per_nic: 1",
        "own: commands.1.per_nic: found 1; expected a valid boolean",
    ),
    "flag as text": ("rendered: true", 'rendered: "yes"', "own: settings.port.link.mtu.rendered: found 'yes'"),
    "text as flag": ('default: "1500"', "default: on", "own: settings.port.link.mtu.default: found True"),
    "one for a list": (
        "systems: [own]",
        "systems: own",
        "own: systems: found 'own'; expected a valid tuple",
    ),
    "list for a mapping": (
        "counters:\n  drops: {command: port, meaning: frames dropped}",
        "counters: [drops]",
        "own: counters: found a list",
    ),
    "mode in quotes": ("mode: 600", 'mode: "600"', "three octal digits"),
    "mode not octal": ("mode: 600", "mode: 690", "three octal digits"),
    "open quote": (
        "show version | json",
        "show 'version",
        'own: commands.0.run: found "show \'version"; expected a command line whose quotes are closed',
    ),
    "unknown setting": (
        "port.link.fec",
        "port.link.fecc",
        "own: settings: found the setting 'port.link.fecc'; expected one that exists\n  hint: did you mean",
    ),
    "unknown path read": (
        "[switch.os_version]",
        "[switch.os_release]",
        "own: commands.version: reads: found the setting 'switch.os_release'",
    ),
    "path withheld": (
        "{denied: [port.link.mtu]}",
        "{denied: [port.link.up]}",
        "own: commands.port-old: withheld: found the setting 'port.link.up'; expected one of port.link.mtu",
    ),
    "unknown command": (
        "command: port,",
        "command: ports,",
        "own: counters.drops: found the command 'ports'; expected one of port, port-old, version\n  hint: did",
    ),
    "fallback for nothing": (
        "fallback_for: port",
        "fallback_for: prot",
        "own: commands.port-old: found fallback_for 'prot'",
    ),
    "fallback for itself": (
        "fallback_for: port",
        "fallback_for: port-old",
        "own: commands.port-old: found fallback_for 'port-old'",
    ),
    "unknown placeholder": ("{interface}", "{nic}", "own: commands.port: run: found the placeholder 'nic'"),
    "placeholder of no NIC": (
        "per_nic: true, ",
        "",
        "own: commands.port: run: found {interface}; expected no placeholder but {home}, or per_nic: true",
    ),
    "unknown template": (
        "template: startup.j2",
        "template: start.j2",
        "own: files: found the template 'start.j2'; expected one of startup.j2",
    ),
    "unknown include": (
        "include: common",
        "include: comon",
        "own: include: found 'comon'; expected a folder with a shared.yaml",
    ),
    "same id twice": ("id: port-old", "id: version", "own: commands: found the id 'version' twice"),
    "same key twice": (
        "title: Own OS",
        "title: Own OS\ntitle: Other",
        "own:2: found the key 'title' twice; expected each key once",
    ),
    "same setting twice": (
        "  port.link.fec:",
        "  port.link.mtu: {}\n  port.link.fec:",
        "own:12: found the key 'port.link.mtu' twice",
    ),
    "rendered and automatic": (
        "{automatic: the",
        "{rendered: true, automatic: the",
        "own: settings.port.link.fec: found rendered beside automatic or instead",
    ),
    "no time": ("timeout_s: 60", "timeout_s: 0", "own: commands.0.timeout_s: found 0; expected greater than 0"),
    "negative time": ("timeout_s: 60", "timeout_s: -5", "own: commands.0.timeout_s: found -5; expected greater than 0"),
    "no command line": (
        "run: show version | json",
        'run: ""',
        "own: commands.0.run: found ''; expected a command line",
    ),
    "empty id": ("id: version", 'id: ""', "own: commands.0.id: found ''; expected small letters, digits"),
    "id with a slash": ("id: version", "id: ../x", "own: commands.0.id: found '../x'; expected small letters, digits"),
    "no exit code": ("exits: [0, 1]", "exits: []", "own: commands.1.exits: found a list; expected"),
    "exit code beyond 255": ("exits: [0, 1]", "exits: [300]", "own: commands.1.exits.0: found 300; expected less than"),
    "exit code twice": (
        "exits: [0, 1]",
        "exits: [1, 1]",
        "own: commands.1.exits: found a list; expected each entry once (1 is repeated)",
    ),
    "path read twice": (
        "[switch.os_version]",
        "[switch.os_version, switch.os_version]",
        "own: commands.0.reads: found a list; expected each entry once ('switch.os_version' is repeated)",
    ),
    "system twice": (
        "systems: [own]",
        "systems: [own, own]",
        "own: systems: found a list; expected each entry once ('own' is repeated)",
    ),
    "release of another system": (
        "systems: [own]",
        "systems: [own]\nreleases: [other-1]",
        "own: releases: found 'other-1'; expected a release of own",
    ),
    "relative path": ("path: /startup", "path: etc/startup", "own: files.0.path: found 'etc/startup'; expected an abs"),
    "path that leaves": ("path: /startup", "path: /a/../b", "own: files.0.path: found '/a/../b'; expected an absolute"),
    "same file twice": (
        "  - {template: startup.j2, path: /startup, mode: 600}",
        "  - {template: startup.j2, path: /startup}\n  - {template: startup.j2, path: /startup, mode: 600}",
        "own: files: found the path '/startup' twice; expected each path once",
    ),
    "default of another type": (
        'default: "1500"',
        "default: elephant",
        "own: settings.port.link.mtu.default: found 'elephant'; expected a whole number, or auto",
    ),
    "broken YAML": ("systems: [own]", "systems: [own", "own:4: YAML syntax error: "),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own" / "templates").mkdir(parents=True)
    (tmp_path / "own" / "templates" / "startup.j2").write_text("")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "shared.yaml").write_text(SHARED)
    return tmp_path


def test_a_whole_file_is_read(folder: Path) -> None:
    (folder / "own" / "platform.yaml").write_text(WHOLE)
    declaration = read_declaration(folder, "own")
    assert [command.run for command in declaration.commands][:2] == [
        ("show", "version", "|", "json"),
        ("show", "port", "{interface}"),
    ]
    assert declaration.commands[0].timeout_s == 60
    assert declaration.files[0].mode == 0o600
    assert {path: (setting.rendered, setting.read) for path, setting in declaration.settings.items()} == {
        "port.link.mtu": (True, True),
        "port.link.speed": (True, False),
        "port.link.fec": (False, False),
        "switch.os_version": (False, True),
    }


@pytest.mark.parametrize(("old", "new", "message"), REFUSALS.values(), ids=REFUSALS)
def test_what_does_not_fit_is_refused(folder: Path, old: str, new: str, message: str) -> None:
    assert WHOLE.count(old) == 1, old
    file = folder / "own" / "platform.yaml"
    file.write_text(WHOLE.replace(old, new))
    with pytest.raises(Refusal) as refusal:
        read_declaration(folder, "own")
    assert message in str(refusal.value).replace(str(file), "own")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("switch.lldp", "true", "on or off"),
        ("switch.watchdog_poll", "100", "a duration with its unit, such as 200 ms"),
        ("switch.watchdog_poll", "soon", "a duration with its unit, such as 200 ms"),
        ("queue.discipline", "fair", "one of strict, dwrr"),
        ("vlan.mtu", "1500 B routed", None),
        ("port.qos.watchdog.detect", "two polling intervals", None),
        ("host.launch.gid_index", "auto", None),
    ],
)
def test_a_default_fits_the_type_of_its_setting(path: str, text: str, expected: str | None) -> None:
    types = {path: kind for entity in ENTITIES for path, kind in list_setting_types(entity).items()}
    assert describe_default(types[path], text) == expected


@pytest.mark.parametrize(
    "text", ["titel: Own\n", "commands:\n  - {id: x, runs: y}\n", "settings:\n  nothing: {rendered: true}\n"]
)
def test_a_shared_file_is_held_to_the_same(folder: Path, text: str) -> None:
    (folder / "own" / "platform.yaml").write_text(WHOLE)
    (folder / "common" / "shared.yaml").write_text(text)
    with pytest.raises(Refusal):
        read_declaration(folder, "own")


def test_every_problem_is_named(folder: Path) -> None:
    (folder / "own" / "platform.yaml").write_text(WHOLE.replace("timeout_s", "timout_s").replace("per_nic", "pernic"))
    with pytest.raises(Refusal) as refusal:
        read_declaration(folder, "own")
    assert len(refusal.value.problems) == 2


def test_a_setting_is_read_when_a_command_shows_it() -> None:
    paths = {path for entity in ENTITIES for path in list_settings(entity)}
    for platform_entry in platforms().values():
        read_paths = {path for command in platform_entry.commands for path in command.reads} & paths
        assert {path for path, support in platform_entry.settings.items() if support.read} == read_paths


def test_defaults_are_values() -> None:
    assert list_declared_defaults("switch/nxos", "port.link.mtu", "peer.bfd") == {
        "port.link.mtu": 1500,
        "peer.bfd": False,
    }
    assert find_declared_default("switch/cumulus", "switch.watchdog_poll") == Duration.parse("100 ms")
    assert find_declared_default("switch/cumulus", "queue.ecn.maximum") == Size(1_500_000)
    assert find_declared_default("switch/cumulus", "queue.ecn.probability") == 100
    with pytest.raises(KeyError):
        find_declared_default("switch/eos", "port.link.up")


def test_headroom_is_automatic_where_the_platform_renders_no_cable_length() -> None:
    """The plan cannot read a platform's declaration: the catalogue repeats it."""
    for name, system in catalogue.load().switch_systems.items():
        support = platform("switch", platform_of_system("switch", name) or "").support("port.cable_length")
        assert system.automatic_headroom == (support.automatic is not None), name

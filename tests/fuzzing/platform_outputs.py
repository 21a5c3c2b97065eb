"""Outputs of a device, changed anywhere: what a platform's parser reads of them.

An input holds the outputs of some commands: a record separator (0x1e), the command's id, a newline, its text. Seeds are
what devices with planned settings would print, and recorded outputs.
"""

from __future__ import annotations

import math
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.target import Target
from fuzzing.text_mutation import mutate
from platforms.round_trip import answers
from platforms.test_round_trip import CLUSTERS, SAMPLES, devices
from wirespeed.facts import COMPLETE, Observation, Source, assemble_facts
from wirespeed.platforms import Output, Outputs, Platform, platforms
from wirespeed.settings import Device, Host, Switch

DEVICE = "leaf1"
CLUSTER = next(path for path in CLUSTERS if path.stem == "cluster")
LONGEST = 16_384
MEMBERS = 1
"""Ports of a switch and NICs and GPUs of a host in a planned seed; recorded outputs, and changes, have several."""


def targets() -> list[Target]:
    """A target for each platform with a parser: platforms that share one have one target."""
    by_parser: dict[Any, Platform] = {}
    for platform in platforms().values():
        by_parser.setdefault(platform.parse, platform)
    return [
        Target(
            f"platform_{platform.kind}_{platform.name.replace('-', '_')}",
            partial(check, platform),
            partial(seeds, platform),
            lambda content, random, platform=platform: _mutate(platform, content, random),  # type: ignore[misc]
            LONGEST,
        )
        for platform in by_parser.values()
    ]


def check(platform: Platform, content: bytes) -> None:
    """Nothing is raised; every value is cited from a line that there is, and is no negative or infinite number.

    Without the last lines of one output, no value that is cited from another output differs.
    """
    texts = decode(content)
    whole = _read(platform, texts)
    counts = {command: text.count("\n") + 1 for command, text in texts.items()}
    for observation in whole:
        _check_observation(observation, counts)
    assemble_facts(whole, devices=[DEVICE])
    if len(texts) > 1:
        chosen = zlib.crc32(content)
        command = sorted(texts)[chosen % len(texts)]
        lines = texts[command].split("\n")
        text = "\n".join(lines[: chosen // len(texts) % len(lines)])
        _check_part(command, whole, _read(platform, {**texts, command: text + "\n" if text else ""}))


def _check_observation(observation: Observation, counts: Mapping[str, int]) -> None:
    """``counts``: lines of each command's output."""
    assert observation.source.command in counts, observation
    if observation.source.line is not None:
        assert 1 <= observation.source.line <= counts[observation.source.command], observation
    assert observation.place.device == DEVICE, observation
    for kind, name in observation.place.entities:
        assert kind and name, observation
    if observation.value != COMPLETE:
        _check_value(observation, observation.value)


def _check_value(observation: Observation, value: Any) -> None:
    match value:
        case float():
            assert value >= 0 and math.isfinite(value), observation
        case int():
            is_default = observation.path.startswith("host.launch.") and value < 0  # the library's own choice
            assert is_default or 0 <= value < 10**60, observation
        case Mapping():
            for key, inner in value.items():
                _check_value(observation, key)
                _check_value(observation, inner)
        case tuple() | frozenset():
            for inner in value:
                _check_value(observation, inner)
        case None:
            raise AssertionError(observation)


def _check_part(command: str, whole: list[Observation], part: list[Observation]) -> None:
    """Compare what is read with a shorter output of one command with what is read of the whole outputs.

    What is read of the shorter output itself may differ: a line that contradicts others may be gone.
    """
    values: dict[Any, list[Any]] = {}
    for observation in whole:
        values.setdefault(
            (observation.place, observation.path, observation.source.command, observation.state), []
        ).append(observation.value)
    for observation in part:
        if observation.source.command != command:
            expected_values = values.get(
                (observation.place, observation.path, observation.source.command, observation.state),
                [observation.value],
            )
            assert observation.value in expected_values, (
                f"another value without the end of {command}: {observation}, was {expected_values}"
            )


def _read(platform: Platform, texts: Mapping[str, str]) -> list[Observation]:
    outputs = {name: Output(name, text, Source(DEVICE, name, f"{name}.txt")) for name, text in texts.items()}
    return list(platform.parse(Outputs(DEVICE, outputs)))


def decode(content: bytes) -> dict[str, str]:
    """The text of each command in an input."""
    texts: dict[str, str] = {}
    for part in content.split(b"\x1e")[1:]:
        name, _, text = part.partition(b"\n")
        texts[name.decode("utf-8", "replace")] = text.decode("utf-8", "replace")
    return texts


def encode(texts: Mapping[str, str]) -> bytes:
    """The input that holds the text of each command."""
    return b"".join(b"\x1e" + name.encode() + b"\n" + text.encode() for name, text in texts.items())


@cache
def _seeds(kind: str, name: str) -> tuple[bytes, ...]:
    platform = platforms()[kind, name]
    seeds: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        planned = devices(platform, CLUSTER, Path(folder))
    for device in list(planned.values())[:: max(1, len(planned) // 4)]:
        outputs = answers(platform, DEVICE, _small(device)).outputs
        seeds.append({name: output.text for name, output in outputs.items()})
    seeds += [
        {file.stem: file.read_text(encoding="utf-8") for file in sorted(case.glob("*.txt"))}
        for case in sorted((SAMPLES / platform.folder.name).glob("*/"))
    ]
    contents = [encode(texts) for texts in seeds]
    contents += [encode({name: text}) for texts in seeds for name, text in texts.items()]
    return tuple(dict.fromkeys(content[:LONGEST] for content in contents))


def seeds(platform: Platform) -> list[bytes]:
    """Inputs to start from: all outputs of a device, and each separately."""
    return list(_seeds(platform.kind, platform.name))


def _small(device: Device) -> Device:
    if isinstance(device, Switch):
        return replace(device, ports=dict(list(device.ports.items())[:MEMBERS]))
    assert isinstance(device, Host)
    nics, gpus = list(device.nics.items())[:MEMBERS], list(device.gpus.items())[:MEMBERS]
    return replace(device, nics=dict(nics), gpus=dict(gpus))


def _mutate(platform: Platform, content: bytes, random: Random) -> bytes:
    """Change the text of one command, or take another from a seed."""
    parts = content.split(b"\x1e")
    if len(parts) < 2 or random.random() < 0.1:
        return content + random.choice(_seeds(platform.kind, platform.name))
    index = random.randrange(1, len(parts))
    name, _, text = parts[index].partition(b"\n")
    parts[index] = name + b"\n" + mutate(text, random, _seeds(platform.kind, platform.name)).replace(b"\x1e", b"")
    return b"\x1e".join(parts)

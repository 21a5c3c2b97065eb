"""The example's bundles: a healthy one, twelve faults alone and together, and one that lacks permission.

``faults.txt`` holds what each fault must give, commands included, and that it gives nothing else. After a change of
words ``WIRESPEED_ACCEPT=1 pytest tests/checks`` writes it again; read the difference.
"""

import importlib.util
import json
import os
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.collect.planned import as_planned
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"
BUNDLES = EXAMPLE / "bundles"
GOLDEN = Path(__file__).with_name("faults.txt")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


faulty = script("faulty")


def check(bundle: Path, *options: str) -> tuple[int, dict]:
    arguments = ["check", str(EXAMPLE / "cluster.yaml"), str(bundle), "--format", "json", *options]
    result = CliRunner().invoke(app, arguments)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def bad(document: dict) -> list[dict]:
    return [one for one in document["findings"] if one["status"] not in ("pass", "skip")]


def told(finding: dict) -> str:
    lines = [
        f"{finding['status'].upper()} {finding['check']} on {finding['device']}, {finding['place']}",
        f"  {finding['summary']}",
        f"  expected {finding['expected']}",
        f"  found    {finding['found']}",
        *(f"  read     {source}" for source in finding["evidence"]),
    ]
    if finding["cost"]:
        lines.append(f"  costs    {finding['cost']['value']} {finding['cost']['unit']}: {finding['cost']['basis']}")
    for fix in finding["fix"]:
        lines.append(f"  fix      {fix['sentence']}{told_of(fix['consequence'])}")
        lines.extend(f"             {command}" for command in fix["commands"])
    return "\n".join(lines) + "\n"


def told_of(consequence: str | None) -> str:
    return f" ({consequence})" if consequence else ""


def test_the_healthy_bundle_passes() -> None:
    code, document = check(BUNDLES / "healthy", "--strict")
    assert code == 0
    assert {finding["status"] for finding in document["findings"]} == {"pass", "skip"}
    assert Counter(finding["status"] for finding in document["findings"])["pass"] > 1500


def test_the_healthy_bundle_is_what_a_cluster_as_planned_prints(tmp_path: Path) -> None:
    as_planned(build(read(EXAMPLE / "cluster.yaml"), load()), tmp_path / "healthy")
    assert files(tmp_path / "healthy") == files(BUNDLES / "healthy"), "run examples/mi300x-4node/make_bundles.py"


def files(folder: Path) -> dict[str, str]:
    """Content by name, whatever version of wirespeed wrote the manifest."""
    return {
        str(path.relative_to(folder)): re.sub('"tool": ".*"', '"tool": ""', path.read_text(encoding="utf-8"))
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict]]:
    """What each of the twelve faults gives by itself, by the name of its patch."""
    folder = tmp_path_factory.mktemp("alone")
    found = {}
    for fault in faulty.TWELVE:
        faulty.apply(BUNDLES, folder / fault, (fault,))
        code, document = check(folder / fault)
        assert code == 1
        found[next((BUNDLES / "faults").glob(f"{fault}-*.patch")).stem] = bad(document)
    return found


def test_each_fault_alone_gives_its_findings_and_no_other(alone: dict[str, list[dict]]) -> None:
    text = "\n".join(f"=== {name}\n{''.join(told(one) for one in found)}" for name, found in alone.items())
    if os.environ.get("WIRESPEED_ACCEPT"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_all_twelve_together_are_all_found(alone: dict[str, list[dict]], tmp_path: Path) -> None:
    faulty.apply(BUNDLES, tmp_path / "all", faulty.TWELVE)
    together = Counter(key(finding) for finding in bad(check(tmp_path / "all")[1]))
    assert together == Counter(key(finding) for found in alone.values() for finding in found)
    assert len(together) == 13  # the two swapped cables are two ports


def key(finding: dict) -> tuple[str, ...]:
    return tuple(finding[name] for name in ("check", "status", "device", "place", "expected", "found"))


def test_lacking_permission_is_unknown_there_and_nowhere_else(tmp_path: Path) -> None:
    faulty.apply(BUNDLES, tmp_path / "denied", ("13",))
    code, document = check(tmp_path / "denied")
    assert code == 3
    assert {finding["status"] for finding in bad(document)} == {"unknown"}
    assert Counter((finding["check"], finding["device"]) for finding in bad(document)) == {
        ("host.kernel-log", "node1"): 1,
        ("nic.relaxed-ordering", "node2"): 8,
        ("pcie.acs", "node2"): 16,
        ("pcie.link", "node2"): 12,
        ("nic.qos-ets", "node3"): 1,
        ("nic.qos-pfc", "node3"): 1,
        ("nic.qos-priority-tc", "node3"): 1,
    }
    reasons = {finding["check"]: finding["found"] for finding in bad(document)}
    assert reasons["host.kernel-log"] == (
        "not read: host.kernel.errors: dmesg: permission: dmesg: read kernel buffer failed: Operation not permitted"
    )
    assert "access denied" in reasons["pcie.acs"]
    assert reasons["nic.qos-pfc"].startswith("not read: nic.qos.pfc: niccli-qos on enp29s0np0: permission: ")


def test_findings_of_one_check_or_status_alone(tmp_path: Path) -> None:
    faulty.apply(BUNDLES, tmp_path / "one", ("02", "08"))
    code, document = check(tmp_path / "one", "--only", "port.mtu", "--status", "fail,warn")
    assert code == 1
    assert [(finding["check"], finding["place"]) for finding in document["findings"]] == [("port.mtu", "port Eth1/21")]
    assert document["counts"]["fail"] == 1
    assert document["notes"] == ["1 of 32 findings are shown: fail, warn"]


def test_findings_as_a_table_and_as_junit(tmp_path: Path) -> None:
    faulty.apply(BUNDLES, tmp_path / "one", ("08",))
    command = ["check", str(EXAMPLE / "cluster.yaml"), str(tmp_path / "one")]
    table = CliRunner().invoke(app, command, env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert table.exit_code == 1
    assert "FAIL    port.mtu port Eth1/21\n" in table.stdout
    assert "1 fail  0 warn  0 unknown  0 error" in table.stdout
    junit = CliRunner().invoke(app, [*command, "--format", "junit"])
    suites = ElementTree.fromstring(junit.stdout)
    failures = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
    assert failures == ["port Eth1/21"]


def test_a_fault_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^no fault '14'; there are 01-acs-reqredir, 02-nic-x8, "):
        faulty.apply(BUNDLES, tmp_path / "out", ("14",))


def test_a_patch_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    patch = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    (tmp_path / "faults").mkdir()
    (tmp_path / "faults" / "01-f.patch").write_text(patch)
    (tmp_path / "healthy").mkdir()
    (tmp_path / "healthy" / "f").write_text("one\nthree\n")
    with pytest.raises(ValueError, match=r"^01: f:2: the patch does not fit: no line 'two'$"):
        faulty.apply(tmp_path, tmp_path / "out", ("01",))


@pytest.mark.parametrize("variant", ["cluster-rail24", "cluster-eos", "cluster-eos-rail24"])
def test_every_variant_as_planned_passes(variant: str, tmp_path: Path) -> None:
    cluster = EXAMPLE / f"{variant}.yaml"
    as_planned(build(read(cluster), load()), tmp_path / "bundle")
    result = CliRunner().invoke(app, ["check", str(cluster), str(tmp_path / "bundle"), "--format", "json"])
    assert bad(json.loads(result.stdout)) == []
    assert result.exit_code == 0

"""Reading cluster files."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.cluster import TEMPLATE, Cluster, Pattern, Scheme, read, read_text, schema
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.settings import Dscp, Priority
from wirespeed.units import Length

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(path for path in EXAMPLES.glob("*/cluster*.yaml"))
SMALL_AND_LARGE = [
    pytest.param(path, marks=[pytest.mark.slow] if path.parent.name == "scale-32768" else []) for path in FILES
]
SMALL = """\
version: 1
name: small
hosts:
  node[09-11]:
    model: dell-xe9680-mi300x
    os: ubuntu-22.04
    nics: 2 x broadcom-bcm957608-p1400gd
    nic: {enp29s0np0: {mtu: 4200}}
    except:
      node10: {mtu: 1500, nic: {enp29s0np0: {rail: 4}}}
switches:
  "leaf1,leaf[3-4]": {model: dell-z9664f, except: {leaf3: {role: border, ecn: {minimum: 1 MB}}}}
cabling: {pattern: by-rail, length: 2.5 m}
addresses: {scheme: rail-24}
classes:
  roce: {dscp: "26", priority: 3, lossless: true, share: 60 %, congestion: dcqcn-p}
  bulk: {dscp: [8-10, "12"], priority: 1, share: 10}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


@pytest.fixture(scope="module")
def small() -> Cluster:
    return read_text(SMALL, "small.yaml")


def test_ranges_keep_order_and_padding(small: Cluster) -> None:
    assert list(small.hosts) == ["node09", "node10", "node11"]
    assert list(small.switches) == ["leaf1", "leaf3", "leaf4"]


def test_an_exception_is_merged_key_by_key(small: Cluster) -> None:
    regular, special = small.hosts["node11"].part, small.hosts["node10"].part
    assert (regular.mtu, special.mtu) == (None, 1500)
    assert (regular.nic["enp29s0np0"].mtu, regular.nic["enp29s0np0"].rail) == (4200, None)
    assert (special.nic["enp29s0np0"].mtu, special.nic["enp29s0np0"].rail) == (4200, 4)
    assert small.switches["leaf3"].role == "border"
    assert small.switches["leaf4"].role == "leaf"


def test_hosts_of_a_range_share_their_part(small: Cluster) -> None:
    assert small.hosts["node09"].part is small.hosts["node11"].part


def test_fields_type_the_text(small: Cluster) -> None:
    assert small.classes["roce"].dscp == frozenset({Dscp(26)})
    assert small.classes["roce"].share == 60
    assert small.classes["bulk"].dscp == frozenset(map(Dscp, (8, 9, 10, 12)))
    assert small.classes["bulk"].priority == Priority(1)
    assert small.classes["bulk"].lossless is False
    assert small.cabling.pattern is Pattern.BY_RAIL
    assert small.cabling.length == Length(2500)
    assert small.addresses.scheme is Scheme.RAIL_24


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("hosts", "node[09-11]", "except", "node10"), 10),
        (("hosts", "node[09-11]", "nic", "enp29s0np0", "mtu"), 8),
        (("classes", "bulk", "dscp", 1), 17),
        (("classes", "bulk", "no-such-key"), 17),
    ],
)
def test_every_part_knows_its_line(small: Cluster, path: tuple[str | int, ...], line: int) -> None:
    assert small.origin.locate(*path) == f"small.yaml:{line}"


@pytest.mark.parametrize("file", SMALL_AND_LARGE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_examples_fit_the_schema(file: Path) -> None:
    jsonschema.Draft202012Validator(schema()).validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    warnings = [f"{problem.found}; expected {problem.expected}" for problem in build(read(file)).warnings]
    assert warnings == WARNINGS.get(f"{file.parent.name}/{file.stem}", [])


_QUEUE_PAIRS = (
    "128 ranks on each of 64 hosts over RC: 1,032,192 queue pairs on a host if every rank sends to every other; "
    "expected at most 65,537, the limit of its NICs: Broadcom BCM957508-P2100G, 2 x 100G PCIe card (Thor)"
)
WARNINGS = {
    "bluebonnet-64node/cluster": [
        "up to 229,376 queue pairs on a host if every rank sends to every other: jobs on 6 to 15 hosts with 128 ranks "
        "per host use RC alone (fewer than 2,048 ranks); "
        "expected at most 65,537, the limit of its NICs: Broadcom BCM957508-P2100G, 2 x 100G PCIe card (Thor)"
    ],
    "bluebonnet-64node/cluster-openmpi": [_QUEUE_PAIRS],
    "bluebonnet-64node/cluster-rc": [_QUEUE_PAIRS],
    "esnet-400g/cluster": [
        "a breakout of 2 on edgecore-as9716-32d: public releases of Community SONiC cannot split its ports; "
        "expected an image of the switch's vendor with dynamic port breakout"
    ],
    "scale-1024/cluster": [
        "no path between hosts: 128 separate networks, such as node[0001-0008] and node[0009-0016]; "
        "expected one network"
    ],
}


@pytest.mark.parametrize("wrong", [{"version": 2}, {"adresses": {}}, {"classes": {"roce": {"priority": 8}}}])
def test_the_schema_refuses_what_the_reader_refuses(wrong: dict[str, object]) -> None:
    document = {**yaml.safe_load(FILES[0].read_text(encoding="utf-8")), **wrong}
    assert not jsonschema.Draft202012Validator(schema()).is_valid(document)
    with pytest.raises(Refusal):
        read_text(json.dumps(document), "wrong.yaml")


def test_the_template_is_a_good_cluster_file() -> None:
    assert build(read_text(TEMPLATE, "template.yaml")).warnings == ()


def test_json_is_read_too() -> None:
    document = json.dumps(yaml.safe_load(FILES[0].read_text(encoding="utf-8")))
    assert list(read_text(document, "cluster.json").hosts) == list(read(FILES[0]).hosts)


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("bytes") / "cluster.yaml"
    file.write_bytes(data)
    _read_or_refuse(file)


@given(st.text(max_size=300))
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    try:
        read_text(text, "any.yaml")
    except Refusal as refusal:
        assert refusal.problems


@given(
    st.integers(0, len(SMALL) - 1),
    st.integers(0, 40),
    st.text(alphabet="[]{}:,-#&*!|>'\"%@`\n\t 019abc\x00é", max_size=12),
)
def test_a_damaged_file_is_planned_or_refused(start: int, length: int, replacement: str) -> None:
    try:
        build(read_text(SMALL[:start] + replacement + SMALL[start + length :], "damaged.yaml"))
    except Refusal as refusal:
        whole = ("YAML syntax error: ", "missing key ")
        assert all(problem.expected or problem.found.startswith(whole) for problem in refusal.problems)


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5_000, "- " * 100_000, "? " * 50_000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        read_text(text, "deep.yaml")


def _read_or_refuse(file: Path) -> None:
    try:
        read(file)
    except Refusal as refusal:
        assert all(problem.location.startswith(str(file)) for problem in refusal.problems)


def test_a_file_without_classes_has_those_of_the_vendor_document() -> None:
    """Broadcom 957608-AN210, 2.5: RoCE data with DSCP 26 at priority 3, congestion notification with 48 at 7."""
    classes = read_text(SMALL.partition("classes:")[0], "small.yaml").classes
    assert {
        name: (part.dscp, part.priority, part.lossless, part.strict, part.share) for name, part in classes.items()
    } == {
        "roce": ({Dscp(26)}, Priority(3), True, False, 50),
        "cnp": ({Dscp(48)}, Priority(7), False, True, None),
    }

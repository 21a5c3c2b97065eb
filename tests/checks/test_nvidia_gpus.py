"""GPUs as nvidia-smi numbers them.

Addresses are those of public records: two GPUs of an HGX H100 of which nvidia-smi lists one, and abel1 with two own and
two borrowed GPUs (Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6). The tree of abel1's
borrowed GPUs is constructed: the card's bridges are those that lspci shows of an MXH930.
Bundles of the DGX H100 are constructed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.facts import Source, assemble_facts
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.platforms import Output, Outputs
from wirespeed.platforms.host.linux import parse_system
from wirespeed.results.findings import Status
from wirespeed.settings import Place, is_address

EXAMPLE = Path(__file__).parents[2] / "examples/pcie-lending/cluster.yaml"
HEAD = "3D controller [0302]: NVIDIA Corporation GK110GL [Tesla K20Xm] [10de:1021] (rev a1)"
PORT = "PCI bridge [0604]: Intel Corporation Xeon E5/Core i7 IIO PCI Express Root Port 3a [8086:3c08] (rev 07)"
UPSTREAM = "PCI bridge [0604]: PLX Technology, Inc. PEX 8733 32-Lane PCI Express Gen 3 Switch [10b5:8733] (rev ca)"


@pytest.mark.parametrize(
    ("text", "addresses", "is_complete"),
    [
        ("0, 00000000:1B:00.0\n1, 00000000:43:00.0\n", ["0000:1b:00.0", "0000:43:00.0"], True),
        (
            "0, 00000000:1B:00.0\nUnable to determine the device handle for GPU 0000:3D:00.0: GPU is lost.  Reboot the"
            " system to recover this GPU\n",
            ["0000:1b:00.0"],
            False,
        ),
        ("No devices were found\n", [], True),  # exit code 6
        (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest"
            " NVIDIA driver is installed and running.\n\n",
            [],
            True,
        ),  # exit code 9
        ("", [], False),
    ],
)
def test_gpus_have_the_index_of_nvidia_smi(text: str, addresses: list[str], is_complete: bool) -> None:
    output = Output("nvidia-gpus", text, Source("h", "nvidia-gpus", "nvidia-gpus.out"))
    facts = assemble_facts(parse_system.parse(Outputs("h", {"nvidia-gpus": output})))
    gpus = {} if not facts.devices else facts.devices["h"].gpus  # type: ignore[union-attr]
    assert {name: gpu.pcie for name, gpu in gpus.items()} == {
        f"GPU{index}": address for index, address in enumerate(addresses)
    }
    assert facts.complete(Place("h"), "host.gpus") == is_complete


def without_second_gpu(text: str) -> str:
    """What nvidia-smi prints without its second GPU: the others are numbered again."""
    addresses = [line.partition(", ")[2] for line in text.splitlines()]
    return "".join(f"{index}, {address}\n" for index, address in enumerate([addresses[0], *addresses[2:]]))


def without_last_gpu(text: str) -> str:
    return text[: text.index("GPU 7:")]


def write_functions(rows: list[tuple[str, str, str, str | None]]) -> str:
    text = ""
    for address, head, role, below in rows:
        bus = f"\tBus: primary={address[:2]}, secondary={below}, subordinate={below}, sec-latency=0\n" if below else ""
        text += f"0000:{address} {head}\n{bus}\tCapabilities: [68] Express (v2) {role}, MSI 00\n"
        text += "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM not supported\n"
        text += "\t\tLnkSta:\tSpeed 8GT/s, Width x16\n\n"
    return text


OWN_GPUS = [
    ("00:02.0", PORT, "Root Port (Slot+)", "05"),
    ("05:00.0", HEAD, "Endpoint", None),
    ("80:02.0", PORT, "Root Port (Slot+)", "85"),
    ("85:00.0", HEAD, "Endpoint", None),
]
BORROWED_GPUS = [
    ("00:03.0", PORT, "Root Port (Slot+)", "02"),
    ("02:00.0", UPSTREAM, "Upstream Port", "03"),
    ("03:04.0", HEAD, "Endpoint", None),
    ("03:05.0", HEAD, "Endpoint", None),
]


@pytest.mark.parametrize(
    ("functions", "listed", "expected"),
    [
        pytest.param(OWN_GPUS, ("05:00.0", "85:00.0"), ("05:00.0", "85:00.0"), id="own"),
        pytest.param(
            [*OWN_GPUS, *BORROWED_GPUS],
            ("03:04.0", "03:05.0", "05:00.0", "85:00.0"),
            ("05:00.0", "85:00.0"),
            id="borrowed-first",
        ),
        pytest.param(OWN_GPUS, ("05:00.0",), ("05:00.0", "85:00.0"), id="in-lspci-alone"),
    ],
)
def test_planned_gpus_are_the_host_s_own(
    functions: list[tuple[str, str, str, str | None]],
    listed: tuple[str, ...],
    expected: tuple[str, ...],
    tmp_path: Path,
) -> None:
    plan = build(read_text(EXAMPLE.read_text(encoding="utf-8"), "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    host = tmp_path / "bundle/abel1"
    (host / "lspci.out").write_text(write_functions(sorted(functions)))
    (host / "nvidia-gpus.out").write_text("".join(f"{n}, 00000000:{name}\n" for n, name in enumerate(listed)))
    facts = read_facts(tmp_path / "bundle")
    located = locate(plan, facts)
    gpus = located.hosts["abel1"].gpus
    assert tuple(gpu.pcie for gpu in gpus.values()) == tuple(f"0000:{name}" for name in expected)
    absent = {
        finding.place
        for finding in run(located, facts)
        if finding.device == "abel1" and finding.check == "gpu.presence" and finding.status is Status.FAIL
    }
    assert absent == {f"gpu GPU{n}" for n, name in enumerate(expected) if name not in listed}


@pytest.mark.parametrize(("host", "count"), [("abel1", 4), ("abel2", 2)])
def test_both_lists_of_a_planned_bundle_have_the_same_gpus(host: str, count: int, tmp_path: Path) -> None:
    """A borrower's driver lists own and borrowed GPUs; both commands are those of nvidia-smi."""
    plan = build(read_text(EXAMPLE.read_text(encoding="utf-8"), "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    indexed, addresses = (
        (tmp_path / "bundle" / host / f"{name}-gpus.out").read_text().splitlines() for name in ("nvidia", "usable")
    )
    assert indexed == [f"{index}, {address}" for index, address in enumerate(addresses)]
    assert len(set(addresses)) == count
    facts = read_facts(tmp_path / "bundle")
    findings = run(locate(plan, facts), facts)
    assert not [finding for finding in findings if finding.status not in (Status.PASS, Status.SKIP)]


FIRST_OWN_GPU, SECOND_OWN_GPU = OWN_GPUS[:2], OWN_GPUS[2:]


@pytest.mark.parametrize(
    ("host_gpus", "listed", "located_at", "absent"),
    [
        pytest.param(FIRST_OWN_GPU, ("05:00.0",), ["0000:05:00.0", None], ["GPU1"], id="without-the-second"),
        pytest.param(SECOND_OWN_GPU, ("85:00.0",), [None, "0000:85:00.0"], ["GPU0"], id="without-the-first"),
        pytest.param(FIRST_OWN_GPU[:1], (), [None, None], ["GPU0", "GPU1"], id="without-both"),
        pytest.param(OWN_GPUS, ("05:00.0",), ["0000:05:00.0", "0000:85:00.0"], ["GPU1"], id="drained"),
    ],
)
def test_a_borrowed_gpu_is_not_taken_for_a_missing_own_one(
    host_gpus: list[tuple[str, str, str, str | None]],
    listed: tuple[str, ...],
    located_at: list[str | None],
    absent: list[str],
    tmp_path: Path,
) -> None:
    """The loans are in order: nothing is to be borrowed again, and no card is in another slot than planned."""
    plan = build(read_text(EXAMPLE.read_text(encoding="utf-8"), "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    host = tmp_path / "bundle/abel1"
    functions = write_functions(sorted([*host_gpus, *BORROWED_GPUS]))
    for address, node in (("05:00.0", 0), ("85:00.0", 1), ("03:04.0", 0), ("03:05.0", 0)):
        functions = functions.replace(f"{address} {HEAD}\n", f"{address} {HEAD}\n\tNUMA node: {node}\n")
    (host / "lspci.out").write_text(functions)
    addresses = ["03:04.0", "03:05.0", *listed]
    (host / "nvidia-gpus.out").write_text("".join(f"{n}, 00000000:{name}\n" for n, name in enumerate(addresses)))
    (host / "usable-gpus.out").write_text("".join(f"00000000:{name}\n" for name in addresses))
    facts = read_facts(tmp_path / "bundle")
    located = locate(plan, facts)
    gpus = located.hosts["abel1"].gpus.values()
    assert [gpu.pcie if is_address(gpu.pcie) else None for gpu in gpus] == located_at
    failed = [finding for finding in run(located, facts) if finding.device == "abel1" and finding.status is Status.FAIL]
    failed = [finding for finding in failed if finding.check.partition(".")[0] in ("gpu", "lending")]
    assert [(finding.check, finding.place) for finding in failed] == [
        *(("gpu.presence", f"gpu {name}") for name in absent),
        ("lending.gpus", "host"),
    ]
    assert failed[-1].cause == "gpu.presence"
    assert not any(word in fix.sentence for finding in failed for fix in finding.fix for word in ("move", "borrow"))


DGX = """\
version: 1
name: dgx
hosts:
  node[1-2]: {model: nvidia-dgx-h100, os: ubuntu-22.04, nics: 8 x nvidia-mcx75310aas-neat}
switches:
  leaf1: {model: arista-7060dx4-32, os: eos, role: leaf}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            {"nvidia-gpus.out": without_second_gpu, "nvlink.out": without_last_gpu},
            [
                (
                    "gpu.presence",
                    "fail",
                    "gpu GPU1",
                    "0000:3f:00.0 in lspci alone; the vendor's tool lists 7 of 8 GPUs",
                )
            ],
            id="nvidia-smi",
        ),
        pytest.param(
            {"nvlink.out": without_last_gpu},
            [
                (
                    "gpu.links",
                    "unknown",
                    "gpu GPU7",
                    "gpu.links not read; the vendor's tool shows the links of 7 of 8 GPUs; it numbers only those"
                    " that it lists, so another GPU may be missing",
                )
            ],
            id="nvlink",
        ),
        pytest.param(
            {"nvlink.out": lambda text: ""},
            [
                (
                    "gpu.links",
                    "unknown",
                    f"gpu GPU{index}",
                    "gpu.links not read; nvlink: its output is empty (node2/nvlink.out)",
                )
                for index in range(8)
            ],
            id="empty",
        ),
        pytest.param(
            {"lspci.out": lambda text: re.sub(r"0000:3f:00\.0.*?\n\n", "", text, flags=re.DOTALL)},
            [
                (
                    "gpu.presence",
                    "fail",
                    "gpu GPU1",
                    "0000:3f:00.0 in the output of nvidia-gpus alone",
                )
            ],
            id="lspci",
        ),
    ],
)
def test_one_missing_gpu_is_one_finding(
    edits: dict[str, Callable[[str], str]], expected: list[tuple[str, str, str, str]], tmp_path: Path
) -> None:
    plan = build(read_text(DGX, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    for name, edit in edits.items():
        file = tmp_path / "bundle/node2" / name
        file.write_text(edit(file.read_text()))
    facts = read_facts(tmp_path / "bundle")
    findings = [
        finding for finding in run(locate(plan, facts), facts) if finding.status not in (Status.PASS, Status.SKIP)
    ]
    assert [(finding.check, finding.status, finding.place, finding.found) for finding in findings] == expected
    assert all(finding.fix for finding in findings)


@pytest.mark.parametrize(
    ("function", "devices", "loss"),
    # the upstream port of a switch, and a GPU: half of gen5 x16 is lost, with 256 bytes in a packet
    [("0000:15:00.0", "enp24s0np0, GPU0", None), ("0000:3f:00.0", "GPU1", 230.46)],
)
def test_a_slow_pcie_link_names_what_is_behind_it(
    function: str, devices: str, loss: float | None, tmp_path: Path
) -> None:
    plan = build(read_text(DGX, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    file = tmp_path / "bundle/node2/lspci.out"
    before, head, after = file.read_text().partition(function + " ")
    file.write_text(before + head + after.replace("LnkSta:\tSpeed 32GT/s", "LnkSta:\tSpeed 16GT/s", 1))
    facts = read_facts(tmp_path / "bundle")
    (finding,) = (finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL)
    assert (finding.check, finding.found) == ("pcie.link", f"speed 16 GT/s; behind this link: {devices}")
    assert (finding.impact.value if finding.impact else None) == loss

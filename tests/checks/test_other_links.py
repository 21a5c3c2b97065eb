"""PCIe functions that no planned traffic uses: slower links, and ACS."""

from __future__ import annotations

import pytest
import small_cluster as small

from wirespeed.checks import checks, run
from wirespeed.facts import assemble_facts
from wirespeed.settings import Place

HOST = Place("node1")
PORT, DRIVE = HOST.child("pcie", "0000:c0:01.0"), HOST.child("pcie", "0000:c1:00.0")


@pytest.mark.parametrize(
    ("port", "drive", "link", "text"),
    [
        pytest.param((32000, 16), (16000, 4), (16000, 4), None, id="as fast as the drive"),
        pytest.param((16000, 2), (32000, 4), (16000, 2), None, id="as fast as the slot"),
        pytest.param((32000, 16), (32000, 4), (32000, 2), "2 of 4 lanes", id="lanes"),
        pytest.param((16000, 16), (32000, 4), (8000, 4), "8 of 16 GT/s", id="rate"),
        pytest.param((16000, 4), (32000, 4), (2500, 1), "2.5 of 16 GT/s, 1 of 4 lanes", id="both"),
        pytest.param((None, None), (32000, 4), (2500, 1), None, id="slot not read"),
        pytest.param((16000, 4), (32000, 4), (2500, 0), None, id="link down"),
    ],
)
def test_a_link_is_compared_with_both_ends(port, drive, link, text):  # type: ignore[no-untyped-def]
    values = {
        (PORT, "pcie.role"): "root-port",
        (PORT, "pcie.link.capable_speed"): port[0],
        (PORT, "pcie.link.capable_width"): port[1],
        (DRIVE, "pcie.description"): "Non-Volatile memory controller",
        (DRIVE, "pcie.parent"): PORT.name,
        (DRIVE, "pcie.link.capable_speed"): drive[0],
        (DRIVE, "pcie.link.capable_width"): drive[1],
        (DRIVE, "pcie.link.speed"): link[0],
        (DRIVE, "pcie.link.width"): link[1],
    }
    facts = small.facts({key: value for key, value in values.items() if value is not None})
    texts = [finding.found for finding in run(small.PLAN, facts, [checks()["pcie.other-links"]])]
    assert texts == [f"0000:c1:00.0 Non-Volatile memory controller: {text}" if text else "no slower link"]


@pytest.mark.parametrize(("is_enabled", "status"), [(True, "pass"), (False, "fail")])
def test_acs_outside_the_plan_is_a_note(is_enabled, status):  # type: ignore[no-untyped-def]
    """957608-AN210, appendix C.3, lists every function with ACS on."""
    planned = next(address for address, function in small.PLAN.hosts["node1"].pcie.items() if function.acs is not None)
    values = {
        (PORT, "pcie.acs"): frozenset({"SrcValid", "ReqRedir"}),
        (DRIVE, "pcie.acs"): frozenset(),
        (HOST.child("pcie", planned), "pcie.acs"): frozenset({"SrcValid"}),  # planned: its finding is that of pcie.acs
        (HOST, "host.acs_service"): is_enabled,
    }
    (finding,) = run(small.PLAN, small.facts(values), [checks()["host.acs-service"]])[:1]
    assert finding.status == status
    assert finding.found is not None
    assert finding.found.endswith("; note: no planned traffic crosses 0000:c0:01.0, where ACS is on")
    assert len(finding.evidence) == 2


@pytest.mark.parametrize(("iommu", "status"), [("off", "unknown"), ("on", "fail"), (None, "fail")])
def test_an_absent_service_without_the_iommu_is_unknown_until_acs_is_read(iommu, status):  # type: ignore[no-untyped-def]
    """Without the IOMMU the kernel does not enable ACS (drivers/pci/pci.c), but the BIOS may."""
    unread = {(HOST.child("pcie", address), "pcie.acs"): None for address in small.PLAN.hosts["node1"].pcie}
    values = {**unread, (HOST, "host.acs_service"): False, (HOST, "host.kernel.iommu"): iommu}
    finding = small.by_id(
        "host.acs-service", assemble_facts(small.observations(values), small.no_permission("pcie.acs"))
    )[0]
    assert finding.status == status
    assert [fix.change is not None for fix in finding.fix] == [status == "fail"]


def test_without_acs_outside_the_plan_there_is_no_note() -> None:
    findings = run(small.PLAN, small.facts({}), [checks()["host.acs-service"]])
    assert [finding.found for finding in findings if "note" in (finding.found or "")] == []

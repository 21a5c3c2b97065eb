"""Slot names of dmidecode, and the fixes that contain them.

The first paragraph is a recorded one (dmidecode 3.3 on a server of PCIe Gen5); the others are made after dmidecode's
source, dmi_decode and dmi_slot_segment_bus_func.
"""

from __future__ import annotations

import pytest
import small_cluster as small

from wirespeed.checks import checks, run
from wirespeed.facts import Source, assemble_facts
from wirespeed.platforms import Output, Outputs, platform

RECORDED = """\
# dmidecode 3.3
Getting SMBIOS data from sysfs.
SMBIOS 3.3.0 present.

Handle 0x0900, DMI type 9, 24 bytes
System Slot Information
	Designation: PCIe Slot 38
	Type: x16 PCI Express 5
	Current Usage: In Use
	Length: Short
	ID: 38
	Characteristics:
		3.3 V is provided
		PME signal is supported
	Bus Address: 0000:1a:00.0
	Data Bus Width: 0
	Peer Devices: 0
	Height: Not applicable
"""


def slot(name: str, usage: str, address: str | None) -> str:
    """One more paragraph."""
    bus = f"\tBus Address: {address}\n" if address else ""
    head = "\nHandle 0x0901, DMI type 9, 24 bytes\nSystem Slot Information\n"
    return f"{head}\tDesignation: {name}\n\tCurrent Usage: {usage}\n{bus}"


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (RECORDED, {"0000:1a:00.0": "PCIe Slot 38"}),
        (RECORDED + slot("SLOT 3", "In Use", "ff:1f.7"), {"0000:1a:00.0": "PCIe Slot 38"}),  # not its form
        (RECORDED + slot("SLOT 3", "Available", "0000:1b:00.0"), {"0000:1a:00.0": "PCIe Slot 38"}),
        (RECORDED + slot("SLOT 3", "In Use", None), {"0000:1a:00.0": "PCIe Slot 38"}),
        (RECORDED + slot("SLOT 3", "In Use", "0000:1a:00.0"), None),  # two slots: either may be meant
        (RECORDED + slot("", "In Use", "0000:1b:00.0"), {"0000:1a:00.0": "PCIe Slot 38"}),
        (slot("SLOT 3", "In Use", "0000:1b:00.0") + "\nOn Board Device\n\tBus Address: 0000:00:01.0\n",
         {"0000:1b:00.0": "SLOT 3"}),
        ("BIOS Information\n\tVersion: 1.4\n", None),
    ],
)  # fmt: skip
def test_slots_in_use_are_read(text: str, slots: dict[str, str] | None) -> None:
    output = Output("dmidecode", text, Source("h", "dmidecode", "dmidecode"))
    facts = assemble_facts(platform("host", "ubuntu").parse(Outputs("h", {"dmidecode": output})), devices=["h"])
    assert facts.devices["h"].slots == slots


@pytest.mark.parametrize(
    ("check", "address", "path", "value", "sentence"),
    [
        ("nic.pcie-width", "0000:1d:00.0", "pcie.link.width", 8, "reseat the card{} and its riser; check the slot's"),
        ("nic.pcie-speed", "0000:1d:00.0", "pcie.link.speed", 16000, "reseat the card{} and its riser; check the slot"),
        ("pcie.link", "0000:10:00.0", "pcie.link.width", 8, "reseat the card{}, riser or cable; check the slot"),
    ],
)
@pytest.mark.parametrize(
    ("slots", "name"),
    [
        (None, ""),
        ({"0000:99:00.0": "SLOT 3"}, ""),
        ({"0000:1d:00.0": "SLOT 3", "0000:10:00.0": "SLOT 3"}, " in SLOT 3"),
        ({"0000:1d:00.1": "SLOT 3", "0000:10:00.1": "SLOT 3"}, " in SLOT 3"),  # another function of the card
    ],
)
def test_a_fix_names_the_slot(
    check: str, address: str, path: str, value: int, sentence: str, slots: dict[str, str] | None, name: str
) -> None:
    changes = {(small.HOST.child("pcie", address), path): value}
    facts = small.facts(changes if slots is None else {**changes, (small.HOST, "host.slots"): slots})
    (fix,) = {
        fix.sentence
        for finding in run(small.PLAN, facts, [checks()[check]])
        if finding.status.value == "fail"
        for fix in finding.fix
    }
    assert fix.startswith(sentence.format(name))

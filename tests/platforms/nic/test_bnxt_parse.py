"""What niccli and the files of a Broadcom NIC say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.facts import Facts, Source, State, facts_from
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.settings import Congestion, Discipline, Place

SAMPLES = Path(__file__).parents[2] / "samples" / "bnxt"
NIC = Place("h").thing("nic", "enp29s0np0")


def read(texts: dict[str, str]) -> Facts:
    found = {
        f"{key}@enp29s0np0": Output(f"{key}@enp29s0np0", text, Source("h", key, f"{key}.out"))
        for key, text in texts.items()
    }
    return facts_from(platform("nic", "bnxt").parse(Outputs("h", found)), devices=["h"])


def sample(case: str) -> Facts:
    return read({file.stem.partition("@")[0]: file.read_text() for file in sorted((SAMPLES / case).glob("*.txt"))})


@pytest.mark.parametrize(
    ("case", "path", "value"),
    [
        ("configured", "nic.qos.priority_tc", {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 2}),
        ("configured", "nic.qos.priority_cos", {0: 4, 1: 4, 2: 4, 3: 0, 4: 4, 5: 4, 6: 4, 7: 5}),
        ("configured", "nic.qos.tc_discipline", {0: Discipline.DWRR, 1: Discipline.DWRR, 2: Discipline.STRICT}),
        ("configured", "nic.qos.tc_share", {0: 40, 1: 60}),
        ("configured", "nic.qos.pfc", frozenset({3})),
        ("configured", "nic.qos.dscp_priority", {48: 7, 26: 3}),
        ("configured", "nic.qos.ecn", True),
        ("configured", "nic.qos.congestion", Congestion.DCQCN_D),
        ("configured", "nic.qos.roce_dscp", 26),
        ("configured", "nic.qos.cnp_priority", 7),
        ("configured", "nic.qos.roce_share", 60),
        ("configured", "nic.qos.configure", True),
        ("configured", "nic.nvm.rdma", True),
        ("configured", "nic.nvm.relaxed_ordering", False),
        ("configured", "nic.nvm.performance_profile", "roce"),
        ("configured", "nic.nvm.dcbx", None),
        ("unconfigured", "nic.qos.pfc", frozenset()),
        ("unconfigured", "nic.qos.tc_share", {}),
        ("unconfigured", "nic.qos.priority_tc", dict.fromkeys(range(8), 0)),
    ],
)
def test_samples(case: str, path: str, value: Any) -> None:
    assert sample(case).value(NIC, path) == value


def test_states_of_a_setting_are_kept_apart() -> None:
    facts = sample("configured")
    assert [one.state for one in facts.readings[NIC, "nic.qos.roce_dscp"]] == [State.RUNNING, State.CONFIGURED]
    assert [one.state for one in facts.readings[NIC, "nic.nvm.rdma"]] == [State.PERSISTENT]


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        ("niccli-qos", "\r\nPFC enabled: 3 4\r\n", "nic.qos.pfc", frozenset({3, 4})),
        ("niccli-qos", "PFC enabled: 0x08\n", "nic.qos.pfc", None),  # no bit map is known to be printed
        ("niccli-qos", "TC Bandwidth: 50% 50% 0%\n", "nic.qos.tc_share", None),  # of which classes?
        ("niccli-dscp2prio", "dscp2prio mapping:\n", "nic.qos.dscp_priority", {}),
        ("niccli-dscp2prio", "dscp2prio mapping:\npriority:3 dscp:24,26,\n", "nic.qos.dscp_priority", {24: 3, 26: 3}),
        ("niccli-dscp2prio", "no such device\n", "nic.qos.dscp_priority", None),
        ("bnxt-re-conf", "# nothing\n#ROCE_DSCP=26\n", "nic.qos.roce_dscp", None),
        ("bnxt-re-conf", "ROCE_DSCP=24\nROCE_DSCP=26\n", "nic.qos.roce_dscp", 26),
        ("bnxt-re-conf", "ROCE_DSCP=64\n", "nic.qos.roce_dscp", None),
        ("bnxt-re-conf", "ENABLE_FC=0\n", "nic.qos.configure", False),
        ("nvm-support-rdma", "Broadcom NIC CLI v236\n\nsupport_rdma = Disabled\n\n", "nic.nvm.rdma", False),
        ("nvm-support-rdma", "support_rdma = 1\n", "nic.nvm.rdma", True),
        ("nvm-support-rdma", "ERROR: failed to read\n", "nic.nvm.rdma", None),
        ("nvm-relaxed-ordering", "Relaxed ordering = enabled\n", "nic.nvm.relaxed_ordering", True),
        ("nvm-performance-profile", "performance_profile = Default\n", "nic.nvm.performance_profile", "default"),
    ],
)
def test_one_output(command: str, text: str, path: str, value: Any) -> None:
    assert read({command: text}).value(NIC, path) == value


COMMANDS = tuple(command.id for command in platform("nic", "bnxt").commands)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from(COMMANDS), st.text(max_size=200), min_size=1))
def test_arbitrary_text_never_crashes(texts: dict[str, str]) -> None:
    read(texts)

"""Output of niccli and files of a Broadcom NIC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.facts import Facts, Source, State, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.settings import Congestion, Discipline, Ect, Place

SAMPLES = Path(__file__).parents[2] / "samples" / "bnxt"
NIC = Place("h").child("nic", "enp29s0np0")


def read(texts: dict[str, str]) -> Facts:
    output_by_command = {
        f"{key}@enp29s0np0": Output(f"{key}@enp29s0np0", text, Source("h", key, f"{key}.out"))
        for key, text in texts.items()
    }
    return assemble_facts(platform("nic", "bnxt").parse(Outputs("h", output_by_command)), devices=["h"])


def sample(case: str) -> Facts:
    return read({file.stem.partition("@")[0]: file.read_text() for file in sorted((SAMPLES / case).glob("*.txt"))})


@pytest.mark.parametrize(
    ("case", "path", "value"),
    [
        ("configured", "nic.qos.priority_tc", {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 2}),
        ("configured", "nic.qos.priority_cos", {0: 4, 1: 4, 2: 4, 3: 0, 4: 4, 5: 4, 6: 4, 7: 5}),
        ("configured", "nic.qos.tc_discipline", {0: Discipline.DWRR, 1: Discipline.DWRR, 2: Discipline.STRICT}),
        ("configured", "nic.qos.tc_share", {0: 40, 1: 60}),
        ("configured", "nic.qos.tc_rate_limit", {0: 100, 1: 100, 2: 100}),
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
    assert [reading.state for reading in facts.readings[NIC, "nic.qos.roce_dscp"]] == [State.RUNNING, State.CONFIGURED]
    assert [reading.state for reading in facts.readings[NIC, "nic.nvm.rdma"]] == [State.PERSISTENT]


LIMITED = "TSA_MAP: 0:ets 1:ets 2:strict\nTC Rate Limit: 100% 50% 100% 0% 0% 0% 0% 0%\n"


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        ("niccli-qos", "\r\nPFC enabled: 3 4\r\n", "nic.qos.pfc", frozenset({3, 4})),
        ("niccli-qos", "PFC enabled: 0x08\n", "nic.qos.pfc", None),  # no bit map is known to be printed
        ("niccli-qos", "TC Bandwidth: 50% 50% 0%\n", "nic.qos.tc_share", None),  # of which classes?
        ("niccli-qos", LIMITED, "nic.qos.tc_rate_limit", {0: 100, 1: 50, 2: 100}),
        ("niccli-qos", LIMITED[:-4], "nic.qos.tc_rate_limit", None),  # cut short
        ("niccli-qos", LIMITED.partition("\n")[2], "nic.qos.tc_rate_limit", None),  # of which classes?
        ("niccli-dscp2prio", "dscp2prio mapping:\n", "nic.qos.dscp_priority", {}),
        ("niccli-dscp2prio", "dscp2prio mapping:\npriority:3 dscp:24,26,\n", "nic.qos.dscp_priority", {24: 3, 26: 3}),
        ("niccli-dscp2prio", "no such device\n", "nic.qos.dscp_priority", None),
        ("bnxt-re-conf", "# nothing\n#ROCE_DSCP=26\n", "nic.qos.roce_dscp", None),
        ("bnxt-re-conf", "ROCE_DSCP=24\nROCE_DSCP=26\n", "nic.qos.roce_dscp", 26),
        ("bnxt-re-conf", "ROCE_DSCP=64\n", "nic.qos.roce_dscp", None),
        ("bnxt-re-conf", "ENABLE_FC=0\n", "nic.qos.configure", False),
        ("driver-info", "=====[ IBDEV bnxt_re0 ]====\n\tfw_service_prof_type_sup : 0\n", "nic.qos.cnp_class", False),
        (
            "driver-info",
            "fw_service_prof_type_sup : 1\n",
            "nic.qos.cnp_class",
            True,
        ),  # lossless network guide, appendix A
        ("driver-info", "\tlink state: UP\n", "nic.qos.cnp_class", None),  # a virtual function
        ("bnxt-re-conf", "OVERRIDE=1\n", "nic.qos.override", True),
        ("bnxt-re-conf", "ENABLE_FC=1\n", "nic.qos.override", None),
        ("nvm-support-rdma", "Broadcom NIC CLI v236\n\nsupport_rdma = Disabled\n\n", "nic.nvm.rdma", False),
        ("nvm-support-rdma", "support_rdma = 1\n", "nic.nvm.rdma", True),
        ("nvm-support-rdma", "ERROR: failed to read\n", "nic.nvm.rdma", None),
        ("nvm-relaxed-ordering", "Relaxed ordering = enabled\n", "nic.nvm.relaxed_ordering", True),
        ("nvm-performance-profile", "performance_profile = Default\n", "nic.nvm.performance_profile", "default"),
    ],
)
def test_one_output(command: str, text: str, path: str, value: Any) -> None:
    assert read({command: text}).value(NIC, path) == value


APPLY = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/apply:"
FILE = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/"
CONNECTIONS = "/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/"
INBOX = "/sys/kernel/debug/bnxt_re/0000:1d:00.0/cc_config/"


@pytest.mark.parametrize(
    ("command", "text", "path", "value"),
    [
        # the out-of-box driver up to release 233 lists as text, with the attribute in brackets
        ("cc", f"{APPLY}ecn status (ecn_enable)\t\t\t\t\t: Enabled\n", "nic.qos.ecn", True),
        ("cc", f"{APPLY}ecn marking (ecn_marking)\t\t\t\t\t: ECT(0)\n", "nic.qos.ect", Ect.ECT0),
        ("cc", f"{APPLY}congestion control mode (cc_mode)\t\t\t: DCQCN-D\n", "nic.qos.congestion", Congestion.DCQCN_D),
        ("cc", f"{APPLY}congestion control mode (cc_mode)\t\t\t: TCP\n", "nic.qos.congestion", None),  # older chips
        ("cc", f"{APPLY}roce dscp (roce_dscp)\t\t\t\t\t: 26\n", "nic.qos.roce_dscp", 26),
        ("cc", f"{APPLY}slave roce dscp (roce_dscp)\t\t\t\t: 26\n", "nic.qos.roce_dscp", None),  # of another port
        ("cc", f"{APPLY}running avg. weight(g)\t\t\t\t\t: 8\n", "nic.qos.congestion_parameters", {"g": 8}),
        (
            "cc",
            f"{APPLY}inactivity threshold (inact_th)\t: 10000 usec\n{APPLY}initial target rate (init_tr)\t: 0xc8\n",
            "nic.qos.congestion_parameters",
            {"inact_th": 10000, "init_tr": 200},
        ),
        # release 236: name, hexadecimal, then the text
        (
            "cc",
            f"{APPLY}rtt=0x28\t\t\t# round trip time\t\t\t: 40 usec\n",
            "nic.qos.congestion_parameters",
            {"rtt": 40},
        ),
        (
            "cc",
            f"{FILE}tcp_cp:0x1a\n{FILE}time_pph:0\n",
            "nic.qos.congestion_parameters",
            {"tcp_cp": 26, "time_pph": 0},
        ),
        ("cc", f"{FILE}g:0x9\n{APPLY}g=0x8\t# running avg. weight\t: 8\n", "nic.qos.congestion_parameters", {"g": 8}),
        ("cc", f"{FILE}ecn_marking:0x3\n", "nic.qos.ect", None),
        ("cc", f"{APPLY}phases in fast recovery\t\t\t: 5\n", "nic.qos.congestion_parameters", None),
        # the kernel's own driver: decimal, other names
        ("cc-inbox", f"{INBOX}cc_mode:0\n", "nic.qos.congestion", Congestion.DCQCN_D),
        ("cc-inbox", f"{INBOX}alt_vlan_dscp:48\n", "nic.qos.cnp_dscp", 48),
        (
            "cc-inbox",
            f"{INBOX}run_avg_weight_g:8\n{INBOX}rtt:40\n",
            "nic.qos.congestion_parameters",
            {"g": 8, "rtt": 40},
        ),
        ("old-nvm-enable-sriov", "enable_sriov = Disabled\n", "nic.nvm.sriov", False),
        ("bnxtnvm-support-rdma", "Enabled\n", "nic.nvm.rdma", True),
        ("bnxtnvm-performance-profile", "RoCE\n", "nic.nvm.performance_profile", "roce"),
        ("bnxtqos", "IEEE 8021QAZ PFC TLV:\n         PFC enabled: 3\n", "nic.qos.pfc", frozenset({3})),
        (
            "niccli-getqos",
            "IEEE 8021QAZ APP TLV:\n APP#0:\n  Priority: 7\n  Sel: 5\n  DSCP: 48\n\n APP#1:\n  Priority: 3\n  Sel: 3\n"
            "  UDP or DCCP: 4791\n\n APP#2:\n  Priority: 3\n  Sel: 5\n  DSCP: 26\n\nTC Rate Limit: 100% 0%\n",
            "nic.qos.dscp_priority",
            {48: 7, 26: 3},
        ),
        (  # cut short: which mappings followed is not known
            "niccli-getqos",
            "IEEE 8021QAZ APP TLV:\n APP#0:\n  Priority: 7\n  Sel: 5\n  DSCP: 48\n",
            "nic.qos.dscp_priority",
            None,
        ),
        ("nvm-dcbx-mode", "getoption failed with status = 1\n", "nic.nvm.dcbx", None),
        (
            "rdma-cm",
            "/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/default_roce_mode:RoCE v2\n",
            "nic.roce_version",
            "RoCE v2",
        ),
        ("rdma-cm", "/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/default_roce_mode:?\n", "nic.roce_version", None),
        (
            "rdma-cm",
            "/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/default_roce_tos:104\n",
            "nic.qos.connection_dscp",
            26,
        ),
        ("rdma-cm", f"{CONNECTIONS}default_roce_tos:0\n", "nic.qos.connection_dscp", 0),
        (
            "rdma-cm",
            "/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/default_roce_tos:256\n",
            "nic.qos.connection_dscp",
            None,
        ),
    ],
)
def test_older_tools_and_the_kernels_own_driver(command: str, text: str, path: str, value: Any) -> None:
    assert read({command: text}).value(NIC, path) == value


COMMANDS = tuple(command.id for command in platform("nic", "bnxt").commands)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from(COMMANDS), st.text(max_size=200), min_size=1))
def test_arbitrary_text_never_crashes(texts: dict[str, str]) -> None:
    read(texts)

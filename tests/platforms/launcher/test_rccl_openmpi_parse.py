"""What the launch files say, whoever wrote them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.facts import Source
from wirespeed.platforms import Output, Outputs, platform


def read(command: str, text: str) -> dict[str, tuple[Any, int | None]]:
    """Value and line of each launch setting, by the setting's last word."""
    output = Output(command, text, Source("node1", command, f"{command}.out"))
    found = platform("launcher", "rccl-openmpi").parse(Outputs("node1", {command: output}))
    return {one.path.removeprefix("host.launch."): (one.value, one.source.line) for one in found}


@pytest.mark.parametrize(
    ("line", "setting", "value"),
    [
        ("NCCL_IB_HCA==bnxt_re0:1,bnxt_re1:1", "rdma_devices", ("bnxt_re0", "bnxt_re1")),
        ("NCCL_IB_HCA=mlx5_0,mlx5_1", "rdma_devices", ("mlx5_0", "mlx5_1")),
        ("NCCL_IB_HCA=^mlx5_0", "rdma_devices", None),  # all but one: which, the file does not say
        ("NCCL_IB_HCA=", "rdma_devices", None),
        ("NCCL_IB_GID_INDEX=3", "gid_index", 3),
        ("NCCL_IB_GID_INDEX=-1", "gid_index", -1),
        ("NCCL_IB_GID_INDEX=three", "gid_index", None),
        ("NCCL_IB_TC=104", "dscp", 26),
        ("NCCL_IB_TC=106", "dscp", 26),  # with ECT(0)
        ("NCCL_IB_TC=300", "dscp", None),
        ("NCCL_SOCKET_IFNAME==eno1", "control_interface", "eno1"),
        ("NCCL_SOCKET_IFNAME=eth,eno", "control_interface", None),
        ("# NCCL_IB_TC=104", "dscp", None),
    ],
)
def test_a_line_of_rccl_conf(line: str, setting: str, value: Any) -> None:
    found = read("rccl-conf", f"# made by hand\n{line}\n")
    assert found.get(setting) == (None if value is None else (value, 2))


def test_the_first_of_two_lines_counts() -> None:
    found = read("rccl-conf", "NCCL_IB_TC=96\nNCCL_IB_TC=104\n")
    assert (found["dscp"], found["environment"]) == ((24, 1), ({"NCCL_IB_TC": "96"}, None))


@pytest.mark.parametrize(
    ("text", "hosts", "ranks"),
    [
        ("node1 slots=8\nnode2 slots=8\n", ("node1", "node2"), 8),
        ("node1 slots = 8 max_slots=8 # head\n\n# all\nnode2 slots=8\n", ("node1", "node2"), 8),
        ("node1 slots=8\nnode2 slots=4\n", ("node1", "node2"), None),
        ("node1\nnode2\n", ("node1", "node2"), None),
    ],
)
def test_a_hostfile(text: str, hosts: tuple[str, ...], ranks: int | None) -> None:
    found = read("hostfile", text)
    assert (found["hosts"][0], found.get("ranks_per_host", (None,))[0]) == (hosts, ranks)


@pytest.mark.parametrize("command", ["rccl-conf", "hostfile"])
@given(text=st.text())
def test_no_text_breaks_the_parser(command: str, text: str) -> None:
    read(command, text)

"""Every failure a check can find, each made alone: ``failures.txt`` holds what must be found, and nothing else is.

After a change of wording ``WIRESPEED_ACCEPT=1 pytest tests/checks`` writes it again; read the difference.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
import small_cluster as small
from small_cluster import sysctl

from wirespeed.checks import checks
from wirespeed.results.findings import Finding
from wirespeed.settings import (
    Congestion,
    Discipline,
    Dscp,
    Ect,
    Host,
    Nic,
    NicCosQueue,
    NicTrafficClass,
    PcieLink,
    Priority,
    PriorityGroup,
    SwitchQueue,
    SwitchTrafficClass,
    WatchdogAction,
)
from wirespeed.units import Bandwidth, Duration, Length, Size

GOLDEN = Path(__file__).with_name("failures.txt")

H, L, N, P, Q = small.HOST, small.LEAF, small.NIC, small.PORT, small.ROCE_QUEUE
NICPCI = H.child("pcie", "0000:1d:00.0")
GPUPCI = H.child("pcie", "0000:1c:00.0")
BR = H.child("pcie", "0000:14:00.0")
UP = H.child("pcie", "0000:10:00.0")
DRIVE_PORT = H.child("pcie", "0000:c0:01.0")
DRIVE = H.child("pcie", "0000:c1:00.0")
PEER = L.child("peer", "Eth1/64")
TC = dict(small.PLAN.switches["leaf1"].ports["Eth1/1"].qos.dscp_tc or {})

# The check, and what is changed (place and setting to value) or absent (places).
ROWS = [
    ("host.iommu", {(H, "host.kernel.iommu"): "translated"}),
    ("host.kernel-parameters", {(H, "host.kernel.command_line"): ("ro", "intel_iommu=on")}),
    ("host.numa-balancing", {(sysctl("kernel.numa_balancing"), "sysctl.value"): "1"}),
    ("host.name-servers", {(H, "host.resolver.servers"): ("127.0.0.1",)}),
    ("host.name-servers", {(H, "host.resolver.servers"): ("10.9.9.9", "192.0.2.53")}),
    ("host.name-servers", {(H, "host.resolver.servers"): ("192.0.2.53", "10.9.9.9")}),
    ("host.bios", {(H.child("bios", "smt"), "bios.value"): "enabled"}),
    ("host.governor", {(H, "host.governor"): "performance, powersave"}),
    ("host.idle-states", {(H, "host.idle_states"): frozenset({"POLL", "C1", "C2"})}),
    ("host.irq-balancing", {(H, "host.irq_balancing"): True}),
    ("host.sysctl", {(sysctl("net.core.rmem_max"), "sysctl.value"): "212992"}),
    ("nic.interrupt-cores", {(N, "nic.interrupt_cores"): frozenset({3, 16})}),
    ("nic.ring", {(N, "nic.ring.rx"): 1024}),
    ("nic.coalescing", {(N, "nic.coalescing.adaptive_rx"): False}),
    ("nic.bond", {(N, "nic.bond.mode"): "balance-rr"}),
    ("nic.qdisc", {(N, "nic.qdisc"): "pfifo_fast"}),
    ("host.memory", {(H, "host.memory"): Size(1981153280 * 1024)}),
    ("host.memlock", {(H, "host.memlock"): "8192"}),
    ("host.firewall", {(H, "host.firewall"): True}),
    ("host.kernel-log", {(H, "host.kernel.errors"): small.kernel_errors("a", "b", "c", "d")}),
    (
        "host.kernel-log",
        {(H, "host.kernel.errors"): small.kernel_errors("bnxt_re: disagrees about version of symbol ib_umem_release")},
    ),
    (
        "host.kernel-log",
        {
            (H, "host.kernel.errors"): small.kernel_errors("bnxt_re: Unknown symbol ib_modify_qp_is_ok (err -22)"),
            (H, "host.conflicting_stacks"): ("MLNX_OFED",),
        },
    ),
    ("host.acs-service", {(H, "host.acs_service"): False}),
    ("software.kernel-modules", {(H.child("module", "bnxt_re"), "module.loaded"): False}),
    ("software.gpu-driver", [H.child("module", "amdgpu")]),
    ("software.peer-memory", {(H, "host.peer_memory"): False}),
    (
        "software.rdma-libraries",
        {(H, "host.rdma_libraries"): "Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)"},
    ),
    ("software.conflicting-stacks", {(H, "host.conflicting_stacks"): ("MLNX_OFED",)}),
    (
        "software.conflicting-stacks",
        {
            (H, "host.conflicting_stacks"): (
                "DKMS package bnxt_en/1.10.3.234.0.171.0 beside netxtreme-peer-mem/234.0.154.0",
                "DKMS package bnxt_re/234.0.171.0 beside netxtreme-peer-mem/234.0.154.0",
            )
        },
    ),
    (
        "software.packages",
        {
            (H.child("module", "bnxt_en"), "module.version"): "1.10.3-234.0.154.0",
            (H.child("module", "bnxt_re"), "module.version"): "232.0.155.5",
            (H.child("module", "ib_peer_mem"), "module.version"): "232.0.155.5",
        },
    ),
    ("software.packages", [H.child("package", "netxtreme-peer-mem")]),
    (
        "software.packages",
        {
            (H.child("package", "netxtreme-peer-mem"), "package.installed"): False,
            (H.child("package", "netxtreme-peer-mem"), "package.other_kernels"): ("6.5.0-1-generic",),
        },
    ),
    ("software.packages", {(H.child("package", "netxtreme-peer-mem"), "package.version"): "232.0.155.5"}),
    ("software.qos-tool", {(H, "host.qos_tools"): frozenset({"lldptool"})}),
    ("software.job-libraries", {(H, "host.software.ucx"): "1.13.1"}),
    ("software.job-libraries", {(H, "host.software.rccl_tests"): "none"}),
    ("software.job-libraries", {(H, "host.software.path_versions"): {"ucx": "1.12.0"}}),
    ("software.perftest", {(H, "host.software.perftest_memory"): "none"}),
    ("software.iperf3", {(H, "host.software.iperf3"): "3.13-mt-beta2"}),
    ("software.versions", {(H, "host.software.rocm"): "6.2.4"}),
    ("software.nic-driver", {(N, "nic.driver.version"): "6.8.0-111-generic"}),
    ("software.rdma-stack", {(H, "host.software.rdma_stack"): "MLNX_OFED_LINUX-25.10-1.7.1.0"}),
    ("software.nic-firmware", {(N, "nic.driver.firmware"): "234.0.154.0/pkg 234.0.154.0"}),
    ("software.kernel", {(H, "host.kernel.version"): "5.15.0-102-generic"}),
    ("software.host-os", {(H, "host.os"): "ubuntu-24.04"}),
    ("software.host-os", {(H, "host.os"): "rocky-9.4", (H, "host.os_like"): ("rhel", "centos", "fedora")}),
    ("software.host-os", {(H, "host.os"): "mint-22.04", (H, "host.os_like"): ("ubuntu", "debian")}),
    ("software.host-os", {(H, "host.os"): "mint-21.3", (H, "host.os_like"): ("ubuntu", "debian")}),
    ("software.switch-os", {(L, "switch.os_version"): "4.4.1-Enterprise_Premium"}),
    ("software.rdma-naming", {(H, "host.rdma_naming"): "NAME_FALLBACK"}),
    ("lending.modules", [H.child("module", "dis_irm")]),
    ("lending.prefetch", {(H.child("ntb", "1"), "ntb.prefetch"): Size.parse("512 MiB")}),
    ("lending.node-id", {(H.child("ntb", "1"), "ntb.node_id"): 8}),
    ("lending.device", [H.child("loan", "80400")]),
    ("lending.services", {(H, "host.inactive_services"): ("dis_nodemgr",)}),
    ("lending.gpus", {(H, "host.usable_gpus"): 2}),
    ("pcie.acs", {(BR, "pcie.acs"): frozenset({"ReqRedir", "CmpltRedir"})}),
    ("pcie.acs", {(BR, "pcie.acs"): frozenset({"SrcValid", "DirectTrans"})}),
    ("pcie.device", {(GPUPCI, "pcie.device_ids"): frozenset({"1002:740f"})}),
    ("pcie.link", {(UP, "pcie.link.width"): 8}),
    (
        "pcie.other-links",
        {
            (DRIVE_PORT, "pcie.role"): "root-port",
            (DRIVE_PORT, "pcie.link.capable_speed"): 16000,
            (DRIVE_PORT, "pcie.link.capable_width"): 8,
            (DRIVE, "pcie.description"): "Non-Volatile memory controller",
            (DRIVE, "pcie.parent"): DRIVE_PORT.name,
            (DRIVE, "pcie.link.capable_speed"): 32000,
            (DRIVE, "pcie.link.capable_width"): 4,
            (DRIVE, "pcie.link.speed"): 8000,
            (DRIVE, "pcie.link.width"): 2,
        },
    ),
    ("nic.pcie-width", {(NICPCI, "pcie.link.width"): 8}),
    ("nic.pcie-speed", {(NICPCI, "pcie.link.speed"): 16000}),
    ("nic.pcie-packets", {(NICPCI, "pcie.max_payload"): 128}),
    ("nic.pcie-packets", {(NICPCI, "pcie.max_read_request"): 512}),
    ("nic.relaxed-ordering", {(NICPCI, "pcie.relaxed_ordering"): False}),
    ("nic.nvm-relaxed-ordering", {(N, "nic.nvm.relaxed_ordering"): False}),
    ("nic.nvm-rdma", {(N, "nic.nvm.rdma"): False}),
    ("nic.nvm-performance-profile", {(N, "nic.nvm.performance_profile"): "default"}),
    ("nic.nvm-dcbx", {(N, "nic.nvm.dcbx"): True}),
    ("nic.nvm-lldp", {(N, "nic.nvm.lldp_nearest_bridge"): True}),
    ("nic.rdma-port", {(N, "nic.rdma_state"): "DOWN"}),
    ("nic.rdma-name", {(N, "nic.rdma_device"): "rocep29s0"}),
    ("nic.rdma-name", {(N, "nic.rdma_device"): None, (H, "host.rdma_devices"): ("bnxt_re1",)}),
    ("nic.rdma-name", {(N, "nic.rdma_device"): "", (H, "host.rdma_devices"): ("bnxt_re1",)}),
    ("nic.rdma-mtu", {(N, "nic.rdma_mtu"): 1024}),
    ("nic.node-guid", {(N, "nic.node_guid"): "0000:0000:0000:0000"}),
    ("launch.hosts", {(H, "host.launch.hosts"): ("node2", "node3"), (H, "host.launch.other_ranks"): {"node2": 1}}),
    ("launch.hosts", {(H, "host.launch.hosts"): ("node2", "node1")}),
    ("launch.hosts", {(H, "host.launch.other_ranks"): {"node2": 1}}),
    ("launch.hosts", {(H, "host.launch.ranks_per_host"): 1}),
    ("launch.queue-pairs", {(N, "nic.queue_pairs"): 1024}),
    ("nic.rdma-losses", {(N, "nic.counters.retries"): 49, (N, "nic.counters.sequence_errors"): 35}),
    ("nic.congestion-control", {(N, "nic.qos.ecn"): False}),
    ("nic.connection-defaults", {(N, "nic.roce_version"): "IB/RoCE v1", (N, "nic.qos.connection_dscp"): Dscp(0)}),
    ("nic.connection-defaults", {(N, "nic.qos.connection_dscp"): Dscp(8)}),
    ("nic.congestion-parameters", {(N, "nic.qos.congestion_parameters"): {"g": 1, "rtt": 40}}),
    ("nic.ecn-marking", {(N, "nic.qos.ect"): Ect.NOT_ECT}),
    ("nic.slot", {(N, "nic.pcie"): "0000:1b:00.0"}),
    ("nic.presence", [N]),
    ("nic.gpu-path", {(GPUPCI, "pcie.parent"): "0000:99:00.0"}),
    ("nic.numa-node", {(NICPCI, "pcie.numa_node"): 0}),
    ("gpu.numa-node", {(GPUPCI, "pcie.numa_node"): 0}),
    ("host.numa-cpus", {(H.child("numa", "1"), "numa.cpus"): frozenset(range(1, 32, 2))}),
    ("host.numa-cpus", [H.child("numa", "1")]),
    (
        "host.numa-cpus",
        {
            (H.child("numa", "1"), "numa.cpus"): frozenset((*range(16, 32), *range(48, 64))),
            (H.child("bios", "smt"), "bios.value"): "enabled",
        },
    ),
    ("host.numa-memory", {(H.child("numa", "1"), "numa.memory"): Size.parse("240 GiB")}),
    ("host.numa-memory", {(H.child("numa", "1"), "numa.memory"): Size(0)}),
    ("host.numa-distance", {(H.child("numa", "1"), "numa.distances"): (10, 32)}),
    ("gpu.presence", [H.child("gpu", "GPU0"), GPUPCI]),
    ("gpu.presence", [H.child("gpu", "GPU0")]),
    ("gpu.links", {(H.child("gpu", "GPU0"), "gpu.links"): 6}),
    ("nic.qos-priority-tc", {(N, "nic.qos.priority_tc"): {Priority(n): NicTrafficClass(0) for n in range(8)}}),
    ("nic.qos-pfc", {(N, "nic.qos.pfc"): frozenset()}),
    ("nic.qos-ets", {(N, "nic.qos.tc_share"): {NicTrafficClass(0): 90, NicTrafficClass(1): 10}}),
    (
        "nic.qos-rate-limit",
        {(N, "nic.qos.tc_rate_limit"): {NicTrafficClass(0): 100, NicTrafficClass(1): 50, NicTrafficClass(2): 100}},
    ),
    ("nic.qos-dscp", {(N, "nic.qos.dscp_priority"): {Dscp(26): Priority(3)}}),
    ("nic.qos-marks", {(N, "nic.qos.cnp_dscp"): Dscp(46)}),
    ("nic.qos-file", {(N, "nic.qos.roce_dscp"): Dscp(24)}),
    ("nic.qos-file", {(N, "nic.qos.package_functions"): frozenset({"congestion-control"})}),
    ("nic.qos-trust", {(N, "nic.qos.trust"): "dot1p"}),
    ("nic.qos-trust", {(N, "nic.qos.willing"): True}),
    ("nic.receive-buffers", {(N, "nic.qos.buffer_size"): {0: Size(200_000), 1: Size(90_000)}}),
    ("nic.receive-buffers", {(N, "nic.qos.priority_buffer"): {Priority(n): 0 for n in range(8)}}),
    ("nic.receive-buffers", {(N, "nic.cable_length"): Length.from_unit(3, "m")}),
    ("nic.nvm-options", {(N, "nic.nvm.link_type"): "infiniband"}),
    ("nic.nvm-options", {(N, "nic.nvm.sriov"): True, (N, "nic.nvm.outstanding_reads"): 8}),
    ("nic.congestion-control", {(N, "nic.qos.ecn_priorities"): frozenset({Priority(0)})}),
    (
        "nic.qos-priority-tc",
        {(N, "nic.qos.priority_cos"): {Priority(n): NicCosQueue({7: 5}.get(n, 4)) for n in range(8)}},
    ),
    (
        "nic.qos-priority-tc",
        {(N, "nic.qos.priority_cos"): {Priority(n): NicCosQueue({3: 1, 7: 5}.get(n, 4)) for n in range(8)}},
    ),
    ("link.up", {(N, "nic.link.up"): False}),
    ("link.speed", {(N, "nic.link.speed"): Bandwidth.gbps(200)}),
    ("link.mtu", {(N, "nic.link.mtu"): 1500}),
    ("link.fec", {(N, "nic.link.fec"): "none"}),
    ("link.pause", {(N, "nic.link.pause_receive"): True}),
    ("port.up", {(P, "port.link.up"): False}),
    ("port.up", {(P, "port.link.enabled"): False, (P, "port.link.up"): None}),
    ("port.link-training", {(P, "port.link.training"): False}),
    ("port.signal-monitoring", {(P, "port.signal_monitoring"): "off"}),
    ("port.cable-length", {(P, "port.cable_length"): Length.from_unit(3, "m")}),
    ("port.cable-length", {(P, "port.cable_length"): Length.from_unit(40, "m")}),
    ("port.speed", {(P, "port.link.speed"): Bandwidth.gbps(200)}),
    ("port.lanes", {(P, "port.link.lanes"): 4}),
    ("port.breakout", {(P, "port.breakout"): 1}),
    ("port.mtu", {(P, "port.link.mtu"): 1500}),
    ("port.mtu", {(P, "port.link.mtu"): 8000}),
    ("port.mtu", {(P, "port.link.mtu"): 9050}),
    ("port.fec", {(P, "port.link.fec"): "fc"}),
    ("port.pause", {(P, "port.link.pause_receive"): True}),
    ("port.address", {(P, "port.addresses"): ("10.1.0.4/31",)}),
    ("port.vlan", {(P, "port.vlan"): 12}),
    ("port.vlan-address", [L.child("vlan", "11")]),
    ("port.vlan-mtu", {(L.child("vlan", "11"), "vlan.mtu"): 1500}),
    ("port.vlan-address", {(L.child("vlan", "11"), "vlan.addresses"): ()}),
    ("port.cabling", {(P, "port.neighbour.port"): "eth2"}),
    ("port.cabling", {(P, "port.neighbour.device"): "node9"}),
    ("qos.trust", {(P, "port.qos.trust"): "dot1p"}),
    ("qos.dot1p", {(P, "port.qos.dot1p_tc"): {Priority(n): SwitchTrafficClass(0) for n in range(8)}}),
    ("qos.watchdog", {(P, "port.qos.watchdog.action"): WatchdogAction.FORWARD}),
    (
        "qos.watchdog",
        {(P, "port.qos.watchdog.active"): True, (P.outer.child("port", "Eth1/2"), "port.qos.watchdog.active"): False},
    ),
    (  # an active watchdog beside a wrong action: two problems
        "qos.watchdog",
        {
            (P, "port.qos.watchdog.active"): True,
            (P, "port.qos.watchdog.stuck_queues"): frozenset({SwitchQueue(3)}),
            (P, "port.qos.watchdog.action"): WatchdogAction.FORWARD,
            (P.outer.child("port", "Eth1/2"), "port.qos.watchdog.active"): False,
        },
    ),
    ("qos.scheduler", {(Q, "queue.weight"): 10}),
    ("qos.shaper", {(Q, "queue.shape"): Bandwidth.gbps(40)}),
    ("qos.shaper", {(P.child("queue", "0"), "queue.shape"): Bandwidth.gbps(40)}),
    ("qos.shaper", {(P.child("queue", "6"), "queue.shape"): Bandwidth.gbps(40)}),
    ("qos.ecn", {(Q, "queue.ecn.enabled"): False}),
    ("qos.ecn", [Q]),
    ("qos.pfc", {(P, "port.qos.pfc"): frozenset()}),
    ("qos.pfc", {(P, "port.qos.pfc"): frozenset({Priority(3), Priority(4)})}),
    ("qos.roce-queue", {(P, "port.qos.dscp_tc"): TC | {Dscp(26): SwitchTrafficClass(0)}}),
    (
        "qos.roce-queue",
        {(P, "port.qos.tc_queue"): {SwitchTrafficClass(n): SwitchQueue(0 if n == 3 else n) for n in range(8)}},
    ),
    ("qos.roce-queue", {(P, "port.qos.pfc_queue"): {Priority(3): SwitchQueue(4)}}),
    ("qos.priority-group", {(P, "port.qos.tc_pg"): {SwitchTrafficClass(n): PriorityGroup(7) for n in range(8)}}),
    ("qos.priority-group", {(P, "port.qos.pfc_pg"): {Priority(3): PriorityGroup(4)}}),
    ("qos.roce-queue", {(P, "port.qos.tc_dscp"): {SwitchTrafficClass(3): Dscp(24)}}),
    ("qos.cnp-queue", {(P, "port.qos.tc_dscp"): {SwitchTrafficClass(6): Dscp(0)}}),
    ("qos.cnp-queue", {(P, "port.qos.dscp_tc"): TC | {Dscp(48): SwitchTrafficClass(0)}}),
    ("qos.cnp-queue", {(P.child("queue", "6"), "queue.discipline"): Discipline.DWRR}),
    # ordinary traffic in the queue or priority group of another class
    (
        "nic.qos-dscp",
        {(N, "nic.qos.dscp_priority"): {Dscp(0): Priority(3), Dscp(26): Priority(3), Dscp(48): Priority(7)}},
    ),
    ("qos.roce-queue", {(P, "port.qos.dscp_tc"): TC | {Dscp(0): SwitchTrafficClass(3)}}),
    ("qos.roce-queue", {(P, "port.qos.dscp_tc"): TC | {Dscp(n): SwitchTrafficClass(3) for n in (10, 24, 25)}}),
    (
        "qos.roce-queue",
        {(P, "port.qos.dscp_tc"): TC | {Dscp(n): SwitchTrafficClass(3) for n in (24, 25)}},
    ),  # as default
    ("qos.roce-queue", {(P, "port.qos.tc_queue"): {SwitchTrafficClass(n): SwitchQueue(n or 3) for n in range(8)}}),
    (  # two problems: the maps of RDMA and of ordinary traffic are exchanged
        "qos.roce-queue",
        {(P, "port.qos.dscp_tc"): {Dscp(n): SwitchTrafficClass({26: 0, 48: 6}.get(n, 3)) for n in range(64)}},
    ),
    ("qos.cnp-queue", {(P, "port.qos.dscp_tc"): TC | {Dscp(n): SwitchTrafficClass(6) for n in (0, 1)}}),
    (
        "qos.priority-group",
        {(P, "port.qos.tc_pg"): {SwitchTrafficClass(n): PriorityGroup(3 if n in (0, 3) else 7) for n in range(8)}},
    ),
    ("fabric.congestion-control", {(N, "nic.qos.congestion"): Congestion.DCQCN_D}),
    (
        "fabric.congestion-control",
        {
            (Q, "queue.ecn.minimum"): Size(1_000_000),
            (Q, "queue.ecn.maximum"): Size(1_000_000),
            (Q, "queue.ecn.probability"): 100,
        },
    ),
    ("fabric.routing", {(L, "switch.routing"): False}),
    ("fabric.bgp-session", {(PEER, "peer.state"): "Active"}),
    ("fabric.bgp-peer", {(PEER, "peer.asn"): 65001, (PEER, "peer.bfd"): False}),
    ("fabric.bgp-peer", [PEER]),
    ("fabric.bgp-instance", {(L, "switch.bgp.asn"): 65002}),
    ("fabric.bgp-networks", {(L, "switch.bgp.networks"): ("10.255.0.1/32", "10.1.0.0/31")}),
    ("fabric.ecmp", {(L, "switch.bgp.maximum_paths"): 1}),
    ("fabric.loopback", {(L, "switch.loopbacks"): ()}),
    ("port.unnumbered", {(L.child("port", "Eth1/64"), "port.unnumbered"): False}),
    ("qos.lossless-groups", {(P, "port.qos.lossless_groups"): frozenset()}),
    ("qos.lossless-groups", {(P, "port.qos.lossless_groups"): frozenset(), (L, "switch.buffers.lossless"): False}),
    ("qos.lossless-groups", {(P, "port.qos.lossless_groups"): frozenset(), (P, "port.qos.pfc"): frozenset()}),
    ("qos.headroom", {(P, "port.headroom"): Size(1024)}),
    ("qos.headroom", {(P, "port.headroom_speed"): Bandwidth.gbps(100), (P, "port.headroom"): Size(49_088)}),
    ("qos.headroom", {(P, "port.headroom_speed"): Bandwidth.gbps(800)}),
    ("qos.lossless-buffers", {(L, "switch.buffers.lossless"): False}),
    ("qos.buffer-shares", {(L, "switch.buffers.headroom_share"): 2}),
    ("qos.buffer-shares", {(L, "switch.buffers.lossless_share"): 30, (L, "switch.buffers.lossy_share"): 60}),
    ("qos.buffer-shares", {(L, "switch.buffers.headroom_share"): 20, (L, "switch.buffers.dynamic_threshold"): 4}),
    ("fabric.load-balancing", {(L, "switch.load_balancing.mode"): "per-packet"}),
    ("fabric.load-balancing", {(L, "switch.load_balancing.flowlet_gap"): Duration.parse("16 us")}),
    ("fabric.lldp", {(L, "switch.lldp"): False}),
    ("qos.shared-headroom", {(L, "switch.buffers.shared_headroom"): Size(2_000_000)}),
    ("qos.global-pfc", {(L, "switch.pfc"): False}),
    ("qos.class-mtu", {(L, "switch.class_mtu"): 1500}),
    ("fabric.ecn-counters", {(L, "switch.ecn_counters"): False}),
    ("fabric.ecn-counters", {(L, "switch.ecn_counters_up"): False}),
    ("qos.ecn-counter", {(Q, "queue.ecn_counter"): False}),
    ("fabric.watchdog-poll", {(L, "switch.watchdog_poll"): Duration.parse("1000 ms")}),
    ("launch.rdma-devices", {(H, "host.launch.rdma_devices"): ("bnxt_re0",)}),
    ("launch.mpi-devices", {(H, "host.launch.mpi_devices"): ("bnxt_re0",)}),
    ("launch.dscp", {(H, "host.launch.dscp"): Dscp(0)}),
    ("launch.transport", {(H, "host.launch.transport"): "ud"}),
    ("launch.variables", {(H, "host.launch.environment"): {"NCCL_NET": "Socket"}}),
    ("launch.variables", {(H, "host.launch.environment"): {"NCCL_ALGO": "Tree", "NCCL_NET_PLUGIN": "none"}}),
    (
        "launch.settings",
        {(H, "host.launch.coalescing"): False, (H, "host.launch.eager_sgl_limit"): Size(4096)},
    ),
    ("launch.settings", {(H, "host.launch.control_interface"): "docker0"}),
    ("launch.cores", {(H, "host.launch.cores"): ((0, 1), (0, 1))}),
    ("launch.settings", {(H, "host.launch.async_progress"): True}),
    ("launch.memlock", {(H, "host.launch.memlock"): "8388608"}),
    (
        "launch.gid-index",
        {
            (N.child("gid", "3"), "gid.address"): "192.168.7.1",
            (N.child("gid", "5"), "gid.address"): "10.1.0.1",
            (N.child("gid", "5"), "gid.type"): "RoCE v2",
        },
    ),
    ("address.nic", {(N, "nic.addresses"): ("192.168.7.1/24",)}),
    ("launch.gid-index", {(H, "host.launch.gid_index"): 0}),  # the table is as planned, the job file is not
    (  # a driver without RoCE v1
        "launch.gid-index",
        {
            (N.child("gid", "3"), "gid.address"): "fe80::1",
            (N.child("gid", "0"), "gid.address"): "fe80::2",
            (N.child("gid", "0"), "gid.type"): "RoCE v2",
            (N.child("gid", "1"), "gid.address"): "10.1.0.1",
            (N.child("gid", "1"), "gid.type"): "RoCE v2",
        },
    ),
    ("address.gid", {(N.child("gid", "3"), "gid.type"): "RoCE v1"}),
    ("address.rule", [H.child("rule", "from 10.1.0.1/32")]),
    ("address.rule", {(H.child("rule", "from 10.1.0.1/32"), "rule.table"): 254}),
    ("address.route", [H.child("route", "101 default")]),
    ("address.route", {(H.child("route", "101 default"), "route.device"): "eth2"}),
    ("address.route", {(H.child("route", "101 default"), "route.source"): "10.1.0.3"}),
    ("address.next-hop", {(H.child("route", "101 10.1.0.4/31 blackhole"), "route.type"): "blackhole"}),
    ("address.rp-filter", {(sysctl("net.ipv4.conf.eth1.rp_filter"), "sysctl.value"): "1"}),
    (
        "address.rp-filter",
        {
            (sysctl("net.ipv4.conf.all.rp_filter"), "sysctl.value"): "1",
            (sysctl("net.ipv4.conf.eth1.rp_filter"), "sysctl.value"): "0",
        },
    ),
    ("address.neighbour", {(small.STRANGER, "neighbour.mac"): "02:00:00:00:01:02"}),
    ("address.neighbour", {(small.STRANGER, "neighbour.mac"): "02:00:00:00:09:09"}),
    (
        "address.arp",
        {
            (sysctl("net.ipv4.conf.all.arp_ignore"), "sysctl.value"): "0",
            (sysctl("net.ipv4.conf.eth1.arp_ignore"), "sysctl.value"): "0",
            (sysctl("net.ipv4.conf.eth2.arp_ignore"), "sysctl.value"): "1",
        },
    ),
]

TWO_HOSTS = replace(
    small.PLAN,
    hosts={**small.PLAN.hosts, "node2": Host(nics={"eth1": Nic(rail=1, addresses=("10.1.0.5/31",))})},
)


def test_each_failure_alone_gives_its_finding_and_no_other() -> None:
    text = "\n".join(_describe_findings(identifier, changes) for identifier, changes in ROWS)
    if os.environ.get("WIRESPEED_ACCEPT"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("is_own", "is_planned"), [(True, True), (False, False)], ids=["of the planned NIC", "of another device"]
)
def test_a_neighbour_may_identify_its_port_by_mac_address(is_own: bool, is_planned: bool) -> None:
    """As a Linux host in napalm's recording of EOS, 0800.274f.332d."""
    mac = small.facts({}).value(N, "nic.mac") if is_own else "02:00:5e:00:53:01"
    port = ".".join(re.findall("....", mac.replace(":", "")))
    findings = small.bad(small.facts({(P, "port.neighbour.port"): port}), small.PLAN)
    assert ([finding.check for finding in findings] == []) is is_planned


@pytest.mark.parametrize(("name", "is_planned"), [("node1.example.com", True), ("node12.example.com", False)])
def test_a_neighbour_may_report_its_domain(name: str, is_planned: bool) -> None:
    """Recordings of LLDP in napalm and ntc-templates have both forms."""
    findings = small.bad(small.facts({(P, "port.neighbour.device"): name}), small.PLAN)
    assert ([finding.check for finding in findings] == []) is is_planned


def test_every_check_has_a_row_that_makes_it_fail() -> None:
    assert {identifier for identifier, _ in ROWS} == set(checks())


def _describe_findings(identifier, changes) -> str:  # type: ignore[no-untyped-def]
    facts = small.facts(absent=changes) if isinstance(changes, list) else small.facts(changes)
    plan = TWO_HOSTS if identifier == "address.next-hop" else small.PLAN
    findings = [finding for finding in small.bad(facts, plan) if finding.device in small.PLAN.devices]
    assert identifier in [finding.check for finding in findings]
    changed = (
        [str(place) for place in changes] if isinstance(changes, list) else [f"{p}: {path}" for p, path in changes]
    )
    return f"=== {identifier}: {'; '.join(changed)}\n" + "".join(_finding(finding) for finding in findings)


def _finding(finding: Finding) -> str:
    lines = [
        f"{finding.status.upper()} {finding.check} on {finding.device}, {finding.place}: {finding.summary}",
        f"  expected {finding.expected}",
        f"  found    {finding.found}",
    ]
    if finding.impact:
        lines.append(f"  impact   {finding.impact.value} {finding.impact.unit}: {finding.impact.basis}")
    for fix in finding.fix:
        lines.append(f"  fix      {fix.sentence}{f' ({fix.consequence})' if fix.consequence else ''}")
        if fix.change:
            lines.append(f"           {fix.change.place}: {fix.change.setting} = {fix.change.value}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("found_sizes", "loss"), [((128, 4096), 18.19), ((256, 512), None), ((64, 512), 47.14)])
def test_impact_of_small_pcie_packets(found_sizes: tuple[int, int], loss: float | None) -> None:
    """In a slot of eight lanes, of 252.06 Gb/s: 256 of 280 bytes are data, 128 of 152, 64 of 88."""
    function = small.PLAN.hosts["node1"].pcie["0000:1d:00.0"]
    host = replace(small.PLAN.hosts["node1"], pcie={"0000:1d:00.0": replace(function, link=PcieLink(32000, 8))})
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": host})
    place = small.HOST.child("pcie", "0000:1d:00.0")
    sizes = {(place, "pcie.max_payload"): found_sizes[0], (place, "pcie.max_read_request"): found_sizes[1]}
    (finding,) = (
        finding for finding in small.by_id("nic.pcie-packets", small.facts(sizes), plan) if finding.status == "fail"
    )
    assert (finding.impact.value if finding.impact else None) == loss


@pytest.mark.parametrize(
    ("speed", "loss"), [(Bandwidth.gbps(200), 196.07), (Bandwidth.gbps(100), 294.11), (Bandwidth.gbps(800), None)]
)
def test_the_impact_of_a_slow_switch_port_is_the_difference(speed: Bandwidth, loss: float | None) -> None:
    """A NIC of 400 Gb/s: the link runs at the lower speed of NIC and port."""
    (finding,) = (
        finding
        for finding in small.by_id("port.speed", small.facts({(P, "port.link.speed"): speed}))
        if finding.status == "fail"
    )
    assert (finding.impact.value if finding.impact else None) == loss


def test_tcp_loses_full_segments_at_a_port_with_a_small_mtu() -> None:
    """The path MTU of RDMA, 4096, fits 8000 bytes; segments of TCP fill the MTU of the interface."""
    tcp_plan = replace(small.PLAN, classes={})
    losses = [
        (finding.impact.basis if finding.impact else None)
        for plan in (small.PLAN, tcp_plan)
        for finding in small.by_id("port.mtu", small.facts({(P, "port.link.mtu"): 8000}), plan)
        if finding.status == "fail"
    ]
    assert losses == [
        None,
        "planned 396.55 Gb/s, as found 0: every full-size packet (MTU 9000) is dropped; "
        "TCP traffic, because the cluster file has no class for RoCE",
    ]

"""Two rails between one host and one leaf: a plan small enough to read, and facts that agree with it but for what a
test changes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from wirespeed import catalogue
from wirespeed.checks import checks, run
from wirespeed.facts import COMPLETE, Facts, Gap, Observation, Source, State, assemble_facts
from wirespeed.plan import Cable, End, Plan
from wirespeed.platforms.host.linux.kernel_messages import read_error
from wirespeed.results.findings import Finding
from wirespeed.settings import (
    Bgp,
    BgpPeer,
    BiosAttribute,
    Bond,
    Coalescing,
    Congestion,
    Discipline,
    Driver,
    Dscp,
    Ecn,
    Ect,
    Gid,
    Gpu,
    Host,
    Kernel,
    KernelMessage,
    Launch,
    Link,
    Loan,
    Module,
    Neighbour,
    Nic,
    NicCosQueue,
    NicQos,
    NicTrafficClass,
    Ntb,
    NumaNode,
    Nvm,
    Package,
    PcieFunction,
    PcieLink,
    Place,
    Port,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    Resolver,
    Ring,
    Route,
    Rule,
    Software,
    Switch,
    SwitchQueue,
    SwitchTrafficClass,
    Sysctl,
    TrafficClass,
    Vlan,
    Watchdog,
    WatchdogAction,
    get,
    iterate_entities,
    list_collections,
    list_settings,
)
from wirespeed.settings.fabric import Buffers, LoadBalancing
from wirespeed.units import Bandwidth, Duration, Length, Size

SPEED = Bandwidth.gbps(400)
HOST = Place("node1")
LEAF = Place("leaf1")
NIC = HOST.child("nic", "eth1")
OTHER_NIC = HOST.child("nic", "eth2")
PORT = LEAF.child("port", "Eth1/1")
OTHER_PORT = LEAF.child("port", "Eth1/2")
ROCE_QUEUE = PORT.child("queue", "3")


def sysctl(key: str) -> Place:
    return HOST.child("sysctl", key)


def kernel_errors(*lines: str) -> tuple[KernelMessage, ...]:
    """Errors of the kernel log, as Linux prints them."""
    return tuple(map(read_error, lines))


def _nic(rail: int) -> Nic:
    address = f"10.1.0.{2 * rail - 1}"
    return Nic(
        rail=rail,
        mac=f"02:00:00:00:01:0{rail}",
        pcie=f"0000:{rail}d:00.0",
        slot_address=f"0000:{rail}d:00.0",
        rdma_device=f"bnxt_re{rail - 1}",
        rdma_state="ACTIVE",
        rdma_mtu=4096,
        roce_version="RoCE v2",
        node_guid=f"0200:00ff:fe00:010{rail}",
        queue_pairs=65537,
        driver=Driver(version="25.10-1.7.1", firmware="236.1.173.0"),
        addresses=(f"{address}/31",),
        link=Link(speed=SPEED, up=True, mtu=9000, fec="rs", pause_receive=False, pause_send=False),
        qos=NicQos(
            priority_tc={Priority(n): NicTrafficClass({3: 1, 7: 2}.get(n, 0)) for n in range(8)},
            tc_discipline={
                NicTrafficClass(0): Discipline.DWRR,
                NicTrafficClass(1): Discipline.DWRR,
                NicTrafficClass(2): Discipline.STRICT,
            },
            tc_share={NicTrafficClass(0): 50, NicTrafficClass(1): 50},
            trust="dscp",
            willing=False,
            priority_cos={Priority(n): NicCosQueue({3: 0, 7: 5}.get(n, 4)) for n in range(8)},
            priority_buffer={Priority(n): int(n == 3) for n in range(8)},
            buffer_size={0: Size(100_000), 1: Size(200_000)},
            ecn_priorities=frozenset({Priority(3)}),
            tc_rate_limit=dict.fromkeys(map(NicTrafficClass, range(3)), 100),
            pfc=frozenset({Priority(3)}),
            dscp_priority={Dscp(26): Priority(3), Dscp(48): Priority(7)},
            roce_dscp=Dscp(26),
            connection_dscp=Dscp(26),
            roce_priority=Priority(3),
            cnp_dscp=Dscp(48),
            cnp_priority=Priority(7),
            roce_share=50,
            congestion=Congestion.DCQCN_P,
            ecn=True,
            congestion_parameters={"g": 8},
            ect=Ect.ECT1,
            configure=True,
        ),
        cable_length=Length.from_unit(5, "m"),
        ring=Ring(8192, 8192),
        coalescing=Coalescing(adaptive_rx=True),
        interrupt_cores=frozenset({16, 17}),
        qdisc="fq",
        bond=Bond("active-backup", Duration.parse("100 ms")),
        nvm=Nvm(
            rdma=True,
            performance_profile="roce",
            relaxed_ordering=True,
            dcbx=False,
            lldp_nearest_bridge=False,
            lldp_nearest_non_tpmr_bridge=False,
            link_type="ethernet",
            sriov=False,
            outstanding_reads=44,
        ),
        gids={"3": Gid(address, "RoCE v2")},
    )


def _host() -> Host:
    return Host(
        os="ubuntu-22.04",
        kernel=Kernel("6.8.0-111-generic", command_line=("intel_iommu=on", "iommu=pt"), iommu="passthrough"),
        resolver=Resolver("eth1", ("192.0.2.53",), ("cluster.example",)),
        memory=Size.parse("2048 GiB"),
        memlock="unlimited",
        governor="performance",
        idle_states=frozenset({"POLL", "C1"}),
        irq_balancing=False,
        firewall=False,
        peer_memory=True,
        qos_tools=frozenset({"dcb"}),
        rdma_naming="NAME_KERNEL",
        acs_service=True,
        rdma_libraries="ok",
        rdma_devices=("bnxt_re0", "bnxt_re1"),
        bios={
            "smt": BiosAttribute("disabled", "BIOS > Processor Settings > Logical Processor", "Disable", verified=True)
        },
        sysctls={
            "kernel.numa_balancing": Sysctl("0"),
            "net.core.rmem_max": Sysctl("536870912"),
            "net.ipv4.conf.all.arp_ignore": Sysctl("1"),
            "net.ipv4.conf.all.arp_announce": Sysctl("2"),
            "net.ipv4.conf.all.rp_filter": Sysctl("0"),
            "net.ipv4.conf.eth1.rp_filter": Sysctl("2"),
            "net.ipv4.conf.eth2.rp_filter": Sysctl("2"),
        },
        modules={"bnxt_re": Module(True), "amdgpu": Module(True), "dis_irm": Module(True, service="dis_irm")},
        packages={"netxtreme-peer-mem": Package(True, "234.0.154.0")},
        software=Software(
            rocm="7.1.0",
            rdma_stack="OFED-internal-25.10",
            ucx="1.19",
            openmpi="5.0.8",
            perftest_memory="rocm",
            rccl_tests="77ae744",
            osu="7.5.1",
            iperf3="3.16",
        ),
        ntbs={"1": Ntb(4, Size.parse("1 GiB"))},
        loans={"80400": Loan(True, "0000:04:00.0", 8, Size.parse("1 GiB"), True)},
        inactive_services=(),
        usable_gpus=3,
        nics={"eth1": replace(_nic(1), gpu="GPU0"), "eth2": _nic(2)},
        numa={
            "0": NumaNode(frozenset(range(16)), Size.parse("256 GiB"), (10, 32)),
            "1": NumaNode(frozenset(range(16, 32)), Size.parse("256 GiB"), (32, 10)),
        },
        gpus={"GPU0": Gpu("mi300x", "0000:1c:00.0", 7)},
        pcie={
            "0000:10:00.0": PcieFunction(role="switch-upstream", link=PcieLink(32000, 16)),
            "0000:14:00.0": PcieFunction(role="switch-downstream", parent="0000:10:00.0", acs=frozenset()),
            "0000:1c:00.0": PcieFunction(
                role="endpoint",
                device_ids=frozenset({"1002:74a1", "1002:74b5"}),
                parent="0000:14:01.0",
                switch="switch1",
                link=PcieLink(32000, 16),
                numa_node=1,
                socket=1,
            ),
            "0000:14:01.0": PcieFunction(role="switch-downstream", parent="0000:10:00.0", acs=frozenset()),
            "0000:1d:00.0": PcieFunction(
                role="endpoint",
                parent="0000:14:00.0",
                switch="switch1",
                link=PcieLink(32000, 16),
                max_payload=256,
                max_read_request=4096,
                relaxed_ordering=True,
                numa_node=1,
                socket=1,
            ),
            "0000:2d:00.0": PcieFunction(role="endpoint", link=PcieLink(32000, 16), relaxed_ordering=True),
        },
        rules={"from 10.1.0.1/32": Rule(101, 1001), "from 10.1.0.3/32": Rule(102, 1002)},
        routes={"101 default": Route("eth1", "10.1.0.0", source="10.1.0.1"), "102 default": Route("eth2", "10.1.0.2")},
        launch=Launch(
            hosts=("node1", "node2"),
            ranks_per_host=2,
            other_ranks={},
            rdma_devices=("bnxt_re0", "bnxt_re1"),
            mpi_devices=("bnxt_re0", "bnxt_re1"),
            gid_index=3,
            control_interface="eno1",
            needed_queue_pairs=100000,
            dscp=Dscp(26),
            transport="hybrid",
            coalescing=True,
            eager_sgl_limit=Size(1024),
            cores=((0, 1), (2, 3)),
            memlock="unlimited",
        ),
    )


def _port(rail: int) -> Port:
    classes = {Dscp(n): SwitchTrafficClass({26: 3, 48: 6}.get(n, 0)) for n in range(64)}
    return Port(
        link=Link(
            speed=SPEED,
            lanes=8,
            enabled=True,
            up=True,
            training=True,
            mtu=9100,
            fec="rs",
            pause_receive=False,
            pause_send=False,
        ),
        cable_length=Length.from_unit(5, "m"),
        headroom=Size(228_854),
        headroom_speed=SPEED,
        signal_monitoring="auto",
        addresses=(f"10.1.0.{2 * rail - 2}/31",),
        vlan=10 + rail,
        breakout=2,
        qos=PortQos(
            trust="dscp",
            dscp_tc=classes,
            dot1p_tc={Priority(n): SwitchTrafficClass(n if n == 3 else 0) for n in range(8)},
            tc_queue={SwitchTrafficClass(n): SwitchQueue(n) for n in range(8)},
            tc_pg={SwitchTrafficClass(n): PriorityGroup(3 if n == 3 else 7) for n in range(8)},
            pfc_queue={Priority(3): SwitchQueue(3)},
            pfc_pg={Priority(3): PriorityGroup(3)},
            pfc=frozenset({Priority(3)}),
            lossless_groups=frozenset({PriorityGroup(3)}),
            watchdog=Watchdog(
                enabled=True,
                action=WatchdogAction.DROP,
                detect=Duration.parse("200 ms"),
                restore=Duration.parse("400 ms"),
            ),
        ),
        queues={
            "0": Queue(discipline=Discipline.DWRR, weight=50, shape=Bandwidth(0)),
            "3": Queue(
                Discipline.DWRR,
                50,
                shape=Bandwidth(0),
                ecn_counter=True,
                ecn=Ecn(True, Size(1_000_000), Size(2_000_000), probability=20),
            ),
            "6": Queue(discipline=Discipline.STRICT, shape=Bandwidth(0)),
        },
        neighbour=Neighbour("node1", f"eth{rail}"),
    )


PLAN = Plan(
    name="small",
    hosts={"node1": _host()},
    switches={
        "leaf1": Switch(
            os_version="4.4.2",
            routing=True,
            pfc=True,
            lldp=True,
            load_balancing=LoadBalancing("flowlet", Duration.parse("256 us"), 2048, frozenset({"layer-3", "layer-4"})),
            buffers=Buffers(True, Size(3_500_000), 80, 10, 10, 80, 10, 15, 30, 10),
            watchdog_poll=Duration.parse("100 ms"),
            ecn_counters=True,
            class_mtu=9216,
            loopbacks=("10.255.0.1/32",),
            bgp=Bgp(65001, "10.255.0.1", 2, True, ("10.255.0.1/32", "10.1.0.0/31", "10.1.0.2/31")),
            peers={"Eth1/64": BgpPeer(65000, "spine1 Eth1/1", True, True, None, True, "Established")},
            ports={
                "Eth1/1": _port(1),
                "Eth1/2": _port(2),
                "Eth1/64": Port(unnumbered=True, qos=PortQos(pfc=frozenset({Priority(3)}))),
            },
            vlans={"11": Vlan(("192.168.1.254/24",), 9100)},
        )
    },
    roles={"node1": "host", "leaf1": "leaf"},
    cables=tuple(Cable(End("node1", f"eth{rail}"), End("leaf1", f"Eth1/{rail}"), SPEED, rail=rail) for rail in (1, 2)),
    classes={
        "roce": TrafficClass("roce", frozenset({Dscp(26)}), Priority(3), True, False, 50, Congestion.DCQCN_P),
        "cnp": TrafficClass("cnp", frozenset({Dscp(48)}), Priority(7), False, True, None, None),
        "default": TrafficClass("default", frozenset(), Priority(0), False, False, 50, None),
    },
    hardware=catalogue.load(),
)

STRANGER = Place("node9").child("neighbour", "eth1 10.1.0.1")  # what a host beside the plan knows of the NIC's address
_NOBODY_PLANS = (
    *(
        (HOST.child("nic", f"eth{rail}"), f"nic.counters.{name}", 0)
        for rail in (1, 2)
        for name in ("retries", "sequence_errors")
    ),
    *(
        (HOST.child("nic", f"eth{rail}"), "nic.qos.package_functions", frozenset({"pfc", "congestion-control"}))
        for rail in (1, 2)
    ),
    (HOST, "host.kernel.errors", ()),
    (HOST, "host.conflicting_stacks", ()),
    (STRANGER, "neighbour.mac", "02:00:00:00:01:01"),
)

Changes = Mapping[tuple[Place, str], Any]


def observations(changes: Changes | None = None, absent: Iterable[Place] = ()) -> list[Observation]:
    """What a cluster exactly as planned would show, but for changed values (None: not read) and absent entities."""
    changes = changes or {}
    absent_places = tuple(absent)
    values: dict[tuple[Place, str], Any] = {}
    for name, device in PLAN.devices.items():
        for place, entity in iterate_entities(device, Place(name)):
            if any(
                place.entities[: len(absent_place.entities)] == absent_place.entities
                and place.device == absent_place.device
                for absent_place in absent_places
            ):
                continue
            for path in list_settings(type(entity)):
                values[place, path] = get(entity, path)
            for path in list_collections(type(entity)):
                values[place, path] = COMPLETE
    values |= {(place, path): value for place, path, value in _NOBODY_PLANS if place not in set(absent)}
    values |= changes
    places = []
    for line, ((place, path), value) in enumerate(values.items(), 1):
        if value is None:
            continue
        source = Source(place.device, "show", f"{place.device}/show.out", line)
        places.append(Observation(place, path, value, source))
        if path.startswith("nic.qos."):
            places.append(Observation(place, path, value, source, State.CONFIGURED))
    return places


def facts(changes: Changes | None = None, absent: Iterable[Place] = ()) -> Facts:
    return assemble_facts(observations(changes, absent))


def facts_only(values: Changes) -> Facts:
    """Facts of nothing but these values."""
    return assemble_facts(
        Observation(place, path, value, Source(place.device, "show", "out", line), State.RUNNING)
        for line, ((place, path), value) in enumerate(values.items(), 1)
    )


def rdma_host(changes: Changes | None = None) -> Facts:
    """The planned host as it would be read, with the PCIe tree above its NICs."""
    tree: dict[tuple[Place, str], Any] = {}
    for address, parent in (("0000:1d:00.0", "0000:14:00.0"), ("0000:2d:00.0", "0000:14:00.0")):
        place = HOST.child("pcie", address)
        tree |= {
            (place, "pcie.parent"): parent,
            (place, "pcie.link.capable_speed"): 32000,
            (place, "pcie.link.capable_width"): 16,
        }
    observed = [
        observation for observation in observations(tree | dict(changes or {})) if observation.place.device == "node1"
    ]
    return assemble_facts(observed)


def find(observed_facts: Facts, plan: Plan = PLAN) -> list[Finding]:
    return list(run(plan, observed_facts))


def bad(observed_facts: Facts, plan: Plan = PLAN) -> list[Finding]:
    """Everything that is neither passed nor skipped."""
    return [finding for finding in find(observed_facts, plan) if finding.status not in ("pass", "skip")]


def by_id(identifier: str, observed_facts: Facts, plan: Plan = PLAN) -> list[Finding]:
    return list(run(plan, observed_facts, [checks()[identifier]]))


def no_permission(path: str) -> Mapping[tuple[str, str], tuple[Gap, ...]]:
    return {("node1", path): (Gap("lspci", "permission denied"),)}

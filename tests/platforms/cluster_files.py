"""Cluster files that between them ask for all that a cluster file can ask for, on every platform."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wirespeed.catalogue import load

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

_HEAD = "version: 1\nname: one\n"
_CLASSES = """\
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: CONGESTION, nic: {NIC}}
  cnp: {dscp: 48, priority: 7, strict: true}
"""
_FABRICS = {
    "numbered": (
        "addresses: {scheme: link-31, pool: 10.1.0.0/16, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}\n"
        "routing: {underlay: bgp-numbered, bfd: true, ecmp: 16}\n"
    ),
    "unnumbered": (
        "addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}\n"
        "routing: {underlay: bgp-unnumbered}\n"
    ),
    "IPv6": (
        "addresses: {scheme: link-127, pool: fd00:1::/48, fabric: fd00:2::/64, loopbacks: 10.255.0.0/24}\n"
        "routing: {underlay: bgp-numbered}\n"
    ),
    "VLANs": "addresses: {scheme: leaf-26, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}\n",
}
_SWITCH_OPTIONS = (
    "",
    ", watchdog: {action: alert, detect: 600 ms, restore: 1200 ms, poll: 300 ms}",
    ", watchdog: {action: drop, detect: 200 ms, restore: 400 ms}",
    ", ecn: {minimum: 700 kB, maximum: 1900 kB, probability: 33%}",
    ", ecn: {minimum_fill: 30%, maximum_fill: 70%}",
    ", load_balancing: {mode: flowlet, flowlet_gap: 200 us, flowlet_table: 256}",
    ", load_balancing: {mode: per-packet}",
    ", buffers: {lossless_share: 50%, headroom_share: 30%, lossy_share: 20%}",
    ", buffers: {egress_lossless_share: 50%, egress_lossy_share: 50%, dedicated_ingress: 20%, dedicated_egress: 20%}",
    ", buffers: {shared_headroom: 4 MB}",
    ", buffers: {dynamic_threshold: 7}",
    ", breakout: 2",
)
_SOFTWARE = (
    "",
    "kernel: 5.15.0-91-generic, nic_firmware: 28.39.1002",
    "kernel: 5.15.0-91-generic, peer_memory: true",
    "rocm: 7.1.0, perftest: 25.07.0, ucx: 1.19.0, openmpi: 5.0.8, rccl_tests: 77ae744, osu: 7.5.1",
)
_CUDA = (
    "gpu_driver: 470.182.03, cuda: '11.4', gcc: '9', nccl: 2.18.3, nccl_tests: v2.13.6",
    "gpu_driver: 470.182.03, cuda: '11.4', nccl: 2.18.3, nvcc_gencode: '-gencode=arch=compute_35,code=sm_35'",
    "gpu_driver: 470.182.03, cuda: '11.4', nvhpc: '21.9', nccl_tests: 8274cb4",
)
_LAUNCHES = (
    "gid_index: 5",
    "priority: 3",
    "queue_pairs: 4",
    "threads: 2, binding: spread",
    "environment: {X: 'y'}",
    "rdma: true",
    "transport: hybrid, hybrid_from: 512",
    "transport: hybrid, rc_connections: 32, rc_from_messages: 100",
    "transport: rc-verbs",
    "gpu_memory: true, gpu_direct: SYS",
    "coalescing: true, coalescing_from: 4",
    "eager_sgl: true, eager_sgl_limit: 8 KiB",
    "async_progress: true",
    "gpu_direct: PXB, gpu_direct_reads: true",
    "gpu_peers: PXB",
    "dma_buf: true, virtual_memory: true",
    "channels: 4",
    "fine_grained_memory: true",
    "relaxed_ordering: true",
    "shared_memory: true",
    "network_within_host: true",
)
_NIC_CLASS = (
    "",
    "ect: ect1",
    "congestion_parameters: {g: 8}",
    "congestion_parameters: {rpg_gd: 8}",
    "buffer: 1, buffer_size: 100 KiB",
)
_HOST_SYSTEMS = ("ubuntu-20.04", "ubuntu-22.04", "rhel-8.8", "rhel-9.6", "sles-15.6", "sles-16.0")
_RENDERERS = ("netplan", "networkd", "networkmanager", "wicked")


def switch_files(system: str) -> Iterator[str]:
    """A leaf, alone and under a spine, that runs an operating system."""
    models = [name for name, switch_model in load().switches.items() if system in switch_model.lossless_systems]
    for congestion in ("dcqcn-p", "dcqcn-d"):
        for options in _SWITCH_OPTIONS:
            yield _cluster(models[0], system, options, _CLASSES.replace("CONGESTION", congestion))
    yield _cluster(models[0], system, "", _CLASSES.replace("CONGESTION", "dcqcn-p, dot1p: true"))
    models_by_chip = {load().switches[name].chip: name for name in models}
    for model in models_by_chip.values():  # some systems have settings for some chips only
        yield _cluster(model, system, "", _CLASSES.replace("CONGESTION", "dcqcn-p"))
    for fabric in _FABRICS.values():
        for cable in ("dac-400g", "fibre-400g"):
            yield _fabric(models[0], system, fabric, cable)


def host_files() -> Iterator[str]:
    """Hosts under every operating system with all settings that they support."""
    for system in _HOST_SYSTEMS:
        for software in _SOFTWARE:
            yield _hosts("dell-xe9680-mi300x", system, "broadcom-bcm957608-p1400gd", f"software: {{{software}}}")
        for software in _CUDA:
            yield _hosts("supermicro-x9drg-hf-p2p", system, "nvidia-mcx623105an-vdat", f"software: {{{software}}}")
        for renderer in _RENDERERS:
            yield _hosts("dell-xe9680-mi300x", system, "broadcom-bcm957608-p1400gd", f"renderer: {renderer}")
        for release in ("3.2.1", "3.2.0", "3.0.0", "2.9.2"):
            software = f"software: {{nic_packages: {{doca-ofed: {release}}}}}"
            yield _hosts("dell-xe9680-mi300x", system, "nvidia-mcx75310aas-neat", software)
        yield _hosts("supermicro-as-2124us-tnrp", system, "nvidia-mcx613106a-vdat", "tuning: esnet-dtn")


def nic_files() -> Iterator[str]:
    """Hosts with every NIC model."""
    for nic in load().nics:
        for options in ("", "nvm: {relaxed_ordering: true, sriov: true, outstanding_reads: 44}", "nvm: {sriov: false}"):
            yield _hosts("dell-xe9680-mi300x", "ubuntu-22.04", nic, options)
        for chosen in _NIC_CLASS:
            yield _hosts("dell-xe9680-mi300x", "ubuntu-22.04", nic, "", chosen)


def launch_files() -> Iterator[str]:
    """Jobs of every library and launcher, on hosts whose cores are known and on hosts with GPUs."""
    for library in load().libraries:
        for launcher in ("mpirun", "mpirun-rsh", "hydra", "slurm"):
            for option in _LAUNCHES:
                server = "dell-xe9680-mi300x" if library == "rccl" or "gpu_memory" in option else "dell-r6525"
                text = _hosts(server, "rhel-8.8", "broadcom-bcm957508-p2100g", "control_interface: eno1")
                yield f"{text}launch: {{library: {library}, launcher: {launcher}, {option}}}\n"
    # Hosts that differ in the NICs of jobs: MPI below the library for GPUs reads its devices from each host.
    server, nic = "dell-xe9680-mi300x", "broadcom-bcm957608-p1400gd"
    difference = f"except: {{node2: {{nic: {{{load().servers[server].nic_slots[0].interface}: {{jobs: false}}}}}}}}"
    hosts = _hosts(server, "ubuntu-22.04", nic, difference).replace(f"nics: {nic}", f"nics: 2 x {nic}")
    yield f"{hosts}launch: {{library: rccl}}\n"


def _cluster(model: str, system: str, options: str, classes: str) -> str:
    return (
        f"{_HEAD}hosts:\n"
        "  node1: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}\n"
        f"switches:\n  leaf1: {{model: {model}, os: {system}, role: leaf{options}}}\n"
        "cabling: {pattern: by-host, length: 3 m}\naddresses: {scheme: link-31, pool: 10.1.0.0/16}\n"
        + classes.replace("NIC", "")
    )


def _fabric(model: str, system: str, addresses: str, cable: str) -> str:
    return (
        f"{_HEAD}hosts:\n"
        "  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}\n"
        f"switches:\n  leaf[1-2]: {{model: {model}, os: {system}, role: leaf}}\n"
        f"  spine1: {{model: {model}, os: {system}, role: spine}}\n"
        f"fabric:\n  leaf_spine: {{uplinks: 2, cable: {cable}, length: 3 m}}\n"
        f"cabling: {{pattern: by-host, cable: {cable}, length: 3 m}}\n{addresses}"
    )


def _hosts(server: str, system: str, nics: str, options: str, nic_class: str = "") -> str:
    slots = load().servers[server].nic_slots
    named = bool(slots) and slots[0].interface is not None
    host = [f"model: {server}", f"os: {system}", f"nics: {nics}", *([] if named else ["interfaces: [eth1]"])]
    congestion = ", congestion: dcqcn-p" if load().nics[nics].ect else ""
    return (
        f"{_HEAD}hosts:\n  node[1-2]: {{{', '.join([*host, *([options] if options else [])])}}}\n"
        "switches:\n  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}\n"
        "cabling: {pattern: by-host, length: 3 m}\naddresses: {scheme: link-31, pool: 10.1.0.0/16}\n"
        + _CLASSES.replace("NIC", nic_class).replace(", congestion: CONGESTION", congestion)
    )

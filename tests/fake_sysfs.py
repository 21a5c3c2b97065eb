"""A /sys that scripts take for that of the machine: PCIe devices in their tree, and interfaces in front of them."""

from __future__ import annotations

from pathlib import Path


def add_device(root: Path, path: str, pci_class: str = "0x060400", vendor: str = "0x1000", numa_node: int = -1) -> Path:
    """A device below its bridges, ``0000:00:01.0/0000:1d:00.0`` from the root port on, each as the kernel shows it."""
    folder = root / "devices" / f"pci{path[:7]}"
    for address in path.split("/"):
        folder = folder / address
        link = root / "bus/pci/devices" / address
        if not link.is_symlink():
            folder.mkdir(parents=True, exist_ok=True)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(folder)
            for name, text in (("class", "0x060400"), ("vendor", "0x1000"), ("numa_node", "-1")):
                (folder / name).write_text(f"{text}\n")
    for name, text in (("class", pci_class), ("vendor", vendor), ("numa_node", str(numa_node))):
        (folder / name).write_text(f"{text}\n")
    return folder


def add_interface(root: Path, interface: str, path: str, numa_node: int = -1) -> Path:
    """A network interface of a device, and the folder of the device."""
    device = add_device(root, path, "0x020000", "0x14e4", numa_node)
    (root / "class/net" / interface).mkdir(parents=True)
    (root / "class/net" / interface / "device").symlink_to(device)
    return device


def use(text: str, root: Path) -> str:
    """A script with this /sys instead of the machine's."""
    return text.replace("/sys/", f"{root}/")

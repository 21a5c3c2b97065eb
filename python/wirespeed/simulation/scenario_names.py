"""Names of a scenario's nodes and ports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import pyarrow as pa

    from wirespeed import _core


@dataclass(frozen=True, slots=True)
class ScenarioNames:
    """The names in a scenario, from the cluster that it was made from."""

    nodes: tuple[int, ...]
    """The node of each port."""
    devices: tuple[str, ...]
    """The name of each port's node."""
    interfaces: tuple[str, ...]
    """The name of each port; empty for a port without a name."""

    @classmethod
    def from_scenario(cls, scenario: _core.Scenario) -> Self | None:
        """Read the names; None if the scenario has none."""
        names = scenario.node_names()
        if not names:
            return None
        nodes = tuple(node for link in scenario.links() for node in link)
        return cls(nodes, tuple(names[node] for node in nodes), tuple(scenario.port_names()))

    def by_name(self) -> dict[str, int]:
        """Ports by ``leaf1:Eth1/1``."""
        pairs = zip(self.devices, self.interfaces, strict=True)
        return {f"{device}:{interface}": port for port, (device, interface) in enumerate(pairs) if interface}

    def table(self) -> pa.Table:
        """The table of port names."""
        import pyarrow as pa

        ports = range(len(self.nodes))
        return pa.table(
            {
                "port": pa.array(ports, pa.uint32()),
                "node": pa.array(self.nodes, pa.uint32()),
                "device": self.devices,
                "interface": self.interfaces,
            }
        )

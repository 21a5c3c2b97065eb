//! The cables of a scenario with miswired links.

use crate::model::faults::miswiring::Miswiring;
use crate::model::scenario::Scenario;

impl Scenario {
    /// Exchanges the second ends of two links of a scenario without miswiring so far.
    pub fn exchange_cables(&mut self, miswired: &Miswiring) {
        let [link, other_link] = miswired.links;
        let [port, other_port] = miswired.links.map(|link| link.ports()[1]);
        let kept = self.links[link].b;
        self.links[link].b = std::mem::replace(&mut self.links[other_link].b, kept);
        if !self.addresses.is_empty() {
            self.addresses.resize(2 * self.links.len(), None);
            self.addresses.swap(port.index(), other_port.index());
        }
        if !self.names.ports.is_empty() {
            self.names.exchange(port, other_port);
        }
        if self.sets() > 1 {
            self.devices.exchange(port, other_port);
        }
        for connection in &mut self.connections {
            connection.port_a = miswired.rename_port(connection.port_a);
            connection.port_b = miswired.rename_port(connection.port_b);
        }
        let routes = self.routes.iter_mut();
        for port in routes.flat_map(|route| &mut route.ports) {
            *port = miswired.rename_port(*port);
        }
    }
}

//! The cables of a scenario with miswired links.

use crate::model::faults::miswiring::Miswiring;
use crate::model::scenario::Scenario;

impl Scenario {
    /// Exchanges the second ends of two links of a scenario without miswiring so far.
    pub fn exchange_cables(&mut self, miswired: &Miswiring) {
        let [one, other] = miswired.links;
        let [second, other_second] = miswired.links.map(|link| link.ports()[1]);
        let kept = self.links[one].b;
        self.links[one].b = std::mem::replace(&mut self.links[other].b, kept);
        if !self.addresses.is_empty() {
            self.addresses.resize(2 * self.links.len(), None);
            self.addresses.swap(second.index(), other_second.index());
        }
        if !self.names.ports.is_empty() {
            self.names.exchange(second, other_second);
        }
        if self.sets() > 1 {
            self.devices.exchange(second, other_second);
        }
        for connection in &mut self.connections {
            connection.port_a = miswired.renamed(connection.port_a);
            connection.port_b = miswired.renamed(connection.port_b);
        }
        let routes = self.routes.iter_mut();
        for port in routes.flat_map(|route| &mut route.ports) {
            *port = miswired.renamed(*port);
        }
    }
}

//! When routing withdraws links and uses them again.

use crate::ids::LinkId;
use crate::model::faults::Kind;
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NEVER};

/// In order of time: the time, the link, and whether it is withdrawn. A link is used while it was restored as often as
/// withdrawn.
pub(crate) fn link_changes(scenario: &Scenario) -> Vec<(Picoseconds, LinkId, bool)> {
    let mut changes = Vec::new();
    for fault in &scenario.faults {
        let Kind::LinkDown(down) = &fault.kind else {
            continue;
        };
        if !down.is_detected(fault.from, fault.until) {
            continue;
        }
        let withdrawn = (fault.from + down.detection).saturating_add(down.convergence);
        let back = fault.until.saturating_add(down.convergence);
        let ends = scenario.links.iter().map(|link| [link.a, link.b]);
        for link in down.links(ends) {
            changes.push((withdrawn, link, true));
            if back != NEVER {
                changes.push((back, link, false));
            }
        }
    }
    changes.sort_unstable();
    changes
}

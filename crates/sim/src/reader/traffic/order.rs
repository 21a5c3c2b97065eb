//! The order of operations by their dependencies, and their latest start.

use super::{Traffic, LATEST};
use crate::problem::format_thousands;
use crate::reader::problems::Problems;
use crate::time::{Picoseconds, SECOND};

impl Traffic {
    /// Visits all operations after their dependencies. Operations that wait for each other never start.
    pub(super) fn order(&self, problems: &mut Problems) {
        let all = &self.operations;
        let mut waits: Vec<usize> = all.iter().map(|post| post.operation.after.len()).collect();
        let mut followers = vec![Vec::new(); all.len()];
        for (n, post) in all.iter().enumerate() {
            for &predecessor in &post.operation.after {
                followers[predecessor as usize].push(n);
            }
        }
        let mut ready: Vec<usize> = (0..all.len()).filter(|&n| waits[n] == 0).collect();
        let mut earliest: Vec<Picoseconds> = vec![Picoseconds::ZERO; all.len()];
        let mut too_late = false;
        while let Some(done) = ready.pop() {
            let operation = &all[done].operation;
            let start = earliest[done].max(operation.at) + operation.delay;
            if start > LATEST && !too_late {
                too_late = true; // and so are its dependents
                let found = format!(
                    "a start after {} s at the earliest",
                    format_thousands((start / SECOND).into())
                );
                let expected = format!("at most {} s", format_thousands((LATEST / SECOND).into()));
                problems.note(all[done].location, found, expected, "");
            }
            let start = start.min(LATEST);
            for &n in &followers[done] {
                earliest[n] = earliest[n].max(start);
                waits[n] -= 1;
                if waits[n] == 0 {
                    ready.push(n);
                }
            }
        }
        if let Some(stuck) = waits.iter().position(|&left| left > 0) {
            self.find_circle(stuck, &waits, problems);
        }
    }

    /// Adds a problem for operation `stuck`, which never starts, and for the circle of dependencies.
    fn find_circle(&self, stuck: usize, waits: &[usize], problems: &mut Problems) {
        let all = &self.operations;
        // Every waiting operation has a waiting dependency; following these leads to a circle.
        let mut positions = vec![usize::MAX; all.len()];
        let mut walk = Vec::new();
        let mut at = stuck;
        while positions[at] == usize::MAX {
            positions[at] = walk.len();
            walk.push(at);
            let mut predecessors = all[at].operation.after.iter().map(|&n| n as usize);
            at = predecessors
                .find(|&n| waits[n] > 0)
                .expect("it waits for someone");
        }
        let circle = &walk[positions[at]..];
        let shown = circle.iter().chain([&at]).take(10);
        let names: Vec<String> = shown.map(|n| (n - self.flows).to_string()).collect();
        let dots = if circle.len() > 9 { " after …" } else { "" };
        let found = format!("a circle: {}{dots}", names.join(" after "));
        let location = format!("{}.after", all[at].location);
        problems.note(location, found, "operations that can begin", "");
    }
}

//! Samples of time series.

use crate::bytes::Bytes;
use crate::ids::{PortId, Priority};
use crate::simulation::class;
use crate::simulation::series::{MARKS, PAUSED, QUEUE, RATE, SENT};
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// Takes a sample, and schedules the next one after the interval while the run is active. `before`: time of the previous
    /// event.
    pub(crate) fn sample(&mut self, previous_time: Picoseconds) {
        let now = self.now;
        self.sample_at(now);
        // Operations that depend on a failed one never end: a run without pending events is over, too.
        let going_on = !self.operations.all_ended() || self.frames.live() > 0;
        if going_on && !self.queue.is_empty() {
            let next = self.series.next(now);
            self.schedule(next, class::SAMPLE, 0, 0);
        } else if self.queue.is_empty() {
            self.now = previous_time; // sampling does not extend the run
        }
    }

    /// Takes a sample of all observed objects of this part.
    pub(crate) fn sample_at(&mut self, now: Picoseconds) {
        let border = self.border.as_deref();
        let is_in_part = |port: PortId| border.is_none_or(|border| border.has(port));
        let observe = &self.scenario.observe;
        for (position, port) in observe.ports.iter().enumerate() {
            if !is_in_part(*port) {
                continue;
            }
            for priority in Priority::all() {
                let Some(queue) = self.queues.get((*port, priority)) else {
                    continue;
                };
                if queue.frames == 0 && queue.bytes == Bytes(0) {
                    continue;
                }
                let paused = self.ports[*port].paused >> priority.0 & 1;
                let values = [
                    (QUEUE, queue.bytes.as_f64()),
                    (PAUSED, f64::from(paused)),
                    (SENT, queue.sent_bytes.as_f64()),
                    (MARKS, f64::from(queue.marks)),
                ];
                for (quantity, value) in values {
                    let row = (now, quantity, port.0, priority, value);
                    self.series.row(position, row);
                }
            }
        }
        for (position, id) in observe.queue_pairs.iter().enumerate() {
            let queue_pair = &self.queue_pairs[*id];
            if !is_in_part(queue_pair.port) {
                continue;
            }
            let line = self.scenario.links[queue_pair.port.link()].rate;
            let rate = queue_pair.congestion.throughput(now).unwrap_or(line as f64);
            let position = observe.ports.len() + position;
            self.series
                .row(position, (now, RATE, id.0, Priority(0), rate));
        }
    }
}

//! Time series: queues, pauses and rates at a fixed interval.

use crate::congestion::CongestionControl;
use crate::ids::{PortId, Priority};
use crate::model::results::{Column, Table};
use crate::model::scenario::Observe;
use crate::simulation::{class, Simulation};
use crate::time::Picoseconds;

/// What was sampled, one row per time and thing.
#[derive(Debug, Clone, Default)]
pub struct Series {
    time: Vec<Picoseconds>,
    what: Vec<u8>,
    id: Vec<u32>,
    priority: Vec<u8>,
    value: Vec<f64>,
    interval: Picoseconds,
    /// How many samples are kept, and at most; 0 = all are.
    taken: u32,
    most: u32,
    /// Where in the list of what is observed: orders rows of the same time.
    place: Vec<u32>,
}

const WORDS: &[&str] = &[
    "queue_bytes",
    "paused",
    "rate_bps",
    "sent_bytes",
    "ecn_marks",
];
const QUEUE: u8 = 0;
const PAUSED: u8 = 1;
const RATE: u8 = 2;
const SENT: u8 = 3;
const MARKS: u8 = 4;

impl Series {
    /// Nothing yet.
    pub fn new(observe: &Observe) -> Series {
        Series {
            interval: observe.interval,
            most: observe.samples,
            ..Series::default()
        }
    }

    /// A sample was taken at `now`. Where it was one too many, every second one is dropped. When the next is due.
    pub(crate) fn next(&mut self, now: Picoseconds) -> Picoseconds {
        self.taken += 1;
        if self.most != 0 && self.taken > self.most {
            self.thin();
        }
        (now / self.interval + 1) * self.interval
    }

    fn thin(&mut self) {
        self.interval *= 2;
        self.taken = self.taken.div_ceil(2);
        let kept = |time: &Picoseconds| time.is_multiple_of(self.interval);
        let keep: Vec<bool> = self.time.iter().map(kept).collect();
        retain(&mut self.time, &keep);
        retain(&mut self.what, &keep);
        retain(&mut self.id, &keep);
        retain(&mut self.priority, &keep);
        retain(&mut self.value, &keep);
        retain(&mut self.place, &keep);
    }

    fn row(&mut self, place: usize, row: (Picoseconds, u8, u32, Priority, f64)) {
        let (time, what, id, priority, value) = row;
        self.place.push(place as u32);
        self.time.push(time);
        self.what.push(what);
        self.id.push(id);
        self.priority.push(priority.0);
        self.value.push(value);
    }

    /// Adds the samples of another part of the network.
    pub(crate) fn add(&mut self, other: Series) {
        // How many samples there were and how often they are taken is the same in all.
        self.time.extend(other.time);
        self.what.extend(other.what);
        self.id.extend(other.id);
        self.priority.extend(other.priority);
        self.value.extend(other.value);
        self.place.extend(other.place);
    }

    /// The order in which a network in one samples.
    pub(crate) fn put_in_order(&mut self) {
        let mut order: Vec<usize> = (0..self.time.len()).collect();
        order.sort_by_key(|row| (self.time[*row], self.place[*row]));
        self.time = order.iter().map(|row| self.time[*row]).collect();
        self.what = order.iter().map(|row| self.what[*row]).collect();
        self.id = order.iter().map(|row| self.id[*row]).collect();
        self.priority = order.iter().map(|row| self.priority[*row]).collect();
        self.value = order.iter().map(|row| self.value[*row]).collect();
        self.place = order.iter().map(|row| self.place[*row]).collect();
    }

    /// The samples as a table.
    pub fn table(self) -> Table {
        Table::new(
            "series",
            vec![
                ("time_ps", Column::U64(self.time)),
                (
                    "what",
                    Column::Word {
                        words: WORDS,
                        indices: self.what,
                    },
                ),
                ("id", Column::U32(self.id)),
                ("priority", Column::U8(self.priority)),
                ("value", Column::F64(self.value)),
            ],
        )
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next() == Some(&true));
}

impl Simulation {
    /// Samples everything observed, and again after the interval while something is going on. The event before was at `before`.
    pub(crate) fn sample(&mut self, before: Picoseconds) {
        let now = self.now;
        self.sample_at(now);
        // Operations that wait for one that failed never end: a run in which nothing is to happen is over, too.
        let going_on = !self.operations.all_ended() || self.frames.live() > 0;
        if going_on && !self.queue.is_empty() {
            let next = self.series.next(now);
            self.schedule(next, class::SAMPLE, 0, 0);
        } else if self.queue.is_empty() {
            self.now = before; // observing does not make a run longer
        }
    }

    /// Samples everything observed that is here.
    pub(crate) fn sample_at(&mut self, now: Picoseconds) {
        let border = self.border.as_deref();
        let here = |port: PortId| border.is_none_or(|border| border.has(port));
        let observe = &self.scenario.observe;
        for (place, port) in observe.ports.iter().enumerate() {
            if !here(*port) {
                continue;
            }
            for priority in Priority::all() {
                let Some(queue) = self.queues.get((*port, priority)) else {
                    continue;
                };
                if queue.frames == 0 && queue.bytes == 0 {
                    continue;
                }
                let paused = self.ports[*port].paused >> priority.0 & 1;
                let values = [
                    (QUEUE, f64::from(queue.bytes)),
                    (PAUSED, f64::from(paused)),
                    (SENT, queue.sent_bytes as f64),
                    (MARKS, f64::from(queue.marks)),
                ];
                for (what, value) in values {
                    let row = (now, what, port.0, priority, value);
                    self.series.row(place, row);
                }
            }
        }
        for (place, id) in observe.queue_pairs.iter().enumerate() {
            let queue_pair = &self.queue_pairs[*id];
            if !here(queue_pair.port) {
                continue;
            }
            let line = self.scenario.links[queue_pair.port.link()].rate;
            let rate = queue_pair.congestion.throughput(now).unwrap_or(line as f64);
            let place = observe.ports.len() + place;
            self.series.row(place, (now, RATE, id.0, Priority(0), rate));
        }
    }
}

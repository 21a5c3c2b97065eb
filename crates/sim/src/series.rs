//! Time series: queues, pauses and rates at a fixed interval.

use crate::congestion::CongestionControl;
use crate::parameters::PRIORITIES;
use crate::results::{Column, Table};
use crate::scenario::Observe;
use crate::simulation::{class, Simulation};
use crate::time::Picoseconds;

/// What was sampled, one row per time and thing.
#[derive(Debug, Default)]
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

    /// A sample was taken. Where it was one too many, every second one is dropped.
    fn count(&mut self) {
        self.taken += 1;
        if self.most == 0 || self.taken <= self.most {
            return;
        }
        self.interval *= 2;
        self.taken = self.taken.div_ceil(2);
        let kept = |time: &Picoseconds| time.is_multiple_of(self.interval);
        let keep: Vec<bool> = self.time.iter().map(kept).collect();
        retain(&mut self.time, &keep);
        retain(&mut self.what, &keep);
        retain(&mut self.id, &keep);
        retain(&mut self.priority, &keep);
        retain(&mut self.value, &keep);
    }

    fn row(&mut self, time: Picoseconds, what: u8, id: u32, priority: usize, value: f64) {
        self.time.push(time);
        self.what.push(what);
        self.id.push(id);
        self.priority.push(priority as u8);
        self.value.push(value);
    }

    /// The samples as a table.
    pub fn table(self) -> Table {
        Table {
            name: "series",
            columns: vec![
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
        }
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
        for port in &self.scenario.observe.ports {
            for priority in 0..PRIORITIES {
                let queue = &self.queues[(*port, priority)];
                if queue.frames == 0 && queue.bytes == 0 {
                    continue;
                }
                let paused = self.ports[*port as usize].paused >> priority & 1;
                self.series
                    .row(now, QUEUE, *port, priority, f64::from(queue.bytes));
                self.series
                    .row(now, PAUSED, *port, priority, f64::from(paused));
                self.series
                    .row(now, SENT, *port, priority, queue.sent_bytes as f64);
                self.series
                    .row(now, MARKS, *port, priority, f64::from(queue.marks));
            }
        }
        for id in &self.scenario.observe.queue_pairs {
            let queue_pair = &self.queue_pairs[*id as usize];
            let line = self.scenario.links[(queue_pair.port / 2) as usize].rate;
            let rate = queue_pair.congestion.peek(now).unwrap_or(line as f64);
            self.series.row(now, RATE, *id, 0, rate);
        }
        // Operations that wait for one that failed never end: a run in which nothing is to happen is over, too.
        let going_on = !self.operations.all_ended() || self.frames.live() > 0;
        if going_on && !self.queue.is_empty() {
            self.series.count();
            let next = (now / self.series.interval + 1) * self.series.interval;
            self.schedule(next, class::SAMPLE, 0, 0);
        } else if self.queue.is_empty() {
            self.now = before; // observing does not make a run longer
        }
    }
}

//! Time series: queues, pauses and rates at a fixed interval.

use crate::ids::Priority;
use crate::model::results::{Column, Table};
use crate::model::scenario::Observe;
use crate::time::Picoseconds;

/// Samples, one row per time and observed object.
#[derive(Debug, Clone, Default)]
pub struct Series {
    time: Vec<Picoseconds>,
    what: Vec<u8>,
    id: Vec<u32>,
    priority: Vec<u8>,
    value: Vec<f64>,
    interval: Picoseconds,
    /// Number of stored samples and its maximum; 0 = no maximum.
    taken: u32,
    most: u32,
    /// Index in the list of observed objects: orders rows of the same time.
    position: Vec<u32>,
}

const QUANTITIES: &[&str] = &[
    "queue_bytes",
    "paused",
    "rate_bps",
    "sent_bytes",
    "ecn_marks",
];
pub(super) const QUEUE: u8 = 0;
pub(super) const PAUSED: u8 = 1;
pub(super) const RATE: u8 = 2;
pub(super) const SENT: u8 = 3;
pub(super) const MARKS: u8 = 4;

impl Series {
    /// Empty series.
    pub fn new(observe: &Observe) -> Series {
        Series {
            interval: observe.interval,
            most: observe.samples,
            ..Series::default()
        }
    }

    /// Counts a sample at `now`; above the maximum every second one is dropped. Returns the time of the next sample.
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
        retain(&mut self.position, &keep);
    }

    pub(super) fn row(&mut self, position: usize, row: (Picoseconds, u8, u32, Priority, f64)) {
        let (time, quantity, id, priority, value) = row;
        self.position.push(position as u32);
        self.time.push(time);
        self.what.push(quantity);
        self.id.push(id);
        self.priority.push(priority.0);
        self.value.push(value);
    }

    /// Adds the samples of another part of the network.
    pub(crate) fn add(&mut self, other: Series) {
        // Number and interval of the samples are the same in all parts.
        self.time.extend(other.time);
        self.what.extend(other.what);
        self.id.extend(other.id);
        self.priority.extend(other.priority);
        self.value.extend(other.value);
        self.position.extend(other.position);
    }

    /// Sorts rows into the order of a serial run.
    pub(crate) fn sort_rows(&mut self) {
        let mut order: Vec<usize> = (0..self.time.len()).collect();
        order.sort_by_key(|row| (self.time[*row], self.position[*row]));
        self.time = order.iter().map(|row| self.time[*row]).collect();
        self.what = order.iter().map(|row| self.what[*row]).collect();
        self.id = order.iter().map(|row| self.id[*row]).collect();
        self.priority = order.iter().map(|row| self.priority[*row]).collect();
        self.value = order.iter().map(|row| self.value[*row]).collect();
        self.position = order.iter().map(|row| self.position[*row]).collect();
    }

    /// The samples as a table.
    pub fn table(self) -> Table {
        Table::new(
            "series",
            vec![
                (
                    "time_ps",
                    Column::U64(self.time.into_iter().map(|time| time.0).collect()),
                ),
                (
                    "what",
                    Column::Name {
                        names: QUANTITIES,
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

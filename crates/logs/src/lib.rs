//! A log as it comes: its lines without colours, quoting, rank prefixes and time stamps.
//!
//! What wrappers add is taken off here once, so that a tool's parser sees what the tool printed. Line numbers stay those
//! of the file. Nothing is interpreted but what makes up most of a large job's log: whole lines of NCCL's debug output
//! are told apart, since most readers need none of them, and lists of ranks are read.

mod ansi;
mod cursor;
mod debug;
mod hosts;
mod log;
mod prefix;
mod ranks;
mod rows;
mod signs;

pub use log::{Line, Log};
pub use ranks::{is_rank, ranks, Ranks};
pub use rows::{is_row, number, rows, Number, Rows};
pub use signs::{Signs, Words};

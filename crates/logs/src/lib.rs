//! A log as it comes: its lines without colours, quoting, rank prefixes and time stamps.
//!
//! What wrappers add is taken off here once, so that a tool's parser sees what the tool printed. Line numbers stay those
//! of the file. Nothing is interpreted, except that whole lines of NCCL's debug output are told apart: they are most of
//! the lines of a large job's log, and most readers need none of them.

mod ansi;
mod cursor;
mod debug;
mod hosts;
mod log;
mod prefix;
mod signs;

pub use log::{Line, Log};
pub use signs::Signs;

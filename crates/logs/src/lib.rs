//! Cleans a log: its lines without colours, quoting, rank prefixes and time stamps.
//!
//! Prefixes and escape sequences that launchers and terminals add are removed once, here, so that a tool's parser reads
//! the text that the tool printed. Line numbers stay those of the file. Only the bulk of a large job's log is interpreted:
//! whole lines of NCCL's debug output are marked, since most readers need none of them, and lists of ranks and rows of
//! tables are read.

mod cursor;
mod debug_output;
mod decimal_comma;
mod escape_sequences;
mod host_prefix;
mod last_row;
mod log;
mod logger_prefix;
mod markup;
mod prefix;
mod ranks;
mod substrings;
mod table;
mod time_stamp;
mod wrapped_text;

pub use log::{Line, Log};
pub use ranks::{is_rank_line, read_ranks, RankPlace, Ranks};
pub use substrings::{AnySubstring, Substrings};
pub use table::{is_row, parse_number, read_rows, Number, Rows};

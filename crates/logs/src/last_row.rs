//! Whether a last line without newline is whole, by its own form, by the line of its columns, or by earlier rows.
//!
//! Tools print a column with a fixed number of decimals, so that a number with as many decimals as the numbers above it,
//! or as the tool prints under this heading, lacks no digit. Nothing is known about a whole number, save a zero, nor about
//! a word that tools do not end rows with.

/// Words that end a row: without a result (nccl-tests), the end of a summary (iperf3), the validation of OSU.
const LAST_WORDS: [&str; 5] = ["N/A", "sender", "receiver", "Pass", "Fail"];

/// Whether `last` ends as a tool ends such a line, or has as many cells as a line of `earlier` and its last cell is as
/// long as a whole one. `earlier` begins with the nearest line.
pub fn is_complete<'a>(last: &str, mut earlier: impl Iterator<Item = &'a str>) -> bool {
    let (count, Some(cell)) = split(last) else {
        return false;
    };
    is_whole_by_itself(last, cell)
        || earlier.any(|line| {
            let (earlier_count, earlier_cell) = split(line);
            (count > 1
                && count == earlier_count
                && earlier_cell.is_some_and(|earlier_cell| is_same_form(cell, earlier_cell)))
                || Table::from_columns(line).is_some_and(|table| table.is_whole_row(count, cell))
                || is_iperf2_row(last, cell, line)
        })
}

/// Whether a line ends with a word that nothing follows in the output of its tool.
///
/// iperf3 (src/iperf_locale.c): the summary of a stream ends with its end. NetPIPE, sockperf and the pingpongs of
/// libibverbs: microseconds. qperf (src/qperf.c, view_time, view_band, view_rate): `name = value unit`; of the units of
/// time only those of a cost (view_cost) have a longer form.
fn is_whole_by_itself(line: &str, cell: &str) -> bool {
    match cell {
        "sender" | "receiver" => line.trim_start().starts_with('['),
        "usec" | "usec/iter" => true,
        _ if is_sockperf_row(line, cell) => true,
        _ => line.split_once(" = ").is_some_and(|(name, _)| {
            cell.ends_with("/sec")
                || cell == "cpus"
                || (matches!(cell, "ns" | "us" | "ms" | "sec") && !name.contains("cost"))
        }),
    }
}

/// Whether a row of sockperf ends with its closing bracket: `avg-latency=5.234 (std-dev=0.812)` (src/client.cpp).
fn is_sockperf_row(line: &str, cell: &str) -> bool {
    if line.contains("Summary: Message Rate is ") {
        return cell.ends_with("/sec]") || cell == "msg)";
    }
    (line.contains("====> avg-") || line.contains("Summary: BandWidth is ")) && cell.ends_with(')')
}

/// Whether a row of iperf 2 under its columns, of which the bandwidth is the last, ends with its unit.
///
/// iperf 2 (src/Reports.c) prints intervals with one or four decimals; iperf3, whose summary has a word more, with two.
fn is_iperf2_row(row: &str, cell: &str, columns: &str) -> bool {
    let is_heading = columns.trim_start().starts_with("[ ID]")
        && columns
            .split_whitespace()
            .next_back()
            .is_some_and(|name| name == "Bandwidth" || name == "Bitrate");
    let start = row.split_once(']').map(|(_, values)| values.trim_start());
    let decimals = start
        .and_then(|values| values.split_once('-'))
        .and_then(|(start, _)| count_decimals(start));
    is_heading
        && (cell.ends_with("bits/sec") || cell.ends_with("Bytes/sec"))
        && decimals.is_some_and(|decimals| decimals != 2)
}

/// The heading of a table: how many cells a row has, and the form of the last one.
struct Table {
    /// The fewest and the most cells of a row: columns without a value are blank.
    cells: (usize, usize),
    last: LastCell,
}

enum LastCell {
    Decimals(usize),
    /// The number of wrong elements, of which only a zero is known to be whole.
    WrongElements,
    /// The deviation of old releases of nccl-tests: `5e-07`.
    Deviation,
}

impl Table {
    /// The table under a line of columns.
    fn from_columns(line: &str) -> Option<Self> {
        let words = || line.split_whitespace();
        let last = words().next_back()?;
        let first = words().next()?;
        if first == "#bytes" || first == "#flows" {
            // perftest, src/perftest_parameters.h, RESULT_FMT and REPORT_FMT: a name of two words has its unit on one
            let last = LastCell::Decimals(if last.ends_with("[Mpps]") { 6 } else { 2 });
            let is_name =
                |word: &&str| word.starts_with('#') || word.contains('[') || *word == "tps";
            let count = words().filter(is_name).count();
            return Some(Self {
                cells: (count, count),
                last,
            });
        }
        if first != "#" {
            return None;
        }
        let names = words().count() - 1;
        match last {
            // nccl-tests, src/util.cu, writeBenchmarkLineBody: rows without operation and root have fewer cells
            "#wrong" => Some(LastCell::WrongElements),
            "error" => Some(LastCell::Deviation),
            _ => None,
        }
        .map(|last| Self {
            cells: (names.saturating_sub(2), names),
            last,
        })
        .or_else(|| {
            // OSU micro-benchmarks, util/osu_util.h, FLOAT_PRECISION: every name but the size has a unit
            let is_unit =
                |word: &&str| word.ends_with(')') || matches!(*word, "MB/s" | "Messages/s");
            let count = words()
                .filter(|word| *word == "Size" || is_unit(word))
                .count();
            is_unit(&last).then_some(Self {
                cells: (count, count),
                last: LastCell::Decimals(2),
            })
        })
    }

    fn is_whole_row(&self, count: usize, cell: &str) -> bool {
        let (fewest, most) = self.cells;
        (fewest..=most).contains(&count)
            && match self.last {
                LastCell::Decimals(decimals) => count_decimals(cell) == Some(decimals),
                LastCell::WrongElements => cell == "0" || cell == "N/A",
                LastCell::Deviation => cell == "N/A" || is_deviation(cell),
            }
    }
}

/// Whether a cell is a digit and an exponent of two digits.
fn is_deviation(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.len() == "0e+00".len()
        && bytes[0].is_ascii_digit()
        && bytes[1] == b'e'
        && matches!(bytes[2], b'+' | b'-')
        && bytes[3..].iter().all(u8::is_ascii_digit)
}

/// The number of cells, and the last cell.
fn split(line: &str) -> (usize, Option<&str>) {
    let mut cells = line.split_whitespace();
    let last = cells.next_back();
    (cells.count() + usize::from(last.is_some()), last)
}

fn is_same_form(cell: &str, earlier: &str) -> bool {
    match (count_decimals(cell), count_decimals(earlier)) {
        (Some(decimals), Some(earlier_decimals)) => decimals == earlier_decimals,
        (None, None) => cell == earlier && (cell == "0" || LAST_WORDS.contains(&cell)),
        _ => false,
    }
}

/// The number of decimals of a number with a decimal point.
fn count_decimals(cell: &str) -> Option<usize> {
    let (whole, decimals) = cell.split_once('.')?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits(whole) && is_digits(decimals)).then_some(decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_same_form_is_complete() {
        for (last, expected) in [
            ("4194304  340.12", true),
            ("4194304  340.1", false),
            ("4194304  340", false),
            ("4194304", false),
            ("8 2 float sum -1 6.50 0.00 0.00 0", true),
            ("8 2 float sum -1 6.50 0.00 0.00 1", false),
            ("[  5] 0.00-10.00 sec receiver", true),
            ("[  5] 0.00-10.00 sec receive", false),
            ("", false),
        ] {
            let earlier = [
                "1  2.50",
                "8 2 float sum -1 6.50 0.00 0.00 0",
                "[  5] 0.00-9.00 sec receiver",
            ];
            assert_eq!(is_complete(last, earlier.into_iter()), expected, "{last}");
        }
    }

    #[test]
    fn the_first_row_of_a_table_is_complete_if_it_has_every_column_and_decimal() {
        let bandwidth = "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]";
        let iperf = "[ ID] Interval       Transfer     Bandwidth";
        let latency = "#bytes #iterations t_min[usec] t_avg[usec] 99.9% percentile[usec]";
        let nccl = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong";
        let old_nccl = "# size count type time algbw busbw error";
        for (columns, last, expected) in [
            (bandwidth, "65536 5000 196.50 196.48 0.374756", true),
            (
                iperf,
                "[  3]  0.0-10.0 sec  10.9 GBytes  9.40 Gbits/sec",
                true,
            ),
            (
                iperf,
                "[  3]  0.0-10.0 sec  10.9 GBytes  9.40 Gbits/s",
                false,
            ),
            (
                iperf,
                "[  5]  0.00-10.00 sec  10.9 GBytes  9.40 Gbits/sec",
                false,
            ),
            (bandwidth, "65536 5000 196.50 196.48 0.37475", false),
            (bandwidth, "65536 5000 196.50 196.48 0.37", false),
            (bandwidth, "65536 5000 196.50 196.480000", false),
            (latency, "2 1000 5.10 5.22 9.99", true),
            (latency, "2 1000 5.10 5.22", false),
            (latency, "2 1000 5.10 5.22 9.9", false),
            (
                "#bytes #iterations t_avg[usec] tps average",
                "2 100 1.06 471698.11",
                true,
            ),
            (
                "#flows fs_avg_time[usec] fps[flow per sec]",
                "1 13.02 76804.92",
                true,
            ),
            (
                nccl,
                "8 2 float sum -1 6.50 0.00 0.00 0 6.40 0.00 0.00 0",
                true,
            ),
            (
                nccl,
                "8 2 float sum -1 6.50 0.00 0.00 0 6.40 0.00 0.00 N/A",
                true,
            ),
            (
                nccl,
                "8 2 float sum -1 6.50 0.00 0.00 0 6.40 0.00 0.00 1",
                false,
            ),
            (nccl, "8 2 float sum -1 6.50 0.00 0.00 0", false),
            (old_nccl, "8 2 float 6.50 0.00 0.00 5e-07", true),
            (old_nccl, "8 2 float 6.50 0.00 0.00 5e-0", false),
            ("# Size Latency (us)", "4 1.25", true),
            ("# Size Latency (us)", "4 1.2", false),
            ("# Size Avg Latency(us) Iterations", "4 1.25 100", false),
            ("# Avg Latency(us)", "2.31", true),
            ("# Size MB/s Messages/s", "1 0.41 410000.00", true),
        ] {
            let found = is_complete(last, ["# a line", columns].into_iter());
            assert_eq!(found, expected, "{columns}: {last}");
        }
    }

    #[test]
    fn a_line_that_ends_with_its_last_word_is_complete() {
        for (last, expected) in [
            (
                "[  5] 0.00-10.04 sec 1.61 GBytes 13.3 Gbits/sec receiver",
                true,
            ),
            ("[  5] 0.00-10.04 sec 1.61 GBytes 13.3 Gbits/sec", false),
            ("connected to the receiver", false),
            ("    latency  =  27.6 us", true),
            ("    bw  =  3.17 GB/sec", true),
            ("    rem_cpus_used  =  198 % cpus", true),
            ("    bw  =  3.17 GB", false),
            ("    recv_cost  =  344 ms", false),
            ("1000 iters in 2.45 seconds = 2449.10 usec/iter", true),
            ("sockperf: Summary: Latency is 5.123 usec", true),
            ("sockperf: ====> avg-latency=5.234 (std-dev=0.812)", true),
            ("sockperf: ====> avg-latency=5.234 (std-dev=0.812", false),
            ("sockperf: Summary: Message Rate is 1234560 [msg/sec]", true),
            ("sockperf: Summary: Message Rate is 1234560 [msg/sec", false),
            (
                "sockperf: Summary: BandWidth is 1234.567 MBps (9876.536 Mbps)",
                true,
            ),
            (
                "sockperf: Summary: BandWidth is 1234.567 MBps (9876.536",
                false,
            ),
            ("connected (port 5001)", false),
        ] {
            assert_eq!(is_complete(last, [].into_iter()), expected, "{last}");
        }
    }
}

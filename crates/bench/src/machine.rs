//! The processor, load, memory and date that a figure is reported with.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// The processor's name and the number of CPUs.
pub fn describe_processor() -> String {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim())
    };
    let Some(name) = value("model name") else {
        return format!("unknown processor, {cpus} CPUs");
    };
    // A virtual machine may report one name for all processors; family and model distinguish the generations.
    match (value("cpu family"), value("model\t")) {
        (Some(family), Some(model)) => {
            format!("{name} (family {family}, model {model}), {cpus} CPUs")
        }
        _ => format!("{name}, {cpus} CPUs"),
    }
}

/// Runnable processes, mean over the last minute; `None` if the system does not report it.
pub fn read_load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Peak resident memory of this process, bytes; `None` if the system does not report it.
pub fn read_peak_rss_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Today in UTC, `YYYY-MM-DD`.
pub fn format_today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs());
    format_date(seconds / 86_400)
}

/// The Gregorian date `days` after 1970-01-01. A year is counted from March, so that the leap day is its last.
fn format_date(days: u64) -> String {
    const FROM_YEAR_0: u64 = 719_468; // days from 0000-03-01 to 1970-01-01
    const IN_400_YEARS: u64 = 146_097;
    let days = days + FROM_YEAR_0;
    let (cycle, day) = (days / IN_400_YEARS, days % IN_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // 0 = March; five months have 153 days
    let day = day - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    let year = 400 * cycle + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_days_are_gregorian() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_512, "2026-02-28"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(format_date(days), expected, "{days}");
        }
    }
}

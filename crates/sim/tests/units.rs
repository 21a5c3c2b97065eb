//! Fields of the simulator that count bytes or time have the type of their unit, not a plain integer.
//!
//! Tables and documents of results are left out: their rows are what files contain.

use std::fs;
use std::path::{Path, PathBuf};

const UNITS: [&str; 4] = ["bytes", "ns", "us", "ps"];
const INTEGERS: [&str; 4] = ["u16", "u32", "u64", "i64"];

#[test]
fn bytes_and_times_have_types() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&sources, &mut paths);
    assert!(paths.len() > 100, "{} sources", paths.len());
    let mut plain = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(&sources).unwrap().display();
        for (number, line) in text.lines().enumerate() {
            if is_plain(line) {
                plain.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(plain.is_empty(), "{}", plain.join("\n"));
}

#[test]
fn plain_integers_are_found() {
    for line in [
        "    pub rtt_us: u32,",
        "    pub(crate) delay_ns: Option<u64>,",
        "    bytes: u64,",
    ] {
        assert!(is_plain(line), "{line}");
    }
    for line in [
        "    pub rtt_us: Microseconds,",
        "    pub bytes: Bytes<u32>,",
        "    pub rate_mbps: u32,",
        "    bytes: u64::from(packets) * mtu,",
        "    pub base_ns: Option<Nanoseconds<u32>>,",
    ] {
        assert!(!is_plain(line), "{line}");
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("model/results") || path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            paths.push(path);
        }
    }
}

/// Whether a line is a field with a unit as the end of its name and a plain integer as its type.
fn is_plain(line: &str) -> bool {
    let Some((name, kind)) = line.trim().split_once(": ") else {
        return false;
    };
    let field = name.rsplit(' ').next().unwrap_or(name);
    let Some(kind) = kind.strip_suffix(',') else {
        return false;
    };
    let inner = kind
        .strip_prefix("Option<")
        .and_then(|argument| argument.strip_suffix('>'))
        .unwrap_or(kind);
    INTEGERS.contains(&inner) && UNITS.contains(&field.rsplit('_').next().unwrap_or(field))
}

//! The binary on small scenarios: exit status, table, JSON.

use std::path::PathBuf;
use std::process::{Command, Output};

/// 2 x 64 KiB in frames of 4,096 bytes: 32 packets, each with an ACK, over 2 links = 128 hops.
const PAIR: &str = r#"{"name": "NAME", "hosts": 3, "switches": 1, "link_gbps": 100, "link_delay_ns": 1000,
    "links": [[0, 3], [1, 3], [2, 3]],
    "flows": [{"src": 0, "dst": 1, "bytes": 65536, "start_ns": 0}, {"src": 1, "dst": 2, "bytes": 65536, "start_ns": 0}]}"#;

/// Writes the scenario to a file of its own.
fn scenario(file: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, text).expect("the folder for tests can be written to");
    path
}

fn sim_bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sim-bench"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints UTF-8")
}

#[test]
fn a_right_run_has_a_figure() {
    let path = scenario("pair.json", &PAIR.replace("NAME", "pair"));
    let output = sim_bench(&["--repeat", "2", "--json", path.to_str().unwrap()]);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let row = &report["rows"][0];
    for (key, expected) in [
        ("hops", 128),
        ("flows", 2),
        ("unfinished", 0),
        ("drops", 0),
        ("retransmissions", 0),
    ] {
        assert_eq!(row[key], expected, "{key}");
    }
    assert_eq!(row["scenario"], "pair");
    assert_eq!(row["csg_htsim_hops_per_s"], serde_json::Value::Null);
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let rate = 128.0 / number(&row["run_s"]);
    assert!((number(&row["hops_per_s"]) / rate - 1.0).abs() < 1e-9);
    // A process that has run anything has a megabyte, and this one has nothing to fill a hundred with.
    #[cfg(target_os = "linux")]
    assert!((1_000_000..100_000_000).contains(&row["peak_rss_bytes"].as_u64().unwrap()));
}

#[test]
fn a_wrong_run_has_none() {
    let wrong = scenario("wrong.json", &PAIR.replace("NAME", "S2"));
    let lossy = PAIR.replace("NAME", "lossy");
    let lossy = lossy.replace("[1, 3]", r#"{"a": 1, "b": 3, "loss": 0.5}"#);
    let lossy = scenario("lossy.json", &lossy);
    let output = sim_bench(&[
        "--repeat",
        "1",
        wrong.to_str().unwrap(),
        lossy.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<_> = text(&output.stdout).lines().collect();
    assert_eq!(
        lines[5],
        "S2                 128  no figure: 128 hops, expected 733184"
    );
    assert!(lines[6].starts_with("lossy"), "{}", lines[6]);
    assert!(lines[6].contains("  no figure: "), "{}", lines[6]);
    assert!(lines[6].ends_with(" retransmissions"), "{}", lines[6]);
    assert_eq!(lines.len(), 7);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let unroutable = PAIR.replace("\"dst\": 2", "\"dst\": 7");
    let unroutable = scenario("unroutable.json", &unroutable);
    let unroutable = unroutable.to_str().unwrap();
    for (arguments, code, error) in [
        (
            vec!["--fast"],
            2,
            "invalid option '--fast' (sim-bench --help)".to_owned(),
        ),
        (
            vec!["--repeat", "0"],
            2,
            "--repeat 0: found 0, expected at least 1 (sim-bench --help)".to_owned(),
        ),
        (
            vec!["none.json"],
            1,
            "none.json: No such file or directory (os error 2)".to_owned(),
        ),
        (
            vec![unroutable],
            1,
            format!("{unroutable}: flows[1].dst: found 7, expected a host, 0 to 2"),
        ),
    ] {
        let output = sim_bench(&arguments);
        assert_eq!(
            text(&output.stderr),
            format!("sim-bench: {error}\n"),
            "{arguments:?}"
        );
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}

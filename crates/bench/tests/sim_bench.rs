//! Runs the binary on small scenarios: exit status, table, JSON.

use std::path::PathBuf;
use std::process::{Command, Output};

/// 2 x 64 KiB in frames of 4,096 bytes: 32 packets, each with an ACK, over 2 links = 128 hops.
const PAIR: &str = r#"{"name": "NAME", "hosts": 3, "switches": 1, "link_gbps": 100, "link_delay_ns": 1000,
    "links": [[0, 3], [1, 3], [2, 3]],
    "flows": [{"src": 0, "dst": 1, "bytes": 65536, "start_ns": 0}, {"src": 1, "dst": 2, "bytes": 65536, "start_ns": 0}]}"#;

/// Writes the scenario to a file.
fn write_scenario(file: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, text).expect("the folder for tests can be written to");
    path
}

fn run_sim_bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sim-bench"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn decode_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints UTF-8")
}

#[test]
fn valid_run_has_a_speed() {
    let path = write_scenario("pair.json", &PAIR.replace("NAME", "pair"));
    let output = run_sim_bench(&["--repeat", "2", "--json", path.to_str().unwrap()]);
    assert_eq!(decode_text(&output.stderr), "");
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
    // Any process has a megabyte, and a run this small fits into a hundred.
    #[cfg(target_os = "linux")]
    assert!((1_000_000..100_000_000).contains(&row["peak_rss_bytes"].as_u64().unwrap()));
}

#[test]
fn generated_scenario_is_printed() {
    let output = run_sim_bench(&["--print", "S4"]);
    assert_eq!(output.status.code(), Some(0));
    let scenario: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(scenario["name"], "S4");
    assert_eq!(scenario["flows"].as_array().unwrap().len(), 64 * 63);
}

#[test]
fn run_with_errors_has_no_speed() {
    let unexpected_hops = write_scenario("unexpected_hops.json", &PAIR.replace("NAME", "S2"));
    let text = PAIR.replace("NAME", "lossy");
    let text = text.replace("[1, 3]", r#"{"a": 1, "b": 3, "loss": 0.5}"#);
    let lossy = write_scenario("lossy.json", &text);
    let output = run_sim_bench(&[
        "--repeat",
        "1",
        unexpected_hops.to_str().unwrap(),
        lossy.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<_> = decode_text(&output.stdout).lines().collect();
    assert_eq!(
        lines[5],
        "S2                 128  not valid: 128 hops, expected 733184"
    );
    assert!(lines[6].starts_with("lossy"), "{}", lines[6]);
    assert!(lines[6].contains("  not valid: "), "{}", lines[6]);
    assert!(lines[6].ends_with(" retransmissions"), "{}", lines[6]);
    assert_eq!(lines.len(), 7);
}

#[test]
fn invalid_arguments_are_refused() {
    let unroutable = PAIR.replace("\"dst\": 2", "\"dst\": 7");
    let unroutable = write_scenario("unroutable.json", &unroutable);
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
            vec!["--print", "S2"],
            2,
            "--print S2: expected a generated scenario: S3, S4, S4R, K32, RAIL, DAY (sim-bench --help)".to_owned(),
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
        let output = run_sim_bench(&arguments);
        assert_eq!(
            decode_text(&output.stderr),
            format!("sim-bench: {error}\n"),
            "{arguments:?}"
        );
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert_eq!(decode_text(&output.stdout), "", "{arguments:?}");
    }
}

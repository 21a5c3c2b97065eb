//! Flows, queue pairs and operations.

use super::{flows, pair_with, read_refusal};
use crate::reader::read;

#[test]
fn refusals_of_traffic() {
    let far = r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 0}]"#;
    let more = |pairs: &str, operations: &str| {
        pair_with(&format!(
            r#""queue_pairs": [{pairs}], "operations": [{operations}]"#
        ))
    };
    let ab = r#"{"a": 0, "b": 1}"#;
    let op = r#"{"queue_pair": 0, "bytes": 1}"#;
    let list_after = |items: &[&str]| {
        let each = |item: &&str| format!(r#"{{"queue_pair": 0, "bytes": 1, "after": [{item}]}}"#);
        more(ab, &items.iter().map(each).collect::<Vec<_>>().join(","))
    };
    let rows = [
        (flows("[]"), "flows: found nothing to do, expected flows or operations"),
        (flows("7"), "flows: found 7, expected a list\nflows: found nothing to do, expected flows or operations"),
        (flows("[7]"), "flows[0]: found 7, expected an object with src, dst, bytes, start_ns, verb, src_port, dst_port, priority, udp_source_port, service"),
        (
            flows(r#"[{"dst": 1030, "byte": 3}]"#),
            "flows[0]: found the key \"byte\", expected src, dst, bytes, start_ns, verb, src_port, dst_port, priority, udp_source_port, service\n  \
             hint: did you mean \"bytes\"?\n\
             flows[0].src: found nothing, expected a host, 0 to 1\n\
             flows[0].dst: found 1030, expected a host, 0 to 1\n\
             flows[0].bytes: found nothing, expected a whole number, 0 to 18,446,744,073,709,551,615",
        ),
        (flows(r#"[{"src": 2, "dst": 1, "bytes": 1}]"#), "flows[0].src: found 2, expected a host, 0 to 1"),
        (flows(r#"[{"src": 1, "dst": 1, "bytes": 1}]"#), "flows[0].dst: found 1, expected another host than src"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": -1}]"#), "flows[0].bytes: found -1, expected a whole number, 0 to 18,446,744,073,709,551,615"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 1000000000000001}]"#), "flows[0].start_ns: found 1000000000000001, expected a whole number, 0 to 1,000,000,000,000,000"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 1e16}]"#), "flows[0].start_ns: found 10000000000000000, expected a whole number, 0 to 1,000,000,000,000,000"),
        (more(ab, r#"{"queue_pair": 0, "bytes": 1, "at_ns": 1000000000000000, "delay_ns": 1}"#), "operations[0]: found a start after 1,000,000 s at the earliest, expected at most 1,000,000 s"),
        (more(ab, r#"{"queue_pair": 0, "bytes": 1, "delay_ns": 1000000000000001}"#), "operations[0].delay_ns: found 1000000000000001, expected a whole number, 0 to 1,000,000,000,000,000"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "verb": "writes"}]"#), "flows[0].verb: found \"writes\", expected write, read, send\n  hint: did you mean \"write\"?"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "priority": 8}]"#), "flows[0].priority: found 8, expected a whole number, 0 to 7"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "udp_source_port": 65536}]"#), "flows[0].udp_source_port: found 65536, expected a whole number, 0 to 65,535"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "src_port": 1}]"#), "flows[0].src: found NIC port 1 of host 0, expected NIC port 0 to 0"),
        (
            flows(r#"[{"src": 0, "dst": 1, "bytes": 17592186044416}]"#),
            "flows[0]: found 4,294,967,296 packets on its queue pair up to here, expected fewer than 4,294,967,296",
        ),
        (
            flows(far).replace("[1, 2]]", "[0, 2]]"),
            "flows[0].dst: found host 1 without a link, expected a host with one",
        ),
        (
            flows(far).replace(r#""switches": 1"#, r#""switches": 2"#).replace("[1, 2]]", "[1, 3]]"),
            "flows[0]: found no route from host 0 to host 1, expected ends joined by switches\n  hint: hosts do not forward",
        ),
        (
            // Host 1 stands between the others.
            flows(r#"[{"src": 0, "dst": 2, "bytes": 1}]"#).replace(r#""hosts": 2"#, r#""hosts": 3"#).replace("[[0, 2], [1, 2]]", "[[0, 1], [1, 2]]"),
            "flows[0]: found no route from host 0 to host 2, expected ends joined by switches\n  hint: hosts do not forward",
        ),
        (more(r#"{"a": 0, "b": 0}"#, ""), "queue_pairs[0].b: found 0, expected another host than a"),
        (more(r#"{"a": 0, "b": 1, "b_port": 2}"#, op), "queue_pairs[0].b: found NIC port 2 of host 1, expected NIC port 0 to 0"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "tcp", "verb": "read"}]"#), "flows[0].verb: found \"read\" over a socket, expected send"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "uf"}]"#), "flows[0].service: found \"uf\", expected rc, uc, ud, tcp, udp"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "uc", "verb": "read"}]"#), "flows[0].verb: found \"read\" on an unreliable connection, expected write, send"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 5000, "service": "ud"}]"#), "flows[0].bytes: found 5,000, expected at most 4,096, a datagram\n  hint: a longer message is several operations"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "ud", "verb": "write"}]"#), "flows[0].verb: found \"write\" as a datagram, expected send"),
        (flows(r#"[{"src": 0, "dst": [1], "bytes": 1, "service": "ud"}]"#), "flows[0].dst: found a list, expected a host, 0 to 1"),
        (more(r#"{"a": 0, "b": [1], "service": "uc"}"#, op), "queue_pairs[0].b: found a list, expected a host, 0 to 1"),
        (more(r#"{"a": 0, "b": [1, 2], "service": "ud"}"#, op), "queue_pairs[0].b: found 2, expected hosts, 0 to 1"),
        (more(r#"{"a": 0, "b": [], "service": "ud"}"#, op), "queue_pairs[0].b: found an empty list, expected hosts, 0 to 1"),
        (more(r#"{"a": 0, "b": [1, 1], "service": "ud"}"#, op), "operations[0].to: found nothing, expected a whole number, 0 to 1"),
        (more(r#"{"a": 0, "b": [1], "service": "ud"}"#, r#"{"queue_pair": 0, "bytes": 1, "side": "b"}"#), "operations[0].side: found \"b\", expected a: b only receives datagrams"),
        (more("", op), "operations[0].queue_pair: found 0, expected an index of queue_pairs, of which there are none"),
        (more(ab, r#"{"queue_pair": 1, "bytes": 1}"#), "operations[0].queue_pair: found 1, expected an index of queue_pairs, 0 to 0"),
        (more(ab, r#"{"queue_pair": 0, "side": "c", "bytes": 1}"#), "operations[0].side: found \"c\", expected a, b"),
        (list_after(&["", "2"]), "operations[1].after: found 2, expected indices of operations, 0 to 1"),
        (list_after(&["0"]), "operations[0].after: found a circle: 0 after 0, expected operations that can begin"),
        (list_after(&["1", "3", "", "2, 1"]), "operations[1].after: found a circle: 1 after 3 after 1, expected operations that can begin"),
        (
            // 1000 s before each: 213 days would be 2^64 ps.
            list_after(&(0..1001).map(|n| if n == 0 { String::new() } else { (n - 1).to_string() }).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>())
                .replace(r#""bytes": 1, "after""#, r#""bytes": 1, "delay_ns": 1000000000000, "after""#),
            "operations[1000]: found a start after 1,001,000 s at the earliest, expected at most 1,000,000 s",
        ),
        (
            more(ab, r#"{"queue_pair": 0, "bytes": 12000000000000}, {"queue_pair": 0, "bytes": 6000000000000}"#),
            "operations[1]: found 4,394,531,250 packets on its queue pair up to here, expected fewer than 4,294,967,296",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
    assert!(read(
        &flows(r#"[{"src": 0, "dst": 1, "bytes": 17592186040320}]"#),
        "hpcc",
        1
    )
    .is_ok());
}

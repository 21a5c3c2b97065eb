//! Parameters, over those of the preset.

use super::{read_refusal, set};
use crate::bytes::Bytes;
use crate::model::parameters::{Headroom, Parameters};
use crate::model::preset;
use crate::reader::read;

#[test]
fn parameters_over_the_preset() {
    type Change = fn(&mut Parameters);
    let rows: [(&str, Change); 5] = [
        (r#""pfc": {"quanta": 9}"#, |parameters| {
            parameters.pfc.quanta = Some(9)
        }),
        (r#""transport": {"nak_interval_ns": null}"#, |parameters| {
            parameters.transport.nak_interval_ns = None
        }),
        (r#""switch": {"headroom": {"times": 2}}"#, |parameters| {
            parameters.switch.headroom = Headroom::RateDelay { times: 2 }
        }),
        (
            r#""switch": {"headroom": {"rule": "rate-delay", "times": 2}}"#,
            |parameters| parameters.switch.headroom = Headroom::RateDelay { times: 2 },
        ),
        (
            r#""marking": {"kmin_bytes": 7, "kmax_bytes": 8}"#,
            |parameters| {
                (parameters.marking.kmin_bytes, parameters.marking.kmax_bytes) =
                    (Bytes(7), Bytes(8))
            },
        ),
    ];
    for (text, change) in rows {
        let mut expected = preset::by_name("hpcc").unwrap();
        change(&mut expected);
        let found = read(&set(text), "hpcc", 1).unwrap().parameters;
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn refusals_of_parameters() {
    let rows = [
        (set(r#""swich": {}"#), "parameters: found the key \"swich\", expected framing, switch, ecmp, pfc, marking, scheduler, nic, transport, sockets, notification, congestion\n  hint: did you mean \"switch\"?"),
        (set(r#""nic": 5"#), "parameters.nic: found 5, expected an object"),
        (set(r#""nic": {"pipes": 5}"#), "parameters.nic: found the key \"pipes\", expected messages_per_second, control_ignores_pause, pipe\n  hint: did you mean \"pipe\"?"),
        (set(r#""nic": {"pipe": {"gbps": 5}}"#), "parameters.nic.pipe: found an object, expected an object with \"latency_ns\""),
        (set(r#""transport": {"mtu_bytes": 1024, "mtu_bytes": 2048}"#), "parameters.transport.mtu_bytes: found this key again, expected each key once"),
        (set(r#""transport": {"mtu_bytes": "1k"}"#), "parameters.transport.mtu_bytes: found \"1k\", expected a whole number, 0 to 4,294,967,295"),
        (set(r#""transport": {"mtu_bytes": 0}"#), "parameters.transport.mtu_bytes: found 0, expected 1 to 32,768"),
        (set(r#""transport": {"priority": 300}"#), "parameters.transport.priority: found 300, expected a whole number, 0 to 255"),
        (set(r#""transport": {"priority": 8, "retry_count": 9}"#), "parameters.transport.priority: found 8, expected 0 to 7\nparameters.transport.retry_count: found 9, expected 0 to 7"),
        (set(r#""marking": {"enabled": 1}"#), "parameters.marking.enabled: found 1, expected true or false"),
        (set(r#""marking": {"at": "dequeues"}"#), "parameters.marking.at: found unknown variant \"dequeues\", expected \"enqueue\" or \"dequeue\"\n  hint: did you mean \"dequeue\"?"),
        (set(r#""marking": {"kmin_bytes": 1600001, "pmax": 2}"#), "parameters.marking.pmax: found 2, expected 0 to 1\nparameters.marking.kmin_bytes: found 1600001, expected 0 to 1,600,000"),
        (set(r#""switch": {"headroom": {"bytes": 5}}"#), "parameters.switch.headroom: found the key \"bytes\", expected rule, times"),
        (set(r#""switch": {"headroom": {"rule": "fixed"}}"#), "parameters.switch.headroom: found an object, expected an object with \"bytes\""),
        (set(r#""switch": {"headroom": {"times": -1}}"#), "parameters.switch.headroom.times: found -1, expected a whole number, 0 to 4,294,967,295"),
        (set(r#""switch": {"cell_bytes": 0, "slices": 65}"#), "parameters.switch.slices: found 65, expected 1 to 64\nparameters.switch.cell_bytes: found 0, expected 1 to 65,535"),
        (set(r#""pfc": {"quanta": 0}"#), "parameters.pfc.quanta: found 0, expected 1 to 65,535"),
        (set(r#""scheduler": {"weights": [0, 1, 1, 1, 1, 1, 1, 1]}"#), "parameters.scheduler.weights[0]: found 0, expected 1 to 10,000"),
        (set(r#""scheduler": {"weights": [1]}"#), "parameters.scheduler.weights: found a list of 1, expected an array of length 8"),
        (set(r#""transport": {"rx_depth": 0, "min_rnr_timer": 32, "rnr_retry": 8}"#), "parameters.transport.rx_depth: found 0, expected at least 1\nparameters.transport.min_rnr_timer: found 32, expected 0 to 31\nparameters.transport.rnr_retry: found 8, expected 0 to 7"),
        (set(r#""transport": {"rx_depth": 8, "recovery": "selective-repeat"}"#), "parameters.transport.rx_depth: found 8 and selective-repeat, expected none, or recovery \"go-back-n\""),
        (set(r#""transport": {"recovery": "selective"}"#), "parameters.transport.recovery: found unknown variant \"selective\", expected \"go-back-n\" or \"selective-repeat\"\n  hint: did you mean \"selective-repeat\"?"),
        (set(r#""transport": {"window_packets": 0}"#), "parameters.transport.window_packets: found 0, expected 1 to 65,535"),
        (set(r#""transport": {"recovery": "selective-repeat", "reordering": {"rule": "packets", "packets": 0}}"#), "parameters.transport.reordering.packets: found 0, expected 1 to 65,535"),
        (set(r#""transport": {"reordering": {"rule": "time", "ns": 1000}}"#), "parameters.transport.reordering: found a rule and go-back-n, expected recovery \"selective-repeat\": with go-back-N what comes out of order is not kept"),
        (set(r#""transport": {"max_outstanding_reads": 256}"#), "parameters.transport.max_outstanding_reads: found 256, expected 1 to 255"),
        (set(r#""congestion": {"algorithm": "dcqnc"}"#), "parameters.congestion.algorithm: found unknown variant \"dcqnc\", expected one of \"line-rate\", \"dcqcn\", \"dcqcn-nvidia\", \"dcqcn-p\", \"dcqcn-d\", \"dctcp\", \"timely\", \"swift\", \"hpcc\", \"nscc\", \"rccc\""),
        (set(r#""congestion": {"algorithm": "timely", "betta": 0.8}"#), "parameters.congestion: found the key \"betta\", expected t_low_ns, t_high_ns, min_rtt_ns, alpha, beta, delta_bps, hyperactive_after, segment_bytes, min_rate_bps\n  hint: did you mean \"beta\"?"),
        (set(r#""switch": {"pools": {"lossless_percent": 50, "lossy_prcent": 50}}"#), "parameters.switch.pools: found the key \"lossy_prcent\", expected lossless_percent, lossy_percent\n  hint: did you mean \"lossy_percent\"?"),
        (set(r#""pfc": {"watchdog": {"detection": 5}}"#), "parameters.pfc.watchdog: found the key \"detection\", expected detection_ns, restoration_ns, poll_ns, action\n  hint: did you mean \"detection_ns\"?"),
        (set(r#""congestion": {"rpg_min_rate_mbps": 0}"#), "parameters.congestion.rpg_min_rate_mbps: found 0, expected at least 1"),
        (set(r#""sockets": {"mtu_bytes": 576}"#), "parameters.sockets.mtu_bytes: found 576, expected 1,280 to 32,768"),
        (set(r#""pfc": {"watchdog": {"detection_ns": 1, "restoration_ns": 1, "poll_ns": 1, "action": "alert"}}"#),
            "parameters.pfc.watchdog.action: found unknown variant \"alert\", expected \"drop\" or \"forward\""),
        (set(r#""pfc": {"watchdog": {"detection_ns": 0, "restoration_ns": 1, "poll_ns": 1, "action": "drop"}}"#),
            "parameters.pfc.watchdog.detection_ns: found 0, expected 1 to 3,600,000,000,000"),
        (set(r#""switch": {"pools": {"lossless_percent": 0, "lossy_percent": 101}}"#),
            "parameters.switch.pools.lossy_percent: found 101, expected 0 to 100\n\
             parameters.switch.pools.lossless_percent: found 101 with switch.pools.lossy_percent, expected at most 100"),
        (set(r#""switch": {"pools": {"lossless_percent": 70, "lossy_percent": 20}, "shared_headroom": {"rule": "share", "percent": 11}}"#),
            "parameters.switch.pools.lossless_percent: found 101 with switch.pools.lossy_percent and switch.shared_headroom.percent, \
             expected at most 100"),
        (set(r#""switch": {"pools": {"lossless_percent": 70}}"#),
            "parameters.switch.pools: found an object, expected an object with \"lossy_percent\""),
        (set(r#""switch": {"shared_headroom": {"rule": "fixed", "bytes": 0}}"#),
            "parameters.switch.shared_headroom.bytes: found 0, expected 1 to 4,294,967,295"),
        (set(r#""switch": {"trimming": {"priority": 8, "trimmed_bytes": 0, "queue_ns": 1000000001}}, "transport": {"ack_priority": 9}"#),
            "parameters.switch.trimming.priority: found 8, expected 0 to 7\n\
             parameters.switch.trimming.trimmed_bytes: found 0, expected 1 to 10,000\n\
             parameters.switch.trimming.queue_ns: found 1000000001, expected 0 to 1,000,000,000\n\
             parameters.transport.ack_priority: found 9, expected 0 to 7"),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}

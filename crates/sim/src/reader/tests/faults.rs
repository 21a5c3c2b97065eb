//! Faults.

use super::{pair_with, read_refusal};
use crate::ids::{LinkId, PortId};
use crate::model::faults::bit_errors::BitErrors;
use crate::model::faults::slow_receiver::SlowReceiver;
use crate::model::faults::stuck_nic::StuckNic;
use crate::model::faults::{cnp, Fault, Kind};
use crate::reader::read;
use crate::time::{Picoseconds, NANOSECOND, NEVER};
use wirespeed_wire::link_errors::Fec;

/// The pair with faults.
fn faults(faults: &str) -> String {
    pair_with(&format!(r#""faults": [{faults}]"#))
}

#[test]
fn faults_of_every_kind() {
    let text = r#"{"kind": "bit-errors", "link": 1, "ber": 1e-4, "fec": "rs-544", "floor_ber": 1e-13, "from_ns": 5, "until_ns": 6},
        {"kind": "bit-errors", "link": 0, "ber": 0},
        {"kind": "stuck-nic", "node": 1}, {"kind": "stuck-nic", "node": 0, "nic_port": 0, "priority": 5},
        {"kind": "slow-receiver", "node": 1, "gbps": 0.5},
        {"kind": "cnp-loss", "link": 1, "probability": 0.25}, {"kind": "cnp-delay", "node": 0, "delay_ns": 9}"#;
    let pipe = r#""parameters": {"nic": {"pipe": {"gbps": 50, "latency_ns": 0, "receive_buffer_bytes": 9000, "xoff_bytes": 2, "xon_bytes": 1}}},"#;
    let text = faults(text).replacen('{', &format!("{{{pipe}"), 1);
    let stuck = |port, priorities| Kind::StuckNic(StuckNic { port, priorities });
    let errors = |link, ber, fec, floor| {
        Kind::BitErrors(BitErrors {
            link,
            ber,
            fec,
            floor,
        })
    };
    let fault = |from, until, kind| Fault { from, until, kind };
    assert_eq!(
        read(&text, "roce", 1).unwrap().faults,
        [
            fault(
                5 * NANOSECOND,
                6 * NANOSECOND,
                errors(LinkId(1), 1e-4, Fec::Rs544, 1e-13)
            ),
            fault(
                Picoseconds::ZERO,
                NEVER,
                errors(LinkId(0), 0.0, Fec::None, 0.0)
            ),
            fault(Picoseconds::ZERO, NEVER, stuck(PortId(2), 1 << 3)),
            fault(Picoseconds::ZERO, NEVER, stuck(PortId(0), 1 << 5)),
            fault(
                Picoseconds::ZERO,
                NEVER,
                Kind::SlowReceiver(SlowReceiver {
                    port: PortId(2),
                    rate: 500_000_000
                })
            ),
            fault(
                Picoseconds::ZERO,
                NEVER,
                Kind::CnpLoss(cnp::Loss {
                    link: LinkId(1),
                    probability: 0.25
                })
            ),
            fault(
                Picoseconds::ZERO,
                NEVER,
                Kind::CnpDelay(cnp::Delay {
                    port: PortId(0),
                    delay: Picoseconds(9_000)
                })
            ),
        ]
    );
}

#[test]
fn refusals_of_faults() {
    let rows = [
        (pair_with(r#""faults": {}"#), "faults: found an object, expected a list"),
        (faults("5"), "faults[0]: found 5, expected an object with a kind"),
        (faults("{}"), "faults[0].kind: found nothing, expected bit-errors, link-down, miswired, stuck-nic, slow-receiver, cnp-loss, cnp-delay"),
        (faults(r#"{"kind": "bit-error"}"#), "faults[0].kind: found \"bit-error\", expected bit-errors, link-down, miswired, stuck-nic, slow-receiver, cnp-loss, cnp-delay\n  hint: did you mean \"bit-errors\"?"),
        (faults(r#"{"kind": "bit-errors", "link": 2, "ber": 0.6, "fec": "rs"}"#),
            "faults[0].link: found 2, expected a whole number, 0 to 1\n\
             faults[0].ber: found 0.6, expected a number, 0 to 0.5\n\
             faults[0].fec: found \"rs\", expected none, rs-528, rs-544, rs-544-interleaved"),
        (faults(r#"{"kind": "bit-errors", "lnk": 0}"#),
            "faults[0]: found the key \"lnk\", expected kind, from_ns, until_ns, link, ber, fec, floor_ber\n  hint: did you mean \"link\"?\n\
             faults[0].link: found nothing, expected a whole number, 0 to 1\n\
             faults[0].ber: found nothing, expected a number, 0 to 0.5"),
        (faults(r#"{"kind": "bit-errors", "link": 0, "ber": 0, "from_ns": 7, "until_ns": 7}"#),
            "faults[0].until_ns: found 7, expected a time after from_ns"),
        (faults(r#"{"kind": "stuck-nic", "node": 2}"#), "faults[0].node: found 2, expected a whole number, 0 to 1"),
        (faults(r#"{"kind": "stuck-nic", "node": 1, "nic_port": 1, "priority": 8}"#),
            "faults[0].nic_port: found NIC port 1 of host 1, expected NIC port 0 to 0\n\
             faults[0].priority: found 8, expected a whole number, 0 to 7"),
        (faults(r#"{"kind": "slow-receiver", "node": 1, "gbps": 10}"#),
            "faults[0]: found a slow receiver, expected a host with a pipe\n  hint: set parameters.nic.pipe: its rate is what falls, its buffer what fills"),
        (faults(r#"{"kind": "cnp-loss", "link": 0, "probability": 1.5}"#), "faults[0].probability: found 1.5, expected a number, 0 to 1"),
        (faults(r#"{"kind": "cnp-delay", "node": 0}"#), "faults[0].delay_ns: found nothing, expected a whole number, 0 to 1,000,000,000,000"),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}

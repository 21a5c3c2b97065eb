//! Transport services: how a file names them, and what may be posted on each.

use super::problems::{Findings, Object, Place};
use crate::model::scenario::{Operation, Service, Verb};
use crate::problem::grouped;

const WORDS: [(&str, Service); 5] = [
    ("rc", Service::Rc),
    ("uc", Service::Uc),
    ("ud", Service::Ud { queue: 0 }),
    ("tcp", Service::Tcp),
    ("udp", Service::Udp),
];

const VERBS: [(&str, Verb); 3] = [
    ("write", Verb::Write),
    ("read", Verb::Read),
    ("send", Verb::Send),
];

/// The service of a connection; datagrams are sent by the first queue pair of connection `queue`.
pub fn read(it: &Object, queue: u32, findings: &mut Findings) -> Option<Service> {
    let service = it.word("service", &WORDS, findings)?;
    Some(match service {
        Service::Ud { .. } => Service::Ud { queue },
        other => other,
    })
}

/// What an operation does: a write unless it says otherwise, a send where there is nothing else.
pub fn verb(it: &Object, service: Service, findings: &mut Findings) -> Option<Verb> {
    let sends = matches!(service, Service::Ud { .. }) || service.of_sockets();
    if sends && it.get("verb").is_none() {
        return Some(Verb::Send);
    }
    it.word("verb", &VERBS, findings)
}

/// Notes what a service cannot do (IBTA volume 1, table 38 of chapter 9: UC has no reads, UD only sends of one packet).
pub fn check(
    service: Service,
    operation: &Operation,
    place: Place,
    mtu_bytes: u32,
    findings: &mut Findings,
) {
    let word = |verb| VERBS.iter().find(|it| it.1 == verb).map_or("", |it| it.0);
    let mut note = |key: &str, found: String, expected: String, hint: &str| {
        findings.note(format!("{place}.{key}"), found, expected, hint);
    };
    let verb = operation.verb;
    match service {
        Service::Uc if verb == Verb::Read => {
            let found = "\"read\" on an unreliable connection".into();
            note("verb", found, "write, send".into(), "");
        }
        Service::Tcp | Service::Udp if verb != Verb::Send => {
            let found = format!("\"{}\" over a socket", word(verb));
            note("verb", found, "send".into(), "");
        }
        Service::Ud { .. } => {
            if verb != Verb::Send {
                let found = format!("\"{}\" as a datagram", word(verb));
                note("verb", found, "send".into(), "");
            }
            if operation.bytes > u64::from(mtu_bytes) {
                let found = grouped(operation.bytes.into());
                let expected = format!("at most {}, a datagram", grouped(mtu_bytes.into()));
                let hint = "a longer message is several operations";
                note("bytes", found, expected, hint);
            }
            if operation.queue_pair % 2 == 1 && verb != Verb::Read {
                let expected = "a: b only receives datagrams".into();
                note("side", "\"b\"".into(), expected, "");
            }
        }
        _ => {}
    }
}

//! Transport services: their names in a file, and the operations that each supports.

use super::problems::{Object, ObjectPath, Problems};
use crate::bytes::Bytes;
use crate::model::scenario::{Operation, Service, Verb};
use crate::model::scenario_file as file;
use crate::problem::format_thousands;

/// The service of a connection; datagrams are sent by the first queue pair of connection `queue`.
pub fn read(item: &Object, queue: u32, problems: &mut Problems) -> Option<Service> {
    let service = item.choice("service", problems)?;
    Some(match service {
        file::Service::Rc => Service::Rc,
        file::Service::Uc => Service::Uc,
        file::Service::Ud => Service::Ud { queue },
        file::Service::Tcp => Service::Tcp,
        file::Service::Udp => Service::Udp,
    })
}

/// The verb of an operation: by default a write, or a send if the service has only sends.
pub fn verb(item: &Object, service: Service, problems: &mut Problems) -> Option<Verb> {
    let sends = matches!(service, Service::Ud { .. }) || service.of_sockets();
    match item.get("verb") {
        Some(_) => item.choice("verb", problems),
        None if sends => Some(Verb::Send),
        None => Some(Verb::Write),
    }
}

/// Adds a problem for an unsupported operation (IBTA volume 1, table 38 of chapter 9: UC has no reads, UD only sends of one
/// packet).
pub fn check(
    service: Service,
    operation: &Operation,
    location: ObjectPath,
    mtu: Bytes<u32>,
    problems: &mut Problems,
) {
    let mut note = |key: &str, found: String, expected: String, hint: &str| {
        problems.note(format!("{location}.{key}"), found, expected, hint);
    };
    let verb = operation.verb;
    match service {
        Service::Uc if verb == Verb::Read => {
            let found = "\"read\" on an unreliable connection".into();
            note("verb", found, "write, send".into(), "");
        }
        Service::Tcp | Service::Udp if verb != Verb::Send => {
            let found = format!("\"{}\" over a socket", verb.name());
            note("verb", found, "send".into(), "");
        }
        Service::Ud { .. } => {
            if verb != Verb::Send {
                let found = format!("\"{}\" as a datagram", verb.name());
                note("verb", found, "send".into(), "");
            }
            if operation.bytes > mtu.widen() {
                let found = format_thousands(operation.bytes.0.into());
                let expected = format!("at most {}, a datagram", format_thousands(mtu.0.into()));
                let hint = "a longer message is several operations";
                note("bytes", found, expected, hint);
            }
            if operation.queue_pair.side() == 1 && verb != Verb::Read {
                let expected = "a: b only receives datagrams".into();
                note("side", "\"b\"".into(), expected, "");
            }
        }
        _ => {}
    }
}

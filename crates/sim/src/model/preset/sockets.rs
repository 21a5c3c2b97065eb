//! TCP of Linux with its default settings.

use crate::bytes::Bytes;
use crate::model::parameters::Sockets;
use crate::time::Nanoseconds;

pub(super) const SOURCES: [(&str, &str); 4] = [
    ("sockets.mtu_bytes", "RFC 894"),
    (
        "sockets.initial_window",
        "RFC 6928; Linux, include/net/tcp.h: TCP_INIT_CWND",
    ),
    (
        "sockets.least_rto_ns",
        "Linux, include/net/tcp.h: TCP_RTO_MIN",
    ),
    ("sockets.retries", "Linux, include/net/tcp.h: TCP_RETR2"),
];

/// Defaults of Linux.
pub(super) fn sockets() -> Sockets {
    Sockets {
        mtu_bytes: Bytes(1_500),
        initial_window: 10,
        least_rto_ns: Nanoseconds(200_000_000),
        retries: 15,
    }
}

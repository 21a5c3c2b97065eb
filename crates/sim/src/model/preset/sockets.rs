//! TCP of Linux with its default settings.

use crate::model::parameters::Sockets;

/// Defaults of Linux.
pub(super) fn sockets() -> Sockets {
    Sockets {
        mtu_bytes: 1_500,          // RFC 894
        initial_window: 10,        // RFC 6928; TCP_INIT_CWND in include/net/tcp.h
        least_rto_ns: 200_000_000, // TCP_RTO_MIN, the same file
        retries: 15,               // TCP_RETR2, the same file
    }
}

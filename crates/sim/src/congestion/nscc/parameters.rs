//! Parameters of NSCC, with the specification's names and its constants (table 3-82).

use crate::congestion::control::Penalty;
use crate::time::{Nanoseconds, Picoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RTT of the network that the constants are for (table 3-82, base_BDP).
pub(crate) const REFERENCE_RTT: Nanoseconds<u32> = Nanoseconds(12_000);

/// Parameters of the sender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Nscc")]
pub struct Parameters {
    /// RTT of the longest path in an idle network, also used as the adjustment period. null: computed from the network.
    #[schemars(range(min = 1))]
    pub config_base_rtt_ns: Option<Nanoseconds<u32>>,
    /// Target queueing delay. null: 3/4 of `config_base_rtt_ns` (section 3.6.13.3, with trimming switches).
    #[schemars(range(min = 1))]
    pub target_qdelay_ns: Option<Nanoseconds<u32>>,
    /// Initial and maximum window in bandwidth-delay products (1.5: table 3-82, MaxWnd).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub max_wnd_bdp: f64,
    /// Factor of a multiplicative decrease: fraction of the relative excess of the average delay over the target, above
    /// 0 and at most 1 (0.8: table 3-82).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub gamma: f64,
    /// Minimum fraction of the window that remains after a decrease, above 0 and at most 1 (0.5: table 3-82).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub max_md_jump: f64,
    /// Fair increase: packets per window in the reference network (5: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub fi_packets: f64,
    /// Fast increase: bytes per acknowledged byte in the reference network (0.25: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub fi_scale: f64,
    /// Increase in every adjustment period: packets in the reference network (0.15: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub eta_packets: f64,
    /// Proportional increase: packets per window without queueing delay, for a target delay equal to the RTT of the
    /// reference network (4: section 3.6.13.3).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub alpha_packets: f64,
    /// Exponent q of the quick adapt gate: quick adapt only if less than 1/2^q of the maximum window was delivered (3:
    /// table 3-82).
    #[schemars(range(min = 0, max = 32))]
    pub qa_gate: u8,
    /// Quick adapt without a trimmed packet if the delay exceeds this multiple of the target delay. null: never (4:
    /// section 3.6.13.3, for switches that do not trim; with trimming the delay stays below).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub qa_threshold: Option<f64>,
    /// Increases are accumulated and applied after this many packets or after an adjustment period (8: table 3-82).
    pub adjust_packets: u32,
    /// Window penalty that a receiver signals while the receive buffer of its NIC contains `nic.pipe.xoff_bytes` or
    /// more. Each ACK reduces the window by n/128 of the acknowledged bytes, and the window does not grow. 0: no
    /// penalty; 64: the window is halved in one RTT; 127: maximum (section 3.6.13.2, Rcv_Cwnd_Pend; the standard leaves
    /// condition and value to the receiver).
    #[schemars(range(min = 0, max = 127))]
    pub rcv_cwnd_pend: u8,
    /// Restore the previous window when the receiver is no longer the bottleneck (section 3.6.13.2, `rc`).
    pub restore_cwnd: bool,
    /// Number of entropy values that the packets of a queue pair use in turn (64: `path_entropy_size` in `main_uec.cpp`
    /// of uet-htsim). Switches with `"balance": "entropy"` choose the path by them.
    #[schemars(range(min = 1, max = 16_384))]
    pub path_entropy_size: u16,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            config_base_rtt_ns: None,
            target_qdelay_ns: None,
            max_wnd_bdp: 1.5,
            gamma: 0.8,
            max_md_jump: 0.5,
            fi_packets: 5.0,
            fi_scale: 0.25,
            eta_packets: 0.15,
            alpha_packets: 4.0,
            qa_gate: 3,
            qa_threshold: Some(4.0),
            adjust_packets: 8,
            rcv_cwnd_pend: 0,
            restore_cwnd: false,
            path_entropy_size: 64,
        }
    }
}

impl Parameters {
    /// Penalty of a slow receiver.
    pub(crate) fn penalty(&self) -> Penalty {
        Penalty {
            rcv_cwnd_pend: self.rcv_cwnd_pend,
            restore_cwnd: self.restore_cwnd,
        }
    }

    /// ps.
    pub(super) fn config_base_rtt(&self) -> f64 {
        Picoseconds::from(self.config_base_rtt_ns.unwrap_or(REFERENCE_RTT)).as_f64()
    }
}

//! Parameters of NSCC, with the specification's names and its constants (table 3-82).

use crate::congestion::control::Penalty;
use crate::time::NANOSECOND;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RTT of the network that the constants are for (table 3-82, base_BDP).
pub(crate) const REFERENCE_RTT_NS: u32 = 12_000;

/// Parameters of the sender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Nscc")]
pub struct Parameters {
    /// The RTT of the longest way without a queue; none = computed from the network. It is the adjustment period, too.
    #[schemars(range(min = 1))]
    pub config_base_rtt_ns: Option<u32>,
    /// The delay of queues that is aimed at; none = 3/4 of `config_base_rtt_ns` (section 3.6.13.3, where switches trim).
    #[schemars(range(min = 1))]
    pub target_qdelay_ns: Option<u32>,
    /// The window at the start, and the largest, in bandwidth-delay products (1.5: table 3-82, MaxWnd).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub max_wnd_bdp: f64,
    /// What of the share of the average delay above the target a cut takes, above 0 and at most 1 (0.8: table 3-82).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub gamma: f64,
    /// What a cut leaves at least, above 0 and at most 1 (0.5: table 3-82).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub max_md_jump: f64,
    /// Fair increase: packets per window, in the reference network (5: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub fi_packets: f64,
    /// Fast increase: bytes per byte acknowledged, in the reference network (0.25: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub fi_scale: f64,
    /// Added in every adjustment period: packets, in the reference network (0.15: table 3-82).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub eta_packets: f64,
    /// Proportional increase: packets per window where there is no delay, and the target is as long as the RTT of the
    /// reference network (4: section 3.6.13.3).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub alpha_packets: f64,
    /// Quick adapt only where less than the largest window by 2 to this power got through (3: table 3-82).
    #[schemars(range(min = 0, max = 32))]
    pub qa_gate: u8,
    /// Quick adapt without a trimmed packet above so many target delays; none = never (4: section 3.6.13.3, where switches
    /// do not trim; where they do no delay is that long).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub qa_threshold: Option<f64>,
    /// Increases are added up and take effect after so many packets, or an adjustment period (8: table 3-82).
    pub adjust_packets: u32,
    /// What a receiver says while its NIC's receive buffer holds `nic.pipe.xoff_bytes` or more: by so many 128ths of what an
    /// ACK acknowledges the window becomes smaller, and it does not grow. 0 = nothing; 64 halves it in an RTT; 127 is the most
    /// (section 3.6.13.2, Rcv_Cwnd_Pend, which leaves to receivers when and how much).
    #[schemars(range(min = 0, max = 127))]
    pub rcv_cwnd_pend: u8,
    /// When the receiver can keep up again, the window is what it was before (section 3.6.13.2, `rc`).
    pub restore_cwnd: bool,
    /// So many entropy values are used in turn by packets of a queue pair (64: `path_entropy_size` of uet-htsim's
    /// `main_uec.cpp`). Switches with `"balance": "entropy"` choose by them.
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
    /// Of a receiver that cannot keep up.
    pub(crate) fn penalty(&self) -> Penalty {
        Penalty {
            rcv_cwnd_pend: self.rcv_cwnd_pend,
            restore_cwnd: self.restore_cwnd,
        }
    }

    /// ps.
    pub(super) fn config_base_rtt(&self) -> f64 {
        let nanoseconds = self.config_base_rtt_ns.unwrap_or(REFERENCE_RTT_NS);
        f64::from(nanoseconds) * NANOSECOND as f64
    }
}

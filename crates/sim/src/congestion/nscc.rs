//! NSCC, the sender's congestion control of Ultra Ethernet: Ultra Ethernet Specification 1.0, section 3.6.13 (network
//! signaled congestion control).
//!
//! Two signals move the window. A mark without delay does not change it, because another path may be free; without a mark it
//! grows, fast far below the target delay and equally for all senders above it; mark and delay reduce it. If almost
//! nothing is delivered, the window is set to the delivered amount (quick adapt).
//!
//! Names and rules follow the consortium's model, the NSCC of uet-htsim (`htsim/sim/uec.cpp`, `initNsccParams`
//! and `updateCwndOnAck_NSCC`). Sections and table 3-82, which has the constants, are of version 1.0.3, as public models cite
//! them. There are three differences: the average of the delay is over the last base RTT, as in section 3.6.13.6, where
//! the model has a fixed weight; the RTT of a trimmed packet is no sample, because its header takes less time on each link;
//! a timeout, after which all that was in flight is sent again, leaves one packet. The penalty of a receiver that cannot
//! keep up (section 3.6.13.2) follows the specification, the model has none; credit of receivers is in
//! [`crate::congestion::rccc`].

mod parameters;

use super::control::{
    window_rate, Ack, CongestionControl, Feedback, Loss, LossDriven, Penalty, PenaltyDriven,
    Windowed,
};
use super::definition::{Definition, UltraEthernet};
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds, MICROSECOND, SECOND};
pub use parameters::Parameters;
pub(crate) use parameters::REFERENCE_RTT;
use std::sync::Arc;

/// The network that the constants are for: 100 Gb/s times 12 us (table 3-82, base_BDP).
const REFERENCE_BDP: f64 = 150_000.0;
/// The same in ps.
const REFERENCE_RTT_PS: f64 = Picoseconds::from_nanoseconds(REFERENCE_RTT.0 as u64).as_f64();
/// Delays below this count as zero: `fast_increase` of uet-htsim. The specification has "about 0".
const NO_DELAY: f64 = MICROSECOND.as_f64();

/// The sender of one queue pair. Times are ps, amounts bytes.
#[derive(Debug, Clone)]
pub struct Nscc {
    parameters: Arc<Parameters>,
    /// Bytes per ps.
    line: f64,
    packet: f64,
    /// The bandwidth-delay product over that of the reference network.
    scale: f64,
    target: f64,
    /// The shortest RTT so far, at most the configured one.
    base_rtt: f64,
    window: f64,
    /// Window before the receiver's penalty; 0 = there was no penalty.
    window_before_penalty: f64,
    rtt: Picoseconds,
    /// Delay averaged over the last base RTT, and the time of its last update.
    average_delay: f64,
    averaged_at: Picoseconds,
    /// Accumulated increase: divided by the window and added to it, bytes squared; and the bytes received since the last update.
    increase: f64,
    received: f64,
    adjusted_at: Picoseconds,
    cut_at: Picoseconds,
    /// Bytes received without delay in a row; and whether a whole window was received so.
    undelayed: f64,
    fast: bool,
    /// Bytes received in this period of quick adapt, and the end of the period; 0 = there was none yet.
    achieved: f64,
    period_ends: Picoseconds,
    /// A packet was trimmed since quick adapt changed the window.
    trimmed: bool,
    /// Bytes in flight at that time, and how much of them has been reported since.
    in_flight_then: f64,
    reported_since: f64,
}

impl Definition for Nscc {
    const DESCRIPTION: &'static str = "NSCC of Ultra Ethernet.";

    type Parameters = Parameters;
    type SharedValues = Parameters;
    type State = Box<Self>;

    fn feedback(_: &Parameters) -> Feedback {
        Feedback::Acks
    }

    fn prepare(parameters: &Parameters) -> Parameters {
        parameters.clone()
    }

    fn start(
        parameters: Arc<Parameters>,
        line_rate_bps: u64,
        packet_bytes: Bytes<u32>,
    ) -> Box<Self> {
        Box::new(Nscc::new(parameters, line_rate_bps, packet_bytes))
    }
}

impl UltraEthernet for Nscc {
    fn entropy_values(parameters: &Parameters) -> u16 {
        parameters.path_entropy_size
    }

    fn penalty(parameters: &Parameters) -> Penalty {
        parameters.penalty()
    }

    fn base_rtts(parameters: &mut Parameters) -> Vec<&mut Option<Nanoseconds<u32>>> {
        vec![&mut parameters.config_base_rtt_ns]
    }
}

impl Nscc {
    pub(super) fn new(
        parameters: Arc<Parameters>,
        line_rate_bps: u64,
        packet_bytes: Bytes<u32>,
    ) -> Self {
        let line = line_rate_bps as f64 / 8.0 / SECOND.as_f64();
        let base_rtt = parameters.config_base_rtt();
        let target = parameters.target_qdelay_ns;
        let packet = packet_bytes.as_f64();
        let mut nscc = Nscc {
            line,
            packet,
            scale: line * base_rtt / REFERENCE_BDP,
            target: target.map_or(base_rtt * 0.75, |time| Picoseconds::from(time).as_f64()),
            base_rtt,
            window: 0.0,
            window_before_penalty: 0.0,
            rtt: Picoseconds::ZERO,
            average_delay: 0.0,
            averaged_at: Picoseconds::ZERO,
            increase: 0.0,
            received: 0.0,
            adjusted_at: Picoseconds::ZERO,
            cut_at: Picoseconds::ZERO,
            undelayed: 0.0,
            fast: false,
            achieved: 0.0,
            period_ends: Picoseconds::ZERO,
            trimmed: false,
            in_flight_then: 0.0,
            reported_since: 0.0,
            parameters,
        };
        nscc.set(f64::INFINITY);
        nscc
    }

    /// MaxWnd.
    fn max_window(&self) -> f64 {
        (self.parameters.max_wnd_bdp * self.line * self.base_rtt).max(self.packet)
    }

    /// One packet to MaxWnd.
    fn set(&mut self, window: f64) {
        self.window = window.min(self.max_window()).max(self.packet);
    }

    /// The queueing delay, from the RTT of a packet; the average where there is none.
    fn delay(&mut self, now: Picoseconds, rtt: Option<Picoseconds>) -> f64 {
        let Some(rtt) = rtt.filter(|rtt| *rtt > Picoseconds::ZERO) else {
            return self.average_delay;
        };
        self.rtt = rtt;
        self.base_rtt = self.base_rtt.min(rtt.as_f64());
        let delay = rtt.as_f64() - self.base_rtt;
        self.average(now, delay);
        delay
    }

    /// The weight of a sample is the share of a base RTT since the previous sample.
    fn average(&mut self, now: Picoseconds, delay: f64) {
        let weight = ((now - self.averaged_at).as_f64() / self.base_rtt).min(1.0);
        self.average_delay += weight * (delay - self.average_delay);
        self.averaged_at = now;
    }

    /// Applies or removes the penalty of a slow receiver (`apply_cwnd_penalty` of section 3.6.13.6). Returns whether it is active.
    fn penalise(&mut self, penalty: Penalty, bytes: f64, out: f64) -> bool {
        if penalty.rcv_cwnd_pend > 0 {
            if self.window_before_penalty == 0.0 {
                self.window_before_penalty = self.window;
            }
            let less = f64::from(penalty.rcv_cwnd_pend) * bytes / 128.0;
            self.set(self.window.min(out) - less);
        } else if penalty.restore_cwnd && self.window_before_penalty > 0.0 {
            let window_before_penalty = std::mem::take(&mut self.window_before_penalty);
            self.set(window_before_penalty);
        }
        penalty.rcv_cwnd_pend > 0
    }

    /// Quick adapt. True if it handled this event: the window is the delivered amount, or the mark concerns packets that were in
    /// flight when the window was set to it.
    fn adapt_quickly(
        &mut self,
        now: Picoseconds,
        lost: bool,
        marked: bool,
        delay: f64,
        out: f64,
    ) -> bool {
        let mut is_handled = false;
        if marked && self.reported_since < self.in_flight_then {
            is_handled = true;
        } else if now >= self.period_ends {
            let threshold = self.parameters.qa_threshold;
            let long = threshold.is_some_and(|times| delay > times * self.target);
            let few = self.achieved < self.max_window() / (1_u64 << self.parameters.qa_gate) as f64;
            if self.period_ends > Picoseconds::ZERO && few && (lost || long || self.trimmed) {
                self.set(self.achieved);
                self.in_flight_then = out;
                self.reported_since = 0.0;
                self.trimmed = false;
                is_handled = true;
            }
            self.achieved = 0.0;
            self.period_ends = now + Picoseconds::from_f64(self.base_rtt + self.target);
        }
        if is_handled {
            self.increase = 0.0;
            self.received = 0.0;
        }
        is_handled
    }

    /// Below the target delay: proportional increase, or fast increase after a window without delay.
    fn grow(&mut self, bytes: f64, delay: f64) {
        if delay < NO_DELAY {
            self.undelayed += bytes;
            self.fast |= self.undelayed > self.window;
        } else {
            self.undelayed = 0.0;
            self.fast = false;
        }
        let parameters = &self.parameters;
        if self.fast {
            return self.set(self.window + bytes * parameters.fi_scale * self.scale);
        }
        let packets =
            parameters.alpha_packets * self.scale * (self.target - delay) / REFERENCE_RTT_PS;
        self.increase += bytes * packets * self.packet;
    }

    /// Above it, and marked: at most once per base RTT.
    fn cut(&mut self, now: Picoseconds) {
        self.undelayed = 0.0;
        self.fast = false;
        let due = (now - self.cut_at).as_f64() > self.base_rtt;
        if self.average_delay <= self.target || !due {
            return;
        }
        let parameters = &self.parameters;
        let above = (self.average_delay - self.target) / self.average_delay;
        let left = (1.0 - parameters.gamma * above).max(parameters.max_md_jump);
        self.cut_at = now;
        self.set(self.window * left);
    }

    /// Applies the accumulated increases.
    fn adjust(&mut self, now: Picoseconds) {
        let due = (now - self.adjusted_at).as_f64() >= self.parameters.config_base_rtt();
        let threshold = f64::from(self.parameters.adjust_packets) * self.packet;
        if !due && self.received <= threshold {
            return;
        }
        let mut window = self.window + self.increase / self.window;
        if due {
            window += self.parameters.eta_packets * self.packet * self.scale;
            self.adjusted_at = now;
        }
        self.increase = 0.0;
        self.received = 0.0;
        self.set(window);
    }

    /// A packet was trimmed at a full queue; the configured RTT is used as its delay.
    pub(super) fn note_trim(&mut self, now: Picoseconds) {
        self.average(now, self.parameters.config_base_rtt());
        self.reported_since += self.packet;
    }

    /// A packet is lost, and no longer in flight.
    fn lose(&mut self) {
        self.reported_since += self.packet;
        self.set(self.window - self.packet);
    }
}

impl CongestionControl for Nscc {
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        None
    }
}

impl PenaltyDriven for Nscc {
    fn on_penalty(&mut self, ack: &Ack, penalty: Penalty) {
        let bytes = ack.bytes.as_f64();
        self.achieved += bytes;
        self.reported_since += bytes;
        self.received += bytes;
        let delay = self.delay(ack.now, ack.rtt);
        let out = f64::from(ack.outstanding) * self.packet;
        let limited = self.penalise(penalty, bytes, out);
        if self.adapt_quickly(ack.now, false, ack.marked, delay, out) {
            return self.set(self.window);
        }
        match (ack.marked, delay < self.target) {
            (false, _) if limited => {}
            (false, true) => self.grow(bytes, delay),
            // Equal for all senders, so small windows grow by a larger fraction.
            (false, false) => {
                let packets = self.parameters.fi_packets * self.scale;
                self.increase += bytes * packets * self.packet;
            }
            (true, true) => {}
            (true, false) => self.cut(ack.now),
        }
        self.set(self.window); // the maximum may be smaller than before
        self.adjust(ack.now);
    }
}

impl LossDriven for Nscc {
    fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
        match loss {
            Loss::Trimmed { outstanding, .. } => {
                // The packet was trimmed at a full queue; the configured RTT is used as its delay.
                self.average(now, self.parameters.config_base_rtt());
                self.trimmed = true;
                let out = f64::from(outstanding) * self.packet;
                if self.adapt_quickly(now, true, true, 0.0, out) {
                    self.reported_since += self.packet;
                    return;
                }
                self.lose();
            }
            Loss::Gap { .. } => self.lose(),
            Loss::Timeout { .. } => self.set(0.0),
        }
    }
}

impl Windowed for Nscc {
    #[inline]
    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn throughput(&self, _now: Picoseconds) -> Option<f64> {
        window_rate(self.window, self.rtt, self.line * 8.0 * SECOND.as_f64())
    }
}

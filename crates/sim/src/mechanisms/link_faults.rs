//! Faults of one direction of a link: frames lost to bit errors, CNPs lost or delayed, outages.

use crate::bytes::Bytes;
use crate::ids::PortId;
use crate::mechanisms::chance;
use crate::time::Picoseconds;
use wirespeed_wire::link_errors::LinkErrors;

/// Effect of a fault on frames that a port sends, or on CNPs that it generates.
#[derive(Debug, Clone, Copy)]
pub enum Effect {
    /// Frames are lost; longer ones with a higher probability.
    BitErrors(LinkErrors),
    /// CNPs are lost with this probability.
    CnpLoss(f64),
    /// CNPs are delayed by this time.
    CnpDelay(Picoseconds),
}

/// A frame that starts on the link, with the inputs of its loss.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Seed of the run.
    pub seed: u64,
    /// The port that sends.
    pub port: PortId,
    /// Frames sent by it: the number of the draw.
    pub sent: u64,
    /// Now.
    pub time: Picoseconds,
}

/// All faults of one port.
#[derive(Debug, Clone, Default)]
pub struct LinkFaults {
    rules: Vec<Rule>,
    outages: Vec<(Picoseconds, Picoseconds)>,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    from: Picoseconds,
    until: Picoseconds,
    effect: Effect,
}

impl LinkFaults {
    /// The effect is active from `from` until before `until`.
    pub fn add(&mut self, from: Picoseconds, until: Picoseconds, effect: Effect) {
        self.rules.push(Rule {
            from,
            until,
            effect,
        });
    }

    /// The link is down from `from` until before `until`.
    pub fn add_outage(&mut self, from: Picoseconds, until: Picoseconds) {
        self.outages.push((from, until));
    }

    /// Whether bit errors destroy a frame of this many bytes.
    pub fn corrupts(&self, start: Start, bytes: Bytes<u32>) -> bool {
        let losses = self.effects(start.time).filter_map(|effect| match effect {
            Effect::BitErrors(errors) => Some(errors.frame_loss(bytes.0)),
            _ => None,
        });
        let survives = losses.fold(1.0, |survives, loss| survives * (1.0 - loss));
        // Each frame of a port has its number; losses by a given probability draw from another stream.
        survives < 1.0 && start.draw(chance::mix(!start.seed)) >= survives
    }

    /// Whether a CNP is lost.
    pub fn loses_cnp(&self, start: Start) -> bool {
        let losses = self.effects(start.time).filter_map(|effect| match effect {
            Effect::CnpLoss(probability) => Some(probability),
            _ => None,
        });
        let survives = losses.fold(1.0, |survives, loss| survives * (1.0 - loss));
        // A stream of random numbers that no other loss draws from.
        survives < 1.0 && start.draw(chance::mix(chance::mix(!start.seed))) >= survives
    }

    /// The delay of a CNP sent at `now`.
    pub fn cnp_delay(&self, now: Picoseconds) -> Picoseconds {
        let delays = self.effects(now).filter_map(|effect| match effect {
            Effect::CnpDelay(delay) => Some(delay),
            _ => None,
        });
        delays.sum()
    }

    /// Whether an outage destroys a frame that starts at `now` and would have arrived at `arrival`.
    pub fn cuts(&self, now: Picoseconds, arrival: Picoseconds) -> bool {
        let mut outages = self.outages.iter();
        outages.any(|(from, until)| now < *until && *from < arrival)
    }

    /// Whether the link is down.
    pub fn is_down(&self, now: Picoseconds) -> bool {
        let mut outages = self.outages.iter();
        outages.any(|(from, until)| (*from..*until).contains(&now))
    }

    fn effects(&self, now: Picoseconds) -> impl Iterator<Item = Effect> + '_ {
        let hold = move |rule: &&Rule| (rule.from..rule.until).contains(&now);
        self.rules.iter().filter(hold).map(|rule| rule.effect)
    }
}

impl Start {
    fn draw(self, seed: u64) -> f64 {
        chance::uniform(seed, self.port.0, self.sent)
    }
}

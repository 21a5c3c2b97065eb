//! Frames and completions that cross the border between two parts.

use crate::ids::PortId;
use crate::simulation::border::BorderMessage;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// Moves a frame that `port` sends out of this part, to the part in which it arrives.
    #[inline(never)] // most ports have their other end in the same part
    pub(crate) fn leave(&mut self, port: PortId, index: u32, arrival: Picoseconds, class: u32) {
        let border = self.border.as_mut().expect("a part has a border");
        if border.part_of[port.peer()] == border.part {
            return self.schedule(arrival, class, port.0, index);
        }
        let frame = self.frames[index];
        let carried = self
            .telemetry
            .as_ref()
            .map(|telemetry| Box::new(telemetry.record(index)));
        border.frames += 1;
        border.send(
            port.peer(),
            arrival,
            BorderMessage::Frame {
                arrival,
                class,
                port,
                frame,
                carried,
            },
        );
        self.frames.remove(index);
    }

    /// A dependency of `dependent` completed at `at`. Returns whether the dependent is in another part.
    pub(crate) fn completes_elsewhere(&mut self, dependent: u32, at: Picoseconds) -> bool {
        if self.border.is_none() {
            return false;
        }
        let port = self.poster(dependent);
        let delay = self.post_delay(dependent);
        let Some(border) = &mut self.border else {
            return false;
        };
        if border.part_of[port] == border.part {
            return false;
        }
        border.completions += 1;
        border.send(port, at + delay, BorderMessage::Completed { dependent, at });
        true
    }

    /// An event that is processed in every part counts once, in the first part.
    pub(crate) fn count_once(&mut self) {
        if self.border.as_ref().is_some_and(|border| border.part > 0) {
            self.totals.events -= 1;
        }
    }

    /// Receives the effects that left another part.
    pub(super) fn enter(&mut self, entering: BorderMessage) {
        match entering {
            BorderMessage::Frame {
                arrival,
                class,
                port,
                frame,
                carried,
            } => {
                let index = self.frames.insert(frame);
                if let (Some(telemetry), Some(carried)) = (&mut self.telemetry, carried) {
                    telemetry.put(index, *carried);
                }
                self.schedule(arrival, class, port.0, index);
            }
            BorderMessage::Completed { dependent, at } => self.waits_for_one_less(dependent, at),
        }
    }
}

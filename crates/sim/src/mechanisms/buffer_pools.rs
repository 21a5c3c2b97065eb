//! The pools that a slice of a buffer is divided into, and which of them a priority group uses.
//!
//! Source: the service pools of Broadcom switches as Junos divides them (`shared-buffer ingress buffer-partition` lossless,
//! lossless-headroom and lossy), the traffic pools of Cumulus Linux, and SONiC's `ingress_lossless_pool` with its `xoff`.

use crate::mechanisms::buffer::{NO_HEADROOM, OWN_HEADROOM};
use crate::model::parameters::{SharedHeadroom, Switch};
use crate::problem::format_thousands;

/// Cells of the pools of one slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Shared by all priority groups, or by the lossless ones.
    pub shared: u64,
    /// Shared by the lossy ones, where they have a separate pool.
    pub lossy: Option<u64>,
    /// Headroom that lossless ones share.
    pub headroom: Option<u64>,
}

/// Pools of a switch: those of all slices, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Division {
    /// By slice: cells that all priority groups share, or the lossless ones.
    pub shared: Vec<u64>,
    /// By slice: cells that lossy ones share; empty = the above.
    pub lossy: Vec<u64>,
    /// By slice: cells of shared headroom of lossless ones; empty = none shares.
    pub headroom: Vec<u64>,
}

impl Slice {
    /// Divides the cells left by reserves and separate headroom. Refused: a pool whose share is less than a cell.
    pub fn from_switch(switch: &Switch, cells: u64) -> Result<Slice, String> {
        let require_cells = |name: &str, percent: u8, found: u64| match found {
            0 if percent > 0 => {
                let whole = format_thousands(i128::from(cells) * i128::from(switch.cell_bytes.0));
                Err(format!("a {name} pool of 0 bytes out of {whole}"))
            }
            found => Ok(found),
        };
        let share = |name, percent| require_cells(name, percent, cells * u64::from(percent) / 100);
        let shared_headroom = match switch.shared_headroom {
            Some(SharedHeadroom::Share { percent }) => Some(share("headroom", percent)?),
            _ => None,
        };
        let headroom = match fixed_headroom(switch) {
            Some(fixed) => Some(require_cells("headroom", 100, fixed)?),
            None => shared_headroom,
        };
        let Some(pools) = switch.pools else {
            return Ok(Slice {
                shared: require_cells("shared", 100, cells - shared_headroom.unwrap_or(0))?,
                lossy: None,
                headroom,
            });
        };
        Ok(Slice {
            shared: share("lossless", pools.lossless_percent)?,
            lossy: Some(share("lossy", pools.lossy_percent)?),
            headroom,
        })
    }
}

/// Cells of the shared headroom of a slice, where it is configured in bytes.
pub fn fixed_headroom(switch: &Switch) -> Option<u64> {
    let Some(SharedHeadroom::Fixed { bytes }) = switch.shared_headroom else {
        return None;
    };
    Some(bytes / u64::from(switch.slices) / switch.cell_bytes.widen())
}

impl Division {
    /// The pools of these slices.
    pub fn from_slices(slices: &[Slice]) -> Division {
        Division {
            shared: slices.iter().map(|slice| slice.shared).collect(),
            lossy: slices.iter().filter_map(|slice| slice.lossy).collect(),
            headroom: slices.iter().filter_map(|slice| slice.headroom).collect(),
        }
    }

    /// Cells of each pool, and whether it is headroom.
    pub fn pools(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        let shared = self.shared.iter().chain(&self.lossy);
        let shared = shared.map(|cells| (*cells, false));
        shared.chain(self.headroom.iter().map(|cells| (*cells, true)))
    }

    /// Offsets from the first pool of a slice: pool of a priority group, and its headroom.
    pub fn pool_offsets(&self, lossless: bool) -> (u8, u8) {
        let slices = self.shared.len(); // at most 64
        match lossless {
            false if self.lossy.is_empty() => (0, NO_HEADROOM),
            false => (slices as u8, NO_HEADROOM),
            true if self.headroom.is_empty() => (0, OWN_HEADROOM),
            true => (0, (slices + self.lossy.len()) as u8),
        }
    }
}

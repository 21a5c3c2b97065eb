//! The shared buffer of a switch: ingress priority groups with guaranteed, shared and headroom space, in cells.
//!
//! Source: the shared-buffer model of Broadcom Trident and Tomahawk switches as SONiC's buffer profiles describe it
//! (`size`, `dynamic_th`, `xoff`, `xon_offset`), and as HPCC's public switch model counts it.

use crate::bytes::Bytes;
use crate::mechanisms::priority_settings::PrioritySettings;

/// Cells that the priority groups of a buffer slice share.
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    /// Shared cells.
    pub cells: u64,
    /// Cells in use.
    pub used: u64,
    /// Maximum of cells in use.
    pub most_used: u64,
    /// Bytes of a cell.
    pub cell: Bytes<u32>,
    /// Whether they are headroom that lossless priority groups share.
    pub of_headroom: bool,
}

impl Pool {
    /// The dynamic threshold: free cells times 2^`exponent` (SONiC `dynamic_th`).
    #[inline]
    fn threshold(&self, exponent: i8) -> u64 {
        let free = self.cells - self.used;
        if exponent < 0 {
            free >> exponent.unsigned_abs()
        } else {
            free << exponent
        }
    }
}

/// Packets of one priority that entered by one port.
#[derive(Debug, Clone, Copy, Default)]
pub struct PriorityGroup {
    /// Cells in guaranteed and shared space.
    pub used: u32,
    /// Cells in headroom.
    pub headroom_used: u32,
    /// Guaranteed cells.
    pub reserve: u32,
    /// Cells of headroom.
    pub headroom: u32,
    /// XON when shared use is this much below the threshold.
    pub xon_offset: u32,
    /// Maximum of cells, headroom excluded.
    pub most_used: u32,
    /// Maximum of headroom cells.
    pub most_headroom: u32,
    /// Threshold exponent.
    pub exponent: i8,
    /// Index of its pool among those of its slice.
    pub pool: u8,
    /// Whether it sends PFC, and where its headroom is: [`NO_HEADROOM`], [`OWN_HEADROOM`], or the index of the headroom pool
    /// among those of its slice.
    pub headroom_at: u8,
    /// XOFF was sent to the peer.
    pub xoff: bool,
}

/// Headroom of a lossy priority group.
pub const NO_HEADROOM: u8 = 0;
/// Headroom of a lossless priority group that does not share it.
pub const OWN_HEADROOM: u8 = u8::MAX;

// Two to a cache line.
const _: () = assert!(size_of::<PriorityGroup>() == 32);

impl PriorityGroup {
    /// An empty group of a port with these settings.
    pub fn new(settings: &PrioritySettings, pool: u8, headroom_at: u8) -> Self {
        PriorityGroup {
            used: 0,
            headroom_used: 0,
            reserve: settings.reserve_cells,
            headroom: settings.headroom_cells,
            xon_offset: settings.xon_offset_cells,
            most_used: 0,
            most_headroom: 0,
            exponent: settings.alpha_exponent,
            pool,
            headroom_at,
            xoff: false,
        }
    }

    /// Admits `cells`, or returns that there is no room except perhaps in shared headroom.
    #[inline]
    pub fn admit(&mut self, pool: &mut Pool, cells: u32) -> bool {
        let used = self.used + cells;
        if used <= self.reserve {
            self.used = used;
            self.most_used = self.most_used.max(used);
            return true;
        }
        let over = used - self.reserve;
        let shared = pool.used + u64::from(cells.min(over));
        // Above 2^0 the threshold exceeds what is free.
        if u64::from(over) <= pool.threshold(self.exponent) && shared <= pool.cells {
            self.used = used;
            self.most_used = self.most_used.max(used);
            pool.used = shared;
            pool.most_used = pool.most_used.max(pool.used);
            return true;
        }
        self.headroom_at == OWN_HEADROOM && self.fill_headroom(cells)
    }

    /// Admits `cells` into shared headroom, up to the limit in its settings.
    pub fn admit_to_shared_headroom(&mut self, pool: &mut Pool, cells: u32) -> bool {
        let used = pool.used + u64::from(cells);
        if used > pool.cells || !self.fill_headroom(cells) {
            return false;
        }
        pool.used = used;
        pool.most_used = pool.most_used.max(used);
        true
    }

    #[inline]
    fn fill_headroom(&mut self, cells: u32) -> bool {
        if self.headroom_used + cells > self.headroom {
            return false;
        }
        self.headroom_used += cells;
        self.most_headroom = self.most_headroom.max(self.headroom_used);
        true
    }

    /// Releases `cells`: from headroom first, then from shared space. Returns the cells that were in headroom.
    #[inline]
    pub fn release(&mut self, pool: &mut Pool, cells: u32) -> u32 {
        let headroom = self.headroom_used.min(cells);
        let shared_cells = cells - headroom;
        pool.used -= u64::from(shared_cells.min(self.shared_cells()));
        self.headroom_used -= headroom;
        self.used -= shared_cells;
        headroom
    }

    /// The pools that it uses, by their indexes in its slice.
    pub fn pools(&self) -> impl Iterator<Item = usize> {
        let headroom = self.shares_headroom().then_some(self.headroom_at);
        std::iter::once(self.pool).chain(headroom).map(usize::from)
    }

    /// Whether it shares its headroom.
    #[inline]
    pub fn shares_headroom(&self) -> bool {
        !matches!(self.headroom_at, NO_HEADROOM | OWN_HEADROOM)
    }

    /// Whether XOFF is due: shared use at its threshold, or headroom in use.
    #[inline]
    pub fn reaches_xoff(&self, pool: &Pool) -> bool {
        self.headroom_at != NO_HEADROOM
            && !self.xoff
            && (self.headroom_used > 0
                || u64::from(self.shared_cells()) >= pool.threshold(self.exponent))
    }

    /// Whether XON is due: headroom empty and shared use `xon_offset` below the threshold, or zero.
    #[inline]
    pub fn reaches_xon(&self, pool: &Pool) -> bool {
        if !self.xoff || self.headroom_used > 0 {
            return false;
        }
        let shared = self.shared_cells();
        shared == 0 || u64::from(shared + self.xon_offset) <= pool.threshold(self.exponent)
    }

    /// Cells beyond the guaranteed ones.
    #[inline]
    fn shared_cells(&self) -> u32 {
        self.used.saturating_sub(self.reserve)
    }
}

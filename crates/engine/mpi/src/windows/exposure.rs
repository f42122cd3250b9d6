//! The memory that ranks expose in windows.

use std::collections::HashMap;

use mpirage_call::{ContextId, RankId};

/// Memory of one rank in one window.
#[derive(Debug)]
pub(crate) struct Exposure {
    /// The address that displacement zero stands for.
    origin: u64,
    /// The bytes of one unit of displacement.
    unit: u64,
    /// First address and bytes of each stretch.
    stretches: Vec<(u64, u64)>,
}

/// A part of a rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub address: u64,
    pub bytes: u64,
}

/// The memory that all ranks expose.
#[derive(Debug, Default)]
pub(crate) struct Exposures(HashMap<(ContextId, RankId), Exposure>);

impl Exposures {
    /// Memory of a rank becomes part of a window.
    pub(crate) fn add(
        &mut self,
        (window, rank): (ContextId, RankId),
        origin: u64,
        unit: u64,
        stretch: Stretch,
    ) {
        let exposure =
            self.0.entry((window, rank)).or_insert(Exposure { origin, unit, stretches: Vec::new() });
        exposure.stretches.push((stretch.address, stretch.bytes));
    }

    /// The stretch that begins at an address is part of the window no longer.
    pub(crate) fn remove(&mut self, of: (ContextId, RankId), base: u64) {
        if let Some(exposure) = self.0.get_mut(&of) {
            exposure.stretches.retain(|&(first, _)| first != base);
        }
    }

    /// The rank frees the window, or a communicator that is none.
    pub(crate) fn forget(&mut self, window: ContextId, rank: RankId) {
        if !self.0.is_empty() {
            self.0.remove(&(window, rank));
        }
    }

    /// Does a communicator belong to a window?
    pub(crate) fn has(&self, window: ContextId) -> bool {
        self.0.keys().any(|&(of, _)| of == window)
    }

    /// The window of a rank.
    pub(crate) fn get(&self, window: ContextId, rank: RankId) -> Option<&Exposure> {
        self.0.get(&(window, rank))
    }
}

impl Exposure {
    /// Where a part lies that begins `offset` bytes behind a displacement; what is wrong if it is not in the window.
    pub(crate) fn locate(&self, displacement: u64, offset: u64, bytes: u64) -> Result<Stretch, String> {
        let from_origin = displacement.wrapping_mul(self.unit).wrapping_add(offset);
        let address = self.origin.wrapping_add(from_origin);
        if self.covers(address, bytes) {
            return Ok(Stretch { address, bytes });
        }
        let first = from_origin as i64;
        Err(match (self.origin, &self.stretches[..]) {
            (0, [] | [..]) if self.origin == 0 && self.unit == 1 => {
                format!("{bytes} bytes at {address:#x}, which are not attached to the window")
            }
            (_, [(_, size)]) => {
                format!(
                    "bytes {first} to {} of a window of {size} bytes",
                    first.wrapping_add(bytes as i64 - 1)
                )
            }
            _ => format!("{bytes} bytes outside the window"),
        })
    }

    /// Is all of it in the window? It may span stretches that lie one after the other.
    fn covers(&self, mut address: u64, mut bytes: u64) -> bool {
        loop {
            let reach = |&(first, length): &(u64, u64)| length.checked_sub(address.checked_sub(first)?);
            match self.stretches.iter().filter_map(reach).max() {
                Some(reach) if reach >= bytes => return true,
                Some(reach) if reach > 0 => (address, bytes) = (address + reach, bytes - reach),
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed() -> Exposures {
        let mut all = Exposures::default();
        let place = (ContextId::new(5), RankId::new(1));
        all.add(place, 1000, 8, Stretch { address: 1000, bytes: 64 });
        all
    }

    #[test]
    fn displacements_count_in_units() {
        let all = exposed();
        let window = all.get(ContextId::new(5), RankId::new(1)).unwrap();
        assert_eq!(window.locate(3, 4, 8), Ok(Stretch { address: 1028, bytes: 8 }));
        assert_eq!(window.locate(7, 0, 8), Ok(Stretch { address: 1056, bytes: 8 }));
    }

    #[test]
    fn what_lies_outside_is_named() {
        let all = exposed();
        let window = all.get(ContextId::new(5), RankId::new(1)).unwrap();
        assert_eq!(window.locate(7, 4, 8).unwrap_err(), "bytes 60 to 67 of a window of 64 bytes");
        assert_eq!(window.locate(u64::MAX, 0, 8).unwrap_err(), "bytes -8 to -1 of a window of 64 bytes");
    }

    #[test]
    fn an_access_may_span_stretches_without_a_gap() {
        let mut all = Exposures::default();
        let place = (ContextId::new(5), RankId::new(1));
        all.add(place, 0, 1, Stretch { address: 0x100, bytes: 16 });
        all.add(place, 0, 1, Stretch { address: 0x110, bytes: 16 });
        all.add(place, 0, 1, Stretch { address: 0x121, bytes: 16 });
        let window = all.get(place.0, place.1).unwrap();
        assert!(window.locate(0x108, 0, 24).is_ok());
        assert!(window.locate(0x108, 0, 25).is_err());
        assert!(window.locate(0x120, 0, 0).is_ok());
    }

    #[test]
    fn attached_memory_can_be_detached() {
        let mut all = Exposures::default();
        let place = (ContextId::new(5), RankId::new(1));
        all.add(place, 0, 1, Stretch { address: 0x100, bytes: 16 });
        all.add(place, 0, 1, Stretch { address: 0x200, bytes: 16 });
        all.remove(place, 0x100);
        let window = all.get(place.0, place.1).unwrap();
        assert!(window.locate(0x208, 0, 8).is_ok());
        let error = window.locate(0x100, 0, 8).unwrap_err();
        assert_eq!(error, "8 bytes at 0x100, which are not attached to the window");
    }
}

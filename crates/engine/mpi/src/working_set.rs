//! The memory that a collective walks through, in a byte: every message of a collective carries it.

/// Bytes, rounded up to one of eight steps of each power of two; messages that are part of nothing larger have zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkingSet(u8);

/// Fewer bytes fit into any cache, and are not told apart.
const UNIT: u64 = 4 << 10;

impl WorkingSet {
    pub(crate) fn of(bytes: u64) -> WorkingSet {
        let units = bytes / UNIT;
        if units < 8 {
            return WorkingSet::default();
        }
        let shift = units.ilog2() - 3;
        let steps = bytes.div_ceil(UNIT << shift);
        // Eight to sixteen steps; sixteen are eight of twice the size.
        WorkingSet(u8::try_from((u64::from(shift) << 3) + steps).unwrap_or(u8::MAX))
    }

    #[inline]
    pub(crate) fn bytes(self) -> u64 {
        match u64::from(self.0) {
            steps @ 8.. => (8 + steps % 8) << (steps / 8 - 1) << UNIT.ilog2(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_rounded_up_by_an_eighth_at_most() {
        for bytes in [32 << 10, (32 << 10) + 1, 100_000, 2 << 20, (2 << 20) + 1, 123_456_789, 1 << 40] {
            let kept = WorkingSet::of(bytes).bytes();
            assert!(kept >= bytes && kept <= bytes + bytes / 8, "{bytes}: {kept}");
        }
        assert_eq!(WorkingSet::of(2 << 20).bytes(), 2 << 20);
        assert_eq!(WorkingSet::of(0).bytes(), 0);
        assert!(WorkingSet::of(u64::MAX / 2).bytes() > 1 << 45);
    }
}

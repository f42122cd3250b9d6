//! How much later than others a segment may arrive before it counts as lost (RFC 8985, section 6.2).

use mpirage_units::Duration;

/// The observed degree of reordering on the path.
#[derive(Clone, Debug)]
pub(super) struct Reordering {
    /// The number of segments that may overtake one.
    distance: u32,
    usual: u32,
    seen: bool,
    segment_size: u64,
}

/// The largest distance (tcp_max_reordering).
const MOST: u32 = 300;

impl Reordering {
    pub(super) fn new(usual: u32, segment_size: u32) -> Self {
        Reordering { distance: usual, usual, seen: false, segment_size: u64::from(segment_size) }
    }

    /// The stream had arrived so many bytes further when a segment did that was sent once.
    pub(super) fn note(&mut self, bytes: u64) {
        if bytes > 0 {
            self.seen = true;
            let segments = u32::try_from(bytes.div_ceil(self.segment_size)).unwrap_or(u32::MAX);
            self.distance = self.distance.max(segments.min(MOST));
        }
    }

    /// Is it more than usual?
    pub(super) fn is_unusual(&self) -> bool {
        self.distance > self.usual
    }

    /// The time to wait: none in a recovery or once enough segments have overtaken one, unless reordering was seen; else a
    /// quarter of the least round trip. `round_trips` are the least and the smoothed one.
    pub(super) fn window(
        &self,
        recovering: bool,
        overtaken: u32,
        round_trips: (Duration, Duration),
    ) -> Duration {
        if !self.seen && (recovering || overtaken >= self.distance) {
            return Duration::ZERO;
        }
        Duration::from_picos(round_trips.0.as_picos() >> 2).min(round_trips.1)
    }
}

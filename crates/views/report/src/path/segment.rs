//! Segments of a path.

/// The kind of a segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SegmentKind {
    /// A rank computes.
    Compute,
    /// A rank is in a point-to-point call and does not wait for another rank.
    PointToPoint,
    /// A rank is in a collective and does not wait for another rank.
    Collective,
    /// Bytes of a message move.
    Transfer,
    /// Anything else.
    Other,
}

impl SegmentKind {
    pub const ALL: [SegmentKind; 5] = [
        SegmentKind::Compute,
        SegmentKind::PointToPoint,
        SegmentKind::Collective,
        SegmentKind::Transfer,
        SegmentKind::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SegmentKind::Compute => "compute",
            SegmentKind::PointToPoint => "p2p",
            SegmentKind::Collective => "collective",
            SegmentKind::Transfer => "transfer",
            SegmentKind::Other => "other",
        }
    }
}

/// A segment of a path. Times are in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub rank: u32,
    /// The other rank of a transfer; otherwise the same.
    pub peer: u32,
    pub start: u64,
    pub end: u64,
    pub kind: SegmentKind,
    /// The function that the rank is in, or `NO_FUNCTION`.
    pub function: u16,
}

impl Segment {
    pub fn duration(&self) -> u64 {
        self.end - self.start
    }

    /// Whether the segment `after` is its continuation.
    #[inline]
    pub fn joins(&self, after: &Segment) -> bool {
        self.rank == after.rank
            && self.kind == after.kind
            && self.function == after.function
            && self.end == after.start
    }

    /// The same segment so much earlier.
    #[inline]
    pub fn earlier_by(&self, time: u64) -> Segment {
        Segment { start: self.start - time, end: self.end - time, ..*self }
    }

    /// It and the segment after it as one, of the kind of the longer one.
    pub fn joined(self, after: Segment) -> Segment {
        let longer = if self.duration() > after.duration() { self } else { after };
        Segment { start: self.start, end: after.end, ..longer }
    }
}

/// Joins neighbours, the latest of which comes first.
pub(crate) fn join_neighbours(backwards: &mut Vec<Segment>) {
    for at in 0..backwards.len() / 2 {
        backwards[at] = backwards[2 * at + 1].joined(backwards[2 * at]);
    }
    backwards.truncate(backwards.len() / 2);
}

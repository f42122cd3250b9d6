//! What a connection counts.

/// Counts of one end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpCounters {
    /// Segments of any kind that were sent.
    pub segments: u64,
    /// Segments with data that were sent again.
    pub retransmitted: u64,
    /// Recoveries that acknowledgements began.
    pub fast_retransmits: u64,
    /// Recoveries that a timeout began.
    pub timeouts: u64,
    /// Acknowledgements without data that repeat the one before.
    pub duplicate_acks: u64,
    /// Segments that advertised a window of zero.
    pub zero_windows: u64,
    /// Recoveries that turned out to be unnecessary.
    pub spurious: u64,
}

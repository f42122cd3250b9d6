//! What an association counts.

/// Counts of one end of an association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SctpCounters {
    /// Packets of any kind that were sent.
    pub packets: u64,
    /// Chunks of data that were sent again.
    pub retransmitted: u64,
    /// Fast recoveries that reports of gaps began.
    pub fast_retransmits: u64,
    /// Expirations of the timer T3.
    pub timeouts: u64,
    /// SACKs that acknowledge no more in order than the one before.
    pub repeated_sacks: u64,
    /// SACKs with a window of zero.
    pub zero_windows: u64,
}

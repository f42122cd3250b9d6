//! How an MPI implementation behaves on the wire, as a value.
//!
//! When does a send return, when do its bytes start to move, when does the receiver learn of it, and
//! what does each side pay? Everything the MPI layer decides about point-to-point messages it decides
//! from here.

use mpirage_call::SendMode;
use mpirage_units::Duration;

/// The behaviour of one MPI implementation.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// Standard sends of fewer bytes are eager: they return at once.
    pub eager_limit: u64,
    /// Eager messages of fewer bytes start to move when they are sent; the others when they are matched.
    pub push_limit: u64,
    /// When the receiver can match a message.
    pub envelope: Envelope,
    /// Does a rendezvous start with a request and a grant that cross the network?
    pub handshake: bool,
    /// What a blocking send costs the sender.
    pub send_overhead: Overhead,
    /// What a non-blocking send costs the sender.
    pub isend_overhead: Overhead,
    /// What a completed receive costs the receiver.
    pub recv_overhead: Overhead,
    /// What a failed test or probe costs.
    pub poll: PollCost,
    /// What reading the clock costs.
    pub clock_cost: Duration,
    /// Seconds per byte of combining two operands of a reduction.
    pub reduce_seconds_per_byte: f64,
    /// Seconds per byte of copying within a rank during a collective.
    pub copy_seconds_per_byte: f64,
}

/// When the receiver can match a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// As soon as it is sent.
    AtSend,
    /// When it arrives, and not before earlier messages of the same sender.
    OnArrival,
}

/// How one message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The sender is free at once and the bytes leave at once.
    Push,
    /// The sender is free at once; the bytes leave when a receive matches.
    Pull,
    /// The sender waits; the bytes leave when a receive matches.
    Rendezvous,
}

impl Protocol {
    /// How a message travels.
    pub fn way(&self, mode: SendMode, bytes: u64) -> Way {
        match mode {
            SendMode::Synchronous => Way::Rendezvous,
            SendMode::Standard | SendMode::Ready if bytes >= self.eager_limit => Way::Rendezvous,
            _ if bytes < self.push_limit => Way::Push,
            _ => Way::Pull,
        }
    }
}

/// A cost that is linear in each class of sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overhead {
    /// `(messages of at least so many bytes, seconds, seconds per byte)`, in increasing order.
    pub sections: Vec<(u64, f64, f64)>,
}

impl Overhead {
    /// What a message of `bytes` bytes costs.
    pub fn of(&self, bytes: u64) -> Duration {
        if self.sections.is_empty() {
            return Duration::ZERO;
        }
        let after = self.sections.partition_point(|section| section.0 <= bytes);
        match after.checked_sub(1).map(|i| self.sections[i]) {
            Some((_, constant, per_byte)) => Duration::from_secs_f64(constant + per_byte * bytes as f64),
            None => Duration::ZERO,
        }
    }
}

/// What a failed poll costs, so that a program that polls makes time pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PollCost {
    /// The k-th failure in a row costs k steps.
    Growing(Duration),
    /// Each failure costs a share of the time polled so far, but at least a minimum: few steps and a bounded error.
    Proportional {
        /// The least.
        least: Duration,
        /// The share.
        share: f64,
    },
}

impl PollCost {
    /// The cost of a failure, the `nth` (from 1) in a row, after having polled for `elapsed`.
    pub fn of(&self, nth: u32, elapsed: Duration) -> Duration {
        match *self {
            PollCost::Growing(step) => Duration::from_picos(step.as_picos().saturating_mul(u64::from(nth))),
            PollCost::Proportional { least, share } => {
                least.max(Duration::from_secs_f64(elapsed.as_secs_f64() * share))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overhead_takes_the_section_of_the_size() {
        let overhead = Overhead { sections: vec![(0, 1e-6, 0.0), (1000, 2e-6, 1e-9)] };
        assert_eq!(overhead.of(999), Duration::from_nanos(1000));
        assert_eq!(overhead.of(1000), Duration::from_nanos(3000));
        assert_eq!(Overhead::default().of(5), Duration::ZERO);
    }

    #[test]
    fn polls_cost_more_and_more() {
        let growing = PollCost::Growing(Duration::from_nanos(100));
        assert_eq!(growing.of(3, Duration::ZERO), Duration::from_nanos(300));
        let share = PollCost::Proportional { least: Duration::from_nanos(500), share: 0.01 };
        assert_eq!(share.of(1, Duration::ZERO), Duration::from_nanos(500));
        assert_eq!(share.of(9, Duration::from_secs_f64(1.0)), Duration::from_secs_f64(0.01));
    }
}

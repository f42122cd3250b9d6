//! The data a rank needs to answer its own polls.

use mpirage_units::{Duration, Time};

/// The cost of a failed poll: a share of the time polled so far, but at least a minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailedPollCost {
    /// The minimum.
    pub least: Duration,
    /// The share.
    pub share: f64,
}

impl FailedPollCost {
    /// The cost of a failure, after having polled for `elapsed`.
    pub fn of(&self, elapsed: Duration) -> Duration {
        self.least.max(Duration::from_secs_f64(elapsed.as_secs_f64() * self.share))
    }
}

/// A poll has failed, and will fail for a while. A rank that repeats it before that is over need not ask: it leaves a
/// [`Call::RepeatedPoll`](crate::Call::RepeatedPoll) and goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiet {
    /// Before this date nothing can happen that the poll would see, unless the rank itself does something else than poll.
    pub until: Time,
    /// The date of the first of the polls in a row that have failed.
    pub since: Time,
    /// The cost of each of them.
    pub cost: FailedPollCost,
}

impl Quiet {
    /// As words of a reply ([`Reply::members`](crate::Reply::members)).
    pub fn pack(&self) -> Vec<u32> {
        let Quiet { until, since, cost } = self;
        let words = [until.as_picos(), since.as_picos(), cost.least.as_picos(), cost.share.to_bits()];
        words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect()
    }

    /// Reads the words of a reply to a poll; `None` if they hold nothing.
    pub fn unpack(words: &[u32]) -> Option<Quiet> {
        let &[u0, u1, s0, s1, l0, l1, f0, f1] = words else { return None };
        let word = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        Some(Quiet {
            until: Time::from_picos(word(u0, u1)),
            since: Time::from_picos(word(s0, s1)),
            cost: FailedPollCost {
                least: Duration::from_picos(word(l0, l1)),
                share: f64::from_bits(word(f0, f1)),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let cost = FailedPollCost { least: Duration::from_nanos(500), share: 0.01 };
        let quiet = Quiet { until: Time::MAX, since: Time::from_picos(1 << 40 | 7), cost };
        assert_eq!(Quiet::unpack(&quiet.pack()), Some(quiet));
        assert_eq!(Quiet::unpack(&[]), None);
    }
}

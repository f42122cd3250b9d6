//! The interfaces of hosts: when they are free for the next message.

use mpirage_units::{Duration, Time};
use rustc_hash::FxHashSet;

use crate::flow_parameters::Crowd;

/// When each interface is free, in both directions.
pub(super) struct Interfaces {
    /// When an interface is free again, in picoseconds. Zeros, so that interfaces that no message uses cost nothing.
    sending: Vec<u64>,
    receiving: Vec<u64>,
    gap: Duration,
    crowds: Option<Crowds>,
}

/// The message that an interface works on.
#[derive(Clone, Copy)]
pub(super) struct User {
    /// The rank of this host.
    pub rank: u32,
    pub bytes: u64,
}

/// The ranks that have used each interface.
struct Crowds {
    crowd: Crowd,
    users: FxHashSet<(u32, u32)>,
    counts: Vec<u32>,
}

impl Interfaces {
    pub(super) fn new(count: u32, gap: Duration, crowd: Crowd) -> Interfaces {
        let free = || vec![0; count as usize];
        let crowds = (!crowd.gap.sections().is_empty()).then(|| Crowds {
            crowd,
            users: FxHashSet::default(),
            counts: vec![0; count as usize],
        });
        Interfaces { sending: free(), receiving: free(), gap, crowds }
    }

    /// When an interface can send the next message.
    pub(super) fn next_send(&self, interface: u32) -> Time {
        Time::from_picos(self.sending[interface as usize])
    }

    /// A message leaves an interface, given by its number, when the gap since the last one is over.
    pub(super) fn send(&mut self, interface: u32, user: User, now: Time) -> Time {
        let gap = self.gap(interface, user);
        take(&mut self.sending[interface as usize], now, gap)
    }

    /// The last byte of a message has come to an interface, which gives it away when the gap since the last one is over.
    pub(super) fn receive(&mut self, interface: u32, user: User, now: Time) -> Time {
        let gap = self.gap(interface, user);
        take(&mut self.receiving[interface as usize], now, gap)
    }

    fn gap(&mut self, interface: u32, user: User) -> Duration {
        match &mut self.crowds {
            None => self.gap,
            Some(crowds) => self.gap.max(crowds.gap(interface, user)),
        }
    }
}

impl Crowds {
    fn gap(&mut self, interface: u32, user: User) -> Duration {
        let count = &mut self.counts[interface as usize];
        // An interface that is crowded already stays so: its ranks need not be counted again.
        if *count <= self.crowd.ranks && self.users.insert((interface, user.rank)) {
            *count += 1;
        }
        match *count > self.crowd.ranks {
            true => Duration::from_secs_f64(self.crowd.gap.of(user.bytes)),
            false => Duration::ZERO,
        }
    }
}

fn take(free: &mut u64, now: Time, span: Duration) -> Time {
    let begins = now.max(Time::from_picos(*free));
    *free = (begins + span).as_picos();
    begins
}

#[cfg(test)]
mod tests {
    use mpirage_kernel::{DelaySection, InterfaceDelay};

    use super::*;

    const NS: fn(u64) -> Duration = Duration::from_nanos;

    fn at(nanos: u64) -> Time {
        Time::ZERO + NS(nanos)
    }

    fn of(rank: u32) -> User {
        User { rank, bytes: 8 }
    }

    #[test]
    fn messages_keep_their_distance() {
        let mut interfaces = Interfaces::new(2, NS(10), Crowd::default());
        assert_eq!((interfaces.send(0, of(0), at(5)), interfaces.send(0, of(0), at(6))), (at(5), at(15)));
        assert_eq!(interfaces.send(1, of(0), at(6)), at(6));
        assert_eq!(
            (interfaces.receive(0, of(0), at(1)), interfaces.receive(0, of(0), at(2))),
            (at(1), at(11))
        );
    }

    #[test]
    fn a_crowd_waits_longer() {
        let gap = InterfaceDelay::new(vec![DelaySection { from: 0, seconds: 30e-9, per_byte: 0.0 }]);
        let mut interfaces = Interfaces::new(1, NS(10), Crowd { ranks: 2, gap });
        let dates = [0, 1, 0, 2, 0].map(|rank| interfaces.send(0, of(rank), at(0)));
        // The gap after the message of the third rank is the first long one.
        assert_eq!(dates, [at(0), at(10), at(20), at(30), at(60)]);
    }
}

//! The interfaces of hosts: when they are free for the next message.

use mpirage_units::{Duration, Time};

/// When each interface is free, in both directions.
pub(super) struct Interfaces {
    /// When an interface is free again, in picoseconds. Zeros, so that interfaces that no message uses cost nothing.
    sending: Vec<u64>,
    receiving: Vec<u64>,
    gap: Duration,
}

impl Interfaces {
    pub(super) fn new(count: u32, gap: Duration) -> Interfaces {
        let free = || vec![0; count as usize];
        Interfaces { sending: free(), receiving: free(), gap }
    }

    /// When an interface can send the next message.
    pub(super) fn next_send(&self, interface: u32) -> Time {
        Time::from_picos(self.sending[interface as usize])
    }

    /// A message leaves an interface, given by its number, when the gap since the last one is over.
    pub(super) fn send(&mut self, interface: u32, now: Time) -> Time {
        take(&mut self.sending[interface as usize], now, self.gap)
    }

    /// The last byte of a message has come to an interface, which gives it away when the gap since the last one is over.
    pub(super) fn receive(&mut self, interface: u32, now: Time) -> Time {
        take(&mut self.receiving[interface as usize], now, self.gap)
    }
}

fn take(free: &mut u64, now: Time, span: Duration) -> Time {
    let begins = now.max(Time::from_picos(*free));
    *free = (begins + span).as_picos();
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_distance() {
        let ns = Duration::from_nanos;
        let mut interfaces = Interfaces::new(2, ns(10));
        let at = |nanos| Time::ZERO + ns(nanos);
        assert_eq!((interfaces.send(0, at(5)), interfaces.send(0, at(6))), (at(5), at(15)));
        assert_eq!(interfaces.send(1, at(6)), at(6));
        assert_eq!((interfaces.receive(0, at(1)), interfaces.receive(0, at(2))), (at(1), at(11)));
    }
}

//! The interfaces of hosts: when they are free for the next message.

use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

/// When each host's interface is free, in both directions.
pub(super) struct Interfaces {
    sending: Vec<Time>,
    receiving: Vec<Time>,
    gap: Duration,
}

impl Interfaces {
    pub(super) fn new(hosts: u32, gap: Duration) -> Interfaces {
        let free = vec![Time::ZERO; hosts as usize];
        Interfaces { sending: free.clone(), receiving: free, gap }
    }

    /// A message leaves a host as soon as the interface is free, and keeps it for `burst` or the gap.
    pub(super) fn send(&mut self, host: HostId, now: Time, burst: Duration) -> Time {
        take(&mut self.sending[host.0 as usize], now, burst.max(self.gap))
    }

    /// Does the interface of a host have nothing to send?
    pub(super) fn is_free(&self, host: HostId, now: Time) -> bool {
        self.sending[host.0 as usize] <= now
    }

    /// When the first bursts of all messages so far have left a host.
    pub(super) fn sending_from(&self, host: HostId) -> Time {
        self.sending[host.0 as usize]
    }

    /// The last byte of a message has come to a host, whose interface gives it away when the gap since the last one is over.
    pub(super) fn receive(&mut self, host: HostId, now: Time) -> Time {
        take(&mut self.receiving[host.0 as usize], now, self.gap)
    }
}

fn take(free: &mut Time, now: Time, span: Duration) -> Time {
    let begins = now.max(*free);
    *free = begins + span;
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_one_after_another() {
        let ns = Duration::from_nanos;
        let mut interfaces = Interfaces::new(2, ns(10));
        let at = |nanos| Time::ZERO + ns(nanos);
        assert_eq!(interfaces.send(HostId(0), at(5), ns(100)), at(5));
        assert_eq!(interfaces.send(HostId(0), at(6), ns(1)), at(105));
        assert_eq!(interfaces.send(HostId(0), at(6), ns(1)), at(115));
        assert_eq!(interfaces.send(HostId(1), at(6), ns(1)), at(6));
        assert_eq!(
            (interfaces.receive(HostId(0), at(1)), interfaces.receive(HostId(0), at(2))),
            (at(1), at(11))
        );
    }
}

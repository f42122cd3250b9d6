//! Once warm, a segment costs no memory.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_packet::{Endpoint, Lane, Permission, Role, Segment, Tcp, TcpHeader, TcpSettings};
use mpirage_units::{Duration, Time};

use crate::counting::allocations;

/// Two ends and two queues of equal delay; every so often a segment is lost.
struct Bulk {
    now: Time,
    ends: [Tcp; 2],
    queues: [VecDeque<Segment<TcpHeader>>; 2],
    count: u64,
}

impl Bulk {
    fn new() -> Bulk {
        let settings = Arc::new(TcpSettings { preopened: true, ..TcpSettings::default() });
        Bulk {
            now: Time::ZERO,
            ends: [Tcp::new(&settings, Role::Active), Tcp::new(&settings, Role::Passive)],
            queues: [VecDeque::with_capacity(4096), VecDeque::with_capacity(4096)],
            count: 0,
        }
    }

    /// Both ends send what they may; then what they have sent arrives.
    fn round(&mut self) {
        for (end, queue) in self.ends.iter_mut().zip(&mut self.queues) {
            let room = end.room();
            end.write(self.now, Lane(0), room);
            while let Some(segment) = end.transmit(self.now, Permission::Everything) {
                self.count += 1;
                if !self.count.is_multiple_of(500) && queue.len() < 4096 {
                    queue.push_back(segment);
                }
            }
        }
        self.now += Duration::from_nanos(100_000);
        for side in 0..2 {
            while let Some(segment) = self.queues[side].pop_front() {
                self.ends[1 - side].receive(self.now, &segment, false);
                self.ends[1 - side].delivered();
            }
        }
        for end in &mut self.ends {
            if end.timeout().is_some_and(|at| at <= self.now) {
                end.on_timeout(self.now);
            }
        }
    }
}

#[test]
fn a_warm_connection_allocates_nothing() {
    let mut bulk = Bulk::new();
    (0..20_000).for_each(|_| bulk.round());
    let (before, sent) = (allocations(), bulk.count);
    (0..20_000).for_each(|_| bulk.round());
    assert!(bulk.count - sent > 200_000, "{}", bulk.count - sent);
    assert!(bulk.ends[0].counts().retransmissions > 100);
    assert_eq!(allocations() - before, 0);
}

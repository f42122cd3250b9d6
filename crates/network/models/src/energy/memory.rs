//! Memory with a meter: a memory model that holds another.
//!
//! A message within a host is read and written, so each of its bytes counts twice. A computation counts the bytes that it declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use mpirage_kernel::{Event, MemoryModel, Model, Token, Traffic, Transfer};
use mpirage_platform::{HostId, Platform};
use mpirage_units::Time;

/// Any memory, and its energy.
pub struct MeteredMemory {
    inner: Box<dyn MemoryModel>,
    platform: Arc<Platform>,
    /// The host of each end point.
    placement: Vec<HostId>,
    bytes: BTreeMap<HostId, f64>,
}

impl MeteredMemory {
    /// A meter for the memory of the hosts of these ranks.
    pub fn new(
        inner: Box<dyn MemoryModel>,
        platform: Arc<Platform>,
        placement: Vec<HostId>,
    ) -> MeteredMemory {
        MeteredMemory { inner, platform, placement, bytes: BTreeMap::new() }
    }
}

impl MemoryModel for MeteredMemory {
    fn carries_transfers(&self) -> bool {
        self.inner.carries_transfers()
    }

    fn start_copy(&mut self, now: Time, transfer: Transfer, token: Token) {
        *self.bytes.entry(transfer.from).or_default() += 2.0 * transfer.bytes as f64;
        self.inner.start_copy(now, transfer, token);
    }

    fn start_traffic(&mut self, now: Time, traffic: Traffic, token: Token) {
        if let Some(&host) = self.placement.get(traffic.end_point as usize) {
            *self.bytes.entry(host).or_default() += traffic.bytes;
        }
        self.inner.start_traffic(now, traffic, token);
    }

    fn energy(&self) -> Option<Vec<(HostId, f64)>> {
        let per_byte = |host| self.platform.power().host(host).map_or(0.0, |power| power.memory);
        Some(self.bytes.iter().map(|(&host, bytes)| (host, bytes * per_byte(host))).collect())
    }
}

impl Model for MeteredMemory {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.inner.next(now)
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        self.inner.collect(now, events);
    }
}

//! Disks.
//!
//! A disk that reads r bytes per second and writes w has one second of its time per second to give. Reading a byte takes 1/r of it,
//! writing one 1/w. All accesses under way get the same share of that time (max-min sharing, crate `fair`):
//!
//! ```text
//! alone         T = n · l + b / r         n pieces, l the latency of a piece, b bytes
//! k at a time   T = n · l + k · b / r     each gets a k-th of the disk
//! metadata      T = W + m                 W: what operations before it still take; the disk does one at a time
//! ```
//!
//! The latency of an access does not keep others waiting. There is no cache: what is written is on the disk when the access ends.

use mpirage_fair::{FlowId, ResourceId, Sharing, SharingPolicy};
use mpirage_kernel::{Agenda, Disk, DiskWork, Event, Model, StorageModel, Token};
use mpirage_platform::Storages;
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

/// Capacities are of the size of bytes per second, for the solver's sake.
const SECOND: f64 = 1e9;

/// The disks of a platform.
pub struct DiskArray {
    storages: Storages,
    disks: FxHashMap<Disk, DiskState>,
    sharing: Sharing,
    agenda: Agenda<Due>,
    /// When the next flow ends, as last asked.
    completion: Option<Time>,
}

/// A disk that has been used.
struct DiskState {
    resource: ResourceId,
    /// When it is done with operations on directories.
    busy: Time,
}

enum Due {
    /// Bytes move from here on, sharing the disk with others.
    Launch(FlowId),
    End(Token),
}

impl DiskArray {
    /// The disks of these storages.
    pub fn new(storages: &Storages) -> DiskArray {
        DiskArray {
            storages: storages.clone(),
            disks: FxHashMap::default(),
            sharing: Sharing::new(),
            agenda: Agenda::new(),
            completion: None,
        }
    }

    fn move_bytes(&mut self, now: Time, disk: Disk, bytes: u64, rate: f64, latency: f64, token: Token) {
        let begins = now + Duration::from_secs_f64(latency);
        if bytes == 0 {
            return self.agenda.push(begins, Due::End(token));
        }
        let resource = self.state(disk).resource;
        let footprint = self.sharing.footprint(rate.recip() * SECOND, rate, &[(resource, SECOND / rate)]);
        let flow = self.sharing.prepare(&footprint, bytes as f64, token.0);
        self.agenda.push(begins, Due::Launch(flow));
    }

    fn state(&mut self, disk: Disk) -> &mut DiskState {
        let sharing = &mut self.sharing;
        self.disks.entry(disk).or_insert_with(|| DiskState {
            resource: sharing.add_resource(SECOND, SharingPolicy::Shared),
            busy: Time::ZERO,
        })
    }
}

impl StorageModel for DiskArray {
    fn start(&mut self, now: Time, disk: Disk, work: DiskWork, token: Token) {
        let spec = self.storages.get(disk.storage).disk_of(disk.unit);
        let latency = |pieces: u32| spec.latency * f64::from(pieces.max(1));
        match work {
            DiskWork::Read { bytes, pieces } => {
                self.move_bytes(now, disk, bytes, spec.read, latency(pieces), token);
            }
            DiskWork::Write { bytes, pieces } => {
                self.move_bytes(now, disk, bytes, spec.write, latency(pieces), token);
            }
            DiskWork::Metadata { operations } => {
                let span = Duration::from_secs_f64(spec.metadata * f64::from(operations));
                let state = self.state(disk);
                state.busy = state.busy.max(now) + span;
                let end = state.busy;
                self.agenda.push(end, Due::End(token));
            }
        }
    }
}

impl Model for DiskArray {
    fn next(&mut self, now: Time) -> Option<Time> {
        self.completion = self.sharing.next_completion(now);
        [self.agenda.next(), self.completion].into_iter().flatten().min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        if self.completion.is_some_and(|completion| completion <= now) {
            self.sharing.collect_each(now, |token| events.push(Event::ended(Token(token))));
        }
        while let Some(due) = self.agenda.pop_at(now) {
            match due {
                Due::Launch(flow) => self.sharing.launch(now, flow),
                Due::End(token) => events.push(Event::ended(token)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::{DiskSpec, StorageId, StorageSpec};

    use super::*;

    const DISK: Disk = Disk { storage: StorageId(0), unit: 0 };
    const MEGABYTE: u64 = 1_000_000;

    /// When things that start at once end, in seconds, on a disk that reads 1 GB/s and writes 0.5 GB/s.
    fn ends(works: &[(Disk, DiskWork)]) -> Vec<f64> {
        let disk = DiskSpec { read: 1e9, write: 5e8, latency: 1e-3, metadata: 2e-3 };
        let storage = StorageSpec { disk, ..StorageSpec::local_default() };
        let mut model = DiskArray::new(&Storages::new(vec![storage]));
        for (number, &(disk, work)) in works.iter().enumerate() {
            model.start(Time::ZERO, disk, work, Token(number as u64));
        }
        let (mut ends, mut now) = (vec![f64::NAN; works.len()], Time::ZERO);
        while let Some(next) = model.next(now) {
            now = next;
            let mut events = Vec::new();
            model.collect(now, &mut events);
            events.iter().for_each(|event| ends[event.token.0 as usize] = now.as_secs_f64());
        }
        ends
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(expected) {
            assert!((one - other).abs() < 1e-9, "{found:?} instead of {expected:?}");
        }
    }

    fn read(bytes: u64) -> DiskWork {
        DiskWork::Read { bytes, pieces: 1 }
    }

    #[test]
    fn an_access_alone_takes_latency_and_bytes() {
        near(&ends(&[(DISK, read(100 * MEGABYTE))]), &[0.101]);
        near(&ends(&[(DISK, DiskWork::Write { bytes: 100 * MEGABYTE, pieces: 4 })]), &[0.204]);
        near(&ends(&[(DISK, read(0))]), &[0.001]);
    }

    #[test]
    fn accesses_share_the_time_of_a_disk_and_not_of_another() {
        let other = Disk { unit: 1, ..DISK };
        let one = read(100 * MEGABYTE);
        near(&ends(&[(DISK, one), (DISK, one), (other, one)]), &[0.201, 0.201, 0.101]);
        // Reading takes half the time of writing, so it ends when the writer has written half of its bytes.
        let write = DiskWork::Write { bytes: 100 * MEGABYTE, pieces: 1 };
        near(&ends(&[(DISK, one), (DISK, write)]), &[0.201, 0.301]);
    }

    #[test]
    fn operations_on_directories_follow_each_other() {
        let one = DiskWork::Metadata { operations: 1 };
        near(
            &ends(&[(DISK, one), (DISK, DiskWork::Metadata { operations: 2 }), (DISK, one)]),
            &[0.002, 0.006, 0.008],
        );
    }
}

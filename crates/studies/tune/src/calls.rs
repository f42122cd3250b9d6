//! The collective calls of a program, counted while it runs.
//!
//! Calls of one collective in communicators of one size form groups by the power of two of their bytes: a program whose sizes
//! vary a little needs one rule for them, not hundreds. The most frequent size stands for its group, and the first
//! communicator of a size for all of that size.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mpirage_call::{Collective, CollectiveCall, ContextId, SELF, WORLD, function_name};
use mpirage_record::{MessageRecord, Record, Recorder};
use mpirage_units::Duration;

use crate::Point;

/// Calls of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct CallGroup {
    /// The call that stands for the group.
    pub point: Point,
    /// The smallest size that belongs to the group.
    pub from: u64,
    /// How often it is called, by all ranks of a communicator together.
    pub calls: u64,
    /// Time that ranks spend in it, all together: how long blocking calls take, waiting for late ranks included.
    pub time: Duration,
}

/// Counts the collective calls of a run, as a recorder.
#[derive(Debug, Default)]
pub struct CallCounter {
    ranks: u32,
    members: HashMap<ContextId, Arc<[u32]>>,
    /// The call that each rank is in, or has just started.
    open: Vec<Option<Open>>,
    groups: BTreeMap<Key, Group>,
}

/// Collective, size of the communicator, and the bits of the number of bytes.
type Key = (Collective, u32, u32);

#[derive(Clone, Copy, Debug)]
struct Open {
    key: Key,
    bytes: u64,
    root: u32,
    context: ContextId,
    blocking: bool,
}

#[derive(Debug)]
struct Group {
    members: Arc<[u32]>,
    root: u32,
    /// Calls of one rank, by size.
    sizes: BTreeMap<u64, u64>,
    picos: u64,
}

impl CallCounter {
    /// For a run of so many ranks.
    pub fn new(ranks: u32) -> CallCounter {
        let world: Arc<[u32]> = (0..ranks).collect();
        let members = HashMap::from([(WORLD, world)]);
        CallCounter { ranks, members, open: vec![None; ranks as usize], groups: BTreeMap::new() }
    }

    /// The groups, in the order of collectives, communicator sizes and bytes.
    pub fn groups(&self) -> Vec<CallGroup> {
        let group = |(&(collective, ranks, bits), group): (&Key, &Group)| {
            let entered: u64 = group.sizes.values().sum();
            // The largest of the most frequent ones.
            let bytes = group
                .sizes
                .iter()
                .max_by_key(|&(&bytes, &calls)| (calls, bytes))
                .map_or(0, |(&bytes, _)| bytes);
            CallGroup {
                point: Point { collective, members: Arc::clone(&group.members), bytes, root: group.root },
                from: if bits == 0 { 0 } else { 1 << (bits - 1) },
                calls: entered.div_ceil(u64::from(ranks.max(1))),
                time: Duration::from_picos(group.picos),
            }
        };
        self.groups.iter().map(group).collect()
    }

    /// A rank has entered a collective.
    fn entered(&mut self, rank: u32, kind: Collective, call: &CollectiveCall<'_>) {
        if call.context == SELF || !Collective::OF_ALL_RANKS.contains(&kind) {
            return;
        }
        let Some(members) = self.members.get(&call.context) else { return };
        let ranks = members.len() as u32;
        let Some(seat) = members.iter().position(|&member| member == rank) else { return };
        let bytes = block_bytes(kind, call, seat as u32, ranks);
        let key = (kind, ranks, u64::BITS - bytes.leading_zeros());
        let open =
            Open { key, bytes, root: call.root, context: call.context, blocking: call.request.is_none() };
        if let Some(slot) = self.open.get_mut(rank as usize) {
            *slot = Some(open);
        }
    }

    /// A call of a rank has returned: if it was a collective of the program, it counts. Functions that make communicators
    /// use collectives too, which the program has no say in.
    fn returned(&mut self, rank: u32, function: u16, picos: u64) {
        let Some(open) = self.open.get_mut(rank as usize).and_then(Option::take) else { return };
        if function_name(function).starts_with("MPI_Comm_") {
            return;
        }
        let Some(members) = self.members.get(&open.context) else { return };
        let new =
            || Group { members: Arc::clone(members), root: open.root, sizes: BTreeMap::new(), picos: 0 };
        let group = self.groups.entry(open.key).or_insert_with(new);
        *group.sizes.entry(open.bytes).or_default() += 1;
        group.picos += if open.blocking { picos } else { 0 };
    }
}

impl Recorder for CallCounter {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Comm { context, members } => {
                self.members.insert(context, members.into());
            }
            Record::Schedule { rank, kind, call, .. } if rank < self.ranks => self.entered(rank, kind, call),
            Record::Call { rank, function, entered, left, .. } => {
                self.returned(rank, function, left.since(entered).as_picos());
            }
            _ => {}
        }
    }

    fn messages(&mut self, _: &[MessageRecord]) {}

    // Only then are there records of schedules.
    fn wants_arguments(&self) -> bool {
        true
    }

    fn wants_collectives_again(&self) -> bool {
        false
    }
}

/// The bytes of a call as [`Point::bytes`] counts them; the mean block of the v-forms, as this rank sees it.
fn block_bytes(kind: Collective, call: &CollectiveCall<'_>, seat: u32, ranks: u32) -> u64 {
    use Collective::{Allgatherv, Alltoallv, Alltoallw, Gatherv, ReduceScatter, Scatterv};
    let mean = |total: u64| total.div_ceil(u64::from(ranks.max(1)));
    let (send, recv) = (call.send.blocks.total(ranks as usize), call.recv.blocks.total(ranks as usize));
    match kind {
        Alltoallv | Alltoallw => mean(send.max(recv)),
        Allgatherv | ReduceScatter => mean(recv),
        Gatherv if seat == call.root => mean(recv),
        Scatterv if seat == call.root => mean(send),
        _ => call.shape_bytes(seat),
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::{Blocks, Part, Payload, function_names};
    use mpirage_units::Time;

    use super::*;

    fn function(name: &str) -> u16 {
        function_names().iter().position(|&known| known == name).unwrap() as u16
    }

    fn bcast(context: ContextId, bytes: u64) -> CollectiveCall<'static> {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(bytes) };
        let agreement = CollectiveCall::agreement(context);
        CollectiveCall { kind: Collective::Bcast, send: part, recv: part, root: 1, ..agreement }
    }

    fn call(counter: &mut CallCounter, rank: u32, call: &CollectiveCall<'_>, name: &str, micros: u64) {
        let (kind, entered) = (call.kind, Time::ZERO);
        let context = call.context;
        counter.record(&Record::Schedule { rank, number: 1, context, kind, method: None, entered, call });
        let (left, function) = (Time::from_picos(micros * 1_000_000), function(name));
        counter.record(&Record::Call { rank, function, entered, left, site: 0, details: None });
    }

    #[test]
    fn calls_are_grouped_by_power_of_two() {
        let mut counter = CallCounter::new(2);
        for bytes in [1000, 1023, 1000, 1024] {
            call(&mut counter, 0, &bcast(WORLD, bytes), "MPI_Bcast", 3);
            call(&mut counter, 1, &bcast(WORLD, bytes), "MPI_Bcast", 4);
        }
        let groups = counter.groups();
        let found: Vec<_> = groups.iter().map(|group| (group.point.bytes, group.from, group.calls)).collect();
        assert_eq!(found, [(1000, 512, 3), (1024, 1024, 1)]);
        assert_eq!(groups[0].time, Duration::from_nanos(3 * 7_000));
        assert_eq!((groups[0].point.root, groups[0].point.ranks()), (1, 2));
    }

    #[test]
    fn what_makes_communicators_is_no_call_of_the_program() {
        let mut counter = CallCounter::new(2);
        call(&mut counter, 0, &CollectiveCall::agreement(WORLD), "MPI_Comm_split", 3);
        assert_eq!(counter.groups(), []);
        let made = ContextId::new(7);
        counter.record(&Record::Comm { context: made, members: &[1] });
        call(&mut counter, 1, &bcast(made, 8), "MPI_Bcast", 3);
        call(&mut counter, 0, &bcast(SELF, 8), "MPI_Bcast", 3);
        let groups = counter.groups();
        assert_eq!(groups.len(), 1);
        assert_eq!(&*groups[0].point.members, [1]);
    }
}

//! Collectives that take as long as a formula says.
//!
//! Some models know no algorithms: all ranks enter, a time passes that depends on who and how much, all ranks leave.

use mpirage_call::CollectiveCall;
use mpirage_collectives::Collective;
use mpirage_platform::HostId;
use mpirage_units::Duration;

use super::instance::Instance;

/// A formula for how long collectives take.
pub trait CollectiveTimes {
    /// From the moment the last has entered until all leave. Asked once for each collective.
    fn duration(&mut self, gathering: &Gathering<'_>) -> Duration;
}

/// A collective that all members have entered.
#[derive(Clone, Copy, Debug)]
pub struct Gathering<'a> {
    /// What it is.
    pub kind: Collective,
    /// The host of each member.
    pub hosts: &'a [HostId],
    /// The member whose sizes count: the root, or the last to enter if there is none.
    pub member: usize,
    /// Bytes that this member contributes.
    pub sent: u64,
    /// Bytes that this member gets.
    pub received: u64,
}

impl<'a> Gathering<'a> {
    /// The last `member` has entered with `call`.
    pub(crate) fn of(
        instance: &Instance,
        hosts: &'a [HostId],
        member: u32,
        call: &CollectiveCall<'_>,
    ) -> Gathering<'a> {
        let size = instance.size();
        let rooted = call.kind.is_rooted() && call.root != member && (call.root as usize) < size;
        let (member, send, recv) = if rooted {
            let root = &instance.participants[call.root as usize];
            (call.root, root.send.layout.blocks(), root.recv.layout.blocks())
        } else {
            (member, call.send.blocks, call.recv.blocks)
        };
        let (member, sent) = (member as usize, send.total(size));
        let received = match call.kind {
            // Each of them knows what each of them gets.
            Collective::ReduceScatter => recv.of(member).1,
            _ => recv.total(size),
        };
        Gathering { kind: call.kind, hosts, member, sent, received }
    }
}

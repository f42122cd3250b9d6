//! Collectives that take as long as a formula says.
//!
//! Some models know no algorithms: all ranks enter, a time passes that depends on who and how much, all ranks leave.

use mpirage_call::{Collective, CollectiveCall, Member, Part, Payload};
use mpirage_platform::HostId;
use mpirage_units::Duration;

use super::edges::share;
use super::instance::{Buffer, Instance, Participant, Purpose};

/// A formula for how long collectives take.
pub trait CollectiveTimes {
    /// From the moment the last has entered until all leave. Asked once for each collective.
    fn duration(&mut self, gathering: &Gathering<'_>) -> Duration;
}

/// A collective that all members have entered.
#[derive(Clone, Copy, Debug)]
pub struct Gathering<'a> {
    /// The collective; between the sides of an inter-communicator, its counterpart within one group.
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
        let size = instance.size() as u32;
        let root = match instance.purpose {
            Purpose::Data { root, .. } if call.kind.is_rooted() && root < size => root,
            _ => member,
        };
        // The root's sizes count.
        let (member, Participant { send, recv, peers, .. }) = (root, &instance.participants[root as usize]);
        let call = CollectiveCall { send: part(send), recv: part(recv), peers: peers.peers(), ..*call };
        let (sent, received) = call.bytes(Member { rank: member, size });
        let received = match call.kind {
            // Each of them knows what each of them gets.
            Collective::ReduceScatter => call.recv.blocks.of(member as usize).1,
            Collective::InterReduceScatter => {
                let place =
                    call.peers.sides(Member { rank: member, size }).map_or(0, |sides| sides.place(member));
                share(&call.recv.blocks, place).1
            }
            _ => received,
        };
        Gathering { kind: call.kind.within(), hosts, member: member as usize, sent, received }
    }
}

fn part(buffer: &Buffer) -> Part<'_> {
    Part { payload: Payload::Absent, blocks: buffer.layout.blocks() }
}

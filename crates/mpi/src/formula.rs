//! Collectives that take as long as a formula says.
//!
//! Some models know no algorithms: everybody enters, a time passes that depends on who and how much, everybody leaves.

use mpirage_call::CollectiveCall;
use mpirage_collectives::Collective;
use mpirage_platform::HostId;
use mpirage_record::Record;
use mpirage_units::Duration;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::token;

/// Says how long collectives take.
pub trait CollectiveTimes {
    /// From the moment everybody has entered until all leave. Asked once for each collective.
    fn duration(&mut self, gathering: &Gathering<'_>) -> Duration;
}

/// A collective that everybody has entered.
#[derive(Clone, Copy, Debug)]
pub struct Gathering<'a> {
    /// What it is.
    pub kind: Collective,
    /// The host of each member.
    pub hosts: &'a [HostId],
    /// Which member says how much: the root, or the last to enter if there is none.
    pub member: usize,
    /// Bytes that this member contributes.
    pub sent: u64,
    /// Bytes that this member gets.
    pub received: u64,
}

impl<M: Memory> Engine<M> {
    /// A rank has entered a collective whose time a formula gives. The last to enter sets it off.
    pub(crate) fn await_everybody(&mut self, id: u32, seat: u32, rank: u32, call: &CollectiveCall<'_>) {
        let instance = &self.instances[id as usize];
        if self.detailed {
            let (number, entered) = (instance.number, self.kernel.now());
            let (context, kind) = (call.context, call.kind);
            let algorithm = None;
            self.recorder.record(&Record::Schedule { rank, number, context, kind, algorithm, entered, call });
        }
        if let Some(ideal) = &mut self.ideal {
            ideal.gather(id, self.ranks[rank as usize].ideal, instance.is_first());
        }
        if !instance.is_complete() {
            return;
        }
        let size = instance.size();
        let rooted = call.kind.is_rooted() && call.root != seat && (call.root as usize) < size;
        let (member, send, recv) = if rooted {
            let root = &instance.seats[call.root as usize];
            (call.root, root.send.cut.blocks(), root.recv.cut.blocks())
        } else {
            (seat, call.send.blocks, call.recv.blocks)
        };
        let (member, sent) = (member as usize, send.total(size));
        let received = match call.kind {
            // All of them know what each of them gets.
            Collective::ReduceScatter => recv.of(member).1,
            _ => recv.total(size),
        };
        let mut hosts = std::mem::take(&mut self.members);
        hosts.clear();
        hosts.extend((0..size as u32).map(|seat| self.hosts[instance.world_of(seat) as usize]));
        let gathering = Gathering { kind: call.kind, hosts: &hosts, member, sent, received };
        let span = self.collective_times.as_mut().map_or(Duration::ZERO, |times| times.duration(&gathering));
        self.members = hosts;
        self.kernel.start_timer(span, token::collective(id));
    }

    /// The time of a collective is over.
    pub(crate) fn everybody_leaves(&mut self, id: u32) {
        for seat in 0..self.instances[id as usize].size() as u32 {
            if let Some(ideal) = &self.ideal {
                let (instance, at) = (&self.instances[id as usize], ideal.gathered(id));
                let (rank, request) = (instance.world_of(seat), instance.seats[seat as usize].request);
                self.leave_ideal(rank, request, at);
            }
            self.leave(id, seat);
        }
    }
}

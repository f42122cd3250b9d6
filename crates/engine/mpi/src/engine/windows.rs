//! Calls that concern windows, and what happens to accesses on their way.

use mpirage_call::{
    AccessCall, AccessKind, BLOCKING, Completing, Completion, ContextId, LineId, Payload, RankId, WindowCall,
    pack_text,
};
use mpirage_data::{Basic, Op};
use mpirage_kernel::Milestone;
use mpirage_record::{MessageRecord, Scope};
use mpirage_units::{Duration, Time};

use super::core::Core;
use super::task::Progress;
use crate::due::Due;
use crate::ids::ActivityId;
use crate::memory::{Memory, RankAddress};
use crate::protocol::{AccessProgress, per_byte};
use crate::ranks::line::Phase;
use crate::ranks::request::Operation;
use crate::transport::message::Owner;
use crate::windows::access::{Access, AccessState, Way};
use crate::windows::exposure::Stretch;
use crate::windows::lock::Claim;
use crate::windows::state::Activity;
use crate::wire::{End, Stream};

/// Bytes of a word of a layout.
const WORD: usize = 8;

/// A transfer for an activity of a window.
struct Leg {
    from: RankId,
    to: RankId,
    window: ContextId,
    /// None of a request, a grant or an acknowledgement.
    bytes: Option<u64>,
}

/// The memory at the target that an access names.
struct AccessPlace<'a> {
    window: ContextId,
    /// As a rank of the window.
    target: u32,
    /// In units of the target.
    displacement: u64,
    /// Offsets and lengths of its parts.
    layout: Payload<'a>,
    parts: u32,
}

impl<'a> AccessPlace<'a> {
    fn of(call: &AccessCall<'a>) -> AccessPlace<'a> {
        let &AccessCall { window, target, displacement, layout, parts, .. } = call;
        AccessPlace { window, target, displacement, layout, parts }
    }
}

/// A short-lived view of the parts that windows concern.
pub(super) struct OneSided<'a, M> {
    pub core: &'a mut Core<M>,
}

impl<M: Memory> OneSided<'_, M> {
    /// Carries out a call that concerns a window.
    #[inline(never)]
    pub(super) fn perform(&mut self, line: LineId, call: WindowCall<'_>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        match call {
            WindowCall::Expose { window, origin, unit, base, bytes } => {
                let stretch = Stretch { address: base, bytes };
                self.core.windows.exposures.add((window, rank), origin, unit, stretch);
            }
            WindowCall::Withdraw { window, base } => {
                self.core.windows.exposures.remove((window, rank), base);
            }
            WindowCall::Access(access) => return self.perform_access(line, access),
            WindowCall::LocateAccess { window, target, displacement, layout, parts } => {
                let place = AccessPlace { window, target, displacement, layout, parts };
                self.answer_whether_outside(line, &place);
            }
            WindowCall::AwaitAccesses { window, target } => {
                return self.await_accesses(line, window, target);
            }
            WindowCall::Lock { window, target, exclusive } => {
                return self.perform_lock(line, window, target, exclusive);
            }
            WindowCall::Unlock { window, target } => self.perform_unlock(line, window, target),
        }
        Progress::Done
    }

    /// An access sets out.
    fn perform_access(&mut self, line: LineId, call: &AccessCall<'_>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let (target, parts) = match self.locate_parts(rank, &AccessPlace::of(call)) {
            Ok(found) => found,
            Err(outside) => {
                self.core.misuse(rank, outside);
                return Progress::Blocked;
            }
        };
        let owner = match call.request {
            Some(id) => {
                self.core.ranks.open_request(line, id, Operation::Window);
                self.core.ranks.owner(line, id)
            }
            None => Owner::None,
        };
        let way = Way { window: call.window, origin: rank, target };
        let ideal = self.core.ranks.line(line).ideal;
        self.start_access(way, call, parts, owner, ideal);
        Progress::Pay(self.core.protocol().isend_overhead.of(if call.kind.sends() { call.bytes } else { 0 }))
    }

    /// Waits until accesses are complete.
    fn await_accesses(&mut self, line: LineId, window: ContextId, target: Option<u32>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let target = target.and_then(|target| self.core.collectives.comms().resolve(window, rank, target));
        if !self.core.windows.is_open(window, rank, target) {
            return Progress::Done;
        }
        let owner = self.open_blocking(line);
        self.core.windows.wait_for(window, rank, target, owner);
        self.block_waiting(line)
    }

    /// Asks for a lock, and waits for it.
    fn perform_lock(
        &mut self,
        line: LineId,
        window: ContextId,
        target: Option<u32>,
        exclusive: bool,
    ) -> Progress {
        let origin = self.core.ranks.rank_of(line);
        let resolved = target.map(|target| self.core.collectives.comms().resolve(window, origin, target));
        let owner = self.open_blocking(line);
        match resolved {
            None if self.core.windows.claim_all(window, origin, owner) => {
                self.core.complete(owner, Completion::empty(0), Time::ZERO);
                self.core.gather_completions(line);
                return Progress::Done;
            }
            None => {}
            Some(None) => {
                self.core.misuse(origin, "it locks a rank that does not exist in this window".to_owned());
                return Progress::Blocked;
            }
            Some(Some(target)) => {
                let way = Way { window, origin, target };
                let lock = Activity::Lock { way, exclusive, granted: false, owner };
                let id = self.core.windows.add(lock);
                self.start_leg(id, Leg { from: origin, to: target, window, bytes: None });
            }
        }
        self.block_waiting(line)
    }

    /// Gives a lock up.
    fn perform_unlock(&mut self, line: LineId, window: ContextId, target: Option<u32>) {
        let origin = self.core.ranks.rank_of(line);
        let Some(target) = target else {
            let granted = self.core.windows.release_all(window, origin);
            return self.grant(granted);
        };
        if let Some(target) = self.core.collectives.comms().resolve(window, origin, target) {
            let id = self.core.windows.add(Activity::Release { way: Way { window, origin, target } });
            self.start_leg(id, Leg { from: origin, to: target, window, bytes: None });
        }
    }

    /// The line is about to wait for something of a window.
    fn open_blocking(&mut self, line: LineId) -> Owner {
        self.core.ranks.open_request(line, BLOCKING, Operation::Window);
        self.core.ranks.start_wait(line, Completing::All, &[BLOCKING], self.core.now());
        self.core.ranks.owner(line, BLOCKING)
    }

    fn block_waiting(&mut self, line: LineId) -> Progress {
        self.core.ranks.line_mut(line).phase = Phase::Waiting;
        self.core.foresee_end_of_wait(line);
        Progress::Blocked
    }

    /// Says in the reply what an access would reach beyond the window.
    fn answer_whether_outside(&mut self, line: LineId, place: &AccessPlace<'_>) {
        let rank = self.core.ranks.rank_of(line);
        if let Err(outside) = self.locate_parts(rank, place) {
            let reply = &mut self.core.ranks.line_mut(line).reply;
            reply.number = Some(outside.len() as u64);
            reply.members = pack_text(&outside);
        }
    }

    /// The target, and where the parts of an access lie in its memory; what is wrong if one is not in the window.
    fn locate_parts(
        &mut self,
        rank: RankId,
        call: &AccessPlace<'_>,
    ) -> Result<(RankId, Vec<Stretch>), String> {
        let Some(target) = self.core.collectives.comms().resolve(call.window, rank, call.target) else {
            return Err(format!("rank {} does not exist in this window", call.target));
        };
        if call.parts == 0 {
            // No bytes, or an access of a trace, which does not say where they are.
            return Ok((target, Vec::new()));
        }
        let mut read = Vec::new();
        let layout = match call.layout {
            Payload::Absent => &[][..],
            Payload::Inline(bytes) => bytes,
            Payload::At(address) => {
                read.resize(2 * WORD * call.parts as usize, 0);
                self.core.data.memory_mut().read(RankAddress { rank, address }, &mut read);
                &read
            }
        };
        let of_target = |outside: String| format!("it accesses the memory of rank {target}: {outside}");
        let Some(exposure) = self.core.windows.exposures.get(call.window, target) else {
            return Err(of_target("its window has no memory there (size 0)".to_owned()));
        };
        let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).unwrap_or_default();
        let parts = layout.chunks_exact(2 * WORD).map(|part| (word(&part[..WORD]), word(&part[WORD..])));
        let located: Result<_, _> =
            parts.map(|(offset, bytes)| exposure.locate(call.displacement, offset, bytes)).collect();
        Ok((target, located.map_err(of_target)?))
    }

    fn start_access(
        &mut self,
        way: Way,
        call: &AccessCall<'_>,
        parts: Vec<Stretch>,
        owner: Owner,
        ideal: Time,
    ) {
        let now = self.core.now();
        let id = self.core.windows.add_access(Access {
            kind: call.kind,
            way,
            operator: Op::from_code(call.op).zip(Basic::from_code(call.basic)),
            bytes: call.bytes,
            held: self.core.data.hold(call.payload),
            parts,
            result: call.result,
            fetched: Vec::new(),
            owner,
            state: AccessState::Going,
            issued: now,
            departed: now,
            ideal,
        });
        let bytes = call.kind.sends().then_some(match call.kind {
            AccessKind::CompareAndSwap => 2 * call.bytes,
            _ => call.bytes,
        });
        self.start_leg(id, Leg { from: way.origin, to: way.target, window: way.window, bytes });
    }

    /// A transfer of an activity has reached a milestone.
    pub(super) fn window_event(&mut self, id: ActivityId, milestone: Milestone) {
        match milestone {
            Milestone::Departed | Milestone::BufferFree => {}
            Milestone::Failed => self.window_failed(id),
            Milestone::Ended => self.leg_ended(id),
        }
    }

    fn window_failed(&mut self, id: ActivityId) {
        let way = match self.core.windows.activity(id) {
            Activity::Access(access) => access.way,
            Activity::Lock { way, .. } | Activity::Release { way } => *way,
            Activity::LockAll { .. } => return,
        };
        self.core.transfer_failed(way.origin, way.target);
    }

    fn leg_ended(&mut self, id: ActivityId) {
        match self.core.windows.activity(id) {
            Activity::Access(access) if access.state == AccessState::Returning => self.access_returned(id),
            Activity::Access(access) if access.state == AccessState::Served => {
                let way = access.way;
                self.apply_access(id);
                self.serve(way);
            }
            &mut Activity::Lock { granted: true, owner, .. } => {
                self.core.windows.remove(id);
                self.core.complete(owner, Completion::empty(0), Time::ZERO);
            }
            Activity::Access(access) => {
                let target = access.way.target;
                self.reach(target, id);
            }
            &mut (Activity::Lock { way, .. } | Activity::Release { way }) => self.reach(way.target, id),
            Activity::LockAll { .. } => unreachable!("it has no transfers"),
        }
    }

    /// A rank makes a call: it carries out what has come to it meanwhile, if that is its library's part.
    pub(super) fn make_progress(&mut self, line: LineId) {
        if self.core.protocol().one_sided == AccessProgress::InCalls {
            let rank = self.core.ranks.rank_of(line);
            for id in self.core.windows.take_held_up(rank) {
                self.carry_out(id);
            }
        }
    }

    /// Something has come to its target, which carries it out at once or in its next call.
    fn reach(&mut self, target: RankId, id: ActivityId) {
        let in_calls = self.core.protocol().one_sided == AccessProgress::InCalls;
        if in_calls && self.core.ranks.is_away(target) {
            self.core.windows.hold_up(target, id);
        } else {
            self.carry_out(id);
        }
    }

    fn carry_out(&mut self, id: ActivityId) {
        match self.core.windows.activity(id) {
            Activity::Access(access) => {
                access.state = AccessState::Arrived;
                let way = access.way;
                self.serve(way);
            }
            &mut Activity::Lock { way, exclusive, .. } => {
                let granted = self.core.windows.claim(way, Claim { id, origin: way.origin, exclusive });
                self.grant(granted);
            }
            &mut Activity::Release { way } => {
                self.core.windows.remove(id);
                let granted = self.core.windows.release(way);
                self.grant(granted);
            }
            Activity::LockAll { .. } => unreachable!("it has no target"),
        }
    }

    /// A target carries out the accesses of a way that are there, in order, until one takes it time.
    fn serve(&mut self, way: Way) {
        while let Some(id) = self.core.windows.serve_next(way) {
            let cost = self.service(id);
            if !cost.is_zero() {
                let left = self.core.windows.occupy(way.target, self.core.now(), cost);
                return self.core.wire.start_timer(left, Due::Window(id));
            }
            self.apply_access(id);
        }
    }

    /// How long an access occupies its target.
    fn service(&mut self, id: ActivityId) -> Duration {
        let Activity::Access(access) = self.core.windows.activity(id) else { return Duration::ZERO };
        let (kind, bytes) = (access.kind, access.bytes);
        let protocol = self.core.protocol();
        let handled = match protocol.one_sided {
            AccessProgress::Interface => Duration::ZERO,
            AccessProgress::InCalls => protocol.recv_overhead.of(if kind.sends() { bytes } else { 0 }),
        };
        match kind.combines() {
            true => handled + protocol.atomic_gap + per_byte(bytes, protocol.reduce_seconds_per_byte),
            false => handled,
        }
    }

    /// Sends the grants of these locks to their origins.
    fn grant(&mut self, granted: Vec<ActivityId>) {
        for id in granted {
            match self.core.windows.activity(id) {
                Activity::Lock { way, granted, .. } => {
                    *granted = true;
                    let Way { window, origin, target } = *way;
                    self.start_leg(id, Leg { from: target, to: origin, window, bytes: None });
                }
                &mut Activity::LockAll { owner, .. } => {
                    self.core.windows.remove(id);
                    self.core.complete(owner, Completion::empty(0), Time::ZERO);
                }
                other => unreachable!("{other:?} is no lock"),
            }
        }
    }

    /// An access is at its target, and earlier ones have been applied.
    fn apply_access(&mut self, id: ActivityId) {
        let Activity::Access(access) = self.core.windows.activity(id) else { return };
        let way = access.way;
        self.core.windows.end_service(way);
        let Activity::Access(access) = self.core.windows.activity(id) else { return };
        access.apply(&mut self.core.data);
        access.state = AccessState::Returning;
        let Way { window, origin, target } = access.way;
        let bytes = access.kind.fetches().then_some(access.bytes);
        if access.kind.sends() {
            let message = message(access, (origin, target), self.core.wire.now());
            self.core.observers.message(message);
        }
        let Activity::Access(access) = self.core.windows.activity(id) else { return };
        access.departed = self.core.wire.now();
        self.start_leg(id, Leg { from: target, to: origin, window, bytes });
    }

    /// The origin knows that its access is complete.
    fn access_returned(&mut self, id: ActivityId) {
        let Activity::Access(mut access) = self.core.windows.remove(id) else { return };
        if access.kind.fetches() {
            let Way { origin, target, .. } = access.way;
            self.core.observers.message(message(&access, (target, origin), self.core.now()));
            access.deliver(&mut self.core.data);
        }
        self.core.complete(access.owner, Completion::empty(0), access.ideal);
        for owner in self.core.windows.access_complete(access.way) {
            self.core.complete(owner, Completion::empty(0), access.ideal);
        }
    }

    fn start_leg(&mut self, id: ActivityId, Leg { from, to, window, bytes }: Leg) {
        let stream = Stream::point_to_point(window.get().wrapping_mul(31));
        self.core.wire.start_transfer((End::Rank(from), End::Rank(to)), stream, bytes, Due::Window(id));
    }
}

/// The record of bytes that an access has moved.
fn message(access: &Access, (from, to): (RankId, RankId), now: Time) -> MessageRecord {
    MessageRecord {
        from: from.get(),
        to: to.get(),
        bytes: access.bytes,
        tag: 0,
        scope: Scope::Comm(access.way.window),
        sent: access.issued,
        departed: access.departed,
        arrived: now,
        delivered: now,
        awaited: false,
        held: false,
        unexpected: false,
    }
}

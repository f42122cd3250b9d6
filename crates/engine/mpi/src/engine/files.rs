//! Calls that concern files, and what happens to accesses on their way.

use mpirage_call::{
    BLOCKING, Completing, Completion, ContextId, FileAccessCall, FileCall, FileHints, LineId, RankId,
    RequestId,
};
use mpirage_kernel::{DiskWork, Milestone};
use mpirage_platform::HostId;
use mpirage_record::{MessageRecord, Scope};
use mpirage_units::Time;

use super::core::Core;
use super::task::Progress;
use crate::due::Due;
use crate::files::access::{Io, Leg, LegState, Stage, Then, stages_of};
use crate::files::gathering::Part;
use crate::files::layout::{FileLayout, Stretch};
use crate::files::state::{FileActivity, GatheredMessage};
use crate::ids::{FileActivityId, GatheringId, IoId};
use crate::memory::Memory;
use crate::ranks::line::Phase;
use crate::ranks::request::Operation;
use crate::transport::message::Owner;
use crate::wire::{End, Stream};

/// A short-lived view of the parts that files concern.
pub(super) struct FileCalls<'a, M> {
    pub core: &'a mut Core<M>,
}

impl<M: Memory> FileCalls<'_, M> {
    /// Carries out a call that concerns a file.
    #[inline(never)]
    pub(super) fn perform(&mut self, line: LineId, call: FileCall<'_>) -> Progress {
        match call {
            FileCall::FileOpen { file, path, hints } => self.open(line, file, path, hints),
            FileCall::FileAccess(access) => self.access(line, access),
            FileCall::FileMetadata { file, operations } => self.metadata(line, file, operations),
            FileCall::FilePointer { file, by, set } => self.move_pointer(line, file, by, set),
            FileCall::FileDelete { path } => self.delete(line, path),
            FileCall::PosixIo { folder, read, reads, written, writes } => {
                let moves = [(false, read, reads), (true, written, writes)];
                self.posix_io(line, folder, moves)
            }
        }
    }

    /// A rank opens a file. From here on it does not run ahead: it reads and writes the file when its turn comes.
    fn open(&mut self, line: LineId, file: ContextId, path: &str, hints: FileHints) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let layout = self.core.files.open(file, rank, path, hints);
        self.core.ranks.keep_in_time(rank);
        self.wait_for_stage(line, layout, Stage::Metadata { operations: 1 })
    }

    /// A communicator is freed, perhaps that of a file.
    pub(super) fn close(&mut self, file: ContextId, rank: RankId) {
        if self.core.files.close(file, rank) {
            self.core.ranks.let_run_ahead(rank);
        }
    }

    fn metadata(&mut self, line: LineId, file: ContextId, operations: u32) -> Progress {
        match self.core.files.get(file).map(|file| file.layout) {
            Some(layout) => self.wait_for_stage(line, layout, Stage::Metadata { operations }),
            None => self.not_open(line),
        }
    }

    /// The shared file pointer moves now; the rank knows where it was when the file system has answered.
    fn move_pointer(&mut self, line: LineId, file: ContextId, by: u64, set: bool) -> Progress {
        let Some(opened) = self.core.files.get_mut(file) else { return self.not_open(line) };
        let (before, layout) = (opened.pointer, opened.layout);
        opened.pointer = if set { by } else { before.wrapping_add(by) };
        self.core.ranks.line_mut(line).reply.number = Some(before);
        self.wait_for_stage(line, layout, Stage::Metadata { operations: 1 })
    }

    fn delete(&mut self, line: LineId, path: &str) -> Progress {
        let layout = self.core.files.layout_of_path(path);
        self.wait_for_stage(line, layout, Stage::Metadata { operations: 1 })
    }

    /// A rank has read and written files without MPI; the moves say which way, how many bytes, in how many pieces.
    fn posix_io(&mut self, line: LineId, folder: &str, moves: [(bool, u64, u32); 2]) -> Progress {
        let layout = self.core.files.layout_of_path(folder);
        let stage = |(write, bytes, pieces)| {
            let stretch = Stretch { offset: 0, length: bytes };
            (bytes > 0).then_some(Stage::Move { write, stretch, bytes, pieces })
        };
        let [(_, read, _), (_, written, _)] = moves;
        if read > 0 && written > 0 {
            // The last stage counts by itself.
            self.count(false, read);
        }
        let owner = self.open_request(line, BLOCKING);
        let bytes = if written > 0 { written } else { read };
        let stages = moves.into_iter().filter_map(stage).collect();
        self.start_own(self.core.ranks.rank_of(line), owner, layout, stages, bytes);
        Progress::Blocked
    }

    /// A rank reads or writes.
    fn access(&mut self, line: LineId, call: &FileAccessCall) -> Progress {
        let Some(opened) = self.core.files.get(call.file) else { return self.not_open(line) };
        let (layout, hints) = (opened.layout, opened.hints);
        let id = call.request.unwrap_or(BLOCKING);
        let owner = self.open_request(line, id);
        if call.collective {
            self.enter(line, owner, call);
        } else {
            self.start_own(self.core.ranks.rank_of(line), owner, layout, stages_of(call, &hints), call.bytes);
        }
        if call.request.is_some() { Progress::Done } else { Progress::Blocked }
    }

    fn not_open(&mut self, line: LineId) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        self.core.misuse(rank, "it uses a file that is not open".to_owned());
        Progress::Blocked
    }

    /// An access of one stage, for which the line waits.
    fn wait_for_stage(&mut self, line: LineId, layout: FileLayout, stage: Stage) -> Progress {
        let owner = self.open_request(line, BLOCKING);
        self.start_own(self.core.ranks.rank_of(line), owner, layout, [stage].into(), 0);
        Progress::Blocked
    }

    /// The request of an access; the line waits for it from here on if it is that of a blocking call.
    fn open_request(&mut self, line: LineId, id: RequestId) -> Owner {
        self.core.ranks.open_request(line, id, Operation::File);
        if id == BLOCKING {
            self.core.ranks.start_wait(line, Completing::All, &[BLOCKING], self.core.now());
            self.core.ranks.line_mut(line).phase = Phase::Waiting;
        }
        self.core.ranks.owner(line, id)
    }

    /// An access of a rank for itself.
    fn start_own(
        &mut self,
        rank: RankId,
        owner: Owner,
        layout: FileLayout,
        stages: std::collections::VecDeque<Stage>,
        bytes: u64,
    ) {
        // A write with gaps reads first: the last stage says what it is.
        if let Some(&Stage::Move { write, .. }) = stages.back() {
            self.count(write, bytes);
        }
        let ideal = self.core.ranks.line(LineId::first_of(rank)).ideal;
        let began = self.core.now();
        let then = Then::Complete { owner, bytes, ideal };
        let io = self.core.files.ios.insert(Io { layout, client: rank, stages, legs: 0, began, then });
        self.next_stage(io);
    }

    fn count(&mut self, write: bool, bytes: u64) {
        let statistics = &mut self.core.files.statistics;
        let (accesses, moved) = match write {
            true => (&mut statistics.writes, &mut statistics.bytes_written),
            false => (&mut statistics.reads, &mut statistics.bytes_read),
        };
        *accesses += 1;
        *moved += bytes;
    }

    /// The next stage of an access begins; the access is over if there is none.
    fn next_stage(&mut self, id: IoId) {
        let io = &mut self.core.files.ios[id];
        let Some(stage) = io.stages.pop_front() else { return self.end_io(id) };
        let (layout, host) = (io.layout, self.core.wire.host(io.client));
        let legs = self.legs(id, stage, &layout, host);
        self.core.files.ios[id].legs = legs.len() as u32;
        for leg in legs {
            let activity = self.core.files.activities.insert(FileActivity::Leg(leg));
            self.begin_leg(activity, leg);
        }
    }

    /// The legs of a stage: one for each disk.
    fn legs(&self, id: IoId, stage: Stage, layout: &FileLayout, host: HostId) -> Vec<Leg> {
        let Stage::Move { write, stretch, bytes, pieces } = stage else {
            let Stage::Metadata { operations } = stage else { unreachable!("the only other stage") };
            return vec![self.leg(id, layout.metadata_disk(host), DiskWork::Metadata { operations }, host)];
        };
        let shares = layout.shares(self.core.files.storage(layout), stretch, host);
        let each = pieces.div_ceil(shares.len().max(1) as u32);
        let work = |share: u64| {
            let part = (u128::from(share) * u128::from(bytes)).div_ceil(u128::from(stretch.length.max(1)));
            let bytes = part as u64;
            if write {
                DiskWork::Write { bytes, pieces: each }
            } else {
                DiskWork::Read { bytes, pieces: each }
            }
        };
        shares.into_iter().map(|(disk, share)| self.leg(id, disk, work(share), host)).collect()
    }

    fn leg(&self, io: IoId, disk: mpirage_kernel::Disk, work: DiskWork, client: HostId) -> Leg {
        let layout = &self.core.files.ios[io].layout;
        let server = self.core.files.storage(layout).server(disk.unit).filter(|host| *host != client);
        Leg { io, disk, work, server, state: LegState::Requested }
    }

    fn begin_leg(&mut self, id: FileActivityId, leg: Leg) {
        if leg.asks() { self.send(id, &leg, true, None) } else { self.move_bytes(id) }
    }

    /// Disk and network work at the same time: data is streamed.
    fn move_bytes(&mut self, id: FileActivityId) {
        let FileActivity::Leg(leg) = &mut self.core.files.activities[id] else { return };
        let cargo = leg.cargo().filter(|_| leg.server.is_some());
        leg.state = LegState::Moving(1 + u8::from(cargo.is_some()));
        let leg = *leg;
        self.core.wire.start_disk(leg.disk, leg.work, Due::File(id));
        if let Some((to_server, bytes)) = cargo {
            self.send(id, &leg, to_server, Some(bytes));
        }
    }

    /// Bytes, or a message of the file system's own, between client and server.
    fn send(&mut self, id: FileActivityId, leg: &Leg, to_server: bool, bytes: Option<u64>) {
        let Some(server) = leg.server else { return };
        let client = End::Rank(self.core.files.ios[leg.io].client);
        let server = End::Server { unit: leg.disk.unit, host: server };
        let ends = if to_server { (client, server) } else { (server, client) };
        self.core.wire.start_transfer(ends, Stream::point_to_point(0), bytes, Due::File(id));
    }

    /// A leg or a message has reached a milestone.
    pub(super) fn file_event(&mut self, id: FileActivityId, milestone: Milestone) {
        match (milestone, self.core.files.activities[id]) {
            (Milestone::Departed | Milestone::BufferFree, _) => {}
            (Milestone::Failed, FileActivity::Leg(leg)) => {
                let client = self.core.files.ios[leg.io].client;
                self.failed(client);
            }
            (Milestone::Failed, FileActivity::Message(message)) => self.failed(message.from),
            (Milestone::Ended, FileActivity::Leg(leg)) => self.leg_ended(id, leg),
            (Milestone::Ended, FileActivity::Message(message)) => {
                self.core.files.activities.remove(id);
                self.message_ended(message);
            }
        }
    }

    fn failed(&mut self, rank: RankId) {
        match self.core.network_deadlock() {
            Some(ending) => self.core.end_job(rank, ending),
            None => self.core.misuse(rank, "the network cannot carry the bytes of its file".to_owned()),
        }
    }

    fn leg_ended(&mut self, id: FileActivityId, leg: Leg) {
        match leg.state {
            LegState::Requested => self.move_bytes(id),
            LegState::Moving(left) if left > 1 => self.set_state(id, LegState::Moving(left - 1)),
            LegState::Moving(_) if leg.is_acknowledged() => {
                self.set_state(id, LegState::Acknowledged);
                self.send(id, &leg, false, None);
            }
            LegState::Moving(_) | LegState::Acknowledged => {
                self.core.files.activities.remove(id);
                let io = &mut self.core.files.ios[leg.io];
                io.legs -= 1;
                if io.legs == 0 {
                    self.next_stage(leg.io);
                }
            }
        }
    }

    fn set_state(&mut self, id: FileActivityId, state: LegState) {
        if let FileActivity::Leg(leg) = &mut self.core.files.activities[id] {
            leg.state = state;
        }
    }

    fn end_io(&mut self, id: IoId) {
        let Io { then, began, .. } = self.core.files.ios.remove(id);
        match then {
            Then::Complete { owner, bytes, ideal } => self.complete(owner, bytes, began, ideal),
            Then::Gathered { gathering, aggregator } => self.round_accessed(gathering, aggregator),
        }
    }

    fn complete(&mut self, owner: Owner, bytes: u64, began: Time, ideal: Time) {
        let span = self.core.now().since(began);
        self.core.files.statistics.time += span;
        self.core.complete(owner, Completion { bytes, ..Completion::empty(0) }, ideal + span);
    }

    /// A rank enters a collective access.
    fn enter(&mut self, line: LineId, owner: Owner, call: &FileAccessCall) {
        let (rank, ideal) = (self.core.ranks.rank_of(line), self.core.ranks.line(line).ideal);
        let comms = self.core.collectives.comms();
        let (size, member) = (comms.size(call.file), comms.address(call.file, rank, 0).map(|(me, _)| me));
        let entered = self.core.files.enter(call.file, rank, call.write, size);
        let (Some(member), Some(id)) = (member, entered) else {
            self.not_open(line);
            return;
        };
        let gathering = &mut self.core.files.gatherings[id];
        if gathering.write != call.write {
            let text =
                "ranks of a file call different collective accesses: some read, others write".to_owned();
            return self.core.misuse(rank, text);
        }
        gathering.parts[member as usize] = Some(Part {
            rank,
            owner,
            stretch: Stretch { offset: call.offset, length: call.span },
            bytes: call.bytes,
            pieces: call.pieces,
            entered: self.core.wire.now(),
            ideal,
        });
        gathering.missing -= 1;
        if gathering.missing == 0 {
            self.all_entered(id);
        }
    }

    fn all_entered(&mut self, id: GatheringId) {
        let file = self.core.files.gatherings[id].file;
        self.core.files.forget_number(file, id);
        let Some(opened) = self.core.files.get(file) else { return };
        let (hints, layout) = (opened.hints, opened.layout);
        let gathering = &self.core.files.gatherings[id];
        if !gathering.is_two_phase(&hints) {
            return self.access_apart(id, layout, &hints);
        }
        let ranks = self.aggregators(id, &hints);
        let gathering = &mut self.core.files.gatherings[id];
        gathering.divide(&ranks);
        let (write, count) = (gathering.write, gathering.aggregators.len());
        let sizes: Vec<u64> = gathering.parts().map(|part| part.bytes).collect();
        sizes.into_iter().for_each(|bytes| self.count(write, bytes));
        if count == 0 {
            return self.gathering_over(id);
        }
        (0..count).for_each(|aggregator| self.next_round(id, aggregator));
    }

    /// Each rank accesses its own part.
    fn access_apart(&mut self, id: GatheringId, layout: FileLayout, hints: &FileHints) {
        let gathering = self.core.files.gatherings.remove(id);
        let (file, write) = (gathering.file, gathering.write);
        for part in gathering.parts() {
            let call = FileAccessCall {
                file,
                write,
                collective: false,
                offset: part.stretch.offset,
                span: part.stretch.length,
                bytes: part.bytes,
                pieces: part.pieces,
                request: None,
            };
            self.start_own(part.rank, part.owner, layout, stages_of(&call, hints), part.bytes);
        }
    }

    /// The first rank of each host, in order; as many as the hint says.
    fn aggregators(&self, id: GatheringId, hints: &FileHints) -> Vec<RankId> {
        let mut hosts: Vec<HostId> = Vec::new();
        let mut ranks = Vec::new();
        for part in self.core.files.gatherings[id].parts() {
            let host = self.core.host(part.rank);
            if !hosts.contains(&host) {
                hosts.push(host);
                ranks.push(part.rank);
            }
        }
        if hints.aggregators > 0 {
            ranks.truncate(hints.aggregators as usize);
        }
        ranks
    }

    /// The next round of an aggregator: ranks send to it, or it reads.
    fn next_round(&mut self, id: GatheringId, aggregator: usize) {
        let gathering = &mut self.core.files.gatherings[id];
        if !gathering.next_round(aggregator) {
            gathering.busy -= 1;
            if gathering.busy == 0 {
                self.gathering_over(id);
            }
        } else if gathering.write {
            self.exchange(id, aggregator);
        } else {
            self.access_round(id, aggregator);
        }
    }

    /// The bytes of a round travel between ranks and the aggregator.
    fn exchange(&mut self, id: GatheringId, aggregator: usize) {
        let gathering = &self.core.files.gatherings[id];
        let (write, file, to) = (gathering.write, gathering.file, gathering.aggregators[aggregator].rank);
        let mut shares = gathering.shares(aggregator);
        shares.retain(|(rank, _)| *rank != to);
        self.core.files.gatherings[id].aggregators[aggregator].messages = shares.len() as u32;
        if shares.is_empty() {
            return self.exchanged(id, aggregator);
        }
        for (rank, bytes) in shares {
            let (from, to) = if write { (rank, to) } else { (to, rank) };
            let sent = self.core.now();
            let message = GatheredMessage { gathering: id, aggregator, from, to, bytes, sent };
            let activity = self.core.files.activities.insert(FileActivity::Message(message));
            let (ends, stream) = ((End::Rank(from), End::Rank(to)), Stream::point_to_point(file.get()));
            self.core.wire.start_transfer(ends, stream, Some(bytes), Due::File(activity));
        }
    }

    fn message_ended(&mut self, message: GatheredMessage) {
        let GatheredMessage { gathering: id, aggregator, .. } = message;
        let file = self.core.files.gatherings[id].file;
        self.core.observers.message(record(&message, file, self.core.now()));
        let aggregators = &mut self.core.files.gatherings[id].aggregators;
        aggregators[aggregator].messages -= 1;
        if aggregators[aggregator].messages == 0 {
            self.exchanged(id, aggregator);
        }
    }

    /// The messages of a round are over.
    fn exchanged(&mut self, id: GatheringId, aggregator: usize) {
        match self.core.files.gatherings[id].write {
            true => self.access_round(id, aggregator),
            false => self.next_round(id, aggregator),
        }
    }

    /// An aggregator accesses the file.
    fn access_round(&mut self, id: GatheringId, aggregator: usize) {
        let gathering = &self.core.files.gatherings[id];
        let (stages, client) = (gathering.stages(aggregator), gathering.aggregators[aggregator].rank);
        let Some(layout) = self.core.files.get(gathering.file).map(|file| file.layout) else { return };
        let (then, began) = (Then::Gathered { gathering: id, aggregator }, self.core.now());
        let io = self.core.files.ios.insert(Io { layout, client, stages, legs: 0, began, then });
        self.next_stage(io);
    }

    fn round_accessed(&mut self, id: GatheringId, aggregator: usize) {
        match self.core.files.gatherings[id].write {
            true => self.next_round(id, aggregator),
            false => self.exchange(id, aggregator),
        }
    }

    fn gathering_over(&mut self, id: GatheringId) {
        let gathering = self.core.files.gatherings.remove(id);
        for part in gathering.parts() {
            self.complete(part.owner, part.bytes, part.entered, part.ideal);
        }
    }
}

/// The record of bytes that went to an aggregator, or came from one.
fn record(message: &GatheredMessage, file: ContextId, now: Time) -> MessageRecord {
    MessageRecord {
        from: message.from.get(),
        to: message.to.get(),
        bytes: message.bytes,
        tag: 0,
        scope: Scope::Comm(file),
        sent: message.sent,
        departed: message.sent,
        arrived: now,
        delivered: now,
        awaited: false,
        held: false,
        unexpected: false,
    }
}

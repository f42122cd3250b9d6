//! Partitioned messages: one buffer in partitions, each of which travels when the sender says that it is ready.
//!
//! The simulator knows messages only. Every partition of the sender is one, with a tag of its own below zero, where no wildcard
//! matches. The receiver may split its buffer differently, so it has to learn how the sender does:
//!
//! ```text
//!  MPI_Psend_init ── outline: partitions, bytes of each, first tag ──> MPI_Precv_init
//!  MPI_Pready(2)  ── message with tag first + 2 ─────────────────────> where it belongs in the receiver's buffer
//! ```
//!
//! Outlines match by the tag of the program, in the order of initialization, as the standard wants it. A receive is posted
//! partition by partition when it is started and its outline is there.

use mpirage_call::{Call, Completion, ContextId, OUTLINE_TAGS, RequestId, SendMode};

use crate::constants::{MPI_ERR_ARG, MPI_ERR_REQUEST, MPI_ERR_TAG};
use crate::ground::error::{Result, ensure, fail};
use crate::operations::message::Outgoing;
use crate::operations::region::Region;
use crate::operations::transfer::{Landing, Transfer, TransferBuffers};
use crate::types::MPI_Comm;

/// Stands for the outline among the transfers of a request.
pub(crate) const OUTLINE: usize = usize::MAX;

/// The tag of the outline for messages with a tag of the program's.
pub(crate) fn outline_tag(tag: i32) -> Result<i32> {
    if tag >= OUTLINE_TAGS {
        fail!(MPI_ERR_TAG, "tag is {tag}, but tags of partitioned messages are below {OUTLINE_TAGS}");
    }
    Ok(mpirage_call::outline_tag(tag))
}

/// Gives tags to the partitions of this rank's sends. They are used again after a billion.
#[derive(Debug)]
pub(crate) struct PartitionTags {
    given: u32,
}

impl PartitionTags {
    pub(crate) const NEW: PartitionTags = PartitionTags { given: 0 };

    /// The first of so many tags that follow each other, downwards.
    pub(crate) fn take(&mut self, partitions: u32) -> i32 {
        let most = OUTLINE_TAGS as u32 - 2;
        if self.given + partitions > most {
            self.given = 0;
        }
        let first = -1 - OUTLINE_TAGS - self.given as i32;
        self.given += partitions;
        first
    }
}

/// How a sender splits its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    partitions: u32,
    /// Packed bytes of each partition.
    bytes: u64,
    /// The tag of the first partition; those of the others follow downwards.
    first_tag: i32,
}

impl Outline {
    /// Bytes of an outline as a message.
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn new(partitions: u32, bytes: u64, first_tag: i32) -> Outline {
        Outline { partitions, bytes, first_tag }
    }

    pub(crate) fn to_bytes(self) -> [u8; Outline::BYTES] {
        let mut bytes = [0; Outline::BYTES];
        bytes[..4].copy_from_slice(&self.partitions.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.first_tag.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.bytes.to_ne_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8]) -> Outline {
        let word = |at: usize| bytes[at..at + 4].try_into().expect("four bytes");
        Outline {
            partitions: u32::from_ne_bytes(word(0)),
            first_tag: i32::from_ne_bytes(word(4)),
            bytes: u64::from_ne_bytes(bytes[8..16].try_into().expect("eight bytes")),
        }
    }

    fn tag_of(&self, partition: u32) -> i32 {
        self.first_tag - partition as i32
    }

    /// The sender's partitions with bytes of this stretch.
    fn partitions_of(&self, stretch: core::ops::Range<u64>) -> core::ops::Range<usize> {
        if self.bytes == 0 || stretch.is_empty() {
            return 0..0;
        }
        let behind = stretch.end.div_ceil(self.bytes).min(self.partitions.into());
        (stretch.start / self.bytes) as usize..behind as usize
    }
}

impl Outline {
    /// The sender's partitions at the same place as a partition of so many, where none has bytes.
    fn partitions_like(&self, partition: u32, partitions: u32) -> core::ops::Range<usize> {
        let share = |before: u32| u64::from(before) * u64::from(self.partitions);
        let all = u64::from(partitions.max(1));
        (share(partition) / all) as usize..share(partition + 1).div_ceil(all) as usize
    }
}

/// A partitioned send or receive.
#[derive(Debug)]
pub(crate) struct Partitioned {
    comm: MPI_Comm,
    side: Side,
    /// Partitions of this side.
    partitions: u32,
    active: bool,
    /// The messages of the last start; none yet of a receive that waits for its outline.
    transfers: Vec<Transfer>,
}

/// The end of the communication at this rank.
#[derive(Debug)]
enum Side {
    Send(Sending),
    Receive(Box<Receiving>),
}

#[derive(Debug)]
struct Sending {
    /// The message of each partition; none if the destination is `MPI_PROC_NULL`.
    messages: Vec<Outgoing>,
    /// For each partition: has it been made ready since the last start?
    ready: Vec<bool>,
}

/// A receive with its arguments checked.
#[derive(Debug)]
pub(crate) struct Receiving {
    /// None for `MPI_PROC_NULL`.
    pub source: Option<Source>,
    /// The whole buffer.
    pub region: Region,
    /// How the end looks to the program, but for the bytes.
    pub end: Completion,
    state: ReceiveState,
}

/// Where the messages come from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub context: ContextId,
    pub from: u32,
}

#[derive(Debug, Default)]
struct ReceiveState {
    /// The receive of the outline, until it is complete.
    awaited: Option<Transfer>,
    outline: Option<Outline>,
    /// Where packed bytes arrive if the buffer is not contiguous.
    packed: Vec<u8>,
    /// For each partition: has it been unpacked from there?
    unpacked: Vec<bool>,
}

/// A receive of one partition of the sender.
#[derive(Debug)]
pub(crate) struct PartitionReceive {
    context: ContextId,
    from: u32,
    tag: i32,
    room: u64,
    address: u64,
}

impl PartitionReceive {
    pub(crate) fn call<'a>(&self, request: RequestId) -> Call<'a> {
        let &PartitionReceive { context, from, tag, room, address } = self;
        let (from, tag, request) = (Some(from), Some(tag), Some(request));
        Call::Recv { context, from, tag, bytes: room, address, request, matched: None }
    }

    pub(crate) fn transfer(&self, id: RequestId) -> Transfer {
        let buffers = TransferBuffers { room: self.room, ..TransferBuffers::default() };
        Transfer { id: Some(id), buffers, done: None }
    }
}

impl Receiving {
    pub(crate) fn new(source: Option<Source>, region: Region, end: Completion) -> Receiving {
        Receiving { source, region, end, state: ReceiveState::default() }
    }

    /// The receive of the outline, to be posted as `id`; none if the source is `MPI_PROC_NULL`.
    pub(crate) fn await_outline(&mut self, id: RequestId, tag: i32) -> Option<PartitionReceive> {
        let source = self.source.as_ref()?;
        let mut landing = Landing::of_bytes(Outline::BYTES);
        let (room, address) = (Outline::BYTES as u64, landing.address());
        let buffers = TransferBuffers { incoming: Some(Box::new(landing)), room, ..Default::default() };
        self.state.awaited = Some(Transfer { id: Some(id), buffers, done: None });
        Some(PartitionReceive { context: source.context, from: source.from, tag, room, address })
    }

    /// The sender has said how it splits its data.
    fn note_outline(&mut self) {
        let landing = self.state.awaited.take().and_then(|outline| outline.buffers.incoming);
        self.state.outline = landing.map(|landing| Outline::of_bytes(landing.packed()));
    }

    /// The receives of the sender's partitions.
    fn receives(&mut self, partitions: u32) -> Vec<PartitionReceive> {
        let (Some(source), Some(outline)) = (&self.source, self.state.outline) else { return Vec::new() };
        let total = self.region.bytes() as u64;
        let shared = self.region.is_shared();
        let base = match self.region.is_plain() {
            true => self.region.address() as u64,
            false => {
                self.state.packed = vec![0; total as usize];
                self.state.unpacked = vec![false; partitions as usize];
                self.state.packed.as_mut_ptr().addr() as u64
            }
        };
        let receive = |partition: u32| {
            let offset = (u64::from(partition) * outline.bytes).min(total);
            let room = outline.bytes.min(total - offset);
            let address = if room == 0 || shared { 0 } else { base + offset };
            let tag = outline.tag_of(partition);
            PartitionReceive { context: source.context, from: source.from, tag, room, address }
        };
        (0..outline.partitions).map(receive).collect()
    }

    /// The packed bytes of one partition of this side.
    fn stretch(&self, partition: u32, partitions: u32) -> core::ops::Range<u64> {
        let bytes = self.region.bytes() as u64 / u64::from(partitions.max(1));
        u64::from(partition) * bytes..u64::from(partition + 1) * bytes
    }

    /// Puts a partition that has arrived where it belongs.
    fn unpack(&mut self, partition: u32, partitions: u32) -> Result<()> {
        let Some(unpacked) = self.state.unpacked.get_mut(partition as usize) else { return Ok(()) };
        if !std::mem::replace(unpacked, true) {
            let stretch = self.stretch(partition, partitions);
            let region = self.region.part(partition as usize, partitions as usize)?;
            // SAFETY: the program gave this memory to MPI until the partition has arrived, which it has.
            unsafe { region.unpack(&self.state.packed[stretch.start as usize..stretch.end as usize]) };
        }
        Ok(())
    }
}

impl Partitioned {
    /// A send, inactive. No messages if the destination is `MPI_PROC_NULL`.
    pub(crate) fn send(comm: MPI_Comm, partitions: u32, messages: Vec<Outgoing>) -> Partitioned {
        let side = Side::Send(Sending { messages, ready: Vec::new() });
        Partitioned { comm, side, partitions, active: false, transfers: Vec::new() }
    }

    /// A receive, inactive.
    pub(crate) fn receive(comm: MPI_Comm, partitions: u32, receiving: Receiving) -> Partitioned {
        let side = Side::Receive(Box::new(receiving));
        Partitioned { comm, side, partitions, active: false, transfers: Vec::new() }
    }

    pub(crate) fn comm(&self) -> MPI_Comm {
        self.comm
    }

    pub(crate) fn is_active(&self) -> bool {
        self.active
    }

    /// `MPI_Start`.
    pub(crate) fn start(&mut self) -> Result<()> {
        ensure(!self.active, MPI_ERR_REQUEST, || "the request has been started already".to_owned())?;
        self.active = true;
        self.transfers = match &mut self.side {
            Side::Send(sending) => {
                sending.ready = vec![false; self.partitions as usize];
                sending.messages.iter().map(|_| Transfer::not_begun()).collect()
            }
            Side::Receive(_) => Vec::new(),
        };
        Ok(())
    }

    /// Marks a partition as ready: its message, to be sent now; none if it goes nowhere.
    pub(crate) fn make_ready(&mut self, partition: i32) -> Result<Option<Outgoing>> {
        let active = self.active;
        let which = self.partition(partition)?;
        let Side::Send(sending) = &mut self.side else {
            fail!(
                MPI_ERR_REQUEST,
                "the request is a partitioned receive, of which no partition is made ready"
            );
        };
        ensure(active, MPI_ERR_REQUEST, || "the request has not been started".to_owned())?;
        if std::mem::replace(&mut sending.ready[which], true) {
            fail!(MPI_ERR_ARG, "partition {partition} is ready already");
        }
        Ok(sending.messages.get(which).cloned())
    }

    /// The message of a partition is under way.
    pub(crate) fn note_sent(&mut self, partition: i32, id: RequestId, buffers: TransferBuffers) {
        self.transfers[partition as usize] = Transfer { id: Some(id), buffers, done: None };
    }

    /// Are there receives to be posted now?
    pub(crate) fn can_post(&self) -> bool {
        let known = matches!(&self.side, Side::Receive(receiving) if receiving.state.outline.is_some());
        self.active && known && self.transfers.is_empty()
    }

    /// Is it a receive that was started and whose partitions are not posted yet?
    pub(crate) fn is_unposted(&self) -> bool {
        matches!(self.side, Side::Receive(_)) && self.active && self.transfers.is_empty()
    }

    /// The receives to be posted now, if it has been started and its outline is there.
    pub(crate) fn take_receives(&mut self) -> Vec<PartitionReceive> {
        match &mut self.side {
            Side::Receive(receiving) if self.active && self.transfers.is_empty() => {
                receiving.receives(self.partitions)
            }
            _ => Vec::new(),
        }
    }

    /// The receives have been posted.
    pub(crate) fn note_receives(&mut self, transfers: Vec<Transfer>) {
        self.transfers = transfers;
    }

    /// The request of the outline that it waits for.
    pub(crate) fn awaited_outline(&self) -> Option<RequestId> {
        match &self.side {
            Side::Receive(receiving) if self.active => receiving.state.awaited.as_ref()?.id,
            _ => None,
        }
    }

    pub(crate) fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// One of its transfers has ended.
    pub(crate) fn note_end(&mut self, which: usize, completion: &Completion) {
        match &mut self.side {
            Side::Receive(receiving) if which == OUTLINE => receiving.note_outline(),
            _ => self.transfers[which].done = Some(*completion),
        }
    }

    /// How many partitions does it wait for the program to make ready?
    pub(crate) fn unready(&self) -> usize {
        match &self.side {
            Side::Send(sending) if self.active && !sending.messages.is_empty() => {
                sending.ready.iter().filter(|&&ready| !ready).count()
            }
            _ => 0,
        }
    }

    /// Has everything arrived, or been sent?
    pub(crate) fn is_complete(&self) -> bool {
        let is_there = match &self.side {
            Side::Send(_) => true,
            Side::Receive(receiving) => {
                !self.active || receiving.source.is_none() || !self.transfers.is_empty()
            }
        };
        is_there && self.transfers.iter().all(|transfer| transfer.done.is_some())
    }

    pub(crate) fn completion(&self) -> Completion {
        match &self.side {
            Side::Receive(receiving) if self.active => {
                let done = self.transfers.iter().filter_map(|transfer| transfer.done);
                Completion { bytes: done.map(|done| done.bytes).sum(), ..receiving.end }
            }
            _ => Completion::empty(0),
        }
    }

    /// The transfers of a partition of this receive that have not ended.
    pub(crate) fn open_of(&self, partition: i32) -> Result<Vec<(usize, RequestId)>> {
        let which = self.partition(partition)?;
        let Side::Receive(receiving) = &self.side else {
            fail!(MPI_ERR_REQUEST, "the request is a partitioned send, of which nothing arrives");
        };
        let Some(outline) = receiving.state.outline else { return Ok(Vec::new()) };
        let stretch = receiving.stretch(which as u32, self.partitions);
        let open = |which: usize| {
            let transfer = self.transfers.get(which)?;
            transfer.id.filter(|_| transfer.done.is_none()).map(|id| (which, id))
        };
        let of_sender = match stretch.is_empty() {
            true => outline.partitions_like(which as u32, self.partitions),
            false => outline.partitions_of(stretch),
        };
        Ok(of_sender.filter_map(open).collect())
    }

    /// Has a partition of this receive arrived? Then it is where it belongs.
    pub(crate) fn arrived(&mut self, partition: i32) -> Result<bool> {
        if !self.open_of(partition)?.is_empty() {
            return Ok(false);
        }
        let waits = self.transfers.is_empty() && !self.is_complete();
        match &mut self.side {
            Side::Receive(receiving) if self.active && !waits => {
                receiving.unpack(partition as u32, self.partitions)?;
                Ok(true)
            }
            _ => Ok(!self.active),
        }
    }

    /// Puts everything where it belongs, and becomes inactive.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.active = false;
        let mut result = Ok(());
        if let Side::Receive(receiving) = &mut self.side {
            for partition in 0..receiving.state.unpacked.len() {
                result = result.and(receiving.unpack(partition as u32, self.partitions));
            }
            (receiving.state.packed, receiving.state.unpacked) = (Vec::new(), Vec::new());
        }
        for transfer in std::mem::take(&mut self.transfers) {
            let done = transfer.done.expect("the request is complete");
            result = result.and(transfer.buffers.finish(&done));
        }
        result
    }

    /// Transfers that have not ended although the request is gone; what they use must stay in memory.
    pub(crate) fn into_unfinished(self) -> Vec<Transfer> {
        let mut transfers = self.transfers;
        if let Side::Receive(receiving) = self.side {
            let ReceiveState { awaited, packed, .. } = receiving.state;
            if let Some(first) = transfers.first_mut().filter(|_| !packed.is_empty()) {
                first.buffers.incoming = Some(Box::new(Landing::of_packed(packed)));
            }
            transfers.extend(awaited);
        }
        transfers
    }

    fn partition(&self, partition: i32) -> Result<usize> {
        match u32::try_from(partition) {
            Ok(which) if which < self.partitions => Ok(which as usize),
            _ => fail!(MPI_ERR_ARG, "partition is {partition}, but there are {} partitions", self.partitions),
        }
    }
}

/// Where a partitioned send goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination {
    pub context: ContextId,
    pub to: u32,
}

impl Destination {
    /// The message that tells the receiver how the data are split.
    pub(crate) fn outline<'a>(self, tag: i32, bytes: &'a [u8; Outline::BYTES]) -> Call<'a> {
        let Destination { context, to } = self;
        let payload = mpirage_call::Payload::Inline(bytes);
        let (mode, bytes, request) = (SendMode::Buffered, Outline::BYTES as u64, None);
        Call::Send { mode, context, to, tag, bytes, payload, request, answer: false }
    }

    /// The messages of the partitions of a buffer.
    pub(crate) fn messages(self, region: &Region, partitions: u32, first_tag: i32) -> Result<Vec<Outgoing>> {
        let Destination { context, to } = self;
        let outline = Outline::new(partitions, 0, first_tag);
        let message = |partition: u32| {
            let region = region.part(partition as usize, partitions as usize)?;
            let tag = outline.tag_of(partition);
            Ok(Outgoing { mode: SendMode::Standard, context, to, tag, region, copy: None })
        };
        (0..partitions).map(message).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_the_same_at_the_other_end() {
        let outline = Outline::new(7, 1 << 40, -12345);
        assert_eq!(Outline::of_bytes(&outline.to_bytes()), outline);
    }

    #[test]
    fn partitions_of_both_sides_overlap() {
        let outline = Outline::new(4, 30, -5);
        assert_eq!(outline.partitions_of(0..40), 0..2);
        assert_eq!(outline.partitions_of(40..80), 1..3);
        assert_eq!(outline.partitions_of(80..120), 2..4);
        assert_eq!(outline.partitions_of(120..160), 4..4);
        let empty = Outline::new(4, 0, -5);
        assert_eq!(empty.partitions_of(0..0), 0..0);
        assert_eq!([0, 1, 2].map(|at| empty.partitions_like(at, 3)), [0..2, 1..3, 2..4]);
    }

    #[test]
    fn tags_of_outlines_and_partitions_differ() {
        let mut tags = PartitionTags::NEW;
        let (first, second) = (tags.take(3), tags.take(2));
        assert_eq!(first - second, 3);
        let lowest_outline = outline_tag(OUTLINE_TAGS - 1).unwrap();
        assert!(first < lowest_outline && lowest_outline < 0);
        assert!(outline_tag(OUTLINE_TAGS).is_err());
        tags.given = OUTLINE_TAGS as u32 - 3;
        assert_eq!(tags.take(2), first);
    }
}

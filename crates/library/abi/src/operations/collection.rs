//! Collectives: checked arguments, from which calls are made.
//!
//! Each rank gives one part and gets one, as packed bytes that are cut into blocks for its peers: the ranks of the
//! communicator, those on the other side of an inter-communicator, or the rank's neighbours in a topology:
//!
//! | | gives | gets |
//! |---|---|---|
//! | barrier | – | – |
//! | bcast | root: whole | others: whole |
//! | gather(v) | whole | root: equal (each) |
//! | scatter(v) | root: equal (each) | whole |
//! | allgather(v) | whole | equal (each) |
//! | alltoall(v, w) | equal (each) | equal (each) |
//! | reduce, allreduce, scan, exscan | whole | whole; reduce: root only |
//! | reduce_scatter(_block) | whole | its share of each (whole) |
//!
//! With `MPI_IN_PLACE` a rank gives what lies in its receive buffer. It gives a copy where results could be written before all
//! was read (alltoall). Receive buffers that the standard leaves unchanged (scatter in place at the root, exscan at rank 0) have
//! a size but no address.

use std::sync::Arc;

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completion, ContextId, Input, OnMismatch, Part, Payload, Peers,
    Reduction, RequestId,
};
use mpirage_data::TypeSignature;
use smallvec::{SmallVec, smallvec};

use crate::checked::watch::{self, NoteBuffers, Watch};
use crate::connection::Connection;
use crate::ground::error::Result;
use crate::operations::region::Region;
use crate::operations::transfer::{Landing, TransferBuffers};

/// A collective operation as this rank takes part in it.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub kind: Collective,
    pub context: ContextId,
    pub root: u32,
    pub partners: Partners,
    pub gives: Side,
    pub gets: Side,
    pub reduction: Option<Reduction>,
    /// The number of the persistent collective in the communicator; zero if it is not persistent.
    pub plan: u32,
    pub on_mismatch: OnMismatch,
}

/// The ranks with which a rank exchanges data.
#[derive(Clone, Debug, Default)]
pub(crate) enum Partners {
    /// All ranks of the communicator.
    #[default]
    All,
    /// The other side of an inter-communicator whose first side has `first` ranks.
    OtherSide { first: u32 },
    /// The ranks from which it receives, and those to which it sends.
    Neighbors { sources: Vec<u32>, destinations: Vec<u32> },
}

impl Partners {
    fn peers(&self) -> Peers<'_> {
        match self {
            Partners::All => Peers::All,
            Partners::OtherSide { first } => Peers::OtherSide { first: *first },
            Partners::Neighbors { sources, destinations } => Peers::Neighbors { sources, destinations },
        }
    }
}

/// The data that a rank gives or gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub regions: Regions,
    pub cut: Cut,
    /// Are the bytes to be copied first, because the result will be written over them?
    pub aliased: bool,
    /// Does it have a size only?
    pub absent: bool,
    /// Did the program say `MPI_IN_PLACE` instead of where it is?
    pub in_place: bool,
}

/// Most sides have one region, which needs no memory of its own.
type Regions = SmallVec<[Region; 1]>;

/// How the bytes of all regions are cut into blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Not at all.
    #[default]
    Whole,
    /// Into blocks of so many bytes, one per peer.
    Equal(u64),
    /// One region per peer.
    Each,
    /// Not at all: it is one rank's share of a vector in which every rank has one, with so many bytes.
    Share(Vec<usize>),
}

/// The bytes of a side as they travel.
struct Laid<'a> {
    payload: Payload<'a>,
    /// Offset and length of each rank's block, if these differ.
    list: Vec<u64>,
}

impl Side {
    /// Nothing at all.
    pub(crate) fn nothing() -> Side {
        Side::default()
    }

    /// One region for all.
    pub(crate) fn whole(region: Region) -> Side {
        Side { regions: smallvec![region], ..Side::default() }
    }

    /// One region with a block of `bytes` for each peer.
    pub(crate) fn equal(region: Region, bytes: usize) -> Side {
        Side { regions: smallvec![region], cut: Cut::Equal(bytes as u64), ..Side::default() }
    }

    /// A region for each peer.
    pub(crate) fn each(regions: Vec<Region>) -> Side {
        Side { regions: regions.into(), cut: Cut::Each, ..Side::default() }
    }

    /// One rank's share of a vector of which the ranks have so many bytes each.
    pub(crate) fn share(region: Region, bytes: Vec<usize>) -> Side {
        Side { regions: smallvec![region], cut: Cut::Share(bytes), ..Side::default() }
    }

    /// The same bytes, for which the program said `MPI_IN_PLACE`.
    pub(crate) fn in_place(self) -> Side {
        Side { in_place: true, ..self }
    }

    /// The same bytes, copied before anything is written.
    pub(crate) fn copied(self) -> Side {
        Side { aliased: true, ..self }
    }

    /// The same size, but nothing is stored.
    pub(crate) fn unstored(self) -> Side {
        Side { absent: true, ..self }
    }

    /// The block of `rank`, of `ranks` that there are.
    pub(crate) fn block_of(&self, rank: usize, ranks: usize) -> Result<Region> {
        match self.cut {
            Cut::Each => Ok(self.regions[rank].clone()),
            Cut::Equal(_) => self.regions[0].part(rank, ranks),
            Cut::Whole | Cut::Share(_) => Ok(self.regions[0].clone()),
        }
    }

    /// Where the first of its data lies, if there are any.
    pub(crate) fn start(&self) -> Option<usize> {
        let first = self.regions.iter().find(|region| region.bytes() > 0 && !self.absent)?;
        Some(first.address().wrapping_add_signed(first.datatype().true_lb() as isize))
    }

    /// The type signatures of its blocks: one if all are the same.
    fn signatures(&self) -> Vec<TypeSignature> {
        let whole = |region: &Region| region.signature_of(region.bytes());
        match (&self.cut, self.regions.first()) {
            (Cut::Equal(bytes), Some(region)) => vec![region.signature_of(*bytes as usize)],
            (Cut::Each, _) => self.regions.iter().map(whole).collect(),
            (_, first) => first.map(whole).into_iter().collect(),
        }
    }

    /// Its data in words, of one block if there are several.
    fn in_words(&self) -> String {
        match (&self.cut, self.regions.first()) {
            (Cut::Equal(bytes), Some(region)) => {
                let parts = region.bytes() / (*bytes as usize).max(1);
                region.part(0, parts).map_or_else(|_| String::new(), |part| part.in_words())
            }
            (_, Some(region)) => region.in_words(),
            (_, None) => String::new(),
        }
    }

    fn bytes(&self) -> usize {
        self.regions.iter().map(Region::bytes).sum()
    }

    /// Does all of it lie in shared memory, so that only its size counts?
    fn is_shared(&self) -> bool {
        self.regions.iter().all(|region| region.bytes() == 0 || region.is_shared())
    }

    /// The blocks, if the bytes of each region are where `list` says.
    fn blocks<'a>(&self, list: &'a [u64]) -> Blocks<'a> {
        match self.cut {
            Cut::Whole => Blocks::Whole(self.bytes() as u64),
            Cut::Equal(bytes) => Blocks::Equal(bytes),
            Cut::Each | Cut::Share(_) => Blocks::Each(list),
        }
    }

    /// Where the bytes are, if all regions lie in memory as they are. The list of offsets is relative to it.
    fn as_it_lies(&self) -> Option<(usize, Vec<u64>)> {
        let filled = || self.regions.iter().filter(|region| region.bytes() > 0);
        let plain = filled().all(Region::is_plain) && (self.cut == Cut::Each || self.regions.len() <= 1);
        let base = filled().map(Region::address).min()?;
        let list = || self.list(|region| if region.bytes() > 0 { region.address() - base } else { 0 });
        plain.then(|| (base, list()))
    }

    /// Offset and length of every rank's block, where `offset` tells the offset of a region.
    fn list(&self, offset: impl Fn(&Region) -> usize) -> Vec<u64> {
        match &self.cut {
            Cut::Whole | Cut::Equal(_) => Vec::new(),
            Cut::Each => self
                .regions
                .iter()
                .flat_map(|region| [offset(region), region.bytes()])
                .map(|n| n as u64)
                .collect(),
            Cut::Share(bytes) => one_after_the_other(bytes.iter().copied()),
        }
    }

    /// The same when the regions are packed one after the other.
    fn list_packed(&self) -> Vec<u64> {
        match &self.cut {
            Cut::Each => one_after_the_other(self.regions.iter().map(Region::bytes)),
            _ => self.list(|_| 0),
        }
    }

    fn pack(&self) -> Vec<u8> {
        let mut packed = Vec::with_capacity(self.bytes());
        for region in &self.regions {
            // SAFETY: the program gave this memory to MPI to read until the collective completes.
            unsafe { region.pack(&mut packed) };
        }
        packed
    }

    /// Chooses how the given data travel. `packed` keeps them if they had to be packed.
    fn lay_out<'a>(&self, inline_bytes: usize, packed: &'a mut Option<Vec<u8>>) -> Laid<'a> {
        let bytes = self.bytes();
        if bytes == 0 || self.absent || self.is_shared() {
            return Laid { payload: Payload::Absent, list: self.list_packed() };
        }
        let inline = bytes <= inline_bytes;
        if let (true, [region]) = (inline, &self.regions[..]) {
            // SAFETY: the program gave this memory to MPI to read until the collective completes; the call copies it at once.
            if let Some(plain) = unsafe { region.plain() } {
                return Laid { payload: Payload::Inline(plain), list: self.list_packed() };
            }
        }
        if let (false, false, Some((base, list))) = (inline, self.aliased, self.as_it_lies()) {
            return Laid { payload: Payload::At(base as u64), list };
        }
        let packed: &'a [u8] = packed.insert(self.pack());
        let payload =
            if inline { Payload::Inline(packed) } else { Payload::At(packed.as_ptr().addr() as u64) };
        Laid { payload, list: self.list_packed() }
    }

    /// Chooses where the received data arrive: where the program wants them if that is possible and `direct`. `landing` keeps
    /// memory of this library, if they arrive there first.
    fn make_room(&self, direct: bool, landing: &mut Option<Landing>) -> Laid<'static> {
        if self.bytes() == 0 || self.absent || self.is_shared() {
            return Laid { payload: Payload::Absent, list: self.list_packed() };
        }
        if let (true, Some((base, list))) = (direct, self.as_it_lies()) {
            return Laid { payload: Payload::At(base as u64), list };
        }
        let address = landing.insert(Landing::of_collective(self.regions.to_vec())).address();
        Laid { payload: Payload::At(address), list: self.list_packed() }
    }
}

/// Offset and length of blocks of these lengths.
fn one_after_the_other(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut end = 0;
    let block = |length: usize| {
        end += length as u64;
        [end - length as u64, length as u64]
    };
    lengths.flat_map(block).collect()
}

impl Collection {
    /// Takes part, to complete with `request`. Returns what must stay in memory until then.
    pub(crate) fn post(&self, connection: &Connection, request: RequestId) -> TransferBuffers {
        let watch = connection.is_checked().then(|| {
            let (reads, writes) = self.watched();
            Watch::begin(self.declare(connection), reads, writes, false)
        });
        let direct = watch.as_ref().is_none_or(|_| self.is_in_place());
        let buffers =
            self.call(connection.inline_bytes(), direct, Some(request), |call| connection.post(call));
        TransferBuffers { watch, ..buffers }
    }

    /// Declares the types of its data.
    fn declare(&self, connection: &Connection) -> u64 {
        let text = format!("{}\n{}", self.gives.in_words(), self.gets.in_words());
        watch::declare(connection, &self.gives.signatures(), &self.gets.signatures(), &text)
    }

    fn is_in_place(&self) -> bool {
        self.gives.in_place || self.gets.in_place
    }

    /// The buffers that the program must leave alone while it is under way. In place, what is read is written too.
    fn watched(&self) -> (Vec<Region>, Vec<Region>) {
        if self.is_in_place() { (Vec::new(), Vec::new()) } else { self.buffers() }
    }

    /// The program's memory that it reads, and that it writes.
    pub(crate) fn buffers(&self) -> (Vec<Region>, Vec<Region>) {
        let regions = |side: &Side| if side.absent { Vec::new() } else { side.regions.to_vec() };
        (regions(&self.gives), regions(&self.gets))
    }

    /// Takes part and waits for the end.
    pub(crate) fn run(&self, connection: &Connection, note: NoteBuffers) -> (TransferBuffers, Completion) {
        let mut completion = Completion::empty(0);
        if connection.is_checked() {
            let (reads, writes) = self.buffers();
            note(&reads, &writes);
            self.declare(connection);
        }
        let buffers = self.call(connection.inline_bytes(), true, None, |call| {
            connection.ask_then(call, |reply| {
                completion = reply.completions.first().copied().unwrap_or(completion);
            });
        });
        (buffers, completion)
    }

    fn call(
        &self,
        inline_bytes: usize,
        direct: bool,
        request: Option<RequestId>,
        make: impl FnOnce(&Call<'_>),
    ) -> TransferBuffers {
        let (mut outgoing, mut incoming) = (None, None);
        let given = self.gives.lay_out(inline_bytes, &mut outgoing);
        let got = self.gets.make_room(direct, &mut incoming);
        let &Collection {
            kind,
            context,
            root,
            ref partners,
            ref gives,
            ref gets,
            reduction,
            plan,
            on_mismatch,
        } = self;
        let peers = partners.peers();
        let send = Part { payload: given.payload, blocks: gives.blocks(&given.list) };
        let recv = Part { payload: got.payload, blocks: gets.blocks(&got.list) };
        make(&Call::Collective(CollectiveCall {
            kind,
            context,
            root,
            peers,
            send,
            recv,
            reduction,
            request,
            plan,
            input: if gives.in_place || gets.in_place { Input::InPlace } else { Input::Apart },
            on_mismatch,
        }));
        let (outgoing, incoming) = (outgoing.map(Arc::new), incoming.map(Box::new));
        TransferBuffers { outgoing, incoming, ..TransferBuffers::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_data::{Basic, Datatype};

    fn ints(address: usize, count: usize) -> Region {
        Region::new(address, count, &Basic::Int.into()).unwrap()
    }

    #[test]
    fn plain_blocks_stay_where_they_are() {
        let side = Side::each(vec![ints(0x2000, 2), ints(0, 0), ints(0x1000, 1)]);
        assert_eq!(side.as_it_lies(), Some((0x1000, vec![0x1000, 8, 0, 0, 0, 4])));
        assert_eq!(side.list_packed(), [0, 8, 8, 0, 8, 4]);
    }

    #[test]
    fn one_odd_block_means_that_all_are_packed() {
        let odd = Datatype::basic(Basic::Int).vector(2, 1, 2).unwrap();
        let side = Side::each(vec![ints(0x2000, 2), Region::new(0x1000, 1, &odd).unwrap()]);
        assert_eq!(side.as_it_lies(), None);
    }

    #[test]
    fn a_share_tells_of_all_shares() {
        let side = Side::share(ints(0x1000, 2), vec![4, 8, 0]);
        let mut landing = None;
        let laid = side.make_room(true, &mut landing);
        assert_eq!(laid.payload, Payload::At(0x1000));
        assert_eq!(side.blocks(&laid.list), Blocks::Each(&[0, 4, 4, 8, 12, 0]));
    }

    #[test]
    fn small_parts_travel_inline() {
        let data = [1_i32, 2, 3];
        let side = Side::equal(ints(data.as_ptr().addr(), 3), 4);
        let mut packed = None;
        let laid = side.lay_out(4096, &mut packed);
        assert_eq!(laid.payload, Payload::Inline(&data.map(i32::to_ne_bytes).concat()));
        assert_eq!(side.blocks(&laid.list), Blocks::Equal(4));
    }

    #[test]
    fn what_is_not_stored_has_a_size() {
        let side = Side::whole(ints(0, 3)).unstored();
        let mut landing = None;
        assert_eq!(side.make_room(true, &mut landing).payload, Payload::Absent);
        assert_eq!(side.blocks(&[]), Blocks::Whole(12));
    }
}

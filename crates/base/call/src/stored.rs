//! Calls as bytes of a trace.
//!
//! A trace has an *entry* for each call. Its first byte has the code of the call in five bits; `mpirage-trace` writes it, and
//! what follows it: where the call was made and how much time passed before it. Then come the fields, in the order of the
//! table of calls. If any of them has flags, the first byte of the fields has the flags of all. Numbers are
//! [varints](crate::varint); numbers that may be negative are zigzag-encoded first. Some calls end with a part of their reply
//! ([`Outcome`]), which a replay needs.
//!
//! Addresses and bytes of messages are not stored: a replay simulates sizes only.

mod fields;

use crate::calls::row;
use crate::table::Row;
use crate::{Call, ContextId, Reply, RequestId, varint};

/// Bits of the first byte of an entry that hold the code of the call.
pub const CODE_BITS: u32 = 5;

/// The code of sends.
pub const SEND: u8 = row::Send::STORED[0];
/// The code of receives.
pub const RECEIVE: u8 = row::Recv::STORED[0];

/// The code of entries that are no calls: a thread of a rank wakes another, or waits until another wakes it. The last of the codes.
pub const SYNC: u8 = (1 << CODE_BITS) - 1;

/// The treatment of a call by traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceRole {
    /// They store it. A replay carries it out.
    Operation,
    /// They store it as time that passes.
    Time,
    /// They leave it out: a replay does not miss it.
    LeftOut,
    /// They leave it out, and the workload that made it can be run but not stored.
    NeedsRun,
}

impl TraceRole {
    pub(crate) fn is_stored(self) -> bool {
        match self {
            TraceRole::Operation | TraceRole::Time => true,
            TraceRole::LeftOut | TraceRole::NeedsRun => false,
        }
    }
}

/// The part of the reply that the entry of a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// None.
    None,
    /// The communicator that the call made; none if the rank is not a member.
    Context(Option<ContextId>),
    /// The message that a matched probe took.
    Message(u32),
}

/// The part of the reply that a trace stores with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutcomeKind {
    None,
    Context,
    Message,
}

impl OutcomeKind {
    pub(crate) fn store(self, reply: &Reply, into: &mut Vec<u8>) {
        match self {
            OutcomeKind::None => {}
            OutcomeKind::Context => {
                varint::put(reply.context.map_or(0, |context| u64::from(context.get()) + 1), into);
            }
            OutcomeKind::Message => varint::put(reply.message.unwrap_or(0).into(), into),
        }
    }

    #[inline(always)]
    pub(crate) fn load(self, entry: &mut Entry<'_, '_>) -> Option<Outcome> {
        Some(match self {
            OutcomeKind::None => Outcome::None,
            OutcomeKind::Context => {
                let made = entry.number()?.checked_sub(1).map(u32::try_from);
                Outcome::Context(made.transpose().ok()?.map(ContextId::new))
            }
            OutcomeKind::Message => Outcome::Message(entry.half()?),
        })
    }
}

/// A type of fields that traces can store.
pub(crate) trait StoredField<'l>: Sized {
    /// Bits that the field has in the byte of flags.
    const FLAG_BITS: u32 = 0;

    /// The flags.
    fn flags(&self) -> u8 {
        0
    }

    /// The communicator that the field names.
    fn context_mut(&mut self) -> Option<&mut ContextId> {
        None
    }

    /// The request that the field names, unless it is a list of them.
    fn request_mut(&mut self) -> Option<&mut RequestId> {
        None
    }

    /// The index of its entry's code among the call's codes. Only one field of a call may choose.
    fn form(&self) -> usize {
        0
    }

    /// Appends the data that the flags do not hold.
    fn store(&self, into: &mut Vec<u8>);

    /// Reads the field.
    fn load(entry: &mut Entry<'_, 'l>) -> Option<Self>;
}

/// The flags of a call's fields, the first field's lowest.
#[derive(Default)]
pub(crate) struct StoredFlags {
    bits: u8,
    count: u32,
}

impl StoredFlags {
    pub(crate) fn add<'l, F: StoredField<'l>>(&mut self, field: &F) {
        if F::FLAG_BITS > 0 {
            self.bits |= field.flags() << self.count;
            self.count += F::FLAG_BITS;
        }
    }

    pub(crate) fn store(self, into: &mut Vec<u8>) {
        if self.count > 0 {
            into.push(self.bits);
        }
    }
}

/// Memory for the lists and the text of one call, used again for the next.
#[derive(Debug, Default)]
pub struct Lists {
    requests: Vec<RequestId>,
    members: Vec<u32>,
    sent: Vec<u64>,
    received: Vec<u64>,
    sources: Vec<u32>,
    destinations: Vec<u32>,
    text: String,
}

/// An entry that is read.
pub struct Entry<'b, 'l> {
    bytes: &'b [u8],
    at: usize,
    flags: u8,
    /// The index of the entry's code among the call's codes.
    pub(crate) form: usize,
    requests: Option<&'l mut Vec<RequestId>>,
    members: Option<&'l mut Vec<u32>>,
    /// For the blocks of a collective: those sent, then those received.
    blocks: [Option<&'l mut Vec<u64>>; 2],
    /// For the neighbours in a collective: sources, then destinations.
    neighbors: [Option<&'l mut Vec<u32>>; 2],
    text: Option<&'l mut String>,
}

impl<'b> Entry<'b, 'static> {
    /// Reads at a position. Calls with lists or texts cannot be read.
    #[inline(always)]
    pub fn without_lists(bytes: &'b [u8], at: usize) -> Entry<'b, 'static> {
        let (blocks, neighbors) = ([None, None], [None, None]);
        Entry { bytes, at, flags: 0, form: 0, requests: None, members: None, blocks, neighbors, text: None }
    }

    /// Reads the fields of a send.
    #[inline(always)]
    pub fn send(&mut self) -> Option<Call<'static>> {
        row::Send::load(self).map(|(call, _)| call)
    }

    /// Reads the fields of a receive.
    #[inline(always)]
    pub fn receive(&mut self) -> Option<Call<'static>> {
        row::Recv::load(self).map(|(call, _)| call)
    }
}

impl<'b, 'l> Entry<'b, 'l> {
    /// Reads at a position. Lists and texts of calls are kept in `lists`.
    pub fn new(bytes: &'b [u8], at: usize, lists: &'l mut Lists) -> Entry<'b, 'l> {
        let Lists { requests, members, sent, received, sources, destinations, text } = lists;
        let (requests, members, blocks) = (Some(requests), Some(members), [Some(sent), Some(received)]);
        let neighbors = [Some(sources), Some(destinations)];
        Entry { bytes, at, flags: 0, form: 0, requests, members, blocks, neighbors, text: Some(text) }
    }

    /// Reads the fields of the call with this code; none if the bytes are not such a call.
    pub fn call(&mut self, code: u8) -> Option<(Call<'l>, Outcome)> {
        Call::load(code, self)
    }

    /// The position behind what was read.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Reads a byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Reads a varint.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        varint::get(self.bytes, &mut self.at)
    }

    /// Reads a varint of 32 bits.
    #[inline]
    pub fn half(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads a zigzag-encoded varint.
    #[inline]
    fn signed(&mut self) -> Option<i32> {
        i32::try_from(varint::get_signed(self.bytes, &mut self.at)?).ok()
    }

    /// Reads the length of a list. Each element has at least one byte.
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&length| length <= self.bytes.len() - self.at)
    }

    /// Reads a list of numbers.
    fn list<T>(&mut self, list: Option<&'l mut Vec<T>>, from: fn(u32) -> T) -> Option<&'l [T]> {
        let list = list?;
        list.clear();
        for _ in 0..self.length()? {
            list.push(from(self.half()?));
        }
        Some(list)
    }

    /// Reads the byte of flags, if the fields of the call have any.
    #[inline(always)]
    pub(crate) fn load_flags(&mut self, bits: u32) -> Option<()> {
        if bits == 0 {
            return Some(());
        }
        self.flags = self.byte()?;
        (u32::from(self.flags) >> bits == 0).then_some(())
    }

    /// The flags of the next field.
    #[inline(always)]
    fn flags(&mut self, bits: u32) -> u8 {
        let flags = self.flags & ((1 << bits) - 1);
        self.flags >>= bits;
        flags
    }
}

/// The code of the call's entry; none if traces leave the call out.
pub fn code(call: &Call<'_>) -> Option<u8> {
    call.stored_code()
}

/// Appends the fields of a call, and the part of its reply that traces store.
pub fn store(call: &Call<'_>, reply: &Reply, into: &mut Vec<u8>) {
    call.store(reply, into);
}

#[cfg(test)]
mod tests;

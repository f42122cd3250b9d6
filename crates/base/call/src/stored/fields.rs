//! Fields as bytes of a trace, by their types.

use mpirage_units::{Duration, WORK};

use super::{Entry, StoredField, StoredFlags};
use crate::fields::Flag;
use crate::{
    AccessCall, AccessKind, Blocks, Burst, CollectiveCall, CommRequest, Completing, ContextId,
    FileAccessCall, FileHints, Input, Operator, Part, Payload, Reduction, RequestId, Rule, SendMode, Tally,
    TwoPhase, Work, varint,
};
use crate::{Collective, Peers};

/// Fields that are flags and nothing else.
macro_rules! flags {
    ($($type:ty),*) => {$(
        impl StoredField<'_> for $type {
            const FLAG_BITS: u32 = <$type as Flag>::BITS;

            fn flags(&self) -> u8 {
                self.code()
            }

            fn store(&self, _: &mut Vec<u8>) {}

            #[inline(always)]
            fn load(entry: &mut Entry<'_, '_>) -> Option<$type> {
                <$type as Flag>::from_code(entry.flags(<$type as Flag>::BITS))
            }
        }
    )*};
}

flags!(bool, SendMode, Completing, TwoPhase);

/// Fields of calls that no trace has.
macro_rules! never_stored {
    ($($type:ty),*) => {$(
        impl<'l> StoredField<'l> for $type {
            fn store(&self, _: &mut Vec<u8>) {}

            fn load(_: &mut Entry<'_, 'l>) -> Option<$type> {
                None
            }
        }
    )*};
}

never_stored!(u8, &'l [u64], Rule, Tally, Payload<'l>);

/// Fields that are one number: how to write one, and how to read one.
macro_rules! numbers {
    ($($type:ty: |$value:ident, $into:ident| $store:expr, |$entry:ident| $load:expr;)*) => {$(
        impl StoredField<'_> for $type {
            fn store(&self, $into: &mut Vec<u8>) {
                let $value = *self;
                $store;
            }

            #[inline(always)]
            fn load($entry: &mut Entry<'_, '_>) -> Option<$type> {
                $load
            }
        }
    )*};
}

numbers! {
    u32: |value, into| varint::put(value.into(), into), |entry| entry.half();
    i32: |value, into| varint::put_signed(value.into(), into), |entry| entry.signed();
    u64: |value, into| varint::put(value, into), |entry| entry.number();
    Duration: |value, into| value.as_picos().store(into), |entry| entry.number().map(Duration::from_picos);
}

impl StoredField<'_> for RequestId {
    fn request_mut(&mut self) -> Option<&mut RequestId> {
        Some(self)
    }

    fn store(&self, into: &mut Vec<u8>) {
        self.get().store(into);
    }

    #[inline(always)]
    fn load(entry: &mut Entry<'_, '_>) -> Option<RequestId> {
        entry.half().map(RequestId::new)
    }
}

impl StoredField<'_> for ContextId {
    #[inline(always)]
    fn context_mut(&mut self) -> Option<&mut ContextId> {
        Some(self)
    }

    fn store(&self, into: &mut Vec<u8>) {
        self.get().store(into);
    }

    #[inline(always)]
    fn load(entry: &mut Entry<'_, '_>) -> Option<ContextId> {
        entry.half().map(ContextId::new)
    }
}

/// The flag says whether there is a value.
impl<'l, T: StoredField<'l>> StoredField<'l> for Option<T> {
    const FLAG_BITS: u32 = 1;

    fn flags(&self) -> u8 {
        u8::from(self.is_some())
    }

    fn request_mut(&mut self) -> Option<&mut RequestId> {
        self.as_mut().and_then(StoredField::request_mut)
    }

    fn store(&self, into: &mut Vec<u8>) {
        if let Some(value) = self {
            value.store(into);
        }
    }

    #[inline(always)]
    fn load(entry: &mut Entry<'_, 'l>) -> Option<Option<T>> {
        if entry.flags(1) != 0 { T::load(entry).map(Some) } else { Some(None) }
    }
}

impl<'l> StoredField<'l> for &'l [u32] {
    fn store(&self, into: &mut Vec<u8>) {
        varint::put(self.len() as u64, into);
        self.iter().for_each(|value| value.store(into));
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<&'l [u32]> {
        let list = entry.members.take();
        entry.list(list, |number| number)
    }
}

impl<'l> StoredField<'l> for &'l [RequestId] {
    fn store(&self, into: &mut Vec<u8>) {
        varint::put(self.len() as u64, into);
        self.iter().for_each(|request| request.store(into));
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<&'l [RequestId]> {
        let list = entry.requests.take();
        entry.list(list, RequestId::new)
    }
}

/// Its bytes and their number.
impl<'l> StoredField<'l> for &'l str {
    fn store(&self, into: &mut Vec<u8>) {
        varint::put(self.len() as u64, into);
        into.extend_from_slice(self.as_bytes());
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<&'l str> {
        let text = entry.text.take()?;
        let length = entry.length()?;
        let bytes = entry.bytes.get(entry.at..)?.get(..length)?;
        text.clear();
        text.push_str(std::str::from_utf8(bytes).ok()?);
        entry.at += length;
        Some(text)
    }
}

/// The code of the entry says which unit the work has.
impl StoredField<'_> for Work {
    fn form(&self) -> usize {
        match self {
            Work::Flops(_) => 0,
            Work::Nanos(_) => 1,
            Work::Threads(_) => 2,
            Work::Roofline { .. } => 3,
        }
    }

    fn store(&self, into: &mut Vec<u8>) {
        match *self {
            Work::Flops(flops) => into.extend(flops.to_bits().to_le_bytes()),
            Work::Nanos(nanos) => varint::put(nanos, into),
            Work::Threads(burst) => varint::put(burst.word(), into),
            Work::Roofline { flops, bytes } => {
                [flops, bytes].iter().for_each(|amount| into.extend(amount.to_bits().to_le_bytes()));
            }
        }
    }

    fn load(entry: &mut Entry<'_, '_>) -> Option<Work> {
        Some(match entry.form {
            0 => Work::Flops(amount(entry)?),
            1 => Work::Nanos(entry.number()?),
            2 => Work::Threads(Burst::from_word(entry.number()?)),
            _ => Work::Roofline { flops: amount(entry)?, bytes: amount(entry)? },
        })
    }
}

/// Operations or bytes of a computation.
fn amount(entry: &mut Entry<'_, '_>) -> Option<f64> {
    let bits = entry.bytes.get(entry.at..)?.first_chunk()?;
    entry.at += 8;
    WORK.check(f64::from_bits(u64::from_le_bytes(*bits))).ok()
}

impl<'l> StoredField<'l> for CommRequest<'l> {
    fn request_mut(&mut self) -> Option<&mut RequestId> {
        match self {
            CommRequest::DupLater { request } => Some(request),
            _ => None,
        }
    }

    fn store(&self, into: &mut Vec<u8>) {
        match *self {
            CommRequest::Dup => into.push(0),
            CommRequest::DupLater { request } => {
                into.push(1);
                request.store(into);
            }
            CommRequest::Split { color, key } => {
                into.push(if color.is_some() { 2 } else { 3 });
                color.store(into);
                key.store(into);
            }
            CommRequest::Create(members) => {
                into.push(4);
                members.store(into);
            }
            CommRequest::CreateGroup { members, tag } => {
                into.push(5);
                tag.store(into);
                members.store(into);
            }
            CommRequest::SplitByHost { key } => {
                into.push(6);
                key.store(into);
            }
        }
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<CommRequest<'l>> {
        Some(match entry.byte()? {
            0 => CommRequest::Dup,
            1 => CommRequest::DupLater { request: StoredField::load(entry)? },
            2 => CommRequest::Split { color: Some(entry.signed()?), key: entry.signed()? },
            3 => CommRequest::Split { color: None, key: entry.signed()? },
            4 => CommRequest::Create(StoredField::load(entry)?),
            5 => {
                let tag = entry.signed()?;
                CommRequest::CreateGroup { members: StoredField::load(entry)?, tag }
            }
            6 => CommRequest::SplitByHost { key: entry.signed()? },
            _ => return None,
        })
    }
}

/// The bit of the operation's byte that says that the call is in place. Traces of version 2 and before do not have it.
const IN_PLACE_BIT: u32 = 7;
const _: () =
    assert!(Collective::ALL.len() <= 1 << IN_PLACE_BIT, "the bit is not part of an operation's number");

/// The operation with the bit for `MPI_IN_PLACE`, a byte of flags, the fields, and the reduction.
impl<'l> StoredField<'l> for CollectiveCall<'l> {
    fn context_mut(&mut self) -> Option<&mut ContextId> {
        Some(&mut self.context)
    }

    fn request_mut(&mut self) -> Option<&mut RequestId> {
        self.request.as_mut()
    }

    fn store(&self, into: &mut Vec<u8>) {
        // A trace stores no errors: its calls are those of a run that went on.
        let CollectiveCall {
            kind,
            context,
            root,
            peers,
            send,
            recv,
            reduction,
            request,
            plan,
            input,
            on_mismatch: _,
        } = self;
        let kind = Collective::ALL.iter().position(|other| other == kind).unwrap_or_default();
        let commutative = reduction.is_some_and(|reduction| reduction.commutative);
        let known = request.flags() | reduction.is_some().code() << 1 | commutative.code() << 2;
        into.push(kind as u8 | u8::from(*input == Input::InPlace) << IN_PLACE_BIT);
        into.push(known | (*plan > 0).code() << 3 | form_of(send) << 4 | form_of(recv) << 6);
        context.store(into);
        root.store(into);
        request.store(into);
        (*plan > 0).then_some(*plan).store(into);
        store_peers(peers, into);
        store_part(send, into);
        store_part(recv, into);
        if let Some(reduction) = reduction {
            store_reduction(reduction, into);
        }
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<CollectiveCall<'l>> {
        let first = entry.byte()?;
        let input = if first >> IN_PLACE_BIT != 0 { Input::InPlace } else { Input::Apart };
        let kind = *Collective::ALL.get(usize::from(first & !(1 << IN_PLACE_BIT)))?;
        let flags = entry.byte()?;
        let (context, root) = (StoredField::load(entry)?, entry.half()?);
        let request = if flags & 1 != 0 { Some(StoredField::load(entry)?) } else { None };
        let plan = if flags & 8 != 0 { entry.half()? } else { 0 };
        let peers = load_peers(kind, entry)?;
        let send = load_part(flags >> 4 & 3, 0, entry)?;
        let recv = load_part(flags >> 6, 1, entry)?;
        let reduction = if flags & 2 != 0 { Some(load_reduction(flags & 4 != 0, entry)?) } else { None };
        Some(CollectiveCall {
            kind,
            context,
            root,
            peers,
            send,
            recv,
            reduction,
            request,
            plan,
            input,
            on_mismatch: Default::default(),
        })
    }
}

/// The flags are the kind and whether there is a request. Where the bytes lie at the origin and at the target is left out.
impl<'l> StoredField<'l> for AccessCall<'l> {
    const FLAG_BITS: u32 = <AccessKind as Flag>::BITS + 1;

    fn flags(&self) -> u8 {
        self.kind.code() | self.request.flags() << <AccessKind as Flag>::BITS
    }

    fn context_mut(&mut self) -> Option<&mut ContextId> {
        Some(&mut self.window)
    }

    fn request_mut(&mut self) -> Option<&mut RequestId> {
        self.request.as_mut()
    }

    fn store(&self, into: &mut Vec<u8>) {
        self.window.store(into);
        self.target.store(into);
        self.bytes.store(into);
        self.request.store(into);
    }

    fn load(entry: &mut Entry<'_, 'l>) -> Option<AccessCall<'l>> {
        Some(AccessCall {
            kind: AccessKind::from_code(entry.flags(<AccessKind as Flag>::BITS))?,
            window: StoredField::load(entry)?,
            target: entry.half()?,
            displacement: 0,
            bytes: entry.number()?,
            payload: Payload::Absent,
            layout: Payload::Absent,
            parts: 0,
            op: 0,
            basic: 0,
            result: 0,
            request: StoredField::load(entry)?,
        })
    }
}

/// Fields that are the fields of a struct, one after the other.
macro_rules! structs {
    ($($type:ident { $($field:ident: $field_type:ty),* })*) => {$(
        impl StoredField<'_> for $type {
            const FLAG_BITS: u32 = 0 $(+ <$field_type as StoredField<'static>>::FLAG_BITS)*;

            fn flags(&self) -> u8 {
                let mut flags = StoredFlags::default();
                $(flags.add(&self.$field);)*
                flags.bits
            }

            fn context_mut(&mut self) -> Option<&mut ContextId> {
                $(if let Some(context) = self.$field.context_mut() {
                    return Some(context);
                })*
                None
            }

            fn request_mut(&mut self) -> Option<&mut RequestId> {
                $(if let Some(request) = self.$field.request_mut() {
                    return Some(request);
                })*
                None
            }

            fn store(&self, into: &mut Vec<u8>) {
                $(self.$field.store(into);)*
            }

            fn load(entry: &mut Entry<'_, '_>) -> Option<$type> {
                Some($type { $($field: <$field_type>::load(entry)?),* })
            }
        }
    )*};
}

structs! {
    FileHints {
        aggregators: u32, buffer: u64, stripe_count: u32, stripe_size: u64, collective_read: TwoPhase,
        collective_write: TwoPhase, sieve_read: bool, sieve_write: bool
    }
    FileAccessCall {
        file: ContextId, write: bool, collective: bool, offset: u64, span: u64, bytes: u64, pieces: u32,
        request: Option<RequestId>
    }
}

/// The kind of the collective says which peers it has.
fn store_peers(peers: &Peers<'_>, into: &mut Vec<u8>) {
    match *peers {
        Peers::All => {}
        Peers::OtherSide { first } => first.store(into),
        Peers::Neighbors { sources, destinations } => {
            sources.store(into);
            destinations.store(into);
        }
    }
}

fn load_peers<'l>(kind: Collective, entry: &mut Entry<'_, 'l>) -> Option<Peers<'l>> {
    if kind.is_across() {
        return Some(Peers::OtherSide { first: entry.half()? });
    }
    if !kind.is_neighborhood() {
        return Some(Peers::All);
    }
    let [sources, destinations] = entry.neighbors.each_mut().map(Option::take);
    Some(Peers::Neighbors {
        sources: entry.list(sources, |rank| rank)?,
        destinations: entry.list(destinations, |rank| rank)?,
    })
}

fn store_reduction(reduction: &Reduction, into: &mut Vec<u8>) {
    /// `MPI_SUM`.
    const SUM: u8 = 2;
    let (op, basic) = match reduction.operator {
        Operator::Predefined { op, basic } => (op, basic),
        // An operator of the program. A replay has no values to reduce, so any operator will do.
        Operator::User { .. } => (SUM, 0),
    };
    into.extend([op, basic]);
    reduction.element.store(into);
    reduction.elements.store(into);
}

fn load_reduction(commutative: bool, entry: &mut Entry<'_, '_>) -> Option<Reduction> {
    let operator = Operator::Predefined { op: entry.byte()?, basic: entry.byte()? };
    Some(Reduction { operator, commutative, element: entry.half()?, elements: entry.number()? })
}

fn form_of(part: &Part<'_>) -> u8 {
    match part.blocks {
        Blocks::Whole(_) => 0,
        Blocks::Equal(_) => 1,
        Blocks::Each(_) => 2,
    }
}

/// Offsets of blocks are left out: they do not matter where there are no bytes.
fn store_part(part: &Part<'_>, into: &mut Vec<u8>) {
    match part.blocks {
        Blocks::Whole(bytes) | Blocks::Equal(bytes) => varint::put(bytes, into),
        Blocks::Each(list) => {
            varint::put(list.len() as u64 / 2, into);
            list.iter().skip(1).step_by(2).for_each(|&bytes| varint::put(bytes, into));
        }
    }
}

fn load_part<'l>(form: u8, side: usize, entry: &mut Entry<'_, 'l>) -> Option<Part<'l>> {
    let blocks = match form {
        0 => Blocks::Whole(entry.number()?),
        1 => Blocks::Equal(entry.number()?),
        2 => Blocks::Each(load_blocks(side, entry)?),
        _ => return None,
    };
    Some(Part { payload: Payload::Absent, blocks })
}

/// Lengths of blocks become blocks that follow each other.
fn load_blocks<'l>(side: usize, entry: &mut Entry<'_, 'l>) -> Option<&'l [u64]> {
    let list = entry.blocks[side].take()?;
    list.clear();
    let mut offset = 0u64;
    for _ in 0..entry.length()? {
        let bytes = entry.number()?;
        list.extend([offset, bytes]);
        offset = offset.checked_add(bytes)?;
    }
    Some(list)
}

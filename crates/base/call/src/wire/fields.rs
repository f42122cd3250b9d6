//! Fields as words, by their types.
//!
//! A call's fixed part has the flags of all fields in the head, then the half-words of all fields, then their words, each in
//! the order of the table. Lists and texts follow as tails.

use mpirage_units::Duration;

use super::words::{Full, Reader, Sink, WireError, pair};
use crate::fields::Flag;
use crate::{
    AccessCall, AccessKind, Blocks, Burst, CollectiveCall, CommRequest, Completing, ContextId,
    FileAccessCall, FileHints, Input, OnMismatch, Operator, Part, Payload, Reduction, RequestId, Rule,
    SendMode, Stamp, Tally, TwoPhase, Unfreed, Work,
};
use crate::{Collective, Peers};

/// Words before the fields of a call: the head and the stamp.
pub(crate) const STAMP_WORDS: usize = 4;
/// Stands for no request, no rank, no message.
const NONE: u32 = u32::MAX;

/// Room in the fixed part.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    flag_bits: u32,
    halves: usize,
    words: usize,
}

impl Size {
    pub(crate) const NONE: Size = Size { flag_bits: 0, halves: 0, words: 0 };
    const HALF: Size = Size { halves: 1, ..Size::NONE };
    const WORD: Size = Size { words: 1, ..Size::NONE };

    const fn flags(flag_bits: u32) -> Size {
        Size { flag_bits, ..Size::NONE }
    }

    /// Room for both. Does not compile for a call whose flags do not fit into the head.
    pub(crate) const fn plus(self, other: Size) -> Size {
        let flag_bits = self.flag_bits + other.flag_bits;
        assert!(flag_bits <= u8::BITS, "a call has too many flags");
        Size { flag_bits, halves: self.halves + other.halves, words: self.words + other.words }
    }

    /// Words of the fixed part.
    pub(crate) const fn words(self) -> usize {
        self.first_word() + self.words
    }

    /// Where words start, behind the half-words.
    const fn first_word(self) -> usize {
        self.halves.div_ceil(2)
    }
}

/// A type of fields that calls in a mailbox can have.
pub(crate) trait WireField<'b>: Sized {
    /// Room in the fixed part.
    const SIZE: Size;

    /// Writes the fixed part.
    fn put(&self, into: &mut FieldWriter<'_>);

    /// Words of the tail.
    #[inline(always)]
    fn tail_words(&self) -> usize {
        0
    }

    /// Appends the tail.
    #[inline(always)]
    fn put_tail<S: Sink>(&self, _: &mut S) -> Result<(), Full> {
        Ok(())
    }

    /// Reads the field.
    fn get(from: &mut FieldReader<'_, 'b>) -> Result<Self, WireError>;
}

/// Fills in the fixed part of a call.
pub(crate) struct FieldWriter<'w> {
    words: &'w mut [u64],
    flags: u8,
    flag: u32,
    half: usize,
    word: usize,
}

impl<'w> FieldWriter<'w> {
    /// Writes into `words`, which are zero and begin with room for the head and the stamp.
    #[inline(always)]
    pub(crate) fn new(words: &'w mut [u64], size: Size) -> FieldWriter<'w> {
        let word = STAMP_WORDS + size.first_word();
        FieldWriter { words, flags: 0, flag: 0, half: 2 * STAMP_WORDS, word }
    }

    /// Writes head and stamp of a call of `length` words.
    #[inline(always)]
    pub(crate) fn finish(self, code: u8, length: usize, stamp: &Stamp) {
        let low = u32::from(code) | u32::from(self.flags) << 8 | u32::from(stamp.function) << 16;
        self.words[0] = pair(low, length as u32);
        self.words[1] = stamp.burst.word();
        self.words[2] = stamp.delay.as_picos();
        self.words[3] = stamp.site;
    }

    #[inline(always)]
    fn flags(&mut self, code: u8, bits: u32) {
        self.flags |= code << self.flag;
        self.flag += bits;
    }

    #[inline(always)]
    fn half(&mut self, half: u32) {
        self.words[self.half / 2] |= u64::from(half) << (32 * (self.half % 2));
        self.half += 1;
    }

    #[inline(always)]
    fn word(&mut self, word: u64) {
        self.words[self.word] = word;
        self.word += 1;
    }
}

/// Takes fields from a call.
pub(crate) struct FieldReader<'r, 'b> {
    record: &'r mut Reader<'b>,
    fixed: &'b [u64],
    flags: u8,
    half: usize,
    word: usize,
}

impl<'r, 'b> FieldReader<'r, 'b> {
    /// Reads a call with this head from a record of which head and stamp have been read.
    #[inline(always)]
    pub(crate) fn new(head: u64, record: &'r mut Reader<'b>) -> FieldReader<'r, 'b> {
        FieldReader { record, fixed: &[], flags: (head >> 8) as u8, half: 0, word: 0 }
    }

    /// Takes a fixed part of `N` words.
    #[inline(always)]
    pub(crate) fn open<const N: usize>(&mut self, size: Size) -> Result<(), WireError> {
        let fixed: &'b [u64; N] = self.record.chunk()?;
        (self.fixed, self.word) = (fixed, size.first_word());
        Ok(())
    }

    #[inline(always)]
    fn flags(&mut self, bits: u32) -> u8 {
        let flags = self.flags & ((1u16 << bits) - 1) as u8;
        self.flags = (u32::from(self.flags) >> bits) as u8;
        flags
    }

    #[inline(always)]
    fn half(&mut self) -> u32 {
        let half = (self.fixed[self.half / 2] >> (32 * (self.half % 2))) as u32;
        self.half += 1;
        half
    }

    #[inline(always)]
    fn word(&mut self) -> u64 {
        let word = self.fixed[self.word];
        self.word += 1;
        word
    }
}

/// Fields that are flags and nothing else.
macro_rules! flags {
    ($($type:ty),*) => {$(
        impl WireField<'_> for $type {
            const SIZE: Size = Size::flags(<$type as Flag>::BITS);

            #[inline(always)]
            fn put(&self, into: &mut FieldWriter<'_>) {
                into.flags(self.code(), <$type as Flag>::BITS);
            }

            #[inline(always)]
            fn get(from: &mut FieldReader<'_, '_>) -> Result<$type, WireError> {
                <$type as Flag>::from_code(from.flags(<$type as Flag>::BITS)).ok_or(WireError)
            }
        }
    )*};
}

flags!(bool, SendMode, Completing, AccessKind, TwoPhase);

/// Fields of one half-word or one word: how to write one, and how to read one.
macro_rules! numbers {
    ($($type:ty: $size:ident, |$value:ident, $into:ident| $put:expr, |$from:ident| $get:expr;)*) => {$(
        impl WireField<'_> for $type {
            const SIZE: Size = Size::$size;

            #[inline(always)]
            fn put(&self, $into: &mut FieldWriter<'_>) {
                let $value = *self;
                $put;
            }

            #[inline(always)]
            fn get($from: &mut FieldReader<'_, '_>) -> Result<$type, WireError> {
                Ok($get)
            }
        }
    )*};
}

numbers! {
    u8: HALF, |value, into| into.half(value.into()), |from| from.half() as u8;
    u32: HALF, |value, into| into.half(value), |from| from.half();
    Input: HALF, |value, into| into.half(u32::from(value == Input::InPlace)), |from| match from.half() {
        0 => Input::Apart,
        _ => Input::InPlace,
    };
    OnMismatch: HALF, |value, into| into.half(u32::from(value == OnMismatch::ReturnError)), |from| match from.half() {
        0 => OnMismatch::EndRun,
        _ => OnMismatch::ReturnError,
    };
    i32: HALF, |value, into| into.half(value as u32), |from| from.half() as i32;
    Option<u32>: HALF, |value, into| into.half(value.unwrap_or(NONE)), |from| some(from.half());
    ContextId: HALF, |value, into| into.half(value.get()), |from| ContextId::new(from.half());
    RequestId: HALF, |value, into| into.half(value.get()), |from| RequestId::new(from.half());
    Option<RequestId>: HALF,
        |value, into| into.half(value.map_or(NONE, RequestId::get)),
        |from| some(from.half()).map(RequestId::new);
    u64: WORD, |value, into| into.word(value), |from| from.word();
    f64: WORD, |value, into| into.word(value.to_bits()), |from| f64::from_bits(from.word());
    Duration: WORD, |value, into| into.word(value.as_picos()), |from| Duration::from_picos(from.word());
    Option<i32>: WORD,
        |value, into| into.word(value.map_or(u64::MAX, |value| u64::from(value as u32))),
        |from| Some(from.word()).filter(|&word| word != u64::MAX).map(|word| word as i32);
}

#[inline(always)]
fn some(half: u32) -> Option<u32> {
    (half != NONE).then_some(half)
}

/// Fields that are tails and nothing else: the bytes of an element, how to write one, and how to read one.
macro_rules! tails {
    ($($type:ty: $element:literal, $put:ident($bytes:ident), |$record:ident| $get:expr;)*) => {$(
        impl<'b> WireField<'b> for $type {
            const SIZE: Size = Size::NONE;

            #[inline(always)]
            fn put(&self, _: &mut FieldWriter<'_>) {}

            #[inline(always)]
            fn tail_words(&self) -> usize {
                1 + ($element * self.len()).div_ceil(8)
            }

            #[inline(always)]
            fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
                sink.$put(self.$bytes())
            }

            #[inline(always)]
            fn get(from: &mut FieldReader<'_, 'b>) -> Result<$type, WireError> {
                let $record = &mut *from.record;
                $get
            }
        }
    )*};
}

tails! {
    &'b str: 1, bytes(as_bytes), |record| std::str::from_utf8(record.bytes()?).map_err(|_| WireError);
    &'b [u8]: 1, bytes(as_ref), |record| record.bytes();
    &'b [u32]: 4, halves(as_ref), |record| record.halves();
    &'b [RequestId]: 4, halves(as_ref), |record| record.halves();
    &'b [u64]: 8, words(as_ref), |record| record.words();
}

/// Fields that are structs: their own fields, one after the other.
macro_rules! structs {
    ($($type:ident $(<$lifetime:lifetime>)? { $($field:ident: $field_type:ty),* })*) => {$(
        impl<'b> WireField<'b> for $type $(<$lifetime>)? {
            const SIZE: Size = Size::NONE $(.plus(<$field_type as WireField<'b>>::SIZE))*;

            #[inline(always)]
            fn put(&self, into: &mut FieldWriter<'_>) {
                $(self.$field.put(into);)*
            }

            #[inline(always)]
            fn tail_words(&self) -> usize {
                0 $(+ self.$field.tail_words())*
            }

            #[inline(always)]
            fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
                $(self.$field.put_tail(sink)?;)*
                Ok(())
            }

            #[inline(always)]
            fn get(from: &mut FieldReader<'_, 'b>) -> Result<Self, WireError> {
                $(let $field = <$field_type as WireField<'b>>::get(from)?;)*
                Ok($type { $($field),* })
            }
        }
    )*};
}

structs! {
    AccessCall<'b> {
        kind: AccessKind, window: ContextId, target: u32, displacement: u64, bytes: u64, payload: Payload<'b>,
        layout: Payload<'b>, parts: u32, op: u8, basic: u8, result: u64, request: Option<RequestId>
    }
    FileHints {
        aggregators: u32, buffer: u64, stripe_count: u32, stripe_size: u64, collective_read: TwoPhase,
        collective_write: TwoPhase, sieve_read: bool, sieve_write: bool
    }
    FileAccessCall {
        file: ContextId, write: bool, collective: bool, offset: u64, span: u64, bytes: u64, pieces: u32,
        request: Option<RequestId>
    }
    Rule { least: u64, most: u64, error: f64, interval: bool }
    Tally { executed: u64, skipped: u64, shared: u64, unfreed: Unfreed }
    Unfreed { datatypes: u64, operators: u64, groups: u64, requests: u64 }
    Part<'b> { payload: Payload<'b>, blocks: Blocks<'b> }
    CollectiveCall<'b> {
        kind: Collective, context: ContextId, root: u32, peers: Peers<'b>, send: Part<'b>, recv: Part<'b>,
        reduction: Option<Reduction>, request: Option<RequestId>, plan: u32, input: Input,
        on_mismatch: OnMismatch
    }
}

/// The flags say which; the word is the address.
impl<'b> WireField<'b> for Payload<'b> {
    const SIZE: Size = Size::flags(2).plus(Size::WORD);

    #[inline(always)]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (kind, word) = match *self {
            Payload::Absent => (0, 0),
            Payload::At(address) => (1, address),
            Payload::Inline(_) => (2, 0),
        };
        into.flags(kind, 2);
        into.word(word);
    }

    #[inline(always)]
    fn tail_words(&self) -> usize {
        if let Payload::Inline(bytes) = self { bytes.tail_words() } else { 0 }
    }

    #[inline(always)]
    fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        if let Payload::Inline(bytes) = self { bytes.put_tail(sink) } else { Ok(()) }
    }

    #[inline(always)]
    fn get(from: &mut FieldReader<'_, 'b>) -> Result<Payload<'b>, WireError> {
        let (kind, word) = (from.flags(2), from.word());
        match kind {
            0 => Ok(Payload::Absent),
            1 => Ok(Payload::At(word)),
            2 => Ok(Payload::Inline(WireField::get(from)?)),
            _ => Err(WireError),
        }
    }
}

/// The flags say which; the word is the length of one block.
impl<'b> WireField<'b> for Blocks<'b> {
    const SIZE: Size = Size::flags(2).plus(Size::WORD);

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (kind, word) = match *self {
            Blocks::Whole(bytes) => (0, bytes),
            Blocks::Equal(bytes) => (1, bytes),
            Blocks::Each(_) => (2, 0),
        };
        into.flags(kind, 2);
        into.word(word);
    }

    #[inline]
    fn tail_words(&self) -> usize {
        if let Blocks::Each(list) = self { list.tail_words() } else { 0 }
    }

    #[inline]
    fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        if let Blocks::Each(list) = self { list.put_tail(sink) } else { Ok(()) }
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, 'b>) -> Result<Blocks<'b>, WireError> {
        let (kind, word) = (from.flags(2), from.word());
        match kind {
            0 => Ok(Blocks::Whole(word)),
            1 => Ok(Blocks::Equal(word)),
            2 => Ok(Blocks::Each(WireField::get(from)?)),
            _ => Err(WireError),
        }
    }
}

/// Two half-words: which, and how many ranks the first side has. The lists of neighbours are tails.
impl<'b> WireField<'b> for Peers<'b> {
    const SIZE: Size = Size { flag_bits: 0, halves: 2, words: 0 };

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (kind, first) = match *self {
            Peers::All => (0, 0),
            Peers::OtherSide { first } => (1, first),
            Peers::Neighbors { .. } => (2, 0),
        };
        into.half(kind);
        into.half(first);
    }

    #[inline]
    fn tail_words(&self) -> usize {
        match self {
            Peers::Neighbors { sources, destinations } => sources.tail_words() + destinations.tail_words(),
            _ => 0,
        }
    }

    #[inline]
    fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        if let Peers::Neighbors { sources, destinations } = self {
            sources.put_tail(sink)?;
            destinations.put_tail(sink)?;
        }
        Ok(())
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, 'b>) -> Result<Peers<'b>, WireError> {
        let (kind, first) = (from.half(), from.half());
        match kind {
            0 => Ok(Peers::All),
            1 => Ok(Peers::OtherSide { first }),
            2 => Ok(Peers::Neighbors { sources: WireField::get(from)?, destinations: WireField::get(from)? }),
            _ => Err(WireError),
        }
    }
}

/// The flags say in which unit the first word is; the second is the traffic of memory.
impl WireField<'_> for Work {
    const SIZE: Size = Size::flags(2).plus(Size::WORD).plus(Size::WORD);

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (unit, word) = match *self {
            Work::Flops(flops) => (0, flops.to_bits()),
            Work::Nanos(nanos) => (1, nanos),
            Work::Threads(burst) => (2, burst.word()),
            Work::Roofline { flops, .. } => (3, flops.to_bits()),
        };
        into.flags(unit, 2);
        into.word(word);
        into.word(if let Work::Roofline { bytes, .. } = *self { bytes.to_bits() } else { 0 });
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, '_>) -> Result<Work, WireError> {
        let (unit, word, bytes) = (from.flags(2), from.word(), from.word());
        Ok(match unit {
            0 => Work::Flops(f64::from_bits(word)),
            1 => Work::Nanos(word),
            2 => Work::Threads(Burst::from_word(word)),
            _ => Work::Roofline { flops: f64::from_bits(word), bytes: f64::from_bits(bytes) },
        })
    }
}

impl WireField<'_> for Collective {
    const SIZE: Size = Size::HALF;

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        into.half(Collective::ALL.iter().position(|kind| kind == self).unwrap_or(usize::MAX) as u32);
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, '_>) -> Result<Collective, WireError> {
        Collective::ALL.get(from.half() as usize).copied().ok_or(WireError)
    }
}

/// Three half-words: the kind of operator, whether it is commutative, the size of an element. Three words: operator,
/// datatype, number of elements.
impl WireField<'_> for Option<Reduction> {
    const SIZE: Size = Size { flag_bits: 0, halves: 3, words: 3 };

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (kind, op, datatype) = match self.map(|reduction| reduction.operator) {
            None => (0, 0, 0),
            Some(Operator::Predefined { op, basic }) => (1, op.into(), basic.into()),
            Some(Operator::User { op, datatype }) => (2, op, datatype),
        };
        into.half(kind);
        into.half(self.is_some_and(|reduction| reduction.commutative).into());
        into.half(self.map_or(0, |reduction| reduction.element));
        into.word(op);
        into.word(datatype);
        into.word(self.map_or(0, |reduction| reduction.elements));
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, '_>) -> Result<Option<Reduction>, WireError> {
        let (kind, commutative, element) = (from.half(), from.half() != 0, from.half());
        let (op, datatype, elements) = (from.word(), from.word(), from.word());
        let operator = match kind {
            0 => return Ok(None),
            1 => Operator::Predefined { op: op as u8, basic: datatype as u8 },
            2 => Operator::User { op, datatype },
            _ => return Err(WireError),
        };
        Ok(Some(Reduction { operator, commutative, element, elements }))
    }
}

/// The flags say which; the half-words are request, colour or tag, and key. The members are the tail.
impl<'b> WireField<'b> for CommRequest<'b> {
    const SIZE: Size = Size { flag_bits: 3, halves: 2, words: 0 };

    #[inline]
    fn put(&self, into: &mut FieldWriter<'_>) {
        let (kind, first, second) = match *self {
            CommRequest::Dup => (0, 0, 0),
            CommRequest::Split { color: None, key } => (1, 0, key as u32),
            CommRequest::Split { color: Some(color), key } => (2, color as u32, key as u32),
            CommRequest::Create(_) => (3, 0, 0),
            CommRequest::CreateGroup { tag, .. } => (4, tag as u32, 0),
            CommRequest::SplitByHost { key } => (5, 0, key as u32),
            CommRequest::DupLater { request } => (6, request.get(), 0),
        };
        into.flags(kind, 3);
        into.half(first);
        into.half(second);
    }

    #[inline]
    fn tail_words(&self) -> usize {
        self.members().map_or(0, |members| members.tail_words())
    }

    #[inline]
    fn put_tail<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        self.members().map_or(Ok(()), |members| members.put_tail(sink))
    }

    #[inline]
    fn get(from: &mut FieldReader<'_, 'b>) -> Result<CommRequest<'b>, WireError> {
        let (kind, first, second) = (from.flags(3), from.half(), from.half());
        Ok(match kind {
            0 => CommRequest::Dup,
            1 => CommRequest::Split { color: None, key: second as i32 },
            2 => CommRequest::Split { color: Some(first as i32), key: second as i32 },
            3 => CommRequest::Create(WireField::get(from)?),
            4 => CommRequest::CreateGroup { members: WireField::get(from)?, tag: first as i32 },
            5 => CommRequest::SplitByHost { key: second as i32 },
            6 => CommRequest::DupLater { request: RequestId::new(first) },
            _ => return Err(WireError),
        })
    }
}

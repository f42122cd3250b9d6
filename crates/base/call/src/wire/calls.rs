//! Calls as words. The [table of calls](crate::calls) says which fields a call has.

use mpirage_units::Duration;

use super::fields::{FieldReader, STAMP_WORDS};
use super::words::{Full, Reader, WireError, Writer};
use crate::{Burst, Call, Stamp};

/// Writes a call to the head of `buffer`; gives the number of words it takes.
#[inline]
pub fn encode_call(stamp: &Stamp, call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    call.encode(stamp, &mut Writer::new(buffer))
}

/// The same, inlined for sends and receives, which are the commonest calls. If the caller knows which call it is, the words go
/// from registers to the buffer, without a `Call` in memory.
#[inline(always)]
pub fn encode_known_call(stamp: &Stamp, call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    if is_common(call) {
        return call.encode(stamp, &mut Writer::new(buffer));
    }
    encode_other_call(stamp, call, buffer)
}

#[inline(never)]
fn encode_other_call(stamp: &Stamp, call: &Call<'_>, buffer: &mut [u64]) -> Result<usize, Full> {
    encode_call(stamp, call, buffer)
}

/// Appends a call to a list of calls. Inlined for sends and receives.
#[inline(always)]
pub fn push_call(stamp: &Stamp, call: &Call<'_>, words: &mut Vec<u64>) {
    if is_common(call) {
        // A list is never full.
        let _ = call.encode(stamp, words);
    } else {
        push_other_call(stamp, call, words);
    }
}

#[inline(always)]
fn is_common(call: &Call<'_>) -> bool {
    matches!(call, Call::Send { .. } | Call::Recv { .. })
}

#[inline(never)]
fn push_other_call(stamp: &Stamp, call: &Call<'_>, words: &mut Vec<u64>) {
    let _ = call.encode(stamp, words);
}

/// Reads the stamp of the call at the head of `buffer`, and nothing else.
#[inline]
pub fn decode_stamp(buffer: &[u64]) -> Result<Stamp, WireError> {
    buffer.first_chunk().map(stamp).ok_or(WireError)
}

/// Reads the call at the head of `buffer`; gives the number of words it took.
#[inline]
pub fn decode_call(buffer: &[u64]) -> Result<(Stamp, Call<'_>, usize), WireError> {
    let (mut record, length) = Reader::open(buffer)?;
    let words = record.chunk()?;
    let fields = FieldReader::new(words[0], &mut record);
    Call::decode(words[0] as u8, fields, |call| (stamp(words), call, length))
}

/// The stamp in the first words of a call.
#[inline(always)]
pub(super) fn stamp(words: &[u64; STAMP_WORDS]) -> Stamp {
    let [head, burst, delay, site] = *words;
    Stamp {
        function: (head >> 16) as u16,
        burst: Burst::from_word(burst),
        delay: Duration::from_picos(delay),
        site,
    }
}

//! One entry of a trace: a call, and the time that passed before it.
//!
//! The first byte has the code of the call in its lowest five bits, and says whether a burst (0x20) and a delay (0x40) precede
//! the call. Then follow the number of the call's place, the burst in nanoseconds, the delay in picoseconds, and the fields of
//! the call ([`mpirage_call::stored`]).
//!
//! Threads of a rank that wake each other outside MPI have entries for that, with a code that no call has ([`ThreadSync`]).

use mpirage_call::stored::{self, CODE_BITS, Entry, Lists, Outcome};
use mpirage_call::{Burst, Call, Reply};
use mpirage_units::Duration;

use crate::{ThreadSync, varint};

const CODE: u8 = (1 << CODE_BITS) - 1;
const BURST: u8 = 0x20;
const DELAY: u8 = 0x40;

/// The data that precedes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// The place the call was made at, as a number of the footer's list; 0 if it is not known.
    pub place: u32,
    /// Computation.
    pub burst: Burst,
    /// Other time.
    pub delay: Duration,
}

impl Before {
    /// Has no time passed?
    pub(super) fn takes_no_time(&self) -> bool {
        self.burst.is_none() && self.delay.is_zero()
    }

    fn store(&self, code: u8, into: &mut Vec<u8>) {
        let burst = if self.burst.is_none() { 0 } else { BURST };
        let delay = if self.delay.is_zero() { 0 } else { DELAY };
        into.push(code | burst | delay);
        varint::put(u64::from(self.place), into);
        if burst != 0 {
            varint::put(self.burst.word(), into);
        }
        if delay != 0 {
            varint::put(self.delay.as_picos(), into);
        }
    }

    #[inline(always)]
    fn load(head: u8, entry: &mut Entry<'_, '_>) -> Option<Before> {
        let place = entry.half()?;
        let burst = if head & BURST != 0 { Burst::from_word(entry.number()?) } else { Burst::NONE };
        let delay = Duration::from_picos(if head & DELAY != 0 { entry.number()? } else { 0 });
        Some(Before { place, burst, delay })
    }
}

/// Appends an entry. False if traces leave the call out.
pub(super) fn put(before: &Before, call: &Call<'_>, reply: &Reply, into: &mut Vec<u8>) -> bool {
    let Some(code) = stored::code(call) else { return false };
    before.store(code, into);
    stored::store(call, reply, into);
    true
}

/// Appends what a thread does with another.
pub(super) fn put_sync(before: &Before, sync: ThreadSync, into: &mut Vec<u8>) {
    let (thread, awaits) = match sync {
        ThreadSync::Wakes(thread) => (thread, 0),
        ThreadSync::Awaits(thread) => (thread, 1),
    };
    before.store(stored::SYNC, into);
    varint::put(u64::from(thread) << 1 | awaits, into);
}

/// Reads an entry that is known to be about another thread.
pub(super) fn get_sync(bytes: &[u8], at: &mut usize) -> Option<(Before, ThreadSync)> {
    let mut entry = Entry::without_lists(bytes, *at);
    let head = entry.byte()?;
    let (before, word) = (Before::load(head, &mut entry)?, entry.number()?);
    let thread = u32::try_from(word >> 1).ok()?;
    *at = entry.position();
    Some((before, if word & 1 == 0 { ThreadSync::Wakes(thread) } else { ThreadSync::Awaits(thread) }))
}

/// Reads the entry at `at`, and moves `at` behind it; none if there is no valid entry.
#[inline]
pub(super) fn get<'l>(
    bytes: &[u8],
    at: &mut usize,
    lists: &'l mut Lists,
) -> Option<(Before, Call<'l>, Outcome)> {
    let mut entry = Entry::new(bytes, *at, lists);
    let head = entry.byte()?;
    let before = Before::load(head, &mut entry)?;
    let (call, outcome) = entry.call(head & CODE)?;
    *at = entry.position();
    Some((before, call, outcome))
}

/// The same for an entry that is known to be a send. Most entries are sends or receives.
#[inline(always)]
pub(super) fn get_send(bytes: &[u8], at: &mut usize) -> Option<(Before, Call<'static>)> {
    let mut entry = Entry::without_lists(bytes, *at);
    let head = entry.byte()?;
    let found = (Before::load(head, &mut entry)?, entry.send()?);
    *at = entry.position();
    Some(found)
}

/// The same for an entry that is known to be a receive.
#[inline(always)]
pub(super) fn get_receive(bytes: &[u8], at: &mut usize) -> Option<(Before, Call<'static>)> {
    let mut entry = Entry::without_lists(bytes, *at);
    let head = entry.byte()?;
    let found = (Before::load(head, &mut entry)?, entry.receive()?);
    *at = entry.position();
    Some(found)
}

/// The code of the call whose entry is at `at`.
#[inline]
pub(super) fn code_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).map(|head| head & CODE)
}

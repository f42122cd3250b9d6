//! Calls that a line has made and that are not carried out yet, as words.

use mpirage_call::wire::{
    HeadKind, PlainCall, WireError, decode_call, decode_plain, decode_receive, decode_stamp, head_kind,
};
use mpirage_call::{Call, Stamp};

/// The calls of a line.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    words: Vec<u64>,
    /// Where the next call starts.
    next: usize,
    /// Where the call starts that the line is in.
    current: usize,
}

/// The calls of a line, borrowed from it while one of them is carried out.
#[derive(Debug)]
pub(crate) struct Borrowed(Vec<u64>);

impl Inbox {
    /// Replaces the words by new ones; gives the old ones back.
    #[inline]
    pub(crate) fn replace(&mut self, words: Vec<u64>) -> Vec<u64> {
        (self.next, self.current) = (0, 0);
        std::mem::replace(&mut self.words, words)
    }

    /// Puts back the line's own vector, `own`, with what has not been carried out yet; gives back the one that was used. The
    /// line is often still in its last call, whose words stay.
    #[inline]
    pub(crate) fn keep_rest(&mut self, own: Vec<u64>) -> Vec<u64> {
        let used = std::mem::replace(&mut self.words, own);
        self.words.clear();
        self.words.extend_from_slice(&used[self.current..]);
        self.next -= self.current;
        self.current = 0;
        used
    }

    /// The stamp of the next call; none if there is no further call.
    #[inline]
    pub(crate) fn next_stamp(&self) -> Option<Result<Stamp, WireError>> {
        match decode_stamp(&self.words[self.next..]) {
            Err(_) if self.next >= self.words.len() => None,
            stamp => Some(stamp),
        }
    }

    /// Is there a further call?
    pub(crate) fn has_next(&self) -> bool {
        self.next < self.words.len()
    }

    /// The next call, as it is decoded. Callers match it by reference: a call is large, and moving it costs more than reading
    /// it.
    #[inline(always)]
    pub(crate) fn decode_next(&self) -> Result<(Stamp, Call<'_>, usize), WireError> {
        decode_call(&self.words[self.next..])
    }

    /// Takes the words, so that a call in them can be read while the line changes.
    #[inline]
    pub(crate) fn borrow(&mut self) -> Borrowed {
        Borrowed(std::mem::take(&mut self.words))
    }

    /// Gives the words back.
    #[inline]
    pub(crate) fn give_back(&mut self, borrowed: Borrowed) {
        self.words = borrowed.0;
    }

    /// Are the words borrowed, or none?
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The line is in the next call, which has so many words.
    #[inline]
    pub(crate) fn enter_next(&mut self, words: usize) {
        self.current = self.next;
        self.next += words;
    }

    /// The call that the line is in.
    pub(crate) fn current_call(&self) -> Option<Call<'_>> {
        decode_call(&self.words[self.current..]).ok().map(|(_, call, _)| call)
    }

    /// The call that the line is in, if it is a receive.
    pub(crate) fn current_receive(&self) -> Option<Call<'static>> {
        decode_receive(&self.words[self.current..])
    }

    /// The kind of the call that the line is in.
    pub(crate) fn current_sort(&self) -> HeadKind {
        head_kind(&self.words[self.current..])
    }

    /// The words, to prefetch them.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Where the next and the current call start, in borrowed words.
    #[inline]
    pub(crate) fn positions(&self) -> (usize, usize) {
        (self.next, self.current)
    }
}

impl Borrowed {
    /// The call that starts at a position, if it is a plain send or receive.
    #[inline(always)]
    pub(crate) fn plain_at(&self, position: usize) -> Option<PlainCall<'_>> {
        self.0.get(position..).and_then(decode_plain)
    }

    /// The call that starts at a position, its stamp, and how many words it has.
    #[inline]
    pub(crate) fn call_at(&self, position: usize) -> Result<(Stamp, Call<'_>, usize), WireError> {
        decode_call(&self.0[position..])
    }
}

//! Cursors over a buffer of words.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use thiserror::Error;

/// The buffer has no room for this record. The words behind the last complete record are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the mailbox has no room for this record")]
pub struct Full;

/// The words are not a record: the rank overwrote its mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the mailbox of the rank holds no valid record; did the program overwrite memory?")]
pub struct WireError;

/// A destination to which words are appended.
pub(crate) trait Sink {
    /// Appends several words; there is room for all or none.
    fn all<const N: usize>(&mut self, words: [u64; N]) -> Result<(), Full>;

    /// Appends words that the caller fills in.
    fn reserve(&mut self, words: usize) -> Result<&mut [u64], Full>;

    /// Appends one word.
    #[inline(always)]
    fn word(&mut self, word: u64) -> Result<(), Full> {
        self.all([word])
    }

    /// Length in bytes, then the bytes, padded to a word.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.word(bytes.len() as u64)?;
        cast_slice_mut::<u64, u8>(self.reserve(bytes.len().div_ceil(8))?)[..bytes.len()]
            .copy_from_slice(bytes);
        Ok(())
    }

    /// Length, then the words.
    #[inline]
    fn words(&mut self, words: &[u64]) -> Result<(), Full> {
        self.word(words.len() as u64)?;
        self.reserve(words.len())?.copy_from_slice(words);
        Ok(())
    }

    /// Length, then the half-words, padded to a word.
    #[inline]
    fn halves<T: Pod>(&mut self, halves: &[T]) -> Result<(), Full> {
        self.word(halves.len() as u64)?;
        cast_slice_mut::<u64, T>(self.reserve(halves.len().div_ceil(2))?)[..halves.len()]
            .copy_from_slice(halves);
        Ok(())
    }
}

/// A list of words grows as it must.
impl Sink for Vec<u64> {
    #[inline(always)]
    fn all<const N: usize>(&mut self, words: [u64; N]) -> Result<(), Full> {
        self.extend_from_slice(&words);
        Ok(())
    }

    #[inline]
    fn reserve(&mut self, words: usize) -> Result<&mut [u64], Full> {
        let start = self.len();
        self.resize(start + words, 0);
        Ok(&mut self[start..])
    }
}

/// Appends words to a buffer.
pub(crate) struct Writer<'b> {
    buffer: &'b mut [u64],
    at: usize,
}

impl<'b> Writer<'b> {
    #[inline(always)]
    pub(super) fn new(buffer: &'b mut [u64]) -> Self {
        Writer { buffer, at: 0 }
    }

    /// Writes the length of the record into the upper half of its first word, and gives it.
    #[inline]
    pub(super) fn finish(self) -> usize {
        self.buffer[0] |= (self.at as u64) << 32;
        self.at
    }
}

impl Sink for Writer<'_> {
    #[inline(always)]
    fn all<const N: usize>(&mut self, words: [u64; N]) -> Result<(), Full> {
        let slot = self.buffer.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()).ok_or(Full)?;
        *slot = words;
        self.at += N;
        Ok(())
    }

    #[inline]
    fn reserve(&mut self, words: usize) -> Result<&mut [u64], Full> {
        let slot = self.buffer.get_mut(self.at..self.at + words).ok_or(Full)?;
        self.at += words;
        Ok(slot)
    }
}

/// Two half-words in one.
#[inline]
pub(super) fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The two half-words of one.
#[inline]
pub(super) fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// Takes words from a record.
pub(crate) struct Reader<'b> {
    rest: &'b [u64],
}

impl<'b> Reader<'b> {
    /// Opens the record at the head of `buffer`; gives its length in words too.
    #[inline]
    pub(super) fn open(buffer: &'b [u64]) -> Result<(Self, usize), WireError> {
        let length = (buffer.first().ok_or(WireError)? >> 32) as usize;
        match buffer.get(..length) {
            Some(rest) if length > 0 => Ok((Reader { rest }, length)),
            _ => Err(WireError),
        }
    }

    #[inline]
    pub(super) fn word(&mut self) -> Result<u64, WireError> {
        let (head, rest) = self.rest.split_first().ok_or(WireError)?;
        self.rest = rest;
        Ok(*head)
    }

    /// Several words at once.
    #[inline]
    pub(super) fn chunk<const N: usize>(&mut self) -> Result<&'b [u64; N], WireError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(WireError)?;
        self.rest = rest;
        Ok(head)
    }

    #[inline]
    pub(super) fn pair(&mut self) -> Result<(u32, u32), WireError> {
        self.word().map(halves)
    }

    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'b [u8], WireError> {
        let length = self.word()? as usize;
        Ok(&cast_slice::<u64, u8>(self.take(length.div_ceil(8))?)[..length])
    }

    #[inline]
    pub(super) fn words(&mut self) -> Result<&'b [u64], WireError> {
        let length = self.word()? as usize;
        self.take(length)
    }

    #[inline]
    pub(super) fn halves<T: Pod>(&mut self) -> Result<&'b [T], WireError> {
        let length = self.word()? as usize;
        Ok(&cast_slice::<u64, T>(self.take(length.div_ceil(2))?)[..length])
    }

    #[inline]
    fn take(&mut self, words: usize) -> Result<&'b [u64], WireError> {
        let (head, rest) = self.rest.split_at_checked(words).ok_or(WireError)?;
        self.rest = rest;
        Ok(head)
    }
}

//! Pages of a source that are kept, for readers that jump, and for ranks that read what lies scattered over a file.

use super::{Bytes, Source};
use crate::TraceError;

const NO_PAGE: u64 = u64::MAX;

/// A source, and some of its pages.
#[derive(Debug)]
pub(crate) struct Pages {
    source: Source,
    /// Page n is kept in slot n modulo their number, which is a power of two. None if the source is memory anyway.
    slots: Vec<Slot>,
    /// The logarithm of the bytes of a page.
    shift: u32,
}

#[derive(Debug, Clone)]
struct Slot {
    page: u64,
    bytes: Vec<u8>,
}

impl Pages {
    /// Keeps up to `most` pages, of as many bytes as a power of two.
    pub(crate) fn new(source: Source, bytes: usize, most: usize) -> Pages {
        let shift = bytes.next_power_of_two().trailing_zeros();
        let count = match &source.bytes {
            Bytes::Memory(_) => 0,
            _ => (source.len() >> shift).clamp(0, most as u64 - 1) as usize + 1,
        };
        let count = if count > 0 { count.next_power_of_two() } else { 0 };
        Pages { source, slots: vec![Slot { page: NO_PAGE, bytes: Vec::new() }; count], shift }
    }

    /// The source of the pages.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Fills `buffer` with the bytes from `at` on. All of them must be there.
    #[inline]
    pub fn read(&mut self, at: u64, buffer: &mut [u8]) -> Result<(), TraceError> {
        let mut filled = 0;
        self.parts(at, buffer.len(), |part| {
            buffer[filled..filled + part.len()].copy_from_slice(part);
            filled += part.len();
        })
    }

    /// Appends `count` bytes from `at` on. All of them must be there.
    #[inline]
    pub fn append(&mut self, at: u64, count: usize, into: &mut Vec<u8>) -> Result<(), TraceError> {
        self.source.room(at, into)?;
        self.parts(at, count, |part| into.extend_from_slice(part))
    }

    /// Shows the bytes, page by page.
    #[inline]
    fn parts(
        &mut self,
        mut at: u64,
        mut count: usize,
        mut show: impl FnMut(&[u8]),
    ) -> Result<(), TraceError> {
        if at.checked_add(count as u64).is_none_or(|end| end > self.source.len()) {
            return Err(self.source.too_short());
        }
        if let Bytes::Memory(bytes) = &self.source.bytes {
            show(&bytes[at as usize..at as usize + count]);
            return Ok(());
        }
        while count > 0 {
            let offset = at as usize & ((1 << self.shift) - 1);
            let page = self.page(at >> self.shift)?;
            let part = &page[offset.min(page.len())..page.len().min(offset + count)];
            if part.is_empty() {
                return Err(self.source.bad(at, "the file has become shorter while it was read"));
            }
            show(part);
            (at, count) = (at + part.len() as u64, count - part.len());
        }
        Ok(())
    }

    #[inline]
    fn page(&mut self, page: u64) -> Result<&[u8], TraceError> {
        let slot = page as usize & (self.slots.len() - 1);
        if self.slots[slot].page != page {
            self.turn_to(slot, page)?;
        }
        Ok(&self.slots[slot].bytes)
    }

    #[cold]
    fn turn_to(&mut self, slot: usize, page: u64) -> Result<(), TraceError> {
        let slot = &mut self.slots[slot];
        slot.page = NO_PAGE;
        slot.bytes.clear();
        self.source.append(page << self.shift, 1 << self.shift, &mut slot.bytes)?;
        slot.page = page;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Sample;
    use super::*;

    #[test]
    fn pages_of_a_file_read_like_memory() {
        const PAGE: usize = 4096;
        let content: Vec<u8> = (0..9 * PAGE + 100).map(|n| (n * 7 % 251) as u8).collect();
        let sample = Sample::new("pages", &content);
        // Fewer slots than pages, so that they are used again.
        let mut file = Pages::new(Source::open(&sample.0).unwrap(), PAGE, 4);
        let mut memory = Pages::new(Source::memory(&sample.0, content), PAGE, 4);
        assert_eq!((file.slots.len(), memory.slots.len()), (4, 0));
        for (at, count) in
            [(0, 10), (PAGE - 3, 7), (4 * PAGE - 1, 4 * PAGE + 2), (0, 20), (9 * PAGE + 90, 10), (5, 0)]
        {
            let (mut one, mut other, mut third) = (vec![0; count], vec![1; count], Vec::new());
            file.read(at as u64, &mut one).unwrap();
            memory.read(at as u64, &mut other).unwrap();
            file.append(at as u64, count, &mut third).unwrap();
            assert!(one == other && one == third);
        }
        let mut beyond = [0; 4];
        assert!(file.read(9 * PAGE as u64 + 97, &mut beyond).is_err());
        assert!(memory.read(u64::MAX - 1, &mut beyond).is_err());
    }

    #[test]
    fn a_file_that_shrinks_is_told() {
        let sample = Sample::new("shrinks", &[7; 10000]);
        let mut pages = Pages::new(Source::open(&sample.0).unwrap(), 4096, 4);
        std::fs::write(&sample.0, [7; 5000]).unwrap();
        let error = pages.read(4990, &mut [0; 20]).unwrap_err().to_string();
        assert!(error.ends_with("at byte 5000: the file has become shorter while it was read"), "{error}");
    }
}

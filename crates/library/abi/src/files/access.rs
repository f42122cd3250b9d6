//! Accesses: checked arguments, from which calls are made, and the bytes themselves.

use std::io;
use std::path::PathBuf;

use mpirage_call::{Call, ContextId, FileAccessCall, RequestId};

use super::descriptor::{Descriptor, refused};
use super::representation::{Elements, Representation};
use super::view::{FileRange, View};
use crate::ground::error::Result;

/// Stretches with gaps are read with the gaps if that reads at most so many bytes more for each that is wanted, and no more than
/// so many at once.
const MOST_GAPS: u64 = 4;
const LARGEST_SIEVE: u64 = 64 << 20;

/// An access with its arguments checked.
#[derive(Clone, Debug)]
pub(crate) struct FileAccess {
    pub file: ContextId,
    pub path: PathBuf,
    pub descriptor: Descriptor,
    pub view: View,
    pub representation: Representation,
    /// Where it begins in the stream of the view, in bytes of the file.
    pub position: u64,
    pub write: bool,
    pub collective: bool,
    pub elements: Elements,
    /// Their bytes in the file.
    pub bytes: u64,
}

impl FileAccess {
    /// The call that lets its time pass; of the request with this number, or of a rank that waits.
    pub(crate) fn call(&self, request: impl Into<Option<RequestId>>) -> Call<'static> {
        let request = request.into();
        let bytes = self.visible(self.bytes);
        let (mut first, mut end, mut pieces) = (None, 0, 0_u32);
        for FileRange { offset, length } in self.view.places(self.position, bytes) {
            first.get_or_insert(offset);
            end = end.max(offset + length);
            pieces = pieces.saturating_add(1);
        }
        let offset = first.unwrap_or(0);
        let (file, write, collective) = (self.file, self.write, self.collective);
        let span = end.saturating_sub(offset);
        Call::FileAccess(FileAccessCall { file, write, collective, offset, span, bytes, pieces, request })
    }

    /// Bytes that there are to be read. The file may end before.
    fn visible(&self, bytes: u64) -> u64 {
        match self.descriptor.size() {
            Ok(size) if !self.write => bytes.min(self.view.stream_before(size).saturating_sub(self.position)),
            _ => bytes,
        }
    }

    /// Reads or writes. Gives the bytes in memory.
    pub(crate) fn carry_out(&self) -> Result<u64> {
        if self.elements.region.is_shared() {
            return Ok(self.elements.region.bytes() as u64);
        }
        let failed = |what: &'static str| move |error: io::Error| refused(what, &self.path, &error);
        if self.write {
            let bytes = self.representation.encode(&self.elements)?;
            self.write_all(&bytes).map_err(failed("cannot write"))?;
            return Ok(self.elements.region.bytes() as u64);
        }
        let mut bytes = vec![0; self.bytes as usize];
        let read = self.read_all(&mut bytes).map_err(failed("cannot read"))?;
        self.representation.decode(&self.elements, &mut bytes[..read])
    }

    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        for FileRange { offset, length } in self.view.places(self.position, bytes.len() as u64) {
            let (now, later) = bytes.split_at(length as usize);
            self.descriptor.write(now, offset)?;
            bytes = later;
        }
        Ok(())
    }

    /// Reads until the file ends; gives the number of bytes.
    fn read_all(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let places: Vec<FileRange> = self.view.places(self.position, bytes.len() as u64).collect();
        let start = places.iter().map(|place| place.offset).min().unwrap_or(0);
        let end = places.iter().map(|place| place.offset + place.length).max().unwrap_or(0);
        if places.len() > 1 && end - start <= (MOST_GAPS * bytes.len() as u64).min(LARGEST_SIEVE) {
            let mut sieve = vec![0; (end - start) as usize];
            let there = self.descriptor.read(&mut sieve, start)?;
            return Ok(copy_places(&places, start, &sieve[..there], bytes));
        }
        let mut filled = 0;
        for FileRange { offset, length } in places {
            let room = &mut bytes[filled..filled + length as usize];
            let there = self.descriptor.read(room, offset)?;
            filled += there;
            if (there as u64) < length {
                break;
            }
        }
        Ok(filled)
    }
}

/// Takes what is wanted out of bytes with gaps, up to the first that is missing.
fn copy_places(places: &[FileRange], start: u64, sieve: &[u8], bytes: &mut [u8]) -> usize {
    let mut filled = 0;
    for FileRange { offset, length } in places {
        let from = ((offset - start) as usize).min(sieve.len());
        let there = (*length as usize).min(sieve.len() - from);
        bytes[filled..filled + there].copy_from_slice(&sieve[from..from + there]);
        filled += there;
        if (there as u64) < *length {
            break;
        }
    }
    filled
}

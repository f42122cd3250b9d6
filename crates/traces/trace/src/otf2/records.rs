//! The records of one file, read once from front to back, a little at a time.

use mpirage_otf2::{ByteOrder, CHUNK_HEADER, Definition, Event, FormatError, IdMap, Mapping, Marker};
use mpirage_otf2::{has_length, is_known};

use crate::TraceError;
use crate::source::{Source, Window};

/// Chunks that libotf2 writes.
const CHUNKS: std::ops::RangeInclusive<u64> = (256 << 10)..=(16 << 20);

/// The size of chunks, as the anchor states it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSize(u64);

impl ChunkSize {
    /// None if the anchor is damaged.
    pub fn new(bytes: u64) -> Option<ChunkSize> {
        CHUNKS.contains(&bytes).then_some(ChunkSize(bytes))
    }
}

/// The kind of records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Definitions,
    Events,
}

/// A place in a file.
#[derive(Debug)]
pub(super) struct Records {
    window: Window,
    chunk: ChunkSize,
    /// Bytes that are read at a time.
    piece: usize,
    content: Content,
    order: ByteOrder,
    /// The time of the next event.
    time: u64,
    ended: bool,
    fields: Vec<u8>,
}

/// A record; its fields are in [`Records::fields`].
#[derive(Clone, Copy, Debug)]
struct Record {
    kind: u8,
    /// Where it is in the file.
    at: u64,
}

/// An event with its place and time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub at: u64,
    pub time: u64,
    pub event: Event,
}

impl Records {
    fn new(content: Content, chunk: ChunkSize, piece: usize) -> Records {
        Records {
            window: Window::default(),
            chunk,
            piece,
            content,
            order: ByteOrder::default(),
            time: 0,
            ended: false,
            fields: Vec::new(),
        }
    }

    /// At the beginning of a file of events.
    pub fn of_events(chunk: ChunkSize, piece: usize) -> Records {
        Records::new(Content::Events, chunk, piece)
    }

    /// How much of a file has been read.
    pub fn share_read(&self, source: &Source) -> f64 {
        self.window.position() as f64 / source.len().max(1) as f64
    }

    /// The next event that is of interest; none at the end.
    pub fn event(&mut self, source: &Source) -> Result<Option<Timed>, TraceError> {
        while let Some(Record { kind, at }) = self.next(source)? {
            let event =
                Event::decode(kind, &self.fields, self.order).map_err(|error| bad(source, at, error))?;
            if let Some(event) = event {
                return Ok(Some(Timed { at, time: self.time, event }));
            }
        }
        Ok(None)
    }

    /// Hands out all global definitions, with their texts.
    pub fn definitions(
        source: &Source,
        chunk: ChunkSize,
        mut each: impl FnMut(u64, Definition<'static>, String) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let mut records = Records::new(Content::Definitions, chunk, 1 << 16);
        while let Some(Record { kind, at }) = records.next(source)? {
            let decoded = Definition::decode(kind, &records.fields, records.order);
            if let Some((definition, text)) = decoded.map_err(|error| bad(source, at, error))? {
                each(at, definition, text)?;
            }
        }
        Ok(())
    }

    /// Hands out all mappings of a location.
    pub fn mappings(
        source: &Source,
        chunk: ChunkSize,
        mut each: impl FnMut(Mapping, IdMap),
    ) -> Result<(), TraceError> {
        let mut records = Records::new(Content::Definitions, chunk, 1 << 12);
        while let Some(Record { kind, at }) = records.next(source)? {
            let decoded = IdMap::decode(kind, &records.fields, records.order);
            if let Some((mapping, map)) = decoded.map_err(|error| bad(source, at, error))? {
                each(mapping, map);
            }
        }
        Ok(())
    }

    /// The next record; none at the end.
    fn next(&mut self, source: &Source) -> Result<Option<Record>, TraceError> {
        while !self.ended {
            let at = self.window.position();
            if at.is_multiple_of(self.chunk.0) {
                self.begin_chunk(source, at)?;
            }
            let at = self.window.position();
            let [kind] = self.take(source)?;
            match Marker::from_code(kind) {
                Some(Marker::ChunkEnd) => self.window.seek((at / self.chunk.0 + 1) * self.chunk.0),
                Some(Marker::FileEnd) => self.ended = true,
                Some(Marker::ChunkBegin) => {
                    return Err(source.bad(at, "a chunk begins inside another: the file is damaged"));
                }
                Some(Marker::Time) if self.content == Content::Events => {
                    let time = self.order.number(&self.take::<8>(source)?);
                    if time < self.time {
                        return Err(source.bad(at, "times go down: the file is damaged"));
                    }
                    self.time = time;
                }
                Some(Marker::Attributes) if self.content == Content::Events => {
                    let length = self.length(source, at)?;
                    self.window.skip(length);
                }
                _ if self.read_fields(source, kind, at)? => return Ok(Some(Record { kind, at })),
                _ => {}
            }
        }
        Ok(None)
    }

    fn begin_chunk(&mut self, source: &Source, at: u64) -> Result<(), TraceError> {
        let header: [u8; CHUNK_HEADER] = self.take(source)?;
        if Marker::from_code(header[0]) != Some(Marker::ChunkBegin) {
            return Err(source.bad(at, "there is no chunk of OTF2 here: the file is damaged"));
        }
        let order = ByteOrder::from_code(header[1]);
        self.order =
            order.ok_or_else(|| source.bad(at + 1, format!("an unknown byte order ({})", header[1])))?;
        Ok(())
    }

    /// The length of the record at `at`, which must be inside its chunk.
    fn length(&mut self, source: &Source, at: u64) -> Result<u64, TraceError> {
        let length = match self.take(source)? {
            [u8::MAX] => self.order.number(&self.take::<8>(source)?),
            [length] => length.into(),
        };
        let chunk_end = (at / self.chunk.0 + 1) * self.chunk.0;
        if length > chunk_end - at {
            return Err(source.bad(at, "the record is longer than its chunk: the file is damaged"));
        }
        Ok(length)
    }

    /// Reads the fields of a record; false if the record is of no interest and was skipped.
    fn read_fields(&mut self, source: &Source, kind: u8, at: u64) -> Result<bool, TraceError> {
        self.fields.clear();
        let events = self.content == Content::Events;
        if events && !has_length(kind) {
            let [width] = self.take(source)?;
            self.fields.push(width);
            let width = if width == u8::MAX { 0 } else { width };
            if width > 8 {
                return Err(bad(source, at, FormatError::Width(width)));
            }
            self.copy(source, width.into())?;
            return Ok(is_known(kind));
        }
        let length = self.length(source, at)?;
        if events && !is_known(kind) {
            self.window.skip(length);
            return Ok(false);
        }
        self.copy(source, length as usize)?;
        Ok(true)
    }

    fn take<const N: usize>(&mut self, source: &Source) -> Result<[u8; N], TraceError> {
        let piece = self.piece;
        let taken = self.window.take(|at, into| source.append(at, piece, into))?;
        taken.ok_or_else(|| source.too_short())
    }

    /// Appends the next bytes to the fields.
    fn copy(&mut self, source: &Source, count: usize) -> Result<(), TraceError> {
        let piece = self.piece;
        let whole = self.window.copy(count, &mut self.fields, |at, into| source.append(at, piece, into))?;
        if whole { Ok(()) } else { Err(source.too_short()) }
    }
}

fn bad(source: &Source, at: u64, error: FormatError) -> TraceError {
    source.bad(at, format!("{error}: the file is damaged"))
}

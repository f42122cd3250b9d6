//! Chunks: files in pieces of a fixed size, so that readers can jump to a time.

use std::io::{self, Write};

pub(crate) const LITTLE_ENDIAN: u8 = 0x42;
pub(crate) const CHUNK_BEGIN: u8 = 3;
const TIME: u8 = 5;
/// After the last record of a file.
pub(crate) const FILE_END: [u8; 2] = [2, 1];
/// The bytes of a time in front of an event.
const TIME_BYTES: usize = 9;

/// The bytes of a chunk in front of its records.
pub const CHUNK_HEADER: usize = 18;

/// Bytes that are no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// The rest of the chunk is empty.
    ChunkEnd,
    /// The file ends.
    FileEnd,
    /// A chunk begins.
    ChunkBegin,
    /// A time.
    Time,
    /// Attributes of the next event.
    Attributes,
}

impl Marker {
    /// The marker with this code.
    pub fn from_code(code: u8) -> Option<Marker> {
        match code {
            0 => Some(Marker::ChunkEnd),
            1 | 2 => Some(Marker::FileEnd),
            CHUNK_BEGIN => Some(Marker::ChunkBegin),
            TIME => Some(Marker::Time),
            6 => Some(Marker::Attributes),
            _ => None,
        }
    }
}

/// The largest record that a chunk of so many bytes can hold.
pub fn largest_record(chunk: usize) -> usize {
    chunk.saturating_sub(CHUNK_HEADER + TIME_BYTES + FILE_END.len())
}

/// Writes records in chunks.
pub struct ChunkWriter<W> {
    out: W,
    size: usize,
    chunk: Vec<u8>,
    events: u64,
    /// The time of the last event.
    time: u64,
}

impl<W: Write> ChunkWriter<W> {
    /// Writes chunks of `size` bytes to `out`.
    pub fn new(out: W, size: usize) -> ChunkWriter<W> {
        let mut writer = ChunkWriter { out, size, chunk: Vec::new(), events: 0, time: 0 };
        writer.begin();
        writer
    }

    fn begin(&mut self) {
        self.chunk.clear();
        self.chunk.extend([CHUNK_BEGIN, LITTLE_ENDIAN]);
        self.chunk.extend((self.events + 1).to_le_bytes());
        self.chunk.extend([0; 8]);
    }

    /// Appends an event. Times must not go down.
    pub fn event(&mut self, time: u64, record: &[u8]) -> io::Result<()> {
        self.make_room(record.len() + TIME_BYTES)?;
        if time != self.time || self.chunk.len() == CHUNK_HEADER {
            self.chunk.push(TIME);
            self.chunk.extend(time.to_le_bytes());
            self.time = time;
        }
        self.chunk.extend_from_slice(record);
        self.events += 1;
        Ok(())
    }

    /// Appends a definition.
    pub fn definition(&mut self, record: &[u8]) -> io::Result<()> {
        self.make_room(record.len())?;
        self.chunk.extend_from_slice(record);
        Ok(())
    }

    /// Ends the chunk if the record does not fit into it.
    fn make_room(&mut self, record: usize) -> io::Result<()> {
        if self.chunk.len() + record + FILE_END.len() <= self.size {
            return Ok(());
        }
        self.write_chunk(self.size)?;
        self.begin();
        if self.chunk.len() + record + FILE_END.len() > self.size {
            let problem = format!("a record of {record} bytes, but chunks of OTF2 have {} bytes", self.size);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
        }
        Ok(())
    }

    fn write_chunk(&mut self, length: usize) -> io::Result<()> {
        self.chunk.resize(length, 0);
        self.chunk[10..CHUNK_HEADER].copy_from_slice(&self.events.to_le_bytes());
        self.out.write_all(&self.chunk)
    }

    /// Ends the file, and returns what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.chunk.extend(FILE_END);
        self.write_chunk(self.chunk.len())?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_as_libotf2_writes_it() {
        let file = ChunkWriter::new(Vec::new(), 256).finish().unwrap();
        assert_eq!(file, b"\x03\x42\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\x01");
    }

    #[test]
    fn full_chunks_are_followed_by_others() {
        let mut writer = ChunkWriter::new(Vec::new(), 64);
        for time in [7, 7, 8, 9, 9, 9] {
            writer.event(time, &[12; 10]).unwrap();
        }
        let file = writer.finish().unwrap();
        // Two events in each chunk.
        let number = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
        let numbers = [0, 64, 128].map(|chunk| (number(chunk + 2), number(chunk + 10)));
        assert_eq!(numbers, [(1, 2), (3, 4), (5, 6)]);
        assert_eq!(file[18..28], [5, 7, 0, 0, 0, 0, 0, 0, 0, 12]);
        // A chunk begins with the time, even if it has not changed.
        assert_eq!(file[128 + 18..128 + 20], [5, 9]);
        assert_eq!(file[file.len() - 2..], FILE_END);
        let error = ChunkWriter::new(Vec::new(), 64).definition(&[0; 64]).unwrap_err();
        assert_eq!(error.to_string(), "a record of 64 bytes, but chunks of OTF2 have 64 bytes");
    }
}

//! The events of all locations, until the end of the run.
//!
//! A file for each location would need as many open files as there are ranks. So the events of all of them go to one nameless file, in
//! blocks: each is of one location and says where the block before is. A location holds its last block in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Bytes of the blocks in memory, all together.
const BLOCKS: usize = 16 << 20;
/// In front of each block: where the block before ends (zero if it is the first), and its own length.
const BLOCK_HEAD: usize = 12;
/// In front of each record: time and length.
const HEAD: usize = 10;

/// The events of all locations.
pub(super) struct Streams {
    folder: PathBuf,
    file: Option<File>,
    /// The bytes of the file.
    length: u64,
    /// The bytes of a block.
    block: usize,
    streams: Vec<Stream>,
}

/// The events of a location.
#[derive(Default)]
struct Stream {
    block: Vec<u8>,
    /// Where its last block in the file ends; zero if there is none.
    end: u64,
    events: u64,
}

impl Streams {
    /// Nothing yet, of so many locations. More than fits into memory goes to `folder`.
    pub fn new(folder: PathBuf, locations: usize) -> Streams {
        let block = (BLOCKS / locations.max(1)).clamp(1 << 10, 1 << 16);
        let streams = (0..locations).map(|_| Stream::default()).collect();
        Streams { folder, file: None, length: 0, block, streams }
    }

    /// Adds a location, and returns its number.
    pub fn add(&mut self) -> usize {
        self.streams.push(Stream::default());
        self.streams.len() - 1
    }

    /// The number of locations.
    pub fn count(&self) -> usize {
        self.streams.len()
    }

    /// The number of events of a location.
    pub fn events(&self, location: usize) -> u64 {
        self.streams[location].events
    }

    /// Adds the event that `encode` appends to the bytes it is given.
    #[inline]
    pub fn push(&mut self, location: usize, time: u64, encode: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let stream = &mut self.streams[location];
        let start = stream.block.len();
        stream.block.extend_from_slice(&time.to_le_bytes());
        stream.block.extend_from_slice(&[0; 2]);
        encode(&mut stream.block);
        let length = (stream.block.len() - start - HEAD) as u16;
        stream.block[start + 8..start + HEAD].copy_from_slice(&length.to_le_bytes());
        stream.events += 1;
        if stream.block.len() >= self.block { self.spill(location) } else { Ok(()) }
    }

    /// The block of a location goes to the file.
    #[cold]
    fn spill(&mut self, location: usize) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.folder)?),
        };
        let stream = &mut self.streams[location];
        let mut head = [0; BLOCK_HEAD];
        head[..8].copy_from_slice(&stream.end.to_le_bytes());
        head[8..].copy_from_slice(&(stream.block.len() as u32).to_le_bytes());
        file.write_all_at(&stream.block, self.length)?;
        self.length += stream.block.len() as u64;
        // The head is behind its block, so that the end of a block leads to all blocks before.
        file.write_all_at(&head, self.length)?;
        self.length += BLOCK_HEAD as u64;
        stream.end = self.length;
        stream.block.clear();
        Ok(())
    }

    /// Hands out the events of a location in order, and forgets those that are in memory.
    pub fn drain(
        &mut self,
        location: usize,
        mut each: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let stream = std::mem::take(&mut self.streams[location]);
        if let Some(file) = &self.file {
            let mut block = Vec::new();
            for (start, length) in blocks(file, stream.end)?.into_iter().rev() {
                block.resize(length, 0);
                file.read_exact_at(&mut block, start)?;
                each_record(&block, &mut each)?;
            }
        }
        each_record(&stream.block, &mut each)
    }
}

/// Where the blocks of a location are, the last one first.
fn blocks(file: &File, mut end: u64) -> io::Result<Vec<(u64, usize)>> {
    let mut blocks = Vec::new();
    while end > 0 {
        let mut head = [0; BLOCK_HEAD];
        let head_at = end - BLOCK_HEAD as u64;
        file.read_exact_at(&mut head, head_at)?;
        let length = u32::from_le_bytes(head[8..].try_into().expect("four bytes"));
        blocks.push((head_at - u64::from(length), length as usize));
        end = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
    }
    Ok(blocks)
}

fn each_record(mut block: &[u8], each: &mut impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<()> {
    while let Some((head, rest)) = block.split_at_checked(HEAD) {
        let time = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
        let length = u16::from_le_bytes(head[8..].try_into().expect("two bytes"));
        let (record, rest) = rest.split_at(length.into());
        each(time, record)?;
        block = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_in_order_from_memory_and_from_the_file() {
        for block in [1 << 20, 100, 1] {
            let mut streams = Streams { block, ..Streams::new(std::env::temp_dir(), 2) };
            assert_eq!(streams.add(), 2);
            for time in 0..1_000u64 {
                let location = (time % 3) as usize;
                streams.push(location, time, |out| out.extend([7; 5][..location + 1].iter())).unwrap();
            }
            for location in 0..3 {
                assert_eq!(streams.events(location), if location == 0 { 334 } else { 333 });
                let mut times = Vec::new();
                let each = |time, record: &[u8]| {
                    assert_eq!(record, &[7; 5][..location + 1]);
                    times.push(time);
                    Ok(())
                };
                streams.drain(location, each).unwrap();
                assert!(times.iter().copied().eq((location as u64..1_000).step_by(3)), "{block}");
            }
        }
    }
}

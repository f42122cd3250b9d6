//! The frame around entries: header, blocks, footer, trailer. All numbers of fixed size are little-endian.

use mpirage_call::ContextId;
use mpirage_units::SPEED;

use crate::{Computation, varint};

pub(super) const MAGIC: &[u8; 8] = b"MPIRAGE\n";
pub(super) const END: &[u8; 8] = b"EGARIPM\n";
pub(super) const VERSION: u32 = 5;
/// The oldest version that is read. It does not say how computation was charged; version 2 does, but not which collectives are in
/// place; version 3 does, but has no regions and no accesses to windows or files, and takes tests that found nothing for sleeps;
/// version 4 has all that, but no threads.
pub(super) const OLDEST: u32 = 1;
/// The first version with threads.
const THREADS: u32 = 5;
/// Bytes of the header.
pub(super) const HEADER: usize = 16;
/// Bytes of the head of a block.
pub(super) const BLOCK: usize = 16;
/// Bytes of the trailer.
pub(super) const TRAILER: usize = 28;
/// No block is larger before it is compressed, unless a single entry is.
pub(super) const LARGEST: usize = 64 << 10;

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHead {
    /// The rank, or the number of a further thread.
    pub rank: u32,
    pub packed: Packed,
}

/// Compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Bytes in the file.
    pub stored: u32,
    /// Bytes before compression.
    pub raw: u32,
    /// Checksum of the bytes in the file.
    pub checksum: u32,
}

impl Packed {
    /// Can compression have achieved this? A damaged number must not cost memory.
    pub(super) fn is_plausible(self) -> bool {
        u64::from(self.raw) <= 256 * u64::from(self.stored) + 64
    }
}

impl BlockHead {
    pub(super) fn bytes(self) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        let Packed { stored, raw, checksum } = self.packed;
        for (into, word) in bytes.chunks_exact_mut(4).zip([self.rank, stored, raw, checksum]) {
            into.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(super) fn read(bytes: &[u8; BLOCK]) -> BlockHead {
        let word = |index: usize| u32_at(bytes, 4 * index);
        BlockHead { rank: word(0), packed: Packed { stored: word(1), raw: word(2), checksum: word(3) } }
    }
}

/// The end of the file: where the footer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    pub offset: u64,
    pub packed: Packed,
}

impl Trailer {
    pub(super) fn bytes(self) -> [u8; TRAILER] {
        let mut bytes = [0; TRAILER];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        let Packed { stored, raw, checksum } = self.packed;
        for (into, word) in bytes[8..20].chunks_exact_mut(4).zip([stored, raw, checksum]) {
            into.copy_from_slice(&word.to_le_bytes());
        }
        bytes[20..].copy_from_slice(END);
        bytes
    }

    /// None if this is no trailer.
    pub(super) fn read(bytes: &[u8; TRAILER]) -> Option<Trailer> {
        let offset = u64::from(u32_at(bytes, 0)) | u64::from(u32_at(bytes, 4)) << 32;
        let packed = Packed { stored: u32_at(bytes, 8), raw: u32_at(bytes, 12), checksum: u32_at(bytes, 16) };
        (bytes[20..] == END[..]).then_some(Trailer { offset, packed })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// The tables that all ranks share, and the index of their blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Footer {
    /// How computation was charged.
    pub computation: Computation,
    /// Call sites, by the number in entries minus 1.
    pub places: Vec<CallSite>,
    /// How many of the communicators exist from the start.
    pub given: u64,
    /// Communicators: their numbers, and their members as ranks of the world.
    pub communicators: Vec<(ContextId, Vec<u32>)>,
    /// The ranks of further threads, which are numbered after the ranks.
    pub threads: Vec<u32>,
    /// For each rank and each further thread: the number of its calls, and the distances between its blocks as varints.
    pub ranks: Vec<(u64, Vec<u8>)>,
}

/// A place in the program that calls an MPI function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallSite {
    /// The name of the MPI function; empty if the call is not an MPI function.
    pub function: String,
    /// The address of the instruction.
    pub site: u64,
    /// File and line; empty if they are not known.
    pub source: String,
}

impl Footer {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.computation.measured_on.unwrap_or(0.0).to_bits().to_le_bytes());
        varint::put(u64::from(self.computation.free), &mut bytes);
        varint::put(self.places.len() as u64, &mut bytes);
        for spot in &self.places {
            put_bytes(spot.function.as_bytes(), &mut bytes);
            varint::put(spot.site, &mut bytes);
            put_bytes(spot.source.as_bytes(), &mut bytes);
        }
        varint::put(self.given, &mut bytes);
        varint::put(self.communicators.len() as u64, &mut bytes);
        for (context, members) in &self.communicators {
            varint::put(u64::from(context.get()), &mut bytes);
            varint::put(members.len() as u64, &mut bytes);
            let mut previous = 0;
            for &member in members {
                varint::put_signed(i64::from(member) - previous, &mut bytes);
                previous = i64::from(member);
            }
        }
        varint::put(self.threads.len() as u64, &mut bytes);
        self.threads.iter().for_each(|&rank| varint::put(u64::from(rank), &mut bytes));
        varint::put(self.ranks.len() as u64, &mut bytes);
        for (calls, blocks) in &self.ranks {
            varint::put(*calls, &mut bytes);
            put_bytes(blocks, &mut bytes);
        }
        bytes
    }

    /// Reads a footer of this version of the format; none if the bytes are not one.
    pub(super) fn read(bytes: &[u8], version: u32) -> Option<Footer> {
        let measured_on = match f64::from_bits(u64::from_le_bytes(*bytes.first_chunk()?)) {
            0.0 => None,
            speed => Some(SPEED.check(speed).ok()?),
        };
        let mut at = 8;
        let number = |at: &mut usize| varint::get(bytes, at);
        let free = match version {
            OLDEST => false,
            _ => [false, true].into_iter().nth(usize::try_from(number(&mut at)?).ok()?)?,
        };
        let mut footer = Footer { computation: Computation { measured_on, free }, ..Footer::default() };
        for _ in 0..number(&mut at)? {
            let function = text(bytes, &mut at)?;
            let site = number(&mut at)?;
            footer.places.push(CallSite { function, site, source: text(bytes, &mut at)? });
        }
        footer.given = number(&mut at)?;
        for _ in 0..number(&mut at)? {
            let context = ContextId::new(u32::try_from(number(&mut at)?).ok()?);
            let (mut members, mut previous) = (Vec::new(), 0i64);
            for _ in 0..number(&mut at)? {
                previous = previous.checked_add(varint::get_signed(bytes, &mut at)?)?;
                members.push(u32::try_from(previous).ok()?);
            }
            footer.communicators.push((context, members));
        }
        let threads = if version >= THREADS { number(&mut at)? } else { 0 };
        for _ in 0..threads {
            footer.threads.push(u32::try_from(number(&mut at)?).ok()?);
        }
        for _ in 0..number(&mut at)? {
            let calls = number(&mut at)?;
            footer.ranks.push((calls, take_bytes(bytes, &mut at)?.to_vec()));
        }
        (at == bytes.len()).then_some(footer)
    }
}

fn put_bytes(more: &[u8], bytes: &mut Vec<u8>) {
    varint::put(more.len() as u64, bytes);
    bytes.extend_from_slice(more);
}

fn take_bytes<'b>(bytes: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let length = usize::try_from(varint::get(bytes, at)?).ok()?;
    let taken = bytes.get(*at..)?.get(..length)?;
    *at += length;
    Some(taken)
}

fn text(bytes: &[u8], at: &mut usize) -> Option<String> {
    String::from_utf8(take_bytes(bytes, at)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_comes_back_and_half_of_one_does_not() {
        let spot =
            CallSite { function: "MPI_Send".to_owned(), site: 0x4011aa, source: "halo.c:12".to_owned() };
        let footer = Footer {
            computation: Computation { measured_on: Some(2e9), free: true },
            places: vec![spot, CallSite::default()],
            given: 1,
            communicators: vec![(ContextId::new(2), vec![3, 1, 2]), (ContextId::new(9), vec![])],
            threads: vec![0],
            ranks: vec![(17, vec![16, 1]), (0, vec![]), (2, vec![9])],
        };
        let bytes = footer.bytes();
        assert_eq!(Footer::read(&bytes, VERSION), Some(footer.clone()));
        for length in 0..bytes.len() {
            assert_eq!(Footer::read(&bytes[..length], VERSION), None, "{length} bytes of {}", bytes.len());
        }
        for speed in [f64::NAN, f64::INFINITY, -1.0] {
            let bad = [&speed.to_bits().to_le_bytes()[..], &bytes[8..]].concat();
            assert_eq!(Footer::read(&bad, VERSION), None, "{speed} flops");
        }
        // Two numbers say that rank 0 has a further thread. They stand before the three lists of blocks, which take 10 bytes.
        let (start, lists) = bytes.split_at(bytes.len() - 10);
        let without = [&start[..start.len() - 2], lists].concat();
        let single = Footer { threads: Vec::new(), ..footer.clone() };
        assert_eq!(Footer::read(&without, THREADS - 1), Some(single));
        let oldest = [&without[..8], &without[9..]].concat();
        let charged = Footer::read(&oldest, OLDEST).unwrap().computation;
        assert_eq!(charged, Computation { measured_on: Some(2e9), free: false });
    }

    #[test]
    fn members_that_no_number_can_be_are_refused() {
        let mut bytes = vec![0; 8];
        [0, 0, 1, 2, 2].into_iter().for_each(|number| varint::put(number, &mut bytes));
        [i64::from(u32::MAX), i64::MAX].into_iter().for_each(|gap| varint::put_signed(gap, &mut bytes));
        varint::put(0, &mut bytes);
        assert_eq!(Footer::read(&bytes, OLDEST), None);
    }

    #[test]
    fn heads_and_trailers_come_back() {
        let packed = Packed { stored: 300, raw: 70000, checksum: 0xdead_beef };
        let head = BlockHead { rank: 7, packed };
        assert_eq!(BlockHead::read(&head.bytes()), head);
        let trailer = Trailer { offset: 1 << 40, packed };
        assert_eq!(Trailer::read(&trailer.bytes()), Some(trailer));
        assert_eq!(Trailer::read(&[0; TRAILER]), None);
    }
}

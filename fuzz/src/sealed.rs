//! Builds files with checksums from their contents.
//!
//! Readers of formats with checksums, compression or offsets reject almost every mutated file at once. So the targets of these formats
//! mutate the contents, as pieces with a separator between them, and this module adds valid checksums and
//! offsets. Whole files test the rejection of invalid ones.

/// Separates pieces.
pub const SEPARATOR: &[u8] = b"\n--\n";

/// The pieces between separators.
pub fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    while let Some(length) = bytes[from..].windows(SEPARATOR.len()).position(|part| part == SEPARATOR) {
        pieces.push(&bytes[from..from + length]);
        from += length + SEPARATOR.len();
    }
    pieces.push(&bytes[from..]);
    pieces
}

/// A trace in mpirage's own format. The first piece is the number of ranks and the footer up to its list of ranks; the others are the rank and
/// the entries of a block.
pub fn binary(pieces: &[&[u8]]) -> Vec<u8> {
    let (&ranks, front) = pieces[0].split_first().unwrap_or((&1, &[]));
    let ranks = ranks.clamp(1, 8);
    let mut file = b"MPIRAGE\n".to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend(u32::from(ranks).to_le_bytes());
    let mut blocks = vec![(0, Vec::new()); usize::from(ranks)];
    for piece in &pieces[1..] {
        let Some((&rank, entries)) = piece.split_first() else { continue };
        let (last, gaps) = &mut blocks[usize::from(rank % ranks)];
        put(file.len() as u64 - *last, gaps);
        *last = file.len() as u64;
        file.extend(u32::from(rank % ranks).to_le_bytes());
        packed(entries, &mut file, |_| ());
    }
    let mut footer = front.to_vec();
    put(u64::from(ranks), &mut footer);
    for (_, gaps) in blocks {
        put(1, &mut footer);
        put(gaps.len() as u64, &mut footer);
        footer.extend(gaps);
    }
    let at = file.len() as u64;
    let mut trailer = at.to_le_bytes().to_vec();
    let mut rest = Vec::new();
    packed(&footer, &mut rest, |head| trailer.extend(head));
    file.extend(&rest[12..]);
    file.extend(trailer);
    file.extend(b"EGARIPM\n");
    file
}

/// Writes lengths, checksum and compressed bytes; calls `head` with lengths and checksum.
fn packed(bytes: &[u8], into: &mut Vec<u8>, head: impl FnOnce(&[u8])) {
    let stored = lz4_flex::block::compress(bytes);
    let at = into.len();
    for word in [stored.len() as u32, bytes.len() as u32, crc32fast::hash(&stored)] {
        into.extend(word.to_le_bytes());
    }
    head(&into[at..]);
    into.extend(stored);
}

/// A varint: seven bits per byte.
fn put(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// The file of a rank of DUMPI, from its records.
pub fn dumpi(records: &[u8]) -> Vec<u8> {
    let mut file = b"\xff\xaa\xddDUMPI".to_vec();
    // The biases of two clocks.
    file.extend([0; 8]);
    file.extend(records);
    // The end of the records.
    file.extend(293u16.to_be_bytes());
    let header = file.len() as u64;
    file.extend([1, 0, 0]);
    file.extend(b"\xff\xaa\xddDUMPI");
    for offset in [0, 0, 0, header, 8, 0, 0] {
        file.extend(u64::to_be_bytes(offset));
    }
    file
}

/// A compiled GOAL file, from the schedules of its ranks.
pub fn goal(ranks: &[&[u8]]) -> Vec<u8> {
    let mut file = 4223u64.to_le_bytes().to_vec();
    file.extend((ranks.len() as u32).to_le_bytes());
    file.extend([255, 255]);
    // Offsets are relative to the end of the first number.
    let mut at = 6 + 16 * ranks.len() as u64;
    for rank in ranks {
        for place in [at, at + rank.len() as u64] {
            file.extend(place.to_le_bytes());
        }
        at += rank.len() as u64;
    }
    file.extend(ranks.concat());
    file
}

#[cfg(test)]
mod tests {
    use mpirage_trace::{Dumpi, Goal, open};

    use super::*;

    /// The seeds that hold contents.
    fn seeds(target: &str) -> Vec<Vec<u8>> {
        let folder = format!("{}/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
        let files =
            std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        let seeds: Vec<_> = files.filter(|bytes| bytes.windows(4).any(|part| part == SEPARATOR)).collect();
        assert!(!seeds.is_empty());
        seeds
    }

    #[test]
    fn what_is_sealed_can_be_opened() {
        for seed in seeds("binary") {
            let path = crate::file("sealed.mpirage", &binary(&pieces(&seed)));
            let opened = open(path.to_str().unwrap());
            std::fs::remove_file(path).unwrap();
            opened.map(|workload| assert!(workload.ranks() > 1)).unwrap();
        }
        for seed in seeds("dumpi") {
            Dumpi::from_bytes(pieces(&seed).into_iter().map(dumpi).collect()).unwrap();
        }
        for seed in seeds("goal_binary") {
            Goal::from_bytes(std::path::Path::new("x.bin"), goal(&pieces(&seed))).unwrap();
        }
    }
}

//! Bytes that are compressed as they come, harder or less hard as it goes on.
//!
//! What `flate2` has for files keeps to one level, and clears its buffer for each column.

use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// What files of this kind begin with; without a name and a date.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Compressed bytes that are passed on at once.
const AT_ONCE: usize = 1 << 14;

/// Writes what it is given as gzip.
pub(crate) struct Gzip<W> {
    out: W,
    level: u32,
    compress: Compress,
    packed: Vec<u8>,
    /// Compressed bytes so far.
    given: u64,
    sum: Crc,
}

impl<W: Write> Gzip<W> {
    pub fn new(mut out: W, level: u32) -> io::Result<Gzip<W>> {
        out.write_all(&HEADER)?;
        let compress = Compress::new(Compression::new(level), false);
        Ok(Gzip { out, level, compress, packed: vec![0; AT_ONCE], given: 0, sum: Crc::new() })
    }

    /// What comes next is compressed so hard, without looking at what came before. (A compressor cannot change from one
    /// algorithm to another: zlib-rs 0.6 says that is an error.)
    pub fn set_level(&mut self, level: u32) -> io::Result<()> {
        if level != self.level {
            // Up to a whole byte, where another can begin.
            self.run(&[], FlushCompress::Sync)?;
            self.compress = Compress::new(Compression::new(level), false);
            self.level = level;
        }
        Ok(())
    }

    /// Writes bytes, and says how many they have become.
    pub fn write_and_count(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.run(&[], FlushCompress::Sync)?;
        let before = self.given;
        self.write_all(bytes)?;
        self.run(&[], FlushCompress::Sync)?;
        Ok(self.given - before)
    }

    /// Writes the last bytes, and gives back whom it wrote to.
    pub fn finish(mut self) -> io::Result<W> {
        self.run(&[], FlushCompress::Finish)?;
        self.out.write_all(&self.sum.sum().to_le_bytes())?;
        self.out.write_all(&self.sum.amount().to_le_bytes())?;
        Ok(self.out)
    }

    fn run(&mut self, mut bytes: &[u8], how: FlushCompress) -> io::Result<()> {
        loop {
            let (taken, given) = (self.compress.total_in(), self.compress.total_out());
            let status = self.compress.compress(bytes, &mut self.packed, how)?;
            bytes = &bytes[(self.compress.total_in() - taken) as usize..];
            let given = (self.compress.total_out() - given) as usize;
            self.out.write_all(&self.packed[..given])?;
            self.given += given as u64;
            // Where there is room left, nothing waits.
            if status == Status::StreamEnd || bytes.is_empty() && given < AT_ONCE {
                return Ok(());
            }
        }
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sum.update(bytes);
        self.run(bytes, FlushCompress::None)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.run(&[], FlushCompress::Sync)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn levels_change_on_the_way() {
        // Some that compress well and some that do not, so that the buffer is full now and then.
        let mut random = 1u32;
        let mut noise = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        };
        let pieces: Vec<Vec<u8>> = (0..12usize)
            .map(|at| match at % 3 {
                0 => vec![at as u8; 100_000],
                1 => (0..at * 9_000).map(|_| noise()).collect(),
                _ => (0..at).map(|_| noise()).collect(),
            })
            .collect();
        let mut packed = Vec::new();
        let mut out = Gzip::new(&mut packed, 4).unwrap();
        for (piece, level) in pieces.iter().zip([4, 2, 2, 4].into_iter().cycle()) {
            out.set_level(level).unwrap();
            out.write_all(piece).unwrap();
        }
        out.finish().unwrap();
        let mut read = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut read).unwrap();
        assert_eq!(read, pieces.concat());
    }

    #[test]
    fn noise_does_not_shrink() {
        let mut out = Gzip::new(Vec::new(), 2).unwrap();
        let noise: Vec<u8> =
            (1..20_000u32).map(|at| (at.wrapping_mul(at * 2_654_435_761) >> 13) as u8).collect();
        assert!(out.write_and_count(&noise).unwrap() > 18_000);
        assert!(out.write_and_count(&[7; 20_000]).unwrap() < 200);
        out.set_level(0).unwrap();
        assert!(out.write_and_count(&[7; 20_000]).unwrap() >= 20_000);
    }

    #[test]
    fn nothing_is_something() {
        let mut packed = Vec::new();
        Gzip::new(&mut packed, 2).unwrap().finish().unwrap();
        let mut read = Vec::new();
        assert_eq!(GzDecoder::new(packed.as_slice()).read_to_end(&mut read).unwrap(), 0);
    }
}

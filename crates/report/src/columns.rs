//! Numbers of all ranks, one rank after the other, each in as many bytes as it needs.

use mpirage_call::varint;

use crate::container::Container;

/// Bytes of a number, at most.
const LONGEST: usize = 10;

/// Numbers one after the other.
#[derive(Default)]
pub(crate) struct Numbers {
    /// With room for more behind the last.
    bytes: Vec<u8>,
    length: usize,
}

impl Numbers {
    /// Appends a number.
    #[inline]
    pub fn put(&mut self, value: u64) {
        if self.length + LONGEST > self.bytes.len() {
            self.make_room();
        }
        if value < 0x80 {
            self.bytes[self.length] = value as u8;
            self.length += 1;
            return;
        }
        match varint::spread(value) {
            // Eight bytes, whatever the length: the next number is written over those that are too many.
            Some((spread, length)) => {
                self.bytes[self.length..self.length + 8].copy_from_slice(&spread.to_le_bytes());
                self.length += length as usize;
            }
            None => self.put_very_long(value),
        }
    }

    #[cold]
    fn make_room(&mut self) {
        self.bytes.resize(2 * self.bytes.len() + 1024, 0);
    }

    #[cold]
    fn put_very_long(&mut self, value: u64) {
        self.bytes.truncate(self.length);
        varint::put(value, &mut self.bytes);
        self.length = self.bytes.len();
    }

    /// All bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes
    }
}

/// Numbers of all ranks, and where those of each begin.
#[derive(Default)]
pub(crate) struct Column {
    index: Vec<u32>,
    pub numbers: Numbers,
}

impl Column {
    /// What comes now is the next rank's.
    pub fn begin_rank(&mut self) {
        self.index.push(self.numbers.length as u32);
    }

    /// Adds the column, and where ranks begin in it, to the data.
    pub fn write(self, out: &mut Container, name: &str) {
        out.section(&format!("{name}_index"), self.index);
        out.bytes(name, self.numbers.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_again() {
        let mut column = Column::default();
        let values: Vec<u64> = (0..64).map(|bits| u64::MAX >> bits).chain(0..2_000).collect();
        for (at, &value) in values.iter().enumerate() {
            if at % 1_000 == 0 {
                column.begin_rank();
            }
            column.numbers.put(value);
        }
        let bytes = column.numbers.finish();
        let mut at = column.index[0] as usize;
        for &value in &values {
            assert_eq!(varint::get(&bytes, &mut at), Some(value));
        }
        assert_eq!(at, bytes.len());
        assert_eq!(varint::get(&bytes, &mut (column.index[2] as usize)), Some(values[2_000]));
    }
}

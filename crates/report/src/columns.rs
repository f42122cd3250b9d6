//! Numbers of all ranks, one rank after the other, each in as many bytes as it needs.

use mpirage_call::varint;

use crate::container::Container;

/// Numbers one after the other.
#[derive(Default)]
pub(crate) struct Numbers(Vec<u8>);

impl Numbers {
    /// Appends a number.
    #[inline]
    pub fn put(&mut self, value: u64) {
        let Numbers(bytes) = self;
        if value < 0x80 {
            return bytes.push(value as u8);
        }
        match varint::spread(value) {
            // Eight bytes, whatever the length; those that are too many are taken back.
            Some((spread, length)) => {
                let end = bytes.len() + length as usize;
                bytes.extend_from_slice(&spread.to_le_bytes());
                bytes.truncate(end);
            }
            None => varint::put(value, bytes),
        }
    }

    /// All bytes.
    pub fn finish(self) -> Vec<u8> {
        self.0
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
        self.index.push(self.numbers.0.len() as u32);
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

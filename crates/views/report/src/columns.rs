//! Numbers of all ranks, rank by rank, as LEB128 variable-length integers.

use mpirage_call::varint;

use crate::container::Container;

/// Variable-length integers.
#[derive(Default)]
pub(crate) struct Numbers(Vec<u8>);

impl Numbers {
    #[inline]
    pub fn put(&mut self, value: u64) {
        varint::put(value, &mut self.0);
    }
}

/// Numbers of all ranks, and where those of each begin.
#[derive(Default)]
pub(crate) struct Column {
    index: Vec<u32>,
    pub numbers: Numbers,
}

impl Column {
    /// Starts the numbers of the next rank.
    pub fn begin_rank(&mut self) {
        self.index.push(self.numbers.0.len() as u32);
    }

    /// Adds the column, and the bytes of each rank in it, to the data.
    pub fn write(self, out: &mut Container, name: &str) {
        let ends = self.index.iter().skip(1).copied().chain([self.numbers.0.len() as u32]);
        out.section(&format!("{name}_bytes"), ends.zip(&self.index).map(|(end, begin)| end - begin));
        out.numbers::<u8>(name, self.numbers.0);
    }

    /// The numbers from the beginning of a rank on.
    #[cfg(test)]
    pub fn read(&self, rank: usize) -> impl Iterator<Item = u64> {
        let mut at = self.index[rank] as usize;
        std::iter::from_fn(move || varint::get(&self.numbers.0, &mut at))
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
        assert_eq!(column.read(0).collect::<Vec<_>>(), values);
        assert_eq!(column.read(2).next(), Some(values[2_000]));
    }
}

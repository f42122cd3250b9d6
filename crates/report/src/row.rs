//! A few numbers, in as few bytes as they need, that are appended at once.

/// Numbers of seven bits a byte (`varint`), put together before they are appended.
pub(crate) struct Row {
    bytes: [u8; Row::ROOM],
    length: usize,
}

impl Row {
    /// Room for nine numbers of any size.
    const ROOM: usize = 90;

    pub fn new() -> Row {
        Row { bytes: [0; Row::ROOM], length: 0 }
    }

    /// Adds a number; there are no more than nine.
    #[inline]
    pub fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes[self.length] = number as u8 | 0x80;
            self.length += 1;
            number >>= 7;
        }
        self.bytes[self.length] = number as u8;
        self.length += 1;
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::varint;

    use super::*;

    #[test]
    fn a_row_is_what_its_numbers_are() {
        let mut out = Vec::new();
        for number in [0, 127, 128, u64::MAX] {
            varint::put(number, &mut out);
        }
        let mut row = Row::new();
        for number in [0, 127, 128, u64::MAX] {
            row.push(number);
        }
        assert_eq!(row.bytes(), out);
    }
}

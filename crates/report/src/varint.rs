//! Numbers in as few bytes as they need.

/// Appends a number, seven bits to a byte, the lowest first.
#[inline]
pub(crate) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A few numbers, put together before they are appended at once.
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

/// Numbers near zero become small, whatever their sign.
#[inline]
pub(crate) fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_short() {
        let mut out = Vec::new();
        for number in [0, 127, 128, u64::MAX] {
            push(&mut out, number);
        }
        assert_eq!(out[..4], [0, 127, 128, 1]);
        assert_eq!(out.len(), 14);
        let mut row = Row::new();
        for number in [0, 127, 128, u64::MAX] {
            row.push(number);
        }
        assert_eq!(row.bytes(), out);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}

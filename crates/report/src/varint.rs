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
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}

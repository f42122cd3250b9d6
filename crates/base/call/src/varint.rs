//! Whole numbers in as many bytes as they need (LEB128): seven bits in each byte, the lowest first.

/// Appends a number.
#[inline]
pub fn put(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// The bytes of a number as one word, the first byte lowest, and how many there are; none if there are more than eight.
#[inline]
pub fn spread(value: u64) -> Option<(u64, u32)> {
    if value >> 56 != 0 {
        return None;
    }
    let length = (u64::BITS - (value | 1).leading_zeros()).div_ceil(7);
    // Seven bits in each byte: first four of them in each half, then two in each quarter.
    let halves = value & 0xfff_ffff | (value & 0xff_ffff_f000_0000) << 4;
    let quarters = halves & 0x3fff_0000_3fff | (halves & 0xfff_c000_0fff_c000) << 2;
    let bytes = quarters & 0x7f_007f_007f_007f | (quarters & 0x3f80_3f80_3f80_3f80) << 1;
    let more = 0x8080_8080_8080_8080 & ((1 << (8 * (length - 1))) - 1);
    Some((bytes | more, length))
}

/// The inverse of [`spread`] for a number of `length` bytes.
#[inline]
fn gathered(bytes: u64, length: u32) -> u64 {
    let bytes = bytes & (0x7f7f_7f7f_7f7f_7f7f >> (u64::BITS - 8 * length));
    let quarters = bytes & 0x7f_007f_007f_007f | (bytes >> 1) & 0x3f80_3f80_3f80_3f80;
    let halves = quarters & 0x3fff_0000_3fff | (quarters >> 2) & 0xfff_c000_0fff_c000;
    halves & 0xfff_ffff | (halves >> 4) & 0xff_ffff_f000_0000
}

/// Appends a number that may be negative; small ones of either sign are short.
#[inline]
pub fn put_signed(value: i64, into: &mut Vec<u8>) {
    put(zigzag(value), into);
}

/// The zigzag encoding: numbers near zero become small, whatever their sign.
#[inline]
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Reads a number; none if the bytes end before it does, or if it has more than 64 bits.
#[inline]
pub fn get(bytes: &[u8], at: &mut usize) -> Option<u64> {
    // Most are one byte or two.
    match *bytes.get(*at..)? {
        [low, ..] if low < 0x80 => {
            *at += 1;
            Some(u64::from(low))
        }
        [low, high, ..] if high < 0x80 => {
            *at += 2;
            Some(u64::from(low & 0x7f) | u64::from(high) << 7)
        }
        _ => get_long(bytes, at),
    }
}

#[inline(never)]
fn get_long(bytes: &[u8], at: &mut usize) -> Option<u64> {
    if let Some(next) = bytes.get(*at..).and_then(<[u8]>::first_chunk) {
        let next = u64::from_le_bytes(*next);
        let ends = !next & 0x8080_8080_8080_8080;
        if ends != 0 {
            let length = ends.trailing_zeros() / 8 + 1;
            *at += length as usize;
            return Some(gathered(next, length));
        }
    }
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Reads a number that may be negative.
#[inline]
pub fn get_signed(bytes: &[u8], at: &mut usize) -> Option<i64> {
    get(bytes, at).map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_early_is_none() {
        for value in [127, 128, 1 << 14, u64::MAX] {
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            assert_eq!((get(&bytes, &mut 0), get(&bytes[..bytes.len() - 1], &mut 0)), (Some(value), None));
        }
        assert_eq!(get(&[], &mut 1), None);
    }

    #[test]
    fn all_bytes_at_once_are_the_same() {
        for bits in 0..=64 {
            for value in [0x5555_5555_5555_5555, 0xb6db_6db6_db6d_b6db, u64::MAX] {
                let value = u64::checked_shr(value, 64 - bits).unwrap_or(0);
                let mut bytes = Vec::new();
                put(value, &mut bytes);
                match spread(value) {
                    Some((spread, length)) => assert_eq!(spread.to_le_bytes()[..length as usize], bytes),
                    None => assert!(bytes.len() > 8),
                }
                // The bytes after it do not matter, nor whether there are any.
                let (mut at, length) = (0, bytes.len());
                assert_eq!((get(&bytes, &mut at), at), (Some(value), length));
                for next in [0, 0x7f, 0x80, 0xff] {
                    let (mut bytes, mut at) = (bytes.clone(), 0);
                    bytes.resize(length + 9, next);
                    assert_eq!((get(&bytes, &mut at), at), (Some(value), length));
                }
            }
        }
    }

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, 63, -64, 64, i64::MIN, i64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&value| put(value, &mut bytes));
        signed.iter().for_each(|&value| put_signed(value, &mut bytes));
        let mut at = 0;
        assert!(numbers.iter().all(|&value| get(&bytes, &mut at) == Some(value)));
        assert!(signed.iter().all(|&value| get_signed(&bytes, &mut at) == Some(value)));
        assert_eq!(get(&bytes, &mut at), None);
        assert_eq!(get(&[0xff; 12], &mut 0), None, "no end");
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}

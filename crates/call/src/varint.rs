//! Whole numbers in as many bytes as they need: seven bits each, the lowest first.

/// Appends a number.
#[inline]
pub fn put(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// Appends a number that may be negative; small ones of either sign are short.
#[inline]
pub fn put_signed(value: i64, into: &mut Vec<u8>) {
    put(folded(value), into);
}

/// Numbers near zero become small, whatever their sign.
#[inline]
pub fn folded(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Takes a number; none if the bytes end or it is too long.
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

/// Takes a number that may be negative.
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
        assert_eq!([0, -1, 1, -2].map(folded), [0, 1, 2, 3]);
    }
}

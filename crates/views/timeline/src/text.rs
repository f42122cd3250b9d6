//! Numbers as text, appended to bytes without a detour.

use itoa::Integer;

/// Appends a whole number.
#[inline]
pub(crate) fn number(text: &mut Vec<u8>, number: impl Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends whole numbers, a colon before each.
#[inline]
pub(crate) fn fields<const N: usize>(text: &mut Vec<u8>, numbers: [u64; N]) {
    for value in numbers {
        text.push(b':');
        number(text, value);
    }
}

/// Appends picoseconds as seconds, all twelve digits.
#[inline]
pub(crate) fn seconds(text: &mut Vec<u8>, picos: u64) {
    const SECOND: u64 = 1_000_000_000_000;
    number(text, picos / SECOND);
    text.push(b'.');
    let mut digits = itoa::Buffer::new();
    // The leading one keeps the zeros after the point.
    text.extend_from_slice(&digits.format(SECOND + picos % SECOND).as_bytes()[1..]);
}

/// Appends picoseconds as seconds, without zeros at the end.
#[inline]
pub(crate) fn short_seconds(text: &mut Vec<u8>, picos: u64) {
    seconds(text, picos);
    while text.last() == Some(&b'0') {
        text.pop();
    }
    // A whole number keeps one.
    if text.last() == Some(&b'.') {
        text.push(b'0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_all_their_digits() {
        let mut text = Vec::new();
        seconds(&mut text, 3_000_000_000_007);
        fields(&mut text, [1, 20]);
        number(&mut text, -3i32);
        assert_eq!(text, b"3.000000000007:1:20-3");
        text.clear();
        short_seconds(&mut text, 2_500_000_000_000);
        short_seconds(&mut text, 10_000_000_000_000);
        assert_eq!(text, b"2.510.0");
    }
}

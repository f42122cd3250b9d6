//! Words and numbers of one line, without copying and without looking twice.

/// The words of a line, from left to right.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a [u8]) -> Words<'a> {
        Words { rest: line }
    }

    /// The rest of the line.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next word as a whole number, read as it is found; the word itself if it is none.
    #[inline]
    pub(super) fn next_whole(&mut self) -> Option<Result<u64, &'a [u8]>> {
        let mut at = 0;
        while self.rest.get(at).is_some_and(|&byte| byte <= b' ') {
            at += 1;
        }
        let (start, mut value) = (at, 0u64);
        while let Some(&byte) = self.rest.get(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        // Nineteen digits may be too many.
        if (1..19).contains(&(at - start)) && self.rest.get(at).is_none_or(|&byte| byte <= b' ') {
            self.rest = &self.rest[at..];
            return Some(Ok(value));
        }
        self.next().map(Err)
    }

    /// How many are left.
    pub(super) fn count(self) -> usize {
        let mut words = self;
        let mut count = 0;
        while words.next().is_some() {
            count += 1;
        }
        count
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| byte > b' ')?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(|&byte| byte <= b' ').unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// Powers of ten that are exact.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A whole number, as most numbers of a trace are.
#[inline]
pub(super) fn whole(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    let mut value = 0;
    for &byte in word {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// Any number.
#[inline]
pub(super) fn number(word: &[u8]) -> Option<f64> {
    match whole(word) {
        // Up to here every whole number is one of floating point.
        Some(value) if value <= 1 << 53 => Some(value as f64),
        _ => short_decimal(word)
            .or_else(|| std::str::from_utf8(word).ok()?.parse().ok())
            .filter(|value: &f64| value.is_finite()),
    }
}

/// A decimal number with few enough digits that one operation rounds it right: digits times or by an exact power of ten.
fn short_decimal(word: &[u8]) -> Option<f64> {
    let (negative, word) = match word {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, word),
    };
    let (digits, exponent) = match word.iter().position(|&byte| byte | 0x20 == b'e') {
        Some(at) => (&word[..at], signed(&word[at + 1..])?),
        None => (word, 0),
    };
    let (mut value, mut scale, mut seen, mut point) = (0u64, exponent, 0, false);
    for &byte in digits {
        if byte == b'.' && !point {
            point = true;
            continue;
        }
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 || seen == 15 {
            return None;
        }
        value = value * 10 + u64::from(digit);
        scale -= i64::from(point);
        seen += 1;
    }
    if seen == 0 {
        return None;
    }
    let power = TENS.get(usize::try_from(scale.unsigned_abs()).ok()?)?;
    let size = if scale < 0 { value as f64 / power } else { value as f64 * power };
    Some(if negative { -size } else { size })
}

/// A whole number that may have a sign.
pub(super) fn signed(word: &[u8]) -> Option<i64> {
    match word {
        [b'-', rest @ ..] => whole(rest).map(|value| -(value as i64)),
        [b'+', rest @ ..] => whole(rest).map(|value| value as i64),
        _ => whole(word).map(|value| value as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_is_between_blanks() {
        let words: Vec<&[u8]> = Words::of(b" 0\tsend  1 0 1e6 \r").collect();
        assert_eq!(words, [&b"0"[..], b"send", b"1", b"0", b"1e6"]);
        assert_eq!(Words::of(b"0 init").count(), 2);
        assert_eq!(Words::of(b"  ").next(), None);
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "1",
            "127161",
            "5e8",
            "5E4",
            "1.27161e+06",
            "2.5e-7",
            "0.001",
            "123456789.25",
            "9007199254740993",
            "123456789012345678901234567890",
            "1e300",
            "-1",
            "-2.5",
            "3.14159265358979312",
            "1e23",
            "8.5e-324",
        ] {
            assert_eq!(number(text.as_bytes()), text.parse().ok(), "{text}");
        }
        for text in ["", "x", "1x", "1e", "--1", "1.2.3", ".", "1e999", "nan"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_found() {
        let mut words = Words::of(b"  12 -3 1e6\t007 123456789012345678901 x");
        assert_eq!(words.next_whole(), Some(Ok(12)));
        assert_eq!(words.next_whole(), Some(Err(&b"-3"[..])));
        assert_eq!(words.next_whole(), Some(Err(&b"1e6"[..])));
        assert_eq!(words.next_whole(), Some(Ok(7)));
        assert_eq!(words.next_whole(), Some(Err(&b"123456789012345678901"[..])));
        assert_eq!(words.next_whole(), Some(Err(&b"x"[..])));
        assert_eq!(words.next_whole(), None);
    }

    #[test]
    fn whole_numbers_have_digits_only() {
        assert_eq!(whole(b"275427"), Some(275427));
        assert_eq!((whole(b""), whole(b"-1"), whole(b"1e6")), (None, None, None));
        assert_eq!((signed(b"-1"), signed(b"+7"), signed(b"x")), (Some(-1), Some(7), None));
    }
}

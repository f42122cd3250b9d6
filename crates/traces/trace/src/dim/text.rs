//! Lines of a trace: fields between colons.

use std::path::Path;

use crate::error::{TraceError, TracePlace};
use crate::source::{Source, Window};

/// One line, and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub file: &'a Path,
    pub text: &'a [u8],
    /// Where it starts in the file.
    pub at: u64,
}

impl<'a> Line<'a> {
    /// The next line of a window, without its end; none at the end of the file. Reads `chunk` bytes at a time.
    #[inline]
    pub fn next(
        window: &'a mut Window,
        source: &'a Source,
        chunk: usize,
    ) -> Result<Option<Line<'a>>, TraceError> {
        let at = window.position();
        let line = window.line(|at, into| source.append(at, chunk, into))?;
        Ok(line.map(|line| Line { file: source.name(), text: window.text(line).trim_ascii_end(), at }))
    }

    /// The fields between the colons.
    pub fn fields(&self) -> Fields<'a> {
        Fields { line: *self, rest: Some(self.text) }
    }

    /// Something is wrong with it.
    pub fn bad(&self, problem: impl Into<String>) -> TraceError {
        let text = String::from_utf8_lossy(&self.text[..self.text.len().min(80)]).into_owned();
        TraceError::bad(self.file, TracePlace::Byte(self.at), format!("{}, in `{text}`", problem.into()))
    }
}

/// The fields of a line that are left.
pub(crate) struct Fields<'a> {
    line: Line<'a>,
    rest: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    /// The next field, if there is one.
    pub fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let colon = rest.iter().position(|&byte| byte == b':');
        let (field, rest) = match colon {
            Some(colon) => (&rest[..colon], Some(&rest[colon + 1..])),
            None => (rest, None),
        };
        self.rest = rest;
        Some(field.trim_ascii())
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.rest.map_or(0, |rest| 1 + rest.iter().filter(|&&byte| byte == b':').count())
    }

    /// The next field as a whole number; `what` is what it says.
    pub fn whole<T: TryFrom<i64>>(&mut self, what: &str) -> Result<T, TraceError> {
        let field = self.next().ok_or_else(|| self.line.bad(format!("{what} is missing")))?;
        let number = whole(field).and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| {
            let field = String::from_utf8_lossy(field).into_owned();
            self.line.bad(format!("{what} cannot be `{field}`"))
        })
    }

    /// The next field as seconds, in nanoseconds.
    pub fn nanos(&mut self, what: &str) -> Result<u64, TraceError> {
        let field = self.next().ok_or_else(|| self.line.bad(format!("{what} is missing")))?;
        nanos(field).ok_or_else(|| {
            let field = String::from_utf8_lossy(field).into_owned();
            self.line.bad(format!("{what} is to be seconds, not `{field}`"))
        })
    }
}

fn whole(field: &[u8]) -> Option<i64> {
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0i64, |number, digit| 10 * number + i64::from(digit - b'0'));
    Some(if negative { -number } else { number })
}

/// Seconds such as `0.000001000`: exactly, for these are most of a trace.
fn nanos(field: &[u8]) -> Option<u64> {
    let dot = field.iter().position(|&byte| byte == b'.').unwrap_or(field.len());
    let (seconds, fraction) = (&field[..dot], field.get(dot + 1..).unwrap_or_default());
    let plain = seconds.len() <= 9 && fraction.len() <= 9 && !seconds.is_empty();
    if plain && seconds.iter().chain(fraction).all(u8::is_ascii_digit) {
        let digits =
            |text: &[u8]| text.iter().fold(0u64, |number, digit| 10 * number + u64::from(digit - b'0'));
        return Some(
            digits(seconds) * 1_000_000_000 + digits(fraction) * 10u64.pow(9 - fraction.len() as u32),
        );
    }
    let seconds: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    (seconds >= 0.0 && seconds.is_finite()).then_some((seconds * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_nanoseconds_exactly() {
        let read = |text: &str| nanos(text.as_bytes());
        assert_eq!(read("0.000001000"), Some(1000));
        assert_eq!(read("123456789.123456789"), Some(123_456_789_123_456_789));
        assert_eq!(read("5"), Some(5_000_000_000));
        assert_eq!(read("1e-3"), Some(1_000_000));
        assert_eq!(read("0.0000000016"), Some(2));
        assert_eq!([read("-1.0"), read("x"), read("")], [None, None, None]);
    }
}

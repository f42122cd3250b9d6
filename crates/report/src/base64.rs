//! Bytes as text that fits into a page.

use std::io::{self, Write};

pub(crate) const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Bytes that are taken at once; a multiple of three.
const AT_ONCE: usize = 3 * 4096;

/// Writes what it is given as base64.
pub(crate) struct Base64<W> {
    out: W,
    waiting: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> Base64<W> {
    pub fn new(out: W) -> Base64<W> {
        Base64 { out, waiting: Vec::with_capacity(AT_ONCE), text: Vec::new() }
    }

    /// Writes the last bytes.
    pub fn finish(mut self) -> io::Result<()> {
        self.drain()
    }

    fn drain(&mut self) -> io::Result<()> {
        self.text.clear();
        let (whole, rest) = self.waiting.as_chunks();
        self.text.extend(whole.iter().flat_map(letters));
        if !rest.is_empty() {
            self.text.extend_from_slice(&last_letters(rest));
        }
        self.waiting.clear();
        self.out.write_all(&self.text)
    }
}

#[inline]
fn letters(&[a, b, c]: &[u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize])
}

/// One byte or two: what is missing is zero, and shown as such.
fn last_letters(rest: &[u8]) -> [u8; 4] {
    let mut three = [0; 3];
    three[..rest.len()].copy_from_slice(rest);
    let mut letters = letters(&three);
    letters[rest.len() + 1..].fill(b'=');
    letters
}

impl<W: Write> Write for Base64<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(AT_ONCE - self.waiting.len());
        self.waiting.extend_from_slice(&bytes[..count]);
        if self.waiting.len() == AT_ONCE {
            self.drain()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(bytes: &[u8]) -> String {
        let mut text = Vec::new();
        let mut out = Base64::new(&mut text);
        out.write_all(bytes).unwrap();
        out.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn examples_of_the_standard() {
        let examples = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in examples {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(encode(&[0xff; AT_ONCE + 1]), "/".repeat(AT_ONCE / 3 * 4) + "/w==");
    }
}

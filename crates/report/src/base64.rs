//! Bytes as text that fits into a page.

use std::io::{self, Write};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
        for three in self.waiting.chunks(3) {
            self.text.extend_from_slice(&letters(three));
        }
        self.waiting.clear();
        self.out.write_all(&self.text)
    }
}

fn letters(three: &[u8]) -> [u8; 4] {
    let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    let letter = |at: usize| match at <= three.len() {
        true => LETTERS[(bits >> (18 - 6 * at) & 63) as usize],
        false => b'=',
    };
    [letter(0), letter(1), letter(2), letter(3)]
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

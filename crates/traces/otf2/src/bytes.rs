//! Numbers and texts as bytes.

use thiserror::Error;

/// The number that stands for "none".
pub const UNDEFINED: u32 = u32::MAX;

/// Stands for the largest number in place of a number of bytes.
const ALL_BITS: u8 = 0xff;

/// A record that is not as the format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// The record has fewer bytes than its fields.
    #[error("the record ends too early")]
    Short,
    /// A number has too many bytes.
    #[error("a number of {0} bytes")]
    Width(u8),
    /// A text does not end.
    #[error("a text without its end")]
    Text,
    /// A code that the format does not have.
    #[error("an unknown {0} ({1})")]
    Code(&'static str, u8),
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest byte first.
    #[default]
    Little,
    /// The highest byte first.
    Big,
}

impl ByteOrder {
    /// The order that a chunk header names.
    pub fn from_code(code: u8) -> Option<ByteOrder> {
        match code {
            0x42 => Some(ByteOrder::Little),
            0x23 => Some(ByteOrder::Big),
            _ => None,
        }
    }

    /// The number with these bytes, at most eight.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        match self {
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
            ByteOrder::Big => bytes.iter().fold(0, add),
        }
    }
}

/// Appends a number in as few bytes as it needs. `u32::MAX` is "undefined".
#[inline]
pub(crate) fn put_u32(out: &mut Vec<u8>, number: u32) {
    if number == u32::MAX { out.push(ALL_BITS) } else { put_short(out, number.into()) }
}

/// Appends a number in as few bytes as it needs. `u64::MAX` is "undefined".
#[inline]
pub(crate) fn put_u64(out: &mut Vec<u8>, number: u64) {
    if number == u64::MAX { out.push(ALL_BITS) } else { put_short(out, number) }
}

#[inline]
fn put_short(out: &mut Vec<u8>, number: u64) {
    let width = 8 - number.leading_zeros() as usize / 8;
    out.push(width as u8);
    out.extend_from_slice(&number.to_le_bytes()[..width]);
}

/// Appends a text. A zero inside would end it, so it is left out.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|&byte| byte != 0));
    out.push(0);
}

/// Appends a record: its kind, its length, and the fields that `fields` appends.
#[inline]
pub(crate) fn put_record(out: &mut Vec<u8>, kind: u8, fields: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&[kind, 0]);
    let start = out.len();
    fields(out);
    let length = out.len() - start;
    if length < usize::from(ALL_BITS) {
        out[start - 1] = length as u8;
        return;
    }
    out[start - 1] = ALL_BITS;
    let bytes = (length as u64).to_le_bytes();
    out.splice(start..start, bytes);
}

/// Reads the fields of a record one after the other.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Fields<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Fields<'a> {
        Fields { rest: bytes, order }
    }

    /// Are there no more fields? Older versions of the format have fewer.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The number of bytes that are left.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(FormatError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, FormatError> {
        Ok(self.take(1)?[0])
    }

    /// A number of up to four bytes; [`UNDEFINED`] if it is undefined.
    pub fn u32(&mut self) -> Result<u32, FormatError> {
        match self.u8()? {
            ALL_BITS => Ok(u32::MAX),
            width @ 0..=4 => Ok(self.order.number(self.take(width.into())?) as u32),
            width => Err(FormatError::Width(width)),
        }
    }

    /// A number of up to eight bytes; the largest one if it is undefined.
    pub fn u64(&mut self) -> Result<u64, FormatError> {
        match self.u8()? {
            ALL_BITS => Ok(u64::MAX),
            width @ 0..=8 => Ok(self.order.number(self.take(width.into())?)),
            width => Err(FormatError::Width(width)),
        }
    }

    /// A number of exactly four bytes.
    pub fn full_u32(&mut self) -> Result<u32, FormatError> {
        Ok(self.order.number(self.take(4)?) as u32)
    }

    /// A number of exactly eight bytes.
    pub fn full_u64(&mut self) -> Result<u64, FormatError> {
        Ok(self.order.number(self.take(8)?))
    }

    /// A text. Bytes that are no UTF-8 are replaced.
    pub fn text(&mut self) -> Result<String, FormatError> {
        let end = self.rest.iter().position(|&byte| byte == 0).ok_or(FormatError::Text)?;
        let text = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest = &self.rest[end + 1..];
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(small: u32, large: u64, shift in 0u32..64) {
            let mut bytes = Vec::new();
            for number in [small, small >> (shift / 2), u32::MAX, 0] {
                put_u32(&mut bytes, number);
            }
            for number in [large, large >> shift, u64::MAX, 0] {
                put_u64(&mut bytes, number);
            }
            let mut fields = Fields::new(&bytes, ByteOrder::Little);
            for number in [small, small >> (shift / 2), u32::MAX, 0] {
                prop_assert_eq!(fields.u32().unwrap(), number);
            }
            for number in [large, large >> shift, u64::MAX, 0] {
                prop_assert_eq!(fields.u64().unwrap(), number);
            }
            prop_assert!(fields.is_empty());
            prop_assert_eq!(fields.u8(), Err(FormatError::Short));
        }

        #[test]
        fn any_bytes_are_numbers_or_errors(bytes: Vec<u8>) {
            let mut fields = Fields::new(&bytes, ByteOrder::Big);
            while !fields.is_empty() {
                if fields.clone().u64().is_err() | fields.clone().text().is_err() {
                    break;
                }
                let _ = fields.u32();
            }
        }
    }

    #[test]
    fn bytes_are_as_libotf2_writes_them() {
        let mut bytes = Vec::new();
        put_u64(&mut bytes, 1_000_000_000);
        put_u32(&mut bytes, 0);
        put_u32(&mut bytes, UNDEFINED);
        put_text(&mut bytes, "a\0b");
        assert_eq!(bytes, b"\x04\x00\xca\x9a\x3b\x00\xffab\x00");
        let mut big = Fields::new(b"\x02\x01\x00\x09", ByteOrder::Big);
        assert_eq!((big.u32(), big.u32()), (Ok(256), Err(FormatError::Width(9))));
    }

    #[test]
    fn long_records_have_a_long_length() {
        let mut bytes = Vec::new();
        put_record(&mut bytes, 10, |out| out.extend([7; 300]));
        assert_eq!(bytes[..10], [10, 255, 44, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes.len(), 310);
    }
}

//! Protocol buffers as bytes: the fields of a message, one after the other.
//!
//! Chakra needs numbers, texts and messages inside messages, no more, so this file stands instead of a library, its code generator
//! and its derive macros. The encoding is in "Protocol Buffers Documentation: Encoding".

/// The longest number, in bytes.
pub(super) const LONGEST_VARINT: usize = 10;

/// The value of a field, as its wire type has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// Numbers, booleans and enumerations.
    Varint(u64),
    /// Eight bytes: doubles and fixed64.
    Eight(u64),
    /// A text, bytes, a message, or a packed list.
    Bytes(&'a [u8]),
    /// Four bytes: floats and fixed32.
    Four(u32),
}

impl<'a> Value<'a> {
    /// The bytes of a text, a message or a list; empty if it is none.
    pub fn bytes(self) -> &'a [u8] {
        if let Value::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// A number that is an integer; zero if it is none.
    pub fn integer(self) -> u64 {
        if let Value::Varint(number) = self { number } else { 0 }
    }
}

/// The fields of a message. The last is an error if the message is cut or no message.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoMessage(pub &'static str);

impl<'a> Fields<'a> {
    pub fn of(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message }
    }

    fn field(&mut self) -> Result<(u32, Value<'a>), NoMessage> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok().filter(|&number| number > 0);
        let number = number.ok_or(NoMessage("a field has no valid number"))?;
        let value = match key & 7 {
            0 => Value::Varint(varint(&mut self.rest)?),
            1 => Value::Eight(u64::from_le_bytes(self.fixed()?)),
            2 => Value::Bytes(self.text()?),
            5 => Value::Four(u32::from_le_bytes(self.fixed()?)),
            _ => return Err(NoMessage("a field has a wire type that does not exist")),
        };
        Ok((number, value))
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], NoMessage> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(CUT)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn text(&mut self) -> Result<&'a [u8], NoMessage> {
        let length = usize::try_from(varint(&mut self.rest)?).map_err(|_| CUT)?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(CUT)?;
        self.rest = rest;
        Ok(text)
    }
}

const CUT: NoMessage = NoMessage("a field is longer than its message");

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), NoMessage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// A number of seven bits per byte, the lowest first; the bytes behind it are left.
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64, NoMessage> {
    let mut number = 0u64;
    for (index, &byte) in bytes.iter().take(LONGEST_VARINT).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Ok(number);
        }
    }
    Err(if bytes.len() < LONGEST_VARINT { CUT } else { NoMessage("a number has more than ten bytes") })
}

/// The numbers of a repeated field: one, or a packed list of them.
pub(super) fn numbers(value: Value<'_>, mut each: impl FnMut(u64)) -> Result<(), NoMessage> {
    let Value::Bytes(mut list) = value else {
        each(value.integer());
        return Ok(());
    };
    while !list.is_empty() {
        each(varint(&mut list)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the public description: field 1 is 150, field 2 is "testing".
    #[test]
    fn fields_are_found() {
        let message = b"\x08\x96\x01\x12\x07testing\x1d\x01\x00\x00\x00\x21\x02\0\0\0\0\0\0\0";
        let fields: Result<Vec<_>, _> = Fields::of(message).collect();
        let expected = [
            (1, Value::Varint(150)),
            (2, Value::Bytes(b"testing")),
            (3, Value::Four(1)),
            (4, Value::Eight(2)),
        ];
        assert_eq!(fields.unwrap(), expected);
    }

    #[test]
    fn what_is_cut_is_no_message() {
        for bytes in
            [&b"\x08"[..], b"\x08\x96", b"\x12\x07test", b"\x1d\x01", b"\x0b", b"\x00\x01", &[0xff; 11]]
        {
            assert!(Fields::of(bytes).any(|field| field.is_err()), "{bytes:?}");
        }
    }

    #[test]
    fn repeated_numbers_are_packed_or_not() {
        let mut seen = Vec::new();
        numbers(Value::Bytes(b"\x03\x8e\x02"), |number| seen.push(number)).unwrap();
        numbers(Value::Varint(7), |number| seen.push(number)).unwrap();
        assert_eq!(seen, [3, 270, 7]);
        assert!(numbers(Value::Bytes(b"\x8e"), |_| ()).is_err());
    }
}

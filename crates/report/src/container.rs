//! The data of a page: one JSON object and columns of numbers beside it.
//!
//! ```text
//! u32  length of the JSON
//!      the JSON; "sections" says where each column is and what it holds
//! 0…   up to a multiple of 8
//!      the columns, little-endian, each at a multiple of 8
//! ```
//!
//! The page gets it compressed (gzip) and as text (base64).

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base64::Base64;

/// How hard to compress: more makes files a few per cent smaller and takes several times as long.
const LEVEL: u32 = 4;

/// What a page is about: one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    fields: Map<String, Value>,
    sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq)]
struct Section {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

/// A number that columns hold.
pub(crate) trait Number: Copy {
    /// What the page calls it.
    const KIND: &'static str;
    fn put(self, out: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ident),*) => {$(
        impl Number for $number {
            const KIND: &'static str = stringify!($number);
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(u8, u16, u32, f32, f64);

impl Container {
    /// Sets a field of the JSON. What cannot be written as JSON, which nothing here is, becomes null.
    pub fn set(&mut self, name: &str, value: impl Serialize) {
        self.fields.insert(name.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null));
    }

    /// A field of the JSON.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// A field of the JSON, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.fields.get_mut(name)
    }

    /// Adds a column.
    pub(crate) fn section<N: Number>(&mut self, name: &str, numbers: impl IntoIterator<Item = N>) {
        let mut bytes = Vec::new();
        for number in numbers {
            number.put(&mut bytes);
        }
        self.sections.push(Section { name: name.to_owned(), kind: N::KIND, bytes });
    }

    /// Adds a column of bytes.
    pub(crate) fn bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.sections.push(Section { name: name.to_owned(), kind: u8::KIND, bytes });
    }

    /// It as it is embedded in a page: text.
    pub fn embedded(&self) -> io::Result<String> {
        let mut text = Vec::new();
        let mut packed = GzEncoder::new(Base64::new(&mut text), Compression::new(LEVEL));
        self.write(&mut packed)?;
        packed.finish()?.finish()?;
        String::from_utf8(text).map_err(io::Error::other)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let json = self.json()?;
        let length =
            u32::try_from(json.len()).map_err(|_| io::Error::other("the report's JSON is too long"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&json)?;
        pad(4 + json.len(), out)?;
        for section in &self.sections {
            out.write_all(&section.bytes)?;
            pad(section.bytes.len(), out)?;
        }
        Ok(())
    }

    fn json(&self) -> io::Result<Vec<u8>> {
        let mut fields = self.fields.clone();
        let mut sections = Map::new();
        let mut offset = 0;
        for Section { name, kind, bytes } in &self.sections {
            sections.insert(name.clone(), json!({"offset": offset, "bytes": bytes.len(), "type": kind}));
            offset += bytes.len().next_multiple_of(8);
        }
        fields.insert("sections".to_owned(), Value::Object(sections));
        Ok(serde_json::to_vec(&fields)?)
    }
}

fn pad(length: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; 8][..length.next_multiple_of(8) - length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_the_json_says() {
        let mut container = Container::default();
        container.set("version", 1);
        container.section("a", [1u8, 2, 3]);
        container.section("b", [2.5f64, -1.0]);
        let mut out = Vec::new();
        container.write(&mut out).unwrap();
        let length = u32::from_le_bytes(out[..4].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&out[4..4 + length]).unwrap();
        let first = (4 + length).next_multiple_of(8);
        assert_eq!(json["sections"]["b"], json!({"offset": 8, "bytes": 16, "type": "f64"}));
        assert_eq!(&out[first..first + 3], [1, 2, 3]);
        assert_eq!(out[first + 8..first + 16], 2.5f64.to_le_bytes());
        assert_eq!(out.len(), first + 24);
    }
}

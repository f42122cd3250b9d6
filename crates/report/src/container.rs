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

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderStringWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// How hard to compress: more makes pages one or two per cent smaller and takes several times as long.
const LEVEL: u32 = 2;

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
    /// A column of them.
    fn column(numbers: impl Iterator<Item = Self>) -> Vec<u8>;
}

macro_rules! numbers {
    ($($number:ident),*) => {$(
        impl Number for $number {
            const KIND: &'static str = stringify!($number);
            #[inline]
            fn column(numbers: impl Iterator<Item = $number>) -> Vec<u8> {
                numbers.map($number::to_le_bytes).collect::<Vec<_>>().into_flattened()
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

    /// Sets a field of the JSON to what is JSON already, which is not copied.
    pub(crate) fn put(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
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
        self.numbers::<N>(name, N::column(numbers.into_iter()));
    }

    /// Adds a column of numbers that are bytes already.
    pub(crate) fn numbers<N: Number>(&mut self, name: &str, bytes: Vec<u8>) {
        self.sections.push(Section { name: name.to_owned(), kind: N::KIND, bytes });
    }

    /// It as it is embedded in a page: text.
    pub fn embedded(&self) -> io::Result<String> {
        let mut out = GzEncoder::new(EncoderStringWriter::new(&STANDARD), Compression::new(LEVEL));
        self.write_json(&mut out)?;
        for Section { bytes, .. } in &self.sections {
            out.write_all(bytes)?;
            pad(bytes.len(), &mut out)?;
        }
        Ok(out.finish()?.into_inner())
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let json = self.json()?;
        let length =
            u32::try_from(json.len()).map_err(|_| io::Error::other("the report's JSON is too long"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&json)?;
        pad(4 + json.len(), out)
    }

    fn json(&self) -> io::Result<Vec<u8>> {
        let sections = self.places();
        let mut fields: Vec<(&str, &Value)> =
            self.fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
        // By name, like all fields.
        let before = fields.partition_point(|&(name, _)| name < "sections");
        fields.insert(before, ("sections", &sections));
        let mut json = Vec::new();
        serde_json::Serializer::new(&mut json).collect_map(fields)?;
        Ok(json)
    }

    /// Where each column is.
    fn places(&self) -> Value {
        let (mut places, mut offset) = (Map::new(), 0);
        for Section { name, kind, bytes } in &self.sections {
            places.insert(name.clone(), json!({"offset": offset, "bytes": bytes.len(), "type": kind}));
            offset += bytes.len().next_multiple_of(8);
        }
        places.into()
    }
}

fn pad(length: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; 8][..length.next_multiple_of(8) - length])
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use base64::Engine;
    use flate2::read::GzDecoder;

    use super::*;

    /// What a page finds in it, columns and all.
    fn decoded(container: &Container) -> Vec<u8> {
        let packed = STANDARD.decode(container.embedded().unwrap()).unwrap();
        let mut out = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn columns_are_where_the_json_says() {
        let mut container = Container::default();
        container.set("version", 1);
        container.section("a", [1u8, 2, 3]);
        container.section("b", [2.5f64, -1.0]);
        let out = decoded(&container);
        let length = u32::from_le_bytes(out[..4].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&out[4..4 + length]).unwrap();
        let first = (4 + length).next_multiple_of(8);
        assert_eq!(json["sections"]["b"], json!({"offset": 8, "bytes": 16, "type": "f64"}));
        assert_eq!(&out[first..first + 3], [1, 2, 3]);
        assert_eq!(out[first + 8..first + 16], 2.5f64.to_le_bytes());
        assert_eq!(out.len(), first + 24);
    }
}

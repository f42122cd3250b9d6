//! The data of a page: a JSON object, and columns of numbers.
//!
//! ```text
//! u32  length of the JSON
//!      the JSON; "sections" has the place and the type of each column
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

/// The level of compression. Higher levels make pages one or two per cent smaller and take several times as long.
const LEVEL: u32 = 2;

/// The data of one run.
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

/// A type of the numbers in columns.
pub(crate) trait Number: Copy {
    /// The page's name for it.
    const KIND: &'static str;
    /// The bytes of a column.
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
    /// Sets a field of the JSON. A value that has no form in JSON becomes null.
    pub fn set(&mut self, name: &str, value: impl Serialize) {
        self.fields.insert(name.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null));
    }

    /// Sets a field of the JSON to a value that is JSON already.
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

    /// Adds a column from its bytes.
    pub(crate) fn numbers<N: Number>(&mut self, name: &str, bytes: Vec<u8>) {
        self.sections.push(Section { name: name.to_owned(), kind: N::KIND, bytes });
    }

    /// The text that is embedded in a page.
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
        // Sorted by name, like all fields.
        let before = fields.partition_point(|&(name, _)| name < "sections");
        fields.insert(before, ("sections", &sections));
        let mut json = Vec::new();
        serde_json::Serializer::new(&mut json).collect_map(fields)?;
        Ok(json)
    }

    /// The place and the type of each column.
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

    /// The bytes that the page unpacks.
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

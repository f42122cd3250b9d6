//! The anchor file: `run.otf2`.

use crate::bytes::{ByteOrder, Fields, FormatError, put_text};
use crate::chunk::{CHUNK_BEGIN, FILE_END, LITTLE_ENDIAN};

/// The first bytes after the chunk header.
const MAGIC: &str = "OTF2";
/// The version of the anchor file.
const ANCHOR_FORMAT: u8 = 3;
/// The version of the files of the archive.
const TRACE_FORMAT: u8 = 2;
/// The version of OTF2 whose records are written.
const VERSION: [u8; 3] = [3, 0, 2];

/// How the files of an archive are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substrate {
    /// A file for each location.
    Posix,
    /// Containers of SIONlib.
    Sion,
    /// Something else.
    Other(u8),
}

/// Whether files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// They are not.
    None,
    /// With zlib.
    Zlib,
    /// In another way.
    Other(u8),
}

/// The contents of an anchor file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The bytes of a chunk of events.
    pub event_chunk: u64,
    /// The bytes of a chunk of definitions.
    pub definition_chunk: u64,
    /// How the files are stored.
    pub substrate: Substrate,
    /// Whether they are compressed.
    pub compression: Compression,
    /// The number of locations.
    pub locations: u64,
    /// The number of records in the file of global definitions.
    pub definitions: u64,
    /// The machine of the run.
    pub machine: String,
    /// The program that wrote the archive.
    pub creator: String,
    /// A sentence about the run.
    pub description: String,
    /// Names and values.
    pub properties: Vec<(String, String)>,
    /// A number that is different for different archives.
    pub trace_id: u64,
}

impl Anchor {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![CHUNK_BEGIN, LITTLE_ENDIAN];
        put_text(&mut out, MAGIC);
        out.extend([ANCHOR_FORMAT, TRACE_FORMAT]);
        out.extend(VERSION);
        out.extend(self.event_chunk.to_le_bytes());
        out.extend(self.definition_chunk.to_le_bytes());
        out.push(match self.substrate {
            Substrate::Posix => 1,
            Substrate::Sion => 2,
            Substrate::Other(code) => code,
        });
        out.push(match self.compression {
            Compression::None => 1,
            Compression::Zlib => 2,
            Compression::Other(code) => code,
        });
        out.extend(self.locations.to_le_bytes());
        out.extend(self.definitions.to_le_bytes());
        for text in [&self.machine, &self.creator, &self.description] {
            put_text(&mut out, text);
        }
        out.extend((self.properties.len() as u32).to_le_bytes());
        for (name, value) in &self.properties {
            put_text(&mut out, name);
            put_text(&mut out, value);
        }
        out.extend(self.trace_id.to_le_bytes());
        // There are no snapshots and no thumbnails.
        out.extend([0; 8]);
        out.extend(FILE_END);
        out.push(0);
        out
    }

    /// Does a file with this beginning look like an anchor?
    pub fn is_anchor(head: &[u8]) -> bool {
        head.first() == Some(&CHUNK_BEGIN) && head.get(2..6) == Some(MAGIC.as_bytes())
    }

    /// Reads a file.
    pub fn decode(bytes: &[u8]) -> Result<Anchor, FormatError> {
        let &[CHUNK_BEGIN, order, ref rest @ ..] = bytes else { return Err(FormatError::Short) };
        let order = ByteOrder::from_code(order).ok_or(FormatError::Code("byte order", order))?;
        let mut fields = Fields::new(rest, order);
        if fields.text()? != MAGIC {
            return Err(FormatError::Text);
        }
        let format = fields.u8()?;
        for _ in 0..4 {
            fields.u8()?;
        }
        let (event_chunk, definition_chunk) = (fields.full_u64()?, fields.full_u64()?);
        let substrate = match fields.u8()? {
            1 => Substrate::Posix,
            2 => Substrate::Sion,
            code => Substrate::Other(code),
        };
        let compression = match fields.u8()? {
            1 => Compression::None,
            2 => Compression::Zlib,
            code => Compression::Other(code),
        };
        let (locations, definitions) = (fields.full_u64()?, fields.full_u64()?);
        let [machine, creator, description] = [fields.text()?, fields.text()?, fields.text()?];
        let mut properties = Vec::new();
        let mut trace_id = 0;
        if format > 1 {
            for _ in 0..fields.full_u32()? {
                properties.push((fields.text()?, fields.text()?));
            }
            trace_id = fields.full_u64()?;
        }
        Ok(Anchor {
            event_chunk,
            definition_chunk,
            substrate,
            compression,
            locations,
            definitions,
            machine,
            creator,
            description,
            properties,
            trace_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor() -> Anchor {
        Anchor {
            event_chunk: 1 << 20,
            definition_chunk: 4 << 20,
            substrate: Substrate::Posix,
            compression: Compression::None,
            locations: 2,
            definitions: 25,
            machine: String::new(),
            creator: String::new(),
            description: String::new(),
            properties: Vec::new(),
            trace_id: 0xb755_e72c_68b1_4483,
        }
    }

    #[test]
    fn an_anchor_is_as_libotf2_writes_it() {
        let written = b"\x03\x42OTF2\x00\x03\x02\x03\x00\x02\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\
            \x01\x01\x02\x00\x00\x00\x00\x00\x00\x00\x19\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\
            \x83\x44\xb1\x68\x2c\xe7\x55\xb7\x00\x00\x00\x00\x00\x00\x00\x00\x02\x01\x00";
        assert_eq!(anchor().encode(), written);
        assert!(Anchor::is_anchor(written) && !Anchor::is_anchor(b"OTF2"));
    }

    #[test]
    fn an_anchor_comes_back_and_half_of_it_is_an_error() {
        let anchor = Anchor { properties: vec![("A".into(), "b".into())], creator: "me".into(), ..anchor() };
        let bytes = anchor.encode();
        assert_eq!(Anchor::decode(&bytes), Ok(anchor));
        for length in 0..bytes.len() - 11 {
            assert!(Anchor::decode(&bytes[..length]).is_err(), "{length}");
        }
    }
}

//! The files of an archive.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mpirage_files::{OutputFile, OutputFolder};
use mpirage_otf2::{Anchor, ChunkWriter, Compression, Substrate, largest_record};

use crate::TimelineError;

use super::definitions::Definitions;
use super::streams::Streams;

/// The bytes of a chunk of events, and of one of definitions: what libotf2 uses.
const EVENT_CHUNK: usize = 1 << 20;
const DEFINITION_CHUNK: usize = 4 << 20;
/// The largest chunk that libotf2 accepts.
const LARGEST_CHUNK: usize = 16 << 20;

/// An archive that has been opened.
pub(super) struct Archive {
    path: PathBuf,
    anchor: OutputFile,
    definitions: OutputFile,
}

/// The facts about a run in the anchor file.
pub(super) struct About {
    pub machine: String,
    pub description: String,
    pub properties: Vec<(String, String)>,
}

impl Archive {
    /// Opens an archive: `run.otf2`, `run.def` and the folder `run`.
    pub fn create(path: &Path) -> Result<Archive, TimelineError> {
        let folder = path.with_extension("");
        if folder.exists() && !folder.is_dir() {
            return Err(TimelineError::ArchiveFolder { file: path.to_owned(), folder });
        }
        let open = |path: &Path| OutputFile::create(path).map_err(|error| TimelineError::io(path, error));
        Ok(Archive {
            anchor: open(path)?,
            definitions: open(&path.with_extension("def"))?,
            path: path.to_owned(),
        })
    }

    /// Writes everything. The anchor, which makes it an archive, appears last.
    pub fn finish(
        self,
        about: About,
        definitions: &Definitions,
        streams: &mut Streams,
    ) -> Result<(), TimelineError> {
        let path = self.path.clone();
        self.write(about, definitions, streams).map_err(|error| TimelineError::io(&path, error))
    }

    fn write(mut self, about: About, definitions: &Definitions, streams: &mut Streams) -> io::Result<()> {
        let folder = OutputFolder::create(&self.path.with_extension(""))?;
        for location in 0..streams.count() {
            let file = |ending: &str| File::create(folder.temporary(&format!("{location}.{ending}")));
            // There are no mappings: events have the numbers of global definitions.
            ChunkWriter::new(file("def")?, DEFINITION_CHUNK).finish()?;
            let mut events = ChunkWriter::new(file("evt")?, EVENT_CHUNK);
            streams.drain(location, |time, record| events.event(time, record))?;
            events.finish()?;
        }
        let large = definitions.longest() > largest_record(DEFINITION_CHUNK);
        let definition_chunk = if large { LARGEST_CHUNK } else { DEFINITION_CHUNK };
        let mut chunks = ChunkWriter::new(&mut self.definitions, definition_chunk);
        definitions.each(|record| chunks.definition(record))?;
        chunks.finish()?;
        let anchor = Anchor {
            event_chunk: EVENT_CHUNK as u64,
            definition_chunk: definition_chunk as u64,
            substrate: Substrate::Posix,
            compression: Compression::None,
            locations: streams.count() as u64,
            definitions: definitions.count(),
            machine: about.machine,
            creator: concat!("mpirage ", env!("CARGO_PKG_VERSION")).to_owned(),
            description: about.description,
            properties: about.properties,
            trace_id: definitions.fingerprint(),
        };
        self.anchor.write_all(&anchor.encode())?;
        let (anchor, definitions) = (self.anchor.seal()?, self.definitions.seal()?);
        folder.finish()?;
        definitions.publish()?;
        anchor.publish()
    }
}

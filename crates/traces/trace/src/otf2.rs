//! OTF2 archives of Score-P and of other tools: a file per location with its events, and what their numbers mean.
//!
//! Ranks are the locations in the group of MPI's locations. Of their events, those of MPI become calls and the time between them becomes
//! computation: see [`player`]. Files are read in small pieces; nothing grows with the length of an archive.
//!
//! An archive is named by its anchor file, `traces.otf2`. Containers of SIONlib and compressed archives are refused.

mod ahead;
mod contents;
mod player;
mod records;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mpirage_call::{Call, Reply, Stamp};
use mpirage_otf2::{Anchor, Compression, IdMap, Mapping, Substrate};

use crate::source::Source;
use crate::{Calls, Computation, Step, TraceError, TracePlace, Workload};
use contents::Contents;
use player::{Common, Follows, Player, Stamps};
use records::{ChunkSize, Records};

/// Bytes that all ranks together hold of their files.
const BUFFERS: usize = 64 << 20;
/// Events that need no answer are read in groups of this size.
const EVENTS_AT_A_TIME: u32 = 512;
/// The longest anchor file.
const LONGEST_ANCHOR: usize = 1 << 20;
/// The property of archives of mpirage: the speed of the simulated hosts.
const HOST_SPEED: &str = "MPIRAGE::HOST_SPEED";

/// An OTF2 archive.
#[derive(Debug)]
pub struct Otf2Trace {
    ranks: Vec<Player>,
    common: Common,
    computation: Computation,
}

/// The files of a location: definitions and events.
type LocationFiles = (Option<Source>, Source);

impl Otf2Trace {
    /// Does a file with this beginning look like the anchor of an archive?
    pub(crate) fn recognise(head: &[u8]) -> bool {
        Anchor::is_anchor(head)
    }

    /// Opens an archive by its anchor file.
    pub fn open(path: &Path) -> Result<Otf2Trace, TraceError> {
        let folder = path.with_extension("");
        let anchor = Source::open(path)?;
        let definitions = || Source::open(&path.with_extension("def"));
        Otf2Trace::new(&anchor, definitions, |location, ranks| {
            let file = |ending: &str| folder.join(format!("{location}.{ending}"));
            // Locations without mappings need no file of definitions.
            let definitions = file("def");
            let definitions =
                definitions.exists().then(|| Source::one_of(&definitions, 2 * ranks)).transpose()?;
            Ok((definitions, Source::one_of(&file("evt"), 2 * ranks)?))
        })
    }

    /// An archive that is in memory: its anchor, its definitions, and definitions and events of locations.
    pub fn from_bytes(
        anchor: Vec<u8>,
        definitions: Vec<u8>,
        mut locations: HashMap<u64, [Vec<u8>; 2]>,
    ) -> Result<Otf2Trace, TraceError> {
        let memory = |name: String, bytes| Source::memory(&PathBuf::from(name), bytes);
        let anchor = memory("traces.otf2".to_owned(), anchor);
        let global = || Ok(memory("traces.def".to_owned(), definitions));
        Otf2Trace::new(&anchor, global, |location, _| {
            let [definitions, events] = locations.remove(&location).unwrap_or_default();
            let file = |ending, bytes| memory(format!("traces/{location}.{ending}"), bytes);
            Ok((Some(file("def", definitions)), file("evt", events)))
        })
    }

    fn new(
        anchor: &Source,
        definitions: impl FnOnce() -> Result<Source, TraceError>,
        mut files: impl FnMut(u64, usize) -> Result<LocationFiles, TraceError>,
    ) -> Result<Otf2Trace, TraceError> {
        let (anchor, [definition_chunk, event_chunk]) = read_anchor(anchor)?;
        let contents = Contents::read(&definitions()?, definition_chunk)?;
        let piece = (BUFFERS / 2 / contents.locations.len()).clamp(1 << 10, 1 << 16);
        let mut ranks = Vec::with_capacity(contents.locations.len());
        for (rank, &location) in (0..).zip(&contents.locations) {
            let (definitions, events) = files(location, contents.locations.len())?;
            let maps =
                definitions.map_or(Ok(Default::default()), |source| read_maps(&source, definition_chunk))?;
            let records = [(); 2].map(|()| Records::of_events(event_chunk, piece));
            ranks.push(Player::new(rank, events, records, maps));
        }
        let common = Common { contents, stamps: Stamps::new(), lists: Default::default() };
        Ok(Otf2Trace { ranks, common, computation: computation(&anchor) })
    }
}

/// The anchor, and the sizes of chunks: of definitions and of events.
fn read_anchor(source: &Source) -> Result<(Anchor, [ChunkSize; 2]), TraceError> {
    let mut bytes = Vec::new();
    source.append(0, LONGEST_ANCHOR, &mut bytes)?;
    let anchor = Anchor::decode(&bytes);
    let anchor =
        anchor.map_err(|error| source.bad(0, format!("this is no anchor of an OTF2 archive: {error}")))?;
    match anchor.substrate {
        Substrate::Posix => {}
        Substrate::Sion => {
            let text = "the archive is in containers of SIONlib, which mpirage cannot read; record it again with \
                        SCOREP_TRACING_USE_SION=no, or convert it with sionsplit";
            return Err(source.bad(0, text));
        }
        Substrate::Other(code) => {
            return Err(source.bad(0, format!("the archive has no files (substrate {code})")));
        }
    }
    if anchor.compression != Compression::None {
        let text =
            "the archive is compressed, which mpirage cannot read; record it again without compression";
        return Err(source.bad(0, text));
    }
    let chunks = [anchor.definition_chunk, anchor.event_chunk].map(ChunkSize::new);
    let [Some(definitions), Some(events)] = chunks else {
        return Err(
            source.bad(0, "the anchor has a chunk size that OTF2 does not allow: the file is damaged")
        );
    };
    Ok((anchor, [definitions, events]))
}

/// How the numbers of regions and communicators in the events of a location map to global ones.
fn read_maps(source: &Source, chunk: ChunkSize) -> Result<[IdMap; 2], TraceError> {
    let [mut regions, mut comms] = [IdMap::default(), IdMap::default()];
    Records::mappings(source, chunk, |mapping, map| match mapping {
        Mapping::REGION => regions = map,
        Mapping::COMM => comms = map,
        _ => {}
    })?;
    Ok([regions, comms])
}

/// Archives of mpirage say how fast their hosts were.
fn computation(anchor: &Anchor) -> Computation {
    let speed = anchor.properties.iter().find(|(name, _)| name == HOST_SPEED);
    let speed = speed.and_then(|(_, speed)| speed.parse::<f64>().ok());
    Computation { measured_on: speed.filter(|speed| speed.is_finite() && *speed > 0.0), free: false }
}

impl Workload for Otf2Trace {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        self.common.contents.made.clone()
    }

    fn computation(&self) -> Computation {
        self.computation
    }

    fn share_done(&self) -> Option<f64> {
        Some(self.ranks.first()?.share_read())
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let player = &mut self.ranks[rank as usize];
        for _ in 0..EVENTS_AT_A_TIME {
            match player.step(&mut self.common, calls)? {
                Follows::More => {}
                Follows::Answer => return Ok(Step::Waits),
                Follows::End => return Ok(Step::Ended),
            }
        }
        calls.push(&Stamp::default(), &Call::Flush);
        Ok(Step::Waits)
    }

    /// The site of a call is the byte at which its record begins.
    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let player = self.ranks.get(rank as usize)?;
        (site > 0).then(|| (player.source().name().to_owned(), TracePlace::Byte(site)))
    }
}

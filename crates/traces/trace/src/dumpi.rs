//! DUMPI traces, of SST: a file per rank with every MPI call, its arguments and when it was made.
//!
//! Time between calls is computation, by the wall clock if the trace has it, else by the processor's. Calls are replayed as
//! they went: see [`player`]. A rank holds a piece of its file and what is open; nothing grows with the length of a trace.

mod collective;
mod comm;
mod datatype;
mod layout;
mod player;
mod stream;
mod transfer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpirage_call::{Burst, Call, Reply, Stamp};
use mpirage_data::Group;

use crate::source::Source;
use crate::{Calls, Step, TraceError, TracePlace, Workload};
use layout::{Action, Function, functions};
use player::{Answer, Common, Player};
use stream::{Arguments, Head, Stream};

/// Bytes that all ranks together hold of their files.
const BUFFERS: usize = 64 << 20;
/// A rank hands over calls that need no answer in batches of this many.
const CALLS_AT_A_TIME: u32 = 256;
/// Seconds are written with 16 bits.
const WRAP: u64 = (1 << 16) * 1_000_000_000;

/// A trace of DUMPI.
#[derive(Debug)]
pub struct Dumpi {
    ranks: Vec<DumpiRank>,
    functions: Vec<Function>,
    common: Common,
    arguments: Arguments,
}

#[derive(Debug)]
struct DumpiRank {
    stream: Stream,
    player: Player,
    clock: Clock,
    ended: bool,
}

/// Computation since the last call that was replayed.
#[derive(Debug, Default)]
struct Clock {
    /// When the last recorded call ended.
    ended: Option<u64>,
    burst: u64,
}

impl Clock {
    /// A call begins and ends; its own time counts if it is computation too.
    fn pass(&mut self, times: Option<(u64, u64)>, counts: bool) {
        let Some((start, end)) = times else { return };
        if let Some(ended) = self.ended {
            self.burst = self.burst.saturating_add(elapsed(ended, start));
        }
        if counts {
            self.burst = self.burst.saturating_add(elapsed(start, end));
        }
        self.ended = Some(end);
    }
}

/// Nanoseconds from one time to another; none if threads have put them out of order.
fn elapsed(from: u64, to: u64) -> u64 {
    match to.checked_sub(from) {
        Some(span) => span,
        None if from - to > WRAP / 2 => (to + WRAP).saturating_sub(from),
        None => 0,
    }
}

impl Dumpi {
    /// Opens a trace by its meta file, by the folder it is in, or by the file of a rank.
    pub fn open(path: &Path) -> Result<Dumpi, TraceError> {
        let meta = meta_of(path)?;
        let (ranks, prefix) = read_meta(&meta)?;
        let chunk = (BUFFERS / ranks.max(1) as usize).clamp(4 << 10, 64 << 10);
        let streams = (0..ranks).map(|rank| {
            let mut name = prefix.clone().into_os_string();
            name.push(format!("-{rank:04}.bin"));
            Ok(Stream::new(Source::one_of(Path::new(&name), ranks as usize)?, chunk))
        });
        Dumpi::new(streams.collect::<Result<_, TraceError>>()?)
    }

    /// A trace that is in memory: the file of each rank.
    pub fn from_bytes(files: Vec<Vec<u8>>) -> Result<Dumpi, TraceError> {
        let name = |rank| PathBuf::from(format!("dumpi-{rank:04}.bin"));
        let source = |(rank, bytes)| Source::memory(&name(rank), bytes);
        Dumpi::new((0..).zip(files).map(source).map(|source| Stream::new(source, 256)).collect())
    }

    fn new(streams: Vec<Stream>) -> Result<Dumpi, TraceError> {
        let mut ranks: Vec<DumpiRank> = Vec::with_capacity(streams.len());
        for mut stream in streams {
            let sizes = stream.begin()?;
            // Most ranks have the same table.
            let table = match ranks.last() {
                Some(rank) if *rank.player.table == sizes => Arc::clone(&rank.player.table),
                _ => Arc::new(sizes),
            };
            let player = Player::new(ranks.len() as u32, table);
            ranks.push(DumpiRank { stream, player, clock: Clock::default(), ended: false });
        }
        let common = Common {
            world: Group::world(ranks.len() as u32).into(),
            groups: HashMap::new(),
            requests: Vec::new(),
            blocks: Default::default(),
            members: Vec::new(),
        };
        Ok(Dumpi { ranks, functions: functions(), common, arguments: Arguments::default() })
    }

    /// The next recorded call of a rank becomes calls. None at the end.
    fn replay_one(&mut self, rank: u32, calls: &mut Calls<'_>) -> Result<Option<Answer>, TraceError> {
        let DumpiRank { stream, player, clock, .. } = &mut self.ranks[rank as usize];
        let Some(Head { function, site, times }) = stream.call(&self.functions, &mut self.arguments)? else {
            return Ok(None);
        };
        let Function { name, action, stamp, .. } = self.functions[function];
        clock.pass(
            times,
            matches!(action, Action::Local | Action::Group(_) | Action::Type(_) | Action::OpCreate),
        );
        let stamp = Stamp { burst: Burst::serial(clock.burst), site, ..stamp };
        let outcome = player.act(action, stamp, &self.arguments, &mut self.common, calls);
        clock.burst = player.unused_burst();
        outcome.map(Some).map_err(|problem| stream.source().bad(site, format!("{name}: {problem}")))
    }
}

impl Workload for Dumpi {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn share_done(&self) -> Option<f64> {
        Some(self.ranks.first()?.stream.share_read())
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        if self.ranks[rank as usize].ended {
            return Ok(Step::Ended);
        }
        self.ranks[rank as usize].player.answered(reply, &mut self.common);
        for _ in 0..CALLS_AT_A_TIME {
            match self.replay_one(rank, calls)? {
                Some(Answer::Needed) => return Ok(Step::Waits),
                Some(Answer::NotNeeded) => {}
                None => {
                    self.ranks[rank as usize].ended = true;
                    return Ok(Step::Ended);
                }
            }
        }
        calls.push(&Stamp::default(), &Call::Flush);
        Ok(Step::Waits)
    }

    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let rank = self.ranks.get(rank as usize)?;
        (site > 0).then(|| (rank.stream.source().name().to_owned(), TracePlace::Byte(site)))
    }
}

/// The meta file that belongs to what a user has named.
fn meta_of(path: &Path) -> Result<PathBuf, TraceError> {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| TraceError::io(path, error))?;
        let metas = entries.flatten().map(|entry| entry.path());
        let mut metas: Vec<PathBuf> =
            metas.filter(|path| path.extension().is_some_and(|extension| extension == "meta")).collect();
        metas.sort();
        return match metas.as_slice() {
            [meta] => Ok(meta.clone()),
            [] => Err(TraceError::bad(path, TracePlace::File, "there is no .meta file in this folder")),
            _ => Err(TraceError::bad(
                path,
                TracePlace::File,
                "there are several .meta files; name the one you mean",
            )),
        };
    }
    // The file of a rank: prefix-0003.bin.
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    match name.rsplit_once('-') {
        Some((prefix, _)) if path.extension().is_some_and(|extension| extension == "bin") => {
            Ok(path.with_file_name(format!("{prefix}.meta")))
        }
        _ => Ok(path.to_owned()),
    }
}

/// The number of ranks, and how the names of their files begin.
fn read_meta(path: &Path) -> Result<(u32, PathBuf), TraceError> {
    let bytes = mpirage_files::read(path, mpirage_files::LONGEST_TEXT)?;
    let text = String::from_utf8_lossy(&bytes);
    let value = |key: &str| {
        let mut lines = text.lines().zip(1..).filter_map(|(line, n)| Some((line.split_once('=')?, n)));
        lines.find(|((name, _), _)| name.trim() == key).map(|((_, value), n)| (value.trim(), n))
    };
    let Some((number, line)) = value("numprocs") else {
        return Err(TraceError::bad(
            path,
            TracePlace::File,
            "it does not say how many ranks there are (numprocs=)",
        ));
    };
    let ranks = number.parse().ok().filter(|ranks| (1..=1 << 26).contains(ranks));
    let problem =
        || TraceError::bad(path, TracePlace::Line(line), format!("`{number}` is no number of ranks"));
    let ranks = ranks.ok_or_else(problem)?;
    // Where the trace was written to may not be where it is now: its files are beside the meta file.
    let stem = value("fileprefix").and_then(|(prefix, _)| Path::new(prefix).file_name());
    let stem = stem.or_else(|| path.file_stem()).unwrap_or_default();
    Ok((ranks, path.with_file_name(stem)))
}

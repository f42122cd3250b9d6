//! Writing: each rank fills a block with entries, and full blocks go to the file.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mpirage_call::{Burst, Call, Completing, ContextId, Reply, RequestId, Stamp, Work, function_names};
use mpirage_files::OutputFile;
use mpirage_units::Duration;

use super::entry::{self, Before};
use super::layout::{BLOCK, BlockHead, CallSite, Footer, HEADER, LARGEST, MAGIC, Packed, Trailer, VERSION};
use crate::writer::TraceWriter;
use crate::{Computation, ThreadSync, TraceError, varint};

/// Bytes of unfinished blocks, over all ranks.
const UNFINISHED: usize = 64 << 20;
/// Blocks are no smaller than that, however many ranks there are.
const SMALLEST: usize = 1 << 10;

/// Writes a trace in mpirage's own format.
pub struct BinaryWriter {
    path: PathBuf,
    /// None once the trace is complete.
    file: Option<OutputFile>,
    /// Bytes written.
    offset: u64,
    /// A block of so many bytes is full.
    full: usize,
    /// Ranks, then further threads of ranks.
    ranks: Vec<BinaryRank>,
    footer: Footer,
    places: HashMap<(u16, u64), u32>,
    compressed: Vec<u8>,
    requests: Vec<RequestId>,
    failed: Option<io::Error>,
}

#[derive(Default)]
struct BinaryRank {
    entries: Vec<u8>,
    before: Before,
    calls: u64,
    /// For each block, the distance from the block before in the file.
    block_gaps: Vec<u8>,
    last_block: u64,
}

impl BinaryWriter {
    /// Creates the file. `computation` says how the run charges computation.
    pub fn create(path: &Path, ranks: u32, computation: Computation) -> Result<BinaryWriter, TraceError> {
        let file = OutputFile::create(path).map_err(|error| TraceError::io(path, error))?;
        let mut writer = BinaryWriter {
            path: path.to_owned(),
            file: Some(file),
            offset: HEADER as u64,
            full: (UNFINISHED / ranks.max(1) as usize).clamp(SMALLEST, LARGEST),
            ranks: (0..ranks).map(|_| BinaryRank::default()).collect(),
            footer: Footer { computation, ..Footer::default() },
            places: HashMap::new(),
            compressed: Vec::new(),
            requests: Vec::new(),
            failed: None,
        };
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..].copy_from_slice(&ranks.to_le_bytes());
        writer.write(&header);
        Ok(writer)
    }

    /// Appends the entry of a call, unless traces leave it out: then the time before it precedes the next call.
    fn put(&mut self, rank: u32, stamp: Option<&Stamp>, call: &Call<'_>, reply: &Reply) {
        let place = stamp.map_or(0, |stamp| self.place(stamp));
        let state = &mut self.ranks[rank as usize];
        let before = Before { place, ..std::mem::take(&mut state.before) };
        if entry::put(&before, call, reply, &mut state.entries) {
            state.calls += 1;
        } else {
            state.before = before;
        }
        self.flush_full(rank);
    }

    fn flush_full(&mut self, rank: u32) {
        if self.ranks[rank as usize].entries.len() >= self.full {
            self.flush(rank);
        }
    }

    /// Appends a wait for those of the requests that were complete.
    fn put_wait(&mut self, rank: u32, stamp: Option<&Stamp>, requests: &[RequestId], reply: &Reply) {
        self.requests.clear();
        self.requests.extend(reply.completions.iter().filter_map(|done| requests.get(done.index as usize)));
        let requests = std::mem::take(&mut self.requests);
        let wait = Call::Wait { how: Completing::All, poll: false, requests: &requests };
        self.put(rank, stamp, &wait, reply);
        self.requests = requests;
    }

    /// Writes the time that has passed since the last call as an entry of its own.
    fn put_before(&mut self, rank: u32) {
        if !self.ranks[rank as usize].before.takes_no_time() {
            self.put(rank, None, &Call::Flush, &Reply::new());
        }
    }

    /// The number of a call site, from 1 on.
    fn place(&mut self, stamp: &Stamp) -> u32 {
        let places = &mut self.footer.places;
        *self.places.entry((stamp.function, stamp.site)).or_insert_with(|| {
            let name = function_names().get(usize::from(stamp.function)).copied().unwrap_or_default();
            places.push(CallSite { function: name.to_owned(), site: stamp.site, source: String::new() });
            places.len() as u32
        })
    }

    fn flush(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        if state.entries.is_empty() {
            return;
        }
        let mut compressed = std::mem::take(&mut self.compressed);
        compressed.resize(lz4_flex::block::get_maximum_output_size(state.entries.len()), 0);
        // The buffer has room for the largest result, so this cannot fail.
        let stored = lz4_flex::block::compress_into(&state.entries, &mut compressed).unwrap_or_default();
        let bytes = &compressed[..stored];
        let packed = Packed {
            stored: stored as u32,
            raw: state.entries.len() as u32,
            checksum: crc32fast::hash(bytes),
        };
        let head = BlockHead { rank, packed };
        varint::put(self.offset - state.last_block, &mut state.block_gaps);
        state.last_block = self.offset;
        state.entries.clear();
        self.offset += (BLOCK + bytes.len()) as u64;
        self.write(&head.bytes());
        self.write(bytes);
        self.compressed = compressed;
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none()
            && let Some(file) = &mut self.file
        {
            self.failed = file.write_all(bytes).err();
        }
    }

    fn write_footer(&mut self) {
        let ranks = self.ranks.iter_mut().map(|rank| (rank.calls, std::mem::take(&mut rank.block_gaps)));
        self.footer.ranks = ranks.collect();
        let raw = self.footer.bytes();
        let stored = lz4_flex::block::compress(&raw);
        let trailer = Trailer {
            offset: self.offset,
            packed: Packed {
                stored: stored.len() as u32,
                raw: raw.len() as u32,
                checksum: crc32fast::hash(&stored),
            },
        };
        self.write(&stored);
        self.write(&trailer.bytes());
    }
}

impl TraceWriter for BinaryWriter {
    fn computed(&mut self, rank: u32, work: Work) {
        self.put_before(rank);
        match work {
            Work::Nanos(nanos) => self.ranks[rank as usize].before.burst = Burst::serial(nanos),
            Work::Threads(burst) => self.ranks[rank as usize].before.burst = burst,
            Work::Flops(_) | Work::Roofline { .. } => {
                self.put(rank, None, &Call::Compute { work, request: None }, &Reply::new());
            }
        }
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        if !self.ranks[rank as usize].before.delay.is_zero() {
            self.put_before(rank);
        }
        self.ranks[rank as usize].before.delay = span;
    }

    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        let (stamp, nothing) = (Some(stamp), reply.completions.is_empty());
        match *call {
            Call::Wait { poll: true, requests, .. } if nothing && !requests.is_empty() => {
                self.put(rank, stamp, &Call::FailedPoll { span }, reply);
            }
            Call::Probe { poll: true, .. } if nothing => {
                self.put(rank, stamp, &Call::FailedPoll { span }, reply);
            }
            Call::Wait { requests, .. } => self.put_wait(rank, stamp, requests, reply),
            // The table of calls says whether it is stored.
            ref other => self.put(rank, stamp, other, reply),
        }
    }

    fn given_communicator(&mut self, context: ContextId, members: &[u32]) {
        self.footer.given += 1;
        self.communicator(context, members);
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.footer.communicators.push((context, members.to_vec()));
    }

    fn open_thread(&mut self, rank: u32) -> Option<u32> {
        self.footer.threads.push(rank);
        self.ranks.push(BinaryRank::default());
        Some(self.ranks.len() as u32 - 1)
    }

    fn handed_over(&mut self, rank: u32) {
        self.put(rank, None, &Call::Flush, &Reply::new());
    }

    fn synchronized(&mut self, thread: u32, sync: ThreadSync) {
        let state = &mut self.ranks[thread as usize];
        entry::put_sync(&std::mem::take(&mut state.before), sync, &mut state.entries);
        self.flush_full(thread);
    }

    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        for spot in self.footer.places.iter_mut().filter(|spot| spot.site != 0) {
            spot.source = source(spot.site).unwrap_or_default();
        }
    }

    fn stores_accesses(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        for rank in 0..self.ranks.len() as u32 {
            self.put_before(rank);
            self.flush(rank);
        }
        self.write_footer();
        let finished = match (self.failed.take(), self.file.take()) {
            (Some(error), _) => Err(error),
            (None, Some(file)) => file.finish(),
            (None, None) => Ok(()),
        };
        finished.map_err(|error| TraceError::io(&self.path, error))
    }
}

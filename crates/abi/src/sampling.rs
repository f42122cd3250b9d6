//! Sampled blocks as a rank sees them: which it skips without asking, and what it has computed without computing.
//!
//! The simulator decides whether a block is executed ([`Call::SampleBegin`]); once it says that a block is to be skipped,
//! that holds for good, and the rank counts the block's mean by itself: it adds to the burst before the next call.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::CStr;
use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::{Call, Rule, Tally, Work};

use crate::{connection, rank};

/// What a rank knows of its sampled blocks.
#[derive(Default)]
pub(crate) struct Sampling {
    /// Picoseconds of this machine that skipped blocks stand for, since the last call.
    charged: AtomicU64,
    /// A block runs whose work the program has declared: its time does not count.
    muted: AtomicBool,
    blocks: Mutex<Blocks>,
}

#[derive(Default)]
struct Blocks {
    /// Blocks to skip, and the picoseconds each stands for.
    known: HashMap<Place, u64>,
    executed: u64,
    skipped: u64,
}

/// Where a block is: address of the file's name, line, hash of the tag, and whose executions count.
type Place = (usize, i32, u64, bool);

/// A block in the program's words.
pub(crate) struct Site<'a> {
    pub file: &'a CStr,
    pub line: i32,
    /// Tells blocks at one place apart.
    pub tag: &'a CStr,
    pub global: bool,
}

/// Is the block to be executed? If not, it counts as executed from here on. Alone, everything is executed.
pub(crate) fn begin(site: &Site<'_>, rule: Rule) -> bool {
    if !connection::line().simulated {
        return true;
    }
    let place = site.place();
    let known = blocks().known.get(&place).copied();
    let mean = known.or_else(|| {
        connection::ask(&Call::SampleBegin { site: &site.name(), global: site.global, rule }).number
    });
    let mut blocks = blocks();
    let Some(picos) = mean else {
        blocks.executed += 1;
        return true;
    };
    blocks.skipped += 1;
    if known.is_none() {
        blocks.known.insert(place, picos);
    }
    this().charged.fetch_add(picos, Ordering::Relaxed);
    false
}

/// The block has been executed.
pub(crate) fn end() {
    if connection::line().simulated {
        connection::post(&Call::SampleEnd);
    }
}

/// The program computes this much here, as far as simulated time goes.
pub(crate) fn declare(work: Work) {
    if connection::line().simulated {
        connection::post(&Call::Compute { work, request: None });
    }
}

/// From here on the processor time of this rank does not count, or counts again.
pub(crate) fn mute(muted: bool) {
    connection::forget_burst();
    this().muted.store(muted, Ordering::Relaxed);
}

/// Does the processor time of this rank count for nothing?
pub(crate) fn is_muted() -> bool {
    this().muted.load(Ordering::Relaxed)
}

/// Picoseconds that skipped blocks stand for since the last call.
pub(crate) fn charged() -> u64 {
    this().charged.load(Ordering::Relaxed)
}

/// The same in whole nanoseconds, now accounted for; the rest stays.
pub(crate) fn take_charged() -> u64 {
    let picos = charged();
    if picos > 0 {
        this().charged.store(picos % 1_000, Ordering::Relaxed);
    }
    picos / 1_000
}

/// How many blocks were executed and skipped.
pub(crate) fn tally() -> Tally {
    let blocks = blocks();
    Tally { executed: blocks.executed, skipped: blocks.skipped, shared: 0 }
}

impl Site<'_> {
    fn place(&self) -> Place {
        let tag = self.tag.to_bytes();
        let hash = if tag.is_empty() { 0 } else { hash_of(tag) };
        (self.file.as_ptr().addr(), self.line, hash, self.global)
    }

    /// What all ranks call it.
    fn name(&self) -> String {
        let (file, tag) = (self.file.to_string_lossy(), self.tag.to_string_lossy());
        let space = if tag.is_empty() { "" } else { " " };
        format!("{file}:{}{space}{tag}", self.line)
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn this() -> &'static Sampling {
    &rank::this().sampling
}

fn blocks() -> MutexGuard<'static, Blocks> {
    this().blocks.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Sampled blocks: which of them a rank skips without asking the simulator.
//!
//! The simulator decides whether a block is executed ([`Call::SampleBegin`]). Once it says that the rank skips a block, that
//! holds for the rest of the run. From then on the rank itself adds the block's mean to the burst before its next call.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::CStr;
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::{Call, Rule, Tally};

use crate::connection::Connection;

/// The sampled blocks of a rank.
#[derive(Default)]
pub(crate) struct Sampling(Mutex<Blocks>);

#[derive(Default)]
struct Blocks {
    /// Blocks to skip, and the picoseconds each stands for.
    known: HashMap<BlockKey, u64>,
    executed: u64,
    skipped: u64,
}

/// Where a block is: address of the file's name, line, hash of the tag, and whose executions count.
type BlockKey = (usize, i32, u64, bool);

/// A block as the program names it.
pub(crate) struct Site<'a> {
    pub file: &'a CStr,
    pub line: i32,
    /// Tells blocks at one place apart.
    pub tag: &'a CStr,
    pub global: bool,
}

impl Sampling {
    /// Is the block to be executed? If not, it counts as executed from here on. Without a simulator all blocks are.
    pub(crate) fn begin(&self, connection: &Connection, site: &Site<'_>, rule: Rule) -> bool {
        if !connection.is_simulated() {
            return true;
        }
        let place = site.place();
        let known = self.blocks().known.get(&place).copied();
        let mean = known.or_else(|| {
            connection.ask(&Call::SampleBegin { site: &site.name(), global: site.global, rule }).number
        });
        let mut blocks = self.blocks();
        let Some(picos) = mean else {
            blocks.executed += 1;
            return true;
        };
        blocks.skipped += 1;
        if known.is_none() {
            blocks.known.insert(place, picos);
        }
        connection.charge(picos);
        false
    }

    /// How many blocks were executed and skipped.
    pub(crate) fn tally(&self) -> Tally {
        let blocks = self.blocks();
        Tally { executed: blocks.executed, skipped: blocks.skipped, ..Tally::default() }
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Site<'_> {
    fn place(&self) -> BlockKey {
        let tag = self.tag.to_bytes();
        let hash = if tag.is_empty() { 0 } else { hash_of(tag) };
        (self.file.as_ptr().addr(), self.line, hash, self.global)
    }

    /// The name that all ranks use for it.
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

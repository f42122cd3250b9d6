//! Time-independent traces, as SimGrid writes and replays them.
//!
//! One line is one action of one rank: `0 send 1 7 1e6` is rank 0 sending a million elements to rank 1 with tag 7. Amounts
//! are flops and elements, never seconds, so a trace says what a program does and nothing of where it ran.
//!
//! | file | what |
//! |---|---|
//! | `files` | files and folders; whose lines are where |
//! | `stretches` | one file for all ranks |
//! | `text` | words and numbers of a line |
//! | `words` | names of actions and numbers of datatypes |
//! | `arguments` | what follows the name of an action |
//! | `player` | lines become calls |
//! | `collective` | those of collectives do |
//! | `requests` | which request `wait 0 1 7` means |
//! | `write` | runs become lines |

mod arguments;
mod collective;
mod files;
mod player;
mod requests;
mod sites;
mod stretches;
mod text;
mod words;
mod write;

use std::path::{Path, PathBuf};

use mpirage_call::Reply;

use crate::{Calls, Computation, Step, TraceError, TracePlace, Workload};
use files::{Files, Lines};
use player::{Common, Player};
use words::Functions;
pub use write::{TiLayout, TiWriter};

/// A time-independent trace.
pub struct TiTrace {
    files: Files,
    ranks: Vec<(Lines, Player)>,
    common: Common,
    computation: Computation,
}

impl TiTrace {
    /// Opens a folder with one file per rank, a list of such files, or one file for all ranks.
    pub fn open(path: &Path) -> Result<TiTrace, TraceError> {
        let files = Files::open(path)?;
        let ranks = files.ranks() as u32;
        let common = Common {
            ranks,
            functions: Functions::new(),
            sites: Default::default(),
            blocks: Default::default(),
            requests: Vec::new(),
            eager_limit: 0,
        };
        let ranks = (0..ranks).map(|rank| (Lines::default(), Player::new(rank))).collect();
        let computation = files.computation()?;
        Ok(TiTrace { files, ranks, common, computation })
    }

    fn bad(&self, rank: u32, problem: String) -> TraceError {
        let (file, place) = self.files.place(rank, self.ranks[rank as usize].0.count());
        TraceError::bad(&file, place, problem)
    }
}

impl Workload for TiTrace {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn computation(&self) -> Computation {
        self.computation
    }

    fn eager_limit(&mut self, bytes: u64) {
        self.common.eager_limit = bytes;
    }

    fn share_done(&self) -> Option<f64> {
        let (lines, _) = self.ranks.first()?;
        Some(lines.share_read(0, &self.files))
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let TiTrace { files, ranks, common, .. } = self;
        let (lines, player) = &mut ranks[rank as usize];
        player.answered(reply, calls);
        loop {
            let outcome = match lines.next(rank, files)? {
                Some(line) => player
                    .act(lines.text(line), lines.count(), common, calls)
                    .map(|waits| waits.then_some(Step::Waits)),
                None => player.end(common, calls).map(Some),
            };
            match outcome {
                Ok(None) => {}
                Ok(Some(step)) => return Ok(step),
                Err(problem) => return Err(self.bad(rank, problem)),
            }
        }
    }

    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        match site {
            0 => None,
            // Better than the line of the trace is the line of the program, if the trace names it.
            site => self.common.sites.place(site).or_else(|| Some(self.files.place(rank, site))),
        }
    }
}

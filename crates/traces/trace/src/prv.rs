//! Traces of Paraver (`.prv`), as Extrae and mpirage write them.
//!
//! | in the trace | becomes |
//! |---|---|
//! | time between two functions of MPI, and inside of local ones | computation |
//! | the beginning of a function (events 50000001 to 50000003) | a call |
//! | communications (`3:…`) | peer, tag and size of sends and receives |
//! | events 50100001 to 50100004 | sizes, root and communicator of collectives |
//! | states, other events | nothing |
//!
//! Names of functions are those of the file `.pcf` beside the trace, if there is one. The line of a communication stands where its send
//! is, so the whole trace is read first.

mod functions;
mod head;
mod player;
mod records;

use std::path::{Path, PathBuf};

use mpirage_call::{ContextId, FIRST_MADE, Reply, WORLD};

use crate::error::{TraceError, TracePlace};
use crate::source::Source;
use crate::{Calls, Step, Workload};
use functions::Functions;
use head::Head;
use player::{Action, Player, Stamps};
use records::Records;

/// A trace of Paraver.
pub struct PrvTrace {
    name: PathBuf,
    head: Head,
    contexts: Vec<ContextId>,
    /// The calls of each rank, and how far it has come.
    ranks: Vec<(Vec<Action>, usize)>,
    stamps: Stamps,
    blocks: [Vec<u64>; 2],
}

impl PrvTrace {
    /// Reads a trace.
    pub fn open(path: &Path) -> Result<PrvTrace, TraceError> {
        let source = Source::open(path)?;
        let functions = Functions::beside(path)?;
        let (head, records) = Records::read(&source, &functions)?;
        let roots = records.roots(&head);
        let ranks =
            (0..head.tasks).map(|rank| Ok((Player::new(&source, &records, rank, &roots).actions()?, 0)));
        let ranks = ranks.collect::<Result<_, TraceError>>()?;
        let (stamps, blocks) = (Stamps::new(), Default::default());
        let name = source.name().to_owned();
        let mut trace = PrvTrace { name, head, contexts: Vec::new(), ranks, stamps, blocks };
        trace.number_communicators_from(FIRST_MADE);
        Ok(trace)
    }
}

impl Workload for PrvTrace {
    fn ranks(&self) -> u32 {
        self.head.tasks
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        let own = self.head.communicators.iter().filter(|members| !self.head.is_world(members));
        own.cloned().collect()
    }

    fn number_communicators_from(&mut self, first: ContextId) {
        let mut next = first.get();
        let number = |members: &Vec<u32>| {
            if self.head.is_world(members) {
                return WORLD;
            }
            next += 1;
            ContextId::new(next - 1)
        };
        self.contexts = self.head.communicators.iter().map(number).collect();
    }

    fn share_done(&self) -> Option<f64> {
        let (actions, at) = self.ranks.first()?;
        Some(*at as f64 / actions.len().max(1) as f64)
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let PrvTrace { contexts, ranks, stamps, blocks, head, .. } = self;
        let (actions, at) = &mut ranks[rank as usize];
        while let Some(action) = actions.get(*at) {
            *at += 1;
            if action.push(rank, (&head.communicators, contexts), stamps, blocks, calls) {
                return Ok(Step::Waits);
            }
        }
        Ok(Step::Ended)
    }

    /// The site of a call is the byte at which its record begins.
    fn place(&self, _: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        (site != 0).then(|| (self.name.clone(), TracePlace::Byte(site)))
    }
}

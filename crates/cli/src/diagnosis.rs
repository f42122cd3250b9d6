//! Why a run failed, in words, with source lines.

use std::fmt::Write as _;

use mpirage_call::{ContextId, SELF, Stamp, WORLD, function_name};
use mpirage_mpi::{BlockedRank, Engine, Leftover, Want};
use mpirage_rank::{Outcome, Processes, Symbols};

/// Blocked ranks shown in full; of more, only how many there are.
const SHOWN: usize = 32;

/// Explains ends of runs.
pub struct Diagnosis<'a> {
    engine: &'a mut Engine<Processes>,
    symbols: Symbols,
}

impl<'a> Diagnosis<'a> {
    /// Looks at a run that has ended, while its processes are still there.
    pub fn new(engine: &'a mut Engine<Processes>, ranks: u32) -> Diagnosis<'a> {
        let mut symbols = Symbols::default();
        // Ranks of one program share one memory map; several programs may be running.
        let mut looked_at = 0;
        for rank in 0..ranks {
            if let Some(process) = engine.memory().living(rank)
                && looked_at < SHOWN
            {
                symbols.learn(process);
                looked_at += 1;
            }
        }
        Diagnosis { engine, symbols }
    }

    /// What to tell the user about an outcome; nothing if all is well.
    pub fn explain(&mut self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Finished { .. } => None,
            Outcome::Deadlock => Some(self.deadlock()),
            Outcome::Aborted { rank, code } => {
                let place = self.place_of(*rank);
                Some(format!("rank {rank} called MPI_Abort with code {code}{place}"))
            }
            Outcome::Misuse { rank, text } => {
                let place = self.place_of(*rank);
                Some(format!("rank {rank} used MPI wrongly{place}: {text}"))
            }
            Outcome::RankDied { rank, death } => {
                let before = if self.engine.lifecycle(*rank).1 { "after" } else { "before" };
                let place = self.last_call_of(*rank);
                Some(format!("rank {rank} {} {before} it called MPI_Finalize{place}", death.describe()))
            }
            Outcome::RankHangs { rank, seconds } => {
                let place = self.last_call_of(*rank);
                Some(format!("rank {rank} has not called MPI for {seconds:.0} s{place}; --rank-timeout set this limit"))
            }
        }
    }

    /// Messages nobody received and requests nobody waited for.
    pub fn leftovers(&mut self) -> Vec<String> {
        let leftovers = self.engine.leftovers();
        leftovers.iter().map(|leftover| self.leftover(leftover)).collect()
    }

    fn deadlock(&mut self) -> String {
        let blocked = self.engine.blocked();
        let count = blocked.len();
        let mut text = format!("deadlock: {count} rank{} wait for something that never comes\n", plural(count));
        for rank in blocked.iter().take(SHOWN) {
            let line = self.blocked_rank(rank);
            let _ = writeln!(text, "  {line}");
        }
        if count > SHOWN {
            let _ = writeln!(text, "  … and {} more", count - SHOWN);
        }
        if let Some(cycle) = Engine::<Processes>::cycle(&blocked) {
            let path: Vec<String> = cycle.iter().chain(cycle.first()).map(u32::to_string).collect();
            let _ = write!(text, "  cycle: rank {}", path.join(" waits for rank "));
        } else {
            text.push_str("  no cycle: a message was not sent, or a rank has ended already");
        }
        text
    }

    fn blocked_rank(&mut self, blocked: &BlockedRank) -> String {
        let BlockedRank { rank, stamp, wants } = blocked;
        let wanted: Vec<String> = wants.iter().take(4).map(|want| self.want(want)).collect();
        let more = if wants.len() > 4 { format!(" and {} more", wants.len() - 4) } else { String::new() };
        let place = self.place(stamp);
        format!("rank {rank} in {}{place} waits for {}{more}", function_name(stamp.function), wanted.join(", "))
    }

    fn want(&self, want: &Want) -> String {
        match want {
            Want::Receiver { to, tag, context } => {
                format!("rank {to} to receive (tag {tag}, {})", self.communicator(*context))
            }
            Want::Message { from, tag, context } => {
                let from = from.map_or("any rank".to_owned(), |from| format!("rank {from}"));
                let tag = tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"));
                format!("a message from {from} ({tag}, {})", self.communicator(*context))
            }
            Want::Members { what, missing, context } if missing.is_empty() => {
                format!("messages within {what} ({})", self.communicator(*context))
            }
            Want::Members { what, missing, context } => {
                let names: Vec<String> = missing.iter().take(8).map(u32::to_string).collect();
                let more = if missing.len() > 8 { ", …" } else { "" };
                let s = plural(missing.len());
                format!("rank{s} {}{more} to enter {what} ({})", names.join(", "), self.communicator(*context))
            }
        }
    }

    fn leftover(&self, leftover: &Leftover) -> String {
        match leftover {
            Leftover::Message { from, to, tag, bytes, context } => {
                let communicator = self.communicator(*context);
                format!("a message of {bytes} bytes from rank {from} to rank {to} (tag {tag}, {communicator}) was never received")
            }
            Leftover::Requests { rank, count, example } => {
                let waits = self.want(example);
                format!("rank {rank} leaves {count} request{} that it never completed or freed, one for {waits}", plural(*count))
            }
        }
    }

    fn communicator(&self, context: ContextId) -> String {
        match context {
            WORLD => "MPI_COMM_WORLD".to_owned(),
            SELF => "MPI_COMM_SELF".to_owned(),
            other => format!("communicator {other} of {} ranks", self.engine.communicator_size(other)),
        }
    }

    fn place_of(&mut self, rank: u32) -> String {
        let stamp = self.engine.last_call(rank);
        self.place(&stamp)
    }

    fn last_call_of(&mut self, rank: u32) -> String {
        let stamp = self.engine.last_call(rank);
        if stamp.site == 0 {
            return String::new();
        }
        format!("; its last MPI call was {}{}", function_name(stamp.function), self.place(&stamp))
    }

    fn place(&mut self, stamp: &Stamp) -> String {
        if stamp.site == 0 { String::new() } else { format!(" at {}", self.symbols.site(stamp.site)) }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

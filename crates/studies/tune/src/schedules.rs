//! The schedules of all ranks of one call, for readers.

pub mod dot;

use std::collections::HashMap;

use mpirage_call::{Collective, Method};
use mpirage_collectives::Performed;
use mpirage_collectives::{Nodes, Schedule, Shape, Step, schedule};
use mpirage_simulation::{words::count, words::thousands};
use mpirage_units::time_text;

use crate::size_text;

/// A call of which schedules are shown.
pub struct Call {
    /// The operation.
    pub collective: Collective,
    /// How it is performed.
    pub method: Method,
    /// How many ranks call it.
    pub ranks: u32,
    /// Bytes of the vector or of a block.
    pub bytes: u64,
    /// The root, zero if there is none.
    pub root: u32,
    /// Where the ranks are.
    pub nodes: Nodes,
}

impl Call {
    /// The shape of the call for one rank, with blocks of one size.
    fn shape<'a>(&'a self, counts: &'a [u64]) -> Shape<'a> {
        let element = if self.collective.reduces() && self.bytes.is_multiple_of(8) { 8 } else { 1 };
        let shape = Shape::new(self.ranks).root(self.root).bytes(self.bytes).element(element);
        shape.counts(counts, counts).nodes(Some(&self.nodes))
    }

    /// Can the algorithm perform it?
    pub fn is_possible(&self) -> bool {
        let counts = vec![self.bytes; self.ranks as usize];
        self.collective.fits(self.method.algorithm, &self.shape(&counts))
    }

    /// In words.
    pub fn describe(&self) -> String {
        let Call { collective, method, ranks, bytes, .. } = self;
        let root = if collective.is_rooted() { format!(", root {}", self.root) } else { String::new() };
        let size = if *collective == Collective::Barrier {
            String::new()
        } else {
            format!(", {}", size_text(*bytes))
        };
        format!("{collective} with {method}, {}{size}{root}", count((*ranks).into(), "rank"))
    }
}

/// A step of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RankStep {
    /// The rank.
    pub rank: usize,
    /// The step, from zero on.
    pub step: usize,
}

/// A message: the step that sends it and the step that receives it.
#[derive(Clone, Copy, Debug)]
pub struct ScheduledMessage {
    /// Where it is sent.
    pub send: RankStep,
    /// Where it is received.
    pub receive: RankStep,
}

/// Schedules of all ranks, and what follows from them together.
pub struct Schedules {
    /// By rank; annotated.
    pub ranks: Vec<Schedule>,
    /// All messages.
    pub messages: Vec<ScheduledMessage>,
    bytes: u64,
    rounds: u32,
}

impl Schedules {
    /// The schedules of a call.
    pub fn new(call: &Call) -> Schedules {
        let counts = vec![call.bytes; call.ranks as usize];
        let shape = call.shape(&counts);
        let one = |rank| {
            let mut out = Schedule::annotated();
            schedule(call.collective, call.method, &Shape { rank, ..shape }, &mut out);
            out
        };
        let ranks: Vec<Schedule> = (0..call.ranks).map(one).collect();
        let messages = matched(&ranks);
        let bytes =
            messages.iter().map(|message| bytes_of(&ranks[message.send.rank].steps[message.send.step])).sum();
        let rounds = rounds(&ranks, &messages);
        Schedules { ranks, messages, bytes, rounds }
    }

    /// All steps of all ranks, and totals.
    pub fn lines(&self, call: &Call) -> Vec<String> {
        let mut lines = vec![call.describe()];
        let waits = self.ranks.iter().map(waits_for).collect::<Vec<_>>();
        for (rank, (schedule, waits)) in self.ranks.iter().zip(&waits).enumerate() {
            lines.push(format!("\nrank {rank}"));
            for (number, step) in schedule.steps.iter().enumerate() {
                let text = step_text(step);
                let note = match step {
                    Step::WaitAll | Step::Wait { .. } => waits[number].clone(),
                    _ => carried(schedule, number),
                };
                lines.push(format!("{:>4}  {text:<28} {note}", number + 1).trim_end().to_owned());
            }
        }
        lines.push(format!(
            "\n{} one after the other, {} in total, {} bytes",
            count(self.rounds.into(), "message"),
            count(self.messages.len() as u64, "message"),
            thousands(self.bytes)
        ));
        lines
    }
}

/// The peer of a send or receive, in words.
pub fn step_text(step: &Step) -> String {
    match *step {
        Step::Isend { to, bytes, .. } => format!("isend to {to}, {}", size_text(bytes)),
        Step::Issend { to, bytes, .. } => format!("issend to {to}, {}", size_text(bytes)),
        Step::Irecv { from, bytes, .. } => format!("irecv from {from}, {}", size_text(bytes)),
        Step::Send { to, bytes, .. } => format!("send to {to}, {}", size_text(bytes)),
        Step::Ssend { to, bytes, .. } => format!("ssend to {to}, {}", size_text(bytes)),
        Step::Recv { from, bytes, .. } => format!("recv from {from}, {}", size_text(bytes)),
        Step::WaitAll => "wait for all".to_owned(),
        Step::Wait { left: 0, .. } => "wait".to_owned(),
        Step::Wait { left, .. } => format!("wait until {left} are left"),
        Step::Reduce { bytes } => format!("reduce {}", size_text(bytes)),
        Step::Combine { bytes } => format!("combine {}", size_text(bytes)),
        Step::Delay { span } => format!("delay {}", time_text(span)),
        Step::Copy { bytes, blocks: 0 } => format!("copy {}", size_text(bytes)),
        Step::Copy { bytes, blocks } => format!("copy {} in {blocks} blocks", size_text(bytes)),
    }
}

/// The blocks that a step sends.
fn carried(schedule: &Schedule, step: usize) -> String {
    let pieces: Vec<String> = schedule.carried(step).iter().map(ToString::to_string).collect();
    pieces.join(", ")
}

/// For each wait, the steps that it waits for: those of its request set that no wait before it has covered.
fn waits_for(schedule: &Schedule) -> Vec<String> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut texts = vec![String::new(); schedule.steps.len()];
    for (at, step) in schedule.steps.iter().enumerate() {
        match *step {
            Step::Isend { set, .. } | Step::Issend { set, .. } | Step::Irecv { set, .. } => {
                open.push((at, set))
            }
            Step::WaitAll => {
                texts[at] = format!("steps {}", numbers(&open));
                open.clear();
            }
            Step::Wait { set, left } => {
                let mine: Vec<_> = open.iter().copied().filter(|&(_, other)| other == set).collect();
                texts[at] = format!("steps {}", numbers(&mine));
                // Only a run tells which requests remain: most likely those that started last.
                let covered = mine.len().saturating_sub(left as usize);
                open.retain(|entry| !mine[..covered].contains(entry));
            }
            _ => {}
        }
    }
    texts
}

fn numbers(steps: &[(usize, u8)]) -> String {
    // Long lists are runs of steps that follow each other.
    let runs = steps.chunk_by(|one, next| one.0 + 1 == next.0);
    let text = |run: &[(usize, u8)]| match (run.first(), run.last()) {
        (Some(first), Some(last)) if first != last => format!("{}–{}", first.0 + 1, last.0 + 1),
        (Some(first), _) => (first.0 + 1).to_string(),
        _ => String::new(),
    };
    runs.map(text).collect::<Vec<_>>().join(", ")
}

fn bytes_of(step: &Step) -> u64 {
    match *step {
        Step::Isend { bytes, .. }
        | Step::Issend { bytes, .. }
        | Step::Send { bytes, .. }
        | Step::Ssend { bytes, .. } => bytes,
        _ => 0,
    }
}

/// Sends and receives between two ranks match in order, slot by slot.
fn matched(ranks: &[Schedule]) -> Vec<ScheduledMessage> {
    let mut receives: HashMap<(usize, usize, u16), Vec<usize>> = HashMap::new();
    for (rank, schedule) in ranks.iter().enumerate() {
        for (at, step) in schedule.steps.iter().enumerate() {
            if let Step::Irecv { from, slot, .. } | Step::Recv { from, slot, .. } = *step {
                receives.entry((from as usize, rank, slot)).or_default().push(at);
            }
        }
    }
    let mut taken: HashMap<(usize, usize, u16), usize> = HashMap::new();
    let mut messages = Vec::new();
    for (rank, schedule) in ranks.iter().enumerate() {
        for (at, step) in schedule.steps.iter().enumerate() {
            let (Step::Isend { to, slot, .. }
            | Step::Issend { to, slot, .. }
            | Step::Send { to, slot, .. }
            | Step::Ssend { to, slot, .. }) = *step
            else {
                continue;
            };
            let key = (rank, to as usize, slot);
            let nth = taken.entry(key).or_default();
            if let Some(&receive) = receives.get(&key).and_then(|steps| steps.get(*nth)) {
                let receive = RankStep { rank: to as usize, step: receive };
                messages.push(ScheduledMessage { send: RankStep { rank, step: at }, receive });
            }
            *nth += 1;
        }
    }
    messages
}

/// The most messages of which each can only be sent when the one before has arrived.
fn rounds(ranks: &[Schedule], messages: &[ScheduledMessage]) -> u32 {
    let sender: HashMap<RankStep, RankStep> =
        messages.iter().map(|message| (message.receive, message.send)).collect();
    let mut sent: HashMap<RankStep, u32> = HashMap::new();
    let mut at = vec![Progress::default(); ranks.len()];
    loop {
        let mut moved = false;
        for (rank, schedule) in ranks.iter().enumerate() {
            while at[rank].advance(rank, schedule, &sender, &mut sent) {
                moved = true;
            }
        }
        if !moved {
            return at.iter().map(|progress| progress.clock).max().unwrap_or(0);
        }
    }
}

/// How far a rank is, in steps and in messages one after the other.
#[derive(Clone, Default)]
struct Progress {
    next: usize,
    clock: u32,
    /// Receives under way, with their request sets.
    open: Vec<(usize, u8)>,
}

impl Progress {
    /// Does the next step, if what it waits for has arrived.
    fn advance(
        &mut self,
        rank: usize,
        schedule: &Schedule,
        sender: &HashMap<RankStep, RankStep>,
        sent: &mut HashMap<RankStep, u32>,
    ) -> bool {
        let Some(step) = schedule.steps.get(self.next) else { return false };
        let arrival =
            |step: usize| sender.get(&RankStep { rank, step }).and_then(|send| sent.get(send)).copied();
        match *step {
            Step::Isend { .. } | Step::Issend { .. } | Step::Send { .. } | Step::Ssend { .. } => {
                sent.insert(RankStep { rank, step: self.next }, self.clock + 1);
            }
            Step::Irecv { set, .. } => self.open.push((self.next, set)),
            Step::Recv { .. } => match arrival(self.next) {
                Some(date) => self.clock = self.clock.max(date),
                None => return false,
            },
            Step::WaitAll | Step::Wait { .. } => {
                let (set, left) =
                    if let Step::Wait { set, left } = *step { (Some(set), left) } else { (None, 0) };
                let waited = |entry: &&(usize, u8)| set.is_none_or(|set| entry.1 == set);
                let wanted = self.open.iter().filter(waited).count().saturating_sub(left as usize);
                let mut dates: Vec<(u32, usize)> = self
                    .open
                    .iter()
                    .filter(waited)
                    .filter_map(|&(step, _)| Some((arrival(step)?, step)))
                    .collect();
                if dates.len() < wanted {
                    return false;
                }
                dates.sort_unstable();
                dates.truncate(wanted);
                self.clock = dates.last().map_or(self.clock, |&(date, _)| self.clock.max(date));
                self.open.retain(|(step, _)| dates.iter().all(|(_, done)| done != step));
            }
            Step::Reduce { .. } | Step::Combine { .. } | Step::Delay { .. } | Step::Copy { .. } => {}
        }
        self.next += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(collective: Collective, method: &str, ranks: u32, bytes: u64) -> Call {
        Call {
            collective,
            method: mpirage_collectives::read_method(method).unwrap(),
            ranks,
            bytes,
            root: 0,
            nodes: Nodes::new(0..ranks),
        }
    }

    #[test]
    fn totals_are_those_of_theory() {
        for (collective, method, ranks, rounds, messages, bytes) in [
            (Collective::Allreduce, "ring", 5, 8, 40, 8 * 40),
            (Collective::Allreduce, "recursive-doubling", 8, 3, 24, 24 * 40),
            (Collective::Bcast, "binomial", 8, 3, 7, 7 * 40),
            (Collective::Barrier, "dissemination", 6, 3, 18, 0),
            (Collective::Alltoall, "pairwise", 4, 3, 12, 12 * 40),
            (Collective::Allgather, "ring", 4, 3, 12, 12 * 40),
        ] {
            let bytes_each = if collective == Collective::Barrier { 0 } else { 40 };
            let found = Schedules::new(&call(collective, method, ranks, bytes_each));
            assert_eq!(
                (found.rounds, found.messages.len(), found.bytes),
                (rounds, messages, bytes),
                "{collective} {method}"
            );
        }
    }

    /// Every algorithm: all sends are matched, and the count of rounds comes to an end.
    #[test]
    fn all_messages_of_all_algorithms_are_matched() {
        for collective in Collective::OF_ALL_RANKS {
            for algorithm in collective.algorithms() {
                let call = call(collective, algorithm.name(), 6, 100_000);
                if !call.is_possible() {
                    continue;
                }
                let schedules = Schedules::new(&call);
                let receives = |step: &&Step| matches!(step, Step::Irecv { .. } | Step::Recv { .. });
                let received: usize =
                    schedules.ranks.iter().map(|rank| rank.steps.iter().filter(receives).count()).sum();
                assert_eq!(schedules.messages.len(), received, "{collective} {algorithm}");
                assert!(schedules.rounds > 0, "{collective} {algorithm}");
            }
        }
    }

    #[test]
    fn steps_are_numbered_and_say_what_they_carry() {
        let call = call(Collective::Allreduce, "ring", 5, 40);
        let lines = Schedules::new(&call).lines(&call);
        assert_eq!(lines[0], "allreduce with ring, 5 ranks, 40 B");
        assert_eq!(lines[1], "\nrank 0");
        assert!(
            lines.iter().any(|line| line.contains("isend to 1, 8 B") && line.contains("bytes ")),
            "{lines:#?}"
        );
        assert!(
            lines.iter().any(|line| line.contains("wait for all") && line.contains("steps ")),
            "{lines:#?}"
        );
        assert_eq!(
            lines[lines.len() - 1],
            "\n8 messages one after the other, 40 messages in total, 320 bytes"
        );
    }
}

//! Prints what each rank does in collectives: for `tests/conformance`, which compares it with what MPI libraries do.
//!
//! ```text
//! messages CHOICE < CASES
//! ```
//!
//! CHOICE is as after `--coll`. Each line of CASES is one call:
//!
//! ```text
//! ID RANKS COLLECTIVE ROOT BYTES ELEMENT OPERATOR COUNTS PLACE        1 8 allreduce 0 4096 4 sum equal apart
//! ```
//!
//! BYTES is as in `Shape::bytes`. OPERATOR: `sum` (built in), `user` (commutes), `ordered` (does not). COUNTS of v- and w-forms: `equal`, or
//! `ragged`: 0, 1 or 2 times BYTES. PLACE: `apart` or `in-place`.
//!
//! A call gives one line per rank, `ID RANK TOKEN …`, and before them `ID = METHOD`. The tokens are steps in order:
//!
//! ```text
//! S3:64  blocking send of 64 bytes to rank 3     s3:64  non-blocking send     Y3:64, y3:64  the same in synchronous mode
//! R3:64  blocking receive                        r3:64  non-blocking receive
//! w0,2   waits for the operations 0 and 2 of this rank (counted from 0, blocking ones included)
//! ```
//!
//! A call that CHOICE has no algorithm for gives the line `ID ? REASON`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use mpirage_call::Collective;
use mpirage_collectives::{Choice, Operation, SETS, Schedule, Shape, Step, schedule};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let read = |file: &str| {
        std::fs::exists(file).ok()?.then(|| std::fs::read_to_string(file).map_err(|e| e.to_string()))
    };
    let choice = Choice::parse_with(&std::env::args().nth(1).unwrap_or_default(), read)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lines() {
        let line = line?;
        match Case::parse(&line) {
            Ok(case) => case.print(&choice, &mut out)?,
            Err(reason) => writeln!(out, "{} ? {reason}", line.split_whitespace().next().unwrap_or("?"))?,
        }
    }
    Ok(())
}

/// One line of the input.
struct Case<'a> {
    id: &'a str,
    operation: Operation,
    ranks: u32,
    root: u32,
    bytes: u64,
    element: u64,
    operator: &'a str,
    ragged: bool,
    in_place: bool,
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [id, ranks, collective, root, bytes, element, operator, counts, place] = words[..] else {
            return Err(format!("expected 9 words, found {}", words.len()));
        };
        let number =
            |text: &str| text.parse::<u64>().map_err(|error| format!("cannot read `{text}`: {error}"));
        Ok(Case {
            id,
            operation: Operation::from_name(collective).ok_or(format!("no collective `{collective}`"))?,
            ranks: number(ranks)? as u32,
            root: number(root)? as u32,
            bytes: number(bytes)?,
            element: number(element)?,
            operator,
            ragged: counts == "ragged",
            in_place: place == "in-place",
        })
    }

    fn print(&self, choice: &Choice, out: &mut impl Write) -> io::Result<()> {
        let mut steps = Schedule::default();
        for rank in 0..self.ranks {
            let (sent, received) = (self.row(rank), self.column(rank));
            let shape = self.shape(rank, &sent, &received);
            let method = choice.method(self.operation, &shape);
            if rank == 0 {
                writeln!(out, "{} = {method}", self.id)?;
            }
            schedule(self.operation.collective, method, &shape, &mut steps);
            writeln!(out, "{} {rank}{}", self.id, tokens(&steps.steps))?;
        }
        Ok(())
    }

    /// Bytes from one rank to another. Forms with one count per rank use those to rank 0.
    fn count(&self, from: u32, to: u32) -> u64 {
        if self.ragged { self.bytes * u64::from((from + 2 * to) % 3) } else { self.bytes }
    }

    fn per_pair(&self) -> bool {
        matches!(self.operation.collective, Collective::Alltoallv | Collective::Alltoallw)
    }

    fn row(&self, rank: u32) -> Vec<u64> {
        (0..self.ranks)
            .map(|peer| if self.per_pair() { self.count(rank, peer) } else { self.count(peer, 0) })
            .collect()
    }

    fn column(&self, rank: u32) -> Vec<u64> {
        (0..self.ranks)
            .map(|peer| if self.per_pair() { self.count(peer, rank) } else { self.count(peer, 0) })
            .collect()
    }

    fn shape<'s>(&self, rank: u32, sent: &'s [u64], received: &'s [u64]) -> Shape<'s> {
        use Collective::{Gatherv, Scatterv};
        let one_count = matches!(self.operation.collective, Gatherv | Scatterv);
        Shape::new(self.ranks)
            .rank(rank)
            .root(self.root)
            .bytes(if one_count { self.count(rank, 0) } else { self.bytes })
            .element(self.element)
            .commutative(self.operator != "ordered")
            .built_in(self.operator == "sum")
            .in_place(self.in_place)
            .counts(sent, received)
    }
}

/// The steps of one rank, without local work.
fn tokens(steps: &[Step]) -> String {
    let mut text = Text::default();
    for step in steps {
        match *step {
            Step::Send { to, bytes, .. } => text.blocking('S', to, bytes),
            Step::Ssend { to, bytes, .. } => text.blocking('Y', to, bytes),
            Step::Recv { from, bytes, .. } => text.blocking('R', from, bytes),
            Step::Isend { to, bytes, set, .. } => text.started('s', to, bytes, set),
            Step::Issend { to, bytes, set, .. } => text.started('y', to, bytes, set),
            Step::Irecv { from, bytes, set, .. } => text.started('r', from, bytes, set),
            Step::WaitAll => text.wait(&[0; SETS]),
            Step::Wait { set, left } => {
                let mut kept = [usize::MAX; SETS];
                kept[usize::from(set)] = left as usize;
                text.wait(&kept);
            }
            Step::Reduce { .. } | Step::Combine { .. } | Step::Delay { .. } | Step::Copy { .. } => {}
        }
    }
    text.tokens
}

#[derive(Default)]
struct Text {
    tokens: String,
    operations: usize,
    /// Numbers of the operations of each request set that no wait has covered yet.
    outstanding: [Vec<usize>; SETS],
}

impl Text {
    fn blocking(&mut self, kind: char, peer: u32, bytes: u64) {
        let _ = write!(self.tokens, " {kind}{peer}:{bytes}");
        self.operations += 1;
    }

    fn started(&mut self, kind: char, peer: u32, bytes: u64, set: u8) {
        self.outstanding[usize::from(set)].push(self.operations);
        self.blocking(kind, peer, bytes);
    }

    /// Waits until at most so many operations of each set are outstanding: shown as a wait for the oldest.
    fn wait(&mut self, kept: &[usize; SETS]) {
        let mut done = vec![];
        for (outstanding, &kept) in self.outstanding.iter_mut().zip(kept) {
            done.extend(outstanding.drain(..outstanding.len().saturating_sub(kept)));
        }
        done.sort_unstable();
        let numbers: Vec<String> = done.iter().map(usize::to_string).collect();
        let _ = write!(self.tokens, " w{}", numbers.join(","));
    }
}

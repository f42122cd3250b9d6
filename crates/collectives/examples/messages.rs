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
//! A call gives one line per rank, `ID RANK TOKEN …`, and before them `ID = ALGORITHM`. The tokens are steps in order:
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

use mpirage_collectives::{Choice, Collective, Schedule, Shape, Step, schedule};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let choice = Choice::parse(&std::env::args().nth(1).unwrap_or_default())?;
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
    collective: Collective,
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
            collective: Collective::from_name(collective).ok_or(format!("no collective `{collective}`"))?,
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
            let algorithm = choice.algorithm(self.collective, &shape);
            if rank == 0 {
                writeln!(out, "{} = {algorithm}", self.id)?;
            }
            schedule(self.collective, algorithm, &shape, &mut steps);
            writeln!(out, "{} {rank}{}", self.id, tokens(&steps.steps))?;
        }
        Ok(())
    }

    /// Bytes from one rank to another. Forms with one count per rank use those to rank 0.
    fn count(&self, from: u32, to: u32) -> u64 {
        if self.ragged { self.bytes * u64::from((from + 2 * to) % 3) } else { self.bytes }
    }

    fn per_pair(&self) -> bool {
        matches!(self.collective, Collective::Alltoallv | Collective::Alltoallw)
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
        let one_count = matches!(self.collective, Gatherv | Scatterv);
        Shape::new(self.ranks)
            .rank(rank)
            .root(self.root)
            .bytes(if one_count { self.count(rank, 0) } else { self.bytes })
            .element(self.element)
            .commutative(self.operator != "ordered")
            .in_place(self.in_place)
            .counts(sent, received)
    }
}

/// The steps of one rank, without local work.
fn tokens(steps: &[Step]) -> String {
    let (mut text, mut operations, mut outstanding) = (String::new(), 0, Vec::new());
    for step in steps {
        let (kind, peer, bytes) = match *step {
            Step::Send { to, bytes, .. } => ('S', to, bytes),
            Step::Isend { to, bytes, .. } => ('s', to, bytes),
            Step::Recv { from, bytes, .. } => ('R', from, bytes),
            Step::Irecv { from, bytes, .. } => ('r', from, bytes),
            Step::WaitAll => {
                let numbers: Vec<String> = std::mem::take(&mut outstanding);
                let _ = write!(text, " w{}", numbers.join(","));
                continue;
            }
            Step::Reduce { .. } | Step::Copy { .. } => continue,
        };
        let _ = write!(text, " {kind}{peer}:{bytes}");
        if kind.is_lowercase() {
            outstanding.push(operations.to_string());
        }
        operations += 1;
    }
    text
}

//! Writes a file of dynamic rules for Open MPI.
//!
//! ```text
//! openmpi_rules < DECISIONS
//! ```
//!
//! A decision is a line `COLLECTIVE RANKS BYTES METHOD`, as in `bcast 64 8192 chain:segment=8KiB`: from so many ranks and bytes on. The
//! method `0` leaves it to the library.

use std::io;

use mpirage_call::Collective;
use mpirage_collectives::{Decision, write_dynamic_rules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let decisions: Result<Vec<_>, Box<dyn std::error::Error>> =
        io::stdin().lines().map(|line| decision(&line?)).collect();
    print!("{}", write_dynamic_rules(&decisions?)?);
    Ok(())
}

fn decision(line: &str) -> Result<Decision, Box<dyn std::error::Error>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [collective, ranks, bytes, method] = words[..] else {
        return Err(format!("expected COLLECTIVE RANKS BYTES METHOD, found `{line}`").into());
    };
    Ok(Decision {
        collective: Collective::from_name(collective).ok_or(format!("no collective `{collective}`"))?,
        ranks: ranks.parse()?,
        bytes: bytes.parse()?,
        method: if method == "0" { None } else { Some(mpirage_collectives::read_method(method)?) },
    })
}

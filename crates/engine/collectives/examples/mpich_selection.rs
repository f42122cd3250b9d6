//! Writes a selection file for MPICH 4.0 from rules on standard input: for `tests/conformance`, which gives it to the library.
//!
//! ```text
//! mpich_selection < RULES > selection.json
//! MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=selection.json mpirun.mpich …
//! ```

use std::io::{self, Read};

use mpirage_collectives::Selector;
use mpirage_collectives::mpich::{MpichVersion, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let rules: Vec<_> = Selector::parse(&text)?.rules().cloned().collect();
    print!("{}", write(&rules, MpichVersion::V4_0)?);
    Ok(())
}

//! Room for ranks that other ranks start (`--universe-size`).

use crate::arguments::RunArguments;
use crate::exit::{Failure, usage};
use crate::plan::Mode;

/// How many ranks a run has room for, if so many start with it.
pub fn size(arguments: &RunArguments, ranks: u32, mode: Mode) -> Result<u32, Failure> {
    let Some(size) = arguments.universe_size else { return Ok(ranks) };
    if size < ranks {
        return Err(usage(format!("--universe-size {size}: {ranks} ranks start with the run")));
    }
    match not_with(arguments, mode) {
        Some(other) if size > ranks => Err(usage(format!(
            "--universe-size {size}: ranks cannot start others in a run with {other} yet; leave one of the two out"
        ))),
        _ => Ok(size),
    }
}

/// The first feature in use that needs to know all ranks before the run.
fn not_with(arguments: &RunArguments, mode: Mode) -> Option<&'static str> {
    let results = &arguments.results;
    let cases = [
        (mode == Mode::Checked, "checks"),
        (mode == Mode::Emulated, "a pace in real time"),
        (!results.trace.is_empty(), "--trace"),
        (results.report.is_some(), "--report"),
        (arguments.repeat.is_some(), "--repeat"),
        (!matches!(arguments.compute.as_str(), "measured" | "none"), "recorded or repeated computation"),
        (arguments.machine.on_cores.is_some(), "--on-cores"),
        (arguments.data_plane != "direct", "--data-plane mailbox"),
    ];
    cases.into_iter().find_map(|(is, name)| is.then_some(name))
}

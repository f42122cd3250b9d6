//! How ranks are executed: each as a process, or all folded into this process.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Error, Result, anyhow, bail};
use mpirage_rank::{Foldability, Program, foldability};

/// Up to this many ranks are processes: they can compute on several cores at once, which may save more time than the cheap
/// switches of folded ranks, which share one core. The number of cores does not count: the choice is the same on every machine.
const FEW: usize = 16;
/// Reasons shown in full; of the others, only their number.
const SHOWN: usize = 3;

const REQUESTED: &str = "requested by --ranks-as";

/// How ranks are executed, with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankMode {
    /// True: all ranks are folded into this process. False: each rank is a process.
    pub folded: bool,
    /// The reason, for the summary.
    pub reason: String,
    /// Doubts about the result.
    pub warnings: Vec<String>,
}

impl RankMode {
    /// `folded` or `processes`.
    pub fn name(&self) -> &'static str {
        if self.folded { "folded" } else { "processes" }
    }
}

/// Decides from the value of `--ranks-as` and from what is in the programs.
pub fn decide(option: &str, programs: &[Arc<Program>]) -> Result<RankMode> {
    match option {
        "processes" => Ok(processes(REQUESTED)),
        "folded" => fold_as_requested(programs),
        "auto" => Ok(fold_if_it_pays(programs)),
        other => bail!("--ranks-as {other}: expected auto, processes or folded"),
    }
}

/// A feature that only processes have: why ranks then run as processes, and why folded ranks cannot have it.
pub struct OnlyProcesses {
    /// Why they are processes.
    pub reason: &'static str,
    /// Why folded ranks cannot do it.
    pub refusal: &'static str,
}

/// `MPI_Comm_spawn`.
pub const UNIVERSE: OnlyProcesses = OnlyProcesses {
    reason: "ranks may start others",
    refusal: "folded ranks cannot start others (--universe-size)",
};
/// Accesses without MPI that take time.
pub const POSIX_IO: OnlyProcesses = OnlyProcesses {
    reason: "the kernel counts what each process reads and writes (--io posix)",
    refusal: "the kernel counts what a process reads and writes, and folded ranks are one (--io posix)",
};

/// Ranks that do what only processes can.
pub fn only_processes(option: &str, what: OnlyProcesses) -> Result<RankMode> {
    match option {
        "auto" | "processes" => Ok(processes(what.reason)),
        "folded" => bail!("--ranks-as folded: {}; leave one of the two out", what.refusal),
        other => bail!("--ranks-as {other}: expected auto or processes"),
    }
}

/// Ranks of an emulation, which run all at once.
pub fn of_emulation(option: &str) -> Result<RankMode> {
    match option {
        "auto" | "processes" => Ok(processes("they run in real time, all at once")),
        "folded" => bail!(
            "--ranks-as folded: folded ranks take turns, but ranks of an emulation run at the same time; leave it out"
        ),
        other => bail!("--ranks-as {other}: expected auto or processes"),
    }
}

fn processes(reason: impl Into<String>) -> RankMode {
    RankMode { folded: false, reason: reason.into(), warnings: Vec::new() }
}

fn fold_if_it_pays(programs: &[Arc<Program>]) -> RankMode {
    let ranks = programs.len();
    if ranks <= FEW {
        return processes(format!("few ranks ({ranks}), which can compute on several cores"));
    }
    fold_if_safe(programs)
}

fn fold_if_safe(programs: &[Arc<Program>]) -> RankMode {
    for program in distinct(programs) {
        if let Some(reason) = surroundings(&program) {
            return processes(reason);
        }
        match foldability(&program.path) {
            Foldability::Safe => {}
            Foldability::Unsafe(reasons) => return processes(of(&program.path, &listed(&reasons))),
            Foldability::Impossible(reason) => return processes(of(&program.path, &reason)),
        }
    }
    RankMode { folded: true, reason: "the program is safe to fold".to_owned(), warnings: Vec::new() }
}

fn fold_as_requested(programs: &[Arc<Program>]) -> Result<RankMode> {
    let mut warnings = Vec::new();
    for program in distinct(programs) {
        if let Some(reason) = surroundings(&program) {
            return Err(refusal(&reason));
        }
        match foldability(&program.path) {
            Foldability::Safe => {}
            Foldability::Unsafe(reasons) => {
                warnings
                    .push(format!("folded on request, although {}", of(&program.path, &listed(&reasons))));
            }
            Foldability::Impossible(reason) => return Err(refusal(&of(&program.path, &reason))),
        }
    }
    Ok(RankMode { folded: true, reason: REQUESTED.to_owned(), warnings })
}

fn refusal(reason: &str) -> Error {
    anyhow!("cannot fold: {reason}; use --ranks-as processes")
}

/// The reason if the program needs something that one process cannot have several of: a working directory, data of another MPI.
fn surroundings(program: &Program) -> Option<String> {
    if let Some(interface) = program.interface {
        return Some(format!("programs built for {} run as processes", interface.owner()));
    }
    let folder = program.folder.as_ref()?;
    Some(format!("folded ranks share one working directory, and --wdir names {}", folder.display()))
}

fn of(path: &Path, reason: &str) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    format!("{}: {reason}", name.display())
}

fn listed(reasons: &[String]) -> String {
    let shown = reasons.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match reasons.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Each program once: ranks of one program are next to each other.
fn distinct(programs: &[Arc<Program>]) -> Vec<Arc<Program>> {
    let mut distinct = programs.to_vec();
    distinct.dedup_by(|a, b| Arc::ptr_eq(a, b));
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let reasons: Vec<String> = (0..5).map(|n| format!("uses f{n}")).collect();
        assert_eq!(listed(&reasons), "uses f0, uses f1, uses f2 and 2 more");
        assert_eq!(listed(&reasons[..1]), "uses f0");
    }

    #[test]
    fn an_unknown_value_is_refused() {
        let error = decide("threads", &[]).unwrap_err();
        assert!(error.to_string().contains("auto, processes or folded"));
    }
}

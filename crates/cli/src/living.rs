//! How the ranks of a run live: as processes or folded, and why.

use std::path::Path;
use std::sync::Arc;

use mpirage_rank::{Foldability, Program, foldability};

use crate::exit::{Failure, usage};

/// Up to so many ranks are processes: their bursts can run side by side on the cores of this machine, which may save more than
/// cheap switches do. Folded ranks share one core. How many cores there are plays no part: runs are to say the same everywhere.
const FEW: usize = 16;
/// Reasons shown; of more, only how many there are.
const SHOWN: usize = 3;

/// How ranks live, with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Living {
    /// Many ranks in this process, or a process each?
    pub folded: bool,
    /// Why.
    pub why: String,
    /// What makes the result less trustworthy.
    pub warnings: Vec<String>,
}

impl Living {
    /// `folded` or `processes`.
    pub fn name(&self) -> &'static str {
        if self.folded { "folded" } else { "processes" }
    }
}

/// Decides from what was typed and what the programs are.
pub fn decide(wanted: &str, programs: &[Arc<Program>]) -> Result<Living, Failure> {
    match wanted {
        "processes" => Ok(processes("as asked for")),
        "folded" => fold_as_asked(programs),
        "auto" => Ok(fold_if_it_pays(programs)),
        other => Err(usage(format!("--ranks-as {other}: it can be auto, processes or folded"))),
    }
}

fn processes(why: impl Into<String>) -> Living {
    Living { folded: false, why: why.into(), warnings: Vec::new() }
}

fn fold_if_it_pays(programs: &[Arc<Program>]) -> Living {
    let ranks = programs.len();
    if ranks <= FEW {
        return processes(format!("few ranks ({ranks}), whose bursts can run side by side"));
    }
    fold_if_safe(programs)
}

fn fold_if_safe(programs: &[Arc<Program>]) -> Living {
    for program in distinct(programs) {
        match foldability(&program.path) {
            Foldability::Safe => {}
            Foldability::Unsafe(reasons) => return processes(of(&program.path, &listed(&reasons))),
            Foldability::Impossible(reason) => return processes(of(&program.path, &reason)),
        }
        if let Some(reason) = surroundings(&program) {
            return processes(reason);
        }
    }
    Living { folded: true, why: "the program keeps its ranks apart".to_owned(), warnings: Vec::new() }
}

fn fold_as_asked(programs: &[Arc<Program>]) -> Result<Living, Failure> {
    let mut warnings = Vec::new();
    for program in distinct(programs) {
        match foldability(&program.path) {
            Foldability::Safe => {}
            Foldability::Unsafe(reasons) => {
                warnings
                    .push(format!("folded as asked for, although {}", of(&program.path, &listed(&reasons))));
            }
            Foldability::Impossible(reason) => return Err(refusal(&of(&program.path, &reason))),
        }
        if let Some(reason) = surroundings(&program) {
            return Err(refusal(&reason));
        }
    }
    Ok(Living { folded: true, why: "as asked for".to_owned(), warnings })
}

fn refusal(reason: &str) -> Failure {
    usage(format!("cannot fold: {reason}; --ranks-as processes runs it"))
}

/// What one process cannot have several of.
fn surroundings(program: &Program) -> Option<String> {
    let folder = program.folder.as_ref()?;
    Some(format!("folded ranks work in one folder, but {} is wanted", folder.display()))
}

fn of(path: &Path, reason: &str) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    format!("{}: {reason}", name.display())
}

fn listed(reasons: &[String]) -> String {
    let shown = reasons.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match reasons.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more such things"),
    }
}

/// Each program once. Ranks of one program follow one another.
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
        assert_eq!(listed(&reasons), "uses f0, uses f1, uses f2 and 2 more such things");
        assert_eq!(listed(&reasons[..1]), "uses f0");
    }

    #[test]
    fn an_unknown_wish_is_refused() {
        let error = decide("threads", &[]).unwrap_err();
        assert!(error.error.to_string().contains("auto, processes or folded"));
    }
}

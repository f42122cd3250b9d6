//! Balancing a program: it is traced first, by another mpirage process.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use mpirage_simulation::Interrupt;
use mpirage_trace::ProcessGrid;
use mpirage_units::counted;
use tempfile::TempDir;

use crate::arguments::BalanceArguments;
use crate::child;
use crate::exit::{Failure, usage};

/// A program, and the folder for its traces.
pub struct TracedProgram<'a> {
    arguments: &'a BalanceArguments,
    folder: TempDir,
}

/// How the names of generated workloads begin.
const GENERATED: &str = "gen:";

/// Is a computation charged in a traced run?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Computation {
    /// As the user says; measured if the user says nothing.
    Wanted,
    /// Only calls count.
    Skipped,
}

impl<'a> TracedProgram<'a> {
    /// The program that the user names, if it is one.
    pub fn of(arguments: &'a BalanceArguments) -> Result<Option<TracedProgram<'a>>, Failure> {
        if !is_program(Path::new(&arguments.trace)) {
            let generated = arguments.trace.starts_with(GENERATED);
            if !generated && !Path::new(&arguments.trace).exists() {
                return Err(usage(format!("there is no program or trace {}", arguments.trace)));
            }
            if arguments.n.is_some() || !arguments.program_arguments.is_empty() {
                return Err(usage(format!(
                    "{}: -n and arguments belong to programs, and this is none",
                    arguments.trace
                )));
            }
            return Ok(None);
        }
        if !matches!(arguments.compute.as_deref(), None | Some("measured" | "none")) {
            let mode = arguments.compute.as_deref().unwrap_or_default();
            return Err(usage(format!("--compute {mode}: a program supports `measured` and `none`")));
        }
        let folder = tempfile::tempdir().context("cannot make a folder for traces")?;
        Ok(Some(TracedProgram { arguments, folder }))
    }

    /// The trace of the fine grid, or of -n ranks.
    pub fn fine(&self, interrupt: Interrupt) -> Result<PathBuf, Failure> {
        let grid = self.arguments.grid.as_deref();
        let ranks = match (self.arguments.n, grid) {
            (Some(ranks), _) => ranks,
            (None, Some(grid)) => ranks_of(grid)?,
            (None, None) => {
                return Err(usage(format!(
                    "{}: -n N says how many ranks the program has",
                    self.arguments.trace
                )));
            }
        };
        self.run(ranks, grid, Computation::Wanted, interrupt)
    }

    /// The calls of a run on a coarser grid, in which computation is free.
    pub fn coarse(&self, grid: &str, interrupt: Interrupt) -> Result<PathBuf, Failure> {
        self.run(ranks_of(grid)?, Some(grid), Computation::Skipped, interrupt)
    }

    fn run(
        &self,
        ranks: u32,
        grid: Option<&str>,
        computation: Computation,
        interrupt: Interrupt,
    ) -> Result<PathBuf, Failure> {
        let file = self.folder.path().join(format!("{ranks}-{}.mpirage", grid.unwrap_or("ranks")));
        let compute = match computation {
            Computation::Wanted => self.arguments.compute.as_deref().unwrap_or("measured"),
            Computation::Skipped => "none",
        };
        let mut words: Vec<OsString> = vec!["-q".into(), "-n".into(), ranks.to_string().into()];
        words.extend(["--compute".into(), compute.into(), "--trace".into(), (&file).into()]);
        if let Some(speed) = &self.arguments.host_speed {
            words.extend(["--host-speed".into(), speed.into()]);
        }
        words.push((&self.arguments.trace).into());
        let fill =
            |word: &String| word.replace("{grid}", grid.unwrap_or("")).replace("{ranks}", &ranks.to_string());
        words.extend(self.arguments.program_arguments.iter().map(|word| fill(word).into()));
        let ended = child::run("run", &words, &[], interrupt)?;
        if ended.succeeded() {
            return Ok(file);
        }
        let (trace, ranks, said) = (&self.arguments.trace, counted(ranks, "rank"), ended.said.trim_end());
        let error = anyhow!("{trace} failed with {ranks}:\n{said}");
        Err(Failure { code: ended.code(), error })
    }
}

fn ranks_of(grid: &str) -> Result<u32, Failure> {
    Ok(grid.parse::<ProcessGrid>().map_err(usage)?.ranks())
}

/// Is a file a program or a script?
fn is_program(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start));
    read.is_ok() && path.is_file() && (start == *b"\x7fELF" || start.starts_with(b"#!"))
}

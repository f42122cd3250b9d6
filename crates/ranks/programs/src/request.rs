//! A program as a user asks for it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use mpirage_rank::Program;

use crate::{fronts, program_file, share_malloc};

/// The user's options for a program.
#[derive(Clone, Debug)]
pub struct ProgramRequest<'a> {
    /// Its name and its arguments.
    pub words: &'a [OsString],
    /// The folder in which it runs.
    pub folder: Option<PathBuf>,
    /// Variables of its environment besides those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// For which MPI it was built: the value of `--mpi-abi`.
    pub interface: &'a str,
    /// The size of the smallest allocation that its ranks share; zero: they share none.
    pub smallest_shared: u64,
}

impl ProgramRequest<'_> {
    /// Finds the program, and adds the libraries that it needs to its environment.
    pub fn resolve(self) -> Result<Program> {
        let ProgramRequest { words, folder, mut environment, interface, smallest_shared } = self;
        let Some((name, arguments)) = words.split_first() else { bail!("no program given") };
        folder.as_deref().map_or(Ok(()), program_file::check_folder)?;
        let path = program_file::find(Path::new(name), folder.as_deref(), search_path(&environment))?;
        share_malloc::add_variables(&mut environment, smallest_shared)?;
        let mut program =
            Program { path, arguments: arguments.to_vec(), environment, folder, interface: None };
        let found = program.check().map_err(Error::msg)?;
        fronts::add(&mut program, interface, found)?;
        Ok(program)
    }
}

fn search_path(environment: &[(OsString, OsString)]) -> Option<&OsStr> {
    environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| &**value)
}

//! The program of a rank.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mpirage_call::{LineId, RankId};

use crate::interface::Interface;

/// Environment variables for libraries, unless the user sets them. Threads of OpenMP that wait for work sleep instead of spinning:
/// spinning would count as work. gfortran writes each line of standard output when it is printed, so that lines of ranks appear in simulated
/// order, and none is lost if another rank ends the run.
const DEFAULTS: [(&str, &str); 3] =
    [("OMP_WAIT_POLICY", "passive"), ("KMP_BLOCKTIME", "0"), ("GFORTRAN_UNBUFFERED_PRECONNECTED", "y")];

/// A program with its arguments and environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables to add to the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs; here if nothing is said.
    pub folder: Option<PathBuf>,
    /// The other MPI that it is built for, whose library a front replaces.
    pub interface: Option<Interface>,
}

/// The identity of a process: its rank, its world and its host.
pub(crate) struct Identity<'a> {
    pub rank: RankId,
    /// The first rank of its world, and how many there are.
    pub first: RankId,
    pub size: u32,
    /// Number among the ranks of its host, and how many those are.
    pub local: (u32, u32),
    pub host: &'a str,
}

impl Program {
    /// Starts a rank. Its first call will find the mailbox in `channel`.
    pub(crate) fn start(
        &self,
        who: &Identity<'_>,
        channel: BorrowedFd<'_>,
        stdout: File,
    ) -> std::io::Result<Child> {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).envs(self.environment.iter().map(|(k, v)| (k, v)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.env(
            mpirage_channel::CHANNEL_VARIABLE,
            mpirage_channel::channel_value(channel.as_raw_fd(), LineId::first_of(who.rank)),
        );
        for (name, value) in who.variables() {
            command.env(name, value);
        }
        command.envs(self.defaults());
        command.stdin(if who.rank.get() == 0 { Stdio::inherit() } else { Stdio::null() });
        command.stdout(stdout).stderr(Stdio::inherit());
        mpirage_channel::kill_with_us(&mut command);
        command.spawn()
    }

    /// Variables that neither this process' environment nor the program's sets.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let is_set = |name: &str| {
            std::env::var_os(name).is_some() || self.environment.iter().any(|(known, _)| known == name)
        };
        DEFAULTS.into_iter().filter(move |(name, _)| !is_set(name))
    }
}

impl Identity<'_> {
    /// The environment variables that launchers of other MPI implementations and Slurm set for a process.
    pub(crate) fn variables(&self) -> [(&'static str, String); 12] {
        let (rank, size) = ((self.rank.get() - self.first.get()).to_string(), self.size.to_string());
        let (local, locals) = (self.local.0.to_string(), self.local.1.to_string());
        [
            ("OMPI_COMM_WORLD_RANK", rank.clone()),
            ("OMPI_COMM_WORLD_SIZE", size.clone()),
            ("OMPI_COMM_WORLD_LOCAL_RANK", local.clone()),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", locals.clone()),
            ("PMI_RANK", rank.clone()),
            ("PMI_SIZE", size.clone()),
            ("MPI_LOCALRANKID", local.clone()),
            ("MPI_LOCALNRANKS", locals),
            ("SLURM_PROCID", rank),
            ("SLURM_NTASKS", size),
            ("SLURM_LOCALID", local),
            ("MPIRAGE_HOST", self.host.to_owned()),
        ]
    }
}

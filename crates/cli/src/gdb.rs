//! `mpirage gdb`: a folded run under the debugger.
//!
//! Folded ranks are copies of the program inside the simulator. A script registers each copy with the debugger when it is loaded, so that
//! `break solver.c:120` stops in every rank, and `mpirage-rank` prints which rank it is.

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, anyhow};
use rustix::fs::{MemfdFlags, memfd_create};

use crate::exit::{Failure, usage};

const SCRIPT: &str = include_str!("gdb.py");

/// Replaces this process by gdb, which runs `mpirage run --ranks-as folded` with these arguments.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    if typed.is_empty() {
        return Err(usage("mpirage gdb takes the arguments of `mpirage run`, such as -n 4 ./program"));
    }
    let script = memfd_create("mpirage-gdb", MemfdFlags::empty()).context("cannot hand a script to gdb")?;
    // gdb inherits the file, which has no name and so leaves nothing behind.
    let mut script = std::fs::File::from(script);
    script.write_all(SCRIPT.as_bytes()).context("cannot hand a script to gdb")?;
    let read = format!("python exec(open('/proc/self/fd/{}').read())", script.as_raw_fd());
    let me = std::env::current_exe().context("cannot find out where mpirage is")?;
    let error = Command::new("gdb")
        .args(["-q", "-ex", &read, "--args"])
        .arg(me)
        .args(["run", "--ranks-as", "folded"])
        .args(typed)
        .exec();
    Err(anyhow!("cannot start gdb: {error}").into())
}

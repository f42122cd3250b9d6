//! `mpirage demo`: compiles and simulates a bundled program, and shows the commands.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, anyhow};
use mpirage_simulation::Interrupt;
use rustix::process::{Pid, Signal, kill_process};

use crate::arguments::DemoArguments;
use crate::exit::Failure;
use crate::output::say;
use mpirage_programs::install::Install;

/// The bundled program.
const PROGRAM: &str = "examples/halo2d.c";
/// How often to check for a signal.
const LOOK: Duration = Duration::from_millis(20);

/// Compiles a bundled program, runs it on a bundled cluster, and prints the commands.
pub fn command(arguments: &DemoArguments) -> Result<u8, Failure> {
    let interrupt = Interrupt::watch()?;
    // The demo executes a program in this folder: no other user may write into it or guess its name.
    let private = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("mpirage-demo-").permissions(private).tempdir();
    let folder = folder.context("cannot make a temporary folder")?;
    show(arguments, &folder.path().join("halo2d"), interrupt)
}

fn show(arguments: &DemoArguments, program: &Path, interrupt: Interrupt) -> Result<u8, Failure> {
    let source = Install::locate()?.share.join(PROGRAM);
    say!("mpirage: you can type these commands yourself:\n");
    say!("  mpirage cc -O2 {PROGRAM} -o halo2d");
    let compile = ["cc", "-O2"].map(OsStr::new);
    let files = [source.as_os_str(), OsStr::new("-o"), program.as_os_str()];
    if mpirage(compile.into_iter().chain(files), interrupt)? != 0 {
        return Err(anyhow!("{} could not be compiled; is there a C compiler?", source.display()).into());
    }
    let (n, platform, report) = (arguments.n.to_string(), format!("cluster:{}", arguments.n), new_report());
    say!("  mpirage run -n {n} -p {platform} --report {} ./halo2d\n", report.display());
    let options = ["run", "-n", &n, "-p", &platform, "--report"].map(OsStr::new);
    let code = mpirage(options.into_iter().chain([report.as_os_str(), program.as_os_str()]), interrupt)?;
    if code == 0 {
        say!("\nmpirage: open {} in a browser to see what happened", report.display());
    }
    Ok(code)
}

/// The name of a new report: earlier ones are kept.
fn new_report() -> PathBuf {
    let numbered = (2..).map(|number| PathBuf::from(format!("report-{number}.html")));
    let mut names = std::iter::once(PathBuf::from("report.html")).chain(numbered);
    names.find(|name| name.symlink_metadata().is_err()).unwrap_or_default()
}

/// Runs a command of mpirage in a process of its own, so that its figures contain nothing of the commands before.
fn mpirage<'a>(words: impl Iterator<Item = &'a OsStr>, interrupt: Interrupt) -> Result<u8, Failure> {
    let executable = std::env::current_exe().context("cannot find out where mpirage is")?;
    let child = Command::new(&executable).args(words).spawn();
    let child = child.with_context(|| format!("cannot start {}", executable.display()))?;
    let status = wait(child, interrupt).context("cannot wait for mpirage")?;
    interrupt.check()?;
    Ok(status.code().unwrap_or(1) as u8)
}

/// Waits for a command, and ends it if a signal asks this one to stop.
fn wait(mut child: Child, interrupt: Interrupt) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.came() {
            // An error means that the child has already ended.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            return child.wait();
        }
        std::thread::sleep(LOOK);
    }
}

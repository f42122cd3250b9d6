//! `mpirage demo`: the first five minutes in one command.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, anyhow};

use crate::arguments::DemoArguments;
use crate::exit::Failure;
use crate::install::Install;

/// The program that is shown, among the examples.
const PROGRAM: &str = "examples/halo2d.c";

/// Where what happened can be seen.
const REPORT: &str = "report.html";

/// Compiles a bundled program, runs it on a bundled cluster and says what was done.
pub fn command(arguments: &DemoArguments) -> Result<u8, Failure> {
    let folder = std::env::temp_dir().join(format!("mpirage-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let code = show(arguments, &folder.join("halo2d"));
    let _ = std::fs::remove_dir_all(&folder);
    code
}

fn show(arguments: &DemoArguments, program: &Path) -> Result<u8, Failure> {
    let source = Install::locate()?.share.join(PROGRAM);
    eprintln!("mpirage: this is what you could type yourself:\n");
    eprintln!("  mpirage cc -O2 {PROGRAM} -o halo2d");
    let compiled =
        myself(["cc", "-O2"].map(OsStr::new), [source.as_os_str(), OsStr::new("-o"), program.as_os_str()])?;
    if compiled != 0 {
        return Err(anyhow!("{} could not be compiled; is there a C compiler?", source.display()).into());
    }
    let (n, platform) = (arguments.n.to_string(), format!("cluster:{}", arguments.n));
    eprintln!("  mpirage run -n {n} -p {platform} --report {REPORT} ./halo2d\n");
    let options = ["run", "-n", &n, "-p", &platform, "--report", REPORT].map(OsStr::new);
    let code = myself(options, [program.as_os_str()])?;
    eprintln!("\nmpirage: open {REPORT} in a browser to see what happened");
    Ok(code)
}

/// Does what the user would type. A process of its own, so that what it used is not mixed with what came before.
fn myself<'a>(
    command: impl IntoIterator<Item = &'a OsStr>,
    rest: impl IntoIterator<Item = &'a OsStr>,
) -> Result<u8, Failure> {
    let executable = std::env::current_exe().context("cannot find out where mpirage is")?;
    let status = Command::new(&executable).args(command).args(rest).status();
    let status = status.with_context(|| format!("cannot start {}", executable.display()))?;
    Ok(status.code().unwrap_or(1) as u8)
}

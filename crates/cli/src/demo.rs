//! `mpirage demo`: the first five minutes in one command.

use std::process::Command;

use anyhow::{Context, anyhow};

use crate::arguments::DemoArguments;
use crate::exit::Failure;
use crate::install::Install;
use crate::run;

/// The program that is shown, among the examples.
const PROGRAM: &str = "examples/halo2d.c";

/// Compiles a bundled program, runs it on a bundled cluster and says what was done.
pub fn command(arguments: &DemoArguments) -> Result<u8, Failure> {
    let source = Install::locate()?.share.join(PROGRAM);
    let myself = std::env::current_exe().context("cannot find out where mpirage is")?;
    let folder = std::env::temp_dir().join(format!("mpirage-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let program = folder.join("halo2d");
    eprintln!("mpirage: this is what you could type yourself:\n");
    eprintln!("  mpirage cc -O2 {PROGRAM} -o halo2d");
    let compiled =
        Command::new(&myself).arg("cc").arg("-O2").arg(&source).arg("-o").arg(&program).arg("-lm").status();
    let compiled = compiled.with_context(|| format!("cannot start {}", myself.display()))?;
    if !compiled.success() {
        return Err(anyhow!("{} could not be compiled; is there a C compiler?", source.display()).into());
    }
    let (n, platform) = (arguments.n.to_string(), format!("cluster:{}", arguments.n));
    eprintln!("  mpirage run -n {n} -p {platform} ./halo2d\n");
    let words = ["-n", &n, "-p", &platform].map(Into::into).into_iter().chain([program.into_os_string()]);
    let code = run::command(&words.collect::<Vec<_>>());
    let _ = std::fs::remove_dir_all(&folder);
    code
}

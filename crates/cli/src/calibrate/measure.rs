//! `mpirage calibrate --run`: compiles the bundled benchmark with an MPI of this machine and runs it on two ranks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;
use mpirage_simulation::Interrupt;

use crate::arguments::CalibrateArguments;
use crate::child;
use crate::exit::{Failure, usage};
use crate::results;

/// The benchmark: ping-pongs, calls and message rates, as CSV.
const BENCHMARK: &str = include_str!("benchmark.c");
/// Names of launchers, for which compilers are called `mpicc`.
const LAUNCHERS: [&str; 2] = ["mpirun", "mpiexec"];

/// Runs the benchmark, keeps its output if the user wants that, and gives it.
pub fn run(arguments: &CalibrateArguments) -> Result<String, Failure> {
    let saved = arguments.save.as_deref().map(results::open).transpose()?;
    let words: Vec<&str> = arguments.mpirun.split_whitespace().collect();
    let [launcher, options @ ..] = &words[..] else {
        return Err(usage("--mpirun is empty; it names a launcher, such as mpirun.openmpi"));
    };
    let compiler = match &arguments.mpicc {
        Some(compiler) => compiler.clone(),
        None => compiler_of(launcher)?,
    };
    is_another(launcher, "--mpirun")?;
    let interrupt = Interrupt::watch()?;
    let folder =
        tempfile::Builder::new().prefix("mpirage-").tempdir().context("cannot make a temporary folder")?;
    let program = compile(&compiler, folder.path(), interrupt)?;
    let mut command = Command::new(launcher);
    let output = started(command.args(options).args(["-n", "2"]).arg(&program), launcher, interrupt)?;
    if !output.status.success() {
        return Err(usage(format!("--mpirun {launcher}: {}\n{}", output.status, tail(&output))));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(file) = saved {
        results::write(file, &text)?;
    }
    Ok(text)
}

/// The compiler that belongs to a launcher: `mpicc.mpich` to `mpirun.mpich`.
fn compiler_of(launcher: &str) -> Result<String, Failure> {
    let (folder, name) = launcher.rsplit_once('/').map_or(("", launcher), |(folder, name)| (folder, name));
    let rest = LAUNCHERS.iter().find_map(|known| name.strip_prefix(known));
    let rest = rest
        .ok_or_else(|| usage(format!("--mpirun {launcher}: name the compiler of this MPI with --mpicc")))?;
    Ok(if folder.is_empty() { format!("mpicc{rest}") } else { format!("{folder}/mpicc{rest}") })
}

fn compile(compiler: &str, folder: &Path, interrupt: Interrupt) -> Result<PathBuf, Failure> {
    is_another(compiler, "--mpicc")?;
    let (source, program) = (folder.join("benchmark.c"), folder.join("benchmark"));
    std::fs::write(&source, BENCHMARK).context("cannot write the benchmark")?;
    let words: Vec<&str> = compiler.split_whitespace().collect();
    let output = started(
        Command::new(words[0]).args(&words[1..]).arg("-O2").arg(&source).arg("-o").arg(&program),
        compiler,
        interrupt,
    )?;
    if !output.status.success() {
        return Err(usage(format!("{compiler} cannot compile the benchmark\n{}", tail(&output))));
    }
    Ok(program)
}

fn started(command: &mut Command, name: &str, interrupt: Interrupt) -> Result<Output, Failure> {
    child::output(command, interrupt)?.map_err(|error| usage(format!("cannot start {name}: {error}")))
}

/// The last lines that a command wrote, without the end of the last line.
fn tail(output: &Output) -> String {
    const LINES: usize = 12;
    let text =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// Refuses mpirage's own commands, which simulate instead of measure.
fn is_another(command: &str, option: &str) -> Result<(), Failure> {
    let own = std::env::current_exe().and_then(|file| file.canonicalize()).ok();
    let name = command.split_whitespace().next().unwrap_or_default();
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let found = if name.contains('/') {
        Some(PathBuf::from(name))
    } else {
        paths.into_iter().find(|path| path.is_file())
    };
    let found = found.and_then(|path| path.canonicalize().ok());
    if own.is_some() && found == own {
        let problem = "is mpirage itself, which simulates; name a real MPI, such as mpirun.openmpi";
        return Err(usage(format!("{option}: {name} {problem}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_belongs_to_the_launcher() {
        assert_eq!(compiler_of("mpirun.openmpi").unwrap(), "mpicc.openmpi");
        assert_eq!(compiler_of("/opt/mpi/bin/mpiexec").unwrap(), "/opt/mpi/bin/mpicc");
        assert!(compiler_of("srun").unwrap_err().error.to_string().contains("--mpicc"));
    }
}

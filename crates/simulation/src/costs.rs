//! Recorded computation costs, as a file.
//!
//! A text file: a line `mpirage costs 1`, a line with the speed of the machine that
//! recorded, then one line per rank with the nanoseconds of its bursts: `1200`, or `4800x3.98` if 3.98 threads worked on average.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use mpirage_call::Burst;
use mpirage_files::OutputFile;
use mpirage_mpi::Costs;
use mpirage_units::{counted, parse_speed};

const HEAD: &str = "mpirage costs 1";
const SPEED: &str = "host-speed";
/// Bytes of the largest file that is read.
const LONGEST: u64 = 16 << 30;

/// The costs that a run recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Speed of the machine that recorded, in flops.
    pub host_speed: f64,
    /// The bursts.
    pub costs: Costs,
}

/// Reads the costs of a run of `ranks` ranks.
pub fn read(path: &Path, ranks: usize) -> Result<Recording> {
    let name = path.display();
    let text = mpirage_files::read_text(path, LONGEST).context("--compute recorded")?;
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEAD) {
        bail!("{name}:1: not a file of recorded costs, which start with `{HEAD}`");
    }
    let speed = lines.next().and_then(|(_, line)| line.strip_prefix(SPEED));
    let speed = speed.with_context(|| format!("{name}:2: not of the form `{SPEED} FLOPS`"))?;
    let host_speed = parse_speed(speed).with_context(|| format!("{name}:2"))?;
    let mut by_rank = Vec::with_capacity(ranks);
    for (number, line) in lines {
        let bursts: Option<Vec<Burst>> = line.split_ascii_whitespace().map(parse).collect();
        by_rank.push(bursts.with_context(|| format!("{name}:{}: not a list of nanoseconds", number + 1))?);
    }
    if by_rank.len() != ranks {
        bail!("{name} has the costs of {}, but this run has {ranks}", counted(by_rank.len(), "rank"));
    }
    Ok(Recording { host_speed, costs: Costs { by_rank } })
}

fn parse(text: &str) -> Option<Burst> {
    match text.split_once('x') {
        None => Some(Burst::serial(text.parse().ok()?)),
        Some((nanos, threads)) => {
            let threads: f64 = threads.parse().ok().filter(|threads| (1.0..1e6).contains(threads))?;
            Some(Burst::of_threads(nanos.parse().ok()?, threads))
        }
    }
}

/// Writes the costs of a run.
pub fn write(mut file: OutputFile, host_speed: f64, costs: &Costs) -> Result<()> {
    let name = file.path().display().to_string();
    let written = write_lines(&mut file, host_speed, costs).and_then(|()| file.finish());
    written.with_context(|| format!("cannot write {name}"))
}

fn write_lines(file: &mut OutputFile, host_speed: f64, costs: &Costs) -> io::Result<()> {
    writeln!(file, "{HEAD}\n{SPEED} {host_speed}")?;
    for bursts in &costs.by_rank {
        for (i, burst) in bursts.iter().enumerate() {
            write!(file, "{}{}", if i > 0 { " " } else { "" }, burst.nanos())?;
            if burst.is_parallel() {
                write!(file, "x{:.4}", burst.threads())?;
            }
        }
        writeln!(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mpirage_call::ThreadWork;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs");
        let (one, two) =
            (Burst::serial(1), Burst::parallel(ThreadWork { total: 4_000_000, longest: 1_300_000 }));
        let costs = Costs { by_rank: vec![vec![one, two, one], vec![], vec![Burst::serial(5)]] };
        write(OutputFile::create(&path).unwrap(), 2.5e9, &costs).unwrap();
        assert_eq!(read(&path, 3).unwrap(), Recording { host_speed: 2.5e9, costs });
        assert!(read(&path, 2).unwrap_err().to_string().contains("3 ranks"));
        std::fs::write(&path, "mpirage costs 1\nhost-speed 1\n1 x\n").unwrap();
        assert!(read(&path, 1).unwrap_err().to_string().contains(":3:"));
        for speed in ["0", "-1", "nan", "inf", "1e999", ""] {
            std::fs::write(&path, format!("mpirage costs 1\nhost-speed {speed}\n1\n")).unwrap();
            assert!(format!("{:#}", read(&path, 1).unwrap_err()).contains(":2: "), "{speed}");
        }
    }
}

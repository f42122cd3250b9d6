//! The speed of this machine in floating-point operations per second, the unit of platform files: given, or measured.
//!
//! A measurement is kept in the user's cache, for each model of processor and each way of choosing its frequency: runs that follow use the
//! same speed. One that varies more than a few per cent is not kept.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mpirage_files::OutputFile;
use mpirage_units::parse_speed;
use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Failure, usage};

/// Seconds of one sample, approximately.
const SAMPLE: f64 = 2e-3;
/// Samples of a round. The fastest counts, because disturbances only slow them down.
const SAMPLES: u32 = 15;
/// Rounds of a measurement. How much they differ is its spread.
const ROUNDS: u32 = 5;
/// A measurement with a larger spread is not kept.
const STEADY: f64 = 0.03;
/// The option's value that asks for a new measurement.
pub const AGAIN: &str = "measure";
/// Bytes of the largest cache that is read.
const LONGEST: u64 = 1 << 16;

/// The speed of a core of this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostSpeed {
    /// Flop/s of one core.
    pub flops: f64,
    /// How much rounds of the measurement differed, as a fraction; none if the speed was given.
    pub spread: Option<f64>,
}

/// The value of `--host-speed`, if it is given.
pub fn parse(text: Option<&str>) -> Result<Option<f64>, Failure> {
    text.map(parse_speed).transpose().map_err(|error| usage(format!("--host-speed: {error}")))
}

/// The speed of this machine: as `--host-speed` gives it, as kept, or measured.
pub fn of_this_machine(option: Option<&str>) -> Result<HostSpeed, Failure> {
    let again = option == Some(AGAIN);
    if let Some(flops) = parse(option.filter(|_| !again))? {
        return Ok(HostSpeed { flops, spread: None });
    }
    let (file, key) = (cache_file(), processor());
    let kept = file.as_deref().filter(|_| !again).and_then(|file| read(file, &key));
    Ok(kept.unwrap_or_else(|| {
        let measured = measure();
        if let Some(file) = file.filter(|_| measured.spread.is_some_and(|spread| spread < STEADY)) {
            // Without a cache, each run measures.
            let _ = keep(&file, &key, measured);
        }
        measured
    }))
}

/// The user's cache.
fn cache_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("mpirage").join("host-speed"))
}

/// The model of this machine's processor, and how its frequency is chosen, in one line.
fn processor() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let about = read("/proc/cpuinfo");
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    format!("{} {}", model.map_or("unknown", |(_, name)| name.trim()), governor.trim()).trim_end().to_owned()
}

/// The speed of a processor in a cache, of which each line is a speed, its spread and a processor.
fn read(file: &Path, key: &str) -> Option<HostSpeed> {
    let text = mpirage_files::read_text(file, LONGEST).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.splitn(3, ' ');
        let (flops, spread) = (parse_speed(fields.next()?).ok()?, fields.next()?.parse().ok()?);
        (fields.next()? == key).then_some(HostSpeed { flops, spread: Some(spread) })
    })
}

/// Keeps a speed in the cache.
fn keep(file: &Path, key: &str, speed: HostSpeed) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let others = mpirage_files::read_text(file, LONGEST).unwrap_or_default();
    let mut out = OutputFile::create(file)?;
    for line in others.lines().filter(|line| line.splitn(3, ' ').nth(2) != Some(key)) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}f {} {key}", speed.flops, speed.spread.unwrap_or(0.0))?;
    Ok(out.finish()?)
}

/// Measures the speed of one core: a chain of multiplications and additions in double precision, eight at a time,
/// as a compiler makes of an ordinary loop.
pub fn measure() -> HostSpeed {
    let mut rounds = 1_000;
    while seconds_of(rounds) < SAMPLE {
        rounds *= 2;
    }
    let fastest = || (0..SAMPLES).map(|_| seconds_of(rounds)).fold(f64::INFINITY, f64::min);
    let times = (0..ROUNDS).map(|_| fastest());
    let (least, most) =
        times.fold((f64::INFINITY, 0.0f64), |(least, most), time| (time.min(least), time.max(most)));
    HostSpeed { flops: flops_of(rounds) / least, spread: Some(most / least - 1.0) }
}

fn flops_of(rounds: u64) -> f64 {
    rounds as f64 * LANES as f64 * 2.0
}

const LANES: usize = 8;

fn seconds_of(rounds: u64) -> f64 {
    let start = processor_time();
    let mut lanes = [1.0f64; LANES];
    let (factor, term) = (black_box(0.999_999_9), black_box(1e-7));
    for _ in 0..rounds {
        for lane in &mut lanes {
            *lane = *lane * factor + term;
        }
    }
    black_box(lanes);
    (processor_time() - start).as_secs_f64()
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plausible_speed_is_measured() {
        let HostSpeed { flops, spread } = measure();
        assert!((1e7..1e12).contains(&flops), "{flops}");
        assert!(spread.is_some_and(|spread| spread >= 0.0));
    }

    #[test]
    fn speeds_are_kept_by_processor() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mpirage").join("host-speed");
        let speed = |flops| HostSpeed { flops, spread: Some(0.01) };
        assert_eq!(read(&file, "Xeon performance"), None);
        keep(&file, "Xeon performance", speed(6e9)).unwrap();
        keep(&file, "Xeon powersave", speed(3e9)).unwrap();
        keep(&file, "Xeon performance", speed(6.25e9)).unwrap();
        assert_eq!(read(&file, "Xeon performance"), Some(speed(6.25e9)));
        assert_eq!(read(&file, "Xeon powersave"), Some(speed(3e9)));
        assert_eq!(read(&file, "Xeon"), None);
        std::fs::write(&file, "damaged\n0f 0 Xeon\n").unwrap();
        assert_eq!(read(&file, "Xeon"), None);
    }

    #[test]
    fn a_given_speed_needs_no_measurement() {
        assert_eq!(of_this_machine(Some("5Gf")).unwrap(), HostSpeed { flops: 5e9, spread: None });
        assert!(of_this_machine(Some("fast")).is_err());
    }
}

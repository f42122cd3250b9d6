//! Whether other programs wanted this machine's processors while a program's computation was measured: its bursts then find colder caches and slower cores.

use std::num::NonZero;
use std::time::{Duration, Instant};

use mpirage_files::read_text;

/// Other programs are felt if some task waited for a processor for more than this part of the run.
const FELT: f64 = 0.1;
/// Bytes of the largest file that is read.
const LONGEST: u64 = 4096;

/// The state of this machine when a run began.
pub struct Competition {
    began: Instant,
    waited: Option<Duration>,
    others: usize,
}

impl Competition {
    /// Begins to watch.
    pub fn watch() -> Competition {
        Competition { began: Instant::now(), waited: waited(), others: others() }
    }

    /// Did other programs want the processors? Ranks that are processes may wait for each other, so that only programs count that ran before.
    pub fn was_felt(&self, ranks_are_processes: bool) -> bool {
        let waited = self.waited.zip(waited()).filter(|_| !ranks_are_processes);
        match waited.map(|(before, after)| after.saturating_sub(before)) {
            Some(waited) => waited > self.began.elapsed().mul_f64(FELT),
            None => self.others >= cores(),
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// How long some task had to wait for a processor since the machine started, if the kernel says so.
fn waited() -> Option<Duration> {
    let text = read_text("/proc/pressure/cpu".as_ref(), LONGEST).ok()?;
    total(&text)
}

/// Of `some avg10=1.81 avg60=36.88 avg300=38.88 total=6869758728`: microseconds.
fn total(text: &str) -> Option<Duration> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    let total = some.split_whitespace().find_map(|word| word.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

/// Threads of other programs that run or could run at this moment.
fn others() -> usize {
    let text = read_text("/proc/loadavg".as_ref(), LONGEST).unwrap_or_default();
    runnable(&text).map_or(0, |all| all.saturating_sub(1))
}

/// Of `5.77 4.95 3.79 1/100 9747`: the 1.
fn runnable(text: &str) -> Option<usize> {
    text.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_who_waits() {
        let pressure = "some avg10=1.81 avg60=36.88 avg300=38.88 total=6869758728\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(total(pressure), Some(Duration::from_micros(6_869_758_728)));
        assert_eq!((total(""), runnable("5.77 4.95 3.79 3/100 9747\n"), runnable("")), (None, Some(3), None));
    }
}

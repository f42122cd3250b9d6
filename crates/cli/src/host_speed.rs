//! The speed of this machine in floating-point operations per second, the unit of platform files: given, or measured.

use std::hint::black_box;
use std::time::Duration;

use mpirage_units::parse_speed;
use rustix::time::{ClockId, clock_gettime};

use crate::exit::{Failure, usage};

/// Seconds of one measurement, approximately.
const SAMPLE: f64 = 2e-3;
/// Number of measurements. The fastest counts, because disturbances only slow them down.
const SAMPLES: u32 = 15;

/// The value of `--host-speed`, if it is given.
pub fn parse(text: Option<&str>) -> Result<Option<f64>, Failure> {
    text.map(parse_speed).transpose().map_err(|error| usage(format!("--host-speed: {error}")))
}

/// Measures the speed of one core: a chain of multiplications and additions in double precision, eight at a time,
/// as a compiler makes of an ordinary loop.
pub fn measure() -> f64 {
    let mut rounds = 1_000;
    while seconds_of(rounds) < SAMPLE {
        rounds *= 2;
    }
    let fastest = (0..SAMPLES).map(|_| seconds_of(rounds)).fold(f64::INFINITY, f64::min);
    flops_of(rounds) / fastest
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
    #[test]
    fn a_plausible_speed_is_measured() {
        let speed = super::measure();
        assert!((1e7..1e12).contains(&speed), "{speed}");
    }
}

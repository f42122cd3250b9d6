//! Costs that several runs measured, put together for `--compute repeat:N`.

use anyhow::{Result, bail};
use mpirage_call::Burst;
use mpirage_mpi::Costs;

use crate::costs::Recording;

/// The largest number of runs.
const MOST: u32 = 1000;
/// A warning appears if the total computation of two runs differs by more than this fraction.
const WIDE: f64 = 0.2;

/// The result of the measuring runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The medians.
    pub recording: Recording,
    /// The number of runs.
    pub runs: u32,
    /// Seconds of computation of all ranks, in the shortest and in the longest run.
    pub seconds: (f64, f64),
}

impl Measured {
    /// The medians of runs that measured with this speed of the machine.
    pub fn of(runs: &[Costs], host_speed: f64) -> Result<Measured> {
        let total = runs.iter().map(total_seconds);
        let seconds = total
            .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), one| (least.min(one), most.max(one)));
        let recording = Recording { host_speed, costs: medians(runs)? };
        Ok(Measured { recording, runs: runs.len() as u32, seconds })
    }

    /// The difference between the longest and the shortest run, as a fraction of the shortest.
    pub fn spread(&self) -> f64 {
        let (shortest, longest) = self.seconds;
        if shortest > 0.0 { longest / shortest - 1.0 } else { 0.0 }
    }

    /// A description for the summary.
    pub fn describe(&self) -> String {
        let (shortest, longest) = self.seconds;
        format!("medians of {} runs with {shortest:.6} to {longest:.6} s of computation", self.runs)
    }

    /// A warning if the runs differ much.
    pub fn warning(&self) -> Option<String> {
        (self.spread() > WIDE).then(|| {
            format!(
                "computation differed by {:.0} % between the {} runs that measured it; use more runs or a quieter machine",
                100.0 * self.spread(),
                self.runs
            )
        })
    }
}

/// The number of runs in `repeat:N`.
pub(super) fn number_of_runs(text: &str) -> Option<u32> {
    text.parse().ok().filter(|runs| (1..=MOST).contains(runs))
}

fn total_seconds(costs: &Costs) -> f64 {
    costs.by_rank.iter().flatten().map(|burst| burst.nanos() as f64 * 1e-9).sum()
}

/// The median of each burst, by its length.
fn medians(runs: &[Costs]) -> Result<Costs> {
    let ranks = runs.first().map_or(0, |run| run.by_rank.len());
    let mut by_rank = Vec::with_capacity(ranks);
    for rank in 0..ranks {
        let calls: Vec<usize> = runs.iter().map(|run| run.by_rank[rank].len()).collect();
        if calls.iter().any(|&count| count != calls[0]) {
            bail!(
                "rank {rank} made {calls:?} calls in the {} runs: --compute repeat needs a program that makes the same calls in every run; \
                 use --compute measured or recorded:FILE",
                runs.len()
            );
        }
        by_rank.push((0..calls[0]).map(|call| median(runs, rank, call)).collect());
    }
    Ok(Costs { by_rank })
}

fn median(runs: &[Costs], rank: usize, call: usize) -> Burst {
    let mut bursts: Vec<Burst> = runs.iter().map(|run| run.by_rank[rank][call]).collect();
    bursts.sort_by_key(|burst| burst.nanos());
    // Of an even number, take the shorter one: disturbances only make bursts longer.
    bursts[(bursts.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(by_rank: &[&[u64]]) -> Costs {
        let bursts = |rank: &&[u64]| rank.iter().map(|&nanos| Burst::serial(nanos)).collect();
        Costs { by_rank: by_rank.iter().map(bursts).collect() }
    }

    #[test]
    fn a_disturbed_burst_does_not_count() {
        let runs = [run(&[&[5, 700], &[3]]), run(&[&[6, 10], &[900]]), run(&[&[4, 11], &[2]])];
        assert_eq!(medians(&runs).unwrap(), run(&[&[5, 11], &[3]]));
        assert_eq!(medians(&runs[..2]).unwrap(), run(&[&[5, 10], &[3]]));
    }

    #[test]
    fn runs_with_other_calls_are_refused() {
        let error = medians(&[run(&[&[5], &[3]]), run(&[&[5], &[3, 4]])]).unwrap_err().to_string();
        assert!(error.contains("rank 1 made [1, 2] calls"), "{error}");
    }

    #[test]
    fn numbers_of_runs() {
        assert_eq!(["1", "5", "1000"].map(number_of_runs), [Some(1), Some(5), Some(1000)]);
        assert_eq!(["0", "1001", "-1", "x", ""].map(number_of_runs), [None; 5]);
    }
}

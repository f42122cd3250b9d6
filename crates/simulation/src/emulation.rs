//! The pace of an emulation, its figures, and doubts about them.

use mpirage_rank::Pacer;
use mpirage_units::{Duration, counted};
use serde::Serialize;

/// The lag that counts as small unless the user says what does: this share of the run time, but no less than so many seconds, by
/// which any sleeper wakes up late.
const SMALL_LAG: (f64, f64) = (0.01, 50e-6);

/// The lag that counts as small in a run of so many seconds, unless the user says what does.
pub fn allowed_lag(limit: Option<f64>, run: f64) -> f64 {
    limit.unwrap_or((SMALL_LAG.0 * run).max(SMALL_LAG.1))
}

/// The pace of an emulation.
pub struct Emulation {
    /// Real time and scaled real time.
    pub pacer: Pacer,
    /// How far the simulator may be behind, if the user says so, in seconds.
    pub limit: Option<f64>,
    /// Cores of this machine that ranks and simulator may use.
    pub cores: usize,
    /// How much slower than this machine the simulated hosts are: the fastest of them.
    pub slowdown: f64,
    /// The runs that have led to the factor.
    pub tries: Vec<Try>,
}

/// A run with one factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Try {
    /// The factor.
    pub time_factor: f64,
    /// Run time in seconds of scaled real time.
    pub run_seconds: f64,
    /// The largest lag of the simulator, in seconds of scaled real time.
    pub max_behind_seconds: f64,
    /// Messages that came before their receives.
    pub unexpected_messages: u64,
    /// All messages.
    pub messages: u64,
    /// Seconds of real time.
    pub real_seconds: f64,
}

/// The figures that an emulation adds to those of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EmulationFigures {
    /// Real time per scaled real time, over the whole run.
    pub time_factor: f64,
    /// The factor over time: scaled real seconds, and the factor from there on.
    pub factor_over_time: Vec<(f64, f64)>,
    /// The largest lag of the simulator behind the instant of an event, in seconds of scaled real time: the paper's maxBehind.
    pub max_behind_seconds: f64,
    /// Seconds of real time from the first call of all ranks to the end.
    pub real_seconds: f64,
    /// The runs that have led to the factor.
    pub tries: Vec<Try>,
}

impl EmulationFigures {
    /// The factor or factors, in words.
    pub fn describe_factor(&self) -> String {
        let factors = self.factor_over_time.iter().map(|&(_, factor)| factor);
        let (least, most) = factors.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), factor| {
            (least.min(factor), most.max(factor))
        });
        match self.factor_over_time.len() {
            0 | 1 => format!("time factor {}", round(self.time_factor)),
            _ => format!(
                "time factor from {} to {}, {} on average",
                round(least),
                round(most),
                round(self.time_factor)
            ),
        }
    }
}

/// Three digits after the point, without zeros at the end.
pub fn round(factor: f64) -> f64 {
    (factor * 1e3).round() / 1e3
}

impl Emulation {
    /// The figures of the emulation.
    pub fn figures(&self) -> EmulationFigures {
        let Emulation { pacer, tries, .. } = self;
        let (scaled, real_seconds) = (pacer.scaled(pacer.elapsed()), pacer.elapsed().as_secs_f64());
        let constant = pacer.changes().len() == 1 || scaled.as_picos() == 0;
        let changes = pacer.changes().iter();
        EmulationFigures {
            time_factor: if constant { pacer.factor() } else { real_seconds / scaled.as_secs_f64() },
            factor_over_time: changes.map(|change| (change.at.as_secs_f64(), change.factor)).collect(),
            max_behind_seconds: pacer.max_behind().as_secs_f64(),
            real_seconds,
            tries: tries.clone(),
        }
    }

    /// Reasons to doubt the result of an emulation that took `run` seconds, in words.
    pub fn doubts(&self, ranks: usize, run: f64) -> Vec<String> {
        let least = self.pacer.changes().iter().map(|change| change.factor).fold(f64::INFINITY, f64::min);
        let mut doubts = Vec::new();
        doubts.extend(few_cores(ranks, self.cores, least));
        if self.is_behind(run) {
            doubts.push(self.say_behind(run));
        }
        if self.slowdown * least < 1.0 {
            doubts.push(format!(
                "hosts are up to {:.1} times faster than this machine, which a time factor of {} does not make up for: computation takes \
                 longer than on them",
                1.0 / self.slowdown,
                round(least)
            ));
        }
        doubts
    }

    /// Did a search find a factor with which the final run, of `run` seconds, was behind all the same?
    pub fn search_ends_behind(&self, run: f64) -> bool {
        !self.tries.is_empty() && self.is_behind(run)
    }

    /// Was the simulator further behind than allowed in a run of so many seconds?
    fn is_behind(&self, run: f64) -> bool {
        self.pacer.max_behind().as_secs_f64() > allowed_lag(self.limit, run)
    }

    fn say_behind(&self, run: f64) -> String {
        let behind = self.pacer.max_behind();
        let share = match self.limit {
            Some(limit) => format!("more than --max-behind {}", Duration::from_secs_f64(limit)),
            None => format!("{:.1} % of the run time", 100.0 * behind.as_secs_f64() / run),
        };
        let remedy = match self.tries.is_empty() {
            true => "use a larger time factor, or a machine with more cores or less load".to_owned(),
            false => format!(
                "the search ended with a time factor of {}, which was enough before and was not in the final run; repeat it on a \
                 machine with less load, choose a larger factor with --time-factor N, or allow more with --max-behind",
                round(self.pacer.factor())
            ),
        };
        format!(
            "the simulator was up to {behind} behind, {share}: it could not keep up, so messages may have arrived too late; {remedy}"
        )
    }
}

/// A doubt if the ranks have to wait for cores.
fn few_cores(ranks: usize, cores: usize, factor: f64) -> Option<String> {
    if ranks <= cores {
        return None;
    }
    let have = counted(cores, "core");
    let enough = ranks as f64 / cores as f64;
    Some(if factor < enough {
        format!(
            "this machine is too small: {ranks} ranks share {have}, so that they wait for each other and a computation may take up to \
             {:.1} times as long as alone; use a time factor of {} or more, or a machine with more cores",
            enough / factor,
            enough.ceil()
        )
    } else {
        format!(
            "{ranks} ranks share {have}: while one waits for a core, scaled real time passes, {} times slower than real time",
            round(factor)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_fewer_cores_than_ranks_is_said_to_be_too_small() {
        assert_eq!(few_cores(2, 2, 1.0), None);
        let doubt = few_cores(8, 2, 1.0).unwrap();
        assert!(
            doubt.contains("too small: 8 ranks share 2 cores") && doubt.contains("factor of 4 or more"),
            "{doubt}"
        );
        assert!(few_cores(8, 2, 4.0).unwrap().starts_with("8 ranks share 2 cores"));
    }
}

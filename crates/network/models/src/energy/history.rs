//! Joules over time in bounded memory: stretches of equal length, which double when there are too many.

use mpirage_units::{Duration, Time};

/// The shortest stretch.
const SHORTEST: u64 = 1_000_000;

/// Joules by stretch of time.
#[derive(Clone, Debug)]
pub(super) struct EnergyHistory {
    /// Picoseconds of a stretch.
    width: u64,
    most: usize,
    joules: Vec<f64>,
}

impl EnergyHistory {
    /// An empty history of at most so many stretches, at least two.
    pub fn new(most: usize) -> EnergyHistory {
        EnergyHistory { width: SHORTEST, most: most.max(2), joules: Vec::new() }
    }

    /// The length of a stretch.
    pub fn resolution(&self) -> Duration {
        Duration::from_picos(self.width)
    }

    /// Adds a constant power from one instant to another.
    pub fn add(&mut self, from: Time, to: Time, watts: f64) {
        let (from, to) = (from.as_picos(), to.as_picos());
        while (to / self.width) as usize >= self.most {
            self.halve();
        }
        let (first, last) = (from / self.width, to / self.width);
        if self.joules.len() <= last as usize {
            self.joules.resize(last as usize + 1, 0.0);
        }
        for stretch in first..=last {
            let begin = from.max(stretch * self.width);
            let end = to.min((stretch + 1) * self.width);
            self.joules[stretch as usize] += watts * Duration::from_picos(end - begin).as_secs_f64();
        }
    }

    /// The stretches, as long as these.
    pub fn at_resolution(&self, resolution: Duration) -> Vec<f64> {
        let mut coarser = self.clone();
        while coarser.width < resolution.as_picos() {
            coarser.halve();
        }
        coarser.joules
    }

    fn halve(&mut self) {
        self.joules = self.joules.chunks(2).map(|pair| pair.iter().sum()).collect();
        self.width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joules_stay_when_stretches_grow() {
        let mut history = EnergyHistory::new(4);
        let second = |seconds: f64| Time::ZERO + Duration::from_secs_f64(seconds);
        for at in 0..10 {
            history.add(second(f64::from(at)), second(f64::from(at + 1)), f64::from(at));
        }
        let total: f64 = history.joules.iter().sum();
        assert!((total - 45.0).abs() < 1e-9 && history.joules.len() <= 4, "{history:?}");
        let wider = history.at_resolution(history.resolution() + history.resolution());
        assert!((wider.iter().sum::<f64>() - 45.0).abs() < 1e-9 && wider.len() <= 2, "{wider:?}");
    }
}

//! How long each core computed in each iteration: between one call of `AMPI_Migrate` and the next.
//!
//! Ranks do not reach a call at the same time. What a rank computes before its k-th call belongs to iteration k, on the core on which the
//! rank is then. Long runs have several iterations in a row, so that memory stays bounded.

use mpirage_balance::CoreId;
use mpirage_units::Time;

/// Rows that are kept; twice as many are merged in pairs.
const MOST_ROWS: usize = 1024;

/// The load of cores by iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationLoads {
    /// Iterations in each row.
    pub iterations_per_row: u32,
    rows: Vec<IterationRow>,
    cores: usize,
}

/// Iterations that are shown together.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationRow {
    /// When the last rank had ended them.
    pub end: Time,
    /// Seconds for which each core computed.
    pub core_seconds: Vec<f64>,
}

impl Default for IterationLoads {
    fn default() -> IterationLoads {
        IterationLoads::new(0)
    }
}

impl IterationLoads {
    pub(crate) fn new(cores: usize) -> IterationLoads {
        IterationLoads { iterations_per_row: 1, rows: Vec::new(), cores }
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[IterationRow] {
        &self.rows
    }

    /// A rank ends an iteration, counted from 0, in which its core computed for so long.
    pub(crate) fn add(&mut self, iteration: u32, core: CoreId, seconds: f64, now: Time) {
        while (iteration / self.iterations_per_row) as usize >= 2 * MOST_ROWS {
            self.merge_pairs();
        }
        let at = (iteration / self.iterations_per_row) as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, IterationRow { end: Time::ZERO, core_seconds: vec![0.0; self.cores] });
        }
        let row = &mut self.rows[at];
        row.end = row.end.max(now);
        row.core_seconds[core.index()] += seconds;
    }

    fn merge_pairs(&mut self) {
        self.iterations_per_row *= 2;
        let merged = self.rows.chunks(2).map(|pair| IterationRow {
            end: pair.iter().map(|row| row.end).max().unwrap_or(Time::ZERO),
            core_seconds: (0..self.cores)
                .map(|core| pair.iter().map(|row| row.core_seconds[core]).sum())
                .collect(),
        });
        self.rows = merged.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_merged_and_nothing_is_lost() {
        let mut loads = IterationLoads::new(2);
        let iterations = 5 * MOST_ROWS as u32;
        for iteration in 0..iterations {
            loads.add(iteration, CoreId(0), 1.0, Time::from_picos(u64::from(iteration) * 10 + 9));
            loads.add(iteration, CoreId(1), 0.5, Time::from_picos(u64::from(iteration) * 10 + 5));
        }
        assert_eq!((loads.iterations_per_row, loads.rows().len()), (4, 5 * MOST_ROWS / 4));
        assert!(loads.rows().iter().all(|row| row.core_seconds == [4.0, 2.0]));
        assert_eq!(loads.rows()[0].end, Time::from_picos(39));
        assert_eq!(
            loads.rows().last().map(|row| row.end),
            Some(Time::from_picos(10 * u64::from(iterations) - 1))
        );
    }

    #[test]
    fn a_rank_that_is_ahead_opens_rows_for_others() {
        let mut loads = IterationLoads::new(2);
        loads.add(2, CoreId(1), 3.0, Time::from_picos(7));
        loads.add(0, CoreId(0), 1.0, Time::from_picos(8));
        let seconds: Vec<_> = loads.rows().iter().map(|row| row.core_seconds.clone()).collect();
        assert_eq!(seconds, [[1.0, 0.0], [0.0, 0.0], [0.0, 3.0]]);
    }
}

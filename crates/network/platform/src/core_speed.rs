//! How fast a core computes: what work takes that a program declares, and what work takes that was measured on another core.
//!
//! Declared work is a number of floating-point operations; the nominal speed of a core divides it. Measured work is not: a loop that is no
//! vector code runs at a tenth of the nominal speed of one core and at a third of another's. So a core can also have a *sustained* speed, on
//! the scale on which mpirage measures the core it runs on, and measured work is scaled by the ratio of the two.

/// Flop/s of declared work on a core that is like the measuring one: the same on every machine, so that results are too.
pub const UNMEASURED_SPEED: f64 = 10e9;

/// Flop/s of mpirage's loop on a core that gives one point of SPECrate 2017 Integer (base).
///
/// The reference is a core of Intel's Xeon Platinum 8260: 5.88 points, the median of the results of two processors on spec.org up to July 2025, and 6.2 Gflop/s:
/// two flops per cycle at the 3.1 GHz that it keeps with all cores busy. Results of one processor differ by 10 %; that two programs gain
/// alike from another core is an assumption, which is easily wrong by 30 %.
const LOOP_PER_POINT: f64 = 6.2e9 / 5.88;

/// How fast a core computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CoreSpeed {
    /// Like the core on which computation is measured.
    Host,
    /// A nominal speed, the only one that is known.
    Nominal(f64),
    /// Flop/s of declared work, and flop/s on the scale of measured cores.
    Sustained {
        /// For declared work.
        nominal: f64,
        /// For measured work.
        sustained: f64,
    },
}

impl CoreSpeed {
    /// The sustained speed of a core with so many points of SPECrate 2017 Integer (base).
    pub(crate) fn of_specrate(points: f64) -> f64 {
        points * LOOP_PER_POINT
    }

    /// Flop/s of declared work.
    pub fn flops(self) -> f64 {
        match self {
            CoreSpeed::Host => UNMEASURED_SPEED,
            CoreSpeed::Nominal(nominal) | CoreSpeed::Sustained { nominal, .. } => nominal,
        }
    }

    /// The measured speed of a core that is as fast as this one. `None` if every core is.
    pub fn comparable(self) -> Option<f64> {
        match self {
            CoreSpeed::Host => None,
            CoreSpeed::Nominal(speed) | CoreSpeed::Sustained { sustained: speed, .. } => Some(speed),
        }
    }

    /// How many times longer measured work takes than on a core of `measured_on` flop/s.
    pub fn slowdown(self, measured_on: f64) -> f64 {
        self.comparable().map_or(1.0, |speed| measured_on / speed)
    }

    /// Is the nominal speed all that is known?
    pub fn is_nominal(self) -> bool {
        matches!(self, CoreSpeed::Nominal(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_and_measured_work_have_their_own_speeds() {
        let both = CoreSpeed::Sustained { nominal: 32e9, sustained: 8e9 };
        assert_eq!((both.flops(), both.slowdown(6e9)), (32e9, 0.75));
        assert_eq!((CoreSpeed::Nominal(12e9).flops(), CoreSpeed::Nominal(12e9).slowdown(6e9)), (12e9, 0.5));
        assert_eq!((CoreSpeed::Host.flops(), CoreSpeed::Host.slowdown(6e9)), (10e9, 1.0));
    }
}

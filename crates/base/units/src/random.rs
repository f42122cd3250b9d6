//! Random numbers that are the same in every run.
//!
//! [`draw`] gives a number that depends on nothing but its names. [`Random`] is a generator: each consumer has its own, so that
//! one that draws more does not change what others see.

/// Scrambles a number (the finaliser of SplitMix64, Steele et al. 2014).
pub fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number in `[0, 1)` that is always the same for the same names.
pub fn draw(seed: u64, names: [u64; 2]) -> f64 {
    unit(scramble(scramble(scramble(seed ^ GAMMA).wrapping_add(names[0])).wrapping_add(names[1])))
}

fn unit(drawn: u64) -> f64 {
    (drawn >> 11) as f64 / (1u64 << 53) as f64
}

/// The increment of SplitMix64.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A consumer of random numbers; generators of different consumers are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumer(pub u64);

/// A small generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a consumer.
    pub fn new(seed: u64, Consumer(consumer): Consumer) -> Random {
        let mut random = Random(seed ^ consumer.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        scramble(self.0)
    }

    /// A number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        unit(self.next())
    }

    /// True with that probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_and_differ_by_consumer() {
        let mut random = Random::new(7, Consumer(1));
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let hits = (0..10_000).filter(|_| random.chance(0.01)).count();
        assert!((60..150).contains(&hits), "{hits}");
        assert!(!random.chance(0.0));
        assert_ne!(Random::new(7, Consumer(1)).unit(), Random::new(7, Consumer(2)).unit());
        assert_eq!(Random::new(7, Consumer(2)).unit(), Random::new(7, Consumer(2)).unit());
    }

    #[test]
    fn draws_fill_the_interval() {
        let draws: Vec<f64> = (0..1000).map(|n| draw(7, [n, 3])).collect();
        assert!(draws.iter().all(|&x| (0.0..1.0).contains(&x)));
        let mean = draws.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    }
}

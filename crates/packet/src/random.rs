//! Random numbers: one seeded generator per consumer, so that one that draws more does not change what others see.

/// Spreads a number over all bits: the finalizer of SplitMix64.
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// A small generator (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of a consumer.
    pub(crate) fn new(seed: u64, consumer: u64) -> Random {
        let mut random = Random(seed ^ consumer.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Is a frame of so many bytes lost on a link that loses frames and bits with those probabilities?
    pub(crate) fn loses(&mut self, frame_loss: f64, bit_errors: f64, bytes: u32) -> bool {
        if frame_loss == 0.0 && bit_errors == 0.0 {
            return false;
        }
        let intact = (1.0 - frame_loss) * (1.0 - bit_errors).powf(f64::from(bytes) * 8.0);
        self.chance(1.0 - intact)
    }

    /// True with that probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_and_differ_by_consumer() {
        let mut random = Random::new(7, 1);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let hits = (0..10_000).filter(|_| random.chance(0.01)).count();
        assert!((60..150).contains(&hits), "{hits}");
        assert!(!random.chance(0.0));
        assert_ne!(Random::new(7, 1).unit(), Random::new(7, 2).unit());
        assert_eq!(Random::new(7, 2).unit(), Random::new(7, 2).unit());
    }
}

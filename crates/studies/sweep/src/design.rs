//! Designs: which combinations of values a study runs.
//!
//! | design | combinations |
//! |---|---|
//! | grid | all; the last parameter changes fastest |
//! | random | a Latin hypercube (McKay, Beckman and Conover 1979): each of N equal shares of each parameter once |
//! | one at a time | the first value of each parameter, then each other value alone |

use mpirage_units::{Consumer, Random};

use crate::parameter::{Level, Parameter};

/// How combinations are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// All combinations.
    Grid,
    /// Some, at random.
    Random {
        /// How many.
        cases: usize,
    },
    /// The first combination, and those that differ from it in one value.
    OneAtATime,
}

/// The largest number of combinations.
pub const MOST_COMBINATIONS: usize = 1_000_000;

/// A value for each parameter, in their order.
pub type Combination = Vec<Level>;

/// The combinations of a design; none if they are more than [`MOST_COMBINATIONS`].
pub fn combinations(design: Design, parameters: &[Parameter], seed: u64) -> Option<Vec<Combination>> {
    match design {
        Design::Grid => grid(parameters),
        Design::Random { cases } => (cases <= MOST_COMBINATIONS).then(|| hypercube(cases, parameters, seed)),
        Design::OneAtATime => Some(one_at_a_time(parameters)),
    }
}

fn grid(parameters: &[Parameter]) -> Option<Vec<Combination>> {
    let sizes = parameters.iter().map(|parameter| parameter.levels().len());
    let count = sizes.clone().try_fold(1usize, |all, size| all.checked_mul(size))?;
    if count > MOST_COMBINATIONS {
        return None;
    }
    let combination = |number: usize| {
        let mut rest = number;
        let mut levels: Combination = Vec::with_capacity(parameters.len());
        for parameter in parameters.iter().rev() {
            levels.push(parameter.levels()[rest % parameter.levels().len()].clone());
            rest /= parameter.levels().len();
        }
        levels.reverse();
        levels
    };
    Some((0..count).map(combination).collect())
}

fn one_at_a_time(parameters: &[Parameter]) -> Vec<Combination> {
    let first: Combination = parameters.iter().map(|parameter| parameter.levels()[0].clone()).collect();
    let mut all = vec![first.clone()];
    for (at, parameter) in parameters.iter().enumerate() {
        for level in &parameter.levels()[1..] {
            let mut other = first.clone();
            other[at] = level.clone();
            all.push(other);
        }
    }
    all
}

fn hypercube(cases: usize, parameters: &[Parameter], seed: u64) -> Vec<Combination> {
    let column = |(number, parameter): (u64, &Parameter)| {
        // A parameter that is added does not change the values of those before it.
        let mut random = Random::new(seed, Consumer(number));
        let shares = permutation(cases, &mut random);
        let value = |share: usize| parameter.at((share as f64 + random.unit()) / cases as f64);
        shares.into_iter().map(value).collect::<Vec<Level>>()
    };
    let columns: Vec<Vec<Level>> = (0..).zip(parameters).map(column).collect();
    (0..cases).map(|case| columns.iter().map(|column| column[case].clone()).collect()).collect()
}

/// The numbers below `count` in random order (Fisher and Yates).
fn permutation(count: usize, random: &mut Random) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = (random.unit() * (last + 1) as f64) as usize;
        numbers.swap(last, other);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{Interval, Values};

    fn list(name: &str, labels: &[&str]) -> Parameter {
        Parameter::new(name, "", Values::Levels(labels.iter().map(|label| Level::word(label)).collect()))
    }

    fn labels(combinations: Vec<Combination>) -> Vec<String> {
        let joined = |levels: &Combination| levels.iter().map(Level::label).collect::<Vec<_>>().join("");
        combinations.iter().map(joined).collect()
    }

    #[test]
    fn a_grid_has_all_combinations() {
        let parameters = [list("a", &["1", "2"]), list("b", &["x", "y", "z"])];
        let all = combinations(Design::Grid, &parameters, 0).unwrap();
        assert_eq!(labels(all), ["1x", "1y", "1z", "2x", "2y", "2z"]);
        assert_eq!(labels(combinations(Design::Grid, &[], 0).unwrap()), [""]);
        let many = list("m", &["1"; 101]);
        assert!(combinations(Design::Grid, &[many.clone(), many.clone(), many], 0).is_none());
    }

    #[test]
    fn one_at_a_time_changes_one_value() {
        let parameters = [list("a", &["1", "2"]), list("b", &["x", "y", "z"])];
        let all = combinations(Design::OneAtATime, &parameters, 0).unwrap();
        assert_eq!(labels(all), ["1x", "2x", "1y", "1z"]);
    }

    #[test]
    fn a_hypercube_meets_each_share_once() {
        let range = Interval { from: 0.0, to: 10.0, logarithmic: false, integers: false };
        let parameters = [Parameter::new("r", "", Values::Between(range)), list("l", &["a", "b"])];
        let drawn = |seed| combinations(Design::Random { cases: 10 }, &parameters, seed).unwrap();
        let mut shares: Vec<usize> =
            drawn(1).iter().map(|levels| levels[0].label().parse::<f64>().unwrap() as usize).collect();
        shares.sort_unstable();
        assert_eq!(shares, (0..10).collect::<Vec<_>>());
        assert_eq!(drawn(1).iter().filter(|levels| levels[1].label() == "a").count(), 5);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}

//! `MPI_Dims_create`: a number of processes as a product of nearly equal sides.
//!
//! "As close to each other as possible" is taken as MPICH takes it: the difference of the largest
//! and the smallest side is least, and of equals the smallest side is largest, then the second
//! smallest, and so on. A prime greater than the square root of the number is a side by itself,
//! and the rest is balanced without it. See Träff and Lübbe, "Specification Guideline Violations by
//! MPI_Dims_create", EuroMPI 2015.

use super::TopologyError;

/// Replaces the zeros in `dims` so that the product of all is `nodes`. Without zeros there is
/// nothing to choose, and the product need only divide `nodes`.
pub fn dims_create(nodes: i32, dims: &mut [i32]) -> Result<(), TopologyError> {
    if nodes <= 0 {
        return Err(TopologyError::NotPositive { what: "the number of processes", value: nodes.into() });
    }
    if let Some(&negative) = dims.iter().find(|&&side| side < 0) {
        return Err(TopologyError::NotPositive { what: "a dimension", value: negative.into() });
    }
    let fixed = || dims.iter().filter(|&&side| side > 0);
    let product = fixed().fold(1i64, |product, &side| product.saturating_mul(side.into()));
    let open = dims.len() - fixed().count();
    let nodes = i64::from(nodes);
    if nodes % product != 0 {
        return Err(TopologyError::NotDivisible { nodes, product });
    }
    let sides = balanced(nodes / product, open);
    for (open, side) in dims.iter_mut().filter(|side| **side == 0).zip(sides) {
        *open = side as i32;
    }
    Ok(())
}

/// `n` as a product of `parts` sides, largest first.
fn balanced(n: i64, parts: usize) -> Vec<i64> {
    if parts <= 1 {
        return vec![n; parts];
    }
    let mut primes = prime_factors(n);
    primes.reverse();
    if primes.len() <= parts {
        primes.resize(parts, 1);
        return primes;
    }
    let largest = primes[0];
    if largest * largest > n {
        return [vec![largest], balanced(n / largest, parts - 1)].concat();
    }
    let mut search = Search { divisors: divisors(n), sides: Vec::new(), best: Vec::new(), spread: i64::MAX };
    search.complete(n, parts, 2);
    search.best.reverse();
    search.best
}

/// Tries all products of sides from the smallest side up, large ones first, so that the first of
/// equals is the one wanted and a good bound is known early.
struct Search {
    /// Ascending.
    divisors: Vec<i64>,
    /// Sides tried now, ascending.
    sides: Vec<i64>,
    best: Vec<i64>,
    /// Largest minus smallest side of the best.
    spread: i64,
}

impl Search {
    /// Completes `sides` by `parts` more, each at least `least`, whose product is `rest`.
    fn complete(&mut self, rest: i64, parts: usize, least: i64) {
        let smallest = self.sides.first().copied();
        if smallest.is_some_and(|smallest| ceiling_root(rest, parts) - smallest >= self.spread) {
            return;
        }
        if parts == 1 {
            self.sides.push(rest);
            self.best.clone_from(&self.sides);
            self.spread = rest - self.sides[0];
            self.sides.pop();
            return;
        }
        for i in (0..self.divisors.len()).rev() {
            let side = self.divisors[i];
            let fits = side >= least && side.checked_pow(parts as u32).is_some_and(|power| power <= rest);
            if fits && rest % side == 0 {
                self.sides.push(side);
                self.complete(rest / side, parts - 1, side);
                self.sides.pop();
            }
        }
    }
}

/// The smallest integer whose `parts`-th power is at least `n`.
fn ceiling_root(n: i64, parts: usize) -> i64 {
    let reaches = |root: i64| root.checked_pow(parts as u32).is_none_or(|power| power >= n);
    let guess = (n as f64).powf(1.0 / parts as f64).round() as i64;
    (guess - 1..).find(|&root| reaches(root)).expect("some power exceeds every number")
}

fn prime_factors(mut n: i64) -> Vec<i64> {
    let mut factors = Vec::new();
    let mut prime = 2;
    while prime * prime <= n {
        while n % prime == 0 {
            factors.push(prime);
            n /= prime;
        }
        prime += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

fn divisors(n: i64) -> Vec<i64> {
    let small = || (1..).take_while(move |d| d * d <= n).filter(move |d| n % d == 0);
    let mut all: Vec<i64> = small().chain(small().map(|d| n / d)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(nodes: i32, mut dims: Vec<i32>) -> Result<Vec<i32>, TopologyError> {
        dims_create(nodes, &mut dims).map(|()| dims)
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(create(6, vec![0, 0]), Ok(vec![3, 2]));
        assert_eq!(create(7, vec![0, 0]), Ok(vec![7, 1]));
        assert_eq!(create(6, vec![0, 3, 0]), Ok(vec![2, 3, 1]));
        let error = create(7, vec![0, 3, 0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "7 processes cannot be divided by the dimensions given, whose product is 3"
        );
    }

    #[test]
    fn large_and_composite_numbers_are_quick() {
        assert_eq!(create(2_095_133_040, vec![0; 6]), Ok(vec![39, 38, 36, 35, 34, 33]));
        assert_eq!(create(i32::MAX, vec![0; 3]), Ok(vec![i32::MAX, 1, 1]));
    }

    #[test]
    fn arguments_are_checked() {
        assert!(create(0, vec![0]).is_err());
        assert!(create(4, vec![-1, 0]).is_err());
        assert_eq!(create(4, vec![2, 1]), Ok(vec![2, 1]));
        assert_eq!(create(1, vec![]), Ok(vec![]));
    }

    /// The sides MPICH 4.0.2 makes of 1..=200 processes in two, three and four dimensions.
    #[test]
    fn agrees_with_mpich() {
        for line in include_str!("dims_of_mpich.txt").lines() {
            let numbers: Vec<i32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let (nodes, expected) = numbers.split_first().unwrap();
            assert_eq!(create(*nodes, vec![0; expected.len()]).as_deref(), Ok(expected), "{line}");
        }
    }
}

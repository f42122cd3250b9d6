//! Test oracle: max-min fair sharing by plain progressive filling, from scratch, on plain slices.
//!
//! All flows grow together from zero; flow f at *level* μ has rate μ/p. The level rises until either a
//! flow meets its bound (b·p) or a resource is full:
//!
//! ```text
//!   Shared   Σ w·x ≤ c        full at μ = (c − Σ fixed w·x) / Σ unfixed w/p
//!   FatPipe  each w·x ≤ c     full at μ = c / max unfixed w/p
//! ```
//!
//! Flows at their bound or on a full resource are fixed there, the others go on. Levels that differ by rounding only are equal: then
//! the resource is full before the bound is met. This is the definition that [`crate::Sharing`]
//! must agree with (and what SimGrid computes); it is quadratic, and meant for tests only.

use crate::above;
use crate::resource::SharingPolicy;

/// A resource, as the oracle sees it.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Capacity, in units per second.
    pub capacity: f64,
    /// How its users share it.
    pub kind: SharingPolicy,
}

/// A flow, as the oracle sees it.
#[derive(Clone, Debug)]
pub struct Flow {
    /// At level μ the rate is μ/penalty.
    pub penalty: f64,
    /// Largest rate allowed; may be infinite.
    pub bound: f64,
    /// Resources (by index) and weights.
    pub uses: Vec<(usize, f64)>,
}

/// The rate of every flow.
pub fn solve(resources: &[Resource], flows: &[Flow]) -> Vec<f64> {
    let mut rates = vec![None; flows.len()];
    while rates.contains(&None) {
        let levels: Vec<f64> =
            (0..resources.len()).map(|r| saturation(resources, flows, &rates, r)).collect();
        let level = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let ceiling = lowest_ceiling(flows, &rates);
        if above(level, ceiling) || level.is_infinite() {
            fix(&mut rates, flows, |f| !above(f.bound * f.penalty, ceiling), |f| f.bound);
        } else {
            let full = |f: &Flow| f.uses.iter().any(|&(r, w)| w > 0.0 && !above(levels[r], level));
            fix(&mut rates, flows, full, |f| level / f.penalty);
        }
    }
    rates.into_iter().flatten().collect()
}

fn fix(rates: &mut [Option<f64>], flows: &[Flow], stop: impl Fn(&Flow) -> bool, rate: impl Fn(&Flow) -> f64) {
    for (x, flow) in rates.iter_mut().zip(flows) {
        if x.is_none() && stop(flow) {
            *x = Some(rate(flow));
        }
    }
}

fn lowest_ceiling(flows: &[Flow], rates: &[Option<f64>]) -> f64 {
    let unfixed = flows.iter().zip(rates).filter(|(_, x)| x.is_none());
    unfixed.map(|(f, _)| f.bound * f.penalty).fold(f64::INFINITY, f64::min)
}

/// The level at which resource `r` is full, if nothing else stops its flows first.
fn saturation(resources: &[Resource], flows: &[Flow], rates: &[Option<f64>], r: usize) -> f64 {
    let (mut remaining, mut sum, mut largest) = (resources[r].capacity, 0.0, 0.0_f64);
    for (flow, rate) in flows.iter().zip(rates) {
        let weight: f64 = flow.uses.iter().filter(|u| u.0 == r).map(|u| u.1).sum();
        match (rate, resources[r].kind) {
            (Some(x), SharingPolicy::Shared) if weight > 0.0 => remaining -= weight * x,
            (Some(_), _) => {}
            (None, _) => {
                sum += weight / flow.penalty;
                largest = largest.max(weight / flow.penalty);
            }
        }
    }
    let usage = if resources[r].kind == SharingPolicy::Shared { sum } else { largest };
    if usage > 0.0 { remaining.max(0.0) / usage } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(penalty: f64, bound: f64, uses: &[(usize, f64)]) -> Flow {
        Flow { penalty, bound, uses: uses.to_vec() }
    }

    const SHARED: Resource = Resource { capacity: 12.0, kind: SharingPolicy::Shared };
    const FAT: Resource = Resource { capacity: 12.0, kind: SharingPolicy::FatPipe };

    #[test]
    fn penalties_divide_a_resource_in_inverse_proportion() {
        let flows = [flow(1.0, f64::INFINITY, &[(0, 1.0)]), flow(2.0, f64::INFINITY, &[(0, 1.0)])];
        assert_eq!(solve(&[SHARED], &flows), [8.0, 4.0]);
    }

    #[test]
    fn what_a_bounded_flow_leaves_goes_to_the_others() {
        let flows = [flow(1.0, 2.0, &[(0, 1.0)]), flow(1.0, f64::INFINITY, &[(0, 1.0)])];
        assert_eq!(solve(&[SHARED], &flows), [2.0, 10.0]);
    }

    #[test]
    fn a_fat_pipe_limits_each_flow_alone() {
        let flows = [flow(1.0, f64::INFINITY, &[(0, 1.0)]), flow(1.0, f64::INFINITY, &[(0, 1.0)])];
        assert_eq!(solve(&[FAT], &flows), [12.0, 12.0]);
    }

    #[test]
    fn a_flow_without_resources_gets_its_bound() {
        assert_eq!(solve(&[], &[flow(3.0, 7.0, &[])]), [7.0]);
    }
}

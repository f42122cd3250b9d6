//! The affine model nearest to a piece-wise linear one, in the mean logarithmic error of paper 1.

use mpirage_models::{FlowParameters, Segment};

/// Sizes at which models are compared: powers of two from 1 byte to 4 MiB, and in between.
fn sizes() -> impl Iterator<Item = u64> {
    (0..22).flat_map(|power| [1 << power, 3 << power]).map(|size| size.min(4 << 20))
}

/// Mean of |ln model − ln reference| over message sizes.
pub(crate) fn log_error(
    model: &FlowParameters,
    reference: &FlowParameters,
    (latency, bandwidth): (f64, f64),
) -> f64 {
    let error = |size: u64| {
        let time = |flow: &FlowParameters| flow.uncontended(size, latency, bandwidth).ln();
        (time(model) - time(reference)).abs()
    };
    sizes().map(error).sum::<f64>() / sizes().count() as f64
}

/// Searches both factors on a grid that closes in on the best point.
pub(crate) fn affine(reference: &FlowParameters, route: (f64, f64)) -> Segment {
    const STEPS: i32 = 8;
    let mut best = (f64::INFINITY, 4.0, 0.7);
    let mut reach = (4.0, 0.6);
    for _ in 0..10 {
        let (_, latency, bandwidth) = best;
        for i in -STEPS..=STEPS {
            for j in -STEPS..=STEPS {
                let latency_factor = latency + reach.0 * f64::from(i) / f64::from(STEPS);
                let bandwidth_factor = bandwidth + reach.1 * f64::from(j) / f64::from(STEPS);
                if latency_factor <= 0.0 || bandwidth_factor <= 0.0 {
                    continue;
                }
                let segments = vec![Segment { above: 0, latency_factor, bandwidth_factor }];
                let error = log_error(&FlowParameters { segments, ..reference.clone() }, reference, route);
                if error < best.0 {
                    best = (error, latency_factor, bandwidth_factor);
                }
            }
        }
        reach = (reach.0 / 3.0, reach.1 / 3.0);
    }
    Segment { above: 0, latency_factor: best.1, bandwidth_factor: best.2 }
}

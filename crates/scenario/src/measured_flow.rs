//! The factors of `flow`, measured on gigabit Ethernet.

use mpirage_kernel::InterfaceDelay;
use mpirage_models::{Crowd, Fairness, FlowParameters, Loopback, Segment};

/// Latency and bandwidth factors by size, measured with Open MPI over TCP on a gigabit cluster (griffon).
const MEASURED_SEGMENTS: [(u64, f64, f64); 9] = [
    (0, 2.01467, 0.812084),
    (257, 1.95341, 0.338112),
    (732, 1.9503, 0.341987),
    (1426, 1.61075, 0.608902),
    (3484, 1.88101, 0.77493),
    (5776, 2.18796, 1.08739),
    (9376, 2.59299, 0.58729),
    (15424, 3.48845, 0.697866),
    (65472, 11.6436, 0.940694),
];

/// Messages within a host where neither platform nor model say anything: those of the built-in platforms.
pub(crate) const MODEL_LOOPBACK: Loopback = Loopback { bandwidth: 10e9, latency: 200e-9 };

/// Flows with these factors.
pub(crate) fn measured_flow() -> FlowParameters {
    let segment =
        |(above, latency_factor, bandwidth_factor)| Segment { above, latency_factor, bandwidth_factor };
    FlowParameters {
        segments: MEASURED_SEGMENTS.map(segment).to_vec(),
        header: 16,
        window: 4_194_304.0,
        penalty_scale: 8775.0,
        fairness: Fairness::RoundTrip,
        cross_traffic: 0.05,
        contention: true,
        sharing_tolerance: 0.0,
        loopback: MODEL_LOOPBACK,
        physics: None,
        interface_delay: InterfaceDelay::default(),
        samples_power: false,
        crowd: Crowd::default(),
    }
}

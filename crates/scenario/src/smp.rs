//! `smp`: SMP-SIM's communication model (paper 3, section 4.2, equations 1 to 13).

use mpirage_models::Wire;
use mpirage_mpi::{Envelope, Handshake, Protocol, ReceiveStartup, Rendezvous, Startup, StartupCost};
use mpirage_units::Duration;

/// The parameters of the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smp {
    /// L_mem and B_mem.
    pub memory: Wire,
    /// L_net and B_net.
    pub network: Wire,
    /// δt: seconds to call a primitive.
    pub call_cost: f64,
    /// O_a: seconds to reserve a buffer.
    pub buffer_cost: f64,
}

/// Where nothing is said: 0.2 us and 4 GB/s for memory, 0.5 us for a call and for a buffer.
const DEFAULT: (Wire, f64, f64) = (Wire { latency: 0.2e-6, bandwidth: 4e9 }, 0.5e-6, 0.5e-6);

impl Smp {
    /// Memory as usual, and a network of this latency and bandwidth.
    pub(crate) fn on((latency, bandwidth): (f64, f64)) -> Smp {
        let (memory, call_cost, buffer_cost) = DEFAULT;
        Smp { memory, network: Wire { latency, bandwidth }, call_cost, buffer_cost }
    }

    /// Calls cost δt, a buffered message to another host O_a besides; what has been copied to a buffer is safe.
    pub(crate) fn shape(&self, protocol: &mut Protocol) {
        let call = Duration::from_secs_f64(self.call_cost);
        protocol.startup = Some(Startup {
            hosts: vec![StartupCost { within: call, across: call }],
            buffer: Duration::from_secs_f64(self.buffer_cost),
            receives: ReceiveStartup::Meanwhile,
        });
        protocol.copy_out_seconds_per_byte = 1.0 / self.memory.bandwidth;
        protocol.late_seconds_per_byte = 1.0 / self.memory.bandwidth;
    }

    pub(crate) fn describe(&self) -> Vec<String> {
        let Smp { memory, network, call_cost, buffer_cost } = self;
        vec![
            format!("memory-latency = \"{}s\"", memory.latency),
            format!("memory-bandwidth = \"{}Bps\"", memory.bandwidth),
            format!("network-latency = \"{}s\"", network.latency),
            format!("network-bandwidth = \"{}Bps\"", network.bandwidth),
            format!("call-cost = \"{call_cost}s\""),
            format!("buffer-cost = \"{buffer_cost}s\""),
        ]
    }
}

/// Synchronous messages announce themselves and wait for the answer.
pub(crate) fn protocol(base: Protocol) -> Protocol {
    Protocol {
        push_limit: u64::MAX,
        envelope: Envelope::OnArrival,
        handshake: Handshake::Grant,
        rendezvous: Rendezvous::Copied,
        reduce_seconds_per_byte: 0.0,
        ..base
    }
}

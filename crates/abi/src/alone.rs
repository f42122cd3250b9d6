//! A world of one rank without a simulator: configure scripts and users run MPI programs just so.
//!
//! It answers the same calls as the simulator would, at once and in real time.

use mpirage_call::{Call, Reply};
use mpirage_channel::Briefing;

/// What a rank alone is told at its start.
pub(crate) const BRIEFING: Briefing = Briefing {
    simulator: 0,
    size: 1,
    eager_limit: u64::MAX,
    inline_bytes: 4096,
    measure: false,
    simulated_clock: false,
    local_clock: false,
    speed_ratio: 1.0,
    clock_cost: 0,
    epoch: 0,
};

/// The only rank's messages to itself.
#[derive(Debug, Default)]
pub(crate) struct Alone {}

impl Alone {
    pub(crate) fn post(&mut self, _call: &Call<'_>) {}

    pub(crate) fn ask(&mut self, call: &Call<'_>, _reply: &mut Reply) {
        if let Call::Misuse { text } = call {
            eprintln!("mpirage: {text}");
            std::process::exit(crate::missing::EXIT_CODE);
        }
    }
}

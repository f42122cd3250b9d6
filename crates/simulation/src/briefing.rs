//! The briefing: what the simulator sends each rank that is a program before it starts.

use mpirage_channel::{Briefing, WorldPlace, short_name};
use mpirage_mpi::Bursts;

use crate::machine::Machine;

/// Messages up to this many bytes travel inside calls: one more copy instead of a system call.
const INLINE_BYTES: u64 = 4096;
/// The program's date when a run starts, 2000-01-01: the same in every run.
const EPOCH: u64 = 946_684_800;

/// The briefing of `ranks` ranks in one world, if computation is measured on a core of `speed` flops. The caller fills in what else the
/// user wishes.
pub fn of(machine: &Machine, ranks: u32, bursts: &Bursts, speed: f64) -> Briefing {
    let ratios = machine.slowdowns(speed);
    let uniform = ratios.windows(2).all(|pair| pair[0] == pair[1]);
    let protocol = &machine.model.protocol;
    Briefing {
        size: ranks,
        world: WorldPlace { universe: machine.ranks() as u32, ..WorldPlace::only(ranks) },
        eager_limit: protocol.unanswered_limit(),
        buffered_limit: protocol.buffered_limit(),
        inline_bytes: INLINE_BYTES,
        measure: bursts.measures(),
        simulated_clock: true,
        // Recorded costs are numbered by calls, so reading the clock must be a call in both runs.
        local_clock: uniform
            && protocol.noise.computation == 0.0
            && !machine.is_oversubscribed()
            && matches!(bursts, Bursts::None | Bursts::Measured),
        speed_ratio: ratios.first().copied().unwrap_or(1.0),
        // Processes have them where the simulator can copy from their memory.
        lines_for_threads: false,
        real_time: false,
        clock_cost: protocol.clock_cost.as_picos(),
        epoch: EPOCH,
        shared_file: -1,
        share_malloc: 0,
        simulator: std::process::id(),
        model: short_name(&machine.model.name),
        collectives: short_name(&machine.collectives.name()),
        posix_io: false,
        checked: false,
        call_paths: 0,
    }
}

/// The same in real time, which passes while a clock is read.
pub fn in_real_time(briefing: Briefing) -> Briefing {
    Briefing { local_clock: false, real_time: true, clock_cost: 0, ..briefing }
}

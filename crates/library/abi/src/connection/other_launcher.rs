//! A warning about a program that another launcher has started: each of its processes is then a world of its own.

use std::env;

use crate::ground::output;

/// The number of processes and the number of this one, as launchers tell them: Open MPI, those with PMI (MPICH, Intel MPI), Slurm.
const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// The first of several processes says that none of them knows the others.
pub(super) fn warn() {
    let number = |name: &str| env::var(name).ok()?.parse::<u64>().ok();
    let started = LAUNCHERS.iter().find_map(|(size, rank)| Some((number(size)?, number(rank)?)));
    if let Some((processes @ 2.., 0)) = started {
        output::say(format_args!(
            "warning: this program was built with mpirage, and another launcher started {processes} processes of it; each is rank 0 of 1. \
             Start it with `mpirage run -n {processes}`"
        ));
    }
}

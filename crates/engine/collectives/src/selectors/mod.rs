//! The rules of MPI libraries, a text file each.

use mpirage_call::{Method, MethodError};

/// The tables that are part of the program: name, description, rules.
pub(crate) const TABLES: &[(&str, &str, &str)] = &[
    (
        "default",
        "MPICH's classic rules: few rounds for short vectors, few bytes for long ones",
        include_str!("default.rules"),
    ),
    (
        "openmpi-4.1",
        "Open MPI 4.1 with its default components: tuned, basic, libnbc",
        include_str!("openmpi-4.1.rules"),
    ),
    (
        "openmpi-4.0",
        "Open MPI 4.0 with its default components: tuned, basic, libnbc",
        concat!(include_str!("openmpi-4.0.rules"), "\n", include_str!("openmpi-4.1.rules")),
    ),
    (
        "openmpi-5.0",
        "Open MPI 5.0 with its default components: han where nodes have several ranks, tuned, basic, libnbc",
        // Rules that are the same in 4.1 are written only there.
        concat!(include_str!("openmpi-5.0.rules"), "\n", include_str!("openmpi-4.1.rules")),
    ),
    ("mpich-4.0", "MPICH 4.0 with its device CH4", include_str!("mpich-4.0.rules")),
    ("mpich-4.3", "MPICH 4.3 with its device CH4", include_str!("mpich-4.3.rules")),
    (
        "mpich-levels",
        "the phases of MPICH's collectives of two levels; for parts=",
        include_str!("mpich-levels.rules"),
    ),
    (
        "nccl-2.20",
        "NCCL 2.20 on nodes of accelerators: the predictions of its own model, without NVLS and CollNet",
        include_str!("nccl-2.20.rules"),
    ),
    (
        "nccl-2.23",
        "NCCL 2.23 on nodes of accelerators: its own model, which has aggregated trees, without NVLS and CollNet",
        include_str!("nccl-2.23.rules"),
    ),
    (
        "simgrid",
        "SimGrid 3.32's default selection: simple algorithms, most of them linear",
        include_str!("simgrid.rules"),
    ),
    (
        "simgrid-ompi",
        "SimGrid 3.32's selection ompi: the decisions of Open MPI 4.1, with SimGrid's algorithms",
        concat!(include_str!("simgrid-ompi.rules"), "\n", include_str!("simgrid.rules")),
    ),
    (
        "simgrid-mpich",
        "SimGrid 3.32's selection mpich: the decisions of MPICH, with SimGrid's algorithms",
        concat!(include_str!("simgrid-mpich.rules"), "\n", include_str!("simgrid.rules")),
    ),
];

/// Names that stand for the table of a library: of NCCL the one that was compared with published bandwidths.
pub(crate) const ALIASES: &[(&str, &str)] = &[("nccl", "nccl-2.20")];

/// A method, as options and rules write it: `k-nomial:radix=4:segment=32KiB`.
pub fn read_method(text: &str) -> Result<Method, MethodError> {
    Method::parse(text, TABLES.iter().map(|&(name, ..)| name))
}

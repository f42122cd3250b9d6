//! Lengths of arrays that the arguments do not tell: the ranks that a collective talks to, and whose arguments count.

use core::ffi::c_int;

use crate::body;

/// `int f(comm, int *)`.
type Asking = unsafe extern "C-unwind" fn(usize, *mut c_int) -> c_int;
/// `int f(comm, int *, int *, int *)`.
type AskingThree = unsafe extern "C-unwind" fn(usize, *mut c_int, *mut c_int, *mut c_int) -> c_int;
/// `int f(comm, int, int *)`.
type AskingOf = unsafe extern "C-unwind" fn(usize, c_int, *mut c_int) -> c_int;

include!(concat!(env!("OUT_DIR"), "/indices.rs"));

/// Ranks that an all-to-all collective on a communicator talks to; none if the buffer is `MPI_IN_PLACE` of the MPI 5 ABI, since then the
/// array is not used.
///
/// # Safety
/// The library is initialised.
pub unsafe fn peers(in_place: bool, comm: usize) -> usize {
    if in_place {
        return 0;
    }
    // SAFETY: bodies of the table, with the types of their prototypes.
    unsafe {
        let is_inter = ask(MPI_COMM_TEST_INTER, comm) != 0;
        ask(if is_inter { MPI_COMM_REMOTE_SIZE } else { MPI_COMM_SIZE }, comm)
    }
}

/// How many neighbours a rank receives from and sends to in the communicator's topology.
///
/// # Safety
/// The library is initialised.
pub unsafe fn neighbours(comm: usize) -> (usize, usize) {
    // SAFETY: bodies of the table, with the types of their prototypes.
    unsafe {
        match ask(MPI_TOPO_TEST, comm) as i64 {
            CART => {
                let both = 2 * ask(MPI_CARTDIM_GET, comm);
                (both, both)
            }
            GRAPH => {
                let (mut rank, mut count) = (0, 0);
                body!(MPI_COMM_RANK, Asking)(comm, &mut rank);
                body!(MPI_GRAPH_NEIGHBORS_COUNT, AskingOf)(comm, rank, &mut count);
                (count as usize, count as usize)
            }
            DIST_GRAPH => {
                let (mut sources, mut targets, mut weighted) = (0, 0, 0);
                body!(MPI_DIST_GRAPH_NEIGHBORS_COUNT, AskingThree)(
                    comm,
                    &mut sources,
                    &mut targets,
                    &mut weighted,
                );
                (sources as usize, targets as usize)
            }
            _ => (0, 0),
        }
    }
}

/// Is the calling rank the root of a collective?
///
/// # Safety
/// The library is initialised.
pub unsafe fn is_root(comm: usize, root: c_int) -> bool {
    let mut rank = -1;
    // SAFETY: a body of the table, with the type of its prototype.
    unsafe { body!(MPI_COMM_RANK, Asking)(comm, &mut rank) };
    rank >= 0 && rank == root
}

/// The integer that a function stores, 0 if it fails.
///
/// # Safety
/// The function with this index asks for one integer of a communicator.
unsafe fn ask(index: usize, comm: usize) -> usize {
    let mut answer: c_int = 0;
    // SAFETY: the caller vouches for the type.
    let code = unsafe { body!(index, Asking)(comm, &mut answer) };
    if code == 0 { usize::try_from(answer).unwrap_or(0) } else { 0 }
}

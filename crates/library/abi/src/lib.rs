//! The C face of mpirage: `libmpi_abi.so.1`, an MPI library with the binary interface of MPI 5.
//!
//! ```text
//!  program ── MPI_Send, PMPI_Send ──> trampoline ── jump ──> functions::…::MPI_Send
//!                                      stores the caller      the body, in Rust
//! ```
//!
//! `functions.txt` and `constants.txt` say what MPI is; `mpi.h`, [`constants`] and the entry points are made from them. The modules
//! form layers, and each imports only from those below it:
//!
//! | layer | modules |
//! |---|---|
//! | entry | [`trampoline`]: two exported entry points for each function; [`missing`]: functions without a body; [`folded_ranks`]: called by a simulator that folds ranks; [`fronts`]: the bodies for libraries with other binary interfaces |
//! | functions | `functions`: one body per MPI function (its page says how to add one); `smpi`: the functions of `smpi/smpi.h`; `c_library`, `sharing::malloc`: interposed functions of the C library; `checked::hooks`: functions that programs call that were compiled with `--watch-memory` |
//! | frame | `frame`: around every body; `operations::{perform, completion}`: carry out operations and wait for requests; `operations::buffered`: attached buffers; `checked::inspect`: buffers and leaks of a checked run |
//! | rank | `rank`: one rank, which holds the parts below; `rank::this` is the one that runs |
//! | objects | `objects`: what handles refer to; `operations`: what a call starts, with checked arguments; `checked::watch`: their buffers and types; `sharing`, `files` |
//! | connection | `connection`: a line's way to the simulator, or to `timing::alone` if there is none; `timing`: clocks, processor time and other threads; `checked::window_memory`: the program's loads and stores in its windows |
//! | ground | [`types`], [`caller`], `ground`: errors, handles, locks, memory, output, notes about crashes |
//!
//! The parts own their state and get what they need as arguments; only the layers from `frame` on ask which rank runs.
//!
//! The library never calls an exported `MPI_*` symbol itself, so a tool that interposes `MPI_Send` sees the program's calls and
//! nothing else.

pub mod caller;
pub mod constants;
pub mod folded_ranks;
pub mod fronts;
pub mod missing;
pub mod trampoline;
pub mod types;

mod ampi;
mod c_library;
mod checked;
mod connection;
mod files;
mod frame;
mod functions;
mod ground;
mod objects;
mod operations;
mod rank;
mod sharing;
mod smpi;
mod timing;

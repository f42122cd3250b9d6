//! The C face of mpirage: `libmpi_abi.so.1`, an MPI library with the binary interface of MPI 5.
//!
//! ```text
//!  program ── MPI_Send, PMPI_Send ──> trampoline ── jump ──> functions::…::MPI_Send
//!                                      notes the call site    the body, in Rust
//! ```
//!
//! - `functions.txt` and `constants.txt` say what MPI is; `mpi.h`, [`constants`] and the entry points are made from them.
//! - [`types`]: handles, the status, callbacks, laid out as the ABI demands.
//! - [`trampoline`]: what the library exports: two entry points for each function of the table, body or not.
//! - `functions`: the bodies. Writing one is all it takes to add a function; its module page says how.
//! - `library`: the one global, what this process knows as a rank; `objects`: what its handles stand for.
//! - `operation`: what a call sets in motion, made of `message`s and `collection`s whose data are `region`s of the program's
//!   memory; `completion`, `fold` and `status`: how it ends.
//! - `clock`: time as the program sees it; `timers`: alarms on that clock; `locks`: file locks, for which it waits in simulated time; `output`: what it prints, kept in step with its calls.
//! - `work`: processor time of threads and child processes; `disturbances`: bursts that were unusually long; `system`: the C library behind what is put in front of it.
//! - `connection`: the way to the simulator, or to `alone` where there is none; `services`: what it asks of a rank.
//! - `smpi`: what `smpi/smpi.h` declares, made of `sampling` and `sharing`; `allocator`: memory of the library's own.
//! - `arguments`: pointers, arrays and strings as C hands them over.
//! - `crash`: where a process was when a signal killed it.
//! - `exceptions`: what functions of the program throw passes through to its `catch`.
//! - [`missing`]: what happens when a program calls a function without a body.
//!
//! The library never calls an exported `MPI_*` symbol itself, so a tool that puts its own `MPI_Send` in front sees the
//! program's calls and nothing else.

pub mod caller;
pub mod constants;
pub mod folded_ranks;
pub mod missing;
pub mod trampoline;
pub mod types;

mod alarms;
mod allocator;
mod alone;
mod arguments;
mod clock;
mod collection;
mod combination;
mod completion;
mod connection;
mod crash;
mod disturbances;
mod error;
mod exceptions;
mod external32;
mod frame;
mod functions;
mod handles;
mod lock;
mod locks;
mod message;
mod objects;
mod operation;
mod origin;
mod output;
mod perform;
mod process;
mod rank;
mod region;
mod sampling;
mod services;
mod sharing;
mod smpi;
mod status;
mod system;
mod timers;
mod transfer;
mod work;

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
//! | functions | `functions`: one body per MPI function (its page says how to add one); `smpi`: what `smpi/smpi.h` declares; `clock`, `alarms`, `locks`, `sharing::malloc`: interposed functions of the C library |
//! | frame | `frame`: around every body; `perform`, `completion`: carry out operations and wait for requests; `buffered`: what is in attached buffers; `inspect`: of a checked run, inspects buffers and leaks |
//! | rank | `rank`: one rank, which holds the parts below; `rank::this` is the one that runs |
//! | objects | `objects`: what handles refer to; `operation`, `message`, `collection`, `transfer`, `region`: what a call starts, with checked arguments; `watch`: their buffers and types, in a checked run; `sampling`, `sharing`, `services` |
//! | connection | `connection`: a line's way to the simulator, or to `alone` if there is none; `timers`, `disturbances`, `work`, `program_events`: clocks, processor time and other threads; `origin`: how the rank was started |
//! | ground | [`types`], `error`, `arguments`, `handles`, `lock`, `exceptions`, `callbacks`, [`caller`], `process`, `system`, `output`, `allocator`; `crash`: a note about a signal that kills the process |
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

mod access;
mod alarms;
mod allocator;
mod alone;
mod arguments;
mod buffered;
mod call_paths;
mod callbacks;
mod clock;
mod collection;
mod completion;
mod connection;
mod crash;
mod disturbances;
mod error;
mod exceptions;
mod external32;
mod files;
mod frame;
mod functions;
mod handles;
mod heap;
mod inspect;
mod lock;
mod locks;
mod message;
mod objects;
mod operation;
mod origin;
mod output;
mod perform;
mod posix_io;
mod process;
mod program_events;
mod rank;
mod region;
mod sampling;
mod services;
mod sharing;
mod smpi;
mod status;
mod system;
mod timed_waits;
mod timers;
mod transfer;
mod watch;
mod work;

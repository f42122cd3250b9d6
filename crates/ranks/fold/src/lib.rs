//! Many copies of one program in this process, each run as a coroutine on this thread.
//!
//! An [`Image`] is a program's file, [`Linked`] a template with its imports resolved, [`FoldedRanks`] the ranks that run it. Each
//! rank has its own copy of the program's data, of its thread-local and C++ static variables, and of the C library's state
//! that programs can see: environment, `errno`, rounding, random numbers, option parsing, exit handlers, standard output. The heap is common.
//!
//! ```text
//! image   what the file says, checked           memory    address space that costs nothing until touched
//! link    imports resolved once: a template     unwind    exceptions find their way in instances
//! place   instances in memory                   tls       thread-local variables
//! stacks  stacks with guards                    signal    crashes and interrupts end the rank, not the process
//! verdict what is safe to fold                  library   loads what a program needs
//! own     libraries that ranks have copies of   folded_ranks  ranks, resumed one at a time
//! rank    a rank and its state                  start     its first function
//! current the rank that runs                    turn      passes its turn
//! clib    the C library as a rank sees it
//! ```
//!
//! This crate knows nothing of MPI. Its user links functions of its own to the program ([`Image::link`]), and these functions
//! call [`pass_turn`] to let other ranks run.

// Elsewhere there is nothing here; `rank` says so.
#![cfg(target_arch = "x86_64")]

mod call;
mod clib;
mod context;
mod copy;
mod current;
mod folded_ranks;
mod image;
mod library;
mod link;
mod memory;
mod own;
mod place;
mod rank;
mod refusal;
mod signal;
mod stacks;
mod start;
mod tls;
mod turn;
mod unwind;
mod verdict;

pub use clib::{Environment, c_library, raise_in_rank, rank_out_of_files, set_clock, set_locks};
pub use copy::copy;
pub use current::current_rank;
pub use folded_ranks::{FoldedRanks, FoldedRanksError, Options};
pub use image::{Image, Import, Resolve};
pub use library::Libraries;
pub use link::Linked;
pub use own::OwnLibraries;
pub use rank::Stop;
pub use refusal::Refusal;
pub use signal::{ask_to_yield, interrupt_on, interrupt_only_on, interrupt_rank, sample_on, yield_on};
pub use turn::{exit_rank, pass_turn};
pub use verdict::{Verdict, verdict};

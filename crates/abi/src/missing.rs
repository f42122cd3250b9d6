//! What happens when a program calls a function that has no body yet: it is told which, and ends.

use crate::trampoline::name_of;
use std::sync::OnceLock;

/// The exit code of a program that needed a function which is not there.
pub const EXIT_CODE: i32 = 81;

/// How a rank takes its leave. The library sets this once it knows better than the default.
pub struct Leave {
    /// The rank that is calling, if it has one already.
    pub rank: fn() -> Option<u32>,
    /// Ends the rank with this code.
    pub exit: fn(i32) -> !,
}

const END_THE_PROCESS: Leave = Leave { rank: || None, exit: |code| std::process::exit(code) };

static LEAVE: OnceLock<Leave> = OnceLock::new();

/// From now on ranks leave this way; the first call counts.
pub fn leave_through(leave: Leave) {
    // A second library instance in one process would be the only other caller, with the same hook.
    let _ = LEAVE.set(leave);
}

/// Where the trampoline of every function without a body ends.
pub(crate) extern "C" fn not_there_yet(index: u32) -> ! {
    let leave = LEAVE.get().unwrap_or(&END_THE_PROCESS);
    eprintln!("{}", message(name_of(index), (leave.rank)()));
    (leave.exit)(EXIT_CODE)
}

fn message(function: &str, rank: Option<u32>) -> String {
    match rank {
        Some(rank) => format!("mpirage: {function} is not there yet (rank {rank})"),
        None => format!("mpirage: {function} is not there yet"),
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn the_message_names_the_function_and_the_rank() {
        assert_eq!(message("MPI_File_open", Some(3)), "mpirage: MPI_File_open is not there yet (rank 3)");
        assert_eq!(message("MPI_File_open", None), "mpirage: MPI_File_open is not there yet");
    }
}

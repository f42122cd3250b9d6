//! The MPI function that a replayed call stands for.

use mpirage_call::{Stamp, function_names};

/// The stamp of calls of the function with this name, which must be one of MPI's.
pub(crate) fn stamp_of(name: &str) -> Stamp {
    let function = function_names().iter().position(|&other| other == name);
    debug_assert!(function.is_some(), "{name} is no function");
    Stamp { function: function.unwrap_or(usize::from(u16::MAX)) as u16, ..Stamp::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::function_name;

    #[test]
    fn a_stamp_names_its_function() {
        assert_eq!(function_name(stamp_of("MPI_Waitall").function), "MPI_Waitall");
    }
}

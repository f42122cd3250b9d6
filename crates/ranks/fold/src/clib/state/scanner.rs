//! The scan of `getopt`.

use std::ffi::c_int;

/// Where a rank's scan is, besides what the program sees in its variables.
#[derive(Default)]
pub(crate) struct Scanner {
    pub begun: bool,
    pub order: Order,
    /// The rest of a group of short options.
    pub next: usize,
    /// Arguments that are no options and have been skipped: from here to there.
    pub first: c_int,
    pub last: c_int,
}

/// The treatment of an argument that is no option.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// It is moved to the end.
    #[default]
    Permute,
    /// It ends the options.
    Require,
    /// It is returned as an option with the code 1.
    Return,
}

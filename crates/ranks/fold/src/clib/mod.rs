//! The C library as a rank sees it.
//!
//! Functions that keep something between two calls are replaced by ones that keep it per rank. They are handed to the program
//! when its imports are resolved; libraries go on using the originals.
//!
//! ```text
//! table                      all replacements
//! files, signals, getopt, …  replacements by subject; they ask `current` for the rank that runs
//! stdio                      the standard streams
//! open_files                 which descriptor of this process is behind a number
//! state                      what is kept between two calls; knows no rank
//! ```

mod descriptors;
pub(crate) mod environment;
pub(crate) mod exit;
mod file_limit;
mod files;
mod getopt;
mod keys;
mod locks;
mod mappings;
mod open_files;
mod random;
pub(crate) mod signals;
pub(crate) mod state;
pub(crate) mod stdio;
pub(crate) mod streams;
mod table;
mod text;
mod time;
pub(crate) mod variables;
pub(crate) mod zeroed;

pub use file_limit::rank_out_of_files;
pub use locks::set_locks;
pub use signals::raise_in_rank;
pub use state::Environment;
pub use table::c_library;
pub use time::set_clock;

/// A replacement, under the name of the function that it replaces.
type Function = (&'static str, usize);

/// Lists replacements under their names.
macro_rules! functions {
    ($($name:ident => $function:path),* $(,)?) => {
        vec![$((stringify!($name), $function as *const () as usize)),*]
    };
}
pub(crate) use functions;

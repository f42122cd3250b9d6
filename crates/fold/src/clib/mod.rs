//! The C library as a rank sees it.
//!
//! Functions that keep something between two calls are replaced by ones that keep it per rank. They are handed to the program
//! when its imports are resolved; libraries go on using the originals.

mod descriptors;
mod environment;
pub(crate) mod exit;
mod file_limit;
mod files;
mod getopt;
mod keys;
mod locks;
mod random;
pub(crate) mod signals;
pub(crate) mod stdio;
pub(crate) mod streams;
mod text;
mod time;
pub(crate) mod variables;
pub(crate) mod zeroed;

use std::cell::Cell;
use std::collections::HashMap;
use std::ptr;

pub use environment::Environment;
pub use file_limit::rank_out_of_files;
pub use locks::set_locks;
pub use signals::raise_in_rank;
pub use time::set_clock;

use crate::current;
use crate::rank::Rank;

/// A replacement, under the name of the function that it replaces.
type Function = (&'static str, usize);

/// The address of what replaces a function of the C or C++ library in folded ranks.
pub fn c_library(name: &str) -> Option<usize> {
    thread_local! {
        static TABLE: HashMap<&'static str, usize> = all().into_iter().flatten().collect();
    }
    TABLE.with(|table| table.get(name).copied())
}

fn all() -> [Vec<Function>; 11] {
    [
        descriptors::functions(),
        environment::functions(),
        exit::functions(),
        files::functions(),
        getopt::functions(),
        keys::functions(),
        random::functions(),
        signals::functions(),
        streams::functions(),
        text::functions(),
        time::functions(),
    ]
}

/// Lists replacements under their names.
macro_rules! functions {
    ($($name:ident => $function:path),* $(,)?) => {
        vec![$((stringify!($name), $function as *const () as usize)),*]
    };
}
pub(crate) use functions;

/// What the C library keeps for one rank, made when first needed.
pub(crate) struct Library {
    random: Option<Box<random::Random>>,
    environment: environment::Private,
    getopt: getopt::Scanner,
    keys: keys::Keys,
    text: text::Buffers,
    time: time::Buffers,
    descriptors: descriptors::Descriptors,
    streams: files::Streams,
    signals: Option<Box<signals::Signals>>,
    /// A stream of its own for standard input, if it has opened another file there.
    input: *mut libc::FILE,
}

impl Default for Library {
    fn default() -> Self {
        Self {
            random: None,
            environment: environment::Private::default(),
            getopt: getopt::Scanner::default(),
            keys: keys::Keys::default(),
            text: text::Buffers::default(),
            time: time::Buffers::default(),
            descriptors: descriptors::Descriptors::default(),
            streams: files::Streams::default(),
            signals: None,
            input: ptr::null_mut(),
        }
    }
}

/// Closes what a rank that has ended still has open.
///
/// # Safety
/// The rank does not run any more, and no other code uses its state.
pub(crate) unsafe fn close_files(rank: *mut Rank) {
    // SAFETY: as the caller vouches.
    if let Some(library) = unsafe { (*rank).library.as_mut() } {
        files::abandon(&mut library.streams);
        library.descriptors = descriptors::Descriptors::default();
    }
}

/// The state of the rank that runs.
fn library() -> *mut Library {
    let rank = current::get();
    if rank.is_null() {
        return spare();
    }
    // SAFETY: the rank that runs is alive, and its code is the only one that uses this.
    unsafe { library_of(rank) }
}

/// # Safety
/// The rank is alive, and no other code uses its state.
unsafe fn library_of(rank: *mut Rank) -> *mut Library {
    // SAFETY: as the caller vouches.
    unsafe { &raw mut **(*rank).library.get_or_insert_with(Box::default) }
}

/// A state for calls that are not a rank's: a library may call the functions when there are no folded ranks any more.
fn spare() -> *mut Library {
    thread_local! {
        static SPARE: Cell<*mut Library> = const { Cell::new(ptr::null_mut()) };
    }
    if SPARE.get().is_null() {
        SPARE.set(Box::into_raw(Box::default()));
    }
    SPARE.get()
}

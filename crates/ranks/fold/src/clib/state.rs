//! The state that the C library has for each rank. It knows neither the rank nor which one runs.

mod buffers;
mod descriptors;
mod environment;
mod exits;
mod keys;
mod random;
mod scanner;
mod signals;
mod streams;

use std::ptr;

pub(crate) use buffers::{TEXT_SIZE, TextBuffers, TimeBuffers};
pub(crate) use descriptors::{Descriptors, File};
pub use environment::Environment;
pub(crate) use environment::Private;
pub(crate) use exits::{Handler, HandlerKind};
pub(crate) use keys::Keys;
pub(crate) use random::{Drand48Data, Random, RandomData};
pub(crate) use scanner::{Order, Scanner};
pub(crate) use signals::{SIGNALS, Set, Signals};
pub(crate) use streams::Streams;

/// The C library's state for one rank, made when first needed.
pub(crate) struct Library {
    pub random: Option<Box<Random>>,
    pub environment: Private,
    pub getopt: Scanner,
    pub keys: Keys,
    pub text: TextBuffers,
    pub time: TimeBuffers,
    pub descriptors: Descriptors,
    pub streams: Streams,
    pub signals: Option<Box<Signals>>,
    /// A stream of its own for standard input, if it has opened another file there.
    pub input: *mut libc::FILE,
}

impl Default for Library {
    fn default() -> Self {
        Self {
            random: None,
            environment: Private::default(),
            getopt: Scanner::default(),
            keys: Keys::default(),
            text: TextBuffers::default(),
            time: TimeBuffers::default(),
            descriptors: Descriptors::default(),
            streams: Streams::default(),
            signals: None,
            input: ptr::null_mut(),
        }
    }
}

impl Library {
    /// Closes what a rank that has ended still has open.
    pub(crate) fn close_files(&mut self) {
        self.streams.abandon();
        self.descriptors = Descriptors::default();
    }
}

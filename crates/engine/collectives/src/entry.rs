//! Tables of algorithms: which perform a collective, how, and with which parameters.

use mpirage_call::{Algorithm, SendStyle, Settings, WireProtocol};

use crate::shape::Shape;
use crate::step::Schedule;

/// Writes the steps of one rank.
pub(crate) type Build = fn(&Shape, &mut Schedule);

/// An algorithm of one collective.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub algorithm: Algorithm,
    pub build: Build,
    /// The parameters that it reads, with their defaults.
    pub defaults: Settings,
    /// Can it perform a call of this shape? All ranks must answer alike.
    pub fits: fn(&Shape) -> bool,
}

/// The algorithms of one collective. This is the only place that says which are valid.
pub(crate) type Table = &'static [Entry];

/// An algorithm without parameters, for calls of any shape.
pub(crate) const fn entry(algorithm: Algorithm, build: Build) -> Entry {
    Entry { algorithm, build, defaults: Settings::NONE, fits: |_| true }
}

impl Entry {
    /// It cuts its vector into segments, of so many bytes unless told otherwise.
    pub const fn segment(mut self, bytes: u64) -> Entry {
        self.defaults.segment = Some(bytes);
        self
    }

    /// It has a radix, this one unless told otherwise.
    pub const fn radix(mut self, radix: u32) -> Entry {
        self.defaults.radix = Some(radix);
        self
    }

    /// It limits the number of outstanding operations, to this unless told otherwise.
    pub const fn requests(mut self, requests: u32) -> Entry {
        self.defaults.requests = Some(requests);
        self
    }

    /// It sends in either style, in this one unless told otherwise.
    pub const fn sends(mut self, sends: SendStyle) -> Entry {
        self.defaults.sends = Some(sends);
        self
    }

    /// It is made of other collectives, whose methods this table chooses unless told otherwise.
    pub const fn parts(mut self, table: &'static str) -> Entry {
        self.defaults.parts = Some(table);
        self
    }

    /// It is NCCL's: it has a protocol and channels, simple and all of them unless told otherwise.
    pub const fn channels(mut self) -> Entry {
        self.defaults.protocol = Some(WireProtocol::Simple);
        self.defaults.channels = Some(0);
        self
    }

    /// It performs only calls of which this is true.
    pub const fn only_if(mut self, fits: fn(&Shape) -> bool) -> Entry {
        self.fits = fits;
        self
    }

    /// It combines operands in any order, so it is for operations that commute.
    pub const fn any_order(self) -> Entry {
        self.only_if(|shape| shape.commutative)
    }
}

//! The traits through which callers ask a collective about its algorithms. `perform` implements them.

use mpirage_call::{Algorithm, Method, Settings};

use crate::entry::{Entry, Table};
use crate::shape::Shape;
use crate::step::Schedule;

/// How a collective can be performed.
pub trait Performed {
    /// The algorithms it can be performed with.
    fn algorithms(self) -> impl Iterator<Item = Algorithm>;

    /// Whether `algorithm` can perform it.
    fn knows(self, algorithm: Algorithm) -> bool;

    /// The parameters that `algorithm` reads when it performs this collective, with their defaults; none if it cannot.
    fn defaults(self, algorithm: Algorithm) -> Option<Settings>;

    /// Whether `algorithm` can perform a call of this shape: some want operations that commute, or certain numbers of ranks.
    fn fits(self, algorithm: Algorithm, shape: &Shape) -> bool;
}

/// Parts of schedules.
pub(crate) trait Appended {
    /// Appends what a rank does, but for the copy of its own contribution.
    fn append(self, method: Method, shape: &Shape, out: &mut Schedule);

    /// Appends what a rank does in a collective that is a phase of another, by the default table.
    fn append_by_default(self, shape: &Shape, out: &mut Schedule);

    fn entry(self, algorithm: Algorithm) -> Option<&'static Entry>;

    /// Appends what a rank does in a collective that is a part of another, by the method that the table of the parameters has for it.
    fn append_part(self, shape: &Shape, out: &mut Schedule);

    /// All algorithms, NCCL's and then SimGrid's own last.
    fn entries(self) -> impl Iterator<Item = &'static Entry>;

    fn table(self) -> Table;
}

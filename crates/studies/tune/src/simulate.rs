//! The time of one point with one method.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_call::Collective;
use mpirage_collectives::Choice;
use mpirage_mpi::Ending;
use mpirage_record::{MessageRecord, Record, Recorder};
use mpirage_simulation::{Machine, Simulation, Unwatched};
use mpirage_trace::Generated;
use mpirage_units::{Duration, Time};
use thiserror::Error;

use crate::Point;

/// Why a search gives no result.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A simulation did not come to an end: an error of ours.
    #[error("{collective} with {method} on {ranks} ranks and {bytes} bytes does not end: {ending}")]
    DoesNotEnd {
        /// The collective.
        collective: Collective,
        /// The method, as text.
        method: String,
        /// How many ranks.
        ranks: u32,
        /// Its size.
        bytes: u64,
        /// How it ended instead.
        ending: String,
    },
    /// The model takes the duration of collectives from a formula.
    #[error(
        "the model has a formula for the time of collectives, so no algorithm is faster than another; choose another model"
    )]
    Formula,
    /// The user or the caller stopped it.
    #[error("interrupted")]
    Stopped,
}

/// The simulated time of a call with a choice of methods: the mean of `repeat` calls in a row.
pub(crate) fn time(
    machine: &Machine,
    point: &Point,
    choice: Choice,
    repeat: u32,
) -> Result<Duration, String> {
    let span = Rc::new(RefCell::new(Span::default()));
    let machine = machine.with_ranks(&point.members);
    let simulation = Simulation::new(&machine).collectives(choice).recorder(Box::new(Rc::clone(&span)));
    let mut workload = Generated::collective(point.spec(), repeat);
    let replayed = simulation.replay(&mut workload, &mut Unwatched).map_err(|failure| failure.to_string())?;
    match replayed.ending {
        Ending::Finished => Ok(Duration::from_picos(span.borrow().picos() / u64::from(repeat.max(1)))),
        ending => Err(format!("{ending:?}")),
    }
}

/// From the first rank that enters a collective to the last that leaves one.
#[derive(Debug, Default)]
struct Span {
    first: Option<Time>,
    last: Time,
}

impl Span {
    fn picos(&self) -> u64 {
        self.first.map_or(0, |first| self.last.since(first).as_picos())
    }
}

impl Recorder for Span {
    fn record(&mut self, record: &Record<'_>) {
        if let Record::Call { function, entered, left, .. } = *record
            && is_collective(function)
        {
            self.first = Some(self.first.map_or(entered, |first| first.min(entered)));
            self.last = self.last.max(left);
        }
    }

    fn messages(&mut self, _: &[MessageRecord]) {}
}

/// Ranks of the workload call nothing but their collective between `MPI_Init` and `MPI_Finalize`.
fn is_collective(function: u16) -> bool {
    !matches!(mpirage_call::function_name(function), "MPI_Init" | "MPI_Finalize")
}

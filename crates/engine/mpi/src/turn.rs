//! The interface between the engine and its driver.

use mpirage_call::{LineId, RankId};

/// The next action of the driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The reply of this line is final, except perhaps for its date and what it will say about polls (`Quiet`): the driver may give it now, and let the line run. The
    /// engine does not want its calls yet. Comes only from an engine that releases early, before the `Resume` of the same
    /// line; a second time if the date was missing and is known now.
    Release(LineId),
    /// Give this line its reply, unless it has it, and take the calls it makes until it waits again.
    Resume(LineId),
    /// Print what this rank has written so far.
    Output(RankId),
    /// All jobs have ended; [`Engine::take_ending`](crate::Engine::take_ending) says how.
    End,
}

/// The actions of a line since it was resumed, besides its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Its rank wrote to standard output.
    pub wrote: bool,
    /// The line has ended; it does not wait for an answer.
    pub ended: bool,
}

/// How a job ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Every rank has ended.
    Finished,
    /// Nothing can happen any more, but ranks wait.
    Deadlock,
    /// The run takes longer than the simulated clock can show.
    BeyondTime,
    /// The network cannot carry a message: nothing comes back from its receiver.
    Unreachable {
        /// The rank that sent to it.
        from: u32,
        /// The rank that cannot be reached.
        to: u32,
        /// Why, if the network knows.
        reason: Option<String>,
    },
    /// The buffers of the network are full, and their frames wait for each other.
    NetworkDeadlock {
        /// The names of the links of the circle, in order.
        links: Vec<String>,
    },
    /// A rank called `MPI_Abort`.
    Aborted {
        /// The rank that called it.
        rank: u32,
        /// The code that it gave.
        code: i32,
    },
    /// A rank used MPI in a way that is wrong.
    Misuse {
        /// The rank.
        rank: u32,
        /// The error.
        text: String,
    },
}

//! What the kernel asks of models.
//!
//! A model is told when something starts and asked when something ends. It never reads a clock,
//! never schedules, never calls upward. Extend by wrapping: a tap or a fault injector is a model that
//! holds a model.

use mpirage_platform::HostId;
use mpirage_units::Time;

/// Names an activity to whoever started it; means nothing to the kernel and the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(pub u64);

/// Bytes to be carried from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where they are.
    pub from: HostId,
    /// Where they go; may be the same host.
    pub to: HostId,
    /// How many.
    pub bytes: u64,
}

/// When the bytes of a transfer start to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// At once.
    Now,
    /// When what they need is free. `collect` gives the token then, and again when they have arrived.
    Later,
}

/// How long transfers take.
pub trait NetworkModel {
    /// A transfer starts.
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure;
    /// The next instant at which `collect` has something to do; never before `now`.
    fn next(&mut self, now: Time) -> Option<Time>;
    /// Moves on to `now` and appends the transfers that have ended (and those that only now start to move), in order of
    /// their start.
    fn collect(&mut self, now: Time, ended: &mut Vec<Token>);
}

/// Work for the cores of a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computation {
    /// Where.
    pub host: HostId,
    /// How long one core takes for it.
    pub seconds: f64,
    /// How many cores can work on it at the same time: the threads that share it. At least one.
    pub threads: f64,
}

/// How long computations take.
pub trait ComputeModel {
    /// A computation starts.
    fn start(&mut self, now: Time, computation: Computation, token: Token);
    /// The next instant at which `collect` has something to do; never before `now`.
    fn next(&mut self, now: Time) -> Option<Time>;
    /// Moves on to `now` and appends the computations that have ended.
    fn collect(&mut self, now: Time, ended: &mut Vec<Token>);
}

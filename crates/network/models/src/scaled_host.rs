//! A host whose cores change their speed: its computations share the cores evenly, as SimGrid's do.

use mpirage_kernel::{Computation, Token};
use mpirage_units::{Duration, Time};

/// A computation with no more seconds left than this is over: dates are whole picoseconds.
const NOTHING: f64 = 1e-12;

/// A host, with what computes on it.
#[derive(Clone)]
pub(crate) struct ScaledHost {
    pub cores: f64,
    /// The factor on the speed of its cores.
    pub scale: f64,
    /// The date at which `left` of its computations was last updated.
    now: Time,
    running: Vec<Running>,
}

#[derive(Clone)]
struct Running {
    token: Token,
    /// Its number among all, in order of start.
    number: u64,
    core: u32,
    threads: f64,
    /// Seconds of one core at full speed.
    left: f64,
}

impl ScaledHost {
    /// A host on which nothing runs.
    pub fn new(cores: u32) -> ScaledHost {
        ScaledHost { cores: cores.into(), scale: 1.0, now: Time::ZERO, running: Vec::new() }
    }

    /// Does nothing run?
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// How many computations run, and how many cores they use.
    pub fn in_use(&self) -> (f64, f64) {
        (self.running.len() as f64, self.threads().min(self.cores))
    }

    /// The core of each computation.
    pub fn cores_in_use(&self) -> impl Iterator<Item = u32> + '_ {
        self.running.iter().map(|running| running.core)
    }

    /// A computation starts, the `number`-th of all.
    pub fn start(&mut self, now: Time, computation: &Computation, token: Token, number: u64) {
        self.reach(now);
        let Computation { core, threads, seconds: left, .. } = *computation;
        self.running.push(Running { token, number, core, threads, left });
    }

    fn threads(&self) -> f64 {
        self.running.iter().map(|running| running.threads).sum()
    }

    /// Seconds of work that one thread does per second.
    fn rate_of_thread(&self) -> f64 {
        self.scale * (self.cores / self.threads()).min(1.0)
    }

    /// Comes to `now`.
    pub fn reach(&mut self, now: Time) {
        let done = now.since(self.now).as_secs_f64() * self.rate_of_thread();
        self.running.iter_mut().for_each(|running| running.left -= done * running.threads);
        self.now = now;
    }

    /// When the next computation ends, if speed and computations stay.
    pub fn next(&self) -> Option<Time> {
        let rate = self.rate_of_thread();
        let seconds = self.running.iter().map(|running| match running.left {
            left if left > 0.0 => left / (rate * running.threads),
            _ => 0.0,
        });
        let seconds = seconds.min_by(f64::total_cmp).filter(|seconds| seconds.is_finite())?;
        Some(self.now + Duration::from_secs_f64(seconds))
    }

    /// Comes to `now` and takes what is over: numbers and tokens.
    pub fn take_ended(&mut self, now: Time) -> impl Iterator<Item = (u64, Token)> + '_ {
        self.reach(now);
        let rate = self.rate_of_thread();
        let is_over = move |running: &mut Running| running.left <= NOTHING * rate * running.threads;
        self.running.extract_if(.., is_over).map(|running| (running.number, running.token))
    }
}
